//! The one place where ratings are written.
//!
//! Handlers submit and wait. A task of its own takes whatever is waiting as a batch and writes it in one
//! transaction: the gate's state, the rows and the counters commit together, and only then does
//! anybody hear of success. A hot post costs one row lock for each batch, not for each rating; and as no
//! client owns the transaction, none can break it off by hanging up.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use sqlx::{Connection as _, PgConnection, PgPool};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout_at};

use super::batch::{self, Known, Pair, Writes};
use super::gate::Gates;
use super::models::{Rate, Stars};
use super::pauses::{Pause, Pauses};
use crate::database::clock::Clock;
use crate::database::limiter_states::Locked;
use crate::database::{describe, is_migrated};
use crate::limiters::ZombiePauseState;
use crate::site::metrics::{Decisions, Guarded};
use crate::web::error::AppError;
use crate::web::payload::Id;

/// Ratings that may wait; more are told that we are busy.
const QUEUE: usize = 4096;

/// Ratings in one transaction.
const MAX_BATCH: usize = 512;

/// How long a batch may take, and how long a rating may wait for its batch.
const DEADLINE: Duration = Duration::from_secs(3);

/// How often a batch that lost a deadlock is tried again.
const RETRIES: u32 = 3;

/// What is to be done with a rating.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    Create,
    Change,
}

/// One rating, as it was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Item {
    pub act: Act,
    pub user: i64,
    pub blog: i64,
    pub stars: Stars,
}

/// Why a rating was not written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    NotFound,
    OwnPost,
    AlreadyRated,
    RateLimited { retry_after_ms: i64 },
    EditLimited { retry_after_ms: i64 },
    Paused(Pause),
    Busy,
    Unavailable,
}

impl Refusal {
    fn error(self, pair: Pair, pauses: &Pauses) -> AppError {
        match self {
            Self::NotFound => AppError::NotFound,
            Self::OwnPost => AppError::OwnPost,
            Self::AlreadyRated => AppError::AlreadyRated,
            Self::RateLimited { retry_after_ms } => AppError::PostRateLimited { retry_after_ms },
            Self::EditLimited { retry_after_ms } => AppError::EditLimited { retry_after_ms },
            Self::Paused(pause) => pauses.refused(pair, pause),
            Self::Busy => AppError::Busy,
            // The cause is in the log, once for its batch.
            Self::Unavailable => AppError::Unavailable(None),
        }
    }
}

type Outcome = Result<Rate, Refusal>;

enum Message {
    Rate(Submission),
    /// Whether a rating could be written now.
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
}

impl RateWriter {
    /// Starts the writing task. `pool` should be its own, so that readers cannot starve it.
    #[must_use]
    pub fn start(
        pool: PgPool,
        clock: Clock,
        gates: Gates,
        pauses: Arc<Pauses>,
        decisions: Arc<Decisions>,
    ) -> (Self, JoinHandle<()>) {
        let (queue, submissions) = mpsc::channel(QUEUE);
        let writing = Writing { pool, clock, gates, pauses: pauses.clone() };
        (Self { queue, pauses, decisions }, tokio::spawn(run(Arc::new(writing), submissions)))
    }

    /// Returns the rating after it is committed.
    ///
    /// # Errors
    /// Why it was not written; `unavailable` where that cannot be known.
    pub async fn submit(&self, act: Act, user: i64, Id(blog): Id, stars: Stars) -> Result<Rate, AppError> {
        let outcome = self.attempt(Item { act, user, blog, stars }).await;
        self.count(act, &outcome);
        outcome
    }

    async fn attempt(&self, item: Item) -> Result<Rate, AppError> {
        let pair = (item.user, item.blog);
        self.pauses.refuse_known(pair).await?;
        let (reply, outcome) = oneshot::channel();
        let submission = Submission { item, since: Instant::now(), reply };
        self.queue.try_send(Message::Rate(submission)).map_err(|_| AppError::Busy)?;
        // Whoever should have answered is gone when its batch has panicked.
        let outcome = outcome.await.unwrap_or(Err(Refusal::Unavailable));
        outcome.map_err(|refusal| refusal.error(pair, &self.pauses))
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
            Err(AppError::PostRateLimited { .. }) => self.decisions.count(Guarded::Post, false),
            Err(AppError::EditLimited { .. }) => self.decisions.count(Guarded::Edit, false),
            Err(AppError::Paused { .. }) => self.decisions.count(Guarded::Pause, false),
            Err(_) => (),
        }
    }
}

