//! Tests of `RateLimiter`. Some tests check guarantees from the documentation of the crate `governor`.

use std::sync::Arc;
use std::time::Duration;

use evenkeel_limiters::{FakeClock, LeakyBucket, LeakyBucketBuilder, RateLimiter, Surge, SurgeParams, Timestamp};

fn limiter(builder: LeakyBucketBuilder) -> (RateLimiter<String, LeakyBucket, FakeClock>, FakeClock) {
    let clock = FakeClock::new(Timestamp::from_unix_millis(1_800_000_000_000));
    (RateLimiter::new(builder.build().unwrap(), 10_000).with_clock(clock.clone()), clock)
}

#[test]
fn a_burst_is_allowed_and_units_return_one_by_one() {
    let (limiter, clock) = limiter(LeakyBucket::per_second(50));
    assert!((0..50).all(|_| limiter.check("ann").allowed));
    let refused = limiter.check("ann");
    assert_eq!((refused.allowed, refused.retry_after), (false, Duration::from_millis(20)));
    clock.advance(Duration::from_millis(19));
    assert!(!limiter.check("ann").allowed);
    clock.advance(Duration::from_millis(1));
    assert!(limiter.check("ann").allowed);
    assert!(!limiter.check("ann").allowed);
    // After a long pause, the whole burst is allowed again, and not more.
    clock.advance(Duration::from_hours(1_000));
    assert_eq!((0..100).filter(|_| limiter.check("ann").allowed).count(), 50);
}

#[test]
fn keys_are_limited_separately() {
    let (limiter, _) = limiter(LeakyBucket::per_minute(1));
    assert!(limiter.check("ann").allowed && limiter.check("ben").allowed);
    assert!(!limiter.check("ann").allowed && !limiter.check("ben").allowed);
    assert_eq!(limiter.len(), 2);
}

#[test]
fn several_units_are_allowed_together_or_not_at_all() {
    let (limiter, clock) = limiter(LeakyBucket::per_second(1).burst(5));
    assert!(limiter.check_n("ann", 3).unwrap().allowed);
    let refused = limiter.check_n("ann", 3).unwrap();
    assert_eq!((refused.allowed, refused.remaining, refused.retry_after), (false, Some(2), Duration::from_secs(1)));
    assert!(limiter.check_n("ann", 2).unwrap().allowed);
    let never = limiter.check_n("ann", 6).unwrap_err();
    assert_eq!(never.to_string(), "the cost 6 can never be allowed: it must be from 0 to 5");
    clock.advance(Duration::from_secs(5));
    assert!(limiter.check_n("ann", 5).unwrap().allowed);
}

#[test]
fn peek_refund_and_reset() {
    let (limiter, _) = limiter(LeakyBucket::per_hour(2));
    assert_eq!((limiter.peek("ann").remaining, limiter.is_empty()), (Some(2), true));
    assert!(!limiter.refund("ann", 1));
    assert!(limiter.check_n("ann", 2).unwrap().allowed);
    assert!(!limiter.peek("ann").allowed);
    assert!(limiter.refund("ann", 1));
    assert!(limiter.check("ann").allowed);
    assert!(!limiter.check("ann").allowed);
    limiter.reset("ann");
    assert_eq!(limiter.peek("ann").remaining, Some(2));
}

#[test]
fn a_key_can_have_its_own_limit() {
    let (limiter, _) = limiter(LeakyBucket::per_second(1));
    let limiter = limiter.with_override("robot".to_owned(), LeakyBucket::per_second(100).build().unwrap());
    assert_eq!((0..200).filter(|_| limiter.check("robot").allowed).count(), 100);
    assert_eq!((0..200).filter(|_| limiter.check("ann").allowed).count(), 1);
}

#[test]
fn expired_states_are_removed() {
    let (limiter, clock) = limiter(LeakyBucket::per_second(1).burst(10));
    assert!(limiter.check("ann").allowed && limiter.check_n("ben", 2).unwrap().allowed);
    clock.advance(Duration::from_secs(1));
    limiter.remove_expired();
    assert_eq!((limiter.len(), limiter.peek("ann").remaining, limiter.peek("ben").remaining), (1, Some(10), Some(9)));
}

#[test]
fn a_clock_that_is_set_back_neither_blocks_nor_frees_a_key() {
    let (limiter, clock) = limiter(LeakyBucket::per_second(1).burst(2));
    assert!(limiter.check_n("ann", 2).unwrap().allowed);
    for back in [Duration::from_secs(1), Duration::from_hours(24 * 365)] {
        let before = clock_time(&clock);
        clock.set(Timestamp::from_unix_millis(before - i64::try_from(back.as_millis()).unwrap()));
        assert!(!limiter.check("ann").allowed);
    }
    clock.advance(Duration::from_secs(2));
    assert!(limiter.check_n("ann", 2).unwrap().allowed);
}

