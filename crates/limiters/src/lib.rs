//! Rate limiters for servers, workers and clients, and an average of star ratings that resists brigading.
//!
//! ```
//! use evenkeel_limiters::{LeakyBucket, RateLimiter};
//!
//! // Ten requests per second for each client, and up to 20 at once. The store has room for about 100,000 clients.
//! let limiter = RateLimiter::new(LeakyBucket::per_second(10).burst(20).build()?, 100_000);
//! let decision = limiter.check("203.0.113.7");
//! if !decision.allowed {
//!     println!("try again in {:?}", decision.retry_after);
//! }
//! # Ok::<(), evenkeel_limiters::InvalidParameter>(())
//! ```
//!
//! | task | use |
//! |---|---|
//! | limit in one process | [`RateLimiter`] |
//! | limit HTTP requests | `tower::RateLimitLayer` (feature `tower`, for axum and other HTTP services), `actix::RateLimit` (feature `actix`) |
//! | limit across processes | `stores::ValkeyStore` (feature `valkey`), or save the states in a database |
//! | wait until an event is allowed | `RateLimiter::until_ready` (feature `tokio`) |
//! | request a remote service politely | [`Pacer`] |
//! | several limits for one event | [`combined_limits`](mod@combined_limits) |
//! | test without waiting | [`FakeClock`] |
//!
//! The limiters themselves are pure functions: a limiter takes its parameters, a state and an event, and returns a
//! [`Decision`] and a new state. No limiter reads a clock, draws a random number or does I/O, so every decision can be
//! tested and replayed. Property tests check that the limiters do not panic, whatever the time, the cost or the state.
//!
//! The [guide](mod@guide) compares the limiters on five kinds of traffic.
//!
//! # Choosing a limiter
//!
//! | limiter | measures | state | use it when | weakness |
//! |---|---|---|---|---|
//! | [`LeakyBucket`] | level of a bucket that leaks at a constant rate | 3 integers | a hard ceiling is needed: at most `capacity` units at once, and `leak_amount` per `leak_period_ms` on average | does not know the usual rate: all traffic below the ceiling is allowed, and a popular key may reach the ceiling every day |
//! | [`Ema`] | gaps between events, compared with the usual gap of the key | 5 numbers | the usual rate differs from key to key, and traffic is fairly even | refuses honest bursts; if the first events of a key are a flood, the flood becomes the baseline; adapts to a slow ramp |
//! | [`EmaOriginal`] | gaps between events, compared with the mean of all gaps of the key | 4 values | the behavior of BitPin-Blog has to be reproduced | allows every burst that follows Poisson traffic, and soon treats a flood as usual |
//! | [`Surge`] | events per hour and per day and their average value, compared with those of the previous weeks | 15 values | human traffic with bursts, launches and viral days, which may include brigades | a brigade that lasts for days is learned as usual; learning takes days |
//! | [`RateClass`] | moving average of the gaps of one client | 4 values | clients should be warned before they are limited, and limited for longer if they continue | clients with uneven gaps are allowed somewhat more requests; a limited client whose gaps are always below `clear` remains limited |
//! | [`ZombiePause`] | failures of one client at one operation, over months | 3 integers | clients keep retrying an operation that always fails | only a person can end a pause |
//! | [`Pacer`] | responses of a remote service | 4 values | the application is the client, and the service requires minimum waits and backoff | the spread of the load depends on the random numbers that the caller supplies |
//!
//! [`LeakyBucket`], [`Ema`], [`EmaOriginal`], [`Surge`] and [`RateClass`] implement [`Limiter`]: their events are requests, so these
//! limiters are interchangeable ([`AnyLimiter`]) and can be [combined](mod@combined_limits). [`ZombiePause`] and
//! [`Pacer`] have methods for their own kinds of events.
//!
//! [`SteadyScore`] is an average of star ratings that a brigade can hardly move. The score refuses no rating. Instead,
//! the total weight of the ratings of one period is limited by the usual weight for the post, and is lower if the
//! ratings contradict the other ratings. A limiter protects against floods of ratings, the score against brigades; both
//! can be used together. [`UnusualActivityDetector`] decides from the number of refused users when to notify people.
//!
//! Parameters are validated when a limiter is created. When they change, saved states remain valid
//! ([`Limiter::restore`]).
//!
//! # Leaky bucket
//!
//! ```
//! use std::time::Duration;
//!
//! use evenkeel_limiters::{Event, LeakyBucket, LeakyBucketParams, Limiter};
//!
//! // The bucket holds two units; one unit leaks out every 500 ms.
//! let limiter = LeakyBucket::new(LeakyBucketParams { capacity: 2, leak_amount: 2, leak_period_ms: 1000, ..Default::default() })?;
//! let mut state = Default::default();
//!
//! let decision = limiter.check(&mut state, Event::at_unix_millis(0))?;
//! assert_eq!((decision.allowed, decision.remaining), (true, Some(1)));
//! let decision = limiter.check(&mut state, Event::at_unix_millis(0))?;
//! assert_eq!((decision.allowed, decision.remaining), (true, Some(0)));
//! let decision = limiter.check(&mut state, Event::at_unix_millis(0))?;
//! assert_eq!((decision.allowed, decision.retry_after), (false, Duration::from_millis(500)));
//!
//! // A refusal is not charged, and `retry_after` is exact.
//! assert!(!limiter.peek(&state, Event::at_unix_millis(499))?.allowed);
//! assert!(limiter.peek(&state, Event::at_unix_millis(500))?.allowed);
//!
//! // Refund a unit whose event was admitted but did not happen.
//! limiter.refund(&mut state, Event::at_unix_millis(0));
//! assert!(limiter.check(&mut state, Event::at_unix_millis(0))?.allowed);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # EMA
//!
//! ```
//! use evenkeel_limiters::{Ema, EmaParams, EmaState, Event, Limiter};
//!
//! let limiter = Ema::new(EmaParams::default())?;
//! let mut state = EmaState::default();
//! // The limiter learns that events are usually five seconds apart.
//! for i in 0..15 {
//!     assert!(limiter.check(&mut state, Event::at_unix_millis(i * 5_000))?.allowed);
//! }
//! // Events that come a hundred times faster are refused, including the first one.
//! for i in 1..=6 {
//!     assert!(!limiter.check(&mut state, Event::at_unix_millis(70_000 + i * 50))?.allowed);
//! }
//! // Once the usual gap has passed, the next event is allowed.
//! assert!(limiter.check(&mut state, Event::at_unix_millis(75_300))?.allowed);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Surge
//!
//! ```
//! use evenkeel_limiters::{Event, Limiter, Surge, SurgeParams, SurgeState};
//!
//! let limiter = Surge::new(SurgeParams::default())?;
//! let mut state = SurgeState::default();
//! let day = 86_400_000;
//! // For three weeks a post gets one rating of four stars per day.
//! for i in 0..21 {
//!     assert!(limiter.check(&mut state, Event::at_unix_millis(i * day).with_value(4))?.allowed);
//! }
//! // Then a brigade sends one rating of one star per second: fewer than ten are admitted.
//! let mut one_star = |at| limiter.check(&mut state, Event::at_unix_millis(at).with_value(1));
//! let decisions: Result<Vec<_>, _> = (0..1_000).map(|i| one_star(21 * day + i * 1_000)).collect();
//! assert!(decisions?.iter().filter(|decision| decision.allowed).count() < 10);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Rate class
//!
//! ```
//! use evenkeel_limiters::{RateClass, RateClassParams, RateClassState, RateClassNotice, RateClassStatus};
//!
//! let class = RateClass::new(RateClassParams::default())?;
//! let mut state = RateClassState::default();
//! let mut told = Vec::new();
//! // One request per second is too fast: the client is warned, then limited, and finally disconnected.
//! for i in 0..19 {
//!     let (next, decision) = class.decide(&state, i * 1_000);
//!     state = next;
//!     told.extend(decision.notice);
//! }
//! assert_eq!(told, [RateClassNotice::Warning, RateClassNotice::Limit]);
//! assert_eq!(state.status, RateClassStatus::Disconnect);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Zombie pause
//!
//! ```
//! use evenkeel_limiters::{PauseAction, ZombiePause, ZombiePauseParams, ZombiePauseState};
//!
//! let pause = ZombiePause::new(ZombiePauseParams { burst: 2, ..Default::default() })?;
//! let mut state = ZombiePauseState::default();
//! let mut actions = Vec::new();
//! for i in 0..3 {
//!     let (next, decision) = pause.record_failure(&state, i);
//!     state = next;
//!     actions.push(decision.action);
//! }
//! assert_eq!(actions, [PauseAction::None, PauseAction::None, PauseAction::Paused]);
//!
//! // After a person has lifted the pause, failures do not pause the client again for two weeks.
//! let state = pause.unpause(&state, 10).unwrap();
//! assert!(!state.is_paused());
//! assert_eq!(pause.record_failure(&state, 20).1.action, PauseAction::Grace);
//! # Ok::<(), evenkeel_limiters::InvalidParameter>(())
//! ```
//!
//! [`Pacer`] and [`SteadyScore`] have examples in their own documentation.
//!
//! # Without the standard library
//!
//! With `default-features = false` and the feature `libm`, the crate needs only an allocator: the limiters and
//! [`combined_limits`](mod@combined_limits) are available, stores and clocks are not. The functions of `libm` may
//! differ from those of the standard library in the last bit.

