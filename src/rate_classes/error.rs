//! Errors of the event stream.

use crate::phrase;
use crate::web::error::{ErrorText, FeatureError, error_text};

#[derive(Debug, thiserror::Error)]
pub enum StreamError {
    #[error("the client has reached its maximum number of event streams")]
    TooManyStreams,
}

impl FeatureError for StreamError {
    fn error_text(&self) -> ErrorText {
        match self {
            Self::TooManyStreams => error_text(429, "too_many_streams", phrase!("error-too-many-streams")),
        }
    }

    fn retry_after(&self) -> Option<i64> {
        Some(30)
    }
}
