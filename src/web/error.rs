//! Everything that can go wrong, with the status and the words it is answered with.
//!
//! An error says what happened. How it looks, as a page or as `application/problem+json` (RFC 9457), is
//! decided in one place: [`crate::web::finish::finish`].

use actix_web::http::StatusCode;
use actix_web::{HttpResponse, ResponseError};
use indexmap::IndexMap;
use serde::Serialize;

use crate::database::describe;

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
    /// 403 `forbidden`: somebody else's post.
    #[error("forbidden")]
    Forbidden,
    /// 403 `own_post`: authors cannot rate their own posts.
    #[error("own post")]
    OwnPost,
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
    /// 409 `already_rated`.
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
    /// 429 `class_limited`: the client's requests of one class come too fast. Perhaps the connection is closed.
    #[error("class limited")]
    ClassLimited { class: &'static str, retry_after_s: i64, close: bool },
    /// 429 `paused`: this reader's attempts to rate this post have failed thousands of times. `link` lifts it.
    #[error("paused")]
    Paused { link: String },
    /// 400, 403 or 410: a link that cannot lift a pause.
    #[error("no link to unpause: {0:?}")]
    UnpauseLink(LinkProblem),
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

impl AppError {
    /// A single field's error.
    #[must_use]
    pub fn field(name: &str, message: impl Into<String>) -> Self {
        Self::Invalid(FieldErrors::from([(name.to_owned(), vec![message.into()])]))
    }

    /// The stable word that programs tell errors apart by.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Invalid(_) => "invalid",
            Self::Malformed(_) => "malformed",
            Self::BadHost => "bad_host",
            Self::NotSignedIn { .. } => "not_signed_in",
            Self::WrongCredentials => "wrong_credentials",
            Self::Forbidden => "forbidden",
            Self::OwnPost => "own_post",
            Self::CrossSite => "cross_site",
            Self::NotFound => "not_found",
            Self::MethodNotAllowed { .. } => "method_not_allowed",
            Self::Timeout => "timeout",
            Self::AlreadyRated => "already_rated",
            Self::Conflict => "conflict",
            Self::TooLarge { .. } => "too_large",
            Self::UnsupportedType => "unsupported_type",
            Self::PostRateLimited { .. } => "post_rate_limited",
            Self::EditLimited { .. } => "edit_limited",
            Self::SignInLimited { .. } => "sign_in_limited",
            Self::ClassLimited { .. } => "class_limited",
            Self::Paused { .. } => "paused",
            Self::UnpauseLink(problem) => problem.code(),
            Self::TooManyStreams => "too_many_streams",
            Self::Internal(_) => "internal",
            Self::Busy => "busy",
            Self::Starting(_) => "starting",
            Self::Unavailable(_) => "unavailable",
        }
    }

    /// A few words that say what kind of error this is.
    #[must_use]
    pub fn title(&self) -> &'static str {
        match self {
            Self::Invalid(_) => "Some of this is not right yet",
            Self::Malformed(_) => "This request cannot be read",
            Self::BadHost => "This site has another name",
            Self::NotSignedIn { .. } => "Please sign in",
            Self::WrongCredentials => "Wrong username or password",
            Self::Forbidden => "This is somebody else's post",
            Self::OwnPost => "This post is your own",
            Self::CrossSite => "This came from another site",
            Self::NotFound => "There is nothing here",
            Self::MethodNotAllowed { .. } => "That cannot be done here",
            Self::Timeout => "This took too long to arrive",
            Self::AlreadyRated => "You have already rated this post",
            Self::Conflict => "Somebody else has changed this post",
            Self::TooLarge { .. } => "That is too much at once",
            Self::UnsupportedType => "This kind of content is not understood",
            Self::PostRateLimited { .. } => "This post is getting ratings too fast",
            Self::EditLimited { .. } => "You have changed this rating often",
            Self::SignInLimited { .. } => "Too many attempts",
            Self::ClassLimited { .. } => "You are going very fast",
            Self::Paused { .. } => "Your ratings of this post are paused",
            Self::UnpauseLink(problem) => problem.title(),
            Self::TooManyStreams => "Too many streams at once",
            Self::Internal(_) => "Something went wrong on our side",
            Self::Busy => "Too busy right now",
            Self::Starting(_) => "The site is starting",
            Self::Unavailable(_) => "Not available right now",
        }
    }

    /// What happened and what to do about it, for a person.
    #[must_use]
    pub fn detail(&self) -> String {
        match self {
            Self::Invalid(errors) if errors.len() == 1 => "One field needs another look.".to_owned(),
            Self::Invalid(errors) => format!("{} fields need another look.", errors.len()),
            Self::Malformed(reason) => (*reason).to_owned(),
            Self::BadHost => "The Host header does not name this site. Check the address, or ALLOWED_HOSTS if \
                              you run this site."
                .to_owned(),
            Self::NotSignedIn { .. } => "You need to be signed in to do this.".to_owned(),
            Self::WrongCredentials => "No account matches this username and password. Both matter to the letter, \
                                       though the username may be in either case."
                .to_owned(),
            Self::Forbidden => "Only its author, or staff, can change or delete a post.".to_owned(),
            Self::OwnPost => "Authors cannot rate their own posts.".to_owned(),
            Self::CrossSite => "A page of another site sent this request, so nothing was done. If it was meant, \
                                do it from a page of this site."
                .to_owned(),
            Self::NotFound => "The address may be mistyped, or what was here has been deleted.".to_owned(),
            Self::MethodNotAllowed { allow } => format!("This address understands {allow} only."),
            Self::Timeout => {
                "The rest of the request did not come in time, so nothing was done. Please try again.".to_owned()
            }
            Self::AlreadyRated => "There is one rating for each reader and post. You can change yours.".to_owned(),
            Self::Conflict => {
                "It was saved since you began to change it, so your version was not saved yet. Compare the two, \
                               and save again to replace the other one."
                    .to_owned()
            }
            Self::TooLarge { limit } => format!("At most {limit} bytes can be sent here."),
            Self::UnsupportedType => "Send a form (application/x-www-form-urlencoded) or JSON (application/json), \
                                      in UTF-8 and without Content-Encoding."
                .to_owned(),
            Self::PostRateLimited { .. } => format!(
                "Ratings for this post are arriving faster than usual, so new ones have to wait. Yours was not \
                 counted. Please try again in {}.",
                seconds_in_words(self.retry_after().unwrap_or(1))
            ),
            Self::EditLimited { .. } => format!(
                "A rating can be changed a few times, and then once in ten minutes. Yours is as it was. Please try \
                 again in {}.",
                seconds_in_words(self.retry_after().unwrap_or(1))
            ),
            Self::SignInLimited { .. } => format!(
                "There have been many attempts, so the next one has to wait. Please try again in {}. What you entered \
                 was not checked.",
                seconds_in_words(self.retry_after().unwrap_or(1))
            ),
            Self::ClassLimited { retry_after_s, close, .. } => format!(
                "So many requests of this kind came from you that this one was not served. Please try again in {}.{}",
                seconds_in_words(*retry_after_s),
                if *close { " As they did not stop, you are signed out." } else { "" }
            ),
            Self::Paused { .. } => {
                "Your account has tried to rate this post very often, in a way that cannot succeed. \
                                    Probably a program keeps trying. When it is mended, you can lift the pause \
                                    yourself; waiting does not."
                    .to_owned()
            }
            Self::UnpauseLink(problem) => problem.detail().to_owned(),
            Self::TooManyStreams => "You listen to as many streams as you may. Close one first.".to_owned(),
            Self::Internal(_) => "It has been noted. Trying again later may help.".to_owned(),
            Self::Busy => "Nothing was saved. Please try again in a moment.".to_owned(),
            Self::Starting(doing) => format!("It is {doing}. Please try again in a moment."),
            Self::Unavailable(_) => {
                "The site cannot get at its data. If you were saving something, it may not have been saved: please \
                 try again in a moment."
                    .to_owned()
            }
        }
    }

    /// Seconds for `Retry-After`, at least 1.
    #[must_use]
    pub fn retry_after(&self) -> Option<i64> {
        match self {
            Self::PostRateLimited { retry_after_ms }
            | Self::EditLimited { retry_after_ms }
            | Self::SignInLimited { retry_after_ms } => Some((retry_after_ms.saturating_add(999) / 1000).max(1)),
            Self::ClassLimited { retry_after_s, .. } => Some((*retry_after_s).max(1)),
            Self::Busy | Self::Timeout => Some(1),
            Self::TooManyStreams => Some(30),
            Self::Starting(_) => Some(2),
            Self::Unavailable(_) => Some(5),
            _ => None,
        }
    }

    /// The error that another library's response stands for.
    #[must_use]
    pub fn from_foreign(error: &actix_web::Error) -> Self {
        match error.as_response_error().status_code() {
            StatusCode::NOT_FOUND => Self::NotFound,
            status if status.is_client_error() => Self::Malformed("The request could not be read."),
            // Our own code answers with `AppError`; what is left is the session store without its database.
            _ => {
                // Only its debug form tells the cause; on one line, and without the backtrace that may follow.
                let text = format!("{error:?}");
                let cause = text.split("Stack backtrace:").next().unwrap_or_default();
                Self::Unavailable(Some(anyhow::anyhow!(cause.split_whitespace().collect::<Vec<_>>().join(" "))))
            }
        }
    }

    /// Writes what clients are not shown to the log, once.
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
        Problem {
            kind: "about:blank",
            title: self.title(),
            status: self.status_code().as_u16(),
            detail: self.detail(),
            code: self.code(),
            class,
            unpause_url,
            errors,
        }
    }
}

