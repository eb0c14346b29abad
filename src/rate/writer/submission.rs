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
    /// Deletes a rating.
    Withdraw,
}

impl RatingOperation {
    /// New stars of the rating; `None` if the rating is withdrawn.
    pub fn stars(self) -> Option<Stars> {
        match self {
            Self::Create(stars) | Self::Change(stars) => Some(stars),
            Self::Withdraw => None,
        }
    }

    /// True if the operation requires an existing rating, and therefore counts in the limit on changes.
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

/// Queued rating request, with the channel for its outcome.
pub struct Submission {
    pub request: RatingRequest,
    pub queued_at: Instant,
    pub reply: oneshot::Sender<RatingOutcome>,
    /// Place in the queue, which becomes free when the rating joins a batch.
    pub place: OwnedSemaphorePermit,
}
