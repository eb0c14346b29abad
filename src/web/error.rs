//! Every error that a client can get, with its status, code and words.
//!
//! An [`AppError`] says what happened. [`AppError::words`] is the table of what clients are told.
//! [`crate::web::middleware::finish`] alone decides how that is shown: as a page, or as `application/problem+json` (RFC 9457).

use std::any::Any;
use std::borrow::Cow;

use actix_web::http::StatusCode;
use actix_web::{HttpResponse, ResponseError};
use indexmap::IndexMap;
use serde::Serialize;

use super::request::role::{Block, Role};
use super::response::text::duration;
use crate::db::chain;
use crate::db::lookup::LookupError;
use crate::i18n::{Locale, Phrase, Value};
use crate::phrase;

/// What is wrong with each field, in words for the person who filled it in, in the form's own order.
pub type FieldErrors = IndexMap<String, Vec<Phrase>>;

/// Error of an app, with everything that a client is told of it.
pub trait AppProblem: std::error::Error + Any + Send + Sync {
    fn words(&self) -> ErrorText;

    /// Value of `Retry-After` in seconds.
    fn retry_after(&self) -> Option<i64> {
        None
    }

    /// Member `unpause_url` of the problem+json body.
    fn unpause_url(&self) -> Option<&str> {
        None
    }

    /// What to do next: HTML for the error page.
    fn help(&self) -> Option<Phrase> {
        None
    }
}

impl<E: AppProblem> From<E> for AppError {
    fn from(error: E) -> Self {
        Self::App(Box::new(error))
    }
}

