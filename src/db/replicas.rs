//! Replicas: standby servers from which pages for anonymous visitors are read.
//!
//! A replica is used while two conditions hold: its data is at most [`MAX_AGE`] old, and it contains all content changes
//! that this instance has made. Positions in the write-ahead log (LSN) show both: one task reads the position of the
//! primary again and again, and a task for each replica waits until the replica has replayed the log up to this position.
//!
//! While the primary is down, nothing changes, so replicas that were up to date before are used for as long as it is down.

use std::convert::Infallible;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::future::{join, join_all};
use sqlx::ConnectOptions as _;
use sqlx::postgres::{PgConnectOptions, PgConnection, PgPool};
use tokio::sync::watch;
use tokio::time::{Instant, sleep, timeout};

use super::availability::{Availability, describe_error, timeout_error};
use super::pools::{MAX_LIFETIME, create_lookup_pool, create_pool, create_search_pool};

/// Maximum age of the data that is read from a replica.
pub const MAX_AGE: Duration = Duration::from_secs(2);

/// Time between two checks of a server.
const CHECK_INTERVAL: Duration = Duration::from_millis(200);

/// Time between two checks of a replica that has not caught up yet.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Time between two checks of a server that cannot be used.
const RETRY_INTERVAL: Duration = Duration::from_secs(1);

/// Replicas of an instance. Clones share the state.
#[derive(Clone, Debug)]
pub struct Replicas(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    replicas: Vec<Replica>,
    /// Number of reads so far; they are spread evenly over the replicas.
    reads: AtomicUsize,
}

pub struct Replica {
    /// Position in [`Replicas`].
    pub index: usize,
    /// Host and port.
    pub name: String,
    /// Connections for requests.
    pub pool: PgPool,
    /// Connections for batched lookups.
    pub lookup_pool: PgPool,
    /// Connections for searches.
    pub search_pool: PgPool,
    pub availability: Availability,
    options: PgConnectOptions,
    state: Mutex<State>,
}

#[derive(Clone, Copy, Debug, Default)]
struct State {
    /// Error of the last check, if it failed.
    failure: Option<Failure>,
    /// State of the primary that the replica was last found to contain.
    confirmed: Option<Confirmed>,
    /// True while the primary is down and the replica was up to date before.
    replaces_primary: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Failure {
    NotStandby,
    Other,
}

#[derive(Clone, Copy, Debug)]
struct Confirmed {
    /// Time at which the primary had this state.
    at: Instant,
    /// Number of content changes of this instance at that time.
    changes: u64,
}

/// Position of the primary in its write-ahead log, and the state of the primary at this position.
#[derive(Clone, Copy, Debug)]
struct Position {
    /// Number of bytes in the log up to this position.
    lsn: i64,
    state: Confirmed,
}

/// Reason why a replica cannot be used.
#[derive(Debug, thiserror::Error)]
enum ReplicaError {
    #[error("{}", describe_error(.0))]
    Server(#[from] sqlx::Error),
    #[error("the primary server cannot be reached to compare positions")]
    Primary,
    #[error("the server is not a standby server")]
    NotStandby,
    #[error("the server is ahead of the primary server, so it is not a standby server of this one")]
    Diverged,
    #[error("the replica is more than {} seconds behind the primary server", MAX_AGE.as_secs())]
    Lag,
}

impl Replicas {
    /// Connections are opened when they are needed. A server that does not respond within `timeout` counts as down.
    #[must_use]
    pub fn new(servers: &[PgConnectOptions], max_connections: u32, timeout: Duration) -> Self {
        let replica = |(index, options): (usize, &PgConnectOptions)| {
            let availability = Availability::of_standby(timeout);
            Replica {
                index,
                name: server_name(options),
                pool: create_pool(options.clone(), max_connections, &availability),
                lookup_pool: create_lookup_pool(options.clone(), 1, &availability),
                search_pool: create_search_pool(options, &availability),
                availability,
                options: options.clone().application_name("evenkeel watch"),
                state: Mutex::default(),
            }
        };
        let replicas = servers.iter().enumerate().map(replica).collect();
        Self(Arc::new(Inner { replicas, reads: AtomicUsize::new(0) }))
    }

