//! Errors of the admin area.

use crate::phrase;
use crate::web::error::{ErrorText, FeatureError, error_text};

#[derive(Debug, thiserror::Error)]
pub enum AdminError {
    /// HTTP 503 `replay_runs`: this instance is already running a replay, and runs only one at a time.
    #[error("a replay runs")]
    ReplayRunning,
}

impl FeatureError for AdminError {
    fn error_text(&self) -> ErrorText {
        match self {
            Self::ReplayRunning => error_text(503, "replay_runs", phrase!("error-comparison-running")),
        }
    }
}
