//! Security headers of all responses.

use actix_web::http::header::{
    CONTENT_SECURITY_POLICY, CROSS_ORIGIN_EMBEDDER_POLICY, CROSS_ORIGIN_OPENER_POLICY, CROSS_ORIGIN_RESOURCE_POLICY,
    HeaderName, REFERRER_POLICY, STRICT_TRANSPORT_SECURITY, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};

/// Allows scripts, styles, images and fonts from the site itself only, and forbids framing.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
    font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

static HEADERS: [(HeaderName, &str); 7] = [
    (CONTENT_SECURITY_POLICY, POLICY),
    (CROSS_ORIGIN_EMBEDDER_POLICY, "require-corp"),
    (CROSS_ORIGIN_OPENER_POLICY, "same-origin"),
    (CROSS_ORIGIN_RESOURCE_POLICY, "same-origin"),
    (REFERRER_POLICY, "same-origin"),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (X_FRAME_OPTIONS, "DENY"),
];

static HSTS: (HeaderName, &str) = (STRICT_TRANSPORT_SECURITY, "max-age=31536000; includeSubDomains");

/// Returns names and values of the security headers. In production they include HSTS for one year.
pub fn security_headers(production: bool) -> impl Iterator<Item = (&'static HeaderName, &'static str)> {
    let all = HEADERS.iter().chain(production.then_some(&HSTS));
    all.map(|(name, value)| (name, *value))
}
