//! Which limiter guards a post, and what it remembers of one.
//!
//! A new limiter is a file in `limiters`, a variant of [`RatingLimiter`] with its settings, and an arm
//! in [`RatingLimiter::name`] and [`RatingLimiter::guard`].

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::Value;

use crate::limiters::postgres::StoredState;
use crate::limiters::{Decision, Limiter};
use crate::settings::RatingLimiter;

/// How long what was learned of a post outlives its last rating.
const RETENTION: TimeDelta = TimeDelta::days(365);

/// One post's limiter, with its state, for the length of a batch.
pub trait Guard: Send + Sync {
    /// Decides one rating and remembers it.
    fn decide(&mut self, now: DateTime<Utc>) -> Decision;

    /// The state as it is to be stored.
    ///
    /// # Errors
    /// When it has no JSON form, which no state of ours lacks.
    fn to_stored(&self, now: DateTime<Utc>) -> serde_json::Result<StoredState>;
}

/// The key of a post's state.
pub fn key(blog: i64) -> String {
    format!("post:{blog}")
}

impl RatingLimiter {
    /// The limiter's name in `limiter_states`; none when there is no gate.
    #[must_use]
    pub fn name(&self) -> Option<&'static str> {
        match self {
            Self::Off => None,
            Self::LeakyBucket(_) => Some("leaky_bucket"),
            Self::Ema(_) => Some("ema"),
        }
    }

    /// A post's guard with its stored state; none when there is no gate.
    ///
    /// # Errors
    /// When the stored state cannot be read.
    pub(super) fn guard<'a>(&'a self, stored: &Value) -> serde_json::Result<Option<Box<dyn Guard + 'a>>> {
        Ok(match self {
            Self::Off => None,
            Self::LeakyBucket(limiter) => Some(guard(limiter, stored)?),
            Self::Ema(limiter) => Some(guard(limiter, stored)?),
        })
    }
}

fn guard<'a, L: Limiter<State: Send + Sync> + Sync>(
    limiter: &'a L,
    stored: &Value,
) -> serde_json::Result<Box<dyn Guard + 'a>> {
    let state = if stored.is_null() { L::State::default() } else { serde::Deserialize::deserialize(stored)? };
    Ok(Box::new(WithState { limiter, state }))
}

struct WithState<'a, L: Limiter> {
    limiter: &'a L,
    state: L::State,
}

impl<L: Limiter<State: Send + Sync> + Sync> Guard for WithState<'_, L> {
    fn decide(&mut self, now: DateTime<Utc>) -> Decision {
        let (state, decision) = self.limiter.decide(&self.state, now.timestamp_millis());
        self.state = state;
        decision
    }

    fn to_stored(&self, now: DateTime<Utc>) -> serde_json::Result<StoredState> {
        let forgettable = self.limiter.forgettable_at_ms(&self.state).and_then(DateTime::from_timestamp_millis);
        let expires_at = forgettable.unwrap_or(now + RETENTION);
        Ok(StoredState { state: serde_json::to_value(&self.state)?, expires_at })
    }
}
