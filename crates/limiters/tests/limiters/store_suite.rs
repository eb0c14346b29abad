//! Test suite for implementations of `Store`. The tested store must use the times of events, not its own clock.

use std::sync::Arc;
use std::time::Duration;

use evenkeel_limiters::stores::{Store, StoreError};
use evenkeel_limiters::{Event, LeakyBucket, LeakyBucketParams, LeakyBucketState, Limiter};

/// Time of the first event. It is recent, because stores may use the clock of their server to delete expired states.
const START: i64 = 1_800_000_000_000;

fn at(ms: i64) -> Event {
    Event::at_unix_millis(START + ms)
}

fn per_second(units: u32, burst: u32) -> LeakyBucket {
    LeakyBucket::per_second(units).burst(burst).build().unwrap()
}

/// Runs all tests of this file on a store. `convert` creates the limiter of the store from a leaky bucket.
pub async fn test_store<S, L>(store: S, convert: fn(LeakyBucket) -> L)
where
    S: Store<str, L, Error: std::error::Error + 'static> + Send + Sync + 'static,
    L: Limiter + Send + Sync + 'static,
{
    let test = Test { store: Arc::new(store), convert };
    test.decisions_are_those_of_the_limiter().await;
    test.peek_changes_nothing().await;
    test.refund_and_reset_give_units_back().await;
    test.costs_above_the_capacity_are_errors().await;
    test.state_survives_new_parameters().await;
    test.clock_may_be_set_back().await;
    test.random_sequences_are_decided_like_the_limiter_does().await;
    test.concurrent_checks_are_exact().await;
}

struct Test<S, L> {
    store: Arc<S>,
    convert: fn(LeakyBucket) -> L,
}

