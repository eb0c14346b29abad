//! Cross-origin resource sharing (CORS): web apps of the origins in `CORS_ORIGINS` can use the API.

use actix_cors::Cors;
use actix_web::body::MessageBody;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::Method;
use actix_web::http::header::{
    ACCEPT, ACCESS_CONTROL_REQUEST_METHOD, AUTHORIZATION, CONTENT_TYPE, ETAG, HeaderName, HeaderValue, IF_MATCH, LINK,
    LOCATION, RETRY_AFTER, WWW_AUTHENTICATE,
};
use actix_web::middleware::{Condition, Next};

use super::finalize_response::security_headers;
use super::idempotency::{IDEMPOTENCY_KEY, IDEMPOTENT_REPLAYED};
use super::origin_check::has_allowed_host;
use crate::web::request::host::Origin;
use crate::web::settings::Settings;

/// Number of seconds for which browsers keep the answer to a preflight request.
const MAX_AGE: usize = 3_600;

/// Adds security headers to the responses of [`cors`] to preflight requests. For foreign hosts, the preflight header is
/// removed, so that the host check rejects the request.
pub async fn check_preflight(
    mut request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<impl MessageBody>, actix_web::Error> {
    let is_preflight =
        request.method() == Method::OPTIONS && request.headers().contains_key(ACCESS_CONTROL_REQUEST_METHOD);
    if !is_preflight {
        return next.call(request).await;
    }
    if !has_allowed_host(&request) {
        request.headers_mut().remove(ACCESS_CONTROL_REQUEST_METHOD);
    }
    let hsts = Settings::for_request(request.request()).and_then(Settings::hsts);
    let mut response = next.call(request).await?;
    for (name, value) in security_headers(hsts) {
        response.headers_mut().insert(name.clone(), HeaderValue::from_static(value));
    }
    Ok(response)
}

/// Browsers send no cookies with cross-origin requests, so that web apps need an API token to act for a user.
pub fn cors(origins: &[Origin]) -> Condition<Cors> {
    let allowed = Cors::default()
        .allowed_methods([Method::GET, Method::HEAD, Method::POST, Method::PUT])
        .allowed_headers([ACCEPT, AUTHORIZATION, CONTENT_TYPE, IDEMPOTENCY_KEY, IF_MATCH])
        .expose_headers([
            ETAG,
            LINK,
            LOCATION,
            RETRY_AFTER,
            WWW_AUTHENTICATE,
            IDEMPOTENT_REPLAYED,
            HeaderName::from_static("ratelimit"),
            HeaderName::from_static("ratelimit-policy"),
        ])
        // Requests of other origins get responses without CORS headers, which browsers hide from the web app.
        .block_on_origin_mismatch(false)
        .max_age(MAX_AGE);
    let cors = origins.iter().fold(allowed, |cors, origin| cors.allowed_origin(&origin.to_string()));
    Condition::new(!origins.is_empty(), cors)
}
