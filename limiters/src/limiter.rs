//! What limiters have in common: events, decisions, and the trait.

use serde::de::DeserializeOwned;
use serde::{Deserializer, Serialize};

/// How far a clock may run backwards before it counts as corrected, in milliseconds.
///
/// A smaller step back is taken for skew between servers, and counts as no time passed. A larger one is taken for a
/// correction, and the state adopts the earlier time. Otherwise a clock that was a day ahead would freeze every key for
/// a day.
pub const DEFAULT_MAX_BACKWARD_MS: i64 = 60_000;

/// The longest wait that a limiter of a public resource may impose, in milliseconds: 24 hours.
///
/// [`Ema`](super::Ema) and [`Surge`](super::Surge) always allow an event that comes this long after the one before it.
/// [`Limiter::require_bounded_wait`] checks the same of limiters whose waits follow from their parameters.
pub const LONGEST_WAIT_MS: i64 = 24 * 60 * 60 * 1_000;

/// A request that a limiter is to allow or refuse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// When it comes, in milliseconds since the Unix epoch.
    pub now_ms: i64,
    /// How many units it takes. Limiters that learn from single events take 1 only.
    pub cost: u32,
    /// What the request carries, such as the stars of a rating. Only [`Surge`](super::Surge) looks at it.
    pub value: Option<u8>,
}

impl Event {
    /// An event that costs one unit and has no value.
    #[must_use]
    pub const fn at(now_ms: i64) -> Self {
        Self { now_ms, cost: 1, value: None }
    }

    /// The same event with this cost.
    #[must_use]
    pub const fn costing(self, cost: u32) -> Self {
        Self { cost, ..self }
    }

    /// The same event with this value.
    #[must_use]
    pub const fn with_value(self, value: u8) -> Self {
        Self { value: Some(value), ..self }
    }
}

/// The answer to an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    /// Whether the event may happen.
    pub allowed: bool,
    /// Milliseconds after which the same event would be allowed, if no other event came in between. This is exact: one
    /// millisecond earlier it would be refused. 0 when allowed.
    pub retry_after_ms: i64,
    /// Whole units that would still be allowed now; `None` where the limiter has no such number.
    pub remaining: Option<i64>,
    /// Milliseconds until the state is as good as fresh; `None` where the limiter has no such time.
    pub reset_after_ms: Option<i64>,
}

impl Decision {
    /// A decision without `remaining` and `reset_after_ms`, for limiters that have no such numbers.
    pub(super) const fn bare(allowed: bool, retry_after_ms: i64) -> Self {
        Self { allowed, retry_after_ms, remaining: None, reset_after_ms: None }
    }
}

/// A decision, with the state to keep if the event happens and the state to keep if it does not. The caller chooses, as
/// another limit may refuse what this one allows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judgement<S> {
    /// The answer.
    pub decision: Decision,
    /// The state to keep if the event happens.
    pub admitted: S,
    /// The state to keep if it does not happen: nothing is spent, but a limiter that learns has seen the event.
    pub refused: S,
}

/// A limiter whose events are requests.
pub trait Limiter {
    /// What is remembered of one key. The default is a key never seen before.
    type State: Clone + Default + Serialize;

    /// The limiter's name, such as `leaky_bucket`.
    fn name(&self) -> &'static str;

    /// Decides an event. Nothing is stored: see [`check`](Self::check). Never panics, whatever the time or the state.
    ///
    /// # Errors
    /// [`InvalidCost`]: the event can never be allowed, and the state is to be left as it was.
    fn judge(&self, state: &Self::State, event: Event) -> Result<Judgement<Self::State>, InvalidCost>;

    /// Decides an event of a client whose earlier event was seen and refused. Admitting it counts like any other event, so that
    /// not everybody who was refused is admitted together; refusing it again teaches nothing.
    ///
    /// # Errors
    /// As [`judge`](Self::judge).
    fn judge_retry(&self, state: &Self::State, event: Event) -> Result<Judgement<Self::State>, InvalidCost> {
        let judged = self.judge(state, event)?;
        Ok(Judgement { refused: state.clone(), ..judged })
    }

    /// Decides an event and remembers it. This *spends* what the event costs.
    ///
    /// # Errors
    /// As [`judge`](Self::judge).
    fn check(&self, state: &mut Self::State, event: Event) -> Result<Decision, InvalidCost> {
        let Judgement { decision, admitted, refused } = self.judge(state, event)?;
        *state = if decision.allowed { admitted } else { refused };
        Ok(decision)
    }

