//! Every error that a client can get, with its status, code and words.
//!
//! An [`AppError`] says what happened. [`AppError::words`] is the table of what clients are told.
//! [`crate::web::middleware::finish`] alone decides how that is shown: as a page, or as `application/problem+json` (RFC 9457).

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
    /// 401 `wrong_credentials`: the same for an unknown name and a wrong password.
    #[error("wrong credentials")]
    WrongCredentials,
    /// 401 `second_factor_needed`: the password is right, and a code is needed. `proof` tells so for five minutes.
    #[error("second factor needed")]
    SecondFactorNeeded { proof: String },
    /// 401 `wrong_code`: not the code of the moment, or used before.
    #[error("wrong code")]
    WrongCode,
    /// 401 `sign_in_again`: the code came too long after the password.
    #[error("sign in again")]
    SignInAgain,
    /// 403 `forbidden`: somebody else's post.
    #[error("forbidden")]
    Forbidden,
    /// 403 `own_post`: authors cannot rate their own posts.
    #[error("own post")]
    OwnPost,
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
    /// 409 `already_rated`: this reader has rated this post before.
    #[error("already rated")]
    AlreadyRated,
    /// 409 `conflict`: somebody else has saved in between.
    #[error("conflict")]
    Conflict,
    /// 413 `too_large`: the body has more than `limit` bytes.
    #[error("body too large")]
    TooLarge { limit: usize },
    /// 415 `unsupported_type`: a body that is neither a form nor JSON, or is encoded.
    #[error("unsupported media type")]
    UnsupportedType,
    /// 429 `post_rate_limited`: the post's gate refused.
    #[error("post rate limited")]
    PostRateLimited { retry_after_ms: i64 },
    /// 429 `edit_limited`: one reader changes the same rating too often.
    #[error("edit limited")]
    EditLimited { retry_after_ms: i64 },
    /// 429 `sign_in_limited`: too many attempts to sign in or register.
    #[error("sign-in limited")]
    SignInLimited { retry_after_ms: i64 },
    /// 429 `class_limited`: the client's requests of one class come too fast. With `close`, the client went on all the
    /// same: it is signed out and its connection is closed.
    #[error("class limited")]
    ClassLimited { class: &'static str, retry_after_s: i64, close: bool },
    /// 429 `paused`: this reader's attempts to rate this post have failed thousands of times. `link` lifts it.
    #[error("paused")]
    Paused { link: String },
    /// A link that cannot lift a pause, and why.
    #[error("no link to unpause: {0:?}")]
    UnpauseLink(LinkProblem),
    /// A link from a mail that is of no use, and why.
    #[error("no link from a mail: {0:?}")]
    MailLink(LinkProblem),
    /// 403 `registration_closed`: nobody can register here.
    #[error("registration closed")]
    RegistrationClosed,
    /// 403 `invitation_needed`: registration is by invitation, and none came with this.
    #[error("invitation needed")]
    InvitationNeeded,
    /// An invitation that is of no use, and why.
    #[error("no invitation: {0:?}")]
    Invitation(LinkProblem),
    /// 410 `has_owner`: the owner's account was made before.
    #[error("has an owner")]
    HasOwner,
    /// 409 `last_of_staff`: nobody would run the site.
    #[error("last of staff")]
    LastOfStaff,
    /// 409 `gate_changed`: somebody else has chosen another gate in between.
    #[error("gate changed")]
    GateChanged,
    /// 410 `week_is_over`: the account is being deleted.
    #[error("week is over")]
    WeekIsOver,
    /// 429 `export_limited`: too many downloads of one's data.
    #[error("export limited")]
    ExportLimited { retry_after_ms: i64 },
    /// 429 `reports_limited`: too many reports of posts.
    #[error("reports limited")]
    ReportsLimited { retry_after_ms: i64 },
    /// 409 `already_reported`: this reader has reported this post, and it is not decided yet.
    #[error("already reported")]
    AlreadyReported,
    /// 409 `enough_reports`: very many have reported this post, and it is not decided yet.
    #[error("enough reports")]
    EnoughReports,
    /// 409 `no_appeal`: there is nothing to appeal against, or it is too late.
    #[error("no appeal")]
    NoAppeal,
    /// 403 `not_your_case`: staff whom a case concerns do not decide it.
    #[error("not your case")]
    NotYourCase,
    /// 409 `already_decided`: somebody else of the staff was faster, or the last word is said.
    #[error("already decided")]
    AlreadyDecided,
    /// 409 `post_changed`: the post that staff decide about says something else by now.
    #[error("post changed")]
    PostChanged,
    /// 403 `withheld`: staff took the post down, and it cannot be published while that stands.
    #[error("withheld")]
    Withheld,
    /// 429 `images_limited`: too many pictures are sent.
    #[error("images limited")]
    ImagesLimited { retry_after_ms: i64 },
    /// 503 `one_at_a_time`: another file of theirs is still on its way.
    #[error("one file at a time")]
    OneAtATime,
    /// 409 `image_in_use`: something shows the picture.
    #[error("image in use")]
    ImageInUse,
    /// 403 `may_not_publish`: somebody whom staff have not approved.
    #[error("may not publish")]
    MayNotPublish,
    /// 503 `no_mail`: this site sends no mail.
    #[error("no mail")]
    NoMail,
    /// 429 `too_many_streams`: the client listens to as many as it may.
    #[error("too many streams")]
    TooManyStreams,
    /// 500 `internal`: a defect of ours.
    #[error("internal error: {0}")]
    Internal(String),
    /// 503 `replay_runs`: one at a time.
    #[error("a replay runs")]
    ReplayRuns,
    /// 503 `busy`: more requests are waiting than can be served soon.
    #[error("busy")]
    Busy,
    /// 503 `starting`: the site has just been started, and what it is waiting for.
    #[error("starting: {0}")]
    Starting(Phrase),
    /// 503 `unavailable`: the database cannot be reached, or does not answer in time.
    #[error("unavailable")]
    Unavailable(#[source] Option<anyhow::Error>),
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
pub struct Words {
    pub status: StatusCode,
    /// The stable word that programs tell errors apart by.
    pub code: &'static str,
    /// A few words that say what kind of error this is.
    pub title: Phrase,
    /// What happened and what to do about it, for a person.
    pub detail: Phrase,
}

/// The message is the title, and has an attribute `detail`.
fn words(status: u16, code: &'static str, title: Phrase) -> Words {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    Words { status, code, detail: title.attribute("detail"), title }
}

impl AppError {
    /// A single field's error.
    #[must_use]
    pub fn field(name: &str, message: Phrase) -> Self {
        Self::Invalid(FieldErrors::from([(name.to_owned(), vec![message])]))
    }

    /// What clients are told of each error.
    #[must_use]
    #[expect(clippy::too_many_lines, reason = "a table is read row by row")]
    pub fn words(&self) -> Words {
        match self {
            Self::Invalid(errors) => words(400, "invalid", phrase!("error-invalid", count = errors.len())),
            Self::Malformed(reason) => {
                Words { detail: phrase!(*reason), ..words(400, "malformed", phrase!("error-malformed")) }
            }
            Self::BadHost => words(400, "bad_host", phrase!("error-bad-host")),
            Self::NotSignedIn { .. } => words(401, "not_signed_in", phrase!("error-not-signed-in")),
            Self::WrongCredentials => words(401, "wrong_credentials", phrase!("error-wrong-credentials")),
            Self::SecondFactorNeeded { .. } => {
                words(401, "second_factor_needed", phrase!("error-second-factor-needed"))
            }
            Self::WrongCode => words(401, "wrong_code", phrase!("error-wrong-code")),
            Self::SignInAgain => words(401, "sign_in_again", phrase!("error-sign-in-again")),
            Self::Forbidden => words(403, "forbidden", phrase!("error-forbidden")),
            Self::StaffOnly => words(403, "staff_only", phrase!("error-staff-only")),
            Self::OwnPost => words(403, "own_post", phrase!("error-own-post")),
            Self::CrossSite => words(403, "cross_site", phrase!("error-cross-site")),
            Self::NotFound => words(404, "not_found", phrase!("error-not-found")),
            Self::MethodNotAllowed { allow, is_read: true } => {
                words(405, "method_not_allowed", phrase!("error-method-not-allowed", allow = allow.as_str()))
            }
            Self::MethodNotAllowed { allow, .. } => {
                words(405, "method_not_allowed", phrase!("error-method-not-accepted", allow = allow.as_str()))
            }
            Self::Timeout => words(408, "timeout", phrase!("error-timeout")),
            Self::AlreadyRated => words(409, "already_rated", phrase!("error-already-rated")),
            Self::Conflict => words(409, "conflict", phrase!("error-conflict")),
            Self::TooLarge { limit } => words(413, "too_large", phrase!("error-too-large", limit = *limit)),
            Self::UnsupportedType => words(415, "unsupported_type", phrase!("error-unsupported-type")),
            Self::PostRateLimited { .. } => {
                words(429, "post_rate_limited", phrase!("error-post-rate-limited", wait = self.wait()))
            }
            Self::EditLimited { .. } => words(429, "edit_limited", phrase!("error-edit-limited", wait = self.wait())),
            Self::SignInLimited { .. } => {
                words(429, "sign_in_limited", phrase!("error-sign-in-limited", wait = self.wait()))
            }
            Self::ClassLimited { close, .. } => {
                words(429, "class_limited", phrase!("error-class-limited", wait = self.wait(), closed = *close))
            }
            Self::Paused { .. } => words(429, "paused", phrase!("error-paused")),
            Self::UnpauseLink(LinkProblem::Invalid) => {
                words(400, "link_invalid", phrase!("error-unpause-link-invalid"))
            }
            Self::UnpauseLink(LinkProblem::Expired) => {
                words(410, "link_expired", phrase!("error-unpause-link-expired"))
            }
            Self::UnpauseLink(LinkProblem::Used) => words(410, "link_used", phrase!("error-unpause-link-used")),
            Self::UnpauseLink(LinkProblem::OfAnother) => {
                words(403, "link_of_another", phrase!("error-unpause-link-of-another"))
            }
            Self::MailLink(LinkProblem::Invalid | LinkProblem::OfAnother) => {
                words(400, "link_invalid", phrase!("error-mail-link-invalid"))
            }
            Self::MailLink(LinkProblem::Expired) => words(410, "link_expired", phrase!("error-mail-link-expired")),
            Self::MailLink(LinkProblem::Used) => words(410, "link_used", phrase!("error-mail-link-used")),
            Self::RegistrationClosed => words(403, "registration_closed", phrase!("error-registration-closed")),
            Self::InvitationNeeded => words(403, "invitation_needed", phrase!("error-invitation-needed")),
            Self::Invitation(LinkProblem::Invalid | LinkProblem::OfAnother) => {
                words(400, "link_invalid", phrase!("error-invitation-invalid"))
            }
            Self::Invitation(LinkProblem::Expired) => words(410, "link_expired", phrase!("error-invitation-expired")),
            Self::Invitation(LinkProblem::Used) => words(410, "link_used", phrase!("error-invitation-used")),
            Self::HasOwner => words(410, "has_owner", phrase!("error-has-owner")),
            Self::LastOfStaff => words(409, "last_of_staff", phrase!("error-last-of-staff")),
            Self::RoleNeeded { role } => {
                words(403, "role_needed", phrase!("error-role-needed", role = Value::Choice(role.name().into())))
            }
            Self::Blocked(Block { reason, until: None }) => {
                words(403, "blocked", phrase!("error-blocked", reason = reason.as_str()))
            }
            Self::Blocked(Block { reason, until: Some(until) }) => words(
                403,
                "blocked",
                phrase!("error-blocked-until", reason = reason.as_str(), time = Value::Minute(*until)),
            ),
            Self::ReplayRuns => words(503, "replay_runs", phrase!("error-replay-runs")),
            Self::GateChanged => words(409, "gate_changed", phrase!("error-gate-changed")),
            Self::ImageInUse => words(409, "image_in_use", phrase!("error-image-in-use")),
            Self::OneAtATime => words(503, "one_at_a_time", phrase!("error-one-at-a-time")),
            Self::ImagesLimited { .. } => words(429, "images_limited", phrase!("error-images-limited")),
            Self::WeekIsOver => words(410, "week_is_over", phrase!("error-week-is-over")),
            Self::ExportLimited { .. } => {
                words(429, "export_limited", phrase!("error-export-limited", wait = self.wait()))
            }
            Self::ReportsLimited { .. } => {
                words(429, "reports_limited", phrase!("error-reports-limited", wait = self.wait()))
            }
            Self::AlreadyReported => words(409, "already_reported", phrase!("error-already-reported")),
            Self::EnoughReports => words(409, "enough_reports", phrase!("error-enough-reports")),
            Self::NoAppeal => words(409, "no_appeal", phrase!("error-no-appeal")),
            Self::NotYourCase => words(403, "not_your_case", phrase!("error-not-your-case")),
            Self::AlreadyDecided => words(409, "already_decided", phrase!("error-already-decided")),
            Self::PostChanged => words(409, "post_changed", phrase!("error-post-changed")),
            Self::Withheld => words(403, "withheld", phrase!("error-withheld")),
            Self::MayNotPublish => words(403, "may_not_publish", phrase!("error-may-not-publish")),
            Self::NoMail => words(503, "no_mail", phrase!("error-no-mail")),
            Self::TooManyStreams => words(429, "too_many_streams", phrase!("error-too-many-streams")),
            Self::Internal(_) => words(500, "internal", phrase!("error-internal")),
            Self::Busy => words(503, "busy", phrase!("error-busy")),
            Self::Starting(doing) => words(503, "starting", phrase!("error-starting", doing = doing.clone())),
            Self::Unavailable(_) => words(503, "unavailable", phrase!("error-unavailable")),
        }
    }

    /// The value of `Retry-After` in seconds: from 1 to an hour for ratings, from 1 to a day otherwise. `None` for errors
    /// that get no such header.
    #[must_use]
    pub fn retry_after(&self) -> Option<i64> {
        const HOUR_S: i64 = 3_600;
        let seconds = |ms: &i64| ms.saturating_add(999) / 1000;
        match self {
            Self::PostRateLimited { retry_after_ms } | Self::EditLimited { retry_after_ms } => {
                Some(seconds(retry_after_ms).clamp(1, HOUR_S))
            }
            Self::SignInLimited { retry_after_ms }
            | Self::ImagesLimited { retry_after_ms }
            | Self::ReportsLimited { retry_after_ms }
            | Self::ExportLimited { retry_after_ms } => Some(seconds(retry_after_ms).clamp(1, 24 * HOUR_S)),
            Self::ClassLimited { retry_after_s, .. } => Some((*retry_after_s).clamp(1, 24 * HOUR_S)),
            Self::Busy | Self::OneAtATime | Self::Timeout => Some(1),
            Self::TooManyStreams => Some(30),
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
            Self::Unavailable(Some(cause)) => tracing::error!(cause = chain(cause), "unavailable"),
            Self::Internal(cause) => tracing::error!(cause, "internal error"),
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
        let unpause_url = if let Self::Paused { link } = self { Some(link.as_str()) } else { None };
        let Words { status, code, title, detail } = self.words();
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
    fn waiting_times_are_rounded_up_and_limited() {
        let seconds = |ms| AppError::PostRateLimited { retry_after_ms: ms }.retry_after();
        assert_eq!(
            (seconds(0), seconds(1), seconds(1000), seconds(1001), seconds(i64::MAX)),
            (Some(1), Some(1), Some(1), Some(2), Some(3_600))
        );
        assert_eq!(AppError::SignInLimited { retry_after_ms: i64::MAX }.retry_after(), Some(86_400));
    }
}
