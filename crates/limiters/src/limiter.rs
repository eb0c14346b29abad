//! Events, decisions and the [`Limiter`] trait.

use core::time::Duration;

use serde::de::DeserializeOwned;
use serde::{Deserializer, Serializer};

use super::timestamp::Timestamp;

/// Default maximum backward step of a clock that counts as clock skew: 60,000 milliseconds.
///
/// A backward step of at most this size counts as no elapsed time, and the state keeps the later time. A larger step
/// counts as a correction of the clock, and the state adopts the earlier time. Otherwise a clock that had been a day
/// ahead would block every key for a day after its correction.
pub const DEFAULT_MAX_BACKWARD_CLOCK_STEP_MS: i64 = 60_000;

/// Maximum wait that a limiter of a public resource may impose, in milliseconds: 24 hours.
///
/// [`Ema`](super::Ema) and [`Surge`](super::Surge) always allow an event that comes this long after the previous event.
/// [`Limiter::require_bounded_wait`] checks this property for limiters whose longest wait depends on their parameters.
pub const MAX_WAIT_MS: i64 = 24 * 60 * 60 * 1_000;

/// A request that a [`Limiter`] allows or refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// Time of the request.
    pub time: Timestamp,
    /// Cost in units. [`Ema`](super::Ema), [`EmaOriginal`](super::EmaOriginal), [`Surge`](super::Surge) and
    /// [`RateClass`](super::RateClass) accept only 1.
    pub cost: u32,
    /// Value of the request, such as the stars of a rating. Only [`Surge`](super::Surge) uses values. After an event
    /// without a value, the key no longer gets higher limits for typical values.
    pub value: Option<u8>,
}

impl Event {
    /// Creates an event with a cost of one unit and no value.
    #[must_use]
    #[inline]
    pub const fn at(time: Timestamp) -> Self {
        Self { time, cost: 1, value: None }
    }

    /// Same as [`at`](Self::at), with a time in milliseconds since the Unix epoch.
    #[must_use]
    pub const fn at_unix_millis(millis: i64) -> Self {
        Self::at(Timestamp::from_unix_millis(millis))
    }

    /// Sets the cost of the event in units.
    #[must_use]
    pub const fn with_cost(self, cost: u32) -> Self {
        Self { cost, ..self }
    }

    /// Sets the value of the event, such as the stars of a rating.
    #[must_use]
    pub const fn with_value(self, value: u8) -> Self {
        Self { value: Some(value), ..self }
    }
}

/// Decision of a limiter about one event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "the event must not happen if it is refused"]
#[non_exhaustive]
pub struct Decision {
    /// True if the event is allowed.
    pub allowed: bool,
    /// Time until the same event would be allowed if no other event came in between; zero when allowed.
    ///
    /// The wait is exact: one millisecond earlier, the event would be refused. [`Duration::MAX`] means never. After a
    /// refusal by a limiter that learns, the wait may be zero; see [`EmaDecision`](super::EmaDecision).
    pub retry_after: Duration,
    /// Whole units that are still available; `None` for limiters without a fixed quota.
    pub remaining: Option<u64>,
    /// Time until the state is equivalent to a fresh state; `None` for limiters without such a time.
    pub reset_after: Option<Duration>,
}

impl Decision {
    /// Creates a decision without `remaining` and `reset_after`, for limiters without a fixed quota.
    pub const fn new(allowed: bool, retry_after: Duration) -> Self {
        Self { allowed, retry_after, remaining: None, reset_after: None }
    }
}

/// A [`Decision`] with both possible next states.
///
/// The caller stores `admitted` if the event happens and `refused` otherwise, because an event that this limiter allows
/// may be refused by another limit.
#[derive(Clone, Copy, Debug, PartialEq)]
#[must_use = "one of the two states must be stored"]
pub struct Evaluation<S> {
    /// Decision of this limiter.
    pub decision: Decision,
    /// State to store if the event happens.
    pub admitted: S,
    /// State to store if the event is refused, by this or by another limiter. No units are spent, but an adaptive
    /// limiter has updated its statistics.
    pub refused: S,
}