    #[must_use]
    pub fn all(&self) -> &[Replica] {
        &self.0.replicas
    }

    /// Chooses a replica that contains the first `changes` content changes of this instance, and is up to date otherwise.
    /// `None` if there is no such replica.
    #[must_use]
    pub fn choose(&self, changes: u64) -> Option<&Replica> {
        let usable: Vec<&Replica> = self.all().iter().filter(|replica| replica.is_usable(changes)).collect();
        let number = self.0.reads.fetch_add(1, Ordering::Relaxed).checked_rem(usable.len())?;
        usable.get(number).copied()
    }

    /// True if [`choose`](Self::choose) finds a replica.
    #[must_use]
    pub fn is_any_usable(&self, changes: u64) -> bool {
        self.all().iter().any(|replica| replica.is_usable(changes))
    }

    /// Checks the replicas until the task is aborted. `primary` is the server that receives the changes, and `changes`
    /// returns the number of content changes of this instance.
    pub async fn watch(self, primary: PgConnectOptions, availability: Availability, changes: impl Fn() -> u64) {
        let (latest, positions) = watch::channel(None);
        let pool = create_pool(primary, 1, &availability);
        let watch = |replica| Watch::new(replica, &positions, &availability).run();
        join(read_positions(&pool, &latest, changes), join_all(self.all().iter().map(watch))).await;
    }
}

#[must_use]
pub fn server_name(options: &PgConnectOptions) -> String {
    format!("{}:{}", options.get_host(), options.get_port())
}

/// Reads the position up to which the primary has written its log, again and again.
async fn read_positions(
    pool: &PgPool,
    latest: &watch::Sender<Option<Position>>,
    changes: impl Fn() -> u64,
) -> Infallible {
    loop {
        let state = Confirmed { at: Instant::now(), changes: changes() };
        let lsn = async {
            let position = sqlx::query_scalar!(r#"select (pg_current_wal_lsn() - '0/0')::bigint as "position!""#);
            position.fetch_one(&mut *pool.acquire().await?).await
        };
        // An error is not reported: if it affects requests, they report it.
        if let Ok(Ok(lsn)) = timeout(MAX_AGE, lsn).await {
            latest.send_replace(Some(Position { lsn, state }));
        }
        sleep(CHECK_INTERVAL).await;
    }
}

/// Without the connection options, which contain a password.
impl std::fmt::Debug for Replica {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Replica").field("name", &self.name).field("state", &self.state).finish_non_exhaustive()
    }
}

impl Replica {
    /// Time since the primary had the state that the replica was last found to contain. `None` if the replica has never
    /// been found to be up to date.
    #[must_use]
    pub fn age(&self) -> Option<Duration> {
        self.lock().confirmed.map(|confirmed| confirmed.at.elapsed())
    }

    /// True if the server responds and is up to date, or replaces a primary that is down.
    #[must_use]
    pub fn is_up_to_date(&self) -> bool {
        self.is_usable(0)
    }

    /// True if the server responds but is not a standby server, for example because it is the primary at the moment.
    #[must_use]
    pub fn is_promoted(&self) -> bool {
        self.lock().failure == Some(Failure::NotStandby)
    }

    fn is_usable(&self, changes: u64) -> bool {
        let State { failure, confirmed, replaces_primary } = *self.lock();
        let is_current = confirmed.is_some_and(|state| state.at.elapsed() <= MAX_AGE && state.changes >= changes);
        failure.is_none() && (is_current || replaces_primary)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Checks of one replica.
struct Watch<'a> {
    replica: &'a Replica,
    /// Latest position of the primary.
    positions: &'a watch::Receiver<Option<Position>>,
    /// Availability of the primary.
    availability: &'a Availability,
    /// Connection to the replica, and the time at which it was opened. It does not belong to a pool, which would wait if
    /// the server refused connections.
    connection: Option<(PgConnection, Instant)>,
    /// Position that the replica has not reached yet.
    awaited: Option<Position>,
    /// Time and position of the last check.
    last: Option<(Instant, i64)>,
    started_at: Instant,
    was_used: bool,
    /// Reason that was logged last; `None` while the replica is used.
    logged: Option<String>,
}

impl<'a> Watch<'a> {
    fn new(
        replica: &'a Replica,
        positions: &'a watch::Receiver<Option<Position>>,
        availability: &'a Availability,
    ) -> Self {
        Self {
            replica,
            positions,
            availability,
            connection: None,
            awaited: None,
            last: None,
            started_at: Instant::now(),
            was_used: false,
            logged: None,
        }
    }

