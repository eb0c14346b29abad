//! The one place where ratings are written.
//!
//! Handlers submit and wait. A task of its own takes whatever is waiting as a batch and writes it in one
//! transaction: the gate's state, the rows and the counters commit together, and only then does
//! anybody hear of success. A hot post costs one row lock for each batch, not for each rating; and as no
//! client owns the transaction, none can break it off by hanging up.

pub(crate) mod batch;
pub(crate) mod metrics;
pub(crate) mod rows;
pub(crate) mod scores;
pub(crate) mod submission;

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use serde_json::Value;
use sqlx::{Connection as _, PgConnection, PgPool};
use tokio::sync::{Mutex, mpsc, oneshot};
use tokio::task::{self, JoinError, JoinHandle, JoinSet};
use tokio::time::{Instant, sleep, timeout_at};

use self::batch::Facts;
use self::metrics::Measured;
use self::rows::{LockedPost, LockedPosts, Pairs};
use self::scores::{Rated, Scores};
use self::submission::{Act, Item, Refusal};
use super::models::{Pair, Rate, Stars};
use super::zombie_pauses::Pauses;
use crate::background::{BackOff, Background};
use crate::blog_posts::PostId;
use crate::db::clock::Clock;
use crate::db::limiter_states::Locked;
use crate::db::{commit, describe, no_answer};
use crate::decisions::{Decisions, Guarded};
use crate::rate::error::RateError;
use crate::rate::limiter::overrides::LiveGates;
use crate::rate::limiter::rating_limiter::{Gates, post_key};
use crate::rate::limiter::refusals::{RecordedRefusals, hour_of};
use crate::score::periods;
use crate::web::error::AppError;
use evenkeel_limiters::AnyLimiter;

/// The most ratings that may wait. Further ones are refused with `busy`.
const QUEUE: usize = 4096;

/// Ratings in one transaction.
const MAX_BATCH: usize = 512;

/// Batches under way at the same time: while one waits for its commit, the next is decided. Each has a connection.
pub const AT_ONCE: u32 = 2;

/// How long a batch may take, and how long a rating may wait for its batch.
const DEADLINE: Duration = Duration::from_secs(3);

/// Bytes that a probe writes after a fault: more than the free space of a table's last pages.
const PROBE_BYTES: i32 = 256 << 10;

/// How often a batch that lost a deadlock is tried again. Several batches at several instances may lose at once.
const RETRIES: u32 = 6;

/// Seconds in a day of the score. Days are of UTC.
const DAY: i64 = 86_400;

type Outcome = Result<Rate, Refusal>;

enum Message {
    Rate(Submission),
    /// Asks whether a rating could be written now.
    Probe(oneshot::Sender<Result<(), String>>),
}

struct Submission {
    item: Item,
    since: Instant,
    reply: oneshot::Sender<Outcome>,
}

/// Hands ratings to the writing task. Clones share it; it ends when the last clone is gone and all is written.
#[derive(Clone)]
pub struct RateWriter {
    queue: mpsc::Sender<Message>,
    pauses: Arc<Pauses>,
    decisions: Arc<Decisions>,
    measured: Arc<Measured>,
}

impl RateWriter {
    /// Starts the writing task. `pool` should be the writer's own, so that readers cannot starve it. The handle ends when the last clone of the writer is dropped and everything is written.
    #[must_use]
    pub fn start(
        pool: PgPool,
        clock: Clock,
        gates: Arc<LiveGates>,
        pauses: Arc<Pauses>,
        decisions: Arc<Decisions>,
        background: &Background,
    ) -> (Self, JoinHandle<()>) {
        let (queue, submissions) = mpsc::channel(QUEUE);
        let measured = Arc::<Measured>::default();
        let writing = Writing {
            pool,
            clock,
            gates,
            pauses: pauses.clone(),
            refusals: RecordedRefusals::default(),
            last_fault: std::sync::Mutex::default(),
            measured: measured.clone(),
        };
        let writing = Arc::new(writing);
        // Owned by no task, so that submitted ratings survive a restart of the writing task.
        let submissions = Arc::new(Mutex::new(submissions));
        let write = move || run(Arc::clone(&writing), Arc::clone(&submissions));
        let task = background.start("write_ratings", BackOff::FAST, write);
        (Self { queue, pauses, decisions, measured }, task)
    }