/// A limiter of requests, as pure functions of a state and an [`Event`].
///
/// [`check`](Self::check) is enough for a single limit. [`evaluate`](Self::evaluate) returns both possible next states, which
/// are needed to apply several limits to one event, as [`combined_limits`](crate::combined_limits) does.
///
/// A state belongs to the parameters of the limiter that created it. [`save`](Self::save) and
/// [`restore`](Self::restore) carry a state over to a limiter with other parameters.
pub trait Limiter {
    /// State of one key. The default is the state of a key without events.
    type State: Clone + Default;

    /// Name of the limiter in settings, such as `leaky_bucket`.
    fn name(&self) -> &'static str;

    /// Decides an event and returns both possible next states. Never panics, whatever the time or the state.
    ///
    /// # Errors
    /// [`InvalidCost`] if the event can never be allowed. The state must then be left unchanged.
    fn evaluate(&self, state: &Self::State, event: Event) -> Result<Evaluation<Self::State>, InvalidCost>;

    /// Decides the retry of an event that was refused earlier.
    ///
    /// An admitted retry counts like any other event, so that refused clients are not all admitted together. A refused
    /// retry does not change what the limiter has learned, because the limiter has already observed the event.
    ///
    /// # Errors
    /// Same as [`evaluate`](Self::evaluate).
    fn evaluate_retry(&self, state: &Self::State, event: Event) -> Result<Evaluation<Self::State>, InvalidCost> {
        let evaluated = self.evaluate(state, event)?;
        Ok(Evaluation { refused: state.clone(), ..evaluated })
    }

    /// Decides an event and updates the state. The cost of an allowed event is charged.
    ///
    /// # Errors
    /// Same as [`evaluate`](Self::evaluate).
    #[inline(always)]
    fn check(&self, state: &mut Self::State, event: Event) -> Result<Decision, InvalidCost> {
        let Evaluation { decision, admitted, refused } = self.evaluate(state, event)?;
        *state = if decision.allowed { admitted } else { refused };
        Ok(decision)
    }

    /// Returns the decision that [`check`](Self::check) would make, without changing the state.
    ///
    /// # Errors
    /// Same as [`evaluate`](Self::evaluate).
    fn peek(&self, state: &Self::State, event: Event) -> Result<Decision, InvalidCost> {
        Ok(self.evaluate(state, event)?.decision)
    }

    /// Gives back the cost of an event that was allowed but did not happen.
    ///
    /// Returns `false` if the limiter does not support refunds, because it learns from events instead of charging for
    /// them.
    fn refund(&self, state: &mut Self::State, event: Event) -> bool {
        let _ = (state, event);
        false
    }

    /// Time from which the state can be deleted without admitting more events.
    ///
    /// `None` if the state must be kept, for example because deleting it would lose what was learned.
    fn expires_at(&self, state: &Self::State) -> Option<Timestamp>;

    /// Checks that every event is allowed after [`MAX_WAIT_MS`] without events, whatever happened before.
    ///
    /// Some valid parameters do not have this property: a [`RateClass`](super::RateClass), for example, may refuse a
    /// client forever.
    ///
    /// # Errors
    /// Returns the parameter that makes a longer wait possible.
    fn require_bounded_wait(&self) -> Result<(), InvalidParameter> {
        Ok(())
    }

    /// Serializes a state, for example to keep it in a database.
    ///
    /// # Errors
    /// Returns the error of the serializer.
    fn save<S: Serializer>(&self, state: &Self::State, serializer: S) -> Result<S::Ok, S::Error>;

    /// Deserializes a state that a limiter of the same type has saved, possibly with other parameters.
    ///
    /// # Errors
    /// Returns an error if the value is not a state of this limiter.
    fn restore<'de, D: Deserializer<'de>>(&self, saved: D) -> Result<Self::State, D::Error>;
}

