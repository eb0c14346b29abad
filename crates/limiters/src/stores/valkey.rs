//! Store of limiter states in a Valkey or Redis server. See [`ValkeyStore`].

use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use redis::aio::{ConnectionManager, ConnectionManagerConfig};
use redis::{Client, RedisError, Script};

use crate::leaky_bucket::{LeakyBucket, LeakyBucketState, SavedState};
use crate::stores::{Store, StoreError};
use crate::{Decision, Event, Limiter, RateClass, RateClassState, RateClassStatus, Timestamp};

static LEAKY_BUCKET: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("leaky_bucket.lua")));

static RATE_CLASS: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("rate_class.lua")));

/// Default timeout of an operation (see [`ValkeyStore::with_timeout`]).
const DEFAULT_TIMEOUT: Duration = Duration::from_millis(250);

/// Maximum level of a bucket, in units multiplied by the leak period, and maximum of `window * max` of a rate class. Lua
/// represents integers exactly up to 2^53.
const MAX_LEVEL: i64 = 1 << 52;

/// Maximum number of requests that one call of [`ValkeyStore::count_requests`] can count. The server handles no other
/// request during the call.
const MAX_COUNT: u32 = 1_000;

/// A store of the states of [`LeakyBucket`]s and [`RateClass`]es in a Valkey (8 or later) or Redis (6 or later) server,
/// shared by any number of programs. For leaky buckets it implements [`Store`]; for rate classes see
/// [`count_requests`](Self::count_requests).
///
/// A check takes one round trip: a script on the server reads the state, decides and writes, so that decisions are exact
/// for all programs together. A second round trip is necessary only if another program has used another leak period.
/// The script uses the clock of the server. States expire when their buckets are empty. Set `maxmemory-policy` of the
/// server to `noeviction`, or to a policy that evicts other keys first.
///
/// The first operation opens the connection, on its Tokio runtime. After a failed operation, the next one opens a new
/// connection. While the server is unavailable, each operation fails within the
/// [timeout](Self::with_timeout), and the caller decides whether to allow the event. If an operation fails, the event
/// may have been charged. A cluster of several shards is not supported.
///
/// ```no_run
/// use evenkeel_limiters::LeakyBucket;
/// use evenkeel_limiters::stores::{Store as _, ValkeyStore};
///
/// # async fn send() -> Result<(), Box<dyn std::error::Error>> {
/// let store = ValkeyStore::new("redis://127.0.0.1/", "newsletter:")?;
/// let mails = LeakyBucket::per_hour(100).build()?;
/// if store.check_now("mails:ann", &mails, 1).await?.allowed {
///     // …
/// }
/// # Ok(())
/// # }
/// ```
pub struct ValkeyStore {
    client: Client,
    /// Connection that all operations share, and its number. A failed operation closes the connection only if it still
    /// has the same number. `None` before the first operation and after a failure.
    connection: Mutex<Option<(u64, ConnectionManager)>>,
    next_number: AtomicU64,
    prefix: String,
    timeout: Duration,
    uses_server_clock: bool,
}

/// Error of a [`ValkeyStore`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ValkeyError {
    /// The server cannot be reached, or returned an error.
    #[error("the limiter store is unavailable")]
    Server(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The server did not answer in time.
    #[error("the limiter store did not answer within {0:?}")]
    Timeout(Duration),
    /// The parameters are too large for the arithmetic of the server.
    #[error("capacity * leak_period_ms and window * max must be at most 2^52, and a count at most 1000")]
    TooLarge,
    /// The value of a key is not a state of this limiter.
    #[error("the value of the key {0} is not a limiter state")]
    Unreadable(String),
}

impl From<RedisError> for ValkeyError {
    fn from(error: RedisError) -> Self {
        Self::Server(error.into())
    }
}

/// State before an operation, and the time of the operation in the unit of the script.
type Before = (Option<String>, i64);

impl ValkeyStore {
    /// Creates a store on the server with this URL, such as `redis://127.0.0.1:6379/0`. `prefix` is written before each
    /// key; programs that share a server without sharing limits need different prefixes. URLs with `rediss://` (TLS)
    /// require a TLS feature of the crate `redis` 1.
    ///
    /// # Errors
    /// Returns an error if the URL is invalid.
    pub fn new(url: &str, prefix: impl Into<String>) -> Result<Self, ValkeyError> {
        Ok(Self {
            client: Client::open(url)?,
            connection: Mutex::new(None),
            next_number: AtomicU64::default(),
            prefix: prefix.into(),
            timeout: DEFAULT_TIMEOUT,
            uses_server_clock: true,
        })
    }

