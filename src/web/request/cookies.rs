//! Names and attributes of cookies.

use std::borrow::Cow;

use actix_web::HttpRequest;
use actix_web::cookie::{Cookie, SameSite};
use actix_web::http::header::COOKIE;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CookieName {
    Session,
    Message,
    Language,
}

impl CookieName {
    /// The prefix `__Host-` keeps other hosts from setting the cookie. Browsers reject the prefix without TLS.
    pub fn name(self, production: bool) -> &'static str {
        match (self, production) {
            (Self::Session, true) => "__Host-session",
            (Self::Session, false) => "session",
            (Self::Message, true) => "__Host-message",
            (Self::Message, false) => "message",
            (Self::Language, true) => "__Host-language",
            (Self::Language, false) => "language",
        }
    }

    pub fn cookie<'a>(self, production: bool, value: impl Into<Cow<'a, str>>) -> Cookie<'a> {
        let cookie = Cookie::build(self.name(production), value).path("/").secure(production);
        cookie.http_only(true).same_site(SameSite::Lax).finish()
    }
}

/// Checks for a `Cookie` header first, because `HttpRequest::cookie` allocates an empty list without cookies.
pub fn find_cookie(request: &HttpRequest, name: &str) -> Option<Cookie<'static>> {
    request.headers().contains_key(COOKIE).then(|| request.cookie(name)).flatten()
}
