//! Messages between requests and the rating writer.

use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, oneshot};
use tokio::time::Instant;

use crate::rate::models::{Rating, RatingRequest};
use crate::rate::zombie_pauses::Pause;

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
