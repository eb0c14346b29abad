//! Tests of `ValkeyStore` with a Valkey or Redis server. Without a server the tests are ignored and the output says what
//! to install; with `CI` set, this is a failure.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on has failed")]
#![allow(clippy::print_stdout, reason = "what to install")]

#[path = "../limiters/store_suite.rs"]
mod store_suite;

use std::net::{Ipv4Addr, TcpListener};
use std::path::PathBuf;
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use evenkeel_limiters::stores::{Store as _, StoreError, ValkeyError, ValkeyStore};
use evenkeel_limiters::{Event, LeakyBucket, LeakyBucketParams};
use libtest_mimic::{Arguments, Trial};

/// Longest wait for a server to start or to change its role.
const PATIENCE: Duration = Duration::from_secs(30);

/// A server on a free port, without persistence. It is stopped when this value is dropped.
struct Server {
    process: Child,
    port: u16,
    /// Working directory, in which a replica writes the data of the primary server.
    directory: PathBuf,
}

impl Server {
    fn start() -> Self {
        loop {
            let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap().port();
            if let Some(server) = Self::start_on(free) {
                return server;
            }
        }
    }

    /// Starts a server on a port. `None` if another program uses the port.
    fn start_on(port: u16) -> Option<Self> {
        let mut command = Command::new(program().unwrap());
        command.args(["--port", &port.to_string(), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]);
        let directory = std::env::temp_dir().join(format!("evenkeel-valkey-{}-{port}", std::process::id()));
        std::fs::create_dir_all(&directory).unwrap();
        let process = command.current_dir(&directory).stdout(Stdio::null()).spawn().unwrap();
        let mut server = Self { process, port, directory };
        let own = format!("process_id:{}\r", server.process.id());
        let start = Instant::now();
        loop {
            if server.command(&["INFO", "server"]).is_some_and(|info| info.contains(&own)) {
                return Some(server);
            }
            if server.process.try_wait().unwrap().is_some() {
                return None;
            }
            assert!(start.elapsed() < PATIENCE);
            std::thread::yield_now();
        }
    }

    fn store(&self) -> ValkeyStore {
        ValkeyStore::new(&format!("redis://127.0.0.1:{}/", self.port)).unwrap()
    }

    fn signal(&self, name: &str) {
        let sent = Command::new("kill").args(["-s", name, &self.process.id().to_string()]).status();
        assert!(sent.unwrap().success());
    }

    /// Runs a command on the server. `None` if the server is not available.
    fn command(&self, words: &[&str]) -> Option<String> {
        let mut connection = redis::Client::open(("127.0.0.1", self.port)).unwrap().get_connection().ok()?;
        let mut command = redis::cmd(words[0]);
        let value: redis::Value = command.arg(&words[1..]).query(&mut connection).ok()?;
        redis::from_redis_value(value).ok()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}

fn program() -> Option<&'static str> {
    let runs = |program: &&str| {
        let version = Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        version.is_ok_and(|status| status.success())
    };
    ["valkey-server", "redis-server"].into_iter().find(runs)
}

fn wait_until(condition: impl Fn() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < PATIENCE);
        std::thread::yield_now();
    }
}

/// Repeats a check until it succeeds.
async fn wait_until_available(store: &ValkeyStore, limiter: &LeakyBucket) {
    let start = Instant::now();
    while store.check("available", limiter, 0).await.is_err() {
        assert!(start.elapsed() < PATIENCE);
        tokio::task::yield_now().await;
    }
}

fn per_hour(units: u32) -> LeakyBucket {
    LeakyBucket::per_hour(units).build().unwrap()
}

async fn passes_the_tests_of_all_stores() {
    let server = Server::start();
    let store = server.store().with_client_clock().with_timeout(PATIENCE);
    store_suite::test_store(store, |bucket| bucket).await;
}

/// The clients have their own connections. The server decides with its own clock.
async fn many_clients_are_exact_together() {
    let server = Server::start();
    let stores: Vec<Arc<ValkeyStore>> = (0..4).map(|_| Arc::new(server.store().with_timeout(PATIENCE))).collect();
    let tasks: Vec<_> = (0..400)
        .map(|number| {
            let store = Arc::clone(&stores[number % 4]);
            tokio::spawn(async move { store.check("ann", &per_hour(100), 1).await.unwrap().allowed })
        })
        .collect();
    let mut allowed = 0;
    for task in tasks {
        allowed += usize::from(task.await.unwrap());
    }
    assert_eq!(allowed, 100);
    assert_eq!(server.command(&["DBSIZE"]), Some("1".to_owned()));
}

/// A state in Lua is a decimal number with the largest exact integer.
async fn large_buckets_are_exact_or_rejected() {
    let server = Server::start();
    let store = server.store().with_client_clock();
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
    assert!(matches!(error, StoreError::Store(ValkeyError::BucketTooLarge)));
}

