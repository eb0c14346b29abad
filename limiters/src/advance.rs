//! The one rule for how time passes between two events of a key, clocks running backwards included.

/// What has passed since the last event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Elapsed {
    /// Milliseconds, 0 or more. A small step back counts as 0.
    Ms(i64),
    /// The clock was set back by more than `max_backward_ms`: how much time has passed is not known.
    Step,
}

/// Returns how much time has passed since `last_ms`, and the time to remember as the last one.
pub(super) fn advance(last_ms: Option<i64>, now_ms: i64, max_backward_ms: i64) -> (Elapsed, i64) {
    match last_ms {
        None => (Elapsed::Ms(0), now_ms),
        Some(last) if now_ms >= last => (Elapsed::Ms(now_ms.saturating_sub(last)), now_ms),
        // The later time is kept, so that the same span is never counted twice.
        Some(last) if last.saturating_sub(now_ms) <= max_backward_ms => (Elapsed::Ms(0), last),
        Some(_) => (Elapsed::Step, now_ms),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_steps_back_are_skew_and_large_ones_are_corrections() {
        assert_eq!(advance(None, 5, 60_000), (Elapsed::Ms(0), 5));
        assert_eq!(advance(Some(5), 9, 60_000), (Elapsed::Ms(4), 9));
        assert_eq!(advance(Some(60_000), 0, 60_000), (Elapsed::Ms(0), 60_000));
        assert_eq!(advance(Some(60_001), 0, 60_000), (Elapsed::Step, 0));
        assert_eq!(advance(Some(i64::MIN), i64::MAX, 0), (Elapsed::Ms(i64::MAX), i64::MAX));
    }
}
