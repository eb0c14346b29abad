//! Limiter that pauses clients if all their attempts have failed for months. See [`ZombiePause`].

use serde::{Deserialize, Serialize};

use super::limiter::{InvalidParameter, saturate_to_i64, validate_parameter};

/// Parameters of a [`ZombiePause`]. With the defaults, a client that fails 40 times a day is paused after 92 days, and
/// a client that fails once a day is never paused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ZombiePauseParams {
    /// Number of tokens that return to the bucket per period, which is the highest sustained number of failures that
    /// causes no pause. At least 1; default 1.
    pub count: i64,
    /// Length of a period in milliseconds. At least 1, and at least one nanosecond per `count`; default 86,400,000 (1
    /// day).
    pub period_ms: i64,
    /// Number of failures forgiven at once, which is the size of the bucket. At least 1; default 3,600.
    pub burst: i64,
    /// Grace period in milliseconds after a pause ends, in which the same pair of client and operation is not paused
    /// again. At least 0; default 1,209,600,000 (14 days).
    pub grace_ms: i64,
    /// Maximum number of paused pairs of a subject that the caller lists at once. At least 1; default 15.
    pub page_size: usize,
    /// Maximum number of pairs that are unpaused in one batch. At least 1; default 10,000.
    pub batch_size: usize,
    /// Maximum number of batches of one unpause operation. At least 1; default 5.
    pub max_batches: usize,
}

impl Default for ZombiePauseParams {
    fn default() -> Self {
        const DAY_MS: i64 = 86_400_000;
        Self {
            count: 1,
            period_ms: DAY_MS,
            burst: 3_600,
            grace_ms: 14 * DAY_MS,
            page_size: 15,
            batch_size: 10_000,
            max_batches: 5,
        }
    }
}

/// State of one pair of subject (client) and object (operation).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ZombiePauseState {
    /// Time at which the bucket will be full again, in nanoseconds since the Unix epoch; `None` if the bucket is full.
    /// This is the theoretical arrival time of GCRA (generic cell rate algorithm).
    pub tat_ns: Option<i64>,
    /// Start of the latest pause, in milliseconds since the Unix epoch; `None` before the first pause.
    pub paused_at_ms: Option<i64>,
    /// End of the latest pause, in milliseconds since the Unix epoch; `None` while the pair is paused or if it was
    /// never paused.
    pub unpaused_at_ms: Option<i64>,
}

impl ZombiePauseState {
    /// Returns true if the pair is paused.
    #[must_use]
    pub fn is_paused(&self) -> bool {
        self.paused_at_ms.is_some() && self.unpaused_at_ms.is_none()
    }
}

/// Effect of a failure or success on the state of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PauseAction {
    /// The bucket was not empty, so the failure has no effect on the client.
    None,
    /// The bucket is empty, and the pair of client and operation is paused for the first time.
    Paused,
    /// The bucket is empty, and the pair of client and operation, which was paused before, is paused again.
    Repaused,
    /// The bucket is empty, but the pair of client and operation is not paused, because its last pause ended less than
    /// `grace_ms` ago.
    Grace,
    /// The bucket is empty, and the pair of client and operation is already paused.
    AlreadyPaused,
    /// A successful attempt refilled the bucket.
    Reset,
}

/// Result of [`ZombiePause::record_failure`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PauseDecision {
    /// True if the failure was forgiven, because the bucket was not empty.
    pub allowed: bool,
    /// Number of failures that would still be forgiven now.
    pub remaining: i64,
    /// Nanoseconds until another failure would be forgiven; 0 if this failure was forgiven.
    pub retry_after_ns: i64,
    /// Effect of the failure on the pair.
    pub action: PauseAction,
}

/// Result of [`ZombiePause::unpause_all`], which ends the pauses of one subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnpauseSummary {
    /// Number of pairs that were unpaused.
    pub count: usize,
    /// True if there may be more paused pairs, so that the unpause operation has to be repeated.
    pub more: bool,
}