    /// Sets the maximum duration of an operation, including that of opening a connection. Default 250 ms.
    #[must_use]
    pub fn with_timeout(self, timeout: Duration) -> Self {
        Self { timeout, ..self }
    }

    /// Uses the times of the events instead of the clock of the server. Suitable for tests, or if the clocks of all
    /// clients are synchronized. Times after the year 287,000 are not exact.
    #[must_use]
    pub fn with_client_clock(self) -> Self {
        Self { uses_server_clock: false, ..self }
    }

    /// Runs the script. If the saved state has another leak period, the state is converted and the script runs again.
    /// Returns the state before the operation (`None` if there was none), and the time of the operation.
    async fn run(
        &self,
        operation: &str,
        key: &str,
        limiter: &LeakyBucket,
        event: Event,
    ) -> Result<(Option<LeakyBucketState>, Timestamp), ValkeyError> {
        let params = limiter.params();
        if params.capacity.saturating_mul(params.leak_period_ms) > MAX_LEVEL {
            return Err(ValkeyError::TooLarge);
        }
        let cost = i64::from(event.cost).saturating_mul(params.leak_period_ms).min(MAX_LEVEL);
        self.with_connection(async |mut connection| {
            let mut converted: Option<(String, i64)> = None;
            loop {
                let mut call = LEAKY_BUCKET.prepare_invoke();
                call.key(format!("{}{key}", self.prefix)).arg(operation).arg(params.leak_amount);
                call.arg(params.leak_period_ms).arg(params.capacity * params.leak_period_ms).arg(cost);
                call.arg(params.max_backward_ms).arg(self.client_time(event.time.unix_millis()));
                let (text, level) = converted.take().unwrap_or_default();
                call.arg(&text).arg(level);
                let (before, now): Before = call.invoke_async(&mut connection).await?;
                let now = Timestamp::from_unix_millis(now);
                let Some(before) = before else { return Ok((None, now)) };
                let saved = parse(&before).ok_or_else(|| ValkeyError::Unreadable(key.to_owned()))?;
                let state = limiter.restored(&saved);
                if operation == "peek" || saved.leak_period_ms == params.leak_period_ms || before == text {
                    return Ok((Some(state), now));
                }
                converted = Some((before, state.level_q.clamp(0, MAX_LEVEL)));
            }
        })
        .await
    }

    /// Time argument of a script; empty if the script uses the clock of the server.
    fn client_time(&self, time: i64) -> String {
        if self.uses_server_clock { String::new() } else { time.to_string() }
    }

    /// Counts a request of a client in a rate class whose times are in **microseconds**. The request counts as `count`
    /// requests (1 to 1,000) if it is allowed, otherwise as one. `known` is a state that the caller knows, for example
    /// because it counted requests while the server was unavailable; it is used if it is later than the state on the
    /// server.
    ///
    /// Returns the client's state before the request, and the time of the request in microseconds since the Unix epoch:
    /// the time of the server, or `now_us` if this store [uses the clocks of the clients](Self::with_client_clock).
    /// [`RateClass::decide`] with these arguments returns the decision that the server has made. Subscriptions to
    /// notices are not stored.
    ///
    /// # Errors
    /// Returns an error if `window * max` is above 2^52, if `count` is above 1,000, or if the store failed.
    pub async fn count_requests(
        &self,
        key: &str,
        class: &RateClass,
        count: u32,
        now_us: i64,
        known: &RateClassState,
    ) -> Result<(RateClassState, i64), ValkeyError> {
        let params = class.params();
        if params.window.saturating_mul(params.max) > MAX_LEVEL || count > MAX_COUNT {
            return Err(ValkeyError::TooLarge);
        }
        let mut call = RATE_CLASS.prepare_invoke();
        call.key(format!("{}{key}", self.prefix)).arg(params.window).arg(params.max).arg(params.clear);
        call.arg(params.alert).arg(params.limit).arg(params.disconnect);
        call.arg(params.reconnect_penalty.map(|penalty| penalty.to_string()).unwrap_or_default());
        call.arg(u8::from(params.count_refused)).arg(u8::from(params.alert_hysteresis)).arg(params.max_backward);
        call.arg(count).arg(self.client_time(now_us)).arg(format_rate_class(known));
        let called = self.with_connection(async |mut connection| Ok(call.invoke_async(&mut connection).await?));
        let (before, now): Before = called.await?;
        let Some(before) = before else { return Ok((RateClassState::default(), now)) };
        let state = parse_rate_class(&before).ok_or_else(|| ValkeyError::Unreadable(key.to_owned()))?;
        Ok((state, now))
    }

