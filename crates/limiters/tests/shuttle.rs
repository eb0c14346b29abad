//! Tests of `MemoryStore` with a scheduler that interrupts threads at each lock. Requires the feature `__shuttle`:
//! `cargo test -p evenkeel-limiters --features __shuttle --test shuttle`.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::sync::Arc;

use evenkeel_limiters::combined_limits::NamedLimit;
use evenkeel_limiters::stores::MemoryStore;
use evenkeel_limiters::{Event, LeakyBucket, LeakyBucketState, Timestamp};
use shuttle::thread;

/// Number of schedules. Half of them are random, the others change the order of threads at few places.
const SCHEDULES: usize = 2_000;

type Store = MemoryStore<u64, LeakyBucketState>;

const AT: Event = Event::at_unix_millis(0);

fn bucket(capacity: u32) -> LeakyBucket {
    LeakyBucket::per_hour(capacity).build().unwrap()
}

fn under_all_schedules(test: fn()) {
    shuttle::check_random(test, SCHEDULES / 2);
    shuttle::check_pct(test, SCHEDULES / 2, 3);
}

/// Runs threads with a new store. Returns the store, and the sum of the results of the threads.
fn run_threads(count: u64, act: fn(&Store, u64) -> usize) -> (Arc<Store>, usize) {
    let store = Arc::new(Store::new(10_000));
    let threads: Vec<_> = (0..count)
        .map(|number| {
            let store = Arc::clone(&store);
            thread::spawn(move || act(&store, number))
        })
        .collect();
    let sum = threads.into_iter().map(|thread| thread.join().unwrap()).sum();
    (store, sum)
}

#[test]
fn checks_are_exact() {
    under_all_schedules(|| {
        let (_, allowed) =
            run_threads(3, |store, _| (0..3).filter(|_| store.check(&7, &bucket(4), AT).unwrap().allowed).count());
        assert_eq!(allowed, 4);
    });
}

#[test]
fn several_keys_are_charged_together_without_deadlocks() {
    under_all_schedules(|| {
        let (store, allowed) = run_threads(3, |store, number| {
            let bucket = bucket(2);
            let limit = NamedLimit { name: "", limiter: &bucket };
            // The threads list the keys in different orders, which could cause a deadlock.
            let keys = [[1, 2], [2, 3], [3, 1]][usize::try_from(number).unwrap()];
            (0..2).filter(|_| store.check_all(&keys.map(|key| (key, limit)), AT).unwrap().decision.allowed).count()
        });
        let left: u64 = [1, 2, 3].map(|key| store.peek(&key, &bucket(2), AT).unwrap().remaining.unwrap()).iter().sum();
        // Each allowed event has charged two keys.
        assert_eq!(2 * u64::try_from(allowed).unwrap() + left, 6);
    });
}

#[test]
fn refunds_and_removals_lose_no_other_update() {
    under_all_schedules(|| {
        let (store, refunded) = run_threads(3, |store, number| match number {
            0 => usize::from(store.refund(&7, &bucket(10), AT)),
            1 => {
                // No state expires at the earliest time.
                let bucket = bucket(10);
                store.remove_expired(|_| &bucket, Timestamp::MIN);
                0
            }
            _ => (0..2).filter(|_| !store.check(&7, &bucket(10), AT).unwrap().allowed).count(),
        });
        let left = store.peek(&7, &bucket(10), AT).unwrap().remaining.unwrap();
        // A refund before the first check returns nothing.
        assert!(refunded <= 1 && (8..=9).contains(&left), "{refunded} {left}");
        assert_eq!(left == 9, refunded == 1);
    });
}
