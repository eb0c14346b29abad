//! Transaction that writes a batch of ratings.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use sqlx::{Connection as _, PgConnection, PgPool};
use tokio::time::{Instant, sleep, timeout_at};

use super::batch::{Batch, BatchChanges};
use super::failure::WriteFailure;
use super::insert;
use super::metrics::WriterMetrics;
use super::read::{self, BatchRows, LockedPost, LockedPosts};
use super::scores::{BatchScores, ExistingRating};
use super::submission::{RatingOutcome, Refusal, Submission};
use crate::blog_posts::PostId;
use crate::db::clock::Clock;
use crate::db::limiter_states::{KeyedLimit, LockedStates};
use crate::db::{Availability, commit, describe_error, is_transient_error, timeout_error};
use crate::rate::limiter::overrides::ActiveLimiterCache;
use crate::rate::limiter::refusals::HourlyRefusalCounter;
use crate::rate::models::{Rating, RatingKey, RatingOperation, RatingRequest};
use crate::rate::rating_limiter::RatingLimiters;
use crate::rate::zombie_pauses::ZombiePauses;
use crate::score::hourly_ratings::{HourlyRatings, hours_since_epoch};
use crate::score::rating_days;
use crate::web::request::current_user::UserId;
use evenkeel_limiters::{AnyLimiter, EmaOriginalState, PauseAction, RatingDays, SteadyScoreState};

/// A user who withdraws a rating and rates the post again within this time counts only once in the limiter of the post.
const CHANGE_MEMORY: TimeDelta = TimeDelta::days(30);

/// Also the maximum time that a request may be queued.
pub const BATCH_TIMEOUT: Duration = Duration::from_secs(3);

/// Batches of different instances may deadlock repeatedly.
const RETRIES: u32 = 6;

pub struct BatchWriter {
    pub pool: PgPool,
    pub availability: Availability,
    pub clock: Clock,
    pub limiters: Arc<ActiveLimiterCache>,
    pub pauses: Arc<ZombiePauses>,
    pub refusals: HourlyRefusalCounter,
    /// `None` after a health check has shown that ratings can be written again.
    pub last_fault: std::sync::Mutex<Option<DatabaseFault>>,
    pub metrics: Arc<WriterMetrics>,
}

/// Error with a sample of the rating requests that failed because of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DatabaseFault {
    pub cause: String,
    pub request: RatingRequest,
}

impl BatchWriter {
    pub async fn process_batch(self: Arc<Self>, batch: Vec<Submission>) {
        let now = Instant::now();
        let mut requests = Vec::with_capacity(batch.len());
        let mut replies = Vec::with_capacity(batch.len());
        for Submission { request, queued_at: since, reply, place: _permit } in batch {
            if now.duration_since(since) > BATCH_TIMEOUT {
                let _ = reply.send(Err(Refusal::Busy));
            } else if !reply.is_closed() {
                requests.push(request);
                replies.push(reply);
            }
        }
        let size = requests.len();
        let outcomes = self.write(requests, now + BATCH_TIMEOUT).await;
        self.metrics.observe_batch(size, now.elapsed());
        for (reply, outcome) in replies.into_iter().zip(outcomes) {
            // Sending fails if the client has disconnected.
            let _ = reply.send(outcome);
        }
    }

    /// If a request makes the transaction fail, the batch is split, so that only this request fails.
    async fn write(&self, requests: Vec<RatingRequest>, deadline: Instant) -> Vec<RatingOutcome> {
        let mut outcomes: Vec<RatingOutcome> = vec![Err(Refusal::Unavailable); requests.len()];
        let mut parts: Vec<Vec<usize>> = vec![(0..requests.len()).collect()];
        while let Some(part) = parts.pop() {
            if part.is_empty() {
                continue;
            }
            let batch: Vec<RatingRequest> = part.iter().map(|index| requests[*index]).collect();
            match self.write_with_retries(&batch, deadline).await {
                Ok(written) => {
                    for (index, outcome) in part.into_iter().zip(written) {
                        outcomes[index] = outcome;
                    }
                }
                Err(WriteFailure::Locked(_)) if batch.iter().any(|request| request.pair.post != batch[0].pair.post) => {
                    let free = self.free_posts(&batch, deadline).await;
                    let (mut free, mut locked) = split_by_post(&part, &requests, &free);
                    if locked.is_empty() {
                        // Another row was probably locked, such as a pause: the same batch would fail again.
                        (free, locked) = split_by_post(&part, &requests, &BTreeSet::new());
                    }
                    // Parts are taken from the end of the vector: ratings of unlocked posts are written first.
                    parts.append(&mut locked);
                    parts.push(free);
                }
                // Parts are taken from the end of the vector: ratings are written in order of arrival.
                Err(WriteFailure::Data(_)) if part.len() > 1 => {
                    parts.extend(part.into_iter().rev().map(|index| vec![index]));
                }
                Err(failure) => {
                    self.record_failure(failure, &batch);
                }
            }
        }
        outcomes
    }

