//! Rate limiters as pure steps: each takes its parameters, a state and an event, and gives a new state and a
//! [`Decision`].
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
//! The first four are [`Limiter`]s: their events are requests, so they can be stored, exchanged ([`AnyLimiter`]) and
//! [checked together](together). The last two have events of their own. Each limiter is one file, and all files have
//! the same order: what the limiter is, parameters, state, decision, steps.
//!
//! The [`SteadyScore`] is an average of stars that a brigade does not move. It is no limiter, as it refuses nobody: a group
//! of ratings only weighs as much as is usual, and less if it contradicts the others. A limiter protects against floods of
//! ratings, the score against brigades; they can be used together. [`UnusualActivity`] decides when users should be told
//! what a limiter refused.
//!
//! Parameters are checked when a limiter is made. States do not belong to a limiter: change the parameters, or use
//! others for some keys ([`Overrides`]), and go on with the same states.
//!
//! # A bucket, step by step
//!
//! ```
//! use evenkeel_limiters::{Event, LeakyBucket, LeakyBucketParams, Limiter};
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
//! use evenkeel_limiters::{Ema, EmaParams, EmaState, Event, Limiter};
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
//! use evenkeel_limiters::{Event, Limiter, Surge, SurgeParams, SurgeState};
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
//! use evenkeel_limiters::{RateClass, RateClassParams, RateClassState, RateNotice, RateStatus};
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
//! use evenkeel_limiters::{PauseAction, ZombiePause, ZombiePauseParams, ZombiePauseState};
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
//! # Ok::<(), evenkeel_limiters::InvalidParameter>(())
//! ```
//!
//! A [`Pacer`] has its example in its own documentation.

#![warn(missing_docs)]

mod advance;
mod any;
mod ema;
mod leaky_bucket;
mod limiter;
mod overrides;
mod pacer;
mod rate_class;
mod steady_score;
pub mod stores;
mod surge;
pub mod together;
mod unusual_activity;
mod zombie_pause;

use serde::{Deserializer, Serialize};

pub use self::any::InvalidParams;
pub use self::ema::{Ema, EmaDecision, EmaParams, EmaReason, EmaState, RefusedWeight, Signal};
pub use self::leaky_bucket::{LeakyBucket, LeakyBucketParams, LeakyBucketState};
pub use self::limiter::{
    DEFAULT_MAX_BACKWARD_MS, Decision, Event, InvalidCost, InvalidParameter, Judgement, LONGEST_WAIT_MS, Limiter,
    Named, require,
};
pub use self::overrides::Overrides;
pub use self::pacer::{InvalidRandom, Pacer, PacerDecision, PacerMode, PacerParams, PacerState};
pub use self::rate_class::{RateClass, RateClassDecision, RateClassParams, RateClassState, RateNotice, RateStatus};
pub use self::steady_score::{
    Contribution, CountedShares, OpenPeriod, PeriodStanding, ScorePeriod, Steady, SteadyScore, SteadyScoreParams,
    SteadyScoreState, WeightedStars,
};
pub use self::surge::{Surge, SurgeDecision, SurgeParams, SurgeReason, SurgeState};
pub use self::unusual_activity::{HourTally, Unusual, UnusualActivity, UnusualActivityParams, Usual};
pub use self::zombie_pause::{PauseAction, PauseDecision, Unpaused, ZombiePause, ZombiePauseParams, ZombiePauseState};

// One line for each limiter whose events are requests. It makes the limiter available by its name, as settings need it.
any::any_limiter! {
    LeakyBucket
    Ema
    RateClass
    Surge
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that a limiter gives the same answers and the same states as itself and as an [`AnyLimiter`].
    fn compare<L: Limiter<State: PartialEq + std::fmt::Debug>>(
        own: &L,
        any: AnyLimiter,
        wrap: fn(L::State) -> AnyState,
    ) {
        let (mut mine, mut same) = (L::State::default(), AnyState::default());
        assert_eq!(own.name(), any.name());
        for step in 0..200 {
            let event = Event::at(step * step * 40).with_value(3);
            assert_eq!(own.peek(&mine, event), any.peek(&same, event));
            assert_eq!(own.check(&mut mine, event), any.check(&mut same, event));
            if step % 10 == 0 {
                assert_eq!(own.refund(&mut mine, event), any.refund(&mut same, event));
            }
            assert_eq!(same, wrap(mine.clone()));
            assert_eq!(own.forgettable_at_ms(&mine), any.forgettable_at_ms(&same));
            let stored = serde_json::to_value(same).unwrap();
            assert_eq!(stored, serde_json::to_value(&mine).unwrap());
            assert_eq!(any.restore(stored).unwrap(), same);
        }
        assert!(any.check(&mut same, Event::at(0).costing(1_000)).is_err());
    }

    #[test]
    fn any_limiter_is_the_one_it_holds() {
        let bucket = LeakyBucket::new(LeakyBucketParams::default()).unwrap();
        let ema = Ema::new(EmaParams::default()).unwrap();
        let class = RateClass::new(RateClassParams::default()).unwrap();
        let surge = Surge::new(SurgeParams::default()).unwrap();
        compare(&bucket, AnyLimiter::LeakyBucket(bucket), AnyState::LeakyBucket);
        compare(&ema, AnyLimiter::Ema(ema), AnyState::Ema);
        compare(&class, AnyLimiter::RateClass(class), AnyState::RateClass);
        compare(&surge, AnyLimiter::Surge(surge), AnyState::Surge);
        // The state of another limiter counts as fresh.
        let mut state = AnyState::Ema(EmaState { n: 9, ..Default::default() });
        assert_eq!(AnyLimiter::LeakyBucket(bucket).peek(&state, Event::at(0)).unwrap().remaining, Some(20));
        AnyLimiter::LeakyBucket(bucket).check(&mut state, Event::at(0)).unwrap();
        assert!(matches!(state, AnyState::LeakyBucket(_)));
    }

    #[test]
    fn a_limiter_is_made_by_its_name_from_its_parameters() {
        let named = |name: &str, params: serde_json::Value| AnyLimiter::named(name, params);
        for name in AnyLimiter::NAMES {
            assert_eq!(named(name, serde_json::json!({})).unwrap().unwrap().name(), *name);
        }
        let bucket = named("leaky_bucket", serde_json::json!({ "capacity": 7 })).unwrap().unwrap();
        assert!(matches!(bucket, AnyLimiter::LeakyBucket(bucket) if bucket.params().capacity == 7));
        let out_of_range = named("surge", serde_json::json!({ "z": 0 })).unwrap();
        assert!(matches!(out_of_range, Err(InvalidParams::OutOfRange(error)) if error.name == "z"));
        let unknown = named("surge", serde_json::json!({ "zeal": 0 })).unwrap();
        assert!(matches!(unknown, Err(InvalidParams::Unreadable(_))));
        assert!(named("sieve", serde_json::json!({})).is_none());
    }
}
