//! Endpoints: handlers of a route by HTTP method.

use std::collections::BTreeMap;

use actix_web::guard;
use actix_web::http::Method;
use actix_web::http::header::{ALLOW, LOCATION};
use actix_web::web::{self, ServiceConfig};
use actix_web::{FromRequest, Handler, HttpRequest, HttpResponse, Resource, Responder, Scope};
use schemars::JsonSchema;

use super::operation::{Describe, Operation, QueryParameter};
use super::route::Route;
use crate::web::error::AppError;

/// Route with its handlers by method. GET handlers also handle HEAD, and OPTIONS is handled automatically. Other
/// methods get 405 with `Allow`, whereas actix-web's route macros respond with 404.
pub struct Endpoint {
    route: Route,
    /// Handlers of the methods.
    routes: Vec<actix_web::Route>,
}

impl Endpoint {
    pub fn new(route: Route) -> Self {
        Self { route, routes: Vec::new() }
    }

    pub fn into_route(self) -> Route {
        self.route
    }

    /// Adds the handler of GET and HEAD. The summary says what a request does, such as "Read a post"; the id of the
    /// operation in the API is derived from it.
    pub fn get<F, Args>(self, summary: &'static str, handler: F) -> Self
    where
        F: Handler<Args, Output: Responder + Describe + 'static>,
        Args: FromRequest + Describe + 'static,
    {
        let get_or_head = guard::Any(guard::Get()).or(guard::Head());
        let mut endpoint = self.add::<F, Args>(Method::GET, summary, web::route().guard(get_or_head).to(handler));
        endpoint.route.methods.push(Method::HEAD);
        endpoint
    }

    pub fn post<F, Args>(self, summary: &'static str, handler: F) -> Self
    where
        F: Handler<Args, Output: Responder + Describe + 'static>,
        Args: FromRequest + Describe + 'static,
    {
        self.add::<F, Args>(Method::POST, summary, web::post().to(handler))
    }

    pub fn put<F, Args>(self, summary: &'static str, handler: F) -> Self
    where
        F: Handler<Args, Output: Responder + Describe + 'static>,
        Args: FromRequest + Describe + 'static,
    {
        self.add::<F, Args>(Method::PUT, summary, web::put().to(handler))
    }

    fn add<F, Args>(mut self, method: Method, summary: &'static str, route: actix_web::Route) -> Self
    where
        F: Handler<Args, Output: Describe>,
        Args: Describe,
    {
        self.route.methods.push(method.clone());
        self.route.operations.push((method, Operation::of::<Args, F::Output>(summary)));
        self.routes.push(route);
        self
    }

    /// Adds to the description of the operation that was added last what its summary and its schemas do not say.
    pub fn note(self, note: &'static str) -> Self {
        self.describe_last(|operation| {
            operation.note = note;
        })
    }

    /// Declares the query parameters of the operation that was added last. Handlers can only read declared parameters.
    pub fn query(self, parameters: impl IntoIterator<Item = QueryParameter>) -> Self {
        self.describe_last(|operation| {
            operation.parameters.extend(parameters);
        })
    }

    /// Declares the errors of the operation that was added last, by their codes. Errors that follow from other
    /// properties of the operation, such as `not_found` for URLs with an id, need no declaration.
    pub fn errors(self, codes: &[&'static str]) -> Self {
        self.describe_last(|operation| {
            operation.errors.extend(codes);
        })
    }

    /// Declares that the operation that was added last responds to programs with this status and JSON, whatever its
    /// result type is.
    pub fn json<T: JsonSchema>(self, status: u16) -> Self {
        self.describe_last(|operation| {
            operation.responses.clear();
            operation.add_json::<T>(status, false);
        })
    }

    /// Marks the operation that was added last as the form of a page, so that it is listed apart.
    pub fn form(self) -> Self {
        self.describe_last(|operation| {
            operation.is_form = true;
        })
    }

    /// Leaves the operation that was added last out of the description of the API, because it is of use only to browsers.
    pub fn for_browsers(self) -> Self {
        self.describe_last(|operation| {
            operation.responses.clear();
        })
    }

    /// Declares that the operation that was added last can respond with a file of this media type.
    pub fn file(self, media_type: &'static str) -> Self {
        self.describe_last(|operation| {
            operation.add_other(200, media_type);
        })
    }

    /// Changes the description of the operation that was added last.
    fn describe_last(mut self, change: impl FnOnce(&mut Operation)) -> Self {
        if let Some((_, operation)) = self.route.operations.last_mut() {
            change(operation);
        }
        self
    }

    /// Creates the resource for a pattern, which is relative to the scope of the resource.
    fn resource(self, relative_pattern: &str) -> Resource {
        let allow = self.route.allow_header();
        let resource = self.routes.into_iter().fold(web::resource(relative_pattern), Resource::route);
        resource.default_service(web::to(move |request: HttpRequest| {
            let allow = allow.clone();
            async move {
                if request.method() == Method::OPTIONS {
                    return Ok(HttpResponse::NoContent().insert_header((ALLOW, allow)).finish());
                }
                let is_read = matches!(*request.method(), Method::GET | Method::HEAD);
                Err(AppError::MethodNotAllowed { allow, is_safe_method: is_read })
            }
        }))
    }
}

pub fn register(config: &mut ServiceConfig, endpoints: Vec<Endpoint>) {
    for endpoint in endpoints {
        let pattern = endpoint.route.pattern;
        config.service(endpoint.resource(pattern));
    }
}

/// Registers endpoints in one scope for each first segment such as `/blogs`, because actix-web tries the patterns of a scope
/// one after the other. A request below such a segment that none of them matches gets 404, even if a service that is
/// registered later would match it.
pub fn register_by_first_segment(config: &mut ServiceConfig, endpoints: Vec<Endpoint>) {
    let mut scopes: BTreeMap<&str, Scope> = BTreeMap::new();
    for endpoint in endpoints {
        match split_first_segment(endpoint.route.pattern) {
            Some((prefix, rest)) => {
                let scope = scopes.remove(prefix).unwrap_or_else(|| web::scope(prefix));
                scopes.insert(prefix, scope.service(endpoint.resource(rest)));
            }
            None => register(config, vec![endpoint]),
        }
    }
    for scope in scopes.into_values() {
        config.service(scope);
    }
}

/// Splits `/blogs/{id}/` into `/blogs` and `/{id}/`. Returns `None` for a pattern of one segment without a slash at the
/// end.
fn split_first_segment(pattern: &str) -> Option<(&str, &str)> {
    let (end, _) = pattern.match_indices('/').nth(1)?;
    Some(pattern.split_at(end))
}

/// Default handler for paths without an endpoint. Appends a missing slash by a redirect, as in Django.
pub async fn not_found(request: HttpRequest) -> Result<HttpResponse, AppError> {
    let is_read = matches!(*request.method(), Method::GET | Method::HEAD);
    let path = request.path();
    if is_read && request.resource_map().match_pattern(&format!("{}/", request.match_info().as_str())).is_some() {
        let query = request.uri().query().map(|query| format!("?{query}")).unwrap_or_default();
        return Ok(HttpResponse::PermanentRedirect().insert_header((LOCATION, format!("{path}/{query}"))).finish());
    }
    Err(AppError::NotFound)
}