/// A limiter that settings can select by name and configure with parameters.
pub trait NamedLimiter: Limiter + Sized {
    /// Name of the limiter in settings, such as `leaky_bucket`.
    const NAME: &'static str;

    /// Parameters of the limiter. Fields that are missing in serialized parameters have their defaults.
    type Params: DeserializeOwned;

    /// Validates the parameters, and creates a limiter.
    ///
    /// # Errors
    /// Returns an error that names the first parameter out of its range.
    fn with_params(params: Self::Params) -> Result<Self, InvalidParameter>;
}

/// A parameter that is out of its range.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name} must be {allowed}")]
pub struct InvalidParameter {
    /// Name of the parameter.
    pub name: &'static str,
    /// Allowed range, as a phrase that completes "must be …".
    pub allowed: &'static str,
}

/// A cost that can never be allowed, however long the client waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the cost {cost} can never be allowed: it must be from {min} to {max}")]
pub struct InvalidCost {
    /// Requested cost, in units of the limiter's capacity.
    pub cost: u32,
    /// Minimum cost that can be allowed.
    pub min: u32,
    /// Maximum cost that can be allowed.
    pub max: u32,
}

impl InvalidCost {
    /// Rejects every cost except 1, for limiters that learn from single events.
    pub(super) fn require_unit_cost(cost: u32) -> Result<(), Self> {
        if cost == 1 { Ok(()) } else { Err(Self { cost, min: 1, max: 1 }) }
    }
}

/// Returns an error with the name of the parameter if `valid` is false.
///
/// `allowed` describes the allowed range, as a phrase that completes "must be …".
pub fn validate_parameter(valid: bool, name: &'static str, allowed: &'static str) -> Result<(), InvalidParameter> {
    if valid { Ok(()) } else { Err(InvalidParameter { name, allowed }) }
}

pub(super) fn saturate_to_i64(value: i128) -> i64 {
    i64::try_from(value).unwrap_or(if value.is_negative() { i64::MIN } else { i64::MAX })
}

/// Shortest wait of at least `least` for which `allowed` is true, found by binary search; `i64::MAX` if no wait is
/// allowed.
///
/// `allowed` must be monotonic: if it is true for a wait, it must also be true for every longer wait.
pub(super) fn shortest_allowed_wait(least: i64, allowed: impl Fn(i64) -> bool) -> i64 {
    let (mut refused_at, mut allowed_at) = (least, least);
    while !allowed(allowed_at) && allowed_at < i64::MAX {
        refused_at = allowed_at;
        allowed_at = allowed_at.saturating_mul(2).saturating_add(1);
    }
    while allowed_at - refused_at > 1 {
        let middle = refused_at + (allowed_at - refused_at) / 2;
        if allowed(middle) { allowed_at = middle } else { refused_at = middle }
    }
    allowed_at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_saturate_at_both_ends() {
        assert_eq!(saturate_to_i64(i128::from(i64::MAX) + 1), i64::MAX);
        assert_eq!(saturate_to_i64(i128::from(i64::MIN) - 1), i64::MIN);
        assert_eq!((saturate_to_i64(0), saturate_to_i64(-5)), (0, -5));
    }

    #[test]
    fn shortest_allowed_wait_is_found() {
        for first in 0..200 {
            assert_eq!(shortest_allowed_wait(0, |wait| wait >= first), first);
            assert_eq!(shortest_allowed_wait(1, |wait| wait >= first), first.max(1));
        }
        assert_eq!(shortest_allowed_wait(0, |_| false), i64::MAX);
    }

    #[test]
    fn event_builder_and_cost_error() {
        let event = Event::at_unix_millis(7).with_cost(3).with_value(5);
        assert_eq!((event.time.unix_millis(), event.cost, event.value), (7, 3, Some(5)));
        let error = InvalidCost { cost: 9, min: 1, max: 2 };
        assert_eq!(error.to_string(), "the cost 9 can never be allowed: it must be from 1 to 2");
    }
}
