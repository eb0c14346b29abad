//! Several limits for one event: the event is allowed, and charged to all limits, only if all of them allow it.
//!
//! ```
//! use evenkeel_limiters::combined_limits::{self, NamedLimit};
//! use evenkeel_limiters::{Event, LeakyBucket, LeakyBucketParams};
//!
//! let bucket = |capacity| LeakyBucket::new(LeakyBucketParams { capacity, ..Default::default() });
//! let (reader, post) = (bucket(1)?, bucket(20)?);
//! let limits = [NamedLimit { name: "reader", limiter: &reader }, NamedLimit { name: "post", limiter: &post }];
//! let mut states = [Default::default(), Default::default()];
//!
//! let verdict = combined_limits::check(&limits, &mut states, Event::at_unix_millis(0))?;
//! assert!(verdict.decision.allowed);
//! let verdict = combined_limits::check(&limits, &mut states, Event::at_unix_millis(0))?;
//! assert_eq!((verdict.decision.allowed, verdict.limit), (false, "reader"));
//! // The limit of the post was not charged for the refused event.
//! assert_eq!(states[1].level_q, 1_000);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use alloc::vec::Vec;
use core::cmp::Reverse;
use core::time::Duration;

use super::limiter::{Decision, Evaluation, Event, InvalidCost, Limiter};

/// A limiter with a name, as one of several limits of an event.
#[derive(Debug)]
pub struct NamedLimit<'a, L> {
    /// Name that a [`CombinedDecision`] reports if this limit is the strictest one.
    pub name: &'a str,
    /// Limiter that allows or refuses the event.
    pub limiter: &'a L,
}

impl<L> Clone for NamedLimit<'_, L> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<L> Copy for NamedLimit<'_, L> {}

/// Strictest decision of several limits, with the name of the limit that made the decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CombinedDecision<'a> {
    /// Decision of the strictest limit.
    pub decision: Decision,
    /// Name of the limit that made the decision; empty if there was no limit.
    pub limit: &'a str,
}

impl CombinedDecision<'_> {
    /// Sort key of decisions, from lenient to strict: refusals are stricter than allowed events, then longer waits,
    /// then fewer remaining units.
    fn strictness(&self) -> (bool, Duration, Reverse<u64>) {
        let Decision { allowed, retry_after, remaining, .. } = self.decision;
        (!allowed, retry_after, Reverse(remaining.unwrap_or(u64::MAX)))
    }
}

/// Decides an event by all of `limits`, each with the state at the same index of `states`, and updates the states. If
/// all limits allow the event, each limit is charged; otherwise no limit is charged.
///
/// The verdict is the strictest decision: a refusal before an allowed event, then the longest wait, then the fewest
/// remaining units, then the first limit.
///
/// The order matters for limiters that learn from refused events: limits after the first one that refuses do not
/// observe the event. List limits of a single client before limits that clients share. Otherwise one client could
/// influence a shared limit with requests that its own limit refuses.
///
/// Without limits every event is allowed, and [`CombinedDecision::limit`] is empty. If `limits` and `states` have different
/// lengths, every event is refused.
///
/// # Errors
/// Returns an error if the cost can never be allowed by one of the limits. In this case no state is changed.
pub fn check<'a, L: Limiter>(
    limits: &[NamedLimit<'a, L>],
    states: &mut [L::State],
    event: Event,
) -> Result<CombinedDecision<'a>, InvalidCost> {
    decide(limits, states, |limiter, state| limiter.evaluate(state, event))
}

/// Decides the retry of an event that some of `limits` refused earlier: uses [`Limiter::evaluate_retry`] in place of
/// [`Limiter::evaluate`].
///
/// # Errors
/// Same as [`check`].
pub fn check_retry<'a, L: Limiter>(
    limits: &[NamedLimit<'a, L>],
    states: &mut [L::State],
    event: Event,
) -> Result<CombinedDecision<'a>, InvalidCost> {
    decide(limits, states, |limiter, state| limiter.evaluate_retry(state, event))
}

