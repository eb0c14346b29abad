//! Replicas: standby servers from which pages for anonymous visitors are read.
//!
//! A replica is used while two conditions hold: its data is at most [`MAX_AGE`] old, and it contains all content changes
//! that this instance has made. Positions in the write-ahead log (LSN) show both: one task reads the position of the
//! primary periodically, and a task for each replica waits until the replica has replayed the log up to this position.
//!
//! While the primary is down, it accepts no changes, so replicas that were up to date when it failed remain in use. With
//! asynchronous replication, its last changes may be missing.

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
use super::pools::{MAX_LIFETIME, MAX_SEARCHES, create_lookup_pool, create_pool};

/// Maximum age of the data that is read from a replica while the primary is available.
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
    /// Availability of the primary.
    primary: Availability,
    /// Number of reads so far; they are spread evenly over the replicas.
    reads: AtomicUsize,
}

pub struct Replica {
    /// Index in [`Replicas::all`].
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
    /// Availability of the primary.
    primary: Availability,
    options: PgConnectOptions,
    state: Mutex<State>,
}

#[derive(Clone, Copy, Debug, Default)]
struct State {
    /// Error of the last check, if it failed.
    failure: Option<Failure>,
    /// Latest position of the primary that the replica is known to have replayed.
    replayed: Option<Position>,
    /// True if the replica was up to date when the position of the primary was last read.
    was_up_to_date: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Failure {
    NotStandby,
    Other,
}

/// Position of the primary in its write-ahead log.
#[derive(Clone, Copy, Debug)]
struct Position {
    /// Number of bytes in the log up to this position.
    lsn: i64,
    /// Time at which the primary had written the log up to there, or a little earlier.
    at: Instant,
    /// Number of content changes of this instance that were committed before.
    changes: u64,
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
    #[error("the server is ahead of the primary server, so it does not follow this primary server")]
    Diverged,
    #[error("the replica is more than {} seconds behind the primary server", MAX_AGE.as_secs())]
    Lag,
}

impl Replicas {
    /// Creates the connection pools without connecting. `primary` is the availability of the primary.
    pub fn new(servers: &[PgConnectOptions], max_connections: u32, primary: &Availability) -> Self {
        let replica = |(index, options): (usize, &PgConnectOptions)| {
            let availability = Availability::of_standby(primary.connection_timeout());
            Replica {
                index,
                name: server_name(options),
                pool: create_pool(options.clone(), max_connections, &availability),
                lookup_pool: create_lookup_pool(options.clone(), 1, &availability),
                search_pool: create_pool(options.clone(), MAX_SEARCHES, &availability),
                availability,
                primary: primary.clone(),
                options: options.clone(),
                state: Mutex::default(),
            }
        };
        let replicas = servers.iter().enumerate().map(replica).collect();
        Self(Arc::new(Inner { replicas, primary: primary.clone(), reads: AtomicUsize::new(0) }))
    }

    pub fn all(&self) -> &[Replica] {
        &self.0.replicas
    }

    /// Chooses a replica that is up to date and contains the first `changes` content changes of this instance. While
    /// the primary is down, chooses a replica that was up to date when it failed. `None` if there is no such replica.
    pub fn choose(&self, changes: u64) -> Option<&Replica> {
        let usable: Vec<&Replica> = self.all().iter().filter(|replica| replica.is_usable(changes)).collect();
        let number = self.0.reads.fetch_add(1, Ordering::Relaxed).checked_rem(usable.len())?;
        usable.get(number).copied()
    }

    /// True if [`choose`](Self::choose) finds a replica.
    pub fn is_any_usable(&self, changes: u64) -> bool {
        self.all().iter().any(|replica| replica.is_usable(changes))
    }

    /// Checks the replicas until the task is aborted. `primary` is the server that receives the changes, and `changes`
    /// returns the number of content changes of this instance.
    pub async fn watch(self, primary: PgConnectOptions, changes: impl Fn() -> u64) {
        let (latest, positions) = watch::channel(None);
        let primary = Connection::new(&primary, &self.0.primary);
        let watch = |replica| Watch::new(replica, &positions).run();
        join(read_positions(primary, &latest, changes), join_all(self.all().iter().map(watch))).await;
    }
}

pub fn server_name(options: &PgConnectOptions) -> String {
    format!("{}:{}", options.get_host(), options.get_port())
}

/// Reads the position of the primary periodically.
async fn read_positions(
    mut primary: Connection,
    latest: &watch::Sender<Option<Position>>,
    changes: impl Fn() -> u64,
) -> Infallible {
    loop {
        let (at, changes) = (Instant::now(), changes());
        let lsn = async |connection: &mut PgConnection| {
            let lsn = sqlx::query_scalar!(r#"select (pg_current_wal_lsn() - '0/0')::bigint as "lsn!""#);
            lsn.fetch_one(connection).await
        };
        match primary.read(lsn).await {
            Ok(lsn) => drop(latest.send_replace(Some(Position { lsn, at, changes }))),
            // Errors of a server that responds, such as too many connections, do not affect requests that have one.
            Err(sqlx::Error::Database(_)) => (),
            Err(_) => primary.availability.report_failure(),
        }
        sleep(CHECK_INTERVAL).await;
    }
}

/// Connection that is opened when it is needed, and again after [`MAX_LIFETIME`]. It does not belong to a pool, because a
/// pool waits if the server refuses connections.
struct Connection {
    options: PgConnectOptions,
    availability: Availability,
    open: Option<(PgConnection, Instant)>,
}

impl Connection {
    fn new(options: &PgConnectOptions, availability: &Availability) -> Self {
        let options = options.clone().application_name("evenkeel watch");
        Self { options, availability: availability.clone(), open: None }
    }

    /// Runs a query. Closes the connection if the query fails or the server does not respond in time.
    async fn read<T>(&mut self, query: impl AsyncFnOnce(&mut PgConnection) -> sqlx::Result<T>) -> sqlx::Result<T> {
        let limit = self.availability.connection_timeout();
        let is_current = |age: Duration| age < MAX_LIFETIME && !self.availability.is_connection_stale(age);
        let open = self.open.take().filter(|(_, since)| is_current(since.elapsed()));
        let attempt = async {
            let (mut connection, since) = match open {
                Some(open) => open,
                None => (self.options.connect().await?, Instant::now()),
            };
            let found = query(&mut connection).await?;
            Ok((found, (connection, since)))
        };
        let (found, open) = timeout(limit, attempt).await.unwrap_or_else(|_| Err(timeout_error(limit)))?;
        self.open = Some(open);
        Ok(found)
    }
}

/// Omits the connection options, because they contain a password.
impl std::fmt::Debug for Replica {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Replica").field("name", &self.name).field("state", &self.state).finish_non_exhaustive()
    }
}

impl Replica {
    /// Upper bound of the age of the replica's data; `None` if the replica has never been up to date.
    pub fn age(&self) -> Option<Duration> {
        self.lock().replayed.map(|position| position.at.elapsed())
    }