/// Why a link cannot lift a pause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkProblem {
    /// 400 `link_invalid`: not one of ours, or changed on its way.
    Invalid,
    /// 410 `link_expired`.
    Expired,
    /// 410 `link_used`: its pause is over.
    Used,
    /// 403 `link_of_another`: somebody else is signed in.
    OfAnother,
}

impl LinkProblem {
    fn status(self) -> StatusCode {
        match self {
            Self::Invalid => StatusCode::BAD_REQUEST,
            Self::Expired | Self::Used => StatusCode::GONE,
            Self::OfAnother => StatusCode::FORBIDDEN,
        }
    }

    fn code(self) -> &'static str {
        match self {
            Self::Invalid => "link_invalid",
            Self::Expired => "link_expired",
            Self::Used => "link_used",
            Self::OfAnother => "link_of_another",
        }
    }

    fn title(self) -> &'static str {
        match self {
            Self::Invalid => "This link is not complete",
            Self::Expired => "This link is too old",
            Self::Used => "This pause is already over",
            Self::OfAnother => "This link is for another account",
        }
    }

    fn detail(self) -> &'static str {
        match self {
            Self::Invalid => {
                "It is not as we made it; perhaps a part was lost when it was copied. Nothing was changed. The list of \
                 your paused ratings has a new one."
            }
            Self::Expired => {
                "Links to lift a pause can be used for 14 days. Nothing was changed. The list of your paused ratings \
                 has a new one."
            }
            Self::Used => {
                "It was lifted before, by this link or another, or its post was deleted. Other pauses have links of \
                 their own, as the list of your paused ratings does."
            }
            Self::OfAnother => {
                "You are signed in to one account, and the link lifts the pauses of another. Nothing was changed. Sign \
                 out first, or open the link in another browser."
            }
        }
    }
}

