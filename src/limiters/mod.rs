//! Rate limiters as pure steps: parameters, a state and the time in; a new state and a [`Decision`] out.
//!
//! Nothing here reads a clock, draws a random number or touches the outside world, so every decision
//! can be replayed. Whoever keeps the states (a map, a row in a database) owns atomicity: load, decide
//! and store under one lock.
//!
//! | limiter | watches | state | choose it when |
//! |---|---|---|---|
//! | [`LeakyBucket`] | how many units are in a bucket that leaks steadily | 3 integers | a hard ceiling is wanted: at most `capacity` at once and `leak` for ever |
//! | [`Ema`] | how much shorter the gaps between events have become than they usually are | 5 numbers | "fast" differs from key to key and has to be learned |
//!
//! Both of them are one file each, in the same order: what it is, parameters, state, `decide`, tests.
//!
//! # Example: a bucket, step by step
//!
//! ```
//! use evenkeel::limiters::{LeakyBucket, LeakyBucketParams, Limiter};
//!
//! // Two units fit; one leaks out every 500 ms.
//! let limiter = LeakyBucket::new(LeakyBucketParams { capacity: 2, leak_amount: 2, leak_period_ms: 1000, ..Default::default() })?;
//! let fresh = Default::default();
//!
//! let (one, decision) = limiter.decide(&fresh, 0);
//! assert_eq!((decision.allowed, decision.remaining), (true, Some(1)));
//! let (two, decision) = limiter.decide(&one, 0);
//! assert_eq!((decision.allowed, decision.remaining), (true, Some(0)));
//! let (full, decision) = limiter.decide(&two, 0);
//! assert_eq!((decision.allowed, decision.retry_after_ms), (false, 500));
//!
//! // A refusal costs nothing, and the promise is exact.
//! assert!(!limiter.decide(&full, 499).1.allowed);
//! assert!(limiter.decide(&full, 500).1.allowed);
//! # Ok::<(), evenkeel::limiters::InvalidParameter>(())
//! ```

mod advance;
mod ema;
mod leaky_bucket;
#[cfg(feature = "site")]
pub mod postgres;

use serde::{Serialize, de::DeserializeOwned};

pub use self::ema::{Ema, EmaDecision, EmaParams, EmaReason, EmaState, RefusedWeight, Signal};
pub use self::leaky_bucket::{CostOverCapacity, LeakyBucket, LeakyBucketParams, LeakyBucketState};

/// How far a clock may run backwards before it counts as corrected, in milliseconds.
///
/// Smaller steps are skew between servers and pass as "no time has passed"; larger ones move the
/// state's own time, or a clock that was a day ahead would freeze every key for a day.
pub const DEFAULT_MAX_BACKWARD_MS: i64 = 60_000;

/// A limiter whose event is nothing but its time.
pub trait Limiter {
    /// What is remembered of one key. The default is a key never seen before.
    type State: Clone + Default + Serialize + DeserializeOwned;

    /// Decides an event at `now_ms` (milliseconds since the Unix epoch) and returns the state to keep.
    ///
    /// The state is to be stored whether or not the event was allowed. Never panics, whatever the
    /// time or the state.
    fn decide(&self, state: &Self::State, now_ms: i64) -> (Self::State, Decision);

    /// From when on (milliseconds since the Unix epoch) the state may be forgotten without
    /// changing any decision; `None` when forgetting always loses something learned.
    fn forgettable_at_ms(&self, state: &Self::State) -> Option<i64>;
}

/// The answer to one event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    pub allowed: bool,
    /// Milliseconds after which the same event would be allowed if nobody else came in between:
    /// refused one millisecond earlier, allowed at it. 0 when allowed.
    pub retry_after_ms: i64,
    /// Whole units that would still be allowed now; `None` where the limiter has no such number.
    pub remaining: Option<i64>,
    /// Milliseconds until the state is as good as fresh; `None` where the limiter has no such time.
    pub reset_after_ms: Option<i64>,
}

/// A parameter outside its range.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name} must be {allowed}")]
pub struct InvalidParameter {
    pub name: &'static str,
    /// The allowed range, in words that complete "must be …".
    pub allowed: &'static str,
}

/// `Err` naming the parameter unless `valid`.
fn require(valid: bool, name: &'static str, allowed: &'static str) -> Result<(), InvalidParameter> {
    if valid { Ok(()) } else { Err(InvalidParameter { name, allowed }) }
}
