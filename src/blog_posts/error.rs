//! Errors of post views.

use crate::phrase;
use crate::web::error::{ErrorText, FeatureError, error_text};

#[derive(Debug, thiserror::Error)]
pub enum PostError {
    /// Staff took the post down.
    #[error("withheld")]
    Withheld,
    #[error("may not publish")]
    MayNotPublish,
}

impl FeatureError for PostError {
    fn error_text(&self) -> ErrorText {
        match self {
            Self::Withheld => error_text(403, "withheld", phrase!("error-withheld")),
            Self::MayNotPublish => error_text(403, "may_not_publish", phrase!("error-may-not-publish")),
        }
    }
}