    /// True if pages are read from the replica, unless it lacks content changes of this instance.
    pub fn is_used(&self) -> bool {
        self.is_usable(0)
    }

    /// True if the server responds but is not a standby server, for example because it is the primary at the moment.
    pub fn is_promoted(&self) -> bool {
        self.lock().failure == Some(Failure::NotStandby)
    }

    fn is_usable(&self, changes: u64) -> bool {
        let State { failure, replayed, was_up_to_date } = *self.lock();
        let is_up_to_date =
            replayed.is_some_and(|position| position.at.elapsed() <= MAX_AGE && position.changes >= changes);
        failure.is_none() && (is_up_to_date || was_up_to_date && self.primary.is_down())
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// State of the task that checks one replica.
struct Watch<'a> {
    replica: &'a Replica,
    connection: Connection,
    /// Latest position of the primary.
    positions: &'a watch::Receiver<Option<Position>>,
    /// Position that the replica has not reached yet.
    awaited: Option<Position>,
    /// Time of the last check, and the position (LSN) that the replica had replayed by then.
    last: Option<(Instant, i64)>,
    started_at: Instant,
    was_used: bool,
    /// Reason that was logged last; `None` while the replica is used.
    logged: Option<String>,
}

impl<'a> Watch<'a> {
    fn new(replica: &'a Replica, positions: &'a watch::Receiver<Option<Position>>) -> Self {
        Self {
            replica,
            connection: Connection::new(&replica.options, &replica.availability),
            positions,
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
                    Some(position) if position.at.elapsed() <= MAX_AGE => POLL_INTERVAL,
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

    /// Compares the position of the replica with that of the primary.
    async fn check(&mut self) -> Result<(), ReplicaError> {
        let lsn = async |connection: &mut PgConnection| {
            // `pg_last_wal_replay_lsn()` keeps its last value after a promotion.
            let lsn = sqlx::query_scalar!(
                "select case when pg_is_in_recovery() then (coalesce(pg_last_wal_replay_lsn(), '0/0') - '0/0')::bigint end"
            );
            lsn.fetch_one(connection).await
        };
        let lsn = self.connection.read(lsn).await?.ok_or(ReplicaError::NotStandby)?;
        let previous = self.last.replace((Instant::now(), lsn));
        let Some(latest) = *self.positions.borrow() else { return Ok(()) };
        let mut state = self.replica.lock();
        // A position of the primary that was read after the position of the replica can only be lower if the replica does
        // not follow this primary.
        if let Some((_, before)) = previous.filter(|(at, _)| *at < latest.at) {
            if before > latest.lsn {
                (self.awaited, *state) = (None, State::default());
                return Err(ReplicaError::Diverged);
            }
            // After a failover, the primary may be at an earlier position, and never reach the awaited one.
            self.awaited = self.awaited.filter(|awaited| awaited.lsn <= latest.lsn).or(Some(latest));
        }
        // After a crash, a standby server may begin at an earlier position.
        state.replayed = state.replayed.filter(|replayed| replayed.lsn <= lsn);
        if let Some(reached) = self.awaited.take_if(|awaited| awaited.lsn <= lsn) {
            state.replayed = Some(reached);
        }
        let age_at_last_contact = state.replayed.map(|replayed| latest.at.saturating_duration_since(replayed.at));
        state.was_up_to_date = age_at_last_contact.is_some_and(|age| age <= MAX_AGE);
        Ok(())
    }

    fn log_change(&mut self, error: Option<ReplicaError>) {
        let is_used = self.replica.is_used();
        let was_used = std::mem::replace(&mut self.was_used, is_used);
        if is_used {
            self.logged = None;
            if !was_used {
                tracing::info!(replica = self.replica.name, "replica is used");
            }
        } else if error.is_some() || self.started_at.elapsed() > MAX_AGE {
            let is_primary_known = self.positions.borrow().is_some_and(|latest| latest.at.elapsed() <= MAX_AGE);
            let lost = if is_primary_known { ReplicaError::Lag } else { ReplicaError::Primary };
            let cause = error.unwrap_or(lost).to_string();
            if self.logged.as_ref() != Some(&cause) {
                tracing::warn!(replica = self.replica.name, error = cause, "replica is not used");
                self.logged = Some(cause);
            }
        }
    }
}