    /// After a database error, stores one of the ratings as a sample for the health check.
    fn record_failure(&self, failure: WriteFailure, requests: &[RatingRequest]) {
        self.metrics.failed.inc_by(requests.len() as u64);
        let (error, is_fault) = match failure {
            WriteFailure::Locked(error) | WriteFailure::Data(error) => (error, false),
            WriteFailure::Retry(error) | WriteFailure::Lost(error) => (error, true),
        };
        self.availability.report_error(&error);
        let cause = describe_error(&error);
        tracing::error!(error = cause, ratings = requests.len(), "ratings not written");
        if is_fault {
            *self.lock_last_fault() = Some(DatabaseFault { cause, request: requests[0] });
        }
    }

    /// Posts that are not locked by other transactions at this moment.
    async fn free_posts(&self, requests: &[RatingRequest], deadline: Instant) -> BTreeSet<PostId> {
        let blogs: Vec<i64> = requests.iter().map(|request| request.pair.post.0).collect();
        let free = sqlx::query_scalar!(
            "select t.blog_id from rating_totals t join blog_posts p on p.id = t.blog_id where t.blog_id = any($1)
            for no key update of t skip locked for key share of p skip locked",
            &blogs
        );
        let free = timeout_at(deadline, async { free.fetch_all(&mut *self.pool.acquire().await?).await });
        match free.await {
            Ok(Ok(free)) => free.into_iter().map(PostId).collect(),
            _ => BTreeSet::new(),
        }
    }

    async fn write_with_retries(
        &self,
        requests: &[RatingRequest],
        deadline: Instant,
    ) -> Result<Vec<RatingOutcome>, WriteFailure> {
        for attempt in 1.. {
            let result = self.write_once(requests, deadline).await;
            if !matches!(result, Err(WriteFailure::Retry(_))) || attempt > RETRIES {
                return result;
            }
            // Random delay, so that two transactions that deadlocked do not collide again.
            sleep(Duration::from_millis(rand::random_range(1..=10) * u64::from(attempt))).await;
        }
        Ok(Vec::new())
    }

    /// After a connection or server error, closes the connection, because the transaction may have been cancelled at
    /// any point, even before the response to BEGIN.
    async fn write_once(
        &self,
        requests: &[RatingRequest],
        deadline: Instant,
    ) -> Result<Vec<RatingOutcome>, WriteFailure> {
        let late = |_| WriteFailure::Lost(timeout_error(BATCH_TIMEOUT));
        let mut connection = timeout_at(deadline, self.pool.acquire()).await.map_err(late)??;
        let written = timeout_at(deadline, self.run_transaction(&mut connection, requests)).await;
        let written = written.map_err(late).and_then(|written| written);
        if matches!(written, Err(WriteFailure::Lost(_))) {
            // Closes the connection without notifying the server, which may be unreachable.
            drop(connection.detach());
        }
        written
    }

