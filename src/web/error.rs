//! Every error that a client can get, with its status, code and words.
//!
//! An [`AppError`] says what happened. [`AppError::words`] is the table of what clients are told.
//! [`crate::web::finish`] alone decides how that is shown: as a page, or as `application/problem+json` (RFC 9457).

use std::borrow::Cow;

use actix_web::http::StatusCode;
use actix_web::{HttpResponse, ResponseError};
use indexmap::IndexMap;
use serde::Serialize;

use super::text::seconds_in_words;
use crate::database::chain;
use crate::database::lookup::LookupError;

/// What is wrong with each field, in words for the person who filled it in, in the form's own order.
pub type FieldErrors = IndexMap<String, Vec<String>>;

#[derive(Debug, thiserror::Error)]
pub enum AppError {
    /// 400 `invalid`: fields that are missing, unknown or not allowed.
    #[error("invalid input")]
    Invalid(FieldErrors),
    /// 400 `malformed`: a body, cursor or query that cannot be read, and why.
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
    /// 409 `already_counted`: a rating that waited no longer does.
    #[error("already counted")]
    AlreadyCounted,
    /// 403 `staff_only`: what moderators decide.
    #[error("for moderators only")]
    StaffOnly,
    /// 403 `cross_site`: a browser sent this from another site's page.
    #[error("cross-site request")]
    CrossSite,
    /// 404 `not_found`.
    #[error("not found")]
    NotFound,
    /// 405 `method_not_allowed`, with the methods that are.
    #[error("method not allowed")]
    MethodNotAllowed { allow: String },
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
    /// 410 `week_is_over`: the account is being deleted.
    #[error("week is over")]
    WeekIsOver,
    /// 429 `export_limited`: too many downloads of one's data.
    #[error("export limited")]
    ExportLimited { retry_after_ms: i64 },
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
    /// 503 `busy`: more requests are waiting than can be served soon.
    #[error("busy")]
    Busy,
    /// 503 `starting`: the site has just been started, and what it is waiting for.
    #[error("starting: {0}")]
    Starting(String),
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
    pub title: &'static str,
    /// What happened and what to do about it, for a person.
    pub detail: Cow<'static, str>,
}

fn words(status: u16, code: &'static str, title: &'static str, detail: impl Into<Cow<'static, str>>) -> Words {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    Words { status, code, title, detail: detail.into() }
}

impl AppError {
    /// A single field's error.
    #[must_use]
    pub fn field(name: &str, message: impl Into<String>) -> Self {
        Self::Invalid(FieldErrors::from([(name.to_owned(), vec![message.into()])]))
    }

