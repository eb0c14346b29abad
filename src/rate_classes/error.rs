//! Errors of the stream of events.

use crate::phrase;
use crate::web::error::{AppProblem, Words, words};

#[derive(Debug, thiserror::Error)]
pub enum StreamError {
    /// 429 `too_many_streams`: the client listens to as many as it may.
    #[error("too many streams")]
    TooManyStreams,
}

impl AppProblem for StreamError {
    fn words(&self) -> Words {
        match self {
            Self::TooManyStreams => words(429, "too_many_streams", phrase!("error-too-many-streams")),
        }
    }

    fn retry_after(&self) -> Option<i64> {
        Some(30)
    }
}
