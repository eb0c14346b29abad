//! Content negotiation: content type of request bodies, and HTML or JSON for responses.

use actix_web::http::Method;
use actix_web::http::header::{ACCEPT, CONTENT_ENCODING, CONTENT_TYPE, HeaderMap};
use actix_web::mime;

use crate::web::error::AppError;
use crate::web::routing::route::Route;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyKind {
    Form,
    Json,
    Multipart,
}

impl BodyKind {
    pub fn from_headers(headers: &HeaderMap) -> Result<Self, AppError> {
        let encoded = headers.get(CONTENT_ENCODING).is_some_and(|encoding| encoding != "identity");
        let mut types = headers.get_all(CONTENT_TYPE);
        let content_type = types.next().and_then(|value| value.to_str().ok()).unwrap_or("");
        if types.next().is_some() {
            return Err(AppError::UnsupportedType);
        }
        let kind = content_type.parse::<mime::Mime>().map_err(|_| AppError::UnsupportedType)?;
        if encoded || kind.get_param(mime::CHARSET).is_some_and(|charset| charset != mime::UTF_8) {
            return Err(AppError::UnsupportedType);
        }
        match kind.essence_str() {
            "application/json" => Ok(Self::Json),
            "application/x-www-form-urlencoded" => Ok(Self::Form),
            "multipart/form-data" => Ok(Self::Multipart),
            _ => Err(AppError::UnsupportedType),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResponseFormat {
    Html,
    Json,
}

impl ResponseFormat {
    /// On a tie, a named type wins over a wildcard, then the type of the request body decides. Never fails: an
    /// unacceptable format is better than no response.
    pub fn negotiate(route: Option<&Route>, method: &Method, headers: &HeaderMap) -> Self {
        if route.is_some_and(|route| route.is_always_json) {
            return Self::Json;
        }
        let ranges =
            || headers.get_all(ACCEPT).filter_map(|value| value.to_str().ok()).flat_map(|value| value.split(','));
        let preference_of = |names: &[&str], wildcard: &str| preference(ranges(), names, wildcard);
        let json = preference_of(&["application/json", "application/problem+json"], "application/*");
        let html = preference_of(&["text/html"], "text/*");
        match json.partial_cmp(&html) {
            Some(std::cmp::Ordering::Greater) => Self::Json,
            Some(std::cmp::Ordering::Less) => Self::Html,
            _ if matches!(BodyKind::from_headers(headers), Ok(BodyKind::Json)) => Self::Json,
            // Links and forms send only GET and POST, so other methods come from API clients.
            _ if !matches!(*method, Method::GET | Method::HEAD | Method::POST) => Self::Json,
            _ => Self::Html,
        }
    }
}

extractor!(ResponseFormat, Self::for_request);

/// Returns the `q` value of the media types, then 1 if a type is listed by name or 0 if only a wildcard matches.
fn preference<'a>(ranges: impl Iterator<Item = &'a str>, names: &[&str], wildcard: &str) -> (f32, u8) {
    let mut best: Option<(u8, f32)> = None;
    for range in ranges {
        let mut parts = range.split(';').map(str::trim);
        let name = parts.next().unwrap_or("");
        let specific = match name {
            name if names.iter().any(|listed| name.eq_ignore_ascii_case(listed)) => 2,
            name if name.eq_ignore_ascii_case(wildcard) => 1,
            "*/*" => 0,
            _ => continue,
        };
        let q = parts.find_map(|part| part.strip_prefix("q=").or_else(|| part.strip_prefix("Q=")));
        let q = q.and_then(|q| q.trim().parse::<f32>().ok()).filter(|q| (0.0..=1.0).contains(q)).unwrap_or(1.0);
        // The most specific media range decides. If two are equally specific, the range with the higher `q` decides.
        best = Some(best.map_or((specific, q), |best| if (specific, q) > best { (specific, q) } else { best }));
    }
    best.map_or((0.0, 0), |(specific, q)| (q, u8::from(specific == 2 && q > 0.0)))
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    fn format(accept: &str, body: &str) -> ResponseFormat {
        let mut request = TestRequest::default();
        if !accept.is_empty() {
            request = request.insert_header((ACCEPT, accept));
        }
        ResponseFormat::for_request(&request.insert_header(("Content-Type", body)).to_http_request())
    }

    #[test]
    fn negotiates_the_format() {
        use ResponseFormat::{Html, Json};
        let form = "application/x-www-form-urlencoded";
        for (accept, body, expected) in [
            ("", "", Html),
            ("", "application/json", Json),
            ("*/*", "application/json", Json),
            ("*/*", form, Html),
            ("application/json", form, Json),
            ("application/problem+json", "", Json),
            ("application/*", "", Json),
            ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "application/json", Html),
            ("application/json, text/html", "", Html),
            ("application/json, text/html", "application/json", Json),
            ("application/json, text/html;q=0.9", "", Json),
            ("application/json;q=0.5, */*;q=0.8", "", Html),
            ("application/json, */*", "", Json),
            ("text/html;q=0, */*", "", Json),
            ("application/json;q=0", "", Html),
            ("image/png", "", Html),
            ("image/png", "application/json", Json),
            ("nonsense;;q=x,,", "", Html),
        ] {
            assert_eq!(format(accept, body), expected, "Accept: {accept}, body: {body}");
        }
    }
}