#![warn(missing_docs)]
#![cfg_attr(not(feature = "std"), no_std)]
#![allow(
    clippy::inline_always,
    reason = "callers often use only `allowed`: if a check is inlined, the other fields of a decision are not computed"
)]

extern crate alloc;

#[cfg(not(any(feature = "std", feature = "libm")))]
compile_error!("one of the features `std` (a default feature) and `libm` is necessary");

#[cfg(feature = "actix")]
pub mod actix;
mod any_limiter;
mod clock;
pub mod combined_limits;
mod elapsed_time;
mod ema;
mod ema_original;
pub mod guide;
#[cfg(any(feature = "actix", feature = "tower"))]
pub mod http;
mod leaky_bucket;
mod limiter;
mod pacer;
mod rate_class;
#[cfg(feature = "std")]
mod rate_limiter;
#[cfg(feature = "replay")]
pub mod replay;
mod steady_score;
#[cfg(feature = "std")]
pub mod stores;
mod surge;
mod timestamp;
#[cfg(feature = "tower")]
pub mod tower;
mod unusual_activity;
mod zombie_pause;

use serde::{Deserializer, Serialize, Serializer};

pub use self::any_limiter::ParamsError;
pub use self::clock::Clock;
#[cfg(feature = "std")]
pub use self::clock::{FakeClock, SystemClock};
pub use self::ema::{Ema, EmaDecision, EmaParams, EmaReason, EmaSignal, EmaState, RefusedEventWeight};
pub use self::ema_original::{EmaOriginal, EmaOriginalParams, EmaOriginalState};
pub use self::leaky_bucket::{LeakyBucket, LeakyBucketBuilder, LeakyBucketParams, LeakyBucketState};
pub use self::limiter::{
    DEFAULT_MAX_BACKWARD_CLOCK_STEP_MS, Decision, Evaluation, Event, InvalidCost, InvalidParameter, Limiter,
    MAX_WAIT_MS, NamedLimiter, validate_parameter,
};
pub use self::pacer::{InvalidRandomNumber, Pacer, PacerDecision, PacerMode, PacerParams, PacerState};
pub use self::rate_class::{
    RateClass, RateClassDecision, RateClassNotice, RateClassParams, RateClassState, RateClassStatus,
};
#[cfg(feature = "std")]
pub use self::rate_limiter::RateLimiter;
pub use self::steady_score::{
    CountedShares, DayRatings, OpenPeriod, PeriodStatus, RatingDays, Score, ScoreContribution, ScorePeriod,
    SteadyScore, SteadyScoreParams, SteadyScoreState, WeightedStars,
};
pub use self::surge::{Surge, SurgeDecision, SurgeParams, SurgeReason, SurgeState};
pub use self::timestamp::Timestamp;
pub use self::unusual_activity::{
    HourTally, OngoingUnusualActivity, UnusualActivityDetector, UnusualActivityParams, UsualActivity,
};
pub use self::zombie_pause::{
    PauseAction, PauseDecision, UnpauseSummary, ZombiePause, ZombiePauseParams, ZombiePauseState,
};