    /// How the writing goes. Whoever has it does not keep the writer alive.
    #[must_use]
    pub fn measured(&self) -> Arc<Measured> {
        self.measured.clone()
    }

    /// Returns what became of the rating, after that is committed.
    ///
    /// # Errors
    /// Why it was not written. `unavailable` may also mean that it is not known whether it was.
    pub async fn submit(&self, act: Act, pair: Pair, stars: Stars) -> Result<Rate, AppError> {
        let outcome = self.attempt(Item { act, pair, stars }).await;
        self.count(act, &outcome);
        outcome
    }

    async fn attempt(&self, item: Item) -> Result<Rate, AppError> {
        self.pauses.refuse_recent(item.pair).await?;
        let (reply, outcome) = oneshot::channel();
        let submission = Submission { item, since: Instant::now(), reply };
        self.queue.try_send(Message::Rate(submission)).map_err(|_| AppError::Busy)?;
        // There is no answer if the batch has panicked.
        let outcome = outcome.await.unwrap_or(Err(Refusal::Unavailable));
        outcome.map_err(|refusal| self.error(refusal, item.pair))
    }

    fn error(&self, refusal: Refusal, pair: Pair) -> AppError {
        match refusal {
            Refusal::NotFound => AppError::NotFound,
            Refusal::OwnPost => RateError::OwnPost.into(),
            Refusal::AlreadyRated => RateError::AlreadyRated.into(),
            Refusal::RateLimited { retry_after_ms } => RateError::PostRateLimited { retry_after_ms }.into(),
            Refusal::EditLimited { retry_after_ms } => RateError::EditLimited { retry_after_ms }.into(),
            Refusal::Paused(pause) => self.pauses.remember_and_refuse(pair, pause),
            Refusal::Busy => AppError::Busy,
            // The cause is in the log, once for its batch.
            Refusal::Unavailable => AppError::Unavailable(None),
        }
    }

    /// Whether a rating could be written now, by the connection that writes them.
    ///
    /// # Errors
    /// Why not.
    pub async fn is_ready(&self) -> Result<(), String> {
        let (reply, outcome) = oneshot::channel();
        self.queue.try_send(Message::Probe(reply)).map_err(|_| "the queue of ratings is full".to_owned())?;
        outcome.await.unwrap_or_else(|_| Err("the writer of ratings does not answer".to_owned()))
    }

    fn count(&self, act: Act, outcome: &Result<Rate, AppError>) {
        let change = act == Act::Change;
        match outcome {
            Ok(_) => {
                self.decisions.count(Guarded::Post, true);
                if change {
                    self.decisions.count(Guarded::Edit, true);
                }
            }
            Err(error) => match error.app() {
                Some(RateError::PostRateLimited { .. }) => self.decisions.count(Guarded::Post, false),
                Some(RateError::EditLimited { .. }) => self.decisions.count(Guarded::Edit, false),
                Some(RateError::Paused { .. }) => self.decisions.count(Guarded::Pause, false),
                _ => (),
            },
        }
    }
}

/// Takes what is waiting as a batch, and gives each batch a task of its own: a panic ends the batch, not the writer.
///
/// While one batch is under way, the next one may begin if it is about other posts. Ratings of the same posts wait for
/// the batch before them, so that the ratings of a post are decided in the order they came.
async fn run(writing: Arc<Writing>, messages: Arc<Mutex<mpsc::Receiver<Message>>>) {
    let mut messages = messages.lock().await;
    let (mut queue, mut under_way) = (Queue::default(), JoinSet::new());
    let mut received = Vec::with_capacity(MAX_BATCH);
    let mut open = true;
    while open || !under_way.is_empty() {
        tokio::select! {
            count = messages.recv_many(&mut received, MAX_BATCH), if open && queue.has_room() => open = count > 0,
            Some(ended) = under_way.join_next_with_id() => queue.end(ended),
        }
        for message in received.drain(..) {
            match message {
                Message::Rate(submission) => queue.submissions.push_back(submission),
                Message::Probe(reply) => {
                    let writing = Arc::clone(&writing);
                    tokio::spawn(async move { reply.send(writing.probe().await) });
                }
            }
        }
        while under_way.len() < AT_ONCE as usize
            && let Some(batch) = queue.next_batch()
        {
            let posts = batch.iter().map(|submission| submission.item.pair.post).collect();
            let task = under_way.spawn(Arc::clone(&writing).serve(batch));
            queue.begin(task.id(), posts);
        }
        let left = queue.submissions.len() + messages.len();
        writing.measured.waiting.set(i64::try_from(left).unwrap_or(i64::MAX));
    }
}