#[derive(Debug, thiserror::Error)]
pub enum AppError {
    /// 400 `invalid`: fields that are missing, unknown or not allowed.
    #[error("invalid input")]
    Invalid(FieldErrors),
    /// 400 `malformed`: a body, cursor or query that cannot be read, and the message that says why.
    #[error("malformed: {0}")]
    Malformed(&'static str),
    /// 400 `bad_host`: the Host header is missing or not in `ALLOWED_HOSTS`.
    #[error("host not allowed")]
    BadHost,
    /// 401 `not_signed_in`. A browser is sent to sign in and then on to `next`.
    #[error("not signed in")]
    NotSignedIn { next: Option<String> },
    /// 403 `forbidden`: somebody else's post.
    #[error("forbidden")]
    Forbidden,
    /// 403 `staff_only`: what moderators decide.
    #[error("for moderators only")]
    StaffOnly,
    /// 403 `role_needed`: staff whose role is too low.
    #[error("role needed: {role:?}")]
    RoleNeeded { role: Role },
    /// 403 `blocked`: somebody who may only read.
    #[error("blocked")]
    Blocked(Block),
    /// 403 `cross_site`: a browser sent this from another site's page.
    #[error("cross-site request")]
    CrossSite,
    /// 404 `not_found`.
    #[error("not found")]
    NotFound,
    /// 405 `method_not_allowed`, with the methods that are.
    #[error("method not allowed")]
    MethodNotAllowed {
        allow: String,
        /// Whether the request was GET or HEAD, as of somebody who follows a link.
        is_read: bool,
    },
    /// 408 `timeout`: the body did not arrive in time.
    #[error("timeout")]
    Timeout,
    /// 409 `conflict`: somebody else has saved in between.
    #[error("conflict")]
    Conflict,
    /// 413 `too_large`: the body has more than `limit` bytes.
    #[error("body too large")]
    TooLarge { limit: usize },
    /// 415 `unsupported_type`: a body that is neither a form nor JSON, or is encoded.
    #[error("unsupported media type")]
    UnsupportedType,
    /// 429 `class_limited`: the client's requests of one class come too fast. With `close`, the client went on all the
    /// same: it is signed out and its connection is closed.
    #[error("class limited")]
    ClassLimited { class: &'static str, retry_after_s: i64, close: bool },
    /// 503 `one_at_a_time`: another file of theirs is still on its way.
    #[error("one file at a time")]
    OneAtATime,
    /// 500 `internal`: a defect of ours.
    #[error("internal error: {0}")]
    Internal(String),
    /// 503 `busy`: more requests are waiting than can be served soon.
    #[error("busy")]
    Busy,
    /// 503 `starting`: the site has just been started, and what it is waiting for.
    #[error("starting: {0}")]
    Starting(Phrase),
    /// 503 `unavailable`: the database cannot be reached, or does not answer in time.
    #[error("unavailable")]
    Unavailable(#[source] Option<anyhow::Error>),
    /// An error of an app.
    #[error("{0}")]
    App(Box<dyn AppProblem>),
}

/// Why a link from here is of no use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkProblem {
    /// 400 `link_invalid`: not one of ours, or changed on its way.
    Invalid,
    /// 410 `link_expired`: the link is too old.
    Expired,
    /// 410 `link_used`: what it was for is over.
    Used,
    /// 403 `link_of_another`: somebody else is signed in.
    OfAnother,
}

/// What clients are told of an error.
#[derive(Clone, Debug)]
pub struct ErrorText {
    pub status: StatusCode,
    /// The stable word that programs tell errors apart by.
    pub code: &'static str,
    /// A few words that say what kind of error this is.
    pub title: Phrase,
    /// What happened and what to do about it, for a person.
    pub detail: Phrase,
}

pub const HOUR_S: i64 = 3_600;
pub const DAY_S: i64 = 24 * HOUR_S;

/// Value of `Retry-After` for a delay in milliseconds: whole seconds, rounded up, from 1 to `max`.
#[must_use]
pub fn seconds(delay_ms: i64, max: i64) -> i64 {
    (delay_ms.saturating_add(999) / 1000).clamp(1, max)
}

/// Status, code and texts of an error. The title is a message with an attribute `detail`.
#[must_use]
pub fn error_text(status: u16, code: &'static str, title: Phrase) -> ErrorText {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    ErrorText { status, code, detail: title.attribute("detail"), title }
}

impl AppError {
    /// The error of an app, if it is one of that type.
    #[must_use]
    pub fn app<E: AppProblem>(&self) -> Option<&E> {
        let Self::App(problem) = self else { return None };
        let any: &dyn Any = &**problem;
        any.downcast_ref()
    }

    /// HTML for the error page that says what to do next.
    #[must_use]
    pub fn help(&self) -> Option<Phrase> {
        if let Self::App(problem) = self { problem.help() } else { None }
    }

    /// A single field's error.
    #[must_use]
    pub fn field(name: &str, message: Phrase) -> Self {
        Self::Invalid(FieldErrors::from([(name.to_owned(), vec![message])]))
    }

    /// What clients are told of each error.
    #[must_use]
    #[expect(clippy::too_many_lines, reason = "a table is read row by row")]
    pub fn words(&self) -> ErrorText {
        match self {
            Self::Invalid(errors) => error_text(400, "invalid", phrase!("error-invalid", count = errors.len())),
            Self::Malformed(reason) => {
                ErrorText { detail: phrase!(*reason), ..error_text(400, "malformed", phrase!("error-malformed")) }
            }
            Self::BadHost => error_text(400, "bad_host", phrase!("error-bad-host")),
            Self::NotSignedIn { .. } => error_text(401, "not_signed_in", phrase!("error-not-signed-in")),
            Self::Forbidden => error_text(403, "forbidden", phrase!("error-forbidden")),
            Self::StaffOnly => error_text(403, "staff_only", phrase!("error-staff-only")),
            Self::CrossSite => error_text(403, "cross_site", phrase!("error-cross-site")),
            Self::NotFound => error_text(404, "not_found", phrase!("error-not-found")),
            Self::MethodNotAllowed { allow, is_read: true } => {
                error_text(405, "method_not_allowed", phrase!("error-method-not-allowed", allow = allow.as_str()))
            }
            Self::MethodNotAllowed { allow, .. } => {
                error_text(405, "method_not_allowed", phrase!("error-method-not-accepted", allow = allow.as_str()))
            }
            Self::Timeout => error_text(408, "timeout", phrase!("error-timeout")),
            Self::Conflict => error_text(409, "conflict", phrase!("error-conflict")),
            Self::TooLarge { limit } => error_text(413, "too_large", phrase!("error-too-large", limit = *limit)),
            Self::UnsupportedType => error_text(415, "unsupported_type", phrase!("error-unsupported-type")),
            Self::ClassLimited { close, .. } => {
                error_text(429, "class_limited", phrase!("error-class-limited", wait = self.wait(), closed = *close))
            }
            Self::RoleNeeded { role } => {
                error_text(403, "role_needed", phrase!("error-role-needed", role = Value::Choice(role.name().into())))
            }
            Self::Blocked(Block { reason, until: None }) => {
                error_text(403, "blocked", phrase!("error-blocked", reason = reason.as_str()))
            }
            Self::Blocked(Block { reason, until: Some(until) }) => error_text(
                403,
                "blocked",
                phrase!("error-blocked-until", reason = reason.as_str(), time = Value::Minute(*until)),
            ),
            Self::OneAtATime => error_text(503, "one_at_a_time", phrase!("error-one-at-a-time")),
            Self::Internal(_) => error_text(500, "internal", phrase!("error-internal")),
            Self::Busy => error_text(503, "busy", phrase!("error-busy")),
            Self::Starting(doing) => error_text(503, "starting", phrase!("error-starting", doing = doing.clone())),
            Self::Unavailable(_) => error_text(503, "unavailable", phrase!("error-unavailable")),
            Self::App(problem) => problem.words(),
        }
    }

    /// The value of `Retry-After` in seconds: from 1 to an hour for ratings, from 1 to a day otherwise. `None` for errors
    /// that get no such header.
    #[must_use]
    pub fn retry_after(&self) -> Option<i64> {
        match self {
            Self::App(problem) => problem.retry_after(),
            Self::ClassLimited { retry_after_s, .. } => Some((*retry_after_s).clamp(1, DAY_S)),
            Self::Busy | Self::OneAtATime | Self::Timeout => Some(1),
            Self::Starting(_) => Some(2),
            Self::Unavailable(_) => Some(5),
            _ => None,
        }
    }

    fn wait(&self) -> Phrase {
        duration(self.retry_after().unwrap_or(1))
    }

    /// Our error for an error of another library, by its status.
    #[must_use]
    pub fn from_foreign(error: &actix_web::Error) -> Self {
        match error.as_response_error().status_code() {
            StatusCode::NOT_FOUND => Self::NotFound,
            status if status.is_client_error() => Self::Malformed("malformed-request"),
            // Our own code answers with `AppError`. What is left comes from the session store when it has no database.
            _ => {
                // Only its debug form tells the cause; on one line, and without the backtrace that may follow.
                let text = format!("{error:?}");
                let cause = text.split("Stack backtrace:").next().unwrap_or_default();
                Self::Unavailable(Some(anyhow::anyhow!(cause.split_whitespace().collect::<Vec<_>>().join(" "))))
            }
        }
    }

    /// Logs the cause of an error that clients are not told. To be called once for each error.
    pub fn log(&self) {
        match self {
            Self::Unavailable(Some(cause)) => tracing::error!(error = chain(cause), "service unavailable"),
            Self::Internal(cause) => tracing::error!(error = cause, "internal error"),
            _ => (),
        }
    }

    /// The body of a problem+json answer, in words for whoever reads it.
    #[must_use]
    pub fn problem(&self, locale: Locale) -> Problem<'_> {
        let told = |(name, messages): (&'_ String, &Vec<Phrase>)| {
            (name.clone(), messages.iter().map(|message| message.text(locale)).collect())
        };
        let errors = if let Self::Invalid(errors) = self { Some(errors.iter().map(told).collect()) } else { None };
        let class = if let Self::ClassLimited { class, .. } = self { Some(*class) } else { None };
        let unpause_url = if let Self::App(problem) = self { problem.unpause_url() } else { None };
        let ErrorText { status, code, title, detail } = self.words();
        Problem {
            kind: "about:blank",
            title: title.text(locale),
            status: status.as_u16(),
            detail: detail.text(locale),
            code,
            class,
            unpause_url,
            errors,
        }
    }
}

/// A problem as in RFC 9457, with members of ours: `code`, `class`, `unpause_url` and `errors`.
#[derive(Debug, Serialize)]
pub struct Problem<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    title: Cow<'static, str>,
    status: u16,
    detail: Cow<'static, str>,
    code: &'static str,
    /// The class that is limited.
    #[serde(skip_serializing_if = "Option::is_none")]
    class: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unpause_url: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    errors: Option<IndexMap<String, Vec<Cow<'static, str>>>>,
}

impl ResponseError for AppError {
    fn status_code(&self) -> StatusCode {
        self.words().status
    }

    /// Only the status: `finish` writes the body.
    fn error_response(&self) -> HttpResponse {
        HttpResponse::new(self.status_code())
    }
}

impl From<LookupError> for AppError {
    fn from(error: LookupError) -> Self {
        match error {
            LookupError::Busy => Self::Busy,
            error => Self::Unavailable(Some(error.into())),
        }
    }
}

impl From<sqlx::Error> for AppError {
    fn from(error: sqlx::Error) -> Self {
        Self::Unavailable(Some(error.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_are_rounded_up_and_limited() {
        let delays = [0, 1, 1000, 1001, i64::MAX].map(|ms| seconds(ms, HOUR_S));
        assert_eq!(delays, [1, 1, 1, 2, 3_600]);
    }
}
