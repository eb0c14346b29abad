//! The project's table of addresses: includes each app's.

use actix_web::guard;
use actix_web::http::Method;
use actix_web::http::header::ALLOW;
use actix_web::web::{self, ServiceConfig};
use actix_web::{FromRequest, Handler, HttpRequest, HttpResponse, Resource, Responder};

use crate::error::AppError;
use crate::{blog_posts, rate, users};

/// Everything that has a session. Files and health checks stand outside: see [`crate::app`].
pub fn configure(config: &mut ServiceConfig) {
    config
        .configure(users::urls::configure)
        .configure(blog_posts::urls::configure)
        .configure(rate::urls::configure)
        .default_service(web::to(not_found));
}

/// One address and what each method does there. HEAD comes with GET, OPTIONS always, and every other
/// method is answered 405 with what is allowed. (actix' route macros answer 404 to those.)
pub struct Methods {
    resource: Resource,
    allowed: Vec<Method>,
}

impl Methods {
    #[must_use]
    pub fn at(path: &str) -> Self {
        Self { resource: web::resource(path), allowed: Vec::new() }
    }

    #[must_use]
    pub fn get<F, Args>(self, handler: F) -> Self
    where
        F: Handler<Args, Output: Responder + 'static>,
        Args: FromRequest + 'static,
    {
        let Self { resource, mut allowed } = self;
        let get_or_head = guard::Any(guard::Get()).or(guard::Head());
        allowed.extend([Method::GET, Method::HEAD]);
        Self { resource: resource.route(web::route().guard(get_or_head).to(handler)), allowed }
    }

    #[must_use]
    pub fn post<F, Args>(self, handler: F) -> Self
    where
        F: Handler<Args, Output: Responder + 'static>,
        Args: FromRequest + 'static,
    {
        let Self { resource, mut allowed } = self;
        allowed.push(Method::POST);
        Self { resource: resource.route(web::post().to(handler)), allowed }
    }

    #[must_use]
    pub fn put<F, Args>(self, handler: F) -> Self
    where
        F: Handler<Args, Output: Responder + 'static>,
        Args: FromRequest + 'static,
    {
        let Self { resource, mut allowed } = self;
        allowed.push(Method::PUT);
        Self { resource: resource.route(web::put().to(handler)), allowed }
    }

    #[must_use]
    pub fn resource(self) -> Resource {
        let Self { resource, mut allowed } = self;
        allowed.push(Method::OPTIONS);
        let allow = allowed.iter().map(Method::as_str).collect::<Vec<_>>().join(", ");
        resource.default_service(web::to(move |request: HttpRequest| {
            let allow = allow.clone();
            async move {
                if request.method() == Method::OPTIONS {
                    return Ok(HttpResponse::NoContent().insert_header((ALLOW, allow)).finish());
                }
                Err(AppError::MethodNotAllowed { allow })
            }
        }))
    }
}

/// An address without its last slash leads to the one with it, as in Django.
async fn not_found(request: HttpRequest) -> Result<HttpResponse, AppError> {
    let path = request.uri().path();
    let reading = matches!(*request.method(), Method::GET | Method::HEAD);
    if reading && !path.ends_with('/') && request.resource_map().has_resource(&format!("{path}/")) {
        let query = request.uri().query().map(|query| format!("?{query}")).unwrap_or_default();
        let location = format!("{path}/{query}");
        return Ok(HttpResponse::PermanentRedirect().insert_header(("Location", location)).finish());
    }
    Err(AppError::NotFound)
}