/// A limiter that pauses zombie clients: clients that fail at one operation for months and never succeed. A paused
/// client is refused until a person confirms that the cause of the failures is fixed.
///
/// Each pair of a subject (the client) and an object (the operation) has a [`ZombiePauseState`], and all methods are
/// pure functions of this state. A bucket holds `burst` tokens. A failure takes one token, `count` tokens return per
/// `period_ms`, and a success refills the bucket. A failure while the bucket is empty pauses the pair. The caller then
/// refuses all attempts of the pair until the subject ends the pause. For `grace_ms` after the end of a pause, the pair
/// is not paused again, whatever the number of failures.
///
/// The bucket is GCRA (generic cell rate algorithm) in nanoseconds:
///
/// ```text
/// emission = period / count
/// tat      = max(now, tat)                  theoretical arrival time: when the bucket would be full again
///
/// forgiven if tat + emission <= now + emission * burst; then tat = tat + emission
/// ```
///
/// - The end of a pause does not refill the bucket: a client that continues to fail is paused again after `grace_ms`.
/// - A success does not end a pause.
/// - A state remains valid when the parameters change or the clock is set back: `tat` is limited to `now + emission *
///   burst`.
///
/// Source: pausing of zombie clients in Boulder, the server of Let's Encrypt. See the [comparison of
/// limiters](super#choosing-a-limiter) and the [example](super#zombie-pause).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ZombiePause {
    params: ZombiePauseParams,
}

const NS_PER_MS: i128 = 1_000_000;

impl ZombiePause {
    /// Validates the parameters, and creates a limiter.
    ///
    /// # Errors
    /// Returns an error that names the first parameter out of its range.
    pub fn new(params: ZombiePauseParams) -> Result<Self, InvalidParameter> {
        validate_parameter(params.period_ms >= 1, "period_ms", "at least 1")?;
        let counted = params.count >= 1 && i128::from(params.count) <= i128::from(params.period_ms) * NS_PER_MS;
        validate_parameter(counted, "count", "at least 1, and at most one per nanosecond of period_ms")?;
        validate_parameter(params.burst >= 1, "burst", "at least 1")?;
        validate_parameter(params.grace_ms >= 0, "grace_ms", "at least 0")?;
        validate_parameter(params.page_size >= 1, "page_size", "at least 1")?;
        validate_parameter(params.batch_size >= 1, "batch_size", "at least 1")?;
        validate_parameter(params.max_batches >= 1, "max_batches", "at least 1")?;
        Ok(Self { params })
    }

    /// Parameters of the limiter.
    #[must_use]
    pub fn params(&self) -> &ZombiePauseParams {
        &self.params
    }

    /// Counts a failure of the pair at `now_ms` (milliseconds since the Unix epoch), and pauses the pair if the bucket
    /// is empty. Only failures caused by the subject should be counted.
    #[must_use]
    pub fn record_failure(&self, state: &ZombiePauseState, now_ms: i64) -> (ZombiePauseState, PauseDecision) {
        let (now, emission, room) = (i128::from(now_ms) * NS_PER_MS, self.emission(), self.burst_tolerance());
        // Limits `tat` to the possible range: the clock may have been set back, or `burst` lowered.
        let tat = state.tat_ns.map_or(now, i128::from).clamp(now, now.saturating_add(room));
        let after = tat + emission;
        let over = after - room - now;
        if over <= 0 {
            let next = ZombiePauseState { tat_ns: Some(saturate_to_i64(after)), ..*state };
            let decision = PauseDecision {
                allowed: true,
                remaining: saturate_to_i64(-over / emission),
                retry_after_ns: 0,
                action: PauseAction::None,
            };
            return (next, decision);
        }
        let (next, action) = self.pause(ZombiePauseState { tat_ns: Some(saturate_to_i64(tat)), ..*state }, now_ms);
        let remaining = saturate_to_i64((now + room - tat) / emission);
        (next, PauseDecision { allowed: false, remaining, retry_after_ns: saturate_to_i64(over), action })
    }