/// Ratings that no batch has taken yet, and the posts of the batches under way.
#[derive(Default)]
struct Queue {
    submissions: VecDeque<Submission>,
    under_way: HashMap<task::Id, BTreeSet<PostId>>,
}

impl Queue {
    /// Further ratings stay in the bounded queue.
    fn has_room(&self) -> bool {
        self.submissions.len() < QUEUE
    }

    /// The ratings that came first, of posts that no batch is writing.
    fn next_batch(&mut self) -> Option<Vec<Submission>> {
        let busy: BTreeSet<PostId> = self.under_way.values().flatten().copied().collect();
        let (mut batch, mut rest) = (Vec::new(), VecDeque::with_capacity(self.submissions.len()));
        while let Some(submission) = self.submissions.pop_front() {
            if batch.len() == MAX_BATCH {
                rest.push_back(submission);
                rest.append(&mut self.submissions);
            } else if busy.contains(&submission.item.pair.post) {
                rest.push_back(submission);
            } else {
                batch.push(submission);
            }
        }
        self.submissions = rest;
        Some(batch).filter(|batch| !batch.is_empty())
    }

    fn begin(&mut self, batch: task::Id, posts: BTreeSet<PostId>) {
        self.under_way.insert(batch, posts);
    }

    fn end(&mut self, ended: Result<(task::Id, ()), JoinError>) {
        let batch = match ended {
            Ok((batch, ())) => batch,
            Err(panic) => {
                tracing::error!(%panic, "a batch of ratings panicked");
                panic.id()
            }
        };
        self.under_way.remove(&batch);
    }
}

struct Writing {
    pool: PgPool,
    clock: Clock,
    gates: Arc<LiveGates>,
    pauses: Arc<Pauses>,
    refusals: RecordedRefusals,
    /// The cause of the last fault, and one of the ratings that were not written for it; `None` after a probe has shown
    /// that such a rating can be written again.
    last_fault: std::sync::Mutex<Option<(String, Item)>>,
    measured: Arc<Measured>,
}

/// Why a transaction failed.
#[derive(Debug)]
enum Failure {
    /// Nothing was written: the whole transaction may be retried.
    Retry(sqlx::Error),
    /// Nothing was written: another transaction holds one of the rows for too long.
    Locked(sqlx::Error),
    /// Nothing was written: a single rating may be the cause.
    Data(sqlx::Error),
    /// A fault of the connection or of the server: it may be unknown whether anything was written.
    Lost(sqlx::Error),
}

impl From<sqlx::Error> for Failure {
    fn from(error: sqlx::Error) -> Self {
        const DEADLOCK: &str = "40P01";
        const SERIALIZATION: &str = "40001";
        const LOCK_NOT_AVAILABLE: &str = "55P03";
        // Classes of SQLSTATE that a single rating can cause: cardinality, data, constraints, views, limits, triggers, a damaged
        // page. All others are faults of the connection or of the server, such as 25006 where the server is read-only.
        const OF_A_ROW: [&str; 7] = ["21", "22", "23", "44", "54", "P0", "XX"];
        let code =
            error.as_database_error().and_then(sqlx::error::DatabaseError::code).map(std::borrow::Cow::into_owned);
        match code.as_deref() {
            Some(DEADLOCK | SERIALIZATION) => Self::Retry(error),
            Some(LOCK_NOT_AVAILABLE) => Self::Locked(error),
            Some(code) if OF_A_ROW.iter().any(|class| code.starts_with(class)) => Self::Data(error),
            _ => Self::Lost(error),
        }
    }
}