/// One batch after the other, each in a task of its own: a panic ends the batch, not the writer.
async fn run(writing: Arc<Writing>, mut messages: mpsc::Receiver<Message>) {
    let mut queued = Vec::with_capacity(MAX_BATCH);
    while messages.recv_many(&mut queued, MAX_BATCH).await > 0 {
        let (mut batch, mut probes) = (Vec::with_capacity(queued.len()), Vec::new());
        for message in queued.drain(..) {
            match message {
                Message::Rate(submission) => batch.push(submission),
                Message::Probe(reply) => probes.push(reply),
            }
        }
        if !probes.is_empty() {
            let found = writing.probe().await;
            for reply in probes {
                let _ = reply.send(found.clone());
            }
        }
        if batch.is_empty() {
            continue;
        }
        if let Err(panic) = tokio::spawn(Arc::clone(&writing).serve(batch)).await {
            tracing::error!(%panic, "a batch of ratings panicked");
        }
    }
}

struct Writing {
    pool: PgPool,
    clock: Clock,
    gates: Gates,
    pauses: Arc<Pauses>,
}

/// Why a transaction did not succeed.
enum Failure {
    /// Nothing was written: the whole may be tried again.
    Retry(sqlx::Error),
    /// Nothing was written: somebody else holds one of the rows for too long.
    Locked(sqlx::Error),
    /// Nothing was written: one of several may be to blame.
    Data(sqlx::Error),
    /// The connection is gone or the time is over: whether it was written may be unknown.
    Lost(sqlx::Error),
}

impl From<sqlx::Error> for Failure {
    fn from(error: sqlx::Error) -> Self {
        const DEADLOCK: &str = "40P01";
        const SERIALIZATION: &str = "40001";
        const LOCK_NOT_AVAILABLE: &str = "55P03";
        // Connection exceptions, resources, the operator's intervention, system errors.
        const FAULTS: [&str; 4] = ["08", "53", "57", "58"];
        let code =
            error.as_database_error().and_then(sqlx::error::DatabaseError::code).map(std::borrow::Cow::into_owned);
        match code.as_deref() {
            Some(DEADLOCK | SERIALIZATION) => Self::Retry(error),
            Some(LOCK_NOT_AVAILABLE) => Self::Locked(error),
            Some(code) if !FAULTS.iter().any(|class| code.starts_with(class)) => Self::Data(error),
            _ => Self::Lost(error),
        }
    }
}

impl Writing {
    /// Does what writing a rating needs, and undoes it.
    async fn probe(&self) -> Result<(), String> {
        let silent = |_| "the database does not answer".to_owned();
        let deadline = Instant::now() + DEADLINE;
        let connection = timeout_at(deadline, self.pool.acquire()).await.map_err(silent)?;
        let mut connection = connection.map_err(|error| describe(&error))?;
        match timeout_at(deadline, try_to_write(&mut connection)).await {
            Ok(Ok(true)) => Ok(()),
            Ok(Ok(false)) => Err("the database's migrations are not this program's".to_owned()),
            Ok(Err(error)) => {
                // It may be this connection's own fault, as when it was made while the database was read-only.
                connection.close_on_drop();
                Err(describe(&error))
            }
            Err(elapsed) => {
                // As a batch that is broken off.
                connection.close_on_drop();
                Err(silent(elapsed))
            }
        }
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
        let outcomes = self.write(items, now + DEADLINE).await;
        for (reply, outcome) in replies.into_iter().zip(outcomes) {
            // Whoever hung up does not hear it.
            let _ = reply.send(outcome);
        }
    }

