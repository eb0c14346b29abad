//! Connection pools with time limits for locks, statements and idle transactions, and commits with a time limit.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use sqlx::postgres::{PgConnectOptions, PgPool, PgPoolOptions};
use sqlx::{Connection as _, Postgres, Transaction};
use tokio::time::timeout;

use super::availability::{Availability, describe_error, timeout_error};

/// Time after which an idle connection is closed, because other instances may need connections.
const IDLE_TIMEOUT: Duration = Duration::from_mins(1);

/// Maximum age of a connection, so that changed database settings and IP addresses of the server take effect.
pub const MAX_LIFETIME: Duration = Duration::from_mins(1);

/// Minimum time between two attempts to connect to the server of `DATABASE_READ_URL`.
const RETRY_INTERVAL: Duration = Duration::from_secs(5);

/// Maximum number of concurrent searches, each of which keeps one core of the database server busy.
pub const MAX_SEARCHES: u32 = 2;

pub fn create_pool(options: PgConnectOptions, max_connections: u32, availability: &Availability) -> PgPool {
    pool_options(max_connections, availability).connect_lazy_with(with_timeouts(options))
}

/// Pool for statements that look up rows only by key. Keeps at least one connection open, because other programs may
/// use all remaining connections of the server.
pub fn create_lookup_pool(options: PgConnectOptions, max_connections: u32, availability: &Availability) -> PgPool {
    // Does not test connections before use, because the callers repeat a statement if its connection was lost.
    let pool = pool_options(max_connections, availability).min_connections(1).idle_timeout(None);
    let pool = pool.test_before_acquire(false);
    let options = with_timeouts(options).options([
        // Forces one generic plan for any number of keys: planning takes longer than a few index lookups.
        ("plan_cache_mode", "force_generic_plan"),
        // Prefers an index scan, because a cached plan is still used after its tables have grown.
        ("enable_seqscan", "off"),
        // With `enable_seqscan = off`, an unavoidable sequential scan is so costly that PostgreSQL compiles the
        // statement with JIT, which took 200 ms for 45 rows.
        ("jit", "off"),
    ]);
    pool.connect_lazy_with(options)
}

fn pool_options(max_connections: u32, availability: &Availability) -> PgPoolOptions {
    let (acquired, limit) = (availability.clone(), availability.connection_timeout());
    PgPoolOptions::new()
        // Limits the time of a rollback: sqlx waits without a limit until an uncommitted transaction is rolled back, so
        // that a commit that hangs would keep its connection from the pool.
        .after_release(move |connection, _| {
            Box::pin(async move {
                if !connection.should_flush() {
                    return Ok(true);
                }
                timeout(limit, connection.ping()).await.unwrap_or_else(|_| Err(timeout_error(limit))).map(|()| true)
            })
        })
        .before_acquire(move |_, about| Box::pin(std::future::ready(Ok(!acquired.is_connection_stale(about.age)))))
        .max_connections(max_connections)
        .acquire_timeout(availability.connection_timeout())
        .idle_timeout(IDLE_TIMEOUT)
        .max_lifetime(MAX_LIFETIME)
}

fn with_timeouts(options: PgConnectOptions) -> PgConnectOptions {
    options.application_name("evenkeel").options([
        // Exceeds `deadlock_timeout` (1 s), so that PostgreSQL detects deadlocks first. The deadline of the rating
        // writer (3 s) allows for two lock timeouts: of a whole batch, and of the ratings of a locked post.
        ("lock_timeout", "1500ms"),
        ("statement_timeout", "5s"),
        ("idle_in_transaction_session_timeout", "5s"),
    ])
}

/// Standby server of `DATABASE_READ_URL`, for pages of anonymous visitors.
#[derive(Clone, Debug)]
pub struct ReadServer {
    pub pool: PgPool,
    failed_at: Arc<Mutex<Option<Instant>>>,
}

impl ReadServer {
    pub fn new(options: PgConnectOptions, max_connections: u32, timeout: Duration) -> Self {
        let pool = create_pool(options, max_connections, &Availability::new(timeout));
        Self { pool, failed_at: Arc::default() }
    }

    /// Tries to connect. After a failure, returns false for five seconds without another attempt.
    pub async fn is_reachable(&self) -> bool {
        let failed_at = *self.failed_at.lock().unwrap_or_else(PoisonError::into_inner);
        if failed_at.is_some_and(|at| at.elapsed() < RETRY_INTERVAL) {
            return false;
        }
        let connected = self.pool.acquire().await;
        if let Err(error) = &connected {
            tracing::warn!(error = describe_error(error), "DATABASE_READ_URL cannot be used; the primary serves pages");
            *self.failed_at.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
        }
        connected.is_ok()
    }
}

/// Client-side timeout of COMMIT, which can wait forever for a synchronous standby despite `statement_timeout`.
const COMMIT_TIMEOUT: Duration = Duration::from_secs(3);

/// The transaction may have been committed, because the server did not respond to COMMIT.
#[derive(Debug, thiserror::Error)]
#[error("the outcome of the transaction is unknown: {0}")]
struct OutcomeUnknown(sqlx::Error);

/// Commits a transaction. If [`is_outcome_unknown`] is true for the error, the transaction may have been committed.
#[expect(clippy::disallowed_methods, reason = "this function adds the time limit")]
pub async fn commit(transaction: Transaction<'_, Postgres>) -> sqlx::Result<()> {
    let committed = timeout(COMMIT_TIMEOUT, transaction.commit()).await;
    committed.unwrap_or_else(|_| Err(timeout_error(COMMIT_TIMEOUT))).map_err(|error| match error {
        // The server has rejected the transaction, so its outcome is known.
        sqlx::Error::Database(error) => sqlx::Error::Database(error),
        error => sqlx::Error::Io(io::Error::other(OutcomeUnknown(error))),
    })
}

pub fn is_outcome_unknown(error: &anyhow::Error) -> bool {
    error.chain().filter_map(|cause| cause.downcast_ref::<sqlx::Error>()).any(|error| match error {
        sqlx::Error::Io(error) => {
            error.get_ref().is_some_and(<dyn std::error::Error + Send + Sync>::is::<OutcomeUnknown>)
        }
        _ => false,
    })
}