/// Clients with different leak periods convert the level of the same bucket, always rounded up.
async fn level_is_converted_to_another_leak_period() {
    let server = Server::start();
    let store = Arc::new(server.store().with_client_clock().with_timeout(PATIENCE));
    let bucket = |leak_period_ms| {
        let params = LeakyBucketParams { capacity: 10, leak_amount: 1, leak_period_ms, ..Default::default() };
        LeakyBucket::new(params).unwrap()
    };
    let at = |ms: i64| Event::at_unix_millis(1_800_000_000_000 + ms);
    assert!(store.check_event("ann", &bucket(3), at(0).with_cost(3)).await.unwrap().allowed);
    // The level of 9 thirds is 3,000 thousandths, of which one leaks in a millisecond.
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

async fn states_expire_on_the_server() {
    let server = Server::start();
    let store = server.store();
    assert!(store.check("ann", &per_hour(60), 2).await.unwrap().allowed);
    let lifetime: u64 = server.command(&["PTTL", "evenkeel:ann"]).unwrap().parse().unwrap();
    assert!((120_000..=180_000).contains(&lifetime), "{lifetime}");
    assert!(store.refund_event("ann", &per_hour(60), Event::at_unix_millis(0).with_cost(2)).await.unwrap());
    assert_eq!(server.command(&["DBSIZE"]), Some("0".to_owned()));
}

async fn foreign_values_are_errors() {
    let server = Server::start();
    let store = server.store().with_prefix("");
    assert!(server.command(&["SET", "ann", "hello"]).is_some());
    assert!(matches!(store.peek_event("ann", &per_hour(1), Event::at_unix_millis(0)).await,
        Err(StoreError::Store(ValkeyError::Unreadable(key))) if key == "ann"));
    assert!(matches!(store.check("ann", &per_hour(1), 1).await, Err(StoreError::Store(_))));
    store.reset("ann").await.unwrap();
    assert!(store.check("ann", &per_hour(1), 1).await.unwrap().allowed);
}

/// A store can be created before its server runs. When the server is killed, operations fail soon, and succeed again
/// when it is back.
async fn survives_the_death_of_the_server() {
    let server = Server::start();
    let (store, limiter) = (server.store(), per_hour(3));
    assert!(store.check("ann", &limiter, 1).await.unwrap().allowed);
    let port = server.port;
    drop(server);
    for _ in 0..3 {
        let start = Instant::now();
        assert!(matches!(store.check("ann", &limiter, 1).await, Err(StoreError::Store(_))));
        assert!(start.elapsed() < PATIENCE);
    }
    let _server = Server::start_on(port).unwrap();
    wait_until_available(&store, &limiter).await;
    // The server has no persistence, so the state is lost.
    assert_eq!(store.check("ann", &limiter, 1).await.unwrap().remaining, Some(2));
}

/// The server does not answer for a while, as if its machine were overloaded.
async fn slow_server_is_a_timeout() {
    let server = Server::start();
    let (store, limiter) = (server.store().with_timeout(Duration::from_millis(100)), per_hour(3));
    wait_until_available(&store, &limiter).await;
    server.signal("STOP");
    for _ in 0..3 {
        assert!(matches!(store.check("ann", &limiter, 1).await, Err(StoreError::Store(_))));
    }
    server.signal("CONT");
    wait_until_available(&store, &limiter).await;
    assert!(store.check("ben", &limiter, 1).await.unwrap().allowed);
}

/// The server becomes a replica, and the name of the primary server leads to another one: here, to the same server after
/// it was promoted again.
async fn failover_is_followed() {
    let (first, second) = (Server::start(), Server::start());
    let (store, limiter) = (first.store(), per_hour(3));
    assert!(store.check("ann", &limiter, 2).await.unwrap().allowed);
    let replicate = |replica: &Server, primary: &Server| {
        assert!(replica.command(&["REPLICAOF", "127.0.0.1", &primary.port.to_string()]).is_some());
        wait_until(|| {
            replica.command(&["INFO", "replication"]).is_some_and(|info| info.contains("master_link_status:up"))
        });
    };
    // The second server gets the data and becomes the primary server of the first one.
    replicate(&second, &first);
    assert!(second.command(&["REPLICAOF", "NO", "ONE"]).is_some());
    replicate(&first, &second);
    assert!(matches!(store.check("ann", &limiter, 1).await, Err(StoreError::Store(_))));
    assert!(first.command(&["REPLICAOF", "NO", "ONE"]).is_some());
    wait_until_available(&store, &limiter).await;
    assert_eq!(store.check("ann", &limiter, 1).await.unwrap().remaining, Some(0));
    assert!(!store.check("ann", &limiter, 1).await.unwrap().allowed);
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
        states_expire_on_the_server
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