// Limiters that can be created by name, for example from settings. Add each new limiter whose events are requests to
// this list.
any_limiter::any_limiter! {
    LeakyBucket
    Ema
    EmaOriginal
    RateClass
    Surge
}

/// Runs the example of the README as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(test)]
mod tests {
    use super::*;

    /// Asserts that a limiter and the same limiter inside an [`AnyLimiter`] return equal decisions and states.
    fn compare<L: Limiter<State: PartialEq + std::fmt::Debug>>(
        own: &L,
        any: AnyLimiter,
        wrap: fn(L::State) -> AnyState,
    ) {
        let (mut mine, mut same) = (L::State::default(), AnyState::default());
        assert_eq!(own.name(), any.name());
        for step in 0..200 {
            let event = Event::at_unix_millis(step * step * 40).with_value(3);
            assert_eq!(own.peek(&mine, event), any.peek(&same, event));
            assert_eq!(own.check(&mut mine, event), any.check(&mut same, event));
            if step % 10 == 0 {
                assert_eq!(own.refund(&mut mine, event), any.refund(&mut same, event));
            }
            assert_eq!(same, wrap(mine.clone()));
            assert_eq!(own.expires_at(&mine), any.expires_at(&same));
            let stored = any.save(&same, serde_json::value::Serializer).unwrap();
            assert_eq!(stored, own.save(&mine, serde_json::value::Serializer).unwrap());
            assert_eq!(any.restore(stored).unwrap(), same);
        }
        assert!(any.check(&mut same, Event::at_unix_millis(0).with_cost(1_000)).is_err());
    }

