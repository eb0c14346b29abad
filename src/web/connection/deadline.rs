//! Deadlines of requests and connections, so that neither an unresponsive database nor a vanished client blocks a
//! request forever.

use std::cell::Cell;
use std::future::poll_fn;
use std::pin::pin;
use std::rc::Rc;
use std::task::Poll;
use std::time::Duration;

use actix_web::{HttpMessage as _, HttpRequest};
use tokio::time::{Instant, sleep_until};

/// Maximum time from a request's arrival, or the last byte of its body, to the response.
const WORK_TIMEOUT: Duration = Duration::from_secs(8);

/// Time limits for receiving a request body and for processing the request.
#[derive(Clone, Copy, Debug)]
pub struct TimeLimits {
    /// Maximum time from the first to the last byte of the body. Needed because actix has no timeout for request
    /// bodies.
    pub body: Duration,
    /// Maximum time from the last byte of the body to the response.
    pub work: Duration,
}

/// Time limits of all requests except forms with file uploads.
pub const REQUEST_TIME_LIMITS: TimeLimits = TimeLimits { body: Duration::from_secs(10), work: WORK_TIMEOUT };

/// Deadline that can be moved while work is in progress. All clones share the same value.
#[derive(Clone, Debug)]
pub struct Deadline(Rc<Cell<Option<Instant>>>);

impl Deadline {
    /// Creates a deadline without a time limit, to be set later.
    #[must_use]
    pub fn unlimited() -> Self {
        Self(Rc::default())
    }

    pub fn set(&self, at: Option<Instant>) {
        self.0.set(at);
    }

    /// Creates the deadline of a request that has just arrived.
    #[must_use]
    pub fn for_new_request() -> Self {
        let deadline = Self::unlimited();
        deadline.finish_body(REQUEST_TIME_LIMITS);
        deadline
    }

    /// Returns the deadline stored in the request's extensions.
    #[must_use]
    pub fn for_request(request: &HttpRequest) -> Option<Self> {
        request.extensions().get::<Self>().cloned()
    }

    /// Extends the deadline when the body begins to arrive: the body gets its own time in addition to the processing
    /// time.
    pub fn begin_body(&self, times: TimeLimits) {
        self.set(Some(Instant::now() + times.body + times.work));
    }

    pub fn finish_body(&self, times: TimeLimits) {
        self.set(Some(Instant::now() + times.work));
    }

    /// Runs `work` until the deadline. Returns `None` if the deadline has passed.
    pub async fn run_until_deadline<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        let mut work = pin!(work);
        // If no deadline is set yet, any time will do: the alarm is polled only while a deadline is set, and is reset
        // to it first.
        let first = self.0.get().unwrap_or_else(|| Instant::now() + WORK_TIMEOUT);
        let mut alarm = pin!(sleep_until(first));
        poll_fn(|context| {
            if let Poll::Ready(done) = work.as_mut().poll(context) {
                return Poll::Ready(Some(done));
            }
            // The deadline is reloaded after every poll because `work` may have moved it.
            let Some(at) = self.0.get() else { return Poll::Pending };
            if alarm.deadline() != at {
                alarm.as_mut().reset(at);
            }
            alarm.as_mut().poll(context).map(|()| None)
        })
        .await
    }
}
