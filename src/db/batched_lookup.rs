//! Batched lookups: one query serves many concurrent requests.
//!
//! A task looks up all queued keys in one query; keys that arrive meanwhile form the next batch, without a timer. A
//! query starts after the requests that it serves, so its results are never older than the request.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;
use std::time::Duration;

use sqlx::pool::PoolConnection;
use sqlx::{Connection as _, PgConnection, PgPool, Postgres};
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

use super::{is_transient_error, timeout_error};

const QUEUE_CAPACITY: usize = 4096;

/// Client-side time limit of a query, in case the server has become unreachable.
const QUERY_TIMEOUT: Duration = Duration::from_secs(3);

#[derive(Clone, Debug, thiserror::Error)]
pub enum LookupError {
    #[error("the queue of database lookups is full")]
    QueueFull,
    #[error(transparent)]
    Database(Arc<sqlx::Error>),
    #[error("the database lookup was aborted, because it panicked or the site is shutting down")]
    Aborted,
}

/// Handle to the lookup task, which ends when the last clone is dropped.
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

    /// Looks up keys in the database. The map omits keys that do not exist.
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
    /// Must be called inside a Tokio runtime.
    pub fn start(pool: &PgPool, find: impl LookupQuery<K, V>) -> Self {
        let (queue, requests) = mpsc::channel(QUEUE_CAPACITY);
        tokio::spawn(run_batches(requests, pool.clone(), Arc::new(find)));
        Self { queue }
    }

    pub async fn find(&self, key: K) -> Result<Option<V>, LookupError> {
        let (reply, answer) = oneshot::channel();
        self.queue.try_send(LookupRequest { key, reply }).map_err(|_| LookupError::QueueFull)?;
        answer.await.unwrap_or(Err(LookupError::Aborted))
    }
}

async fn run_batches<K, V, F: LookupQuery<K, V>>(
    mut requests: mpsc::Receiver<LookupRequest<K, V>>,
    pool: PgPool,
    find: Arc<F>,
) where
    K: Clone + Eq + Hash + Send + Sync + 'static,
    V: Clone + Send + Sync + 'static,
{
    loop {
        let mut group = Vec::new();
        if requests.recv_many(&mut group, F::MAX_BATCH_SIZE).await == 0 {
            return;
        }
        // Each batch runs in its own task, so that a panic affects only the lookups of that batch.
        let _ = tokio::spawn(run_batch(group, pool.clone(), find.clone())).await;
    }
}

async fn run_batch<K, V>(group: Vec<LookupRequest<K, V>>, pool: PgPool, find: Arc<impl LookupQuery<K, V>>)
where
    K: Clone + Eq + Hash + Send,
    V: Clone + Send,
{
    let mut replies: HashMap<K, Vec<_>> = HashMap::with_capacity(group.len());
    for LookupRequest { key, reply } in group.into_iter().filter(|request| !request.reply.is_closed()) {
        replies.entry(key).or_default().push(reply);
    }
    if replies.is_empty() {
        return;
    }
    let values = run_query(&pool, &*find, replies.keys().cloned().collect()).await;
    let mut values = values.map_err(|error| LookupError::Database(Arc::new(error)));
    for (key, mut replies) in replies {
        let answer = values.as_mut().map(|values| values.remove(&key)).map_err(|error| error.clone());
        // Most keys have a single request, which gets the value without a copy.
        let Some(last) = replies.pop() else { continue };
        for reply in replies {
            let _ = reply.send(answer.clone());
        }
        let _ = last.send(answer);
    }
}

/// Repeats the query once if its connection was lost, which is safe because lookups only read.
async fn run_query<K: Clone, V>(
    pool: &PgPool,
    find: &impl LookupQuery<K, V>,
    keys: Vec<K>,
) -> sqlx::Result<HashMap<K, V>> {
    match run_query_on(pool.acquire().await?, find, keys.clone()).await {
        Err(error) if is_transient_error(&error) => run_query_on(acquire_checked(pool).await?, find, keys).await,
        result => result,
    }
}

async fn run_query_on<K, V>(
    mut connection: PoolConnection<Postgres>,
    find: &impl LookupQuery<K, V>,
    keys: Vec<K>,
) -> sqlx::Result<HashMap<K, V>> {
    let result = timeout(QUERY_TIMEOUT, find.find(&mut connection, keys)).await;
    let result = result.unwrap_or_else(|_| Err(timeout_error(QUERY_TIMEOUT)));
    if result.is_err() {
        // Closes the connection without notifying the server, which may be unreachable.
        drop(connection.detach());
    }
    result
}

async fn acquire_checked(pool: &PgPool) -> sqlx::Result<PoolConnection<Postgres>> {
    loop {
        let mut connection = pool.acquire().await?;
        if connection.ping().await.is_ok() {
            return Ok(connection);
        }
        drop(connection.detach());
    }
}
