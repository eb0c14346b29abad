//! Tests of `ValkeyStore` with a Valkey or Redis server. Without a server the tests are ignored and the output says what
//! to install; with `CI` set, this is a failure.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on has failed")]
#![allow(clippy::print_stdout, reason = "what to install")]
#![allow(clippy::too_many_lines, reason = "a test may need many steps")]

mod server;
#[path = "../limiters/store_suite.rs"]
mod store_suite;

use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use evenkeel_limiters::stores::{Store as _, StoreError, ValkeyError, ValkeyStore};
use evenkeel_limiters::{
    Event, LeakyBucket, LeakyBucketParams, RateClass, RateClassParams, RateClassState, RateClassStatus,
};
use libtest_mimic::{Arguments, Trial};

use server::{SERVER_TIMEOUT, Server, program, wait_until};

fn store_on(server: &Server) -> ValkeyStore {
    ValkeyStore::new(&server.url(), "test:").unwrap()
}

/// Repeats a check until it succeeds.
async fn wait_until_available(store: &ValkeyStore, limiter: &LeakyBucket) {
    let start = Instant::now();
    while store.check_now("available", limiter, 0).await.is_err() {
        assert!(start.elapsed() < SERVER_TIMEOUT);
        tokio::task::yield_now().await;
    }
}

fn per_hour(units: u32) -> LeakyBucket {
    LeakyBucket::per_hour(units).build().unwrap()
}

async fn passes_the_tests_of_all_stores() {
    let server = Server::start();
    let store = store_on(&server).with_client_clock().with_timeout(SERVER_TIMEOUT);
    store_suite::test_store(store, |bucket| bucket).await;
}

/// Clients with separate connections share one exact limit, decided with the clock of the server.
async fn many_clients_are_exact_together() {
    let server = Server::start();
    let stores: Vec<Arc<ValkeyStore>> =
        (0..4).map(|_| Arc::new(store_on(&server).with_timeout(SERVER_TIMEOUT))).collect();
    let tasks: Vec<_> = (0..400)
        .map(|number| {
            let store = Arc::clone(&stores[number % 4]);
            tokio::spawn(async move { store.check_now("ann", &per_hour(100), 1).await.unwrap().allowed })
        })
        .collect();
    let mut allowed = 0;
    for task in tasks {
        allowed += usize::from(task.await.unwrap());
    }
    assert_eq!(allowed, 100);
    assert_eq!(server.command(&["DBSIZE"]), Some("1".to_owned()));
}

/// Lua represents integers exactly up to 2^53 only, so larger buckets are rejected.
async fn large_buckets_are_exact_or_rejected() {
    let server = Server::start();
    let store = store_on(&server).with_client_clock();
    let bucket = |capacity, leak_period_ms| {
        let params = LeakyBucketParams { capacity, leak_amount: 1, leak_period_ms, ..Default::default() };
        LeakyBucket::new(params).unwrap()
    };
    let at = Event::at_unix_millis;
    let large = bucket(1 << 31, 1 << 21);
    let full = at(i64::MAX / 4_096).with_cost(1 << 31);
    assert_eq!(store.check_event("large", &large, full).await.unwrap().remaining, Some(0));
    let refused = store.check_event("large", &large, at(i64::MAX / 4_096 + (1 << 21) - 1)).await.unwrap();
    assert_eq!((refused.allowed, refused.retry_after), (false, Duration::from_millis(1)));
    assert!(store.check_event("large", &large, at(i64::MAX / 4_096 + (1 << 21))).await.unwrap().allowed);
    let error = store.check_event("larger", &bucket(1 << 31, 1 << 22), at(0)).await.unwrap_err();
    assert!(matches!(error, StoreError::Store(ValkeyError::TooLarge)));
}

