//! Availability of the database for reading and writing. While it cannot be reached, requests get an error at once, a single task
//! tries to connect until the database is back, and the log names each cause once.
//!
//! After a failover, existing connections may still lead to a former primary that is read-only now. Each connection that returns
//! to a pool is asked for that; if a new connection then leads to a writable server, all older ones are replaced.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use sqlx::postgres::PgConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _, PgConnection};
use tokio::sync::Notify;
use tokio::time::{Instant, sleep, timeout};

/// The first and the longest pause between two attempts. Pauses double from the first to the longest.
const PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// Availability of the database as last observed by this instance. Clones share it.
#[derive(Clone, Debug)]
pub struct Availability(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    /// Time limit of an attempt to connect, and for the answer of a connection that returns to its pool: a COMMIT that hangs
    /// would hold it for ever.
    timeout: Duration,
    is_down: AtomicBool,
    is_read_only: AtomicBool,
    /// Set if a pooled connection was found to be read-only since the last attempt.
    found_read_only: AtomicBool,
    /// Connections that were opened before this moment are closed instead of being used again.
    replaced_at: Mutex<Option<Instant>>,
    suspected: Notify,
}

/// State of the server that a new connection leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Server {
    Writable,
    ReadOnly,
    /// No connection, with the cause.
    Unreachable(String),
}

impl Availability {
    /// Assumes that the database is available. A server that takes longer than `timeout` to answer is taken to be down.
    #[must_use]
    pub fn new(timeout: Duration) -> Self {
        Self(Arc::new(Inner {
            timeout,
            is_down: AtomicBool::new(false),
            is_read_only: AtomicBool::new(false),
            found_read_only: AtomicBool::new(false),
            replaced_at: Mutex::new(None),
            suspected: Notify::new(),
        }))
    }

    /// Time limit of an attempt to connect.
    pub(super) fn timeout(&self) -> Duration {
        self.0.timeout
    }

    /// Whether the database is known to be down, so that requests need not try.
    #[must_use]
    pub fn is_down(&self) -> bool {
        self.0.is_down.load(Ordering::Relaxed)
    }

    /// True while the database is read-only: a standby, or set read-only.
    #[must_use]
    pub fn is_read_only(&self) -> bool {
        self.0.is_read_only.load(Ordering::Relaxed)
    }

    /// Whether a connection of this age was opened before connections were last replaced.
    #[must_use]
    pub fn is_outdated(&self, age: Duration) -> bool {
        let replaced = self.0.replaced_at.lock().unwrap_or_else(PoisonError::into_inner);
        replaced.is_some_and(|at| age > at.elapsed())
    }

    /// To be called by whoever could not reach the database: [`watch`](Self::watch) then tries to connect.
    pub fn suspect(&self) {
        self.0.suspected.notify_one();
    }

    /// Marks all open connections as outdated.
    pub fn replace_connections(&self) {
        *self.0.replaced_at.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }

    /// Whether a pool may keep a connection of this age that was returned to it.
    ///
    /// # Errors
    /// If the connection does not answer in time: it is closed then.
    pub(super) async fn may_be_kept(&self, connection: &mut PgConnection, age: Duration) -> sqlx::Result<bool> {
        if self.is_outdated(age) {
            return Ok(false);
        }
        let is_read_only = timeout(self.timeout(), is_read_only(connection)).await;
        let is_read_only = is_read_only.map_err(|_| no_answer(self.timeout()))??;
        // Where new connections are read-only as well, replacing this one would not help.
        if is_read_only && !self.is_read_only() {
            self.0.found_read_only.store(true, Ordering::Relaxed);
            self.suspect();
        }
        Ok(true)
    }

