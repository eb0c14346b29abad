//! Rate limiters as pure steps: parameters, a state and an event in; a new state and a [`Decision`] out.
//!
//! No limiter reads a clock, draws a random number or touches the outside world, so every decision can be replayed.
//! [`stores`] keep the states: in memory, or in `PostgreSQL` for several processes.
//!
//! | limiter | watches | state | choose it when | weakness |
//! |---|---|---|---|---|
//! | [`LeakyBucket`] | how many units are in a bucket that leaks steadily | 3 integers | a hard ceiling is wanted: at most `capacity` at once and `leak` for ever | knows nothing of what is usual: below its ceiling everything passes, and a popular key meets it daily |
//! | [`Ema`] | how much shorter the gaps between events have become than they usually are | 5 numbers | "fast" differs from key to key and has to be learned, and traffic is fairly even | honest bursts are refused; a key born in a flood takes it for its baseline; a slow ramp is followed |
//! | [`Surge`] | how many events an hour and a day there are, against what weeks have shown, and whether they look like the usual ones | 12 numbers | human traffic with bursts, launches and days of fame, and crowds among them | a crowd that lasts for days becomes usual; needs days to learn |
//! | [`RateClass`] | a moving average of one client's gaps | 4 values | clients should be warned before they are limited, and pay for going on | uneven gaps let somewhat more through than even ones; a client between `limit` and `clear` is never let out until it pauses |
//! | [`ZombiePause`] | failures of one client at one thing, over months | 3 integers | clients retry for ever what can only fail | somebody has to lift a pause |
//! | [`Pacer`] | the answers of a service that is called | 4 values | *we* are the client, and the service asks for waits and back-offs | as polite as its random numbers are good |
//!
//! The first four are [`Limiter`]s: their events are requests, so they can be stored, exchanged ([`AnyLimiter`])
//! and [checked together](together). The last two have events of their own. All are one file each, in the same order:
//! what it is, parameters, state, decision, steps.
//!
//! Parameters are checked when a limiter is made, and states belong to no limiter: change the parameters, or
//! choose others for some keys ([`Overrides`]), and pass the same states on.
//!
//! # A bucket, step by step
//!
//! ```
//! use evenkeel::limiters::{Event, LeakyBucket, LeakyBucketParams, Limiter};
//!
//! // Two units fit; one leaks out every 500 ms.
//! let limiter = LeakyBucket::new(LeakyBucketParams { capacity: 2, leak_amount: 2, leak_period_ms: 1000, ..Default::default() })?;
//! let mut state = Default::default();
//!
//! let decision = limiter.check(&mut state, Event::at(0))?;
//! assert_eq!((decision.allowed, decision.remaining), (true, Some(1)));
//! let decision = limiter.check(&mut state, Event::at(0))?;
//! assert_eq!((decision.allowed, decision.remaining), (true, Some(0)));
//! let decision = limiter.check(&mut state, Event::at(0))?;
//! assert_eq!((decision.allowed, decision.retry_after_ms), (false, 500));
//!
//! // A refusal costs nothing, and the promise is exact.
//! assert!(!limiter.peek(&state, Event::at(499))?.allowed);
//! assert!(limiter.peek(&state, Event::at(500))?.allowed);
//!
//! // What was admitted and then did not happen is given back.
//! limiter.refund(&mut state, Event::at(0));
//! assert!(limiter.check(&mut state, Event::at(0))?.allowed);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # An EMA, step by step
//!
//! ```
//! use evenkeel::limiters::{Ema, EmaParams, EmaState, Event, Limiter};
//!
//! let limiter = Ema::new(EmaParams::default())?;
//! let mut state = EmaState::default();
//! // It learns that there are five seconds between events ...
//! for i in 0..15 {
//!     assert!(limiter.check(&mut state, Event::at(i * 5_000))?.allowed);
//! }
//! // ... and refuses what comes a hundred times faster, from the first on,
//! for i in 1..=6 {
//!     assert!(!limiter.check(&mut state, Event::at(70_000 + i * 50))?.allowed);
//! }
//! // until the usual gap has passed.
//! assert!(limiter.check(&mut state, Event::at(75_300))?.allowed);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # A surge, step by step
//!
//! ```
//! use evenkeel::limiters::{Event, Limiter, Surge, SurgeParams, SurgeState};
//!
//! let limiter = Surge::new(SurgeParams::default())?;
//! let mut state = SurgeState::default();
//! let day = 86_400_000;
//! // For three weeks a post gets a rating a day, of four stars.
//! for i in 0..21 {
//!     assert!(limiter.check(&mut state, Event::at(i * day).with_value(4))?.allowed);
//! }
//! // Then a crowd sends one star a second: a handful gets through.
//! let mut one_star = |at| limiter.check(&mut state, Event::at(at).with_value(1));
//! let crowd: Result<Vec<_>, _> = (0..1_000).map(|i| one_star(21 * day + i * 1_000)).collect();
//! assert!(crowd?.iter().filter(|decision| decision.allowed).count() < 10);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # A rate class, step by step
//!
//! ```
//! use evenkeel::limiters::{RateClass, RateClassParams, RateClassState, RateNotice, RateStatus};
//!
//! let class = RateClass::new(RateClassParams::default())?;
//! let mut state = RateClassState::default();
//! let mut told = Vec::new();
//! // A request a second is too fast: a warning, then the limit, and in the end the door.
//! for i in 0..19 {
//!     let (next, decision) = class.request(&state, i * 1_000);
//!     state = next;
//!     told.extend(decision.notice);
//! }
//! assert_eq!(told, [RateNotice::Warning, RateNotice::Limit]);
//! assert_eq!(state.status, RateStatus::Disconnect);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # A pause, step by step
//!
//! ```
//! use evenkeel::limiters::{PauseAction, ZombiePause, ZombiePauseParams, ZombiePauseState};
//!
//! let pause = ZombiePause::new(ZombiePauseParams { burst: 2, ..Default::default() })?;
//! let mut state = ZombiePauseState::default();
//! let mut actions = Vec::new();
//! for i in 0..3 {
//!     let (next, decision) = pause.fail(&state, i);
//!     state = next;
//!     actions.push(decision.action);
//! }
//! assert_eq!(actions, [PauseAction::None, PauseAction::None, PauseAction::Paused]);
//!
//! // A person has mended it. The next failure is forgiven, for two weeks.
//! let state = pause.unpause(&state, 10).unwrap();
//! assert!(!state.is_paused());
//! assert_eq!(pause.fail(&state, 20).1.action, PauseAction::Grace);
//! # Ok::<(), evenkeel::limiters::InvalidParameter>(())
//! ```
//!
//! A [`Pacer`] has its example in its own documentation.

