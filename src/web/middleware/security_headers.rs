//! Headers that all answers have, so that browsers keep to what pages are meant to do.

/// Scripts, styles and images come from this site alone, and nobody may frame it.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
    connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

const HEADERS: [(&str, &str); 7] = [
    ("content-security-policy", CONTENT_SECURITY_POLICY),
    ("cross-origin-embedder-policy", "require-corp"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("referrer-policy", "same-origin"),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
];

/// Names and values. In production one more says for a year that the site is to be reached encrypted.
pub fn security_headers(production: bool) -> impl Iterator<Item = (&'static str, &'static str)> {
    HEADERS
        .into_iter()
        .chain(production.then_some(("strict-transport-security", "max-age=31536000; includeSubDomains")))
}
