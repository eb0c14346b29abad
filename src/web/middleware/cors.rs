//! Cross-origin resource sharing (CORS): web apps of the origins in `CORS_ORIGINS` can use the API.

use super::idempotency::{IDEMPOTENCY_KEY, IDEMPOTENT_REPLAYED};
use actix_cors::Cors;
use actix_web::http::Method;
use actix_web::http::header::{
    ACCEPT, AUTHORIZATION, CONTENT_TYPE, ETAG, HeaderName, IF_MATCH, LINK, LOCATION, RETRY_AFTER, WWW_AUTHENTICATE,
};
use actix_web::middleware::Condition;

use crate::web::request::host::Origin;

/// Number of seconds for which browsers keep the answer to a preflight request.
const MAX_AGE: usize = 3_600;

/// Middleware that lets web apps of these origins send requests and read the responses. Browsers send no cookies with
/// these requests, so a web app acts for a user only with an API token.
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