    /// What clients are told of each error.
    #[must_use]
    #[expect(clippy::too_many_lines, reason = "a table is read row by row")]
    pub fn words(&self) -> Words {
        match self {
            Self::Invalid(errors) => words(
                400,
                "invalid",
                "Please check your answers",
                match errors.len() {
                    1 => "One of them cannot be taken as it is.".to_owned(),
                    count => format!("{count} of them cannot be taken as they are."),
                },
            ),
            Self::Malformed(reason) => words(400, "malformed", "This request cannot be read", *reason),
            Self::BadHost => words(
                400,
                "bad_host",
                "This site has another name",
                "The Host header does not name this site. Check the address, or ALLOWED_HOSTS if you run this site.",
            ),
            Self::NotSignedIn { .. } => {
                words(401, "not_signed_in", "Please sign in", "You need to be signed in to do this.")
            }
            Self::WrongCredentials => words(
                401,
                "wrong_credentials",
                "Wrong username or password",
                "No account has this username and this password. Check both; capitals matter in the password.",
            ),
            Self::SecondFactorNeeded { .. } => words(
                401,
                "second_factor_needed",
                "One more step",
                "Send the `code` of your authenticator app, or a recovery code, with your username and password.",
            ),
            Self::WrongCode => words(
                401,
                "wrong_code",
                "Wrong code",
                "This is not the code of this moment, or it was used before. Each is good once: wait for the next one. A \
                 recovery code works, too.",
            ),
            Self::SignInAgain => words(
                401,
                "sign_in_again",
                "This took too long",
                "More than five minutes have passed since your password. Please sign in once more.",
            ),
            Self::Forbidden => words(
                403,
                "forbidden",
                "This is somebody else's post",
                "Only its author and moderators can change or delete it.",
            ),
            Self::AlreadyCounted => words(
                409,
                "already_counted",
                "Your rating was counted a moment ago",
                "It does not wait any more. You can still change it.",
            ),
            Self::StaffOnly => {
                words(403, "staff_only", "This is for moderators", "Only staff of this site can do this.")
            }
            Self::OwnPost => {
                words(403, "own_post", "You cannot rate your own post", "Others rate it, and you see what they gave.")
            }
            Self::CrossSite => words(
                403,
                "cross_site",
                "This came from another site",
                "A page of another site sent this request, so nothing was done. If it was meant, do it from a page of \
                 this site.",
            ),
            Self::NotFound => words(
                404,
                "not_found",
                "There is nothing here",
                "The address may be mistyped, or what was here has been deleted.",
            ),
            Self::MethodNotAllowed { allow } => words(
                405,
                "method_not_allowed",
                "This page cannot be opened directly",
                format!("Forms and programs send something here: the address takes {allow} only."),
            ),
            Self::Timeout => words(
                408,
                "timeout",
                "This took too long to arrive",
                "The rest of the request did not come in time, so nothing was done. Please try again.",
            ),
            Self::AlreadyRated => words(
                409,
                "already_rated",
                "You have already rated this post",
                "There is one rating for each reader and post. You can change yours.",
            ),
            Self::Conflict => words(
                409,
                "conflict",
                "This post was changed meanwhile",
                "It was saved elsewhere since you began to change it, so your version is not saved yet. Compare the two, \
                 and choose.",
            ),
            Self::TooLarge { limit } => {
                words(413, "too_large", "That is too much at once", format!("At most {limit} bytes can be sent here."))
            }
            Self::UnsupportedType => words(
                415,
                "unsupported_type",
                "This kind of content is not understood",
                "Send a form (application/x-www-form-urlencoded; where a file is meant, multipart/form-data) or JSON \
                 (application/json), in UTF-8 and without Content-Encoding.",
            ),
            Self::PostRateLimited { .. } => words(
                429,
                "post_rate_limited",
                "Not counted yet",
                format!(
                    "This post is getting unusually many ratings at the moment, so new ones have to wait. Please try \
                     again in {}.",
                    self.wait_in_words()
                ),
            ),
            Self::EditLimited { .. } => words(
                429,
                "edit_limited",
                "You have changed this rating often",
                format!(
                    "A rating can be changed a few times, and then once in ten minutes. Please try again in {}.",
                    self.wait_in_words()
                ),
            ),
            Self::SignInLimited { .. } => words(
                429,
                "sign_in_limited",
                "Too many attempts",
                format!(
                    "There have been many attempts, so the next one has to wait. Please try again in {}. What you \
                     entered was not checked.",
                    self.wait_in_words()
                ),
            ),
            Self::ClassLimited { close, .. } => words(
                429,
                "class_limited",
                "Too many requests",
                format!(
                    "So many requests of this kind came from you that this one was not served. Please try again in {}.{}",
                    self.wait_in_words(),
                    if *close { " As they did not stop, you are signed out." } else { "" }
                ),
            ),
            Self::Paused { .. } => words(
                429,
                "paused",
                "Your ratings of this post are paused",
                "Your account has tried to rate this post very often, in a way that cannot succeed. Probably a program \
                 keeps trying. When it is mended, you can lift the pause yourself; waiting does not.",
            ),
            Self::UnpauseLink(LinkProblem::Invalid) => words(
                400,
                "link_invalid",
                "This link is not complete",
                "It is not as we made it; perhaps a part was lost when it was copied. Nothing was changed. The list of \
                 your paused ratings has a new one.",
            ),
            Self::UnpauseLink(LinkProblem::Expired) => words(
                410,
                "link_expired",
                "This link is too old",
                "Links to lift a pause can be used for 14 days. Nothing was changed. The list of your paused ratings \
                 has a new one.",
            ),
            Self::UnpauseLink(LinkProblem::Used) => words(
                410,
                "link_used",
                "This pause is already over",
                "It was lifted before, by this link or another, or its post was deleted. Other pauses have links of \
                 their own, as the list of your paused ratings does.",
            ),
            Self::UnpauseLink(LinkProblem::OfAnother) => words(
                403,
                "link_of_another",
                "This link is for another account",
                "You are signed in to one account, and the link lifts the pauses of another. Nothing was changed. Sign \
                 out first, or open the link in another browser.",
            ),
            Self::MailLink(LinkProblem::Invalid | LinkProblem::OfAnother) => words(
                400,
                "link_invalid",
                "This link is not complete",
                "It is not as we made it; perhaps a part was lost when it was copied. Nothing was changed. Ask for a new one.",
            ),
            Self::MailLink(LinkProblem::Expired) => {
                words(410, "link_expired", "This link is too old", "Nothing was changed. Ask for a new one.")
            }
            Self::MailLink(LinkProblem::Used) => words(
                410,
                "link_used",
                "This link was used already",
                "It works once, and only until the password is changed. Nothing was changed now.",
            ),
            Self::RegistrationClosed => words(
                403,
                "registration_closed",
                "Registration is closed",
                "Nobody can register here at the moment. Everything that is published can be read without an account.",
            ),
            Self::InvitationNeeded => words(
                403,
                "invitation_needed",
                "Registration is by invitation",
                "You need a link from those who run this site. Open it to register.",
            ),
            Self::Invitation(LinkProblem::Invalid | LinkProblem::OfAnother) => words(
                400,
                "link_invalid",
                "This invitation is not complete",
                "It is not as we made it; perhaps a part was lost when it was copied. Ask whoever sent it for the whole link.",
            ),
            Self::Invitation(LinkProblem::Expired) => words(
                410,
                "link_expired",
                "This invitation is over",
                "Its time has ended. Ask whoever sent it for a new one.",
            ),
            Self::Invitation(LinkProblem::Used) => words(
                410,
                "link_used",
                "This invitation is used up",
                "As many people as it was for have registered by it. Ask whoever sent it for a new one.",
            ),
            Self::HasOwner => words(
                410,
                "has_owner",
                "This site has its owner",
                "The account was made before, and the code is spent. If it is yours, sign in.",
            ),
            Self::LastOfStaff => words(
                409,
                "last_of_staff",
                "Nobody would run this site",
                "Yours is the only account of staff. Make another one first (evenkeel createsuperuser), and then delete \
                 this one.",
            ),
            Self::ImageInUse => words(
                409,
                "image_in_use",
                "This picture is shown somewhere",
                "A post, a draft or your profile shows it. Take it out there first.",
            ),
            Self::OneAtATime => words(
                503,
                "one_at_a_time",
                "One picture at a time",
                "Another picture of yours is still on its way. Send this one again when that is here.",
            ),
            Self::ImagesLimited { .. } => words(
                429,
                "images_limited",
                "Too many pictures",
                "You have sent many pictures in a short time. Please wait before the next one.",
            ),
            Self::WeekIsOver => words(
                410,
                "week_is_over",
                "The week to come back is over",
                "Your account is being deleted at this moment, and cannot be kept any more.",
            ),
            Self::ExportLimited { .. } => words(
                429,
                "export_limited",
                "You have downloaded your data often",
                format!("It can be done three times, and then once in 20 minutes: again in {}.", self.wait_in_words()),
            ),
            Self::MayNotPublish => words(
                403,
                "may_not_publish",
                "You may not publish here",
                "Only those whom the people who run this site let publish can do so. A draft can be saved, and published \
                 when you may.",
            ),
            Self::NoMail => {
                words(503, "no_mail", "This site sends no mail", "Those who run it can give you a new password.")
            }
            Self::TooManyStreams => words(
                429,
                "too_many_streams",
                "Too many streams at once",
                "You listen to as many streams as you may. Close one first.",
            ),
            Self::Internal(_) => words(
                500,
                "internal",
                "Something went wrong on our side",
                "It has been noted. Trying again later may help.",
            ),
            Self::Busy => words(503, "busy", "Too busy right now", "Nothing was saved. Please try again in a moment."),
            Self::Starting(doing) => {
                words(503, "starting", "The site is starting", format!("It is {doing}. Please try again in a moment."))
            }
            Self::Unavailable(_) => words(
                503,
                "unavailable",
                "Not available right now",
                "The site cannot get at its data. If you were saving something, it may not have been saved: please try \
                 again in a moment.",
            ),
        }
    }

