//! Normalization of the `Cookie` headers of a request.

use actix_web::cookie::Cookie;
use actix_web::http::header::{COOKIE, HeaderMap, HeaderValue};

use crate::signing::Keys;

/// actix-web parses all cookies or none, so a non-UTF-8 cookie of another app would make the site's cookies unreadable.
pub fn drop_non_utf8(headers: &mut HeaderMap) {
    let is_text = |value: &HeaderValue| std::str::from_utf8(value.as_bytes()).is_ok();
    if headers.get_all(COOKIE).all(is_text) {
        return;
    }
    map_cookies(headers, |part| std::str::from_utf8(part).ok().map(str::to_owned));
}

/// Re-signs session cookies that were signed with a previous key.
pub fn renew_signatures(headers: &mut HeaderMap, keys: &Keys, session_name: &str) {
    map_cookies(headers, |part| {
        let text = std::str::from_utf8(part).ok()?;
        let cookie = Cookie::parse_encoded(text.trim().to_owned()).ok().filter(|cookie| cookie.name() == session_name);
        let value = cookie.and_then(|cookie| keys.renew_cookie_signature(&cookie));
        Some(value.map_or_else(|| text.to_owned(), |value| Cookie::new(session_name, value).encoded().to_string()))
    });
}

fn map_cookies(headers: &mut HeaderMap, each: impl Fn(&[u8]) -> Option<String>) {
    let map_value = |value: &HeaderValue| {
        let parts = value.as_bytes().split(|byte| *byte == b';').filter_map(&each);
        HeaderValue::from_bytes(parts.collect::<Vec<_>>().join(";").as_bytes()).ok()
    };
    let valid: Vec<HeaderValue> = headers.get_all(COOKIE).filter_map(map_value).collect();
    headers.remove(COOKIE);
    for value in valid {
        headers.append(COOKIE, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signing::SecretKey;

    fn values(headers: &HeaderMap) -> Vec<&[u8]> {
        headers.get_all(COOKIE).map(HeaderValue::as_bytes).collect()
    }

    #[test]
    fn drops_only_cookies_that_are_not_utf8() {
        let mut headers = HeaderMap::new();
        headers.append(COOKIE, HeaderValue::from_bytes(b"a=\xff; session=good").unwrap());
        headers.append(COOKIE, HeaderValue::from_bytes(b"b=\xfe").unwrap());
        headers.append(COOKIE, HeaderValue::from_bytes("c=ü".as_bytes()).unwrap());
        drop_non_utf8(&mut headers);
        assert_eq!(values(&headers), [b" session=good".as_slice(), b"", "c=ü".as_bytes()]);
    }

    #[test]
    fn renews_only_session_signatures() {
        let key = |text: &str| SecretKey::from_text(text).unwrap();
        let keys = Keys::derive(&key("another secret key, of 32 letters"));
        let keys = keys.with_fallbacks(&[key("0123456789abcdef0123456789abcdef")]);
        let cookies = "a=1; session=forged; b=%41; session; =;c=ü";
        let mut headers = HeaderMap::new();
        headers.append(COOKIE, HeaderValue::from_bytes(cookies.as_bytes()).unwrap());
        renew_signatures(&mut headers, &keys, "session");
        assert_eq!(values(&headers), [cookies.as_bytes()]);
    }
}
