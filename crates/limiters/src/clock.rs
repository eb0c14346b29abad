//! System clock, and a fake clock for tests.

use alloc::sync::Arc;
#[cfg(feature = "std")]
use core::sync::atomic::{AtomicI64, Ordering};
#[cfg(feature = "std")]
use std::time::{Duration, SystemTime};

use crate::Timestamp;

/// Source of the time of events.
pub trait Clock {
    /// Current time, which is the time of an event that happens now.
    fn now(&self) -> Timestamp;
}

impl<C: Clock + ?Sized> Clock for &C {
    fn now(&self) -> Timestamp {
        (**self).now()
    }
}

impl<C: Clock + ?Sized> Clock for Arc<C> {
    fn now(&self) -> Timestamp {
        (**self).now()
    }
}

/// Wall clock of the operating system. Limiters tolerate backward steps of this clock.
#[cfg(feature = "std")]
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

#[cfg(feature = "std")]
impl Clock for SystemClock {
    #[inline]
    #[expect(clippy::disallowed_methods, reason = "the only place of the crate that reads a clock")]
    fn now(&self) -> Timestamp {
        SystemTime::now().into()
    }
}

/// Fake clock for tests, which changes only when a test sets or advances it. Clones share one time.
///
/// ```
/// use std::time::Duration;
///
/// use evenkeel_limiters::{FakeClock, LeakyBucket, RateLimiter};
///
/// let clock = FakeClock::default();
/// let limiter = RateLimiter::new(LeakyBucket::per_second(1).build()?, 100).with_clock(clock.clone());
/// assert!(limiter.check("ann").allowed);
/// assert!(!limiter.check("ann").allowed);
/// clock.advance(Duration::from_secs(1));
/// assert!(limiter.check("ann").allowed);
/// # Ok::<(), evenkeel_limiters::InvalidParameter>(())
/// ```
#[cfg(feature = "std")]
#[derive(Clone, Debug, Default)]
pub struct FakeClock(Arc<AtomicI64>);

#[cfg(feature = "std")]
impl FakeClock {
    /// Creates a clock that is set to `time`. The default clock is set to the Unix epoch.
    #[must_use]
    pub fn new(time: Timestamp) -> Self {
        Self(Arc::new(AtomicI64::new(time.unix_millis())))
    }

    /// Sets the clock to `time`, which may be earlier than the current time of the clock.
    pub fn set(&self, time: Timestamp) {
        self.0.store(time.unix_millis(), Ordering::SeqCst);
    }

    /// Moves the clock forward by whole milliseconds.
    pub fn advance(&self, duration: Duration) {
        let later = |millis| Timestamp::from_unix_millis(millis).saturating_add(duration).unix_millis();
        self.0.update(Ordering::SeqCst, Ordering::SeqCst, later);
    }
}

#[cfg(feature = "std")]
impl Clock for FakeClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_unix_millis(self.0.load(Ordering::SeqCst))
    }
}