impl Writing {
    /// Checks whether a rating could be written. After a fault, a rating that failed is written again and rolled back, as
    /// well as enough other data that files have to grow: the disk may be full.
    async fn probe(&self) -> Result<(), String> {
        let deadline = Instant::now() + DEADLINE;
        let connection = timeout_at(deadline, self.pool.acquire()).await.map_err(|_| describe(&no_answer(DEADLINE)))?;
        let mut connection = connection.map_err(|error| describe(&error))?;
        let probed = timeout_at(deadline, self.try_to_write(&mut connection)).await;
        let probed = probed.unwrap_or_else(|_| Err(describe(&no_answer(DEADLINE))));
        if probed.is_err() {
            // The fault may be this connection's, as when it was opened while the database was read-only.
            connection.close_on_drop();
        }
        probed
    }

    async fn try_to_write(&self, connection: &mut PgConnection) -> Result<(), String> {
        let fault = self.last_fault().clone();
        let bytes = if fault.is_some() { PROBE_BYTES } else { 32 };
        if let Some((cause, item)) = &fault {
            match self.rehearse(connection, *item).await {
                // A lock or a bad row is no fault of this instance.
                Ok(()) | Err(Failure::Locked(_) | Failure::Data(_)) => {}
                Err(Failure::Retry(_) | Failure::Lost(_)) => return Err(format!("the last ratings failed: {cause}")),
            }
        }
        match rows::try_to_write(connection, bytes).await {
            Ok(true) => {}
            Ok(false) => return Err("the database's migrations are not this program's".to_owned()),
            Err(error) => return Err(describe(&error)),
        }
        let mut last = self.last_fault();
        // A later fault has not been probed.
        if *last == fault {
            *last = None;
        }
        Ok(())
    }

    /// Writes a rating and rolls it back.
    async fn rehearse(&self, connection: &mut PgConnection, item: Item) -> Result<(), Failure> {
        let mut transaction = connection.begin().await?;
        self.write_rows(&mut transaction, &[item]).await?;
        Ok(transaction.rollback().await?)
    }

    fn last_fault(&self) -> std::sync::MutexGuard<'_, Option<(String, Item)>> {
        self.last_fault.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    async fn serve(self: Arc<Self>, batch: Vec<Submission>) {
        let now = Instant::now();
        let mut items = Vec::with_capacity(batch.len());
        let mut replies = Vec::with_capacity(batch.len());
        for Submission { item, since, reply } in batch {
            if now.duration_since(since) > DEADLINE {
                let _ = reply.send(Err(Refusal::Busy));
            } else if !reply.is_closed() {
                items.push(item);
                replies.push(reply);
            }
        }
        let size = items.len();
        let outcomes = self.write(items, now + DEADLINE).await;
        self.measured.batch(size, now.elapsed());
        for (reply, outcome) in replies.into_iter().zip(outcomes) {
            // A client that has hung up does not get its answer.
            let _ = reply.send(outcome);
        }
    }

    /// Writes all items together. Where that fails for one of them, writes them in smaller parts, so that a bad item
    /// fails alone.
    async fn write(&self, items: Vec<Item>, deadline: Instant) -> Vec<Outcome> {
        let mut outcomes: Vec<Outcome> = vec![Err(Refusal::Unavailable); items.len()];
        let mut parts: Vec<Vec<usize>> = vec![(0..items.len()).collect()];
        while let Some(part) = parts.pop() {
            if part.is_empty() {
                continue;
            }
            let some: Vec<Item> = part.iter().map(|index| items[*index]).collect();
            match self.write_together(&some, deadline).await {
                Ok(written) => {
                    for (index, outcome) in part.into_iter().zip(written) {
                        outcomes[index] = outcome;
                    }
                }
                Err(Failure::Locked(_)) if some.iter().any(|item| item.pair.post != some[0].pair.post) => {
                    let free = self.free_posts(&some, deadline).await;
                    let (mut free, mut locked) = split_by_post(&part, &items, &free);
                    if locked.is_empty() {
                        // Something else is locked. The same ratings must not be tried together again.
                        (free, locked) = split_by_post(&part, &items, &BTreeSet::new());
                    }
                    // Parts are taken from the end: ratings of free posts do not wait for those of locked ones.
                    parts.append(&mut locked);
                    parts.push(free);
                }
                // Backwards, so that they are taken in the order they came.
                Err(Failure::Data(_)) if part.len() > 1 => {
                    parts.extend(part.into_iter().rev().map(|index| vec![index]));
                }
                Err(failure) => {
                    self.failed(failure, &some);
                }
            }
        }
        outcomes
    }

