//! Queue of the rating writer, which groups ratings into batches.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Mutex, mpsc, oneshot};
use tokio::task::{self, JoinError, JoinSet};
use tokio::time::{Instant, sleep_until};

use super::submission::Submission;
use super::transaction::BatchWriter;
use crate::blog_posts::PostId;
use crate::rate::models::{RatingKey, RatingOperation, RatingRequest};

/// Further ratings are refused with `busy`.
pub const QUEUE_CAPACITY: usize = 4096;

/// Ratings per transaction.
const MAX_BATCH: usize = 512;

/// Each batch uses a database connection.
pub const MAX_BATCHES_IN_PROGRESS: u32 = 2;

/// After this time, a second batch may start: the first one probably waits for a lock on a post. Until then, arriving
/// ratings form one larger batch, which costs less than two small ones.
const SLOW_BATCH: Duration = Duration::from_millis(50);

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
    /// `None` unless exactly one batch is in progress.
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
