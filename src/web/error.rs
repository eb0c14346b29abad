//! Error type of the site, which is rendered as HTML or as `application/problem+json` (RFC 9457).

use std::any::Any;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::time::Duration;

use actix_web::http::StatusCode;
use actix_web::{HttpResponse, ResponseError};
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Serialize;
use tokio::task::JoinError;

use crate::access::{ApiScope, Role, UserBlock};
use crate::db::batched_lookup::LookupError;
use crate::db::describe_error_chain;
use crate::i18n::{Locale, Phrase, PhraseValue, format_duration};
use crate::permits::Busy;
use crate::phrase;

/// Validation messages by field name, in the order of the form's fields.
pub type FieldErrors = IndexMap<String, Vec<Phrase>>;

/// Error defined by a feature module such as `rate` or `users`, with its response to the client.
pub trait FeatureError: std::error::Error + Any + Send + Sync {
    fn error_text(&self) -> ErrorText;

    fn retry_after(&self) -> Option<i64> {
        None
    }

    /// Name and value of an additional member of the problem details (RFC 9457).
    fn extension(&self) -> Option<(&'static str, &str)> {
        None
    }

    /// HTML text for the error page that suggests what the user can do next.
    fn help(&self) -> Option<Phrase> {
        None
    }
}

impl<E: FeatureError> From<E> for AppError {
    fn from(error: E) -> Self {
        Self::Feature(Box::new(error))
    }
}

