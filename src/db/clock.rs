//! Current time. In production, it is the time of the database, so that all instances agree. In tests, it is a fixed
//! time that the test advances.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use chrono::{DateTime, TimeDelta, Utc};
use sqlx::PgConnection;

/// Largest backward step of the clock that limiters tolerate, in milliseconds. Zero is sufficient, because all
/// instances read the database clock while they hold the lock of the limiter state. With a larger value, a refused
/// client could be blocked for that much longer.
pub const MAX_BACKWARD_STEP_MS: i64 = 0;

/// Limiter parameters with the value [`MAX_BACKWARD_STEP_MS`]. Depending on the limiter, the parameter is named
/// `max_backward_ms` or `max_backward`.
pub const FIXED_MAX_BACKWARD_PARAMS: [(&str, &str); 2] = [("max_backward_ms", "0"), ("max_backward", "0")];

/// Adds `span` to `time`, saturating at the limits of `DateTime`, where `+` would panic. Used for values from other
/// services or from the database, which may be out of range.
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
    pub fn fixed(now: DateTime<Utc>) -> Self {
        Self::Fixed(Arc::new(AtomicI64::new(now.timestamp_micros())))
    }

    /// Value for an SQL parameter `$now` in `coalesce($now, clock_timestamp())`: `None` for the database clock.
    pub fn now(&self) -> Option<DateTime<Utc>> {
        match self {
            Self::Database => None,
            Self::Fixed(micros) => DateTime::from_timestamp_micros(micros.load(Ordering::SeqCst)),
        }
    }

    /// Returns the current time, which advances during a transaction, unlike `now()` in `PostgreSQL`.
    pub async fn read(&self, connection: &mut PgConnection) -> sqlx::Result<DateTime<Utc>> {
        let now = sqlx::query_scalar!(r#"select coalesce($1, clock_timestamp()) as "now!""#, self.now());
        now.fetch_one(connection).await
    }

    /// Local system time in microseconds since the Unix epoch. Used for decisions in memory, which must be fast and
    /// tolerate differences of about a second between the clocks of the instances.
    #[expect(clippy::disallowed_methods, reason = "the one place that may read it")]
    pub fn local_micros(&self) -> i64 {
        match self {
            Self::Database => Utc::now().timestamp_micros(),
            Self::Fixed(micros) => micros.load(Ordering::SeqCst),
        }
    }

    /// Advances a fixed clock. Does nothing for the database clock.
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
