//! Whether the database can be reached. When it cannot, requests are told so at once, one attempt at a time finds out
//! when it is back, and the log says why, once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use sqlx::postgres::PgConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _};
use tokio::sync::Notify;
use tokio::time::{Instant, sleep, timeout};

/// How long one attempt may take.
const ATTEMPT: Duration = Duration::from_secs(2);

/// Between attempts, first and at the most.
const PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// What is known. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Availability(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    is_down: AtomicBool,
    suspected: Notify,
}

impl Availability {
    /// Whether nothing need be tried now.
    #[must_use]
    pub fn is_down(&self) -> bool {
        self.0.is_down.load(Ordering::Relaxed)
    }

    /// Somebody could not get at the database: it is looked at.
    pub fn suspect(&self) {
        self.0.suspected.notify_one();
    }

    /// Looks at the database whenever it is suspected, until it is back. Runs until it is dropped.
    pub async fn watch(self, options: PgConnectOptions) {
        let options = options.application_name("evenkeel watch");
        loop {
            self.0.suspected.notified().await;
            let Err(cause) = attempt(&options).await else {
                // One look answers for all that was suspected a moment ago.
                sleep(PAUSE).await;
                continue;
            };
            self.0.is_down.store(true, Ordering::Relaxed);
            tracing::error!(cause, "the database cannot be reached");
            let (since, mut told, mut pause) = (Instant::now(), cause, PAUSE);
            loop {
                sleep(pause).await;
                pause = (pause * 2).min(LONGEST_PAUSE);
                match attempt(&options).await {
                    Ok(()) => break,
                    Err(cause) if cause != told => {
                        tracing::error!(cause, "the database still cannot be reached");
                        told = cause;
                    }
                    Err(_) => (),
                }
            }
            self.0.is_down.store(false, Ordering::Relaxed);
            tracing::warn!(seconds = since.elapsed().as_secs(), "the database is back");
        }
    }
}

async fn attempt(options: &PgConnectOptions) -> Result<(), String> {
    let attempt = async { options.connect().await?.close().await };
    match timeout(ATTEMPT, attempt).await {
        Ok(Ok(())) => Ok(()),
        Ok(Err(error)) => Err(describe(&error)),
        Err(_) => Err("no answer in 2 s".to_owned()),
    }
}

/// Whether it may be there soon: it is not running yet, is starting or stopping, or has no connection left.
#[must_use]
pub fn is_passing(error: &sqlx::Error) -> bool {
    match error {
        // What stands before a server that is not there may answer nonsense.
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
        sqlx::Error::PoolTimedOut => "all of this instance's connections are in use".to_owned(),
        sqlx::Error::Io(cause) => cause.to_string(),
        sqlx::Error::Database(error) => match error.code().as_deref() {
            Some(TOO_MANY_CONNECTIONS) => format!("{} (max_connections of the server)", error.message()),
            _ => error.message().to_owned(),
        },
        other => other.to_string(),
    }
}

/// An error with its causes, each once: many errors say their cause's words as their own.
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
