//! One-time messages: what an act achieved, told on the next page.
//!
//! They travel in a signed cookie of their own, so that reading a page never writes to the session.

use actix_web::HttpRequest;
use actix_web::cookie::time::Duration;
use actix_web::cookie::{Cookie, CookieJar, SameSite};

use crate::web::state::AppState;

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
    let cookie = jar.signed(&state.keys.messages).get(cookie_name(state))?;
    Some(cookie.value().to_owned())
}

/// The value of `Set-Cookie` that carries `message` to the next page.
#[must_use]
pub fn write(message: &str, state: &AppState) -> String {
    let mut cookie = blank(state);
    cookie.set_value(message.to_owned());
    cookie.set_max_age(LIFETIME);
    let mut jar = CookieJar::new();
    jar.signed_mut(&state.keys.messages).add(cookie);
    // actix would write the value as it is, and read it as percent-encoded.
    jar.get(cookie_name(state)).map(|signed| signed.encoded().to_string()).unwrap_or_default()
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
