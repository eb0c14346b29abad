//! Current time: the database clock in production, so that all instances agree; a fixed clock that is advanced manually
//! in tests.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use chrono::{DateTime, TimeDelta, Utc};
use sqlx::PgConnection;

/// Tolerated backward step of a limiter's clock, in milliseconds. Zero, because all instances read the database clock
/// under the limiter's lock. A larger value could block a refused client for that long.
pub const MAX_BACKWARD_MS: i64 = 0;

/// [`MAX_BACKWARD_MS`] as fixed limiter parameters, under both parameter names that limiters use.
pub const FIXED_MAX_BACKWARD: [(&str, &str); 2] = [("max_backward_ms", "0"), ("max_backward", "0")];

/// Adds `span` to `time`, saturating at the limits of `DateTime`, where `+` would panic. For values from other services
/// or from the database.
#[must_use]
pub fn saturating_add(time: DateTime<Utc>, span: TimeDelta) -> DateTime<Utc> {
    let limit = if span < TimeDelta::zero() { DateTime::<Utc>::MIN_UTC } else { DateTime::<Utc>::MAX_UTC };
    time.checked_add_signed(span).unwrap_or(limit)
}

/// Source of the current time. Clones share the same clock.
#[derive(Clone, Debug, Default)]
pub enum Clock {
    #[default]
    Database,
    /// Microseconds since the Unix epoch, shared by all clones.
    Fixed(Arc<AtomicI64>),
}

impl Clock {
    #[must_use]
    pub fn fixed(now: DateTime<Utc>) -> Self {
        Self::Fixed(Arc::new(AtomicI64::new(now.timestamp_micros())))
    }

    /// Value for an SQL parameter `$now` in `coalesce($now, clock_timestamp())`: `None` for the database clock.
    #[must_use]
    pub fn now(&self) -> Option<DateTime<Utc>> {
        match self {
            Self::Database => None,
            Self::Fixed(micros) => DateTime::from_timestamp_micros(micros.load(Ordering::SeqCst)),
        }
    }

    /// Returns the current time, not the start time of the transaction.
    pub async fn read(&self, connection: &mut PgConnection) -> sqlx::Result<DateTime<Utc>> {
        let now = sqlx::query_scalar!(r#"select coalesce($1, clock_timestamp()) as "now!""#, self.now());
        now.fetch_one(connection).await
    }

    /// Local system time in microseconds since the Unix epoch. For decisions in memory, where a round trip to the
    /// database would cost too much and instances may differ by a second.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "the one place that may read it")]
    pub fn local_micros(&self) -> i64 {
        match self {
            Self::Database => Utc::now().timestamp_micros(),
            Self::Fixed(micros) => micros.load(Ordering::SeqCst),
        }
    }

    /// Does nothing for the database clock.
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
    fn saturating_add_saturates() {
        let now = DateTime::from_timestamp(1_790_000_000, 0).unwrap();
        assert_eq!(saturating_add(now, TimeDelta::seconds(5)), now + TimeDelta::seconds(5));
        assert_eq!(saturating_add(now, TimeDelta::MAX), DateTime::<Utc>::MAX_UTC);
        assert_eq!(saturating_add(now, TimeDelta::MIN), DateTime::<Utc>::MIN_UTC);
    }
}
