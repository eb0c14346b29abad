//! Errors of the admin area.

use crate::phrase;
use crate::web::error::{ErrorText, FeatureError, error_text};

#[derive(Debug, thiserror::Error)]
pub enum AdminError {
    /// 503 `replay_runs`: each instance runs one replay at a time.
    #[error("another replay is running on this instance")]
    ReplayRunning,
}

impl FeatureError for AdminError {
    fn text(&self) -> ErrorText {
        match self {
            Self::ReplayRunning => error_text(503, "replay_runs", phrase!("error-comparison-running")),
        }
    }
}