    async fn run_transaction(
        &self,
        connection: &mut PgConnection,
        requests: &[RatingRequest],
    ) -> Result<Vec<RatingOutcome>, WriteFailure> {
        let mut transaction = match connection.begin().await {
            Ok(transaction) => transaction,
            // The server may have closed the connection since its last use.
            Err(error) if is_transient_error(&error) => return Err(WriteFailure::Retry(error)),
            Err(error) => return Err(error.into()),
        };
        let written = self.decide_and_write(&mut transaction, requests).await?;
        // After a connection error during the commit, the outcome of the transaction is unknown.
        commit(transaction).await.map_err(|error| match WriteFailure::from(error) {
            WriteFailure::Data(error) => WriteFailure::Lost(error),
            other => other,
        })?;
        let UncommittedBatch { decided, rates, refused, pause_actions, now } = written;
        self.refusals.add(refused, now);
        for action in pause_actions {
            self.metrics.count_pause_action(action);
        }
        let outcome = |(request, decided): (&RatingRequest, Result<(), Refusal>)| {
            decided?;
            let rate = rates.get(&request.pair).cloned().ok_or(Refusal::Unavailable)?;
            Ok(Rating { rating: request.operation.stars().unwrap_or(rate.rating), ..rate })
        };
        Ok(requests.iter().zip(decided).map(outcome).collect())
    }

    /// Does not commit.
    pub async fn decide_and_write(
        &self,
        transaction: &mut PgConnection,
        requests: &[RatingRequest],
    ) -> Result<UncommittedBatch, WriteFailure> {
        let post_ids: BTreeSet<PostId> = requests.iter().map(|request| request.pair.post).collect();
        let LockedPosts { posts, override_version } = read::lock_posts(transaction, &post_ids).await?;
        let rating_limiters = if posts.is_empty() {
            self.limiters.cached_limiters()
        } else {
            self.limiters.limiters_at_version(override_version, transaction).await?
        };
        let authors = posts.iter().map(|(post, locked)| (*post, locked.author)).collect();
        let scores: HashMap<PostId, SteadyScoreState> =
            posts.iter().map(|(post, locked)| (*post, locked.score)).collect();
        let earliest_open_hour = posts.values().filter_map(|post| post.open_hour).min();
        let states = read_limiter_states(transaction, requests, &posts, &rating_limiters).await?;
        // Read after the posts are locked, so that commits of other instances are visible and time does not run
        // backwards. The lock of a row in `rating_totals` also protects the post's limiter state and ratings.
        let pairs: BTreeSet<RatingKey> = requests.iter().map(|request| request.pair).collect();
        let rows = read::read_batch_rows(transaction, &pairs, &self.clock, rating_limiters.has_edit_limit()).await?;
        let days = read_days_to_recompute(transaction, requests, &rows, &scores).await?;
        let scores = BatchScores::new(rating_days::days_since_epoch(rows.now.date_naive()), scores, days);
        let (mut batch, mut rates) = self.batch(authors, scores, states, &rating_limiters, rows);
        let decided = batch.decide_ratings(requests);
        let Batch { changes, states, now, .. } = batch;
        if earliest_open_hour.is_some_and(|hour| hours_since_epoch(hour) < hours_since_epoch(now)) {
            let changed_posts: Vec<i64> = changes.posts.keys().map(|post| post.0).collect();
            HourlyRatings::close_hours(transaction, &changed_posts, now).await?;
        }
        rates.extend(insert::write_ratings(transaction, &changes, now).await?);
        rating_days::write_days(transaction, &changes.days).await?;
        insert::write_pauses(transaction, &changes, now).await?;
        states.store(transaction, now, CHANGE_MEMORY).await?;
        let (refused, pause_actions) = (changes.refused.len(), changes.pause_actions);
        Ok(UncommittedBatch { decided, rates, refused, pause_actions, now })
    }

    fn batch<'a>(
        &'a self,
        authors: HashMap<PostId, UserId>,
        scores: BatchScores,
        states: LockedStates<'a, AnyLimiter>,
        rating_limiters: &'a RatingLimiters,
        rows: BatchRows,
    ) -> (Batch<'a>, HashMap<RatingKey, Rating>) {
        let BatchRows { now, rates, counted_on, pauses, refused, withdrawn, locked_users, erased_users } = rows;
        let existing = |(pair, rate): (&RatingKey, &Rating)| {
            (*pair, ExistingRating { stars: rate.rating, counted_on: counted_on.get(pair).copied() })
        };
        let batch = Batch {
            now,
            authors,
            ratings: rates.iter().map(existing).collect(),
            scores,
            pauses,
            zombie_pauses: self.pauses.is_enabled().then_some(&*self.pauses),
            locked_users,
            erased_users,
            refused,
            withdrawn,
            records_refusals: self.refusals.can_record(now),
            limiters: rating_limiters,
            states,
            changes: BatchChanges::default(),
        };
        (batch, rates)
    }
}