/// Decision if `limits` and `states` have different lengths.
const MISMATCH: CombinedDecision<'static> =
    CombinedDecision { decision: Decision::new(false, Duration::MAX), limit: "" };

fn decide<'a, L: Limiter>(
    limits: &[NamedLimit<'a, L>],
    states: &mut [L::State],
    evaluate: impl Fn(&L, &L::State) -> Result<Evaluation<L::State>, InvalidCost>,
) -> Result<CombinedDecision<'a>, InvalidCost> {
    if limits.len() != states.len() {
        return Ok(MISMATCH);
    }
    let evaluated: Result<Vec<_>, _> =
        limits.iter().zip(states.iter()).map(|(limit, state)| evaluate(limit.limiter, state)).collect();
    let evaluated = evaluated?;
    let verdict = strictest(limits, evaluated.iter().map(|evaluation| evaluation.decision));
    for (state, Evaluation { decision, admitted, refused }) in states.iter_mut().zip(evaluated) {
        *state = if verdict.decision.allowed { admitted } else { refused };
        if !decision.allowed {
            break;
        }
    }
    Ok(verdict)
}

/// Returns the decision that [`check`] would make, without changing the states.
///
/// # Errors
/// Same as [`check`].
pub fn peek<'a, L: Limiter>(
    limits: &[NamedLimit<'a, L>],
    states: &[L::State],
    event: Event,
) -> Result<CombinedDecision<'a>, InvalidCost> {
    if limits.len() != states.len() {
        return Ok(MISMATCH);
    }
    let peeked: Result<Vec<_>, _> =
        limits.iter().zip(states).map(|(limit, state)| limit.limiter.peek(state, event)).collect();
    Ok(strictest(limits, peeked?.into_iter()))
}

