//! The project's table of addresses: includes each app's.

use std::sync::{Arc, LazyLock};

use actix_web::guard::{self, fn_guard};
use actix_web::http::Method;
use actix_web::http::header::ALLOW;
use actix_web::web::{self, ServiceConfig};
use actix_web::{FromRequest, Handler, HttpRequest, HttpResponse, Resource, Responder};

use crate::site::health;
use crate::web::address::{Address, Addresses, Class, Found, canonical};
use crate::web::error::AppError;
use crate::web::static_files;
use crate::{blog_posts, rate, rate_classes, users};

/// What there is to know of every address. Built once.
pub static ADDRESSES: LazyLock<Addresses> = LazyLock::new(|| {
    let outside = outside().into_iter().map(|methods| Address { has_session: false, ..methods.address });
    // In the order in which they are registered.
    Addresses::new(outside.chain(pages().into_iter().map(|methods| methods.address)))
});

/// Everything that has a session.
fn pages() -> Vec<Methods> {
    // Of two patterns for one path the first counts: a slug may be anything.
    let apps = [users::urls::urls(), rate::urls::urls(), blog_posts::urls::urls(), rate_classes::urls::urls()];
    apps.into_iter().flatten().collect()
}

/// Files and health checks: no session.
fn outside() -> Vec<Methods> {
    [health::urls(), static_files::urls()].into_iter().flatten().collect()
}

/// Registers what has a session.
pub fn configure_pages(config: &mut ServiceConfig) {
    register(config, pages());
}

/// Registers what has none.
pub fn configure_outside(config: &mut ServiceConfig) {
    register(config, outside());
}

/// Registers what there is before the database is.
pub fn configure_while_starting(config: &mut ServiceConfig) {
    register(config, health::alive_urls().into_iter().chain(static_files::urls()).collect());
}

fn register(config: &mut ServiceConfig, urls: Vec<Methods>) {
    for methods in urls {
        config.service(methods.resource());
    }
}

/// One address and what each method does there. HEAD comes with GET, OPTIONS always, and every other
/// method is answered 405 with what is allowed. (actix' route macros answer 404 to those.)
pub struct Methods {
    address: Address,
    resource: Resource,
}

impl Methods {
    #[must_use]
    pub fn at(pattern: &'static str) -> Self {
        Self { address: Address::new(pattern), resource: web::resource(pattern) }
    }

    /// The class of its unsafe methods.
    #[must_use]
    pub fn class(mut self, class: Class) -> Self {
        self.address.acts = class;
        self
    }

    /// Requests are not counted, and are served while a class is limited: a client has to be able to ask.
    #[must_use]
    pub fn uncounted(mut self) -> Self {
        self.address.is_counted = false;
        self
    }

    /// A request with this query parameter counts as so many.
    #[must_use]
    pub fn costly_with(mut self, parameter: &'static str, cost: u32) -> Self {
        self.address.costly_with = Some((parameter, cost));
        self
    }

    /// Whatever is accepted, the answer is JSON.
    #[must_use]
    pub fn always_json(mut self) -> Self {
        self.address.is_always_json = true;
        self
    }

    #[must_use]
    pub fn any_host(mut self) -> Self {
        self.address.allows_any_host = true;
        self
    }

    /// Who has the address with its query may act: it is not to get anywhere else.
    #[must_use]
    pub fn secret_query(mut self) -> Self {
        self.address.has_secret_query = true;
        self
    }

    #[must_use]
    pub fn ends_session(mut self) -> Self {
        self.address.ends_session = true;
        self
    }

    /// `next` says where it leads.
    #[must_use]
    pub fn leads_on(mut self) -> Self {
        self.address.leads_on = true;
        self
    }

    #[must_use]
    pub fn get<F, Args>(mut self, handler: F) -> Self
    where
        F: Handler<Args, Output: Responder + 'static>,
        Args: FromRequest + 'static,
    {
        let get_or_head = guard::Any(guard::Get()).or(guard::Head());
        self.address.methods.extend([Method::GET, Method::HEAD]);
        Self { resource: self.resource.route(web::route().guard(get_or_head).to(handler)), ..self }
    }

    #[must_use]
    pub fn post<F, Args>(mut self, handler: F) -> Self
    where
        F: Handler<Args, Output: Responder + 'static>,
        Args: FromRequest + 'static,
    {
        self.address.methods.push(Method::POST);
        Self { resource: self.resource.route(web::post().to(handler)), ..self }
    }

    #[must_use]
    pub fn put<F, Args>(mut self, handler: F) -> Self
    where
        F: Handler<Args, Output: Responder + 'static>,
        Args: FromRequest + 'static,
    {
        self.address.methods.push(Method::PUT);
        Self { resource: self.resource.route(web::put().to(handler)), ..self }
    }

    fn resource(self) -> Resource {
        let (allow, pattern) = (self.address.allow(), self.address.pattern);
        // The table has decided; the router only follows. Should the two read a path differently, nothing is found.
        let is_found =
            fn_guard(move |context| context.req_data().get::<Found>().is_some_and(|found| found.0.pattern == pattern));
        self.resource.guard(is_found).default_service(web::to(move |request: HttpRequest| {
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

/// Where a request leads.
#[derive(Debug)]
pub enum Place {
    Here(Arc<Address>),
    /// To what is here, as soon as it is asked for by its one spelling: this path.
    Elsewhere(Arc<Address>, String),
    /// Nothing is there, and it is spelled as it would be.
    Unknown,
    /// No address of ours is spelled like this.
    Misspelled,
}

/// Where a request with this method and path leads. Readers are led to the one spelling of an address, and to the one
/// with its last slash, as in Django; acts are not done at any other.
#[must_use]
pub fn find(method: &Method, path: &str) -> Place {
    let Some(spelled) = canonical(path) else { return Place::Misspelled };
    let reading = matches!(*method, Method::GET | Method::HEAD);
    let with_slash = || Some(format!("{spelled}/")).filter(|_| !spelled.ends_with('/'));
    match (ADDRESSES.find(&spelled), with_slash()) {
        (Some(address), _) if spelled == path => Place::Here(address),
        (Some(address), _) if reading => Place::Elsewhere(address, spelled.into_owned()),
        (None, Some(path)) if reading => match ADDRESSES.find(&path) {
            Some(address) => Place::Elsewhere(address, path),
            None => Place::Unknown,
        },
        _ if spelled == path => Place::Unknown,
        _ => Place::Misspelled,
    }
}

pub async fn not_found() -> Result<HttpResponse, AppError> {
    Err(AppError::NotFound)
}