    /// Writes all together; where that fails for one of them, in smaller parts: a bad item fails alone.
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
                Err(Failure::Locked(_)) if some.iter().any(|item| item.blog != some[0].blog) => {
                    let free = self.free_posts(&some, deadline).await;
                    let (free, mut locked) = split_by_post(&part, &items, &free);
                    // Taken from the end: those who are free do not wait for the others.
                    parts.append(&mut locked);
                    parts.push(free);
                }
                // Backwards, so that they are taken in the order they came.
                Err(Failure::Data(_)) if part.len() > 1 => {
                    parts.extend(part.into_iter().rev().map(|index| vec![index]));
                }
                Err(Failure::Locked(error) | Failure::Data(error) | Failure::Retry(error) | Failure::Lost(error)) => {
                    tracing::error!(cause = describe(&error), ratings = part.len(), "ratings not written");
                }
            }
        }
        outcomes
    }

    /// The posts of `items` that nobody holds at this moment.
    async fn free_posts(&self, items: &[Item], deadline: Instant) -> BTreeSet<i64> {
        let blogs: Vec<i64> = items.iter().map(|item| item.blog).collect();
        let free =
            sqlx::query_scalar!("select id from blog_posts where id = any($1) for no key update skip locked", &blogs);
        match timeout_at(deadline, free.fetch_all(&self.pool)).await {
            Ok(Ok(free)) => free.into_iter().collect(),
            _ => BTreeSet::new(),
        }
    }

    async fn write_together(&self, items: &[Item], deadline: Instant) -> Result<Vec<Outcome>, Failure> {
        for attempt in 1.. {
            let result = self.try_once(items, deadline).await;
            if !matches!(result, Err(Failure::Retry(_))) || attempt > RETRIES {
                return result;
            }
            // Whoever we collided with is not met again at the same moment.
            sleep(Duration::from_millis(rand::random_range(1..=10) * u64::from(attempt))).await;
        }
        Ok(Vec::new())
    }

    async fn try_once(&self, items: &[Item], deadline: Instant) -> Result<Vec<Outcome>, Failure> {
        let too_late = |_| Failure::Lost(sqlx::Error::PoolTimedOut);
        let mut connection = timeout_at(deadline, self.pool.acquire()).await.map_err(too_late)??;
        match timeout_at(deadline, self.transaction(&mut connection, items)).await {
            Ok(result) => result,
            Err(elapsed) => {
                // Broken off anywhere, even between BEGIN and its answer: nobody is to get this connection next.
                connection.close_on_drop();
                Err(too_late(elapsed))
            }
        }
    }

    async fn transaction(&self, connection: &mut PgConnection, items: &[Item]) -> Result<Vec<Outcome>, Failure> {
        let mut transaction = connection.begin().await?;
        let (mut known, mut rates) = self.read(&mut transaction, items).await?;
        let (decided, writes) = batch::decide(items, &mut known);
        write_counters(&mut transaction, &writes).await?;
        rates.extend(write_ratings(&mut transaction, &writes, known.now).await?);
        write_history(&mut transaction, &writes, known.now).await?;
        write_pauses(&mut transaction, &writes).await?;
        known.states.store(&mut transaction, known.now).await?;
        // From here on a lost connection leaves open what happened.
        transaction.commit().await.map_err(|error| match Failure::from(error) {
            Failure::Data(error) => Failure::Lost(error),
            other => other,
        })?;
        let outcome = |(item, decided): (&Item, Result<(), Refusal>)| {
            decided?;
            let rate = rates.get(&(item.user, item.blog)).cloned().ok_or(Refusal::Unavailable)?;
            Ok(Rate { rating: item.stars, ..rate })
        };
        Ok(items.iter().zip(decided).map(outcome).collect())
    }

    /// Locks the posts, then their gates, and only then reads the clock and the ratings: what another
    /// instance has committed by then is seen, and time does not run backwards from one batch to the next.
    async fn read<'a>(
        &'a self,
        connection: &mut PgConnection,
        items: &[Item],
    ) -> Result<(Known<'a>, HashMap<Pair, Rate>), Failure> {
        let blogs: BTreeSet<i64> = items.iter().map(|item| item.blog).collect();
        let authors = lock_posts(connection, &blogs.into_iter().collect::<Vec<_>>()).await?;
        let exist = items.iter().filter(|item| authors.contains_key(&item.blog));
        let states = Locked::lock(connection, exist.flat_map(|item| self.gates.of(item)), &self.clock).await?;
        let now = self.clock.read(connection).await?;
        let (rates, pauses) = read_pairs(connection, items).await?;
        let ratings = rates.iter().map(|(pair, rate)| (*pair, rate.rating)).collect();
        let zombie_pause = self.pauses.limiter();
        Ok((Known { authors, ratings, pauses, zombie_pause, gates: &self.gates, states, now }, rates))
    }
}

