//! Replicas: standby servers from which pages for anonymous visitors are read.
//!
//! A replica is used while two conditions hold: its data is at most [`MAX_AGE`] old, and it contains all content changes
//! that this instance has made. Positions in the write-ahead log (LSN) show both. Again and again, a task reads the
//! position of the primary, and waits until the replica has replayed the log up to this position.

use std::convert::Infallible;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::future::join_all;
use sqlx::ConnectOptions as _;
use sqlx::postgres::{PgConnectOptions, PgConnection, PgPool};
use tokio::time::{Instant, sleep, timeout};

use super::availability::{Availability, describe_error, timeout_error};
use super::pools::{create_lookup_pool, create_pool};

/// Maximum age of the data that is read from a replica.
pub const MAX_AGE: Duration = Duration::from_secs(2);

/// Time between two checks of a replica.
const CHECK_INTERVAL: Duration = Duration::from_millis(200);

/// Time after which a replica that lags is asked for its position again.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Replicas of an instance. Clones share the state.
#[derive(Clone, Debug)]
pub struct Replicas(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    replicas: Vec<Replica>,
    /// Number of reads so far; they are spread evenly over the replicas.
    reads: AtomicUsize,
}

#[derive(Debug)]
pub struct Replica {
    /// Position in [`Replicas`].
    pub index: usize,
    /// Host and port.
    pub name: String,
    pub options: PgConnectOptions,
    /// Connections for requests.
    pub pool: PgPool,
    /// Connections for batched lookups.
    pub lookup_pool: PgPool,
    pub availability: Availability,
    confirmed: Mutex<Option<Confirmed>>,
}

/// State of the primary that a replica was found to contain.
#[derive(Clone, Copy, Debug)]
struct Confirmed {
    /// Time at which the primary had this state.
    at: Instant,
    /// Number of content changes of this instance at that time.
    changes: u64,
}

/// Reason why a replica cannot be used.
#[derive(Debug, thiserror::Error)]
enum ReplicaError {
    #[error("the position of the primary server cannot be read: {}", describe_error(.0))]
    Primary(sqlx::Error),
    #[error("{}", describe_error(.0))]
    Replica(#[from] sqlx::Error),
    #[error("the server is not a standby")]
    NotStandby,
    #[error("the replica lags more than {} seconds behind the primary server", MAX_AGE.as_secs())]
    Lag,
}

impl Replicas {
    /// Connections are opened when they are needed. A server that does not respond within `timeout` counts as down.
    #[must_use]
    pub fn new(servers: &[PgConnectOptions], max_connections: u32, timeout: Duration) -> Self {
        let replica = |(index, options): (usize, &PgConnectOptions)| {
            let availability = Availability::new(timeout);
            Replica {
                index,
                name: format!("{}:{}", options.get_host(), options.get_port()),
                options: options.clone(),
                pool: create_pool(options.clone(), max_connections, &availability),
                lookup_pool: create_lookup_pool(options.clone(), 1, &availability),
                availability,
                confirmed: Mutex::new(None),
            }
        };
        let replicas = servers.iter().enumerate().map(replica).collect();
        Self(Arc::new(Inner { replicas, reads: AtomicUsize::new(0) }))
    }

    #[must_use]
    pub fn all(&self) -> &[Replica] {
        &self.0.replicas
    }

    /// Returns a replica that contains the first `changes` content changes of this instance, and is up to date
    /// otherwise. `None` if there is no such replica.
    #[must_use]
    pub fn up_to_date(&self, changes: u64) -> Option<&Replica> {
        let usable = || self.all().iter().filter(|replica| replica.contains(changes));
        let count = usable().count();
        // Another task may have changed the state since the replicas were counted.
        usable().nth(self.0.reads.fetch_add(1, Ordering::Relaxed).checked_rem(count)?)
    }

    /// Checks the replicas until the task is aborted. `primary` is the server that receives the changes, and `changes`
    /// returns the number of content changes of this instance.
    pub async fn watch(self, primary: PgConnectOptions, availability: Availability, changes: impl Fn() -> u64) {
        let primary = primary.application_name("evenkeel watch");
        let watch = |replica| {
            let (primary, availability, changes) = (primary.clone(), &availability, &changes);
            Watch { replica, primary, source: None, availability, changes, was_fresh: None }.run()
        };
        join_all(self.all().iter().map(watch)).await;
    }
}

impl Replica {
    /// Time since the primary had the state that the replica was last found to contain. `None` if the replica has never
    /// been found to be up to date.
    #[must_use]
    pub fn age(&self) -> Option<Duration> {
        self.lock().map(|confirmed| confirmed.at.elapsed())
    }

