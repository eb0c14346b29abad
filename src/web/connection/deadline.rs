//! How long a request or a connection may take. A database that swallows packets never answers, and neither does a
//! client that is gone: without a deadline we would wait for ever.

use std::cell::Cell;
use std::future::poll_fn;
use std::pin::pin;
use std::rc::Rc;
use std::task::Poll;
use std::time::Duration;

use actix_web::{HttpMessage as _, HttpRequest};
use tokio::time::{Instant, sleep_until};

/// From a request's arrival, or the last byte of its body, to the answer.
const WORK_TIMEOUT: Duration = Duration::from_secs(8);

/// How long a body may take to come, and the work after it.
#[derive(Clone, Copy, Debug)]
pub struct Times {
    /// From the first byte of the body to the last. actix itself would wait for ever.
    pub body: Duration,
    /// From the last byte of the body to the answer.
    pub work: Duration,
}

/// Those of all requests but forms with files.
pub const TIMES: Times = Times { body: Duration::from_secs(10), work: WORK_TIMEOUT };

/// The time by which something has to be done. Clones share it: setting one sets all.
#[derive(Clone, Debug)]
pub struct Deadline(Rc<Cell<Option<Instant>>>);

impl Deadline {
    /// A deadline that is not set yet: until then there is no limit.
    #[must_use]
    pub fn none() -> Self {
        Self(Rc::default())
    }

    pub fn set(&self, at: Option<Instant>) {
        self.0.set(at);
    }

    /// For a request that has just arrived.
    #[must_use]
    pub fn start() -> Self {
        let deadline = Self::none();
        deadline.end_body(TIMES);
        deadline
    }

    /// The deadline that was left on this request.
    #[must_use]
    pub fn of(request: &HttpRequest) -> Option<Self> {
        request.extensions().get::<Self>().cloned()
    }

    /// The body begins to arrive. It has its own time, and the work after it still has all of its time.
    pub fn begin_body(&self, times: Times) {
        self.set(Some(Instant::now() + times.body + times.work));
    }

    pub fn end_body(&self, times: Times) {
        self.set(Some(Instant::now() + times.work));
    }

    /// `None` when the time is over before `work` is done.
    pub async fn limit<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        let mut work = pin!(work);
        let mut alarm = pin!(sleep_until(Instant::now() + WORK_TIMEOUT));
        poll_fn(|context| {
            if let Poll::Ready(done) = work.as_mut().poll(context) {
                return Poll::Ready(Some(done));
            }
            // Read again after every poll: the work may have moved the deadline.
            let Some(at) = self.0.get() else { return Poll::Pending };
            if alarm.deadline() != at {
                alarm.as_mut().reset(at);
            }
            alarm.as_mut().poll(context).map(|()| None)
        })
        .await
    }
}