/// Whether the tables are this program's and a row can be written, which is undone.
async fn try_to_write(connection: &mut PgConnection) -> sqlx::Result<bool> {
    if !is_migrated(connection).await? {
        return Ok(false);
    }
    let mut transaction = connection.begin().await?;
    sqlx::query!(
        "insert into limiter_states (limiter, key, state, updated_at, expires_at)
        values ('probe', $1, 'null', 'epoch', 'epoch')",
        format!("{:016x}", rand::random::<u64>()),
    )
    .execute(&mut *transaction)
    .await?;
    transaction.rollback().await?;
    Ok(true)
}

/// Those of the free posts together, then the others, each post for itself.
fn split_by_post(part: &[usize], items: &[Item], free: &BTreeSet<i64>) -> (Vec<usize>, Vec<Vec<usize>>) {
    let (free, locked): (Vec<usize>, Vec<usize>) = part.iter().partition(|index| free.contains(&items[**index].blog));
    let mut by_post: BTreeMap<i64, Vec<usize>> = BTreeMap::new();
    for index in locked {
        by_post.entry(items[index].blog).or_default().push(index);
    }
    (free, by_post.into_values().collect())
}

async fn lock_posts(connection: &mut PgConnection, blogs: &[i64]) -> sqlx::Result<HashMap<i64, i64>> {
    let rows = sqlx::query!(
        "select id, author_id from blog_posts where id = any($1) and status = 'published' order by id for no key update",
        blogs
    );
    Ok(rows.fetch_all(connection).await?.into_iter().map(|row| (row.id, row.author_id)).collect())
}

/// The ratings that exist, and what is remembered of failures.
async fn read_pairs(
    connection: &mut PgConnection,
    items: &[Item],
) -> sqlx::Result<(HashMap<Pair, Rate>, HashMap<Pair, ZombiePauseState>)> {
    let pairs: BTreeSet<Pair> = items.iter().map(|item| (item.user, item.blog)).collect();
    let (users, blogs): (Vec<i64>, Vec<i64>) = pairs.into_iter().unzip();
    let rows = sqlx::query!(
        r#"select pair.user_id as "user!", pair.blog_id as "blog!", r.id as "id?", r.rating as "rating?",
            r.created_at as "created_at?", r.updated_at as "updated_at?",
            z.user_id is not null as "has_failed!", z.tat_ns as "tat_ns?", z.paused_at as "paused_at?", z.unpaused_at
        from unnest($1::bigint[], $2::bigint[]) as pair (user_id, blog_id)
        left join rates r on r.user_id = pair.user_id and r.blog_id = pair.blog_id
        left join zombie_pauses z on z.user_id = pair.user_id and z.blog_id = pair.blog_id"#,
        &users,
        &blogs,
    );
    let (mut rates, mut pauses) = (HashMap::new(), HashMap::new());
    for row in rows.fetch_all(connection).await? {
        let (user, blog) = (row.user, row.blog);
        let rating = row.rating.and_then(|rating| Stars::new(i64::from(rating)));
        if let (Some(id), Some(rating), Some(created_at), Some(updated_at)) =
            (row.id, rating, row.created_at, row.updated_at)
        {
            rates.insert((user, blog), Rate { id, user, blog, rating, created_at, updated_at });
        }
        if row.has_failed {
            let ms = |time: Option<DateTime<Utc>>| time.map(|time| time.timestamp_millis());
            let state = ZombiePauseState {
                tat_ns: row.tat_ns,
                paused_at_ms: ms(row.paused_at),
                unpaused_at_ms: ms(row.unpaused_at),
            };
            pauses.insert((user, blog), state);
        }
    }
    Ok((rates, pauses))
}

async fn write_counters(connection: &mut PgConnection, writes: &Writes) -> sqlx::Result<()> {
    if writes.counters.is_empty() {
        return Ok(());
    }
    let blogs: Vec<i64> = writes.counters.keys().copied().collect();
    let column = |star: usize| writes.counters.values().map(|stars| stars[star]).collect::<Vec<i64>>();
    sqlx::query!(
        r#"update blog_posts p set
            stars_1 = p.stars_1 + by.s1, stars_2 = p.stars_2 + by.s2, stars_3 = p.stars_3 + by.s3,
            stars_4 = p.stars_4 + by.s4, stars_5 = p.stars_5 + by.s5
        from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[])
            as by (id, s1, s2, s3, s4, s5)
        where p.id = by.id"#,
        &blogs,
        &column(0),
        &column(1),
        &column(2),
        &column(3),
        &column(4),
    )
    .execute(connection)
    .await?;
    Ok(())
}

