//! Queue of the rating writer, which groups ratings into batches, and retries or splits a batch that fails.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Mutex, OwnedSemaphorePermit, mpsc, oneshot};
use tokio::task::{self, JoinError, JoinSet};
use tokio::time::{Instant, sleep, sleep_until, timeout_at};

use super::batch::Refusal;
use super::transaction::{BATCH_TIMEOUT, BatchWriter, DatabaseFault, RatingOutcome, WriteFailure};
use crate::blog_posts::PostId;
use crate::db::describe_error;
use crate::rate::models::{RatingKey, RatingOperation, RatingRequest};

/// Maximum number of queued ratings. Further ratings are refused with `busy`.
pub const QUEUE_CAPACITY: usize = 4096;

/// Maximum number of ratings per transaction.
const MAX_BATCH: usize = 512;

/// Maximum number of concurrent batches, each of which uses a database connection.
pub const MAX_BATCHES_IN_PROGRESS: u32 = 2;

/// Time after which a second batch may start, because the first batch probably waits for a lock on a post. Ratings that
/// arrive earlier form one larger batch, which costs less than two small batches.
const SLOW_BATCH: Duration = Duration::from_millis(50);

/// Maximum number of retries of a batch, because batches of different instances may deadlock repeatedly.
const RETRIES: u32 = 6;

pub struct Submission {
    pub request: RatingRequest,
    pub queued_at: Instant,
    pub reply: oneshot::Sender<RatingOutcome>,
    /// Position in the queue, released when the rating joins a batch.
    pub place: OwnedSemaphorePermit,
}

pub enum WriterMessage {
    Rate(Submission),
    /// Health check. The response is an error message if ratings cannot be written.
    Probe(oneshot::Sender<Result<(), String>>),
    /// The task ends when the queue is empty.
    Close,
}

/// Runs each batch in a separate task, so that a panic does not end the writer.
///
/// Ratings of posts in an unfinished batch stay queued, so that the ratings of each post are decided in order of
/// arrival.
pub async fn run_batches(writer: Arc<BatchWriter>, messages: Arc<Mutex<mpsc::UnboundedReceiver<WriterMessage>>>) {
    let mut messages = messages.lock().await;
    let (mut queue, mut in_progress) = (Queue::default(), JoinSet::new());
    let mut received = Vec::with_capacity(MAX_BATCH);
    let mut open = true;
    while open || !in_progress.is_empty() {
        let second_batch_at = queue.second_batch_at().filter(|at| *at > Instant::now());
        tokio::select! {
            count = messages.recv_many(&mut received, MAX_BATCH), if open => open = count > 0,
            Some(ended) = in_progress.join_next_with_id() => queue.end(ended),
            () = sleep_until(second_batch_at.unwrap_or_else(Instant::now)), if second_batch_at.is_some() => (),
        }
        for message in received.drain(..) {
            match message {
                WriterMessage::Rate(submission) => queue.submissions.push_back(submission),
                WriterMessage::Probe(reply) => {
                    let writer = Arc::clone(&writer);
                    tokio::spawn(async move { reply.send(writer.probe().await) });
                }
                WriterMessage::Close => messages.close(),
            }
        }
        while queue.may_begin()
            && let Some(batch) = queue.next_batch()
        {
            let posts = batch.iter().map(|submission| submission.request.pair.post).collect();
            let task = in_progress.spawn(Arc::clone(&writer).process_batch(batch));
            queue.begin(task.id(), posts);
        }
        let queued = queue.submissions.len() + messages.len();
        writer.metrics.queued.set(i64::try_from(queued).unwrap_or(i64::MAX));
    }
}

#[derive(Default)]
struct Queue {
    submissions: VecDeque<Submission>,
    in_progress: HashMap<task::Id, BatchInProgress>,
}

struct BatchInProgress {
    begun: Instant,
    posts: BTreeSet<PostId>,
}

impl Queue {
    /// Time at which a second batch may start; `None` unless exactly one batch is in progress.
    fn second_batch_at(&self) -> Option<Instant> {
        let mut batches = self.in_progress.values();
        batches.next().filter(|_| batches.next().is_none()).map(|batch| batch.begun + SLOW_BATCH)
    }

    fn may_begin(&self) -> bool {
        self.in_progress.is_empty() || self.second_batch_at().is_some_and(|at| at <= Instant::now())
    }

    /// Skips posts of an unfinished batch. A withdrawal is the only request of its user and post in a batch, because a
    /// batch writes each rating once.
    fn next_batch(&mut self) -> Option<Vec<Submission>> {
        let busy: BTreeSet<PostId> = self.in_progress.values().flat_map(|batch| &batch.posts).copied().collect();
        let (mut batch, mut rest) = (Vec::new(), VecDeque::with_capacity(self.submissions.len()));
        // `true` if no further request of the pair can join the batch.
        let mut pairs: HashMap<RatingKey, bool> = HashMap::new();
        while let Some(submission) = self.submissions.pop_front() {
            let RatingRequest { pair, operation, .. } = submission.request;
            let is_withdrawal = operation == RatingOperation::Withdraw;
            if batch.len() == MAX_BATCH {
                rest.push_back(submission);
                rest.append(&mut self.submissions);
            } else if busy.contains(&pair.post) {
                rest.push_back(submission);
            } else if let Some(is_closed) = pairs.get_mut(&pair)
                && (*is_closed || is_withdrawal)
            {
                *is_closed = true;
                rest.push_back(submission);
            } else {
                pairs.insert(pair, is_withdrawal);
                batch.push(submission);
            }
        }
        self.submissions = rest;
        Some(batch).filter(|batch| !batch.is_empty())
    }

    fn begin(&mut self, batch: task::Id, posts: BTreeSet<PostId>) {
        self.in_progress.insert(batch, BatchInProgress { begun: Instant::now(), posts });
    }

    fn end(&mut self, ended: Result<(task::Id, ()), JoinError>) {
        let batch = match ended {
            Ok((batch, ())) => batch,
            Err(panic) => {
                tracing::error!(%panic, "panic while writing a batch of ratings");
                panic.id()
            }
        };
        self.in_progress.remove(&batch);
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn second_batch_starts_only_beside_a_slow_batch() {
        let (mut queue, mut tasks) = (Queue::default(), JoinSet::new());
        let mut begin = |queue: &mut Queue| {
            let batch = tasks.spawn(async {}).id();
            queue.begin(batch, BTreeSet::new());
            batch
        };
        let slow_down = |queue: &mut Queue, batch| {
            if let Some(batch) = queue.in_progress.get_mut(&batch) {
                batch.begun -= SLOW_BATCH;
            }
        };
        assert!(queue.may_begin());
        let first = begin(&mut queue);
        assert!(!queue.may_begin());
        slow_down(&mut queue, first);
        assert!(queue.may_begin());
        let second = begin(&mut queue);
        assert!(!queue.may_begin(), "two batches are in progress");
        queue.end(Ok((first, ())));
        assert!(!queue.may_begin(), "the remaining batch is not slow");
        slow_down(&mut queue, second);
        assert!(queue.may_begin());
    }
}
