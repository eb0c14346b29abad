//! Template context of all pages, and the `next` path after signing in.

use std::sync::Arc;

use actix_web::http::Method;
use actix_web::{HttpRequest, web};
use chrono::{DateTime, Utc};
use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};

use super::messages::{self, Message};
use super::rate_limit::RateLimitWarning;
use crate::i18n::{DisplayTimeZone, Locale};
use crate::site::SiteSettings;
use crate::site::policy::RegistrationPolicy;
use crate::text::encode_query_value;
use crate::web::request::context::RequestContext;
use crate::web::request::current_user::CurrentUser;
use crate::web::request::query::Query;
use crate::web::request::{extractor, locale};
use crate::web::routing::route::{FRONT_PAGE, Route};
use crate::web::routing::urls::{self, THEME};
use crate::web::state::CoreState;

#[derive(Clone, Debug, Default)]
pub struct Layout {
    pub user: Option<CurrentUser>,
    pub site: Arc<SiteSettings>,
    pub locale: Locale,
    pub now: DateTime<Utc>,
    pub link_counts: Vec<(&'static str, i64)>,
    pub message: Option<Message>,
    pub warning: Option<RateLimitWarning>,
    /// Path of the request.
    pub path: String,
    pub here: String,
    pub next: String,
}

impl Layout {
    pub fn for_request(request: &HttpRequest) -> Self {
        let state = request.app_data::<web::Data<CoreState>>();
        let message = state.and_then(|state| messages::read(request, state));
        let (user, here) = (CurrentUser::for_request(request), return_path(request));
        let now = state.map(|state| state.clock.local_micros());
        let site = state.map(|state| state.site()).unwrap_or_default();
        Self {
            locale: locale::for_request(request),
            now: now.and_then(DateTime::from_timestamp_micros).unwrap_or_default(),
            link_counts: RequestContext::from_request(request)
                .map(|context| context.link_counts.clone())
                .unwrap_or_default(),
            user,
            site,
            message,
            warning: RateLimitWarning::for_request(request),
            path: request.path().to_owned(),
            next: encode_query_value(&here),
            here,
        }
    }

    /// Time zone chosen by the user, for times formatted by scripts.
    pub fn user_time_zone(&self) -> Option<&'static str> {
        self.user.as_ref().and_then(|user| user.zone).map(DisplayTimeZone::name)
    }

    pub fn user_initial(&self) -> String {
        self.user.as_ref().map(|user| crate::text::initial(&user.username)).unwrap_or_default()
    }

    pub fn logo_path(&self) -> Option<String> {
        self.site.logo.as_ref().map(|logo| urls::site_image_path(logo, urls::LOGO))
    }

    pub fn icon_path(&self) -> Option<String> {
        self.site.icon.as_ref().map(|icon| urls::site_image_path(icon, urls::ICON))
    }

    /// Style sheet with the accent color of the site.
    pub fn theme_path(&self) -> Option<String> {
        self.site.theme.as_ref().map(|theme| urls::static_file_path(THEME, Some(&theme.hash)))
    }

    pub fn may_register(&self) -> bool {
        self.site.policy.registration == RegistrationPolicy::Open
    }

    pub fn may_publish(&self) -> bool {
        self.user.as_ref().is_some_and(|user| user.may_publish(self.site.policy))
    }

    pub fn may_write(&self) -> bool {
        self.may_publish() || self.site.policy.publishing.has_authors()
    }

    pub fn may_submit(&self) -> bool {
        self.user.as_ref().is_some_and(|user| user.may_submit(self.site.policy))
    }
}

extractor!(Layout, Self::for_request);

/// Path to return to after sign-in: the current page, or the path in `next` on the sign-in and registration pages.
fn return_path(request: &HttpRequest) -> String {
    let here = || request.uri().path_and_query().map_or(FRONT_PAGE, |path| path.as_str()).to_owned();
    match Route::for_request(request) {
        Some(address) if address.follows_next => next_path(&Query::for_request(request)),
        Some(address) if address.has_secret_query => FRONT_PAGE.to_owned(),
        Some(address) if address.methods.contains(&Method::GET) => here(),
        _ if matches!(*request.method(), Method::GET | Method::HEAD) => here(),
        _ => FRONT_PAGE.to_owned(),
    }
}

pub fn next_path(query: &Query) -> String {
    local_path(query.get_undocumented("next").ok().flatten().as_deref())
}

/// Returns `next` if it is on this site, otherwise the front page.
pub fn local_path(next: Option<&str>) -> String {
    const LOCATION: &AsciiSet = &CONTROLS.add(b' ').add(b'"').add(b'<').add(b'>');
    let next = next.filter(|next| is_local_path(next));
    utf8_percent_encode(next.unwrap_or(FRONT_PAGE), LOCATION).to_string()
}

/// Prevents open redirects: `next` must begin with a single `/` and contain nothing that a browser could interpret as a
/// host. Browsers treat a backslash as `/` and skip control characters, and proxies decode percent-encoding.
fn is_local_path(next: &str) -> bool {
    let Ok(decoded) = percent_decode_str(next).decode_utf8() else { return false };
    let harmless = |path: &str| {
        path.starts_with('/') && !path.starts_with("//") && !path.contains('\\') && !path.chars().any(char::is_control)
    };
    harmless(next) && harmless(&decoded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejects_open_redirects() {
        for next in ["/", "/blogs/42/?stars=4", "/users/%D8%A7/", "/users/اردشیر/", "/blogs/?cursor=a_b-c"] {
            assert!(is_local_path(next), "{next}");
        }
        for next in [
            "",
            "//e",
            "/\\e",
            "\\\\e",
            "/%5ce",
            "/%5Ce",
            "/%09/e",
            "/\t/e",
            "https:e",
            "https://e",
            "javascript:alert(1)",
            "http:///e",
            "//a@e",
            "/%2fe",
            "/a\r\nSet-Cookie: b",
            "/%0d%0aX: y",
            "blogs/",
            "/%ff",
        ] {
            assert!(!is_local_path(next), "{next:?}");
        }
    }
}
