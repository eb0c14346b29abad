//! Cache of recently used connections of a pool.

use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use sqlx::pool::PoolConnection;
use sqlx::{PgConnection, PgPool, Postgres};

use super::Availability;

/// Time after which a cached connection is returned to its pool for a check.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// Recently used connections of a pool, which are reused without the health checks of the pool.
///
/// A pool checks each connection before it is acquired, and twice after it is returned. These three round trips take
/// about as long as the statements of a small transaction. Connections of this cache are checked once per second.
#[derive(Debug)]
pub struct ConnectionCache {
    pool: PgPool,
    availability: Availability,
    state: Mutex<CacheState>,
}

#[derive(Debug, Default)]
struct CacheState {
    idle: Vec<CachedConnection>,
    /// Number of callers that wait for a connection from the pool.
    waiting: usize,
}

/// Connection of a [`ConnectionCache`]. It is returned to the pool when it is dropped.
#[derive(Debug)]
pub struct CachedConnection {
    connection: PoolConnection<Postgres>,
    acquired_at: Instant,
    /// True if the connection was used since the pool last checked it. The server may have closed such a connection.
    pub is_unchecked: bool,
}

impl ConnectionCache {
    pub fn new(pool: PgPool, availability: Availability) -> Self {
        Self { pool, availability, state: Mutex::default() }
    }

    /// Returns a recently used connection, or a connection from the pool.
    pub async fn acquire(&self) -> sqlx::Result<CachedConnection> {
        while let Some(connection) = self.pop_idle() {
            if self.is_fresh(&connection) {
                return Ok(CachedConnection { is_unchecked: true, ..connection });
            }
        }
        self.acquire_checked().await
    }

    /// Returns a connection that the pool has checked.
    pub async fn acquire_checked(&self) -> sqlx::Result<CachedConnection> {
        let _waiting = Waiting::new(self);
        let connection = self.pool.acquire().await?;
        Ok(CachedConnection { connection, acquired_at: Instant::now(), is_unchecked: false })
    }

    /// Returns a connection to the cache, or to the pool if its next check is due or other callers wait for a
    /// connection. Must not be called after an error or a cancelled statement.
    pub fn release(&self, connection: CachedConnection) {
        let is_fresh = self.is_fresh(&connection);
        let mut state = self.lock();
        if state.waiting == 0 && is_fresh {
            state.idle.push(connection);
        }
    }

    fn pop_idle(&self) -> Option<CachedConnection> {
        self.lock().idle.pop()
    }

    fn is_fresh(&self, connection: &CachedConnection) -> bool {
        let age = connection.acquired_at.elapsed();
        age < CHECK_INTERVAL && !self.availability.is_connection_stale(age)
    }

    fn lock(&self) -> MutexGuard<'_, CacheState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Guard for a caller that waits for a connection of the pool. While callers wait, the cache returns all connections to
/// the pool, because the pool may have no others.
struct Waiting<'a>(&'a ConnectionCache);

impl<'a> Waiting<'a> {
    fn new(cache: &'a ConnectionCache) -> Self {
        let mut state = cache.lock();
        state.waiting += 1;
        state.idle.clear();
        drop(state);
        Self(cache)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.lock().waiting -= 1;
    }
}

impl CachedConnection {
    /// Closes the connection without notifying the server, which may be unreachable.
    pub fn close(self) {
        drop(self.connection.detach());
    }
}

impl Deref for CachedConnection {
    type Target = PgConnection;

    fn deref(&self) -> &PgConnection {
        &self.connection
    }
}

impl DerefMut for CachedConnection {
    fn deref_mut(&mut self) -> &mut PgConnection {
        &mut self.connection
    }
}
