//! Tests of the in-memory store: concurrent checks, capacity, eviction and expiry.

use evenkeel_limiters::combined_limits::NamedLimit;
use evenkeel_limiters::stores::{CheckAllError, MemoryStore};
use evenkeel_limiters::{Event, LeakyBucket, LeakyBucketParams, LeakyBucketState, Timestamp};

fn bucket(capacity: i64) -> LeakyBucket {
    LeakyBucket::new(LeakyBucketParams { capacity, ..Default::default() }).unwrap()
}

#[test]
fn concurrent_checks_are_exact() {
    let (memory, limiter) = (MemoryStore::new(10_000), bucket(1_000));
    let admitted: usize = std::thread::scope(|scope| {
        let ask =
            || (0..1_000).filter(|_| memory.check(&7, &limiter, Event::at_unix_millis(0)).unwrap().allowed).count();
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(ask)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert_eq!(admitted, 1_000);
    assert_eq!((memory.len(), memory.is_empty()), (1, false));
}

#[test]
fn evicts_least_recently_updated_keys() {
    let (memory, limiter) = (MemoryStore::new(10_000), bucket(1));
    assert!(memory.is_empty());
    assert!(memory.check(&7, &limiter, Event::at_unix_millis(0)).unwrap().allowed);
    let mut most = 0;
    for key in 100..100_000 {
        assert!(memory.check(&key, &limiter, Event::at_unix_millis(0)).unwrap().allowed);
        assert!(!memory.check(&7, &limiter, Event::at_unix_millis(0)).unwrap().allowed, "forgotten at {key}");
        if key % 500 == 0 {
            most = most.max(memory.len());
        }
    }
    assert!((6_000..=10_512).contains(&most), "{most}");
    // The first keys were evicted. The latest keys have kept their states. The number of latest keys is so small that
    // no shard can have evicted one of them, however unevenly a random hash distributes them.
    assert!((100..1_000).all(|key| memory.get(&key).is_none()));
    assert!((99_400..100_000).all(|key| !memory.check(&key, &limiter, Event::at_unix_millis(0)).unwrap().allowed));
}

#[test]
fn several_keys_are_charged_all_or_none() {
    let memory: MemoryStore<&str, LeakyBucketState> = MemoryStore::new(10_000);
    let (one, many) = (bucket(1), bucket(10));
    let limits = [NamedLimit { name: "one", limiter: &one }, NamedLimit { name: "many", limiter: &many }];
    let both = [("a", limits[0]), ("b", limits[1])];
    let check = |event| memory.check_all(&both, event).map(|verdict| (verdict.decision.allowed, verdict.limit));
    assert_eq!(check(Event::at_unix_millis(0)), Ok((true, "one")));
    assert_eq!(check(Event::at_unix_millis(0)), Ok((false, "one")));
    assert_eq!(memory.peek(&"b", &many, Event::at_unix_millis(0)).unwrap().remaining, Some(9));
    assert!(matches!(check(Event::at_unix_millis(0).with_cost(2)), Err(CheckAllError::Cost(_))));
    let twice = memory.check_all(&[("a", limits[0]), ("a", limits[1])], Event::at_unix_millis(0));
    assert_eq!(twice, Err(CheckAllError::DuplicateKey));
    // Concurrent checks of the same keys in opposite order do not deadlock.
    let (left, right) = (["a", "b", "c", "d"], ["d", "c", "b", "a"]);
    let wide = bucket(1_000_000);
    std::thread::scope(|scope| {
        for keys in [left, right, left, right] {
            let (memory, limit) = (&memory, NamedLimit { name: "", limiter: &wide });
            scope.spawn(move || {
                for _ in 0..5_000 {
                    assert!(
                        memory
                            .check_all(&keys.map(|key| (key, limit)), Event::at_unix_millis(0))
                            .unwrap()
                            .decision
                            .allowed
                    );
                }
            });
        }
    });
    assert_eq!(memory.peek(&"d", &wide, Event::at_unix_millis(0)).unwrap().remaining, Some(1_000_000 - 20_000));
}

#[test]
fn get_with_refund_and_remove() {
    let (memory, limiter) = (MemoryStore::new(10_000), bucket(2));
    assert_eq!(
        (memory.get(&1), memory.peek(&1, &limiter, Event::at_unix_millis(0)).unwrap().remaining),
        (None, Some(2))
    );
    assert!(!memory.refund(&1, &limiter, Event::at_unix_millis(0)));
    assert!(memory.check(&1, &limiter, Event::at_unix_millis(0).with_cost(2)).unwrap().allowed);
    assert!(memory.refund(&1, &limiter, Event::at_unix_millis(0)));
    assert_eq!(memory.peek(&1, &limiter, Event::at_unix_millis(0)).unwrap().remaining, Some(1));
    let state = memory.get(&1).unwrap();
    memory.with_state(&2, |other| *other = state);
    assert_eq!(memory.get(&2), Some(state));
    memory.remove(&1);
    assert_eq!((memory.get(&1), memory.get(&2)), (None, Some(state)));
    assert!(memory.check(&3, &limiter, Event::at_unix_millis(0).with_cost(3)).is_err());
}

#[test]
fn removes_only_expired_states() {
    let (memory, limiter) = (MemoryStore::new(10_000), bucket(20));
    for key in 1..=20_u32 {
        assert!(memory.check(&key, &limiter, Event::at_unix_millis(0).with_cost(key)).unwrap().allowed);
    }
    // The bucket leaks ten units per second, so the states of the keys up to 10 expire within the first second.
    memory.remove_expired(|_| &limiter, Timestamp::from_unix_millis(1_000));
    assert_eq!(memory.len(), 10);
    assert!(memory.get(&10).is_none() && memory.get(&11).is_some());
    memory.remove_expired(|_| &limiter, Timestamp::from_unix_millis(2_000));
    assert!(memory.is_empty());
}

#[tokio::test]
async fn passes_the_tests_of_all_stores() {
    crate::store_suite::test_store(MemoryStore::<String, LeakyBucketState>::new(10_000), |bucket| bucket).await;
}