    async fn run(mut self) -> Infallible {
        loop {
            let checked = self.check().await;
            let pause = match &checked {
                Err(_) => RETRY_INTERVAL,
                Ok(()) => match self.awaited {
                    Some(position) if position.state.at.elapsed() <= MAX_AGE => POLL_INTERVAL,
                    _ => CHECK_INTERVAL,
                },
            };
            self.replica.lock().failure = match &checked {
                Ok(()) => None,
                Err(ReplicaError::NotStandby) => Some(Failure::NotStandby),
                Err(_) => Some(Failure::Other),
            };
            self.log_change(checked.err());
            sleep(pause).await;
        }
    }

    /// Reads the position up to which the replica has replayed the log; `None` if it is not a standby server.
    async fn read_position(&mut self) -> sqlx::Result<Option<i64>> {
        let (mut connection, since) = match self.connection.take().filter(|(_, since)| since.elapsed() < MAX_LIFETIME) {
            Some(open) => open,
            None => (self.replica.options.connect().await?, Instant::now()),
        };
        // A server that was promoted keeps the position of its last replay.
        let position = sqlx::query_scalar!(
            "select case when pg_is_in_recovery() then (coalesce(pg_last_wal_replay_lsn(), '0/0') - '0/0')::bigint end"
        );
        let position = position.fetch_one(&mut connection).await?;
        self.connection = Some((connection, since));
        Ok(position)
    }

    /// Compares the position of the replica with that of the primary.
    async fn check(&mut self) -> Result<(), ReplicaError> {
        let limit = self.replica.availability.connection_timeout();
        let replayed = timeout(limit, self.read_position()).await.unwrap_or_else(|_| Err(timeout_error(limit)))?;
        let replayed = replayed.ok_or(ReplicaError::NotStandby)?;
        let Some(latest) = *self.positions.borrow() else { return Ok(()) };
        // Only a position that was read after the previous check shows that the servers belong together: a standby server has
        // never replayed more than its primary had written at a later time.
        let previous = self.last.replace((Instant::now(), replayed));
        if let Some((_, before)) = previous.filter(|(at, _)| *at < latest.state.at) {
            if before > latest.lsn {
                return Err(ReplicaError::Diverged);
            }
            // After a failover, the primary may be at an earlier position.
            self.awaited = self.awaited.filter(|awaited| awaited.lsn <= latest.lsn).or(Some(latest));
        }
        let mut state = self.replica.lock();
        if let Some(reached) = self.awaited.take_if(|awaited| awaited.lsn <= replayed) {
            state.confirmed = Some(reached.state);
        }
        let age_at_last_contact = state.confirmed.map(|state| latest.state.at.saturating_duration_since(state.at));
        state.replaces_primary = self.availability.is_down() && age_at_last_contact.is_some_and(|age| age <= MAX_AGE);
        Ok(())
    }

    fn log_change(&mut self, error: Option<ReplicaError>) {
        let is_used = self.replica.is_up_to_date();
        let was_used = std::mem::replace(&mut self.was_used, is_used);
        if is_used {
            self.logged = None;
            if !was_used {
                tracing::info!(replica = self.replica.name, "replica is used");
            }
        } else if error.is_some() || self.started_at.elapsed() > MAX_AGE {
            let is_primary_known = self.positions.borrow().is_some_and(|latest| latest.state.at.elapsed() <= MAX_AGE);
            let lost = if is_primary_known { ReplicaError::Lag } else { ReplicaError::Primary };
            let cause = error.unwrap_or(lost).to_string();
            if self.logged.as_ref() != Some(&cause) {
                tracing::warn!(replica = self.replica.name, error = cause, "replica is not used");
                self.logged = Some(cause);
            }
        }
    }
}
