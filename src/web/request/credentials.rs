//! Credentials of a request: the header `Authorization: Bearer` (RFC 6750), or the session cookie.

use actix_web::http::header::{AUTHORIZATION, HeaderMap};
use actix_web::{HttpRequest, web};

use crate::web::error::AppError;
use crate::web::request::cookies::{CookieName, find_cookie};
use crate::web::state::CoreState;

/// Headers with other schemes are ignored, because they are meant for proxies in front of the site.
pub fn bearer_credentials(headers: &HeaderMap) -> Result<Option<&str>, AppError> {
    let mut tokens = headers.get_all(AUTHORIZATION).filter_map(|value| {
        let text = value.to_str().ok()?;
        let (scheme, credentials) = text.split_once(' ').unwrap_or((text, ""));
        scheme.eq_ignore_ascii_case("Bearer").then(|| credentials.trim())
    });
    let first = tokens.next();
    if tokens.next().is_some() { Err(AppError::InvalidToken) } else { Ok(first) }
}

/// Only scripts can send `Authorization: Bearer`, so that a forged cross-site request cannot contain the header.
pub fn has_bearer_credentials(headers: &HeaderMap) -> bool {
    !matches!(bearer_credentials(headers), Ok(None))
}

/// True for a session cookie or an API token, whether valid or not.
pub fn has_credentials(request: &HttpRequest) -> bool {
    has_session_cookie(request) || has_bearer_credentials(request.headers())
}

pub fn has_session_cookie(request: &HttpRequest) -> bool {
    let production = request.app_data::<web::Data<CoreState>>().is_some_and(|state| state.settings.production);
    find_cookie(request, CookieName::Session.name(production)).is_some()
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::HeaderValue;

    use super::*;

    #[test]
    fn only_one_bearer_header_counts() {
        let headers = |values: &[&'static str]| {
            let values = values.iter().map(|value| (AUTHORIZATION, HeaderValue::from_static(value)));
            values.fold(HeaderMap::new(), |mut headers, (name, value)| {
                headers.append(name, value);
                headers
            })
        };
        let credentials =
            |values: &[&'static str]| bearer_credentials(&headers(values)).map(|text| text.map(str::to_owned));
        assert_eq!(credentials(&["bearer  x "]).unwrap().as_deref(), Some("x"));
        assert_eq!(credentials(&["Basic eDp5", "Bearer x"]).unwrap().as_deref(), Some("x"));
        assert!(credentials(&[]).unwrap().is_none() && credentials(&["Basic eDp5"]).unwrap().is_none());
        assert!(credentials(&["Bearer x", "Bearer y"]).is_err());
        assert!(
            has_bearer_credentials(&headers(&["Bearer x", "Bearer y"]))
                && has_bearer_credentials(&headers(&["Bearer"]))
        );
    }
}