/// Clients with different leak periods convert the level of the same bucket, always rounded up.
async fn level_is_converted_to_another_leak_period() {
    let server = Server::start();
    let store = Arc::new(store_on(&server).with_client_clock().with_timeout(SERVER_TIMEOUT));
    let bucket = |leak_period_ms| {
        let params = LeakyBucketParams { capacity: 10, leak_amount: 1, leak_period_ms, ..Default::default() };
        LeakyBucket::new(params).unwrap()
    };
    let at = |ms: i64| Event::at_unix_millis(1_800_000_000_000 + ms);
    assert!(store.check_event("ann", &bucket(3), at(0).with_cost(3)).await.unwrap().allowed);
    // Three events are 9 thirds of an event in the first bucket, and 3,000 thousandths in the second, which leaks one
    // thousandth per millisecond.
    let decision = store.check_event("ann", &bucket(1_000), at(1)).await.unwrap();
    assert_eq!((decision.remaining, decision.reset_after), (Some(6), Some(Duration::from_millis(3_999))));
    let tasks: Vec<_> = (0..40)
        .map(|number| {
            let store = Arc::clone(&store);
            let limiter = bucket([3, 7, 1_000][number % 3]);
            tokio::spawn(async move { store.check_event("ben", &limiter, at(0)).await.unwrap().allowed })
        })
        .collect();
    let mut allowed = 0;
    for task in tasks {
        allowed += usize::from(task.await.unwrap());
    }
    assert_eq!(allowed, 10);
}

/// Compares the script of rate classes with the limiter alone, in pseudorandom sequences of requests.
async fn rate_classes_are_decided_like_the_limiter_does() {
    let server = Server::start();
    let store = store_on(&server).with_client_clock().with_timeout(SERVER_TIMEOUT);
    let mut random = 88_172_645_463_325_252_u64;
    let mut next = |below: i64| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        i64::try_from(random % u64::try_from(below).unwrap()).unwrap()
    };
    for sequence in 0..12 {
        let limit = 1 + next(1_000_000);
        let (alert, clear) = (limit + next(500_000), limit + 500_000 + next(500_000));
        let class = RateClass::new(RateClassParams {
            window: 1 + next(30),
            max: clear + next(5_000_000),
            clear,
            alert,
            limit,
            disconnect: if sequence % 3 == 0 { 0 } else { limit / 2 },
            reconnect_penalty: (sequence % 4 != 0).then_some(next(20_000_000)),
            count_refused: sequence % 2 == 0,
            alert_hysteresis: sequence % 5 == 0,
            max_backward: 1_000_000,
        })
        .unwrap();
        let (mut expected, mut now) = (RateClassState::default(), 1_800_000_000_000_000);
        let key = format!("client {sequence}");
        for step in 0..150 {
            let longest = [1_000, 2_000_000, 4_000_000][usize::try_from(next(3)).unwrap()];
            now += next(longest);
            if next(40) == 0 {
                now -= next(2_000_000);
            }
            let count = 1 + u32::try_from(next(3)).unwrap();
            let (before, time) =
                store.count_requests(&key, &class, count, now, &RateClassState::default()).await.unwrap();
            assert_eq!((before, time), (expected, now), "request {step} of {key}");
            let (next, decision) = class.decide(&expected, now);
            let all = if decision.allowed { count } else { 1 };
            expected = (1..all).fold(next, |state, _| class.decide(&state, now).0);
        }
    }
    let class = RateClass::new(RateClassParams::default()).unwrap();
    let lifetime = |key: &str| server.command(&["PTTL", key]).unwrap().parse::<i64>().unwrap();
    store.count_requests("once", &class, 1, 0, &RateClassState::default()).await.unwrap();
    assert!((60_000..=61_000).contains(&lifetime("test:once")));
    // The time of the server is in microseconds.
    let (_, now) = store_on(&server).count_requests("once", &class, 1, 0, &RateClassState::default()).await.unwrap();
    assert!((1_700_000_000_000_000..5_000_000_000_000_000).contains(&now), "{now}");
}

async fn states_expire_on_the_server() {
    let server = Server::start();
    let store = store_on(&server);
    assert!(store.check_now("ann", &per_hour(60), 2).await.unwrap().allowed);
    let lifetime: u64 = server.command(&["PTTL", "test:ann"]).unwrap().parse().unwrap();
    assert!((120_000..=180_000).contains(&lifetime), "{lifetime}");
    assert!(store.refund_event("ann", &per_hour(60), Event::at_unix_millis(0).with_cost(2)).await.unwrap());
    assert_eq!(server.command(&["DBSIZE"]), Some("0".to_owned()));
}