/// Reads the days of posts whose score may have to be recomputed: a rating of an earlier day changes, or a rating is
/// withdrawn.
async fn read_days_to_recompute(
    connection: &mut PgConnection,
    requests: &[RatingRequest],
    rows: &BatchRows,
    scores: &HashMap<PostId, SteadyScoreState>,
) -> sqlx::Result<HashMap<PostId, RatingDays>> {
    let current_day = rating_days::days_since_epoch(rows.now.date_naive());
    let changes_earlier_day = |request: &&RatingRequest| {
        let Some(rating) = rows.rates.get(&request.pair) else { return false };
        match request.operation {
            RatingOperation::Create(_) => false,
            RatingOperation::Change(stars) => {
                let latest_day = scores.get(&request.pair.post).and_then(SteadyScoreState::latest_day);
                let today = latest_day.map_or(i64::MIN, |latest| latest.day).max(current_day);
                stars != rating.rating && rows.counted_on.get(&request.pair).is_some_and(|day| *day < today)
            }
            // The latest day may have no other rating; then an earlier day becomes the latest one.
            RatingOperation::Withdraw => true,
        }
    };
    let posts = requests.iter().filter(changes_earlier_day).map(|request| request.pair.post);
    let states = posts.filter_map(|post| Some((post.0, *scores.get(&post)?))).collect();
    let days = rating_days::read_days(connection, &states).await?;
    Ok(days.into_iter().map(|(post, days)| (PostId(post), days)).collect())
}

/// The locks on the posts also protect the states of their limiters and of the limits on changes.
async fn read_limiter_states<'a>(
    connection: &mut PgConnection,
    requests: &[RatingRequest],
    posts: &HashMap<PostId, LockedPost>,
    rating_limiters: &'a RatingLimiters,
) -> sqlx::Result<LockedStates<'a, AnyLimiter>> {
    let requests = requests.iter().filter(|request| posts.contains_key(&request.pair.post));
    let limits: Vec<_> = requests.flat_map(|request| rating_limiters.limits_for_request(request)).collect();
    // As in BitPin-Blog, the first gap of `ema_original` begins when the post was published. It does not if the site
    // changes to this limiter later, because a gap of years would admit everything.
    let mut initial = BTreeMap::new();
    for (post, locked) in posts.iter().filter(|(_, locked)| locked.open_hour.is_none()) {
        let state = EmaOriginalState::created_at(locked.first_published_at.timestamp_millis());
        let limits = rating_limiters.post_limits(*post);
        for KeyedLimit { key, .. } in limits.filter(|limit| matches!(limit.limit.limiter, AnyLimiter::EmaOriginal(_))) {
            initial.insert(key, serde_json::to_value(state).unwrap_or_default());
        }
    }
    LockedStates::read_under_lock(connection, limits, initial).await
}

pub struct UncommittedBatch {
    decided: Vec<Result<(), Refusal>>,
    rates: HashMap<RatingKey, Rating>,
    /// Number of recorded refusals.
    refused: usize,
    pause_actions: Vec<PauseAction>,
    now: DateTime<Utc>,
}

/// Requests for unlocked posts stay together; the requests for each locked post form a separate part.
fn split_by_post(part: &[usize], requests: &[RatingRequest], free: &BTreeSet<PostId>) -> (Vec<usize>, Vec<Vec<usize>>) {
    let (free, locked): (Vec<usize>, Vec<usize>) =
        part.iter().partition(|index| free.contains(&requests[**index].pair.post));
    let mut by_post: BTreeMap<PostId, Vec<usize>> = BTreeMap::new();
    for index in locked {
        by_post.entry(requests[index].pair.post).or_default().push(index);
    }
    (free, by_post.into_values().collect())
}