    /// Runs an operation, at most for the duration of the timeout. After a failure, the next operation opens a new
    /// connection: the server may have become a replica, and the connection to a machine that has failed would never
    /// be closed.
    async fn with_connection<R>(
        &self,
        operation: impl AsyncFnOnce(ConnectionManager) -> Result<R, ValkeyError>,
    ) -> Result<R, ValkeyError> {
        let (number, connection) = self.connection()?;
        let completed = tokio::time::timeout(self.timeout, operation(connection)).await;
        let result = completed.unwrap_or(Err(ValkeyError::Timeout(self.timeout)));
        if matches!(result, Err(ValkeyError::Server(_) | ValkeyError::Timeout(_))) {
            let mut current = self.connection.lock();
            if current.as_ref().is_some_and(|(current, _)| *current == number) {
                *current = None;
            }
        }
        result
    }

    fn connection(&self) -> Result<(u64, ConnectionManager), ValkeyError> {
        let mut connection = self.connection.lock();
        if let Some(connection) = &*connection {
            return Ok(connection.clone());
        }
        let config = ConnectionManagerConfig::new()
            .set_connection_timeout(Some(self.timeout))
            .set_response_timeout(None)
            .set_number_of_retries(1);
        let manager = ConnectionManager::new_lazy_with_config(self.client.clone(), config)?;
        Ok(connection.insert((self.next_number.fetch_add(1, Ordering::Relaxed), manager)).clone())
    }
}

/// Parses a state in the format of the script: level, time and leak period.
fn parse(text: &str) -> Option<SavedState> {
    let mut numbers = text.split(' ').map(|number| number.parse().ok());
    let (level_q, last_ms, leak_period_ms) = (numbers.next()??, numbers.next()??, numbers.next()??);
    numbers.next().is_none().then_some(SavedState { level_q, last_ms, leak_period_ms })
}

/// Parses a state in the format of the script of rate classes: level (`-` for the maximum), time and status.
fn parse_rate_class(text: &str) -> Option<RateClassState> {
    let mut words = text.split(' ');
    let (level, last, status) = (words.next()?, words.next()?, words.next()?);
    let level = if level == "-" { None } else { Some(level.parse().ok()?) };
    let status = match status {
        "0" => RateClassStatus::Clear,
        "1" => RateClassStatus::Alert,
        "2" => RateClassStatus::Limited,
        "3" => RateClassStatus::Disconnect,
        _ => return None,
    };
    words.next().is_none().then_some(RateClassState {
        level,
        last: Some(last.parse().ok()?),
        status,
        subscribed: false,
    })
}

/// Writes a state in the format of the script of rate classes; empty if there was no request.
fn format_rate_class(state: &RateClassState) -> String {
    let Some(last) = state.last else { return String::new() };
    let level = state.level.map_or("-".to_owned(), |level| level.to_string());
    format!("{level} {last} {}", state.status as u8)
}

impl std::fmt::Debug for ValkeyStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The URL of the client may contain a password.
        let Self { prefix, timeout, .. } = self;
        f.debug_struct("ValkeyStore").field("prefix", prefix).field("timeout", timeout).finish_non_exhaustive()
    }
}

impl Store<str, LeakyBucket> for ValkeyStore {
    type Error = ValkeyError;

    async fn check_event(
        &self,
        key: &str,
        limiter: &LeakyBucket,
        event: Event,
    ) -> Result<Decision, StoreError<ValkeyError>> {
        // An event that can never be allowed must not reach the server.
        let _ = limiter.peek(&LeakyBucketState::default(), event)?;
        let (state, time) = self.run("check", key, limiter, event).await?;
        Ok(limiter.check(&mut state.unwrap_or_default(), Event { time, ..event })?)
    }

    async fn peek_event(
        &self,
        key: &str,
        limiter: &LeakyBucket,
        event: Event,
    ) -> Result<Decision, StoreError<ValkeyError>> {
        let _ = limiter.peek(&LeakyBucketState::default(), event)?;
        let (state, time) = self.run("peek", key, limiter, event).await?;
        Ok(limiter.peek(&state.unwrap_or_default(), Event { time, ..event })?)
    }

    async fn refund_event(&self, key: &str, limiter: &LeakyBucket, event: Event) -> Result<bool, ValkeyError> {
        Ok(self.run("refund", key, limiter, event).await?.0.is_some())
    }

    async fn reset(&self, key: &str) -> Result<(), ValkeyError> {
        let mut delete = redis::cmd("DEL");
        delete.arg(format!("{}{key}", self.prefix));
        self.with_connection(async |mut connection| Ok(delete.exec_async(&mut connection).await?)).await
    }
}
