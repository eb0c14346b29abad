//! Current time: the time of the database, so that all instances agree; in tests, a fixed time.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use chrono::{DateTime, TimeDelta, Utc};
use sqlx::PgConnection;

/// Largest backward step of the clock that limiters tolerate, in milliseconds. Zero is sufficient, because instances
/// read the database clock while they hold the lock of the limiter state.
pub const MAX_BACKWARD_STEP_MS: i64 = 0;

/// Limiter parameters for [`MAX_BACKWARD_STEP_MS`]. The name of the parameter depends on the limiter.
pub const FIXED_MAX_BACKWARD_PARAMS: [(&str, &str); 2] = [("max_backward_ms", "0"), ("max_backward", "0")];

/// Saturates at the limits of `DateTime`, where `+` would panic: values from other services may be out of range.
pub fn saturating_add(time: DateTime<Utc>, span: TimeDelta) -> DateTime<Utc> {
    let limit = if span < TimeDelta::zero() { DateTime::<Utc>::MIN_UTC } else { DateTime::<Utc>::MAX_UTC };
    time.checked_add_signed(span).unwrap_or(limit)
}

#[derive(Clone, Debug, Default)]
pub enum Clock {
    #[default]
    Database,
    /// Microseconds since the Unix epoch.
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

    /// Current time, which advances during a transaction, unlike `now()` in `PostgreSQL`.
    pub async fn read(&self, connection: &mut PgConnection) -> sqlx::Result<DateTime<Utc>> {
        let now = sqlx::query_scalar!(r#"select coalesce($1, clock_timestamp()) as "now!""#, self.now());
        now.fetch_one(connection).await
    }

    /// System time in microseconds since the Unix epoch, for decisions in memory, which must be fast and tolerate
    /// differences of about a second between instances.
    #[expect(clippy::disallowed_methods, reason = "only the clock reads the system time")]
    pub fn local_micros(&self) -> i64 {
        match self {
            Self::Database => Utc::now().timestamp_micros(),
            Self::Fixed(micros) => micros.load(Ordering::SeqCst),
        }
    }

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
