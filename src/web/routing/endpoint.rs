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

/// Handlers of a route. Methods without a handler get 405 with `Allow`, but route macros of actix-web respond with 404.
pub struct Endpoint {
    route: Route,
    routes: Vec<actix_web::Route>,
}

impl Endpoint {
    pub fn new(route: Route) -> Self {
        Self { route, routes: Vec::new() }
    }

    pub fn into_route(self) -> Route {
        self.route
    }

    /// The id of the operation in the API is derived from the summary, such as "Read a post".
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
        self.route.operations.push((method, Operation::for_handler::<Args, F::Output>(summary)));
        self.routes.push(route);
        self
    }

    pub fn note(self, note: &'static str) -> Self {
        self.describe_last(|operation| operation.note = note)
    }

    /// Declares query parameters. Handlers can read only declared query parameters.
    pub fn query(self, parameters: impl IntoIterator<Item = QueryParameter>) -> Self {
        self.describe_last(|operation| operation.parameters.extend(parameters))
    }

    /// Errors that follow from other properties, such as `not_found` for URLs with an id, need no declaration.
    pub fn errors(self, codes: &[&'static str]) -> Self {
        self.describe_last(|operation| operation.errors.extend(codes))
    }

    /// Replaces the responses that follow from the result type of the handler.
    pub fn json<T: JsonSchema>(self, status: u16) -> Self {
        self.describe_last(|operation| {
            operation.responses.clear();
            operation.add_json::<T>(status, false);
        })
    }

    pub fn form(self) -> Self {
        self.describe_last(|operation| operation.is_form = true)
    }

    /// Omits the operation from the description of the API.
    pub fn for_browsers(self) -> Self {
        self.describe_last(|operation| operation.responses.clear())
    }

    pub fn file(self, media_type: &'static str) -> Self {
        self.describe_last(|operation| operation.add_response_without_json(200, media_type))
    }

    fn describe_last(mut self, change: impl FnOnce(&mut Operation)) -> Self {
        if let Some((_, operation)) = self.route.operations.last_mut() {
            change(operation);
        }
        self
    }

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

/// actix-web tries the patterns of a scope one after the other, so each first segment such as `/blogs` has a scope. If
/// no pattern of the scope matches, the response is 404, even if a service that is registered later would match.
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

/// Splits `/blogs/{id}/` into `/blogs` and `/{id}/`.
fn split_first_segment(pattern: &str) -> Option<(&str, &str)> {
    let (end, _) = pattern.match_indices('/').nth(1)?;
    Some(pattern.split_at(end))
}

/// Appends a missing slash by a redirect, as in Django.
pub async fn not_found(request: HttpRequest) -> Result<HttpResponse, AppError> {
    let is_read = matches!(*request.method(), Method::GET | Method::HEAD);
    let path = request.path();
    if is_read && request.resource_map().match_pattern(&format!("{}/", request.match_info().as_str())).is_some() {
        let query = request.uri().query().map(|query| format!("?{query}")).unwrap_or_default();
        return Ok(HttpResponse::PermanentRedirect().insert_header((LOCATION, format!("{path}/{query}"))).finish());
    }
    Err(AppError::NotFound)
}
