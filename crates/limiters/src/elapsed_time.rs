//! Computes the elapsed time between two events of a key, even if the clock was set back.

/// Time since the previous event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ElapsedTime {
    /// Elapsed milliseconds, at least 0. A backward step of at most `max_backward_ms` counts as 0.
    Ms(i64),
    /// The clock was set back by more than `max_backward_ms`, so the elapsed time is unknown.
    ClockStep,
}

/// Returns the time since `last_ms`, and the time to store for the next call.
#[inline]
pub(super) fn elapsed_since(last_ms: Option<i64>, now_ms: i64, max_backward_ms: i64) -> (ElapsedTime, i64) {
    match last_ms {
        None => (ElapsedTime::Ms(0), now_ms),
        Some(last) if now_ms >= last => (ElapsedTime::Ms(now_ms.saturating_sub(last)), now_ms),
        // The later time is kept. Otherwise, the time between `now_ms` and `last` would be counted twice.
        Some(last) if last.saturating_sub(now_ms) <= max_backward_ms => (ElapsedTime::Ms(0), last),
        Some(_) => (ElapsedTime::ClockStep, now_ms),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_backward_steps_are_skew_and_large_ones_corrections() {
        assert_eq!(elapsed_since(None, 5, 60_000), (ElapsedTime::Ms(0), 5));
        assert_eq!(elapsed_since(Some(5), 9, 60_000), (ElapsedTime::Ms(4), 9));
        assert_eq!(elapsed_since(Some(60_000), 0, 60_000), (ElapsedTime::Ms(0), 60_000));
        assert_eq!(elapsed_since(Some(60_001), 0, 60_000), (ElapsedTime::ClockStep, 0));
        assert_eq!(elapsed_since(Some(i64::MIN), i64::MAX, 0), (ElapsedTime::Ms(i64::MAX), i64::MAX));
    }
}