    fn pause(&self, state: ZombiePauseState, now_ms: i64) -> (ZombiePauseState, PauseAction) {
        let paused = ZombiePauseState { paused_at_ms: Some(now_ms), unpaused_at_ms: None, ..state };
        match (state.paused_at_ms, state.unpaused_at_ms) {
            (None, _) => (paused, PauseAction::Paused),
            (Some(_), None) => (state, PauseAction::AlreadyPaused),
            (Some(_), Some(unpaused)) if unpaused > now_ms.saturating_sub(self.params.grace_ms) => {
                (state, PauseAction::Grace)
            }
            _ => (paused, PauseAction::Repaused),
        }
    }

    /// Number of failures that the bucket has not forgiven yet at `now_ms` (milliseconds since the Unix epoch). The pair
    /// is paused when it would exceed `burst`.
    #[must_use]
    pub fn failures(&self, state: &ZombiePauseState, now_ms: i64) -> i64 {
        let (now, tat) = (i128::from(now_ms) * NS_PER_MS, state.tat_ns.map_or(i128::MIN, i128::from));
        let failures = (tat.max(now) - now + self.emission() - 1) / self.emission();
        saturate_to_i64(failures).min(self.params.burst)
    }

    /// Counts a success of the pair, which refills the bucket. A success does not end a pause.
    #[must_use]
    pub fn record_success(&self, state: &ZombiePauseState) -> (ZombiePauseState, PauseAction) {
        (ZombiePauseState { tat_ns: None, ..*state }, PauseAction::Reset)
    }

    /// Ends the pause of a pair; returns `None` if the pair is not paused. The bucket is not refilled.
    #[must_use]
    pub fn unpause(&self, state: &ZombiePauseState, now_ms: i64) -> Option<ZombiePauseState> {
        state.is_paused().then_some(ZombiePauseState { unpaused_at_ms: Some(now_ms), ..*state })
    }

