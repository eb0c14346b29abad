//! Host and origin check: rejects requests with a foreign Host header, and unsafe cross-site requests.

use actix_web::body::MessageBody;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::{HOST, HeaderMap, ORIGIN};
use actix_web::http::{Method, Uri};
use actix_web::middleware::Next;
use actix_web::web;

use crate::web::error::AppError;
use crate::web::request::credentials::{has_bearer_credentials, has_credentials};
use crate::web::request::host::{Host, Origin};
use crate::web::routing::route::Route;
use crate::web::settings::Settings;
use crate::web::state::CoreState;

pub async fn check_origin(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<impl MessageBody>, actix_web::Error> {
    let route = Route::for_request(request.request());
    if route.as_ref().is_some_and(|route| route.is_health_check) {
        return next.call(request).await;
    }
    let state = request.app_data::<web::Data<CoreState>>();
    let needs_database = route.as_ref().is_none_or(|route| route.has_session);
    let host = request_host(request.headers(), request.uri()).ok_or(AppError::BadHost)?;
    if !has_allowed_host(&request) {
        return Err(AppError::BadHost.into());
    }
    let safe = matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS);
    // A secret in the URL authorizes requests from any origin. Pages with a secret URL send no referrer, so browsers
    // send `Origin: null`.
    let has_secret = route.is_some_and(|route| route.has_secret_query);
    let is_https = state.is_some_and(|state| state.settings.public_url.is_https);
    let has_token = || has_bearer_credentials(request.headers());
    if !safe && !has_secret && !has_token() && is_cross_site(request.headers(), &host, is_https) {
        return Err(AppError::CrossSite.into());
    }
    // Pages for anonymous visitors can be read from the server of `DATABASE_READ_URL` while the primary is down.
    let can_read = |state: &CoreState| state.read_server.is_some() && is_page_for_guest(&request);
    if needs_database && state.is_some_and(|state| state.availability.is_down() && !can_read(state)) {
        return Err(AppError::Unavailable(None).into());
    }
    next.call(request).await
}

pub fn has_allowed_host(request: &ServiceRequest) -> bool {
    let allowed = Settings::for_request(request.request()).map_or(&[][..], |settings| &settings.allowed_hosts);
    let host = request_host(request.headers(), request.uri());
    host.is_some_and(|host| allowed.iter().any(|allowed| allowed.allows(&host)))
}

/// True for a page that needs only data that a replica has, and no lookup of a session.
fn is_page_for_guest(request: &ServiceRequest) -> bool {
    matches!(*request.method(), Method::GET | Method::HEAD)
        && Route::for_request(request.request()).is_some_and(|route| route.is_cached)
        && !has_credentials(request.request())
}

/// Returns `None` if the host is invalid or there are several Host headers.
pub fn request_host(headers: &HeaderMap, uri: &Uri) -> Option<Host> {
    let mut named = headers.get_all(HOST);
    let header = named.next().and_then(|value| value.to_str().ok());
    if named.next().is_some() {
        return None;
    }
    Host::parse(uri.authority().map(actix_web::http::uri::Authority::as_str).or(header)?)
}

/// Detects cross-site requests by the rules of Go's `CrossOriginProtection`. Requests with neither `Sec-Fetch-Site` nor
/// `Origin` are allowed, because they do not come from a browser.
fn is_cross_site(headers: &HeaderMap, host: &Host, is_https: bool) -> bool {
    // If `Sec-Fetch-Site` is repeated, all values must be allowed.
    if headers.contains_key("sec-fetch-site") {
        return headers.get_all("sec-fetch-site").any(|site| site != "same-origin" && site != "none");
    }
    let mut origins = headers.get_all(ORIGIN);
    let Some(origin) = origins.next() else { return false };
    if origins.next().is_some() {
        return true;
    }
    let Some(origin) = origin.to_str().ok().and_then(Origin::parse) else { return true };
    // An HTTPS site rejects HTTP origins, because an attacker who modifies HTTP traffic could forge requests.
    if is_https && !origin.is_https {
        return true;
    }
    let default = origin.default_port();
    // A Host header without a port implies the default port. Only the proxy knows the scheme, so the origin's scheme is
    // assumed.
    origin.host.name() != host.name() || origin.host.port().unwrap_or(default) != host.port().unwrap_or(default)
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    fn cross_site(host: &str, headers: &[(&'static str, &str)]) -> bool {
        cross_site_of(false, host, headers)
    }

    fn cross_site_of(is_https: bool, host: &str, headers: &[(&'static str, &str)]) -> bool {
        let mut request = TestRequest::default();
        for (name, value) in headers {
            request = request.append_header((*name, *value));
        }
        is_cross_site(request.to_http_request().headers(), &Host::parse(host).unwrap(), is_https)
    }

    #[test]
    fn rejects_cross_site_requests() {
        assert!(!cross_site("a.example", &[]));
        assert!(!cross_site("a.example", &[("sec-fetch-site", "same-origin"), ("origin", "https://b.example")]));
        assert!(!cross_site("a.example", &[("sec-fetch-site", "none")]));
        assert!(cross_site("a.example", &[("sec-fetch-site", "same-site")]));
        assert!(cross_site("a.example", &[("sec-fetch-site", "cross-site"), ("origin", "https://a.example")]));
        assert!(!cross_site("a.example", &[("origin", "https://a.example")]));
        assert!(!cross_site("a.example:443", &[("origin", "https://a.example")]));
        assert!(!cross_site("127.0.0.1:8000", &[("origin", "http://127.0.0.1:8000")]));
        assert!(!cross_site("[::1]:8000", &[("origin", "http://[::1]:8000")]));
        assert!(cross_site("127.0.0.1:8000", &[("origin", "http://127.0.0.1:8001")]));
        assert!(cross_site("a.example", &[("origin", "https://a.example:444")]));
        assert!(cross_site("a.example", &[("origin", "https://a.example.evil.example")]));
        assert!(!cross_site("a.example", &[("origin", "http://a.example")]));
        assert!(cross_site_of(true, "a.example", &[("origin", "http://a.example")]));
        assert!(cross_site_of(true, "a.example:443", &[("origin", "http://a.example:443")]));
        assert!(!cross_site_of(true, "a.example", &[("origin", "https://a.example")]));
        assert!(cross_site("a.example", &[("sec-fetch-site", "same-origin"), ("sec-fetch-site", "cross-site")]));
        assert!(cross_site("a.example", &[("origin", "https://a.example"), ("origin", "https://b.example")]));
        assert!(cross_site("a.example", &[("origin", "null")]));
        assert!(cross_site("a.example", &[("origin", "chrome-extension://a.example")]));
    }
}
