//! Security headers of all responses.

/// Allows scripts, styles, images and fonts from the site itself only, and forbids framing.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
    font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

const HEADERS: [(&str, &str); 7] = [
    ("content-security-policy", CONTENT_SECURITY_POLICY),
    ("cross-origin-embedder-policy", "require-corp"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("referrer-policy", "same-origin"),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
];

/// Returns names and values of the security headers. In production they include HSTS for one year.
pub fn security_headers(production: bool) -> impl Iterator<Item = (&'static str, &'static str)> {
    HEADERS
        .into_iter()
        .chain(production.then_some(("strict-transport-security", "max-age=31536000; includeSubDomains")))
}
