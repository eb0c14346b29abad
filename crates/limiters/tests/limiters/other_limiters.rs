//! Sequences of events from the tests of other implementations of GCRA, with the results that those tests expect.

use std::time::Duration;

use evenkeel_limiters::{Event, LeakyBucket, LeakyBucketState, Limiter as _};

/// An event and the expected decision, in milliseconds.
struct Case {
    time: i64,
    cost: u32,
    allowed: bool,
    remaining: u64,
    reset_after: u64,
    /// Compared for refused events only, because Boulder returns another value for allowed events.
    retry_after: u64,
}

const fn allowed(time: i64, cost: u32, remaining: u64, reset_after: u64) -> Case {
    Case { time, cost, allowed: true, remaining, reset_after, retry_after: 0 }
}

const fn refused(time: i64, cost: u32, remaining: u64, reset_after: u64, retry_after: u64) -> Case {
    Case { time, cost, allowed: false, remaining, reset_after, retry_after }
}

fn assert_decisions(limiter: &LeakyBucket, cases: &[Case]) {
    let mut state = LeakyBucketState::default();
    for (index, case) in cases.iter().enumerate() {
        let decision = limiter.check(&mut state, Event::at_unix_millis(case.time).with_cost(case.cost)).unwrap();
        let expected = (case.allowed, Some(case.remaining), Some(Duration::from_millis(case.reset_after)));
        assert_eq!((decision.allowed, decision.remaining, decision.reset_after), expected, "event {index}");
        assert_eq!(decision.retry_after, Duration::from_millis(case.retry_after), "event {index}");
    }
}

/// Source: `src/cell/mod.rs` of redis-cell, `it_rate_limits`.
#[test]
fn decides_like_redis_cell() {
    let limiter = LeakyBucket::per_second(1).burst(5).build().unwrap();
    assert!(limiter.check(&mut LeakyBucketState::default(), Event::at_unix_millis(0).with_cost(6)).is_err());
    let cases = [
        allowed(0, 1, 4, 1_000),
        allowed(0, 1, 3, 2_000),
        allowed(0, 1, 2, 3_000),
        allowed(0, 1, 1, 4_000),
        allowed(0, 1, 0, 5_000),
        refused(0, 1, 0, 5_000, 1_000),
        allowed(3_000, 1, 2, 3_000),
        allowed(3_100, 1, 1, 3_900),
        allowed(4_000, 1, 1, 4_000),
        allowed(8_000, 1, 4, 1_000),
        allowed(9_500, 1, 4, 1_000),
        allowed(9_500, 0, 4, 1_000),
        allowed(9_500, 2, 2, 3_000),
        refused(9_500, 5, 2, 3_000, 3_000),
    ];
    assert_decisions(&limiter, &cases);
}

/// Source: `ratelimits/gcra_test.go` of Boulder, `TestDecide`.
#[test]
fn decides_like_boulder() {
    let limiter = LeakyBucket::per_second(1).burst(10).build().unwrap();
    let day = 20 * 3_600_000;
    let cases = [
        allowed(0, 1, 9, 1_000),
        allowed(0, 9, 0, 10_000),
        refused(0, 1, 0, 10_000, 1_000),
        allowed(1_000, 0, 1, 9_000),
        allowed(1_000, 1, 0, 10_000),
        allowed(11_000, 1, 9, 1_000),
        allowed(11_999, 0, 9, 1),
        allowed(11_999 + day, 0, 10, 0),
        allowed(11_999 + day, 10, 0, 10_000),
        allowed(11_999 + day, 0, 0, 10_000),
        refused(11_999 + day, 1, 0, 10_000, 1_000),
        allowed(12_999 + day, 1, 0, 10_000),
        refused(17_999 + day, 7, 5, 5_000, 2_000),
    ];
    assert_decisions(&limiter, &cases);
}

/// Source: `ratelimits/gcra_test.go` of Boulder, `TestMaybeRefund`.
#[test]
fn refunds_like_boulder() {
    let limiter = LeakyBucket::per_second(1).burst(10).build().unwrap();
    let mut state = LeakyBucketState::default();
    let at = |time, cost| Event::at_unix_millis(time).with_cost(cost);
    // Each row spends (`true`) or refunds (`false`) units, and has the expected remaining units and time until a reset.
    let rows = [
        (true, 0, 1, 9, 1_000),
        (false, 0, 1, 10, 0),
        (false, 0, 0, 10, 0),
        (true, 0, 1, 9, 1_000),
        (false, 1_000, 1, 10, 0),
        (true, 1_000, 10, 0, 10_000),
        (false, 1_000, 10, 10, 0),
        (false, 12_000, 1, 10, 0),
        (true, 12_000, 5, 5, 5_000),
        (false, 12_000, 1, 6, 4_000),
        (true, 14_500, 0, 8, 1_500),
        (false, 14_500, 2, 10, 0),
    ];
    for (index, (spend, time, cost, remaining, reset_after)) in rows.into_iter().enumerate() {
        if spend {
            assert!(limiter.check(&mut state, at(time, cost)).unwrap().allowed, "row {index}");
        } else {
            assert!(limiter.refund(&mut state, at(time, cost)), "row {index}");
        }
        let peeked = limiter.peek(&state, at(time, 0)).unwrap();
        let expected = (Some(remaining), Some(Duration::from_millis(reset_after)));
        assert_eq!((peeked.remaining, peeked.reset_after), expected, "row {index}");
    }
}
