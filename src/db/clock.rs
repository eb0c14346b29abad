//! The one place that knows the time. In production that is the database's clock, so that all
//! instances agree; in tests a fixed one, moved by hand.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use chrono::{DateTime, TimeDelta, Utc};
use sqlx::PgConnection;

/// How far, in milliseconds, a limiter's clock may run backwards before it counts as set back. None at all: all
/// instances use one clock, and read it under the limiter's lock. A greater value could freeze a refused client for
/// that long.
pub const MAX_BACKWARD_MS: i64 = 0;

/// The same as a fixed value for limiters' parameters, under both names that the parameter has.
pub const MAX_BACKWARD: [(&str, &str); 2] = [("max_backward_ms", "0"), ("max_backward", "0")];

/// `time` plus `span`, limited to the times that can be represented: `+` panics beyond them. For spans and times that come
/// from other services or from the database.
#[must_use]
pub fn saturating_add(time: DateTime<Utc>, span: TimeDelta) -> DateTime<Utc> {
    let limit = if span < TimeDelta::zero() { DateTime::<Utc>::MIN_UTC } else { DateTime::<Utc>::MAX_UTC };
    time.checked_add_signed(span).unwrap_or(limit)
}

/// Where `now` comes from. Clones share the same clock.
#[derive(Clone, Debug, Default)]
pub enum Clock {
    /// The database's `clock_timestamp()`.
    #[default]
    Database,
    /// Microseconds since the Unix epoch, the same for everyone who holds a clone.
    Fixed(Arc<AtomicI64>),
}

impl Clock {
    #[must_use]
    pub fn fixed(now: DateTime<Utc>) -> Self {
        Self::Fixed(Arc::new(AtomicI64::new(now.timestamp_micros())))
    }

    /// The value for an SQL parameter `$now`, to be read as `coalesce($now, clock_timestamp())`.
    #[must_use]
    pub fn now(&self) -> Option<DateTime<Utc>> {
        match self {
            Self::Database => None,
            Self::Fixed(micros) => DateTime::from_timestamp_micros(micros.load(Ordering::SeqCst)),
        }
    }

    /// The time at this moment, not at the start of the transaction.
    pub async fn read(&self, connection: &mut PgConnection) -> sqlx::Result<DateTime<Utc>> {
        let now = sqlx::query_scalar!(r#"select coalesce($1, clock_timestamp()) as "now!""#, self.now());
        now.fetch_one(connection).await
    }

    /// This machine's own time in microseconds since the Unix epoch. It is for decisions in memory: there, asking the
    /// database would cost more than it is worth, and instances need not agree to the second.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "the one place that may read it")]
    pub fn local_micros(&self) -> i64 {
        match self {
            Self::Database => Utc::now().timestamp_micros(),
            Self::Fixed(micros) => micros.load(Ordering::SeqCst),
        }
    }

    /// Moves a fixed clock; the database's cannot be moved.
    pub fn advance(&self, by: TimeDelta) {
        if let Self::Fixed(micros) = self {
            micros.fetch_add(by.num_microseconds().unwrap_or(0), Ordering::SeqCst);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_times_and_spans_saturate() {
        let now = DateTime::from_timestamp(1_790_000_000, 0).unwrap();
        assert_eq!(saturating_add(now, TimeDelta::seconds(5)), now + TimeDelta::seconds(5));
        assert_eq!(saturating_add(now, TimeDelta::MAX), DateTime::<Utc>::MAX_UTC);
        assert_eq!(saturating_add(now, TimeDelta::MIN), DateTime::<Utc>::MIN_UTC);
    }
}
