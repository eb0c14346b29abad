//! Endpoints: handlers of a route by HTTP method.

use actix_web::guard::{self, fn_guard};
use actix_web::http::Method;
use actix_web::http::header::ALLOW;
use actix_web::web::{self, ServiceConfig};
use actix_web::{FromRequest, Handler, HttpRequest, HttpResponse, Resource, Responder};

use super::route::{MatchedRoute, Route};
use crate::web::error::AppError;

/// Route with its handlers by method. GET handlers also handle HEAD, and OPTIONS is handled automatically. Other
/// methods get 405 with `Allow`, whereas actix-web's route macros respond with 404.
pub struct Endpoint {
    route: Route,
    resource: Resource,
}

impl Endpoint {
    #[must_use]
    pub fn new(address: Route) -> Self {
        let resource = web::resource(address.pattern);
        Self { route: address, resource }
    }

    #[must_use]
    pub fn into_route(self) -> Route {
        self.route
    }

    #[must_use]
    pub fn get<F, Args>(mut self, handler: F) -> Self
    where
        F: Handler<Args, Output: Responder + 'static>,
        Args: FromRequest + 'static,
    {
        let get_or_head = guard::Any(guard::Get()).or(guard::Head());
        self.route.methods.extend([Method::GET, Method::HEAD]);
        Self { resource: self.resource.route(web::route().guard(get_or_head).to(handler)), ..self }
    }

    #[must_use]
    pub fn post<F, Args>(mut self, handler: F) -> Self
    where
        F: Handler<Args, Output: Responder + 'static>,
        Args: FromRequest + 'static,
    {
        self.route.methods.push(Method::POST);
        Self { resource: self.resource.route(web::post().to(handler)), ..self }
    }

    #[must_use]
    pub fn put<F, Args>(mut self, handler: F) -> Self
    where
        F: Handler<Args, Output: Responder + 'static>,
        Args: FromRequest + 'static,
    {
        self.route.methods.push(Method::PUT);
        Self { resource: self.resource.route(web::put().to(handler)), ..self }
    }

    fn resource(self) -> Resource {
        let (allow, pattern) = (self.route.allow_header(), self.route.pattern);
        // The route table has already matched the path. If actix-web's router matches a different pattern, the response
        // is 404.
        let is_found = fn_guard(move |context| {
            context.req_data().get::<MatchedRoute>().is_some_and(|found| found.0.pattern == pattern)
        });
        self.resource.guard(is_found).default_service(web::to(move |request: HttpRequest| {
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

/// Registers endpoints. If several patterns match a path, the first one is used.
pub fn register(config: &mut ServiceConfig, endpoints: Vec<Endpoint>) {
    for endpoint in endpoints {
        config.service(endpoint.resource());
    }
}

/// Default handler for paths without an endpoint.
pub async fn not_found() -> Result<HttpResponse, AppError> {
    Err(AppError::NotFound)
}