/// RFC 9457, with our `code` and the fields' `errors`.
#[derive(Debug, Serialize)]
pub struct Problem<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    title: &'static str,
    status: u16,
    detail: String,
    code: &'static str,
    /// Of a limited class.
    #[serde(skip_serializing_if = "Option::is_none")]
    class: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unpause_url: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    errors: Option<&'a FieldErrors>,
}

impl ResponseError for AppError {
    fn status_code(&self) -> StatusCode {
        match self {
            Self::Invalid(_) | Self::Malformed(_) | Self::BadHost => StatusCode::BAD_REQUEST,
            Self::NotSignedIn { .. } | Self::WrongCredentials => StatusCode::UNAUTHORIZED,
            Self::Forbidden | Self::OwnPost | Self::CrossSite => StatusCode::FORBIDDEN,
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::MethodNotAllowed { .. } => StatusCode::METHOD_NOT_ALLOWED,
            Self::Timeout => StatusCode::REQUEST_TIMEOUT,
            Self::AlreadyRated | Self::Conflict => StatusCode::CONFLICT,
            Self::TooLarge { .. } => StatusCode::PAYLOAD_TOO_LARGE,
            Self::UnsupportedType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::PostRateLimited { .. }
            | Self::EditLimited { .. }
            | Self::SignInLimited { .. }
            | Self::ClassLimited { .. }
            | Self::Paused { .. }
            | Self::TooManyStreams => StatusCode::TOO_MANY_REQUESTS,
            Self::UnpauseLink(problem) => problem.status(),
            Self::Internal(_) => StatusCode::INTERNAL_SERVER_ERROR,
            Self::Busy | Self::Starting(_) | Self::Unavailable(_) => StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    /// Only the status: `finish` writes the body.
    fn error_response(&self) -> HttpResponse {
        HttpResponse::new(self.status_code())
    }
}

impl From<sqlx::Error> for AppError {
    fn from(error: sqlx::Error) -> Self {
        Self::Unavailable(Some(error.into()))
    }
}

/// Turns a named constraint's violation into the client's error.
pub trait OnConstraint<T> {
    /// # Errors
    /// `error` where the constraint `name` was violated, else what the database said.
    fn on_constraint(self, name: &str, error: impl FnOnce() -> AppError) -> Result<T, AppError>;
}

impl<T> OnConstraint<T> for sqlx::Result<T> {
    fn on_constraint(self, name: &str, error: impl FnOnce() -> AppError) -> Result<T, AppError> {
        let is_violated = constraint(&self) == Some(name);
        self.map_err(|cause| if is_violated { error() } else { cause.into() })
    }
}

/// The named constraint that was violated.
#[must_use]
pub fn constraint<T>(result: &sqlx::Result<T>) -> Option<&str> {
    result.as_ref().err()?.as_database_error()?.constraint()
}

/// An error with its causes, each once: many errors say their cause's words as their own.
#[must_use]
pub fn chain(error: &anyhow::Error) -> String {
    let (mut text, mut last) = (String::new(), String::new());
    for cause in error.chain() {
        let cause = match cause.downcast_ref::<sqlx::Error>() {
            Some(error) => describe(error),
            None => cause.to_string(),
        };
        let said = cause.clone();
        if text.is_empty() {
            text = cause;
        } else if !text.contains(&cause) && !cause.contains(&last) {
            text = format!("{text}: {cause}");
        }
        last = said;
    }
    text
}

/// `1 second`, `42 seconds`, `3 minutes`: rounded up, so that who waits this long has waited enough.
#[must_use]
pub fn seconds_in_words(seconds: i64) -> String {
    let (count, unit) = match seconds {
        ..=119 => (seconds, "second"),
        120..=7_199 => (seconds.div_euclid(60) + i64::from(seconds % 60 > 0), "minute"),
        _ => (seconds.div_euclid(3_600) + i64::from(seconds % 3_600 > 0), "hour"),
    };
    format!("{count} {unit}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_times_are_rounded_up() {
        let words = |ms| AppError::PostRateLimited { retry_after_ms: ms }.retry_after();
        assert_eq!(
            (words(0), words(1), words(1000), words(1001), words(i64::MAX)),
            (Some(1), Some(1), Some(1), Some(2), Some(9_223_372_036_854_775))
        );
        assert_eq!(seconds_in_words(1), "1 second");
        assert_eq!(seconds_in_words(119), "119 seconds");
        assert_eq!(seconds_in_words(121), "3 minutes");
        assert_eq!(seconds_in_words(7_201), "3 hours");
    }
}