impl<S, L> Test<S, L>
where
    S: Store<str, L, Error: std::error::Error + 'static> + Send + Sync + 'static,
    L: Limiter + Send + Sync + 'static,
{
    async fn check(&self, key: &str, bucket: LeakyBucket, event: Event) -> (bool, u128, Option<u64>) {
        let decision = self.store.check_event(key, &(self.convert)(bucket), event).await.unwrap();
        (decision.allowed, decision.retry_after.as_millis(), decision.remaining)
    }

    async fn remaining(&self, key: &str, bucket: LeakyBucket, event: Event) -> Option<u64> {
        self.store.peek_event(key, &(self.convert)(bucket), event).await.unwrap().remaining
    }

    async fn decisions_are_those_of_the_limiter(&self) {
        let bucket = per_second(1, 2);
        assert_eq!(self.check("ann", bucket, at(0)).await, (true, 0, Some(1)));
        assert_eq!(self.check("ann", bucket, at(0)).await, (true, 0, Some(0)));
        assert_eq!(self.check("ann", bucket, at(0)).await, (false, 1_000, Some(0)));
        assert_eq!(self.check("ben", bucket, at(0).with_cost(2)).await, (true, 0, Some(0)));
        assert_eq!(self.check("ann", bucket, at(999)).await, (false, 1, Some(0)));
        assert_eq!(self.check("ann", bucket, at(1_000)).await, (true, 0, Some(0)));
        assert_eq!(self.check("ann", bucket, at(60_000)).await, (true, 0, Some(1)));
    }

    async fn peek_changes_nothing(&self) {
        let bucket = per_second(1, 2);
        for _ in 0..3 {
            assert_eq!(self.remaining("peek", bucket, at(0)).await, Some(2));
        }
        self.check("peek", bucket, at(0)).await;
        for _ in 0..3 {
            assert_eq!(self.remaining("peek", bucket, at(500)).await, Some(1));
        }
        assert_eq!(self.check("peek", bucket, at(500)).await, (true, 0, Some(0)));
    }

    async fn refund_and_reset_give_units_back(&self) {
        let (bucket, limiter) = (per_second(1, 5), (self.convert)(per_second(1, 5)));
        assert!(!self.store.refund_event("refund", &limiter, at(0)).await.unwrap());
        self.check("refund", bucket, at(0).with_cost(4)).await;
        assert!(self.store.refund_event("refund", &limiter, at(0).with_cost(3)).await.unwrap());
        assert_eq!(self.remaining("refund", bucket, at(0)).await, Some(4));
        assert!(self.store.refund_event("refund", &limiter, at(0).with_cost(3)).await.unwrap());
        assert_eq!(self.remaining("refund", bucket, at(0)).await, Some(5));
        self.check("refund", bucket, at(0).with_cost(5)).await;
        self.store.reset("refund").await.unwrap();
        assert_eq!(self.remaining("refund", bucket, at(0)).await, Some(5));
    }

    async fn costs_above_the_capacity_are_errors(&self) {
        let limiter = (self.convert)(per_second(1, 5));
        let checked = self.store.check_event("cost", &limiter, at(0).with_cost(6)).await;
        assert!(matches!(checked, Err(StoreError::Cost(error)) if error.max == 5));
        let peeked = self.store.peek_event("cost", &limiter, at(0).with_cost(6)).await;
        assert!(matches!(peeked, Err(StoreError::Cost(_))));
        assert_eq!(self.remaining("cost", per_second(1, 5), at(0)).await, Some(5));
        assert_eq!(self.check("cost", per_second(1, 5), at(0).with_cost(0)).await, (true, 0, Some(5)));
        // Maximum cost, and a long leak period.
        let month = LeakyBucketParams { capacity: 5, leak_amount: 1, leak_period_ms: 1 << 32, ..Default::default() };
        let limiter = (self.convert)(LeakyBucket::new(month).unwrap());
        let peeked = self.store.peek_event("month", &limiter, at(0).with_cost(u32::MAX)).await;
        assert!(matches!(peeked, Err(StoreError::Cost(_))));
        let _ = self.store.check_event("month", &limiter, at(0)).await.unwrap();
        assert!(self.store.refund_event("month", &limiter, at(0).with_cost(u32::MAX)).await.unwrap());
        assert_eq!(self.store.peek_event("month", &limiter, at(0)).await.unwrap().remaining, Some(5));
    }

    async fn state_survives_new_parameters(&self) {
        self.check("new", per_second(10, 10), at(0).with_cost(8)).await;
        assert_eq!(self.check("new", per_second(10, 20), at(0)).await, (true, 0, Some(11)));
        assert_eq!(self.check("new", per_second(10, 4), at(0)).await, (false, 100, Some(0)));
    }

    async fn clock_may_be_set_back(&self) {
        let bucket = per_second(1, 2);
        self.check("back", bucket, at(0).with_cost(2)).await;
        // A small backward step counts as no elapsed time, a large one as a correction of the clock.
        assert_eq!(self.check("back", bucket, at(-30_000)).await, (false, 1_000, Some(0)));
        assert_eq!(self.check("back", bucket, at(-90_000)).await, (false, 1_000, Some(0)));
        assert_eq!(self.check("back", bucket, at(-89_000)).await, (true, 0, Some(0)));
    }

    /// Compares the store with the limiter alone, in a sequence of pseudorandom events.
    async fn random_sequences_are_decided_like_the_limiter_does(&self) {
        let mut random = 88_172_645_463_325_252_u64;
        let mut next = |below: u64| {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            random % below
        };
        for sequence in 0..4 {
            let key = format!("random {sequence}");
            let params = LeakyBucketParams {
                capacity: i64::try_from(1 + next(30)).unwrap(),
                leak_amount: i64::try_from(1 + next(50)).unwrap(),
                leak_period_ms: i64::try_from(1 + next(2_000)).unwrap(),
                ..Default::default()
            };
            let (bucket, mut state, mut time) = (LeakyBucket::new(params).unwrap(), LeakyBucketState::default(), 0);
            for step in 0..100 {
                time += i64::try_from(next(100)).unwrap();
                let event = at(time).with_cost(u32::try_from(next(4)).unwrap());
                if let Ok(expected) = bucket.check(&mut state, event) {
                    let decision = self.store.check_event(&key, &(self.convert)(bucket), event).await.unwrap();
                    assert_eq!(decision, expected, "event {step} of {key}, {params:?}");
                }
            }
        }
    }

    async fn concurrent_checks_are_exact(&self) {
        let limiter = Arc::new((self.convert)(per_second(1, 50)));
        let tasks: Vec<_> = (0..200)
            .map(|_| {
                let (store, limiter) = (Arc::clone(&self.store), Arc::clone(&limiter));
                tokio::spawn(async move {
                    let checked =
                        tokio::time::timeout(Duration::from_mins(1), store.check_event("crowd", &limiter, at(0)));
                    checked.await.unwrap().unwrap().allowed
                })
            })
            .collect();
        let mut allowed = 0;
        for task in tasks {
            allowed += usize::from(task.await.unwrap());
        }
        assert_eq!(allowed, 50);
    }
}
