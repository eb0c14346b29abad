//! The middleware that refuses requests for hosts that are not ours, and unsafe requests from other sites.

use actix_web::body::MessageBody;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::{HOST, HeaderMap, ORIGIN};
use actix_web::http::{Method, Uri};
use actix_web::middleware::Next;
use actix_web::web;

use crate::web::error::AppError;
use crate::web::request::host::{Host, Origin};
use crate::web::routing::route::Route;
use crate::web::state::AppState;

/// Refuses requests for other hosts and from other sites, and those that need a database that is known to be down.
///
/// # Errors
/// `bad_host`, `cross_site` or `unavailable`; or an error of the view.
pub async fn check_origin(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<impl MessageBody>, actix_web::Error> {
    let address = Route::of(request.request());
    if address.as_ref().is_some_and(|address| address.allows_any_host) {
        return next.call(request).await;
    }
    let state = request.app_data::<web::Data<AppState>>();
    let needs_database = address.as_ref().is_none_or(|address| address.has_session);
    let allowed = state.map_or(&[][..], |state| &state.settings.allowed_hosts);
    let host = host(request.headers(), request.uri()).ok_or(AppError::BadHost)?;
    if !allowed.iter().any(|allowed| allowed.allows(&host)) {
        return Err(AppError::BadHost.into());
    }
    let safe = matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS);
    // Whoever has the secret may act from anywhere. (Its page sends no referrer, so browsers call its origin `null`.)
    let has_secret = address.is_some_and(|address| address.has_secret_query);
    let is_https = state.is_some_and(|state| state.settings.public_url.is_https);
    if !safe && !has_secret && is_cross_site(request.headers(), &host, is_https) {
        return Err(AppError::CrossSite.into());
    }
    if needs_database && state.is_some_and(|state| state.availability.is_down()) {
        return Err(AppError::Unavailable(None).into());
    }
    next.call(request).await
}

/// The host that the client asks for: the one in the request line if it has one, else the Host header. `None` if there
/// is no valid host, or more than one Host header.
#[must_use]
pub fn host(headers: &HeaderMap, uri: &Uri) -> Option<Host> {
    let mut named = headers.get_all(HOST);
    let header = named.next().and_then(|value| value.to_str().ok());
    if named.next().is_some() {
        return None;
    }
    Host::parse(uri.authority().map(actix_web::http::uri::Authority::as_str).or(header)?)
}

/// The rule of Go's `CrossOriginProtection`: browsers say which site a request comes from, so a request that does not
/// say so is not from a browser.
fn is_cross_site(headers: &HeaderMap, host: &Host, is_https: bool) -> bool {
    // If the header comes twice, both values have to be good.
    if headers.contains_key("sec-fetch-site") {
        return headers.get_all("sec-fetch-site").any(|site| site != "same-origin" && site != "none");
    }
    let mut origins = headers.get_all(ORIGIN);
    let Some(origin) = origins.next() else { return false };
    if origins.next().is_some() {
        return true;
    }
    let Some(origin) = origin.to_str().ok().and_then(Origin::parse) else { return true };
    // Somebody who can change what comes by http must not be able to act on a site that uses https.
    if is_https && !origin.is_https {
        return true;
    }
    let default = origin.default_port();
    // A Host without a port means the default port of its scheme. Only the proxy knows the scheme: assume the origin's.
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
    fn only_pages_of_this_site_may_act() {
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
