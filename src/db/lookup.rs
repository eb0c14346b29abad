//! Look-ups of many requests in one query.
//!
//! Requests ask for one key each, and wait. A task takes all that are waiting and asks the database for them at once;
//! those that come meanwhile are next. There is no timer: nobody waits for others to come. A query always begins after
//! the questions that it answers, so nobody is told what was true before they asked.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;
use std::time::{Duration, Instant};

use sqlx::pool::PoolConnection;
use sqlx::{PgConnection, PgPool, Postgres};
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

use super::{Availability, LIFETIME, is_passing, no_answer};

/// The most questions that may wait. Further ones are refused.
const QUEUE: usize = 4096;

/// How long a query may take. The database ends it earlier; this is for a database that is not heard of any more.
const TIMEOUT: Duration = Duration::from_secs(3);

/// Why there is no answer.
#[derive(Clone, Debug, thiserror::Error)]
pub enum LookupError {
    /// Too many others are waiting.
    #[error("too many look-ups are waiting")]
    Busy,
    /// Shared by all whose query it was.
    #[error(transparent)]
    Database(Arc<sqlx::Error>),
    /// The query panicked, or the runtime is stopping.
    #[error("the look-up was given up")]
    GivenUp,
}

/// Answers questions, one query at a time. Clones share the queue. Its task ends when the last clone is gone.
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

/// Asks the database.
pub trait Find<K, V>: Send + Sync + 'static {
    /// The most keys that one query is for.
    const MAX_GROUP: usize = 256;

    /// Returns what there is for these keys. Each of them comes once.
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
    /// Starts the task that asks, on one connection of this pool. Has to be called inside a tokio runtime.
    pub fn start(pool: &PgPool, availability: &Availability, find: impl Find<K, V>) -> Self {
        let (queue, questions) = mpsc::channel(QUEUE);
        tokio::spawn(answer_all(questions, pool.clone(), availability.clone(), Arc::new(find)));
        Self { queue }
    }

    /// Returns what there is for this key at some moment from now on.
    ///
    /// # Errors
    /// If the database fails, or too many others are waiting.
    pub async fn find(&self, key: K) -> Result<Option<V>, LookupError> {
        let (reply, answer) = oneshot::channel();
        self.queue.try_send(Question { key, reply }).map_err(|_| LookupError::Busy)?;
        answer.await.unwrap_or(Err(LookupError::GivenUp))
    }
}

/// Answers group after group.
async fn answer_all<K, V, F: Find<K, V>>(
    mut questions: mpsc::Receiver<Question<K, V>>,
    pool: PgPool,
    availability: Availability,
    find: Arc<F>,
) where
    K: Clone + Eq + Hash + Send + Sync + 'static,
    V: Clone + Send + Sync + 'static,
{
    // Kept from group to group, as the pool checks each connection that it gets back. Given back while nobody asks.
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
        // In a task of its own: a panic gives these questions up, and no others.
        let answered = tokio::spawn(answer(group, connection.take(), pool.clone(), find.clone()));
        connection = answered.await.ok().flatten();
    }
}

/// Answers a group. Returns the connection for the next one, if it is in order.
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
    // A question of which the receiver is gone need not be asked.
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
        // It may have broken off since it was used last. A look-up changes nothing, so it is made again on another one.
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

/// Asks on this connection, or on one of the pool. Returns it with what was found.
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

/// Closes a connection at once, without a word to a server that may be gone, so that the pool can open another one.
fn discard(connection: Option<PoolConnection<Postgres>>) {
    drop(connection.map(PoolConnection::detach));
}
