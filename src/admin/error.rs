//! Errors of the admin area.

use crate::phrase;
use crate::web::error::{AppProblem, ErrorText, error_text};

#[derive(Debug, thiserror::Error)]
pub enum AdminError {
    /// 503 `replay_runs`: each instance runs one replay at a time.
    #[error("a replay runs")]
    ReplayRuns,
}

impl AppProblem for AdminError {
    fn words(&self) -> ErrorText {
        match self {
            Self::ReplayRuns => error_text(503, "replay_runs", phrase!("error-replay-runs")),
        }
    }
}