    /// What [`check`](Self::check) would answer, without spending anything.
    ///
    /// # Errors
    /// As [`judge`](Self::judge).
    fn peek(&self, state: &Self::State, event: Event) -> Result<Decision, InvalidCost> {
        Ok(self.judge(state, event)?.decision)
    }

    /// Gives back what an event cost that was allowed and then did not happen. `false` where that has no
    /// meaning, because the limiter learns from events and does not charge for them.
    fn refund(&self, state: &mut Self::State, event: Event) -> bool {
        let _ = (state, event);
        false
    }

    /// The time, in milliseconds since the Unix epoch, from which the state may be forgotten without letting more
    /// through. `None` when there is no such time, as forgetting the state would lose what was learned.
    fn forgettable_at_ms(&self, state: &Self::State) -> Option<i64>;

    /// Checks that an event is allowed after [`LONGEST_WAIT_MS`] without events, whatever came before. Not every
    /// set of valid parameters has this property: a [`RateClass`](super::RateClass) may disconnect a client for ever.
    ///
    /// # Errors
    /// Names the parameter that makes a longer wait possible.
    fn require_bounded_wait(&self) -> Result<(), InvalidParameter> {
        Ok(())
    }

    /// Reads a state that was serialised.
    ///
    /// # Errors
    /// When it is not a state of this limiter.
    fn restore<'de, D: Deserializer<'de>>(&self, stored: D) -> Result<Self::State, D::Error>;
}

/// A limiter that can be chosen by its name and made from parameters, as settings do.
pub trait Named: Limiter + Sized {
    /// Such as `leaky_bucket`.
    const NAME: &'static str;

    /// Its parameters. When they are read, those that are left out have their defaults.
    type Params: DeserializeOwned;

    /// # Errors
    /// Names the first parameter that is out of its range.
    fn with_params(params: Self::Params) -> Result<Self, InvalidParameter>;
}

/// A parameter outside its range.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name} must be {allowed}")]
pub struct InvalidParameter {
    /// Which parameter.
    pub name: &'static str,
    /// The allowed range, in words that complete "must be …".
    pub allowed: &'static str,
}

/// An event that can never be allowed, however long one waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a cost of {cost} can never be allowed here; from {least} to {most} can")]
pub struct InvalidCost {
    /// What was asked for.
    pub cost: u32,
    /// The least cost that can be allowed.
    pub least: u32,
    /// The highest cost that can be allowed.
    pub most: u32,
}

impl InvalidCost {
    /// `Err` unless the cost is 1, for limiters that learn from single events.
    pub(super) fn unless_one(cost: u32) -> Result<(), Self> {
        if cost == 1 { Ok(()) } else { Err(Self { cost, least: 1, most: 1 }) }
    }
}

/// Checks a parameter: `valid` tells whether it is in its range, `allowed` completes "must be …".
///
/// # Errors
/// Names the parameter if it is not valid.
pub fn require(valid: bool, name: &'static str, allowed: &'static str) -> Result<(), InvalidParameter> {
    if valid { Ok(()) } else { Err(InvalidParameter { name, allowed }) }
}

pub(super) fn saturate(value: i128) -> i64 {
    i64::try_from(value).unwrap_or(if value.is_negative() { i64::MIN } else { i64::MAX })
}

/// The shortest wait, of at least `least`, after which an event is allowed; `i64::MAX` when there is none. Once an
/// event is allowed, it has to stay allowed for longer waits.
pub(super) fn first_allowed(least: i64, allowed: impl Fn(i64) -> bool) -> i64 {
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
        assert_eq!(saturate(i128::from(i64::MAX) + 1), i64::MAX);
        assert_eq!(saturate(i128::from(i64::MIN) - 1), i64::MIN);
        assert_eq!((saturate(0), saturate(-5)), (0, -5));
    }

    #[test]
    fn the_first_moment_is_found_wherever_it_is() {
        for first in 0..200 {
            assert_eq!(first_allowed(0, |wait| wait >= first), first);
            assert_eq!(first_allowed(1, |wait| wait >= first), first.max(1));
        }
        assert_eq!(first_allowed(0, |_| false), i64::MAX);
    }

    #[test]
    fn events_say_what_they_are() {
        let event = Event::at(7).costing(3).with_value(5);
        assert_eq!((event.now_ms, event.cost, event.value), (7, 3, Some(5)));
        let error = InvalidCost { cost: 9, least: 1, most: 2 };
        assert_eq!(error.to_string(), "a cost of 9 can never be allowed here; from 1 to 2 can");
    }
}