fn clock_time(clock: &FakeClock) -> i64 {
    evenkeel_limiters::Clock::now(clock).unix_millis()
}

#[test]
fn events_can_have_values() {
    let limiter =
        RateLimiter::new(Surge::new(SurgeParams::default()).unwrap(), 10_000).with_clock(FakeClock::default());
    let event = limiter.event();
    assert!(limiter.check_event("post", event.with_value(4)).unwrap().allowed);
    assert!(limiter.check_event("post", event.with_cost(2)).is_err());
}

#[test]
fn threads_are_admitted_exactly_and_random_keys_do_not_exhaust_memory() {
    let (limiter, _) = limiter(LeakyBucket::per_hour(500));
    let limiter = Arc::new(limiter);
    let admitted: usize = std::thread::scope(|scope| {
        let check = |attacker: usize| {
            let mut admitted = 0;
            for number in 0..5_000 {
                assert!(limiter.check(format!("{attacker}-{number}").as_str()).allowed);
                admitted += usize::from(limiter.check("ann").allowed);
            }
            admitted
        };
        let threads: Vec<_> = (0..4).map(|attacker| scope.spawn(move || check(attacker))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    // The key of `ann` is used all the time, so it is not evicted by the 20,000 other keys.
    assert_eq!(admitted, 500);
    assert!(limiter.len() <= 10_128, "{}", limiter.len());
}

#[cfg(feature = "tokio")]
mod until_ready {
    use evenkeel_limiters::Clock;
    use tokio::time::{Instant, timeout};

    use super::*;

    /// Clock of Tokio, which jumps to the next timer when all tasks wait.
    struct TokioClock(Instant);

    impl Clock for TokioClock {
        fn now(&self) -> Timestamp {
            Timestamp::from_unix_millis(0).saturating_add(self.0.elapsed())
        }
    }

    fn per_second(units: u32) -> Arc<RateLimiter<String, LeakyBucket, TokioClock>> {
        let bucket = LeakyBucket::per_second(units).burst(1).build().unwrap();
        Arc::new(RateLimiter::new(bucket, 10_000).with_clock(TokioClock(Instant::now())))
    }

    #[tokio::test(start_paused = true)]
    async fn waits_exactly_as_long_as_necessary() {
        let (limiter, start) = (per_second(10), Instant::now());
        for number in 0..20 {
            limiter.until_ready("ann", Duration::ZERO).await;
            assert_eq!(start.elapsed(), Duration::from_millis(100 * number));
        }
        assert_eq!(limiter.until_n_ready("ann", 1, Duration::ZERO).await, Ok(()));
        assert!(limiter.until_n_ready("ann", 2, Duration::ZERO).await.is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn a_cancelled_wait_is_not_charged() {
        let limiter = per_second(1);
        limiter.until_ready("ann", Duration::ZERO).await;
        assert!(timeout(Duration::from_millis(500), limiter.until_ready("ann", Duration::ZERO)).await.is_err());
        tokio::time::sleep(Duration::from_millis(500)).await;
        assert!(limiter.check("ann").allowed);
    }

    #[tokio::test(start_paused = true)]
    async fn many_tasks_wait_for_the_same_key_at_the_permitted_rate() {
        let (limiter, start) = (per_second(100), Instant::now());
        let tasks: Vec<_> = (0..200)
            .map(|_| {
                let limiter = Arc::clone(&limiter);
                tokio::spawn(async move { limiter.until_ready("ann", Duration::from_millis(10)).await })
            })
            .collect();
        for task in tasks {
            task.await.unwrap();
        }
        assert!(start.elapsed() >= Duration::from_millis(1_990), "{:?}", start.elapsed());
    }

    #[tokio::test(start_paused = true)]
    async fn jitter_lengthens_waits_by_less_than_its_maximum() {
        let limiter = per_second(1);
        for _ in 0..50 {
            limiter.until_ready("ann", Duration::from_secs(5)).await;
            let start = Instant::now();
            limiter.until_ready("ann", Duration::from_secs(5)).await;
            // The wait for the bucket is at most 1 s, and the jitter is below 5 s.
            assert!(start.elapsed() < Duration::from_secs(6), "{:?}", start.elapsed());
        }
    }
}
