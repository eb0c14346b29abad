//! Request context: data about a request that middleware determines, stored as one extension of the request.

use std::cell::Ref;
use std::sync::Arc;

use actix_web::http::Method;
use actix_web::{HttpMessage, HttpRequest};

use super::client::Client;
use super::current_user::{CurrentUser, RequestId, RequestSource, UserId};
use super::format::ResponseFormat;
use crate::access::RequestClass;
use crate::i18n::Language;
use crate::permits::Requester;
use crate::web::error::AppError;
use crate::web::response::rate_limit::{RateLimitHeaders, RateLimitWarning, RateLimited};
use crate::web::routing::route::Route;

#[derive(Clone, Debug)]
pub struct RequestContext {
    pub id: RequestId,
    pub route: Option<Arc<Route>>,
    pub format: ResponseFormat,
    /// Client address; `None` if the peer is unknown, as in tests without a connection.
    pub client: Option<Client>,
    pub language: Option<Language>,
    pub user: Option<CurrentUser>,
    pub rate_limited: Option<RateLimited>,
    pub rate_limit_warning: Option<RateLimitWarning>,
    pub rate_limit_headers: Option<RateLimitHeaders>,
    /// Numbers displayed beside links, by path of the link.
    pub link_counts: Vec<(&'static str, i64)>,
}

impl RequestContext {
    /// `None` in tests without the middleware `finalize_response`.
    pub fn from_request(request: &HttpRequest) -> Option<Ref<'_, Self>> {
        Ref::filter_map(request.extensions(), actix_web::dev::Extensions::get).ok()
    }

    pub fn update(request: &impl HttpMessage, change: impl FnOnce(&mut Self)) {
        if let Some(context) = request.extensions_mut().get_mut() {
            change(context);
        }
    }

    /// Users who are not staff get `not_found` on staff-only URLs.
    pub fn check_permissions(&self, method: &Method) -> Result<(), AppError> {
        let (Some(route), user) = (&self.route, self.user.as_ref()) else { return Ok(()) };
        if let Some(scopes) = user.and_then(|user| user.scopes) {
            let scope = route.scope_of(method);
            if route.needs_session() && !method.is_safe() {
                return Err(AppError::SessionNeeded);
            }
            if !scopes.allows(scope) {
                return Err(AppError::ScopeNeeded { scope });
            }
        }
        if let Some(role) = route.role.filter(|_| route.methods.contains(method)) {
            match user {
                Some(user) if user.has_role(role) => (),
                Some(user) if user.is_staff() => return Err(AppError::RoleNeeded { role }),
                Some(_) => return Err(AppError::NotFound),
                None => return Err(AppError::NotSignedIn { next: None }),
            }
        }
        match user.and_then(|user| user.block.as_ref()) {
            Some(block) if matches!(route.rate_class_of(method), RequestClass::Write | RequestClass::Rate) => {
                Err(AppError::Blocked(block.clone()))
            }
            _ => Ok(()),
        }
    }
}

impl Route {
    pub fn for_request(request: &HttpRequest) -> Option<Arc<Self>> {
        RequestContext::from_request(request)?.route.clone()
    }
}

impl ResponseFormat {
    pub fn for_request(request: &HttpRequest) -> Self {
        let negotiated = RequestContext::from_request(request).map(|context| context.format);
        negotiated.unwrap_or_else(|| Self::negotiate(None, request.method(), request.headers()))
    }
}

impl Client {
    pub fn for_request(request: &HttpRequest) -> Option<Self> {
        RequestContext::from_request(request)?.client
    }
}

impl RequestSource {
    pub fn for_request(request: &HttpRequest) -> Self {
        RequestContext::from_request(request).map(|context| Self::new(context.client, context.id)).unwrap_or_default()
    }
}

impl CurrentUser {
    pub fn for_request(request: &HttpRequest) -> Option<Self> {
        RequestContext::from_request(request)?.user.clone()
    }
}

impl RateLimited {
    pub fn for_request(request: &HttpRequest) -> Option<Self> {
        RequestContext::from_request(request)?.rate_limited
    }
}

impl RateLimitWarning {
    pub fn for_request(request: &HttpRequest) -> Option<Self> {
        RequestContext::from_request(request)?.rate_limit_warning.clone()
    }
}

impl From<UserId> for Requester {
    fn from(user: UserId) -> Self {
        Self::User(user.0)
    }
}

impl From<Client> for Requester {
    fn from(client: Client) -> Self {
        Self::Network(client.network())
    }
}

extractor!(Requester, |request| {
    let context = RequestContext::from_request(request);
    let user = context.as_ref().and_then(|context| context.user.as_ref()).map(|user| Self::User(user.id.0));
    let client = context.as_ref().and_then(|context| context.client);
    user.or(client.map(Self::from)).unwrap_or(Self::Other)
});
