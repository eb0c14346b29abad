//! What the writer of ratings is asked to do, and why it may refuse.

use crate::rate::models::{Pair, Stars};
use crate::rate::zombie_pauses::Pause;

/// What is to be done with a rating.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    Create,
    Change,
}

/// One rating, as it was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Item {
    pub act: Act,
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
