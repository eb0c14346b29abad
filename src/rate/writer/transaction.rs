//! Transaction that writes a batch of ratings.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, MutexGuard, PoisonError};
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use sqlx::error::DatabaseError;
use sqlx::{Connection as _, PgConnection, PgPool};
use tokio::time::{Instant, timeout_at};

use super::batch::{Batch, BatchChanges, BatchRows, BatchScores, Refusal};
use super::statements::{self, LockedPost};
use crate::blog_posts::PostId;
use crate::db::clock::Clock;
use crate::db::limiter_states::{KeyedLimit, LockedStates};
use crate::db::{Availability, commit, is_transient_error, timeout_error};
use crate::rate::limiter::overrides::ActiveLimiterCache;
use crate::rate::limiter::{HourlyRefusalCounter, RatingLimiters};
use crate::rate::models::{Rating, RatingKey, RatingOperation, RatingRequest};
use crate::rate::zombie_pauses::ZombiePauses;
use crate::score::hourly_ratings::{HourlyRatings, hours_since_epoch};
use crate::score::rating_days;
use evenkeel_limiters::{AnyLimiter, EmaOriginalState, PauseAction, SteadyScoreState};

/// A user who withdraws a rating and rates the post again within this time counts only once in the limiter of the post.
const CHANGE_MEMORY: TimeDelta = TimeDelta::days(30);

/// Time limit of a batch, and maximum time that a request may be queued.
pub const BATCH_TIMEOUT: Duration = Duration::from_secs(3);

pub type RatingOutcome = Result<Rating, Refusal>;

