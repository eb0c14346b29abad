//! Batched lookups: one query serves the lookups of many concurrent requests.
//!
//! Each request sends one key and waits. A task looks up all queued keys in one query; keys that arrive during the
//! query form the next batch. No timer delays a batch. A query always starts after the requests that it serves, so its
//! results are never older than the request.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;
use std::time::{Duration, Instant};

use sqlx::pool::PoolConnection;
use sqlx::{PgConnection, PgPool, Postgres};
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

use super::{Availability, MAX_LIFETIME, is_transient, timeout_error};

/// Maximum number of queued lookups. Further lookups are rejected.
const QUEUE_CAPACITY: usize = 4096;

/// Client-side time limit of a query, for a server that has become unreachable.
const QUERY_TIMEOUT: Duration = Duration::from_secs(3);

#[derive(Clone, Debug, thiserror::Error)]
pub enum LookupError {
    #[error("the queue of database lookups is full")]
    QueueFull,
    /// Database error, shared by all lookups of the batch.
    #[error(transparent)]
    Database(Arc<sqlx::Error>),
    /// The query panicked, or the runtime is shutting down.
    #[error("the database lookup was aborted, because it panicked or the site is shutting down")]
    Aborted,
}

/// Handle to a task that runs one lookup query at a time. Clones share the queue. The task ends when the last clone is
/// dropped.
#[derive(Debug)]
pub struct BatchedLookup<K, V> {
    queue: mpsc::Sender<LookupRequest<K, V>>,
}

impl<K, V> Clone for BatchedLookup<K, V> {
    fn clone(&self) -> Self {
        Self { queue: self.queue.clone() }
    }
}

#[derive(Debug)]
struct LookupRequest<K, V> {
    key: K,
    reply: oneshot::Sender<Result<Option<V>, LookupError>>,
}

pub trait LookupQuery<K, V>: Send + Sync + 'static {
    const MAX_BATCH_SIZE: usize = 256;

    /// Returns the values of these keys, which are distinct. Missing keys are omitted.
    fn find(
        &self,
        connection: &mut PgConnection,
        keys: Vec<K>,
    ) -> impl Future<Output = sqlx::Result<HashMap<K, V>>> + Send;
}

impl<K, V> BatchedLookup<K, V>
where
    K: Clone + Eq + Hash + Send + Sync + 'static,
    V: Clone + Send + Sync + 'static,
{
    /// Spawns the lookup task, which uses one connection of this pool. Must be called inside a Tokio runtime.
    pub fn start(pool: &PgPool, availability: &Availability, find: impl LookupQuery<K, V>) -> Self {
        let (queue, questions) = mpsc::channel(QUEUE_CAPACITY);
        tokio::spawn(run_batches(questions, pool.clone(), availability.clone(), Arc::new(find)));
        Self { queue }
    }

    /// Looks up a key. The result is never older than this call.
    ///
    /// # Errors
    /// If the database fails, or the queue is full.
    pub async fn find(&self, key: K) -> Result<Option<V>, LookupError> {
        let (reply, answer) = oneshot::channel();
        self.queue.try_send(LookupRequest { key, reply }).map_err(|_| LookupError::QueueFull)?;
        answer.await.unwrap_or(Err(LookupError::Aborted))
    }
}

async fn run_batches<K, V, F: LookupQuery<K, V>>(
    mut questions: mpsc::Receiver<LookupRequest<K, V>>,
    pool: PgPool,
    availability: Availability,
    find: Arc<F>,
) where
    K: Clone + Eq + Hash + Send + Sync + 'static,
    V: Clone + Send + Sync + 'static,
{
    // The connection is kept between batches, because the pool checks every connection that is returned to it. When no
    // lookups are queued, the connection is returned to the pool.
    let (mut connection, mut since) = (None, Instant::now());
    loop {
        if questions.is_empty() {
            connection = None;
        } else if since.elapsed() > MAX_LIFETIME || availability.is_outdated(since.elapsed()) {
            close_connection(connection.take());
        }
        if connection.is_none() {
            since = Instant::now();
        }
        let mut group = Vec::new();
        if questions.recv_many(&mut group, F::MAX_BATCH_SIZE).await == 0 {
            return;
        }
        // A task per batch confines a panic to the lookups of that batch.
        let answered = tokio::spawn(run_batch(group, connection.take(), pool.clone(), find.clone()));
        connection = answered.await.ok().flatten();
    }
}

/// Looks up one batch. Returns the connection for the next batch if it is still usable.
async fn run_batch<K, V>(
    group: Vec<LookupRequest<K, V>>,
    connection: Option<PoolConnection<Postgres>>,
    pool: PgPool,
    find: Arc<impl LookupQuery<K, V>>,
) -> Option<PoolConnection<Postgres>>
where
    K: Clone + Eq + Hash + Send,
    V: Clone + Send,
{
    let mut replies: HashMap<K, Vec<_>> = HashMap::with_capacity(group.len());
    for LookupRequest { key, reply } in group.into_iter().filter(|question| !question.reply.is_closed()) {
        replies.entry(key).or_default().push(reply);
    }
    if replies.is_empty() {
        return connection;
    }
    let keys: Vec<K> = replies.keys().cloned().collect();
    let was_kept = connection.is_some();
    let mut asked = run_query(connection, &pool, &*find, keys.clone()).await;
    if was_kept && asked.as_ref().is_err_and(is_transient) {
        // The connection may have been closed since its last use. Lookups are read-only, so a retry on another
        // connection is safe.
        asked = run_query(None, &pool, &*find, keys).await;
    }
    let (connection, found) = match asked {
        Ok((connection, found)) => (Some(connection), Ok(found)),
        Err(error) => (None, Err(LookupError::Database(Arc::new(error)))),
    };
    for (key, replies) in replies {
        let answer = found.as_ref().map(|found| found.get(&key).cloned()).map_err(Clone::clone);
        for reply in replies {
            let _ = reply.send(answer.clone());
        }
    }
    connection
}

/// Runs the query on the given connection, or on a connection from the pool. Returns the connection with the result.
async fn run_query<K, V>(
    connection: Option<PoolConnection<Postgres>>,
    pool: &PgPool,
    find: &impl LookupQuery<K, V>,
    keys: Vec<K>,
) -> sqlx::Result<(PoolConnection<Postgres>, HashMap<K, V>)> {
    let mut connection = match connection {
        Some(connection) => connection,
        None => pool.acquire().await?,
    };
    match timeout(QUERY_TIMEOUT, find.find(&mut connection, keys)).await {
        Ok(Ok(found)) => Ok((connection, found)),
        Ok(Err(error)) => {
            close_connection(Some(connection));
            Err(error)
        }
        Err(_) => {
            close_connection(Some(connection));
            Err(timeout_error(QUERY_TIMEOUT))
        }
    }
}

/// Closes a connection without notifying the server, which may be unreachable, so that the pool can open a new
/// connection at once.
fn close_connection(connection: Option<PoolConnection<Postgres>>) {
    drop(connection.map(PoolConnection::detach));
}
