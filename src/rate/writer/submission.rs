//! Requests to the writer, and its reasons to refuse them.

use tokio::sync::oneshot;
use tokio::time::Instant;

use crate::rate::models::{Pair, Rate, Stars};
use crate::rate::zombie_pauses::Pause;

/// What to do with a rating.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    Create,
    Change,
}

/// A rating that is to be added or changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RatingRequest {
    pub operation: Operation,
    pub pair: Pair,
    pub stars: Stars,
}

/// Why a rating was not written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    NotFound,
    OwnPost,
    AlreadyRated,
    RateLimited { retry_after_ms: i64 },
    EditLimited { retry_after_ms: i64 },
    Paused(Pause),
    Busy,
    Unavailable,
}

pub type Outcome = Result<Rate, Refusal>;

/// A rating request, and where its outcome is sent.
pub struct Submission {
    pub request: RatingRequest,
    pub since: Instant,
    pub reply: oneshot::Sender<Outcome>,
}