    /// Ends the pauses of one subject, at most [`max_unpaused`](Self::max_unpaused) of them.
    pub fn unpause_all<'a>(
        &self,
        pairs: impl Iterator<Item = &'a mut ZombiePauseState>,
        now_ms: i64,
    ) -> UnpauseSummary {
        let most = self.max_unpaused();
        let mut count = 0;
        for pair in pairs.filter(|pair| pair.is_paused()).take(most) {
            pair.unpaused_at_ms = Some(now_ms);
            count += 1;
        }
        UnpauseSummary { count, more: count == most }
    }

    /// Maximum number of pairs that one unpause operation can unpause: `batch_size * max_batches`. If an operation
    /// unpaused this many pairs, more pairs may still be paused.
    #[must_use]
    pub fn max_unpaused(&self) -> usize {
        self.params.batch_size.saturating_mul(self.params.max_batches)
    }

    /// Time from which the state can be deleted, in milliseconds since the Unix epoch: the bucket is full, and the
    /// grace period is over. `None` while the pair is paused.
    #[must_use]
    pub fn expires_at_ms(&self, state: &ZombiePauseState) -> Option<i64> {
        let full = state.tat_ns.map_or(i64::MIN, |tat| tat.saturating_add(999_999) / 1_000_000);
        let grace_over = match (state.paused_at_ms, state.unpaused_at_ms) {
            (None, _) => i64::MIN,
            (Some(_), None) => return None,
            (Some(_), Some(unpaused)) => unpaused.saturating_add(self.params.grace_ms),
        };
        Some(full.max(grace_over))
    }

    fn emission(&self) -> i128 {
        i128::from(self.params.period_ms) * NS_PER_MS / i128::from(self.params.count)
    }

    /// Maximum distance of `tat` from now, in nanoseconds: the burst tolerance of GCRA.
    fn burst_tolerance(&self) -> i128 {
        self.emission().saturating_mul(i128::from(self.params.burst))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const DAY_MS: i64 = 86_400_000;

    fn pause(burst: i64) -> ZombiePause {
        ZombiePause::new(ZombiePauseParams { burst, ..Default::default() }).unwrap()
    }

    #[test]
    fn unforgiven_failures_are_counted() {
        let limiter = pause(3);
        let mut state = ZombiePauseState::default();
        assert_eq!(limiter.failures(&state, 0), 0);
        for count in 1..=4 {
            state = limiter.record_failure(&state, 5).0;
            assert_eq!(limiter.failures(&state, 5), count.min(3));
        }
        assert_eq!([DAY_MS, DAY_MS + 5, 3 * DAY_MS + 5].map(|now| limiter.failures(&state, now)), [3, 2, 0]);
        assert_eq!(limiter.failures(&limiter.record_success(&state).0, 5), 0);
    }

    /// Records failures at intervals of `gap_ms` until the pair is paused. Returns the number of failures and the
    /// state.
    fn fail_until_paused(limiter: &ZombiePause, gap_ms: i64) -> (i64, ZombiePauseState) {
        let mut state = ZombiePauseState::default();
        for count in 1..100_000 {
            let (next, decision) = limiter.record_failure(&state, count * gap_ms);
            state = next;
            if decision.action == PauseAction::Paused {
                return (count, state);
            }
        }
        panic!("never paused");
    }

    #[test]
    fn forty_failures_a_day_are_paused_after_three_months() {
        let (count, state) = fail_until_paused(&pause(3_600), DAY_MS / 40);
        assert_eq!(count, 3_693);
        assert!(state.is_paused());
    }

    #[test]
    fn a_clock_set_back_or_a_smaller_burst_leaves_no_debt_that_was_never_possible() {
        let (_, state) = fail_until_paused(&pause(10), 0);
        let smaller = pause(2);
        let (next, decision) = smaller.record_failure(&state, 0);
        assert_eq!((next.tat_ns, decision.retry_after_ns), (Some(2 * DAY_MS * 1_000_000), DAY_MS * 1_000_000));
        let (next, _) = pause(10).record_failure(&state, -100 * DAY_MS);
        assert_eq!(next.tat_ns, Some(-90 * DAY_MS * 1_000_000));
    }

    #[test]
    fn success_refills_and_does_not_unpause() {
        let limiter = pause(2);
        let (_, state) = fail_until_paused(&limiter, 0);
        let (refilled, action) = limiter.record_success(&state);
        assert_eq!((refilled.tat_ns, refilled.is_paused(), action), (None, true, PauseAction::Reset));
        assert_eq!(limiter.record_failure(&refilled, 0).1.remaining, 1);
    }

    #[test]
    fn unpause_all_is_bounded() {
        let params = ZombiePauseParams { burst: 1, batch_size: 2, max_batches: 3, ..Default::default() };
        let limiter = ZombiePause::new(params).unwrap();
        let (_, paused) = fail_until_paused(&limiter, 0);
        let mut pairs = vec![paused; 7];
        pairs.insert(0, ZombiePauseState::default());
        assert_eq!(limiter.unpause_all(pairs.iter_mut(), 9), UnpauseSummary { count: 6, more: true });
        assert_eq!(limiter.unpause_all(pairs.iter_mut(), 9), UnpauseSummary { count: 1, more: false });
        assert_eq!(limiter.unpause(&pairs[1], 9), None);
        assert_eq!(limiter.unpause(&paused, 9), Some(pairs[1]));
        assert_eq!((pairs[0].paused_at_ms, pairs[1].unpaused_at_ms), (None, Some(9)));
    }

    #[test]
    fn a_state_is_forgettable_when_full_and_after_the_grace() {
        let limiter = pause(1);
        assert_eq!(limiter.expires_at_ms(&ZombiePauseState::default()), Some(i64::MIN));
        let (failed, _) = limiter.record_failure(&ZombiePauseState::default(), 5);
        assert_eq!(limiter.expires_at_ms(&failed), Some(5 + DAY_MS));
        let (paused, _) = limiter.record_failure(&failed, 5);
        assert_eq!(limiter.expires_at_ms(&paused), None);
        let unpaused = limiter.unpause(&paused, 9).unwrap();
        assert_eq!(limiter.expires_at_ms(&unpaused), Some(9 + 14 * DAY_MS));
        // The expiry time is rounded up to whole milliseconds.
        let odd = ZombiePauseState { tat_ns: Some(5_000_001), ..Default::default() };
        assert_eq!(limiter.expires_at_ms(&odd), Some(6));
    }

    proptest! {
        #[test]
        fn retry_after_and_remaining_are_exact(
            count in 1i64..50, period_ms in 1i64..100_000, burst in 1i64..20, gaps in prop::collection::vec(0i64..5_000, 1..100),
        ) {
            let params = ZombiePauseParams { count, period_ms, burst, ..Default::default() };
            let (limiter, mut state, mut now) = (ZombiePause::new(params).unwrap(), ZombiePauseState::default(), 0);
            for gap in gaps {
                now += gap;
                let (next, decision) = limiter.record_failure(&state, now);
                state = next;
                prop_assert_eq!(decision.allowed, decision.action == PauseAction::None);
                if decision.allowed {
                    // `remaining` further failures at the same time are forgiven.
                    let mut more = state;
                    for _ in 0..decision.remaining {
                        let (next, decision) = limiter.record_failure(&more, now);
                        more = next;
                        prop_assert!(decision.allowed);
                    }
                    prop_assert!(!limiter.record_failure(&more, now).1.allowed);
                } else {
                    let ms = (decision.retry_after_ns + 999_999) / 1_000_000;
                    prop_assert!(limiter.record_failure(&state, now + ms).1.allowed);
                    prop_assert!(!limiter.record_failure(&state, now + ms - 1).1.allowed);
                }
            }
        }

        #[test]
        fn survives_any_state_and_any_time(tat_ns: Option<i64>, paused_at_ms: Option<i64>, unpaused_at_ms: Option<i64>, now: i64) {
            let limiter = pause(3_600);
            let state = ZombiePauseState { tat_ns, paused_at_ms, unpaused_at_ms };
            let (next, _) = limiter.record_failure(&state, now);
            let _ = (limiter.expires_at_ms(&state), limiter.unpause(&state, now), limiter.record_success(&state));
            prop_assert_eq!(serde_json::from_value::<ZombiePauseState>(serde_json::to_value(next).unwrap()).unwrap(), next);
        }
    }

    #[test]
    fn invalid_parameters_are_named() {
        let named = |change: fn(&mut ZombiePauseParams)| {
            let mut params = ZombiePauseParams::default();
            change(&mut params);
            ZombiePause::new(params).map_err(|error| error.name).err()
        };
        assert_eq!(named(|params| params.period_ms = 0), Some("period_ms"));
        assert_eq!(named(|params| params.count = 0), Some("count"));
        assert_eq!(named(|params| (params.period_ms, params.count) = (1, 1_000_001)), Some("count"));
        assert_eq!(named(|params| (params.period_ms, params.count) = (1, 1_000_000)), None);
        assert_eq!(named(|params| params.burst = 0), Some("burst"));
        assert_eq!(named(|params| params.grace_ms = -1), Some("grace_ms"));
        assert_eq!(named(|params| params.page_size = 0), Some("page_size"));
        assert_eq!(named(|params| params.batch_size = 0), Some("batch_size"));
        assert_eq!(named(|params| params.max_batches = 0), Some("max_batches"));
        assert_eq!(named(|params| (params.burst, params.grace_ms, params.page_size) = (1, 0, 1)), None);
        assert_eq!(named(|params| (params.batch_size, params.max_batches) = (1, 1)), None);
        assert_eq!(pause(7).params().burst, 7);
    }
}