fn strictest<'a, L>(limits: &[NamedLimit<'a, L>], decisions: impl Iterator<Item = Decision>) -> CombinedDecision<'a> {
    let free = Decision::new(true, Duration::ZERO);
    let verdicts =
        limits.iter().zip(decisions).map(|(limit, decision)| CombinedDecision { decision, limit: limit.name });
    // The first of several equally strict verdicts is returned.
    let stricter = |one: CombinedDecision<'a>, other: CombinedDecision<'a>| {
        if other.strictness() > one.strictness() { other } else { one }
    };
    verdicts.reduce(stricter).unwrap_or(CombinedDecision { decision: free, limit: "" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        AnyLimiter, AnyState, LeakyBucket, LeakyBucketParams, LeakyBucketState, RateClass, RateClassParams, Timestamp,
    };

    fn bucket(capacity: i64, leak_period_ms: i64) -> LeakyBucket {
        LeakyBucket::new(LeakyBucketParams { capacity, leak_amount: 1, leak_period_ms, ..Default::default() }).unwrap()
    }

    #[test]
    fn strictest_decision_wins() {
        let (few, many, slow) = (bucket(1, 10), bucket(9, 10), bucket(1, 1_000));
        let limits =
            [("few", &few), ("many", &many), ("slow", &slow)].map(|(name, limiter)| NamedLimit { name, limiter });
        let mut states = [LeakyBucketState::default(); 3];
        // If all limits allow an event, the limit with the fewest remaining units is reported. If limits are equally
        // strict, the first limit is reported.
        let peeked = peek(&limits, &states, Event::at_unix_millis(0)).unwrap();
        assert_eq!((peeked.limit, peeked.decision.remaining), ("few", Some(1)));
        assert_eq!(
            check(&limits, &mut states, Event::at_unix_millis(0)).unwrap(),
            CombinedDecision { limit: "few", ..check_fresh(&limits) }
        );
        // If several limits refuse an event, the limit with the longest wait is reported.
        let refused = check(&limits, &mut states, Event::at_unix_millis(0)).unwrap();
        assert_eq!(
            (refused.limit, refused.decision.allowed, refused.decision.retry_after),
            ("slow", false, Duration::from_secs(1))
        );
        assert_eq!(peek(&limits, &states, Event::at_unix_millis(0)).unwrap().limit, "slow");
        // A refusal is stricter than an allowed event, even if only a few units remain after the allowed event.
        let refused = check(&limits[..2], &mut states[..2], Event::at_unix_millis(0)).unwrap();
        assert_eq!((refused.limit, refused.decision.allowed), ("few", false));
        let free = check(&limits[..0], &mut states[..0], Event::at_unix_millis(0)).unwrap();
        assert_eq!((free.limit, free.decision.allowed), ("", true));
    }

    fn check_fresh<'a>(limits: &[NamedLimit<'a, LeakyBucket>]) -> CombinedDecision<'a> {
        check(limits, &mut [LeakyBucketState::default(); 3], Event::at_unix_millis(0)).unwrap()
    }

    #[test]
    fn later_limits_do_not_observe_refused_events() {
        let client = AnyLimiter::LeakyBucket(bucket(1, 1_000));
        let shared = AnyLimiter::RateClass(RateClass::new(RateClassParams::default()).unwrap());
        let limits = [("client", &client), ("shared", &shared)].map(|(name, limiter)| NamedLimit { name, limiter });
        let mut states = [AnyState::default(); 2];
        check(&limits, &mut states, Event::at_unix_millis(0)).unwrap();
        let after_one = states[1];
        for now in 0..20 {
            assert!(!check(&limits, &mut states, Event::at_unix_millis(now)).unwrap().decision.allowed);
        }
        assert_eq!(states[1], after_one);
    }

    #[test]
    fn retry_that_is_refused_again_teaches_nothing() {
        let client = AnyLimiter::LeakyBucket(bucket(9, 1_000));
        let shared = AnyLimiter::RateClass(RateClass::new(RateClassParams::default()).unwrap());
        let limits = [("client", &client), ("shared", &shared)].map(|(name, limiter)| NamedLimit { name, limiter });
        let mut states = [AnyState::default(); 2];
        while check(&limits, &mut states, Event::at_unix_millis(0)).unwrap().decision.allowed {}
        let after_refusal = states;
        let refused = check_retry(&limits, &mut states, Event::at_unix_millis(0)).unwrap();
        assert_eq!((refused.limit, refused.decision.allowed), ("shared", false));
        assert_eq!(states, after_refusal);
        let later = Event::at(Timestamp::from_unix_millis(0).saturating_add(refused.decision.retry_after));
        assert!(check_retry(&limits, &mut states, later).unwrap().decision.allowed);
        assert!(states[0] != after_refusal[0] && states[1] != after_refusal[1]);
    }

    #[test]
    fn limit_without_state_refuses_every_event() {
        let one = bucket(9, 10);
        let limits = [NamedLimit { name: "one", limiter: &one }, NamedLimit { name: "two", limiter: &one }];
        let mut states = [LeakyBucketState::default()];
        assert!(!check(&limits, &mut states, Event::at_unix_millis(0)).unwrap().decision.allowed);
        assert!(!check_retry(&limits, &mut states, Event::at_unix_millis(0)).unwrap().decision.allowed);
        assert!(!peek(&limits[..1], &[], Event::at_unix_millis(0)).unwrap().decision.allowed);
        assert_eq!(states, [LeakyBucketState::default()]);
    }

    #[test]
    fn invalid_cost_changes_no_state() {
        let (few, many) = (bucket(1, 10), bucket(9, 10));
        let limits = [NamedLimit { name: "many", limiter: &many }, NamedLimit { name: "few", limiter: &few }];
        let mut states = [LeakyBucketState::default(); 2];
        assert!(check(&limits, &mut states, Event::at_unix_millis(0).with_cost(2)).is_err());
        assert!(peek(&limits, &states, Event::at_unix_millis(0).with_cost(2)).is_err());
        assert_eq!(states, [LeakyBucketState::default(); 2]);
    }
}