    /// Counts and logs ratings that are not written. Where the database is at fault, one of them is kept for the probe.
    fn failed(&self, failure: Failure, items: &[Item]) {
        self.measured.failed.inc_by(items.len() as u64);
        let (error, is_fault) = match failure {
            Failure::Locked(error) | Failure::Data(error) => (error, false),
            Failure::Retry(error) | Failure::Lost(error) => (error, true),
        };
        let cause = describe(&error);
        tracing::error!(cause, ratings = items.len(), "ratings not written");
        if is_fault {
            *self.last_fault() = Some((cause, items[0]));
        }
    }

    /// The posts of `items` whose rows no other transaction has locked at this moment.
    async fn free_posts(&self, items: &[Item], deadline: Instant) -> BTreeSet<PostId> {
        let blogs: Vec<i64> = items.iter().map(|item| item.pair.post.0).collect();
        let free = sqlx::query_scalar!(
            "select t.blog_id from rating_totals t join blog_posts p on p.id = t.blog_id where t.blog_id = any($1)
            for no key update of t skip locked for key share of p skip locked",
            &blogs
        );
        match timeout_at(deadline, free.fetch_all(&self.pool)).await {
            Ok(Ok(free)) => free.into_iter().map(PostId).collect(),
            _ => BTreeSet::new(),
        }
    }

    async fn write_together(&self, items: &[Item], deadline: Instant) -> Result<Vec<Outcome>, Failure> {
        for attempt in 1.. {
            let result = self.try_once(items, deadline).await;
            if !matches!(result, Err(Failure::Retry(_))) || attempt > RETRIES {
                return result;
            }
            // The wait is random, so that two transactions that collided do not collide again.
            sleep(Duration::from_millis(rand::random_range(1..=10) * u64::from(attempt))).await;
        }
        Ok(Vec::new())
    }

    /// Runs one transaction. After a fault its connection is closed, because the transaction may have been cancelled at any
    /// point, even between BEGIN and its answer.
    async fn try_once(&self, items: &[Item], deadline: Instant) -> Result<Vec<Outcome>, Failure> {
        let late = |_| Failure::Lost(no_answer(DEADLINE));
        let mut connection = timeout_at(deadline, self.pool.acquire()).await.map_err(late)??;
        let written = timeout_at(deadline, self.transaction(&mut connection, items)).await;
        let written = written.map_err(late).and_then(|written| written);
        if matches!(written, Err(Failure::Lost(_))) {
            connection.close_on_drop();
        }
        written
    }

    /// Writes `items` and commits.
    async fn transaction(&self, connection: &mut PgConnection, items: &[Item]) -> Result<Vec<Outcome>, Failure> {
        let mut transaction = connection.begin().await?;
        let written = self.write_rows(&mut transaction, items).await?;
        // If the connection is lost from here on, it is not known whether the ratings were written.
        commit(transaction).await.map_err(|error| match Failure::from(error) {
            Failure::Data(error) => Failure::Lost(error),
            other => other,
        })?;
        let Batch { decided, rates, refused, now } = written;
        self.refusals.add(refused, now);
        let outcome = |(item, decided): (&Item, Result<(), Refusal>)| {
            decided?;
            let rate = rates.get(&item.pair).cloned().ok_or(Refusal::Unavailable)?;
            Ok(Rate { rating: item.stars, ..rate })
        };
        Ok(items.iter().zip(decided).map(outcome).collect())
    }

    /// Decides and writes without a commit.
    async fn write_rows(&self, transaction: &mut PgConnection, items: &[Item]) -> Result<Batch, Failure> {
        let posts: BTreeSet<PostId> = items.iter().map(|item| item.pair.post).collect();
        let LockedPosts { posts, choices } = rows::lock_posts(transaction, &posts).await?;
        let gates = if posts.is_empty() { self.gates.latest() } else { self.gates.at(choices, transaction).await? };
        let (mut facts, mut rates) = self.read(transaction, items, posts, &gates).await?;
        let (decided, writes) = batch::decide(items, &mut facts)?;
        rates.extend(rows::write_ratings(transaction, &writes, facts.now).await?);
        periods::write(transaction, &writes.periods).await?;
        rows::write_pauses(transaction, &writes).await?;
        facts.states.store(transaction, facts.now).await?;
        Ok(Batch { decided, rates, refused: writes.refused.len(), now: facts.now })
    }