    /// The value of `Retry-After` in seconds, at least 1. `None` for errors that get no such header.
    #[must_use]
    pub fn retry_after(&self) -> Option<i64> {
        match self {
            Self::PostRateLimited { retry_after_ms }
            | Self::EditLimited { retry_after_ms }
            | Self::SignInLimited { retry_after_ms }
            | Self::ImagesLimited { retry_after_ms }
            | Self::ExportLimited { retry_after_ms } => Some((retry_after_ms.saturating_add(999) / 1000).max(1)),
            Self::ClassLimited { retry_after_s, .. } => Some((*retry_after_s).max(1)),
            Self::Busy | Self::OneAtATime | Self::Timeout => Some(1),
            Self::TooManyStreams => Some(30),
            Self::Starting(_) => Some(2),
            Self::Unavailable(_) => Some(5),
            _ => None,
        }
    }

    fn wait_in_words(&self) -> String {
        seconds_in_words(self.retry_after().unwrap_or(1))
    }

    /// Our error for an error of another library, by its status.
    #[must_use]
    pub fn from_foreign(error: &actix_web::Error) -> Self {
        match error.as_response_error().status_code() {
            StatusCode::NOT_FOUND => Self::NotFound,
            status if status.is_client_error() => Self::Malformed("The request could not be read."),
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

    /// The body of a problem+json answer.
    #[must_use]
    pub fn problem(&self) -> Problem<'_> {
        let errors = if let Self::Invalid(errors) = self { Some(errors) } else { None };
        let class = if let Self::ClassLimited { class, .. } = self { Some(*class) } else { None };
        let unpause_url = if let Self::Paused { link } = self { Some(link.as_str()) } else { None };
        let Words { status, code, title, detail } = self.words();
        Problem { kind: "about:blank", title, status: status.as_u16(), detail, code, class, unpause_url, errors }
    }
}

/// A problem as in RFC 9457, with members of ours: `code`, `class`, `unpause_url` and `errors`.
#[derive(Debug, Serialize)]
pub struct Problem<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    title: &'static str,
    status: u16,
    detail: Cow<'static, str>,
    code: &'static str,
    /// The class that is limited.
    #[serde(skip_serializing_if = "Option::is_none")]
    class: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unpause_url: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    errors: Option<&'a FieldErrors>,
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
    fn waiting_times_are_rounded_up() {
        let seconds = |ms| AppError::PostRateLimited { retry_after_ms: ms }.retry_after();
        assert_eq!(
            (seconds(0), seconds(1), seconds(1000), seconds(1001), seconds(i64::MAX)),
            (Some(1), Some(1), Some(1), Some(2), Some(9_223_372_036_854_775))
        );
    }
}
