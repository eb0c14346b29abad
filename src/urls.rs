//! The project's table of addresses: includes each app's.

use actix_web::guard;
use actix_web::http::Method;
use actix_web::http::header::ALLOW;
use actix_web::web::{self, ServiceConfig};
use actix_web::{FromRequest, Handler, HttpRequest, HttpResponse, Resource, Responder};

use crate::error::AppError;
use crate::{blog_posts, health, rate, rate_classes, static_files, users};

/// Everything that has a session.
#[must_use]
pub fn pages() -> Vec<Methods> {
    // Of two patterns for one path the first counts: a slug may be anything.
    let apps = [users::urls::urls(), rate::urls::urls(), blog_posts::urls::urls(), rate_classes::urls::urls()];
    apps.into_iter().flatten().collect()
}

/// Files and health checks: no session, and any Host.
#[must_use]
pub fn outside() -> Vec<Methods> {
    [health::urls(), static_files::urls()].into_iter().flatten().collect()
}

/// Whether there is something to read at the address of this pattern.
#[must_use]
pub fn has_page(pattern: Option<&str>) -> bool {
    pages().iter().any(|methods| Some(methods.path) == pattern && methods.allowed.contains(&Method::GET))
}

/// Registers `urls`, in their order.
pub fn configure(config: &mut ServiceConfig, urls: Vec<Methods>) {
    for methods in urls {
        config.service(methods.resource());
    }
}

/// One address and what each method does there. HEAD comes with GET, OPTIONS always, and every other
/// method is answered 405 with what is allowed. (actix' route macros answer 404 to those.)
pub struct Methods {
    path: &'static str,
    resource: Resource,
    allowed: Vec<Method>,
}

impl Methods {
    #[must_use]
    pub fn at(path: &'static str) -> Self {
        Self { path, resource: web::resource(path), allowed: Vec::new() }
    }

    /// The pattern, such as `/blogs/{id}/`.
    #[must_use]
    pub fn path(&self) -> &'static str {
        self.path
    }

    /// The value of `Allow`.
    #[must_use]
    pub fn allow(&self) -> String {
        let options = std::iter::once(&Method::OPTIONS);
        self.allowed.iter().chain(options).map(Method::as_str).collect::<Vec<_>>().join(", ")
    }

    #[must_use]
    pub fn get<F, Args>(mut self, handler: F) -> Self
    where
        F: Handler<Args, Output: Responder + 'static>,
        Args: FromRequest + 'static,
    {
        let get_or_head = guard::Any(guard::Get()).or(guard::Head());
        self.allowed.extend([Method::GET, Method::HEAD]);
        Self { resource: self.resource.route(web::route().guard(get_or_head).to(handler)), ..self }
    }

    #[must_use]
    pub fn post<F, Args>(mut self, handler: F) -> Self
    where
        F: Handler<Args, Output: Responder + 'static>,
        Args: FromRequest + 'static,
    {
        self.allowed.push(Method::POST);
        Self { resource: self.resource.route(web::post().to(handler)), ..self }
    }

    #[must_use]
    pub fn put<F, Args>(mut self, handler: F) -> Self
    where
        F: Handler<Args, Output: Responder + 'static>,
        Args: FromRequest + 'static,
    {
        self.allowed.push(Method::PUT);
        Self { resource: self.resource.route(web::put().to(handler)), ..self }
    }

    #[must_use]
    pub fn resource(self) -> Resource {
        let allow = self.allow();
        self.resource.default_service(web::to(move |request: HttpRequest| {
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
pub async fn not_found(request: HttpRequest) -> Result<HttpResponse, AppError> {
    let path = request.uri().path();
    let reading = matches!(*request.method(), Method::GET | Method::HEAD);
    if reading && !path.ends_with('/') && request.resource_map().has_resource(&format!("{path}/")) {
        let query = request.uri().query().map(|query| format!("?{query}")).unwrap_or_default();
        let location = format!("{path}/{query}");
        return Ok(HttpResponse::PermanentRedirect().insert_header(("Location", location)).finish());
    }
    Err(AppError::NotFound)
}
