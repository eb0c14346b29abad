//! Availability of the database. While it is unreachable, requests fail at once and one background task reconnects.
//!
//! After a failover, connections may still lead to the former primary server, now read-only. After a statement has
//! failed at a read-only server, all connections are replaced as soon as new connections reach a writable server.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use sqlx::postgres::PgConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _};
use tokio::sync::Notify;
use tokio::time::{Instant, sleep, timeout};

const INITIAL_BACKOFF: Duration = Duration::from_millis(100);
const MAX_BACKOFF: Duration = Duration::from_secs(1);

/// Availability as last observed by this instance. Clones share the state.
#[derive(Clone, Debug)]
pub struct Availability(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    timeout: Duration,
    is_down: AtomicBool,
    is_read_only: AtomicBool,
    /// True if a statement has failed because of a read-only connection since the last connection attempt.
    found_read_only: AtomicBool,
    /// Connections opened before this time are closed instead of reused.
    replaced_at: Mutex<Option<Instant>>,
    failure_reported: Notify,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum ServerState {
    Writable,
    ReadOnly,
    Unreachable(String),
}

impl Availability {
    /// Assumes that the database is available. A server that does not respond within `timeout` counts as down.
    pub fn new(timeout: Duration) -> Self {
        Self(Arc::new(Inner {
            timeout,
            is_down: AtomicBool::new(false),
            is_read_only: AtomicBool::new(false),
            found_read_only: AtomicBool::new(false),
            replaced_at: Mutex::new(None),
            failure_reported: Notify::new(),
        }))
    }

    pub(super) fn connection_timeout(&self) -> Duration {
        self.0.timeout
    }

    pub fn is_down(&self) -> bool {
        self.0.is_down.load(Ordering::Relaxed)
    }

    pub fn is_read_only(&self) -> bool {
        self.0.is_read_only.load(Ordering::Relaxed)
    }

    /// Background tasks wait before each attempt, so that an outage does not log an error every few seconds.
    pub async fn wait_until_available(&self) {
        while self.is_down() {
            sleep(INITIAL_BACKOFF).await;
        }
    }

    pub fn is_connection_stale(&self, age: Duration) -> bool {
        let replaced = self.0.replaced_at.lock().unwrap_or_else(PoisonError::into_inner);
        replaced.is_some_and(|at| age > at.elapsed())
    }

    /// Reports a failure of the database, which wakes [`reconnect_on_failure`](Self::reconnect_on_failure).
    pub fn report_failure(&self, error: Option<&anyhow::Error>) {
        let mut causes = error.into_iter().flat_map(anyhow::Error::chain);
        match causes.find_map(|cause| cause.downcast_ref::<sqlx::Error>()) {
            Some(error) => self.report_error(error),
            None => self.0.failure_reported.notify_one(),
        }
    }

    pub fn report_error(&self, error: &sqlx::Error) {
        if is_read_only_error(error) {
            self.0.found_read_only.store(true, Ordering::Relaxed);
        }
        self.0.failure_reported.notify_one();
    }

    pub fn mark_connections_stale(&self) {
        *self.0.replaced_at.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }

    /// Waits for a reported failure, then tries to connect until the database is writable. Never returns.
    pub async fn reconnect_on_failure(self, options: PgConnectOptions) {
        let options = options.application_name("evenkeel watch");
        loop {
            // Does not wait if the database is already marked as down, as after a restart of this task.
            if !self.is_down() && !self.is_read_only() {
                self.0.failure_reported.notified().await;
            }
            let (since, mut logged, mut pause, mut was_read_only) = (Instant::now(), None, INITIAL_BACKOFF, false);
            let mut state = try_connect(&options, self.connection_timeout()).await;
            while state != ServerState::Writable {
                self.0.is_down.store(matches!(state, ServerState::Unreachable(_)), Ordering::Relaxed);
                self.0.is_read_only.store(state == ServerState::ReadOnly, Ordering::Relaxed);
                was_read_only |= state == ServerState::ReadOnly;
                if logged.as_ref() != Some(&state) {
                    match &state {
                        ServerState::Unreachable(cause) if logged.is_none() => {
                            tracing::error!(error = cause, "database unreachable");
                        }
                        ServerState::Unreachable(cause) => tracing::error!(error = cause, "database still unreachable"),
                        _ => tracing::error!("database is read-only; changes fail"),
                    }
                    logged = Some(state);
                }
                sleep(pause).await;
                pause = (pause * 2).min(MAX_BACKOFF);
                state = try_connect(&options, self.connection_timeout()).await;
            }
            // Replaces connections only after a failover: a pool detects broken connections itself, and replacing
            // working connections could fail at a server that has reached its connection limit.
            if self.0.found_read_only.swap(false, Ordering::Relaxed) || was_read_only {
                self.mark_connections_stale();
            }
            self.0.is_read_only.store(false, Ordering::Relaxed);
            self.0.is_down.store(false, Ordering::Relaxed);
            if logged.is_some() {
                tracing::warn!(seconds = since.elapsed().as_secs(), "database reachable again");
            } else {
                // Failures that are reported during this delay cause only one attempt.
                sleep(INITIAL_BACKOFF).await;
            }
        }
    }
}

async fn try_connect(options: &PgConnectOptions, within: Duration) -> ServerState {
    let attempt = async {
        let mut connection = options.connect().await?;
        let is_read_only =
            sqlx::query_scalar!(r#"select current_setting('transaction_read_only')::boolean as "is_read_only!""#);
        let is_read_only = is_read_only.fetch_one(&mut connection).await?;
        connection.close().await?;
        Ok::<_, sqlx::Error>(is_read_only)
    };
    match timeout(within, attempt).await {
        Ok(Ok(false)) => ServerState::Writable,
        Ok(Ok(true)) => ServerState::ReadOnly,
        Ok(Err(error)) => ServerState::Unreachable(describe_error(&error)),
        Err(_) => ServerState::Unreachable(describe_error(&timeout_error(within))),
    }
}

pub fn timeout_error(within: Duration) -> sqlx::Error {
    let text = format!("the database did not respond within {} s", within.as_secs());
    sqlx::Error::Io(std::io::Error::new(std::io::ErrorKind::TimedOut, text))
}

/// True for transient errors: the server is not running yet, is starting or stopping, or has no free connection.
pub fn is_transient_error(error: &sqlx::Error) -> bool {
    match error {
        // A proxy in front of an unavailable server may send an invalid response.
        sqlx::Error::Io(_) | sqlx::Error::Protocol(_) | sqlx::Error::PoolTimedOut => true,
        sqlx::Error::Database(error) => {
            error.code().is_some_and(|code| code.starts_with("57P0") || code == TOO_MANY_CONNECTIONS)
        }
        _ => false,
    }
}

/// True for SQLSTATE 25006, `read_only_sql_transaction`.
pub fn is_read_only_error(error: &sqlx::Error) -> bool {
    matches!(error, sqlx::Error::Database(error) if error.code().as_deref() == Some("25006"))
}

const TOO_MANY_CONNECTIONS: &str = "53300";

pub fn describe_error(error: &sqlx::Error) -> String {
    match error {
        sqlx::Error::PoolTimedOut => {
            "database connection timeout: all connections of this instance are in use, or the server does not respond"
                .to_owned()
        }
        sqlx::Error::Io(cause) => cause.to_string(),
        sqlx::Error::Database(error) => match error.code().as_deref() {
            Some(TOO_MANY_CONNECTIONS) => format!("{} (the server has reached max_connections)", error.message()),
            _ => error.message().to_owned(),
        },
        other => other.to_string(),
    }
}

/// Joins the messages of an error and its causes. Text that a cause repeats is skipped.
pub fn describe_error_chain(error: &anyhow::Error) -> String {
    let (mut text, mut last) = (String::new(), String::new());
    for cause in error.chain() {
        let cause = match cause.downcast_ref::<sqlx::Error>() {
            Some(error) => describe_error(error),
            None => cause.to_string(),
        };
        let said = cause.clone();
        if text.is_empty() {
            text = cause;
        } else if !text.contains(&cause) && !cause.contains(&last) {
            text = format!("{text}: {cause}");
        }
        last = said;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn describes_timeout() {
        let error = timeout_error(Duration::from_secs(3));
        assert_eq!(describe_error(&error), "the database did not respond within 3 s");
        assert!(is_transient_error(&error));
    }
}
