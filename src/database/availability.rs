//! Whether the database can be reached. While it cannot, requests get an error at once, a single task tries to connect
//! until the database is back, and the log names each cause once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use sqlx::postgres::PgConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _};
use tokio::sync::Notify;
use tokio::time::{Instant, sleep, timeout};

/// How long one attempt may take.
const ATTEMPT: Duration = Duration::from_secs(2);

/// The first and the longest pause between two attempts. Pauses double from the first to the longest.
const PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// Whether the database is down, as far as we know. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Availability(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    is_down: AtomicBool,
    suspected: Notify,
}

impl Availability {
    /// Whether the database is known to be down, so that requests need not try.
    #[must_use]
    pub fn is_down(&self) -> bool {
        self.0.is_down.load(Ordering::Relaxed)
    }

    /// To be called by whoever could not reach the database: [`watch`](Self::watch) then looks at it.
    pub fn suspect(&self) {
        self.0.suspected.notify_one();
    }

    /// Waits until the database is suspected to be down, and then tries until it is back. Runs until it is dropped.
    pub async fn watch(self, options: PgConnectOptions) {
        let options = options.application_name("evenkeel watch");
        loop {
            self.0.suspected.notified().await;
            let Err(cause) = attempt(&options).await else {
                // One attempt answers for everything that was suspected a moment ago.
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
        sqlx::Error::PoolTimedOut => "all of this instance's connections are in use".to_owned(),
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