    /// True if the data of the replica is at most [`MAX_AGE`] old.
    #[must_use]
    pub fn is_fresh(&self) -> bool {
        self.age().is_some_and(|age| age <= MAX_AGE)
    }

    fn contains(&self, changes: u64) -> bool {
        self.is_fresh() && self.lock().is_some_and(|confirmed| confirmed.changes >= changes)
    }

    fn lock(&self) -> MutexGuard<'_, Option<Confirmed>> {
        self.confirmed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn connect(&self) -> sqlx::Result<PgConnection> {
        within(&self.availability, self.options.clone().application_name("evenkeel watch").connect()).await
    }

    /// True if the replica has replayed the log up to this position.
    async fn has_replayed(&self, connection: &mut PgConnection, position: &str) -> Result<bool, ReplicaError> {
        // A server that was promoted keeps the position of its last replay.
        let replayed = sqlx::query_scalar!(
            "select case when pg_is_in_recovery() then pg_last_wal_replay_lsn() >= $1::text::pg_lsn end",
            position
        );
        within(&self.availability, replayed.fetch_one(connection)).await?.ok_or(ReplicaError::NotStandby)
    }
}

/// Checks of one replica.
struct Watch<'a, F> {
    replica: &'a Replica,
    primary: PgConnectOptions,
    /// Connection to the primary, opened when it is needed.
    source: Option<PgConnection>,
    /// Availability of the primary.
    availability: &'a Availability,
    changes: &'a F,
    /// Last logged state.
    was_fresh: Option<bool>,
}

impl<F: Fn() -> u64> Watch<'_, F> {
    async fn run(mut self) -> Infallible {
        loop {
            let Err(error) = self.check_repeatedly().await;
            self.log_change(&error);
            sleep(CHECK_INTERVAL).await;
        }
    }

    /// Checks the replica until an error occurs.
    async fn check_repeatedly(&mut self) -> Result<Infallible, ReplicaError> {
        let mut connection = self.replica.connect().await?;
        loop {
            // Until `is_down` is set, a failed connection attempt and a second one may exceed the time limit.
            let limit = MAX_AGE + 2 * self.availability.connection_timeout();
            let was_fresh = self.replica.age().is_some_and(|age| age <= limit);
            if was_fresh && self.availability.is_down() {
                // Nothing changes while the primary is down, so a replica that was up to date remains so.
                self.replica.has_replayed(&mut connection, "0/0").await?;
                self.replica.lock().iter_mut().for_each(|confirmed| confirmed.at = Instant::now());
            } else {
                match self.check(&mut connection).await {
                    Err(ReplicaError::Primary(_)) if was_fresh => (),
                    checked => checked?,
                }
            }
            self.log_change(&ReplicaError::Lag);
            sleep(CHECK_INTERVAL).await;
        }
    }

    /// Waits until the replica contains the present state of the primary.
    async fn check(&mut self, connection: &mut PgConnection) -> Result<(), ReplicaError> {
        let confirmed = Confirmed { at: Instant::now(), changes: (self.changes)() };
        let position = self.read_position().await.map_err(ReplicaError::Primary)?;
        while !self.replica.has_replayed(connection, &position).await? {
            self.log_change(&ReplicaError::Lag);
            sleep(POLL_INTERVAL).await;
        }
        *self.replica.lock() = Some(confirmed);
        Ok(())
    }

    /// Reads the position up to which the primary has written its log.
    async fn read_position(&mut self) -> sqlx::Result<String> {
        let read = async {
            let source = match self.source.take() {
                Some(source) => self.source.insert(source),
                None => self.source.insert(self.primary.connect().await?),
            };
            sqlx::query_scalar!(r#"select pg_current_wal_lsn()::text as "position!""#).fetch_one(source).await
        };
        let position = within(self.availability, read).await;
        if position.is_err() {
            self.source = None;
            self.availability.report_failure();
        }
        position
    }

    fn log_change(&mut self, cause: &ReplicaError) {
        let is_fresh = self.replica.is_fresh();
        if self.was_fresh.replace(is_fresh) == Some(is_fresh) {
            return;
        }
        if is_fresh {
            tracing::info!(replica = self.replica.name, "replica is used");
        } else {
            tracing::warn!(replica = self.replica.name, error = %cause, "replica is not used");
        }
    }
}

/// Applies the connection timeout of a server to a step.
async fn within<T>(availability: &Availability, step: impl Future<Output = sqlx::Result<T>>) -> sqlx::Result<T> {
    let limit = availability.connection_timeout();
    timeout(limit, step).await.unwrap_or_else(|_| Err(timeout_error(limit)))
}