#[derive(Debug, thiserror::Error)]
pub enum AppError {
    #[error("the request has missing, unknown or invalid fields")]
    Invalid(FieldErrors),
    /// Contains the Fluent key of the reason.
    #[error("the request cannot be parsed: {0}")]
    Malformed(&'static str),
    #[error("the Host header is missing or not in ALLOWED_HOSTS")]
    BadHost,
    /// Browsers are redirected to the sign-in page, and to `next` after signing in.
    #[error("the request requires a signed-in user")]
    NotSignedIn { next: Option<String> },
    #[error("the API token is invalid")]
    InvalidToken,
    #[error("the request has a session cookie and an API token")]
    TwoCredentials,
    #[error("the request requires the scope {scope:?}")]
    ScopeNeeded { scope: ApiScope },
    #[error("the request requires a session")]
    SessionNeeded,
    #[error("the post belongs to another user")]
    Forbidden,
    #[error("the action requires a moderator")]
    StaffOnly,
    #[error("the action requires the role {role:?}")]
    RoleNeeded { role: Role },
    #[error("the user is blocked")]
    Blocked(UserBlock),
    #[error("the request was sent by a page of another site")]
    CrossSite,
    /// Also returned for objects that are hidden from the user.
    #[error("not found")]
    NotFound,
    #[error("method not allowed; supported methods: {allow}")]
    MethodNotAllowed {
        allow: String,
        /// `true` for GET and HEAD. Selects the error text for a user who opened the URL in a browser.
        is_safe_method: bool,
    },
    #[error("the request body did not arrive in time")]
    Timeout,
    #[error("another request has changed the data in the meantime")]
    Conflict,
    #[error("the object does not have the version in the header If-Match")]
    PreconditionFailed,
    #[error("the request body has more than {limit} bytes")]
    TooLarge { limit: usize },
    #[error("the request body is neither a form nor JSON, or has a Content-Encoding")]
    UnsupportedType,
    /// `close` is set if the client kept sending requests, and then signs out the client and closes the connection.
    #[error("rate limit of the request class {class} exceeded; retry after {retry_after_s} s")]
    RateLimited { class: &'static str, retry_after_s: i64, close: bool },
    #[error("internal error: {0}")]
    Internal(String),
    #[error("too many requests are waiting")]
    Busy,
    /// Contains the current start-up step.
    #[error("the site is starting: {0}")]
    Starting(Phrase),
    /// The database cannot be reached or does not respond in time.
    #[error("service unavailable")]
    Unavailable(#[source] Option<anyhow::Error>),
    #[error("{0}")]
    Feature(Box<dyn FeatureError>),
}

/// Reason for rejecting an invitation, confirmation or unpause link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkProblem {
    Invalid,
    Expired,
    /// The link was already used or no longer applies.
    Used,
    WrongUser,
}

#[derive(Clone, Debug)]
pub struct ErrorText {
    pub status: StatusCode,
    /// Stable error code for API clients.
    pub code: &'static str,
    pub title: Phrase,
    pub detail: Phrase,
}

pub const SECONDS_PER_HOUR: i64 = 3_600;
pub const SECONDS_PER_DAY: i64 = 24 * SECONDS_PER_HOUR;

/// Value of `Retry-After` for a delay: whole seconds, rounded up, from 1 to `max`.
pub fn retry_after_seconds(delay: Duration, max: i64) -> i64 {
    let seconds = i64::try_from(delay.as_secs()).unwrap_or(i64::MAX);
    seconds.saturating_add((delay.subsec_nanos() > 0).into()).clamp(1, max)
}

/// `title` is a Fluent message with an attribute `detail`.
pub fn error_text(status: u16, code: &'static str, title: Phrase) -> ErrorText {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    ErrorText { status, code, detail: title.attribute("detail"), title }
}

impl AppError {
    pub fn downcast_ref<E: FeatureError>(&self) -> Option<&E> {
        let Self::Feature(problem) = self else { return None };
        let any: &dyn Any = &**problem;
        any.downcast_ref()
    }

    pub fn help(&self) -> Option<Phrase> {
        if let Self::Feature(problem) = self { problem.help() } else { None }
    }

    pub fn invalid_field(name: &str, message: Phrase) -> Self {
        Self::Invalid(FieldErrors::from([(name.to_owned(), vec![message])]))
    }

    #[expect(clippy::too_many_lines, reason = "a table is read row by row")]
    pub fn error_text(&self) -> ErrorText {
        match self {
            Self::Invalid(errors) => error_text(400, "invalid", phrase!("error-invalid", count = errors.len())),
            Self::Malformed(reason) => {
                ErrorText { detail: phrase!(*reason), ..error_text(400, "malformed", phrase!("error-malformed")) }
            }
            Self::BadHost => error_text(400, "bad_host", phrase!("error-bad-host")),
            Self::NotSignedIn { .. } => error_text(401, "not_signed_in", phrase!("error-not-signed-in")),
            Self::InvalidToken => error_text(401, "invalid_token", phrase!("error-invalid-token")),
            Self::TwoCredentials => error_text(400, "two_credentials", phrase!("error-two-credentials")),
            Self::ScopeNeeded { scope } => {
                error_text(403, "scope_needed", phrase!("error-scope-needed", scope = scope.name()))
            }
            Self::SessionNeeded => error_text(403, "session_needed", phrase!("error-session-needed")),
            Self::Forbidden => error_text(403, "forbidden", phrase!("error-forbidden")),
            Self::StaffOnly => error_text(403, "staff_only", phrase!("error-staff-only")),
            Self::CrossSite => error_text(403, "cross_site", phrase!("error-cross-site")),
            Self::NotFound => error_text(404, "not_found", phrase!("error-not-found")),
            Self::MethodNotAllowed { allow, is_safe_method: true } => {
                error_text(405, "method_not_allowed", phrase!("error-method-not-allowed", allow = allow.as_str()))
            }
            Self::MethodNotAllowed { allow, .. } => {
                error_text(405, "method_not_allowed", phrase!("error-method-not-accepted", allow = allow.as_str()))
            }
            Self::Timeout => error_text(408, "timeout", phrase!("error-timeout")),
            Self::Conflict => error_text(409, "conflict", phrase!("error-conflict")),
            Self::PreconditionFailed => error_text(412, "precondition_failed", phrase!("error-precondition-failed")),
            Self::TooLarge { limit } => error_text(413, "too_large", phrase!("error-too-large", limit = *limit)),
            Self::UnsupportedType => error_text(415, "unsupported_type", phrase!("error-unsupported-type")),
            Self::RateLimited { close, .. } => {
                error_text(429, "class_limited", phrase!("error-class-limited", wait = self.wait(), closed = *close))
            }
            Self::RoleNeeded { role } => error_text(
                403,
                "role_needed",
                phrase!("error-role-needed", role = PhraseValue::Choice(role.name().into())),
            ),
            Self::Blocked(UserBlock { reason, until: None }) => {
                error_text(403, "blocked", phrase!("error-blocked", reason = reason.as_str()))
            }
            Self::Blocked(UserBlock { reason, until: Some(until) }) => error_text(
                403,
                "blocked",
                phrase!("error-blocked-until", reason = reason.as_str(), time = PhraseValue::Minute(*until)),
            ),
            Self::Internal(_) => error_text(500, "internal", phrase!("error-internal")),
            Self::Busy => error_text(503, "busy", phrase!("error-busy")),
            Self::Starting(doing) => error_text(503, "starting", phrase!("error-starting", doing = doing.clone())),
            Self::Unavailable(_) => error_text(503, "unavailable", phrase!("error-unavailable")),
            Self::Feature(problem) => problem.error_text(),
        }
    }

    /// Seconds of `Retry-After`: at least 1, and at most one hour for ratings or one day for other requests.
    pub fn retry_after(&self) -> Option<i64> {
        match self {
            Self::Feature(problem) => problem.retry_after(),
            Self::RateLimited { retry_after_s, .. } => Some((*retry_after_s).clamp(1, SECONDS_PER_DAY)),
            Self::Busy | Self::Timeout => Some(1),
            Self::Starting(_) => Some(2),
            Self::Unavailable(_) => Some(5),
            _ => None,
        }
    }

    /// Value of `WWW-Authenticate` (RFC 6750).
    pub fn challenge(&self) -> Option<String> {
        match self {
            Self::NotSignedIn { .. } => Some("Bearer".to_owned()),
            Self::InvalidToken => Some("Bearer error=\"invalid_token\"".to_owned()),
            Self::TwoCredentials => Some("Bearer error=\"invalid_request\"".to_owned()),
            Self::ScopeNeeded { scope } => {
                Some(format!("Bearer error=\"insufficient_scope\", scope=\"{}\"", scope.name()))
            }
            _ => None,
        }
    }

    fn wait(&self) -> Phrase {
        format_duration(self.retry_after().unwrap_or(1))
    }

    /// Converts an error of actix-web or another library to the error of this site for its HTTP status.
    pub fn from_actix(error: &actix_web::Error) -> Self {
        match error.as_response_error().status_code() {
            StatusCode::NOT_FOUND => Self::NotFound,
            status if status.is_client_error() => Self::Malformed("malformed-request"),
            // Other server errors come from the session store when the database is unavailable.
            _ => {
                // Only the debug format contains the cause, which is put on one line without a backtrace.
                let text = format!("{error:?}");
                let cause = text.split("Stack backtrace:").next().unwrap_or_default();
                Self::Unavailable(Some(anyhow::anyhow!(cause.split_whitespace().collect::<Vec<_>>().join(" "))))
            }
        }
    }

    /// Logs the causes that are not sent to the client. Call this once per error.
    pub fn log(&self) {
        match self {
            Self::Unavailable(Some(cause)) => {
                tracing::error!(error = describe_error_chain(cause), "service unavailable");
            }
            Self::Internal(cause) => tracing::error!(error = cause, "internal error"),
            _ => (),
        }
    }

    pub fn problem_details(&self, locale: Locale) -> ProblemDetails<'_> {
        let field_messages = |(name, messages): (&'_ String, &Vec<Phrase>)| {
            (name.clone(), messages.iter().map(|message| message.translate_to_text(locale)).collect())
        };
        let errors =
            if let Self::Invalid(errors) = self { Some(errors.iter().map(field_messages).collect()) } else { None };
        let class = if let Self::RateLimited { class, .. } = self { Some(*class) } else { None };
        let extension = if let Self::Feature(problem) = self { problem.extension() } else { None };
        let ErrorText { status, code, title, detail } = self.error_text();
        ProblemDetails {
            kind: "about:blank",
            title: title.translate_to_text(locale),
            status: status.as_u16(),
            detail: detail.translate_to_text(locale),
            code,
            class,
            errors,
            extension: extension.into_iter().collect(),
        }
    }
}

/// Problem details of an error (RFC 9457).
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "Problem")]
pub struct ProblemDetails<'a> {
    /// Always `about:blank`.
    #[serde(rename = "type")]
    kind: &'static str,
    /// Kind of the error, for people.
    title: Cow<'static, str>,
    /// HTTP status.
    #[schemars(range(min = 400, max = 599))]
    status: u16,
    /// Cause of the error and advice, for people.
    detail: Cow<'static, str>,
    /// Kind of the error, for programs.
    code: &'static str,
    /// Request class whose rate limit was exceeded.
    #[serde(skip_serializing_if = "Option::is_none")]
    class: Option<&'static str>,
    /// Messages about invalid fields, by name of the field.
    #[serde(skip_serializing_if = "Option::is_none")]
    errors: Option<IndexMap<String, Vec<Cow<'static, str>>>>,
    #[serde(flatten)]
    #[schemars(skip)]
    extension: BTreeMap<&'static str, &'a str>,
}

impl ResponseError for AppError {
    fn status_code(&self) -> StatusCode {
        self.error_text().status
    }

    /// The middleware `finalize_response` renders the body.
    fn error_response(&self) -> HttpResponse {
        HttpResponse::new(self.status_code())
    }
}

impl From<LookupError> for AppError {
    fn from(error: LookupError) -> Self {
        match error {
            LookupError::QueueFull => Self::Busy,
            error => Self::Unavailable(Some(error.into())),
        }
    }
}

impl From<Busy> for AppError {
    fn from(_: Busy) -> Self {
        Self::Busy
    }
}

impl From<askama::Error> for AppError {
    fn from(error: askama::Error) -> Self {
        Self::Internal(error.to_string())
    }
}

/// Error of a task that panicked or was aborted.
impl From<JoinError> for AppError {
    fn from(error: JoinError) -> Self {
        Self::Internal(error.to_string())
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
        let delays =
            [0, 1, 1000, 1001, u64::MAX].map(|ms| retry_after_seconds(Duration::from_millis(ms), SECONDS_PER_HOUR));
        assert_eq!(delays, [1, 1, 1, 2, 3_600]);
    }
}