    /// Waits until the database is suspected to be down or read-only, and then tries until it is back. Runs until it is
    /// dropped.
    pub async fn watch(self, options: PgConnectOptions) {
        let options = options.application_name("evenkeel watch");
        loop {
            // After a restart of this task nobody may suspect a database that is already marked.
            if !self.is_down() && !self.is_read_only() {
                self.0.suspected.notified().await;
            }
            let (since, mut logged, mut pause, mut was_read_only) = (Instant::now(), None, PAUSE, false);
            let mut found = attempt(&options, self.timeout()).await;
            while found != Server::Writable {
                self.0.is_down.store(matches!(found, Server::Unreachable(_)), Ordering::Relaxed);
                self.0.is_read_only.store(found == Server::ReadOnly, Ordering::Relaxed);
                was_read_only |= found == Server::ReadOnly;
                if logged.as_ref() != Some(&found) {
                    match &found {
                        Server::Unreachable(cause) if logged.is_none() => {
                            tracing::error!(error = cause, "database unreachable");
                        }
                        Server::Unreachable(cause) => tracing::error!(error = cause, "database still unreachable"),
                        _ => tracing::error!("database is read-only; changes fail"),
                    }
                    logged = Some(found);
                }
                sleep(pause).await;
                pause = (pause * 2).min(LONGEST_PAUSE);
                found = attempt(&options, self.timeout()).await;
            }
            // Dead connections are found when they are taken. Others must be kept: a full server would give no new ones.
            if self.0.found_read_only.swap(false, Ordering::Relaxed) || was_read_only {
                self.replace_connections();
            }
            self.0.is_read_only.store(false, Ordering::Relaxed);
            self.0.is_down.store(false, Ordering::Relaxed);
            if logged.is_some() {
                tracing::warn!(seconds = since.elapsed().as_secs(), "database reachable again");
            } else {
                // One attempt answers for everything that was suspected a moment ago.
                sleep(PAUSE).await;
            }
        }
    }
}

async fn attempt(options: &PgConnectOptions, within: Duration) -> Server {
    let attempt = async {
        let mut connection = options.connect().await?;
        let is_read_only = is_read_only(&mut connection).await?;
        connection.close().await?;
        Ok::<_, sqlx::Error>(is_read_only)
    };
    match timeout(within, attempt).await {
        Ok(Ok(false)) => Server::Writable,
        Ok(Ok(true)) => Server::ReadOnly,
        Ok(Err(error)) => Server::Unreachable(describe(&error)),
        Err(_) => Server::Unreachable(describe(&no_answer(within))),
    }
}

/// Whether transactions of this connection are read-only, as they are on a standby.
async fn is_read_only(connection: &mut PgConnection) -> sqlx::Result<bool> {
    let read_only =
        sqlx::query_scalar!(r#"select current_setting('transaction_read_only')::boolean as "is_read_only!""#);
    read_only.fetch_one(connection).await
}

/// The error that the database did not answer within this time.
#[must_use]
pub fn no_answer(within: Duration) -> sqlx::Error {
    let text = format!("the database did not answer within {} s", within.as_secs());
    sqlx::Error::Io(std::io::Error::new(std::io::ErrorKind::TimedOut, text))
}

/// Whether it may be there soon: it is not running yet, is starting or stopping, or has no connection left.
#[must_use]
pub fn is_passing(error: &sqlx::Error) -> bool {
    match error {
        // What stands in front of a server that is not there, such as a proxy, may answer nonsense.
        sqlx::Error::Io(_) | sqlx::Error::Protocol(_) | sqlx::Error::PoolTimedOut => true,
        sqlx::Error::Database(error) => {
            error.code().is_some_and(|code| code.starts_with("57P0") || code == TOO_MANY_CONNECTIONS)
        }
        _ => false,
    }
}

const TOO_MANY_CONNECTIONS: &str = "53300";

/// An error of the database in words for whoever runs the site, each cause once.
#[must_use]
pub fn describe(error: &sqlx::Error) -> String {
    match error {
        sqlx::Error::PoolTimedOut => {
            "no connection in time: all of this instance's are in use, or the server does not answer".to_owned()
        }
        sqlx::Error::Io(cause) => cause.to_string(),
        sqlx::Error::Database(error) => match error.code().as_deref() {
            Some(TOO_MANY_CONNECTIONS) => format!("{} (max_connections of the server)", error.message()),
            _ => error.message().to_owned(),
        },
        other => other.to_string(),
    }
}

/// An error and its causes in one line. Many errors repeat the words of their cause: these are said only once.
#[must_use]
pub fn chain(error: &anyhow::Error) -> String {
    let (mut text, mut last) = (String::new(), String::new());
    for cause in error.chain() {
        let cause = match cause.downcast_ref::<sqlx::Error>() {
            Some(error) => describe(error),
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
    fn an_exceeded_time_limit_is_described_as_that() {
        let error = no_answer(Duration::from_secs(3));
        assert_eq!(describe(&error), "the database did not answer within 3 s");
        assert!(is_passing(&error));
    }

    #[tokio::test]
    async fn connections_that_were_open_when_they_were_replaced_are_outdated() {
        let availability = Availability::new(PAUSE);
        assert!(!availability.is_outdated(Duration::from_hours(1)));
        availability.replace_connections();
        assert!(availability.is_outdated(Duration::from_hours(1)));
        assert!(!availability.is_outdated(Duration::ZERO));
    }
}