/// A state that the client knows is used if the server has an older state or none.
async fn later_state_of_a_client_is_used() {
    let server = Server::start();
    let store = store_on(&server).with_client_clock();
    let class = RateClass::new(RateClassParams { disconnect: 0, ..Default::default() }).unwrap();
    let (mut known, mut count) = (RateClassState::default(), 0);
    while known.status < RateClassStatus::Limited {
        known = class.decide(&known, 1_000_000 + count).0;
        count += 1;
    }
    for (before, later, expected) in [(900_000, known, known), (1_500_000, known, RateClassState::default())] {
        let key = format!("client {before}");
        let fresh = RateClassState::default();
        let first = store.count_requests(&key, &class, 1, before, &fresh).await.unwrap();
        assert_eq!(first, (fresh, before));
        let expected = if expected == known { known } else { class.decide(&fresh, before).0 };
        assert_eq!(store.count_requests(&key, &class, 1, 2_000_000, &later).await.unwrap(), (expected, 2_000_000));
    }
    assert_eq!(store.count_requests("missing", &class, 1, 2_000_000, &known).await.unwrap().0, known);
    assert!(matches!(store.count_requests("many", &class, 1_001, 0, &known).await, Err(ValkeyError::TooLarge)));
}

/// Operations fail while the password is wrong, and succeed without a restart once the server accepts it.
async fn password_can_be_corrected() {
    let server = Server::start();
    assert!(server.command(&["ACL", "SETUSER", "app", "on", ">right", "~*", "+@all"]).is_some());
    let url = format!("redis://app:wrong@127.0.0.1:{}/", server.port);
    let (store, limiter) = (ValkeyStore::new(&url, "").unwrap().with_timeout(SERVER_TIMEOUT), per_hour(3));
    assert!(matches!(store.check_now("ann", &limiter, 1).await, Err(StoreError::Store(_))));
    assert!(server.command(&["ACL", "SETUSER", "app", ">wrong"]).is_some());
    assert!(store.check_now("ann", &limiter, 1).await.unwrap().allowed);
}

/// The proxy stops forwarding open connections, as after a power failure of the server, but forwards new connections.
async fn lost_connection_is_replaced() {
    use std::sync::atomic::{AtomicBool, Ordering};
    let server = Server::start();
    let proxy = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = proxy.local_addr().unwrap();
    let (stalled, port) = (Arc::new(AtomicBool::new(false)), server.port);
    let is_stalled = Arc::clone(&stalled);
    tokio::spawn(async move {
        let mut held = Vec::new();
        while let Ok((mut client, _)) = proxy.accept().await {
            let mut upstream = tokio::net::TcpStream::connect(("127.0.0.1", port)).await.unwrap();
            if is_stalled.swap(false, Ordering::SeqCst) {
                // Accepts a connection without forwarding it.
                held.push((client, upstream));
                continue;
            }
            tokio::spawn(async move { tokio::io::copy_bidirectional(&mut client, &mut upstream).await });
        }
    });
    stalled.store(true, Ordering::SeqCst);
    let url = format!("redis://{address}/");
    let store = ValkeyStore::new(&url, "").unwrap().with_timeout(Duration::from_millis(200));
    let limiter = per_hour(3);
    assert!(matches!(store.check_now("ann", &limiter, 1).await, Err(StoreError::Store(_))));
    wait_until_available(&store, &limiter).await;
    assert!(store.check_now("ann", &limiter, 1).await.unwrap().allowed);
}

async fn foreign_values_are_errors() {
    let server = Server::start();
    let store = ValkeyStore::new(&server.url(), "").unwrap();
    assert!(server.command(&["SET", "ann", "hello"]).is_some());
    assert!(matches!(store.peek_event("ann", &per_hour(1), Event::at_unix_millis(0)).await,
        Err(StoreError::Store(ValkeyError::Unreadable(key))) if key == "ann"));
    assert!(matches!(store.check_now("ann", &per_hour(1), 1).await, Err(StoreError::Store(_))));
    let class = RateClass::new(RateClassParams::default()).unwrap();
    let counted = store.count_requests("ann", &class, 1, 0, &RateClassState::default()).await;
    assert!(matches!(counted, Err(ValkeyError::Unreadable(_))));
    store.reset("ann").await.unwrap();
    assert!(store.check_now("ann", &per_hour(1), 1).await.unwrap().allowed);
}