    #[test]
    fn any_limiter_decides_like_the_wrapped_limiter() {
        let bucket = LeakyBucket::new(LeakyBucketParams::default()).unwrap();
        let ema = Ema::new(EmaParams::default()).unwrap();
        let original = EmaOriginal::new(EmaOriginalParams::default()).unwrap();
        let class = RateClass::new(RateClassParams::default()).unwrap();
        let surge = Surge::new(SurgeParams::default()).unwrap();
        compare(&bucket, AnyLimiter::LeakyBucket(bucket), AnyState::LeakyBucket);
        compare(&ema, AnyLimiter::Ema(ema), AnyState::Ema);
        compare(&original, AnyLimiter::EmaOriginal(original), AnyState::EmaOriginal);
        compare(&class, AnyLimiter::RateClass(class), AnyState::RateClass);
        compare(&surge, AnyLimiter::Surge(surge), AnyState::Surge);
        // The state of a different limiter is treated as a fresh state.
        let mut state = AnyState::Ema(EmaState { n: 9, ..Default::default() });
        assert_eq!(AnyLimiter::LeakyBucket(bucket).peek(&state, Event::at_unix_millis(0)).unwrap().remaining, Some(20));
        let _ = AnyLimiter::LeakyBucket(bucket).check(&mut state, Event::at_unix_millis(0)).unwrap();
        assert!(matches!(state, AnyState::LeakyBucket(_)));
    }

    #[test]
    fn creates_limiters_by_name() {
        let named = |name: &str, params: serde_json::Value| AnyLimiter::by_name(name, params);
        for name in AnyLimiter::NAMES {
            assert_eq!(named(name, serde_json::json!({})).unwrap().unwrap().name(), *name);
        }
        let bucket = named("leaky_bucket", serde_json::json!({ "capacity": 7 })).unwrap().unwrap();
        assert!(matches!(bucket, AnyLimiter::LeakyBucket(bucket) if bucket.params().capacity == 7));
        let out_of_range = named("surge", serde_json::json!({ "z": 0 })).unwrap();
        assert!(matches!(out_of_range, Err(ParamsError::OutOfRange(error)) if error.name == "z"));
        let unknown = named("surge", serde_json::json!({ "zeal": 0 })).unwrap();
        assert!(matches!(unknown, Err(ParamsError::Deserialize(_))));
        assert!(named("sieve", serde_json::json!({})).is_none());
    }
}
