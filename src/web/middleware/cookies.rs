//! Names and attributes of cookies, and the normalization of those of a request before they are read.

use std::borrow::Cow;

use actix_web::cookie::{Cookie, SameSite};
use actix_web::http::header::{COOKIE, HeaderMap, HeaderValue};

use crate::signing::Keys;

/// Cookies of the site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CookieName {
    Session,
    /// One-time message for the next page.
    Message,
    /// Language that an anonymous user has chosen.
    Language,
}

impl CookieName {
    /// Name of the cookie. In production the prefix `__Host-` keeps other hosts from setting it; without TLS browsers
    /// would reject the prefix.
    #[must_use]
    pub fn name(self, production: bool) -> &'static str {
        match (self, production) {
            (Self::Session, true) => "__Host-session",
            (Self::Session, false) => "session",
            (Self::Message, true) => "__Host-message",
            (Self::Message, false) => "message",
            (Self::Language, true) => "__Host-language",
            (Self::Language, false) => "language",
        }
    }

    /// Cookie of the site, which scripts cannot read and requests of other sites do not send.
    #[must_use]
    pub fn cookie<'a>(self, production: bool, value: impl Into<Cow<'a, str>>) -> Cookie<'a> {
        let cookie = Cookie::build(self.name(production), value).path("/").secure(production);
        cookie.http_only(true).same_site(SameSite::Lax).finish()
    }
}

/// Drops cookies that are not UTF-8. Cookies are read all or none, so one that is not ours could hide our own.
pub fn drop_unreadable(headers: &mut HeaderMap) {
    let is_text = |value: &HeaderValue| std::str::from_utf8(value.as_bytes()).is_ok();
    if headers.get_all(COOKIE).all(is_text) {
        return;
    }
    rewrite(headers, |part| std::str::from_utf8(part).ok().map(str::to_owned));
}

/// Signs sessions again that were signed with a previous key.
pub fn sign_anew(headers: &mut HeaderMap, keys: &Keys, session_name: &str) {
    rewrite(headers, |part| {
        let text = std::str::from_utf8(part).ok()?;
        let cookie = Cookie::parse_encoded(text.trim().to_owned()).ok().filter(|cookie| cookie.name() == session_name);
        let value = cookie.and_then(|cookie| keys.signed_anew(&cookie));
        Some(value.map_or_else(|| text.to_owned(), |value| Cookie::new(session_name, value).encoded().to_string()))
    });
}

/// Replaces each cookie by the result of `each`, and drops those without one.
fn rewrite(headers: &mut HeaderMap, each: impl Fn(&[u8]) -> Option<String>) {
    let made = |value: &HeaderValue| {
        let parts = value.as_bytes().split(|byte| *byte == b';').filter_map(&each);
        HeaderValue::from_bytes(parts.collect::<Vec<_>>().join(";").as_bytes()).ok()
    };
    let kept: Vec<HeaderValue> = headers.get_all(COOKIE).filter_map(made).collect();
    headers.remove(COOKIE);
    for value in kept {
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
    fn a_cookie_that_is_no_text_does_not_hide_the_others() {
        let mut headers = HeaderMap::new();
        headers.append(COOKIE, HeaderValue::from_bytes(b"a=\xff; session=good").unwrap());
        headers.append(COOKIE, HeaderValue::from_bytes(b"b=\xfe").unwrap());
        headers.append(COOKIE, HeaderValue::from_bytes("c=ü".as_bytes()).unwrap());
        drop_unreadable(&mut headers);
        assert_eq!(values(&headers), [b" session=good".as_slice(), b"", "c=ü".as_bytes()]);
    }

    #[test]
    fn other_cookies_stay_as_they_are_where_sessions_are_signed_anew() {
        let key = |text: &str| SecretKey::from_text(text).unwrap();
        let keys = Keys::derive(&key("another secret key, of 32 letters"));
        let keys = keys.with_fallbacks(&[key("0123456789abcdef0123456789abcdef")]);
        let cookies = "a=1; session=forged; b=%41; session; =;c=ü";
        let mut headers = HeaderMap::new();
        headers.append(COOKIE, HeaderValue::from_bytes(cookies.as_bytes()).unwrap());
        sign_anew(&mut headers, &keys, "session");
        assert_eq!(values(&headers), [cookies.as_bytes()]);
    }
}
