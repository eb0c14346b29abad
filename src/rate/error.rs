//! Reasons why a request about a rating is refused, with their responses.

use std::time::Duration;

use crate::i18n::{Phrase, format_duration};
use crate::phrase;
use crate::users::rating_eligibility::MissingRequirements;
use crate::web::error::{ErrorText, FeatureError, LinkProblem, SECONDS_PER_HOUR, error_text, retry_after_seconds};

#[derive(Debug, thiserror::Error)]
pub enum RateError {
    #[error("users cannot rate their own posts")]
    OwnPost,
    #[error("the post accepts no ratings")]
    RatingsClosed,
    #[error("the user has already rated the post")]
    AlreadyRated,
    #[error("the user has not rated the post")]
    NotRated,
    #[error("the account may not rate yet: {0:?}")]
    NotEligible(MissingRequirements),
    #[error("the rating limiter of the post refused the rating; retry after {retry_after:?}")]
    PostRateLimited { retry_after: Duration },
    #[error("the user changed the rating too often; retry after {retry_after:?}")]
    EditLimited { retry_after: Duration },
    /// `link` is a signed URL that lifts the pause.
    #[error("ratings of the post by the user are paused after too many failed attempts")]
    Paused { link: String },
    #[error("unpause link rejected: {0:?}")]
    UnpauseLink(LinkProblem),
    #[error("the limiter override has changed since the form was displayed")]
    LimiterOverrideChanged,
}

impl FeatureError for RateError {
    fn error_text(&self) -> ErrorText {
        let wait = || format_duration(self.retry_after().unwrap_or(1));
        match self {
            Self::OwnPost => error_text(403, "own_post", phrase!("error-own-post")),
            Self::RatingsClosed => error_text(403, "ratings_closed", phrase!("error-ratings-closed")),
            Self::AlreadyRated => error_text(409, "already_rated", phrase!("error-already-rated")),
            Self::NotRated => error_text(404, "not_rated", phrase!("error-not-rated")),
            Self::NotEligible(missing) => error_text(403, "not_eligible", missing.message()),
            Self::PostRateLimited { .. } => {
                error_text(429, "post_rate_limited", phrase!("error-post-rate-limited", wait = wait()))
            }
            Self::EditLimited { .. } => error_text(429, "edit_limited", phrase!("error-edit-limited", wait = wait())),
            Self::Paused { .. } => error_text(429, "paused", phrase!("error-paused")),
            Self::UnpauseLink(LinkProblem::Invalid) => {
                error_text(400, "link_invalid", phrase!("error-unpause-link-invalid"))
            }
            Self::UnpauseLink(LinkProblem::Expired) => {
                error_text(410, "link_expired", phrase!("error-unpause-link-expired"))
            }
            Self::UnpauseLink(LinkProblem::Used) => error_text(410, "link_used", phrase!("error-unpause-link-used")),
            Self::UnpauseLink(LinkProblem::WrongUser) => {
                error_text(403, "link_of_another", phrase!("error-unpause-link-of-another"))
            }
            Self::LimiterOverrideChanged => error_text(409, "limiter_changed", phrase!("error-limiter-changed")),
        }
    }

    fn retry_after(&self) -> Option<i64> {
        match self {
            Self::PostRateLimited { retry_after } | Self::EditLimited { retry_after } => {
                Some(retry_after_seconds(*retry_after, SECONDS_PER_HOUR))
            }
            _ => None,
        }
    }

    fn extension(&self) -> Option<(&'static str, &str)> {
        if let Self::Paused { link } = self { Some(("unpause_url", link)) } else { None }
    }

    fn help(&self) -> Option<Phrase> {
        matches!(self, Self::UnpauseLink(_)).then(|| phrase!("error-see-paused"))
    }
}