pub struct BatchWriter {
    pub pool: PgPool,
    pub availability: Availability,
    pub clock: Clock,
    pub limiters: Arc<ActiveLimiterCache>,
    pub pauses: Arc<ZombiePauses>,
    pub refusals: HourlyRefusalCounter,
    /// Last database error; `None` after a health check has shown that ratings can be written.
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
    /// After a connection or server error, closes the connection, because the transaction may have been cancelled at
    /// any point, even before the response to BEGIN.
    pub async fn write_once(
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

    /// Decides and writes a batch. The caller commits the transaction.
    pub async fn decide_and_write(
        &self,
        transaction: &mut PgConnection,
        requests: &[RatingRequest],
    ) -> Result<UncommittedBatch, WriteFailure> {
        let post_ids: BTreeSet<PostId> = requests.iter().map(|request| request.pair.post).collect();
        let posts = statements::lock_posts(transaction, &post_ids).await?;
        let limiters = match posts.values().next() {
            Some(post) => self.limiters.limiters_at_version(post.override_version, transaction).await?,
            None => self.limiters.cached_limiters(),
        };
        let states = read_limiter_states(transaction, requests, &posts, &limiters).await?;
        // Reads the rows after the posts are locked, so that commits of other instances are visible and time does not
        // run backwards. The lock of a row in `rating_totals` also protects the post's limiter state and ratings.
        let pairs: BTreeSet<RatingKey> = requests.iter().map(|request| request.pair).collect();
        let has_edit_limit = limiters.has_edit_limit();
        let (rows, mut rates) = statements::read_batch_rows(transaction, &pairs, &self.clock, has_edit_limit).await?;
        let now = rows.now;
        let mut batch = Batch {
            scores: read_scores(transaction, requests, &rows, &posts).await?,
            authors: posts.iter().map(|(post, locked)| (*post, locked.author_id)).collect(),
            closed_posts: posts.iter().filter(|(_, locked)| !locked.accepts_ratings).map(|(post, _)| *post).collect(),
            zombie_pauses: self.pauses.is_enabled().then_some(&*self.pauses),
            records_refusals: self.refusals.can_record(now),
            limiters: &limiters,
            states,
            rows,
            changes: BatchChanges::default(),
        };
        let decided = batch.decide_ratings(requests);
        let Batch { changes, states, .. } = batch;
        let mut open_hours = posts.values().filter_map(|post| post.open_hour);
        if open_hours.any(|hour| hours_since_epoch(hour) < hours_since_epoch(now)) {
            let changed_posts: Vec<i64> = changes.posts.keys().map(|post| post.0).collect();
            HourlyRatings::close_hours(transaction, &changed_posts, now).await?;
        }
        rates.extend(statements::write_ratings(transaction, &changes, now).await?);
        rating_days::write_days(transaction, &changes.days).await?;
        statements::write_pauses(transaction, &changes, now).await?;
        states.store(transaction, now, CHANGE_MEMORY).await?;
        let (refused, pause_actions) = (changes.refused.len(), changes.pause_actions);
        Ok(UncommittedBatch { decided, rates, refused, pause_actions, now })
    }

    pub fn lock_last_fault(&self) -> MutexGuard<'_, Option<DatabaseFault>> {
        self.last_fault.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reads the days of posts whose score may have to be recomputed: a rating of an earlier day changes, or a rating is
/// withdrawn.
async fn read_scores(
    connection: &mut PgConnection,
    requests: &[RatingRequest],
    rows: &BatchRows,
    posts: &HashMap<PostId, LockedPost>,
) -> sqlx::Result<BatchScores> {
    let current_day = rating_days::days_since_epoch(rows.now.date_naive());
    let scores: HashMap<PostId, SteadyScoreState> =
        posts.iter().map(|(post, locked)| (*post, locked.score())).collect();
    let changes_earlier_day = |request: &&RatingRequest| {
        let Some(rating) = rows.ratings.get(&request.pair) else { return false };
        match request.operation {
            RatingOperation::Create(_) => false,
            RatingOperation::Change(stars) => {
                let latest_day = scores.get(&request.pair.post).and_then(SteadyScoreState::latest_day);
                let today = latest_day.map_or(i64::MIN, |latest| latest.day).max(current_day);
                stars != rating.stars && rating.counted_on.is_some_and(|day| day < today)
            }
            // A withdrawal may remove the only rating of the latest day, so that an earlier day becomes the latest day.
            RatingOperation::Withdraw => true,
        }
    };
    let changed = requests.iter().filter(changes_earlier_day).map(|request| request.pair.post);
    let states = changed.filter_map(|post| Some((post.0, *scores.get(&post)?))).collect();
    let days = rating_days::read_days(connection, &states).await?;
    let days = days.into_iter().map(|(post, days)| (PostId(post), days)).collect();
    Ok(BatchScores::new(current_day, scores, days))
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
    // As in BitPin-Blog, the first gap of `ema_original` begins when the post was published, but not if the site
    // selects the limiter later, because a gap of years would admit everything.
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

/// Database error, classified by how the transaction can be retried.
#[derive(Debug)]
pub enum WriteFailure {
    /// Nothing was written: the whole transaction may be retried.
    Retry(sqlx::Error),
    /// Nothing was written: a row lock was not released in time.
    Locked(sqlx::Error),
    /// Nothing was written: the data of a single rating may have caused the failure.
    Data(sqlx::Error),
    /// The outcome of the commit is unknown.
    Lost(sqlx::Error),
}

impl From<sqlx::Error> for WriteFailure {
    fn from(error: sqlx::Error) -> Self {
        const DEADLOCK: &str = "40P01";
        const SERIALIZATION: &str = "40001";
        const LOCK_NOT_AVAILABLE: &str = "55P03";
        // SQLSTATE classes of errors that a single rating can cause: cardinality, data, constraints, views, limits,
        // triggers, damaged pages. Others concern the connection or the server, such as 25006 (read-only transaction).
        const OF_A_ROW: [&str; 7] = ["21", "22", "23", "44", "54", "P0", "XX"];
        let code = error.as_database_error().and_then(DatabaseError::code).map(Cow::into_owned);
        match code.as_deref() {
            Some(DEADLOCK | SERIALIZATION) => Self::Retry(error),
            Some(LOCK_NOT_AVAILABLE) => Self::Locked(error),
            Some(code) if OF_A_ROW.iter().any(|class| code.starts_with(class)) => Self::Data(error),
            _ => Self::Lost(error),
        }
    }
}
const SIZES: [f64; 10] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0];
const SECONDS: [f64; 11] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 3.0];

#[derive(Debug)]
pub struct WriterMetrics {
    /// Number of ratings that are not part of a batch yet.
    pub queued: Gauge,
    pub batch_size: Histogram,
    pub batch_seconds: Histogram,
    /// Number of ratings that were not written because their transaction failed.
    pub failed: Counter,
    /// Number of pause actions by the label `action`: `paused`, `repaused` or `grace`.
    pub pauses: Family<[(&'static str, &'static str); 1], Counter>,
}

const PAUSE_ACTIONS: [&str; 3] = ["paused", "repaused", "grace"];

impl Default for WriterMetrics {
    fn default() -> Self {
        let pauses = Family::<[(&'static str, &'static str); 1], Counter>::default();
        for action in PAUSE_ACTIONS {
            // Counters start at 0, so that the first pause is an increase.
            drop(pauses.get_or_create(&[("action", action)]));
        }
        Self {
            queued: Gauge::default(),
            batch_size: Histogram::new(SIZES),
            batch_seconds: Histogram::new(SECONDS),
            failed: Counter::default(),
            pauses,
        }
    }
}

impl WriterMetrics {
    #[expect(clippy::cast_precision_loss, reason = "a batch has at most some hundred ratings")]
    pub fn observe_batch(&self, ratings: usize, took: Duration) {
        self.batch_size.observe(ratings as f64);
        self.batch_seconds.observe(took.as_secs_f64());
    }

