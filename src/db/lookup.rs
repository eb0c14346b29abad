//! Batched lookups: one query serves the lookups of many concurrent requests.
//!
//! Each request sends one key and waits. A task takes all waiting keys and looks them up in one query; keys that arrive
//! meanwhile form the next batch. No timer delays a batch. A query always starts after the requests that it serves, so
//! its results are never older than the request.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;
use std::time::{Duration, Instant};

use sqlx::pool::PoolConnection;
use sqlx::{PgConnection, PgPool, Postgres};
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

use super::{Availability, LIFETIME, is_passing, no_answer};

/// Maximum number of queued lookups; further ones are rejected.
const QUEUE: usize = 4096;

/// Client-side time limit of a query, for a server that has become unreachable.
const TIMEOUT: Duration = Duration::from_secs(3);

#[derive(Clone, Debug, thiserror::Error)]
pub enum LookupError {
    #[error("too many look-ups are waiting")]
    Busy,
    /// Database error, shared by all lookups of the batch.
    #[error(transparent)]
    Database(Arc<sqlx::Error>),
    /// The query panicked, or the runtime is shutting down.
    #[error("the look-up was given up")]
    GivenUp,
}

/// Handle to a task that runs one lookup query at a time. Clones share the queue. The task ends when the last clone is
/// dropped.
#[derive(Debug)]
pub struct Lookup<K, V> {
    queue: mpsc::Sender<Question<K, V>>,
}

impl<K, V> Clone for Lookup<K, V> {
    fn clone(&self) -> Self {
        Self { queue: self.queue.clone() }
    }
}

#[derive(Debug)]
struct Question<K, V> {
    key: K,
    reply: oneshot::Sender<Result<Option<V>, LookupError>>,
}

pub trait Find<K, V>: Send + Sync + 'static {
    const MAX_GROUP: usize = 256;

    /// Returns the values of these keys, which are distinct. Missing keys are omitted.
    fn find(
        &self,
        connection: &mut PgConnection,
        keys: Vec<K>,
    ) -> impl Future<Output = sqlx::Result<HashMap<K, V>>> + Send;
}

impl<K, V> Lookup<K, V>
where
    K: Clone + Eq + Hash + Send + Sync + 'static,
    V: Clone + Send + Sync + 'static,
{
    /// Spawns the lookup task, which uses one connection of this pool. Must be called inside a Tokio runtime.
    pub fn start(pool: &PgPool, availability: &Availability, find: impl Find<K, V>) -> Self {
        let (queue, questions) = mpsc::channel(QUEUE);
        tokio::spawn(answer_all(questions, pool.clone(), availability.clone(), Arc::new(find)));
        Self { queue }
    }

    /// Looks up a key. The result is never older than this call.
    ///
    /// # Errors
    /// If the database fails, or the queue is full.
    pub async fn find(&self, key: K) -> Result<Option<V>, LookupError> {
        let (reply, answer) = oneshot::channel();
        self.queue.try_send(Question { key, reply }).map_err(|_| LookupError::Busy)?;
        answer.await.unwrap_or(Err(LookupError::GivenUp))
    }
}

async fn answer_all<K, V, F: Find<K, V>>(
    mut questions: mpsc::Receiver<Question<K, V>>,
    pool: PgPool,
    availability: Availability,
    find: Arc<F>,
) where
    K: Clone + Eq + Hash + Send + Sync + 'static,
    V: Clone + Send + Sync + 'static,
{
    // The connection is kept between batches, because the pool checks every connection that it gets back. While no
    // lookups are queued, the connection is returned to the pool.
    let (mut connection, mut since) = (None, Instant::now());
    loop {
        if questions.is_empty() {
            connection = None;
        } else if since.elapsed() > LIFETIME || availability.is_outdated(since.elapsed()) {
            discard(connection.take());
        }
        if connection.is_none() {
            since = Instant::now();
        }
        let mut group = Vec::new();
        if questions.recv_many(&mut group, F::MAX_GROUP).await == 0 {
            return;
        }
        // A task per batch confines a panic to the lookups of that batch.
        let answered = tokio::spawn(answer(group, connection.take(), pool.clone(), find.clone()));
        connection = answered.await.ok().flatten();
    }
}

/// Looks up one batch. Returns the connection for the next batch if it is still usable.
async fn answer<K, V>(
    group: Vec<Question<K, V>>,
    connection: Option<PoolConnection<Postgres>>,
    pool: PgPool,
    find: Arc<impl Find<K, V>>,
) -> Option<PoolConnection<Postgres>>
where
    K: Clone + Eq + Hash + Send,
    V: Clone + Send,
{
    let mut replies: HashMap<K, Vec<_>> = HashMap::with_capacity(group.len());
    for Question { key, reply } in group.into_iter().filter(|question| !question.reply.is_closed()) {
        replies.entry(key).or_default().push(reply);
    }
    if replies.is_empty() {
        return connection;
    }
    let keys: Vec<K> = replies.keys().cloned().collect();
    let was_kept = connection.is_some();
    let mut asked = ask(connection, &pool, &*find, keys.clone()).await;
    if was_kept && asked.as_ref().is_err_and(is_passing) {
        // The connection may have been closed since its last use. Lookups are read-only, so a retry on another
        // connection is safe.
        asked = ask(None, &pool, &*find, keys).await;
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

/// Runs the query on this connection, or on one from the pool. Returns the connection with the result.
async fn ask<K, V>(
    connection: Option<PoolConnection<Postgres>>,
    pool: &PgPool,
    find: &impl Find<K, V>,
    keys: Vec<K>,
) -> sqlx::Result<(PoolConnection<Postgres>, HashMap<K, V>)> {
    let mut connection = match connection {
        Some(connection) => connection,
        None => pool.acquire().await?,
    };
    match timeout(TIMEOUT, find.find(&mut connection, keys)).await {
        Ok(Ok(found)) => Ok((connection, found)),
        Ok(Err(error)) => {
            discard(Some(connection));
            Err(error)
        }
        Err(_) => {
            discard(Some(connection));
            Err(no_answer(TIMEOUT))
        }
    }
}

/// Closes a connection without notifying the server, which may be unreachable, so that the pool can open another one at
/// once.
fn discard(connection: Option<PoolConnection<Postgres>>) {
    drop(connection.map(PoolConnection::detach));
}
