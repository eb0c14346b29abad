//! One-time messages: what an act achieved, told on the next page.
//!
//! They travel in a signed cookie of their own, so that reading a page never writes to the session.

use actix_web::cookie::time::Duration;
use actix_web::cookie::{Cookie, CookieJar, SameSite};
use actix_web::HttpRequest;

use crate::state::AppState;

/// Long enough for a redirect, short enough not to surprise anybody tomorrow.
const LIFETIME: Duration = Duration::minutes(5);

fn cookie_name(state: &AppState) -> &'static str {
    if state.settings.production { "__Host-message" } else { "message" }
}

/// The message for the page that answers `request`, if there is one.
#[must_use]
pub fn read(request: &HttpRequest, state: &AppState) -> Option<String> {
    let mut jar = CookieJar::new();
    jar.add_original(request.cookie(cookie_name(state))?);
    let cookie = jar.signed(&state.keys.cookies).get(cookie_name(state))?;
    percent_encoding::percent_decode_str(cookie.value()).decode_utf8().ok().map(Into::into)
}

/// The cookie that carries `message` to the next page.
#[must_use]
pub fn write(message: &str, state: &AppState) -> Cookie<'static> {
    let value = percent_encoding::utf8_percent_encode(message, percent_encoding::NON_ALPHANUMERIC).to_string();
    let mut jar = CookieJar::new();
    let mut cookie = blank(state);
    cookie.set_value(value);
    cookie.set_max_age(LIFETIME);
    jar.signed_mut(&state.keys.cookies).add(cookie.clone());
    jar.get(cookie_name(state)).cloned().unwrap_or(cookie)
}

/// The cookie that takes a message away once it has been shown.
#[must_use]
pub fn remove(state: &AppState) -> Cookie<'static> {
    let mut cookie = blank(state);
    cookie.make_removal();
    cookie
}

fn blank(state: &AppState) -> Cookie<'static> {
    Cookie::build(cookie_name(state), "")
        .path("/")
        .http_only(true)
        .secure(state.settings.production)
        .same_site(SameSite::Lax)
        .finish()
}
