//! Errors of the stream of events.

use crate::phrase;
use crate::web::error::{AppProblem, ErrorText, error_text};

#[derive(Debug, thiserror::Error)]
pub enum StreamError {
    /// 429 `too_many_streams`: the client listens to as many as it may.
    #[error("too many streams")]
    TooManyStreams,
}

impl AppProblem for StreamError {
    fn words(&self) -> ErrorText {
        match self {
            Self::TooManyStreams => error_text(429, "too_many_streams", phrase!("error-too-many-streams")),
        }
    }

    fn retry_after(&self) -> Option<i64> {
        Some(30)
    }
}
