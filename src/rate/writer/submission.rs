//! Messages between requests and the rating writer.

use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, oneshot};
use tokio::time::Instant;

use crate::rate::models::{Rating, RatingKey, Stars};
use crate::rate::zombie_pauses::Pause;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RatingOperation {
    Create(Stars),
    Change(Stars),
    Withdraw,
}

impl RatingOperation {
    /// `None` for a withdrawal.
    pub fn stars(self) -> Option<Stars> {
        match self {
            Self::Create(stars) | Self::Change(stars) => Some(stars),
            Self::Withdraw => None,
        }
    }

    /// Edits require an existing rating, and count in the limit on changes.
    pub fn is_edit(self) -> bool {
        !matches!(self, Self::Create(_))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RatingRequest {
    pub operation: RatingOperation,
    pub pair: RatingKey,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The post does not exist or is not published.
    NotFound,
    NotRated,
    OwnPost,
    AlreadyRated,
    RateLimited {
        retry_after: Duration,
    },
    EditLimited {
        retry_after: Duration,
    },
    Paused(Pause),
    Busy,
    Unavailable,
}

pub type RatingOutcome = Result<Rating, Refusal>;

pub struct Submission {
    pub request: RatingRequest,
    pub queued_at: Instant,
    pub reply: oneshot::Sender<RatingOutcome>,
    /// Released when the rating joins a batch.
    pub place: OwnedSemaphorePermit,
}