/// Operations fail quickly after the server was killed, and succeed again after it was restarted.
async fn survives_the_death_of_the_server() {
    let server = Server::start();
    let (store, limiter) = (store_on(&server), per_hour(3));
    assert!(store.check_now("ann", &limiter, 1).await.unwrap().allowed);
    let port = server.port;
    drop(server);
    for _ in 0..3 {
        let start = Instant::now();
        assert!(matches!(store.check_now("ann", &limiter, 1).await, Err(StoreError::Store(_))));
        assert!(start.elapsed() < SERVER_TIMEOUT);
    }
    let _server = Server::start_on(port).unwrap();
    wait_until_available(&store, &limiter).await;
    // The server has no persistence, so the state is lost.
    assert_eq!(store.check_now("ann", &limiter, 1).await.unwrap().remaining, Some(2));
}

/// Stops the server process, as if its machine were overloaded.
async fn slow_server_is_a_timeout() {
    let server = Server::start();
    let (store, limiter) = (store_on(&server).with_timeout(Duration::from_millis(100)), per_hour(3));
    wait_until_available(&store, &limiter).await;
    server.signal("STOP");
    for _ in 0..3 {
        assert!(matches!(
            store.check_now("ann", &limiter, 1).await,
            Err(StoreError::Store(ValkeyError::Timeout(limit))) if limit == Duration::from_millis(100)
        ));
    }
    server.signal("CONT");
    wait_until_available(&store, &limiter).await;
    assert!(store.check_now("ben", &limiter, 1).await.unwrap().allowed);
}

/// After a failover, the store follows the name of the primary server, which here is the same server after its
/// promotion.
async fn failover_is_followed() {
    let (first, second) = (Server::start(), Server::start());
    let (store, limiter) = (store_on(&first), per_hour(3));
    assert!(store.check_now("ann", &limiter, 2).await.unwrap().allowed);
    let replicate = |replica: &Server, primary: &Server| {
        assert!(replica.command(&["REPLICAOF", "127.0.0.1", &primary.port.to_string()]).is_some());
        wait_until(|| {
            replica.command(&["INFO", "replication"]).is_some_and(|info| info.contains("master_link_status:up"))
        });
    };
    // The second server replicates the data, and becomes the primary server of the first server.
    replicate(&second, &first);
    assert!(second.command(&["REPLICAOF", "NO", "ONE"]).is_some());
    replicate(&first, &second);
    assert!(matches!(store.check_now("ann", &limiter, 1).await, Err(StoreError::Store(_))));
    assert!(first.command(&["REPLICAOF", "NO", "ONE"]).is_some());
    wait_until_available(&store, &limiter).await;
    assert_eq!(store.check_now("ann", &limiter, 1).await.unwrap().remaining, Some(0));
    assert!(!store.check_now("ann", &limiter, 1).await.unwrap().allowed);
}

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let is_missing = program().is_none();
    macro_rules! trials {
        ($($name:ident)+) => {
            vec![$(Trial::test(stringify!($name), || {
                tokio::runtime::Runtime::new().unwrap().block_on($name());
                Ok(())
            }).with_ignored_flag(is_missing)),+]
        };
    }
    let trials = trials! {
        passes_the_tests_of_all_stores
        many_clients_are_exact_together
        large_buckets_are_exact_or_rejected
        level_is_converted_to_another_leak_period
        rate_classes_are_decided_like_the_limiter_does
        states_expire_on_the_server
        later_state_of_a_client_is_used
        password_can_be_corrected
        lost_connection_is_replaced
        foreign_values_are_errors
        survives_the_death_of_the_server
        slow_server_is_a_timeout
        failover_is_followed
    };
    let conclusion = libtest_mimic::run(&arguments, trials);
    if arguments.list || !is_missing {
        return conclusion.exit_code();
    }
    println!("Not run, because a program is missing: apt-get install valkey-server, or redis-server");
    if std::env::var_os("CI").is_some() { ExitCode::FAILURE } else { conclusion.exit_code() }
}