    /// Reads what the decisions about `items` depend on. The clock, the ratings and the states of the limiters are read under
    /// the locks of the posts: what another instance has committed by then is seen, and time does not run backwards from one
    /// batch to the next. The lock of a post also covers its limiter and its pairs with users.
    async fn read<'a>(
        &'a self,
        connection: &mut PgConnection,
        items: &[Item],
        locked: HashMap<PostId, LockedPost>,
        gates: &'a Gates,
    ) -> Result<(Facts<'a>, HashMap<Pair, Rate>), Failure> {
        let pairs: BTreeSet<Pair> = items.iter().map(|item| item.pair).collect();
        let authors = locked.iter().map(|(post, locked)| (*post, locked.author)).collect::<HashMap<_, _>>();
        let scores = locked.iter().map(|(post, locked)| (*post, locked.score)).collect();
        let states = lock_states(connection, items, locked, gates).await?;
        let Pairs { now, rates, counted_on, periods, pauses, refused, locked_users, erased_users } =
            rows::read_pairs(connection, &pairs, &self.clock).await?;
        let rated = |(pair, rate): (&Pair, &Rate)| {
            (*pair, Rated { stars: rate.rating, counted_on: counted_on.get(pair).copied() })
        };
        let ratings = rates.iter().map(rated).collect();
        let scores = Scores::new(now.timestamp().div_euclid(DAY), scores, periods);
        let is_of_this_hour = |rate: &Rate| hour_of(rate.updated_at) == hour_of(now);
        let rated = rates.iter().filter(|(_, rate)| is_of_this_hour(rate)).map(|(pair, _)| *pair).collect();
        let facts = Facts {
            authors,
            ratings,
            scores,
            pauses,
            zombie_pause: self.pauses.limiter(),
            locked_users,
            erased_users,
            rated,
            refused,
            records_refusals: self.refusals.has_room(now),
            gates,
            states,
            now,
        };
        Ok((facts, rates))
    }
}

/// Locks the states of all limits that `items` have to pass. The states of posts' limiters have been read with `locked`. A
/// state is replaced by a fresh one if the limiter has been chosen again since.
async fn lock_states<'a>(
    connection: &mut PgConnection,
    items: &[Item],
    locked: HashMap<PostId, LockedPost>,
    gates: &'a Gates,
) -> sqlx::Result<Locked<'a, AnyLimiter>> {
    let exist = items.iter().filter(|item| locked.contains_key(&item.pair.post));
    let limits: Vec<_> = exist.flat_map(|item| gates.of(item)).collect();
    let kept = locked.into_iter().map(|(post, mut locked)| {
        let is_current = locked.gates.get("choice").and_then(Value::as_i64) == gates.choice_of(post);
        let state = locked.gates.get_mut(gates.of_post(post).name()).filter(|_| is_current).map(Value::take);
        (post_key(post), state.unwrap_or_default())
    });
    Locked::read(connection, limits, kept.collect()).await
}

/// What a transaction has written, before its commit.
struct Batch {
    decided: Vec<Result<(), Refusal>>,
    rates: HashMap<Pair, Rate>,
    /// Number of refused ratings that were recorded.
    refused: usize,
    now: DateTime<Utc>,
}

/// Splits a part: the ratings of all free posts together, and those of each locked post for themselves.
fn split_by_post(part: &[usize], items: &[Item], free: &BTreeSet<PostId>) -> (Vec<usize>, Vec<Vec<usize>>) {
    let (free, locked): (Vec<usize>, Vec<usize>) =
        part.iter().partition(|index| free.contains(&items[**index].pair.post));
    let mut by_post: BTreeMap<PostId, Vec<usize>> = BTreeMap::new();
    for index in locked {
        by_post.entry(items[index].pair.post).or_default().push(index);
    }
    (free, by_post.into_values().collect())
}
