//! Language and time zone of a request.

use actix_web::HttpRequest;
use actix_web::http::header::{ACCEPT_LANGUAGE, COOKIE};

use super::context::RequestContext;
use crate::i18n::{Language, Locale};
use crate::web::request::cookies::{CookieName, find_cookie};
use crate::web::settings::Settings;

/// The language comes from the account, the cookie, `Accept-Language` or the site, in this order.
pub fn for_request(request: &HttpRequest) -> Locale {
    let Some(context) = RequestContext::from_request(request) else {
        return locale_without_user(request, requested_language(request));
    };
    let (user, without_user) = (context.user.as_ref(), locale_without_user(request, context.language));
    Locale {
        language: user.and_then(|user| user.language).unwrap_or(without_user.language),
        zone: user.and_then(|user| user.zone).unwrap_or(without_user.zone),
    }
}

pub fn locale_without_user(request: &HttpRequest, language: Option<Language>) -> Locale {
    let site = Settings::for_request(request).map(|settings| settings.site.current());
    let site = site.map(|site| Locale { language: site.language, zone: site.zone }).unwrap_or_default();
    Locale { language: language.unwrap_or(site.language), ..site }
}

pub fn requested_language(request: &HttpRequest) -> Option<Language> {
    let chosen = find_cookie(request, language_cookie_name(request)).and_then(|cookie| cookie.value().parse().ok());
    chosen.or_else(|| accepted_language(request))
}

fn language_cookie_name(request: &HttpRequest) -> &'static str {
    CookieName::Language.name(Settings::for_request(request).is_some_and(|settings| settings.production))
}

fn accepted_language(request: &HttpRequest) -> Option<Language> {
    let headers = request.headers().get_all(ACCEPT_LANGUAGE).filter_map(|value| value.to_str().ok());
    let mut ranges: Vec<(&str, f32)> = headers.flat_map(|value| value.split(',')).filter_map(range).collect();
    // The stable sort keeps the header's order for equal `q` values.
    ranges.sort_by(|a, b| b.1.total_cmp(&a.1));
    Language::best_match(ranges.into_iter().map(|(tag, _)| tag))
}

fn range(part: &str) -> Option<(&str, f32)> {
    let mut parts = part.split(';').map(str::trim);
    let tag = parts.next()?;
    let q = parts.find_map(|part| part.strip_prefix("q=").or_else(|| part.strip_prefix("Q=")));
    let q = q.map_or(Some(1.0), |q| q.parse::<f32>().ok().filter(|q| (0.0..=1.0).contains(q)))?;
    (q > 0.0).then_some((tag, q))
}

/// True if the request has no cookie other than the language cookie, so that the response depends on no session.
pub fn has_only_language_cookie(request: &HttpRequest) -> bool {
    if !request.headers().contains_key(COOKIE) {
        return true;
    }
    let name = language_cookie_name(request);
    request.cookies().is_ok_and(|cookies| cookies.iter().all(|cookie| cookie.name() == name))
}

extractor!(Locale, for_request);

#[cfg(test)]
mod tests {
    use actix_web::cookie::Cookie;
    use actix_web::test::TestRequest;

    use super::*;

    #[test]
    fn uses_the_requested_language_without_a_user() {
        let cookie = Cookie::new(CookieName::Language.name(false), "fa");
        let request = TestRequest::default().cookie(cookie).to_http_request();
        assert_eq!(for_request(&request).language.tag(), "fa");
    }

    #[test]
    fn negotiates_the_language() {
        for (accept, cookie, expected) in [
            ("", "", None),
            ("fa", "", Some("fa")),
            ("en-US,en;q=0.9,fa;q=0.8", "", Some("en")),
            ("fr, de;q=0.5, fa;q=0.7", "", Some("fa")),
            ("de-AT;q=0.5, xx", "", Some("de")),
            ("fa;q=0, *;q=0.1", "", None),
            ("fa;q=2, nonsense;;,,", "", None),
            ("de", "fa", Some("fa")),
            ("de", "tlh", Some("de")),
        ] {
            let mut request = TestRequest::default();
            if !accept.is_empty() {
                request = request.insert_header((ACCEPT_LANGUAGE, accept));
            }
            if !cookie.is_empty() {
                request = request.cookie(Cookie::new(CookieName::Language.name(false), cookie));
            }
            assert_eq!(
                requested_language(&request.to_http_request()).map(Language::tag),
                expected,
                "{accept} {cookie}"
            );
        }
    }
}
