//! Rating writer: the only code that writes the ratings of requests.
//!
//! A background task writes all queued ratings in one transaction, and responses are sent after the commit. A popular
//! post costs one row lock per batch, and a client that disconnects cannot interrupt a transaction.

mod batch;
mod probe;
mod queue;
mod statements;
pub(crate) mod transaction;

use std::sync::Arc;

use sqlx::PgPool;
use tokio::sync::{Mutex, Semaphore, mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time::Instant;

use self::batch::Refusal;
pub use self::queue::MAX_BATCHES_IN_PROGRESS;
use self::queue::{QUEUE_CAPACITY, Submission, WriterMessage, run_batches};
use self::transaction::{BatchWriter, WriterMetrics};
use super::limiter::HourlyRefusalCounter;
use super::limiter::overrides::ActiveLimiterCache;
use super::models::{Rating, RatingKey, RatingOperation, RatingRequest};
use super::zombie_pauses::ZombiePauses;
use crate::background_tasks::{BackgroundTasks, Backoff};
use crate::limiter_decisions::{DecisionCounters, ProtectedResource};
use crate::rate::error::RateError;
use crate::web::error::AppError;
use crate::web::state::CoreState;

pub struct RatingWriter {
    queue: mpsc::UnboundedSender<WriterMessage>,
    permits: Arc<Semaphore>,
    pauses: Arc<ZombiePauses>,
    decisions: Arc<DecisionCounters>,
    metrics: Arc<WriterMetrics>,
}

impl RatingWriter {
    /// `pool` should be exclusive to the writer, so that read queries cannot starve it. The join handle completes after
    /// [`Self::close`], when all queued ratings are written.
    pub fn start(
        state: &CoreState,
        pool: PgPool,
        active_limiters: &Arc<ActiveLimiterCache>,
        pauses: &Arc<ZombiePauses>,
        decisions: &Arc<DecisionCounters>,
        background: &BackgroundTasks,
    ) -> (Self, JoinHandle<()>) {
        let (queue, submissions) = mpsc::unbounded_channel();
        let metrics = Arc::<WriterMetrics>::default();
        let writer = BatchWriter {
            pool,
            availability: state.availability.clone(),
            clock: state.clock.clone(),
            limiters: active_limiters.clone(),
            pauses: pauses.clone(),
            refusals: HourlyRefusalCounter::default(),
            last_fault: std::sync::Mutex::default(),
            metrics: metrics.clone(),
        };
        let writer = Arc::new(writer);
        // The receiver lives outside of the task, so that queued ratings survive a restart of the task.
        let submissions = Arc::new(Mutex::new(submissions));
        let run = move || run_batches(Arc::clone(&writer), Arc::clone(&submissions));
        let task = background.start("write_ratings", Backoff::FAST_RESTARTS, run);
        let permits = Arc::new(Semaphore::new(QUEUE_CAPACITY));
        (Self { queue, permits, pauses: pauses.clone(), decisions: decisions.clone(), metrics }, task)
    }

    pub fn metrics(&self) -> &WriterMetrics {
        &self.metrics
    }

    /// Refuses new ratings with `busy`. The task ends after it has written the queued ratings.
    pub fn close(&self) {
        self.permits.close();
        // Sending fails only if the task has already ended.
        let _ = self.queue.send(WriterMessage::Close);
    }

    /// Returns the new or the withdrawn rating. After the error `unavailable`, the rating may have been committed.
    pub async fn submit(&self, operation: RatingOperation, pair: RatingKey) -> Result<Rating, AppError> {
        let outcome = self.enqueue(RatingRequest { operation, pair }).await;
        self.count(operation, &outcome);
        outcome
    }

    async fn enqueue(&self, request: RatingRequest) -> Result<Rating, AppError> {
        let permit = self.permits.clone().try_acquire_owned().map_err(|_| AppError::Busy)?;
        let (reply, outcome) = oneshot::channel();
        let submission = Submission { request, queued_at: Instant::now(), reply, place: permit };
        self.queue.send(WriterMessage::Rate(submission)).map_err(|_| AppError::Busy)?;
        // The channel closes without an outcome if the batch panicked.
        let outcome = outcome.await.unwrap_or(Err(Refusal::Unavailable));
        outcome.map_err(|refusal| self.error(refusal, request.pair))
    }

    fn error(&self, refusal: Refusal, pair: RatingKey) -> AppError {
        match refusal {
            Refusal::NotFound => AppError::NotFound,
            Refusal::NotRated => RateError::NotRated.into(),
            Refusal::OwnPost => RateError::OwnPost.into(),
            Refusal::RatingsClosed => RateError::RatingsClosed.into(),
            Refusal::AlreadyRated => RateError::AlreadyRated.into(),
            Refusal::RateLimited { retry_after } => RateError::PostRateLimited { retry_after }.into(),
            Refusal::EditLimited { retry_after } => RateError::EditLimited { retry_after }.into(),
            Refusal::Paused(pause) => self.pauses.error(pair, pause),
            Refusal::Busy => AppError::Busy,
            // The error omits the cause, which was logged once for the whole batch.
            Refusal::Unavailable => AppError::Unavailable(None),
        }
    }

    pub async fn check_ready(&self) -> Result<(), String> {
        if self.permits.available_permits() == 0 {
            return Err("the rating queue is full".to_owned());
        }
        let (reply, outcome) = oneshot::channel();
        let no_response = || "the rating writer does not respond".to_owned();
        self.queue.send(WriterMessage::Probe(reply)).map_err(|_| no_response())?;
        outcome.await.unwrap_or_else(|_| Err(no_response()))
    }

    fn count(&self, operation: RatingOperation, outcome: &Result<Rating, AppError>) {
        let is_paused = |error: &AppError| matches!(error.downcast_ref(), Some(RateError::Paused { .. }));
        if self.pauses.is_enabled() {
            let is_admitted = !outcome.as_ref().is_err_and(is_paused);
            self.decisions.count_decision(ProtectedResource::Pause, is_admitted);
        }
        let (post, edit) = match outcome.as_ref().map_err(AppError::downcast_ref) {
            Ok(_) => (Some(true), operation.is_edit().then_some(true)),
            Err(Some(RateError::PostRateLimited { .. })) => (Some(false), None),
            Err(Some(RateError::EditLimited { .. })) => (None, Some(false)),
            Err(_) => (None, None),
        };
        for (resource, decision) in [(ProtectedResource::Post, post), (ProtectedResource::Edit, edit)] {
            if let Some(is_admitted) = decision {
                self.decisions.count_decision(resource, is_admitted);
            }
        }
    }
}