mod advance;
mod any;
mod ema;
mod leaky_bucket;
mod overrides;
mod pacer;
mod rate_class;
pub mod stores;
mod surge;
pub mod together;
mod zombie_pause;

use serde::{Deserializer, Serialize};

pub use self::any::{AnyLimiter, AnyState};
pub use self::ema::{Ema, EmaDecision, EmaParams, EmaReason, EmaState, RefusedWeight, Signal};
pub use self::leaky_bucket::{LeakyBucket, LeakyBucketParams, LeakyBucketState};
pub use self::overrides::Overrides;
pub use self::pacer::{InvalidRandom, Pacer, PacerDecision, PacerMode, PacerParams, PacerState};
pub use self::rate_class::{RateClass, RateClassDecision, RateClassParams, RateClassState, RateNotice, RateStatus};
pub use self::surge::{Surge, SurgeDecision, SurgeParams, SurgeReason, SurgeState};
pub use self::zombie_pause::{PauseAction, PauseDecision, Unpaused, ZombiePause, ZombiePauseParams, ZombiePauseState};

/// How far a clock may run backwards before it counts as corrected, in milliseconds.
///
/// Smaller steps are skew between servers and pass as "no time has passed"; larger ones move the
/// state's own time, or a clock that was a day ahead would freeze every key for a day.
pub const DEFAULT_MAX_BACKWARD_MS: i64 = 60_000;

/// A request that somebody wants to be decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// When, in milliseconds since the Unix epoch.
    pub now_ms: i64,
    /// How many units it takes. Limiters that learn from single events take 1 only.
    pub cost: u32,
    /// What it says, such as the stars of a rating; only [`Surge`] looks at it.
    pub value: Option<u8>,
}

impl Event {
    /// One unit, without a value.
    #[must_use]
    pub const fn at(now_ms: i64) -> Self {
        Self { now_ms, cost: 1, value: None }
    }

    #[must_use]
    pub const fn costing(self, cost: u32) -> Self {
        Self { cost, ..self }
    }

    #[must_use]
    pub const fn with_value(self, value: u8) -> Self {
        Self { value: Some(value), ..self }
    }
}

/// The answer to an event.
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

impl Decision {
    /// Of a limiter that has nothing to count down.
    const fn bare(allowed: bool, retry_after_ms: i64) -> Self {
        Self { allowed, retry_after_ms, remaining: None, reset_after_ms: None }
    }
}

/// A decision, and what is to be remembered of the event in either case. Other limits may refuse what this one allows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judgement<S> {
    pub decision: Decision,
    /// The state to keep when the event happens.
    pub admitted: S,
    /// The state to keep when it does not: nothing is spent, but what is learned from is seen.
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

    /// From when on (milliseconds since the Unix epoch) the state may be forgotten without admitting anything
    /// more; `None` when forgetting always loses something learned.
    fn forgettable_at_ms(&self, state: &Self::State) -> Option<i64>;

    /// Reads a state that was serialised.
    ///
    /// # Errors
    /// When it is none.
    fn restore<'de, D: Deserializer<'de>>(&self, stored: D) -> Result<Self::State, D::Error>;
}

/// A parameter outside its range.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name} must be {allowed}")]
pub struct InvalidParameter {
    pub name: &'static str,
    /// The allowed range, in words that complete "must be …".
    pub allowed: &'static str,
}

/// An event that can never be allowed, however long one waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a cost of {cost} can never be allowed here; from {least} to {most} can")]
pub struct InvalidCost {
    pub cost: u32,
    pub least: u32,
    pub most: u32,
}

impl InvalidCost {
    /// For limiters that learn from single events.
    fn unless_one(cost: u32) -> Result<(), Self> {
        if cost == 1 { Ok(()) } else { Err(Self { cost, least: 1, most: 1 }) }
    }
}

/// `Err` naming the parameter unless `valid`.
pub(crate) fn require(valid: bool, name: &'static str, allowed: &'static str) -> Result<(), InvalidParameter> {
    if valid { Ok(()) } else { Err(InvalidParameter { name, allowed }) }
}

fn saturate(value: i128) -> i64 {
    i64::try_from(value).unwrap_or(if value.is_negative() { i64::MIN } else { i64::MAX })
}

/// The shortest wait, from `least` on, after which an event is allowed, if it is from then on. `i64::MAX` for never.
fn first_allowed(least: i64, allowed: impl Fn(i64) -> bool) -> i64 {
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