async fn write_ratings(
    connection: &mut PgConnection,
    writes: &Writes,
    now: DateTime<Utc>,
) -> sqlx::Result<HashMap<Pair, Rate>> {
    if writes.ratings.is_empty() {
        return Ok(HashMap::new());
    }
    let (users, blogs): (Vec<i64>, Vec<i64>) = writes.ratings.keys().copied().unzip();
    let stars: Vec<i16> = writes.ratings.values().map(|stars| stars.get()).collect();
    let rows = sqlx::query!(
        r#"insert into rates (user_id, blog_id, rating, created_at, updated_at)
        select new.user_id, new.blog_id, new.rating, $4, $4
        from unnest($1::bigint[], $2::bigint[], $3::smallint[]) as new (user_id, blog_id, rating)
        on conflict on constraint unique_user_blog_rating
            do update set rating = excluded.rating, updated_at = excluded.updated_at
        returning id, user_id, blog_id, created_at, updated_at"#,
        &users,
        &blogs,
        &stars,
        now,
    );
    let rows = rows.fetch_all(connection).await?;
    let rate = |id, (user, blog): Pair, created_at, updated_at| {
        let rating = *writes.ratings.get(&(user, blog))?;
        Some(((user, blog), Rate { id, user, blog, rating, created_at, updated_at }))
    };
    Ok(rows
        .into_iter()
        .filter_map(|row| rate(row.id, (row.user_id, row.blog_id), row.created_at, row.updated_at))
        .collect())
}

async fn write_pauses(connection: &mut PgConnection, writes: &Writes) -> sqlx::Result<()> {
    if writes.pauses.is_empty() {
        return Ok(());
    }
    let (users, blogs): (Vec<i64>, Vec<i64>) = writes.pauses.keys().copied().unzip();
    let tats: Vec<Option<i64>> = writes.pauses.values().map(|state| state.tat_ns).collect();
    let times = |time: fn(&ZombiePauseState) -> Option<i64>| -> Vec<Option<DateTime<Utc>>> {
        writes.pauses.values().map(|state| time(state).and_then(DateTime::from_timestamp_millis)).collect()
    };
    sqlx::query!(
        r#"insert into zombie_pauses (user_id, blog_id, tat_ns, paused_at, unpaused_at)
        select * from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::timestamptz[], $5::timestamptz[])
        on conflict on constraint zombie_pauses_pkey do update
            set tat_ns = excluded.tat_ns, paused_at = excluded.paused_at, unpaused_at = excluded.unpaused_at"#,
        &users,
        &blogs,
        &tats as &[Option<i64>],
        &times(|state| state.paused_at_ms) as &[Option<DateTime<Utc>>],
        &times(|state| state.unpaused_at_ms) as &[Option<DateTime<Utc>>],
    )
    .execute(connection)
    .await?;
    for ((user, blog), _) in writes.pauses.iter().filter(|(_, state)| state.is_paused()) {
        tracing::info!(user_id = user, post_id = blog, "paused");
    }
    Ok(())
}

/// After the counters: what they are now is part of it.
async fn write_history(connection: &mut PgConnection, writes: &Writes, now: DateTime<Utc>) -> sqlx::Result<()> {
    if writes.arrivals.is_empty() {
        return Ok(());
    }
    let blogs: Vec<i64> = writes.arrivals.keys().copied().collect();
    let admitted: Vec<i64> = writes.arrivals.values().map(|arrivals| arrivals.admitted).collect();
    let refused: Vec<i64> = writes.arrivals.values().map(|arrivals| arrivals.refused).collect();
    sqlx::query!(
        r#"insert into rating_history as h (blog_id, hour, admitted, refused, rating_count, rating_sum)
        select p.id, date_trunc('hour', $4::timestamptz, 'UTC'), new.admitted, new.refused, p.rating_count, p.rating_sum
        from unnest($1::bigint[], $2::bigint[], $3::bigint[]) as new (blog_id, admitted, refused)
            join blog_posts p on p.id = new.blog_id
        on conflict on constraint rating_history_pkey do update
            set admitted = h.admitted + excluded.admitted, refused = h.refused + excluded.refused,
                rating_count = excluded.rating_count, rating_sum = excluded.rating_sum"#,
        &blogs,
        &admitted,
        &refused,
        now,
    )
    .execute(connection)
    .await?;
    Ok(())
}
