//! Timestamps in whole milliseconds since the Unix epoch.

use core::time::Duration;
#[cfg(feature = "std")]
use std::time::{SystemTime, UNIX_EPOCH};

/// A point in time, in whole milliseconds since the Unix epoch. Times before the epoch are negative.
///
/// The operations saturate at [`MIN`](Self::MIN) and [`MAX`](Self::MAX), so they never panic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

impl Timestamp {
    /// Earliest time.
    pub const MIN: Self = Self(i64::MIN);

    /// Latest time.
    pub const MAX: Self = Self(i64::MAX);

    /// Creates a time from milliseconds since the Unix epoch.
    #[must_use]
    #[inline]
    pub const fn from_unix_millis(millis: i64) -> Self {
        Self(millis)
    }

    /// Milliseconds since the Unix epoch.
    #[must_use]
    #[inline]
    pub const fn unix_millis(self) -> i64 {
        self.0
    }

    /// Adds a duration, of which only whole milliseconds count.
    #[must_use]
    pub fn saturating_add(self, duration: Duration) -> Self {
        Self(self.0.saturating_add(whole_millis(duration)))
    }

    /// Time since `earlier`; zero if `earlier` is later.
    #[must_use]
    pub fn saturating_duration_since(self, earlier: Self) -> Duration {
        duration_from_millis(self.0.saturating_sub(earlier.0))
    }
}

#[cfg(feature = "std")]
impl From<SystemTime> for Timestamp {
    fn from(time: SystemTime) -> Self {
        match time.duration_since(UNIX_EPOCH) {
            Ok(since) => Self(whole_millis(since)),
            Err(before) => Self(whole_millis(before.duration()).saturating_neg()),
        }
    }
}

fn whole_millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

/// Converts milliseconds to a duration. Negative numbers are zero, and `i64::MAX` means forever: [`Duration::MAX`].
#[inline]
pub(crate) const fn duration_from_millis(millis: i64) -> Duration {
    match millis {
        i64::MAX => Duration::MAX,
        ..=0 => Duration::ZERO,
        _ => Duration::from_millis(millis.cast_unsigned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arithmetic_saturates() {
        let time = Timestamp::from_unix_millis(1_000);
        assert_eq!(time.saturating_add(Duration::from_micros(1_999)).unix_millis(), 1_001);
        assert_eq!(time.saturating_add(Duration::MAX), Timestamp::MAX);
        assert_eq!(Timestamp::MAX.saturating_duration_since(time), Duration::from_millis(i64::MAX as u64 - 1_000));
        assert_eq!(Timestamp::MAX.saturating_duration_since(Timestamp::MIN), Duration::MAX);
        assert_eq!(time.saturating_duration_since(Timestamp::MAX), Duration::ZERO);
    }

    #[test]
    fn system_times_before_and_after_the_epoch_are_converted() {
        let second = Duration::from_secs(1);
        assert_eq!(Timestamp::from(UNIX_EPOCH + second).unix_millis(), 1_000);
        assert_eq!(Timestamp::from(UNIX_EPOCH - second).unix_millis(), -1_000);
    }
}