    pub fn count_pause_action(&self, action: PauseAction) {
        let [paused, repaused, grace] = PAUSE_ACTIONS;
        let action = match action {
            PauseAction::Paused => paused,
            PauseAction::Repaused => repaused,
            PauseAction::Grace => grace,
            PauseAction::None | PauseAction::AlreadyPaused | PauseAction::Reset => return,
        };
        self.pauses.get_or_create(&[("action", action)]).inc();
    }
}

#[cfg(test)]
mod tests {
    use std::error::Error;

    use sqlx::error::ErrorKind;

    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("{0}")]
    struct ServerError(&'static str);

    impl DatabaseError for ServerError {
        fn message(&self) -> &str {
            self.0
        }

        fn code(&self) -> Option<Cow<'_, str>> {
            Some(self.0.into())
        }

        fn kind(&self) -> ErrorKind {
            ErrorKind::Other
        }

        fn as_error(&self) -> &(dyn Error + Send + Sync + 'static) {
            self
        }

        fn as_error_mut(&mut self) -> &mut (dyn Error + Send + Sync + 'static) {
            self
        }

        fn into_error(self: Box<Self>) -> Box<dyn Error + Send + Sync + 'static> {
            self
        }
    }

    #[test]
    fn errors_of_the_server_do_not_split_a_batch() {
        let failure = |code| WriteFailure::from(sqlx::Error::Database(Box::new(ServerError(code))));
        // Read-only after a failover, shutdown, too many connections, disk full.
        for code in ["25006", "57P01", "53300", "53100"] {
            assert!(matches!(failure(code), WriteFailure::Lost(_)), "{code}");
        }
        for code in ["23503", "22003", "P0001"] {
            assert!(matches!(failure(code), WriteFailure::Data(_)), "{code}");
        }
        assert!(matches!(failure("40P01"), WriteFailure::Retry(_)));
        assert!(matches!(failure("55P03"), WriteFailure::Locked(_)));
        assert!(matches!(WriteFailure::from(sqlx::Error::PoolTimedOut), WriteFailure::Lost(_)));
    }
}
