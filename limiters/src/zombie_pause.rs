//! Pauses zombie clients, as Let's Encrypt does: a client that has failed at one thing for months, and never succeeded,
//! is told to stop until a person says that the cause is mended.
//!
//! Each pair of a subject (the client) and an object (the thing) has a [`ZombiePauseState`]; all methods are pure steps
//! on it. A bucket counts failures and refills slowly; a success fills it up. The failure that finds it empty pauses
//! the pair. From then on, whoever owns the state refuses the attempts of the pair, until the subject unpauses. For
//! some time after that (`grace_ms`) the pair is not paused again, however often it fails.
//!
//! The bucket is GCRA (the generic cell rate algorithm) on nanoseconds: `tat`, the theoretical arrival time, is when
//! the bucket would be full again.

use serde::{Deserialize, Serialize};

use super::limiter::{InvalidParameter, require, saturate};

/// Parameters of a [`ZombiePause`]. With the defaults a client that fails 40 times a day is paused after 92 days,
/// and one that fails once a day never.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ZombiePauseParams {
    /// Failures that are forgiven in each period. At least 1.
    pub count: i64,
    /// The length of a period in milliseconds. At least 1, and at least a nanosecond for each of `count`.
    pub period_ms: i64,
    /// Failures that are forgiven at once. At least 1.
    pub burst: i64,
    /// Milliseconds after an unpause in which nothing is paused again. At least 0.
    pub grace_ms: i64,
    /// The most paused pairs of a subject that are listed at once. At least 1.
    pub page_size: usize,
    /// The most pairs that are unpaused in one batch. At least 1.
    pub batch_size: usize,
    /// The most batches in one unpausing. At least 1.
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

/// What is remembered of a pair of subject and object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ZombiePauseState {
    /// When the bucket will be full again, in nanoseconds since the Unix epoch. `None` means that it is full.
    pub tat_ns: Option<i64>,
    /// When the last pause began, in milliseconds since the Unix epoch.
    pub paused_at_ms: Option<i64>,
    /// When the last pause ended, in milliseconds since the Unix epoch. `None` while it lasts.
    pub unpaused_at_ms: Option<i64>,
}

impl ZombiePauseState {
    /// Whether the pair is paused now.
    #[must_use]
    pub fn is_paused(&self) -> bool {
        self.paused_at_ms.is_some() && self.unpaused_at_ms.is_none()
    }
}

/// What came of a failure or success.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PauseAction {
    /// Nothing has changed.
    None,
    /// The pair is paused from now on.
    Paused,
    /// The pair is paused from now on, and has been before.
    Repaused,
    /// The pair would have been paused, but was unpaused a short while ago.
    Grace,
    /// The pair was paused before, and still is.
    AlreadyPaused,
    /// A success has filled the bucket up.
    Reset,
}

/// The answer to a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PauseDecision {
    /// Whether the failure was forgiven: the bucket was not empty.
    pub allowed: bool,
    /// Failures that would still be forgiven now.
    pub remaining: i64,
    /// Nanoseconds until another failure would be forgiven; 0 when allowed.
    pub retry_after_ns: i64,
    /// What came of it.
    pub action: PauseAction,
}

/// The answer to an unpausing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unpaused {
    /// How many pairs were unpaused.
    pub count: usize,
    /// Whether there may be more paused pairs, so that the unpausing has to be repeated.
    pub more: bool,
}

/// See the [module's table](super) for when to choose it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ZombiePause {
    params: ZombiePauseParams,
}

const NS_IN_MS: i128 = 1_000_000;

impl ZombiePause {
    /// # Errors
    /// Names the first parameter that is out of its range.
    pub fn new(params: ZombiePauseParams) -> Result<Self, InvalidParameter> {
        require(params.period_ms >= 1, "period_ms", "at least 1")?;
        let counted = params.count >= 1 && i128::from(params.count) <= i128::from(params.period_ms) * NS_IN_MS;
        require(counted, "count", "at least 1, and at most one a nanosecond")?;
        require(params.burst >= 1, "burst", "at least 1")?;
        require(params.grace_ms >= 0, "grace_ms", "at least 0")?;
        require(params.page_size >= 1, "page_size", "at least 1")?;
        require(params.batch_size >= 1, "batch_size", "at least 1")?;
        require(params.max_batches >= 1, "max_batches", "at least 1")?;
        Ok(Self { params })
    }

    /// What it was made from.
    #[must_use]
    pub fn params(&self) -> &ZombiePauseParams {
        &self.params
    }

    /// Counts a failure of the pair for which the subject itself is to blame. Pauses the pair if the bucket is empty.
    #[must_use]
    pub fn fail(&self, state: &ZombiePauseState, now_ms: i64) -> (ZombiePauseState, PauseDecision) {
        let (now, emission, room) = (i128::from(now_ms) * NS_IN_MS, self.emission(), self.room());
        // Keeps `tat` within what is possible now: the clock may have been set back, or `burst` made smaller.
        let tat = state.tat_ns.map_or(now, i128::from).clamp(now, now.saturating_add(room));
        let after = tat + emission;
        let over = after - room - now;
        if over <= 0 {
            let next = ZombiePauseState { tat_ns: Some(saturate(after)), ..*state };
            let decision = PauseDecision {
                allowed: true,
                remaining: saturate(-over / emission),
                retry_after_ns: 0,
                action: PauseAction::None,
            };
            return (next, decision);
        }
        let (next, action) = self.pause(ZombiePauseState { tat_ns: Some(saturate(tat)), ..*state }, now_ms);
        let remaining = saturate((now + room - tat) / emission);
        (next, PauseDecision { allowed: false, remaining, retry_after_ns: saturate(over), action })
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

    /// Counts a success of the pair: the bucket is full again. A success does not lift a pause.
    #[must_use]
    pub fn success(&self, state: &ZombiePauseState) -> (ZombiePauseState, PauseAction) {
        (ZombiePauseState { tat_ns: None, ..*state }, PauseAction::Reset)
    }

    /// Lifts the pause; `None` where there is none. The bucket stays as it is.
    #[must_use]
    pub fn unpause(&self, state: &ZombiePauseState, now_ms: i64) -> Option<ZombiePauseState> {
        state.is_paused().then_some(ZombiePauseState { unpaused_at_ms: Some(now_ms), ..*state })
    }

    /// Lifts the pauses of one subject, in as many batches as allowed.
    pub fn unpause_all<'a>(&self, pairs: impl Iterator<Item = &'a mut ZombiePauseState>, now_ms: i64) -> Unpaused {
        let most = self.most_unpaused();
        let mut count = 0;
        for pair in pairs.filter(|pair| pair.is_paused()).take(most) {
            pair.unpaused_at_ms = Some(now_ms);
            count += 1;
        }
        Unpaused { count, more: count == most }
    }

    /// The most pairs that one unpausing lifts. When it has lifted that many, there may be more.
    #[must_use]
    pub fn most_unpaused(&self) -> usize {
        self.params.batch_size.saturating_mul(self.params.max_batches)
    }

    /// The time, in milliseconds since the Unix epoch, from which the state may be forgotten. `None` while it is
    /// paused.
    #[must_use]
    pub fn forgettable_at_ms(&self, state: &ZombiePauseState) -> Option<i64> {
        let full = state.tat_ns.map_or(i64::MIN, |tat| tat.saturating_add(999_999) / 1_000_000);
        let grace_over = match (state.paused_at_ms, state.unpaused_at_ms) {
            (None, _) => i64::MIN,
            (Some(_), None) => return None,
            (Some(_), Some(unpaused)) => unpaused.saturating_add(self.params.grace_ms),
        };
        Some(full.max(grace_over))
    }

    fn emission(&self) -> i128 {
        i128::from(self.params.period_ms) * NS_IN_MS / i128::from(self.params.count)
    }

    /// How far ahead of now `tat` may be, in nanoseconds.
    fn room(&self) -> i128 {
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

    /// Fails until the pair is paused. Returns how many failures that took, and the state.
    fn fail_until_paused(limiter: &ZombiePause, gap_ms: i64) -> (i64, ZombiePauseState) {
        let mut state = ZombiePauseState::default();
        for count in 1..100_000 {
            let (next, decision) = limiter.fail(&state, count * gap_ms);
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
        let (next, decision) = smaller.fail(&state, 0);
        assert_eq!((next.tat_ns, decision.retry_after_ns), (Some(2 * DAY_MS * 1_000_000), DAY_MS * 1_000_000));
        let (next, _) = pause(10).fail(&state, -100 * DAY_MS);
        assert_eq!(next.tat_ns, Some(-90 * DAY_MS * 1_000_000));
    }

    #[test]
    fn success_refills_and_does_not_unpause() {
        let limiter = pause(2);
        let (_, state) = fail_until_paused(&limiter, 0);
        let (refilled, action) = limiter.success(&state);
        assert_eq!((refilled.tat_ns, refilled.is_paused(), action), (None, true, PauseAction::Reset));
        assert_eq!(limiter.fail(&refilled, 0).1.remaining, 1);
    }

    #[test]
    fn unpausing_takes_so_many_at_once_and_only_what_is_paused() {
        let params = ZombiePauseParams { burst: 1, batch_size: 2, max_batches: 3, ..Default::default() };
        let limiter = ZombiePause::new(params).unwrap();
        let (_, paused) = fail_until_paused(&limiter, 0);
        let mut pairs = vec![paused; 7];
        pairs.insert(0, ZombiePauseState::default());
        assert_eq!(limiter.unpause_all(pairs.iter_mut(), 9), Unpaused { count: 6, more: true });
        assert_eq!(limiter.unpause_all(pairs.iter_mut(), 9), Unpaused { count: 1, more: false });
        assert_eq!(limiter.unpause(&pairs[1], 9), None);
        assert_eq!(limiter.unpause(&paused, 9), Some(pairs[1]));
        assert_eq!((pairs[0].paused_at_ms, pairs[1].unpaused_at_ms), (None, Some(9)));
    }

    #[test]
    fn a_state_is_forgettable_when_full_and_after_the_grace() {
        let limiter = pause(1);
        assert_eq!(limiter.forgettable_at_ms(&ZombiePauseState::default()), Some(i64::MIN));
        let (failed, _) = limiter.fail(&ZombiePauseState::default(), 5);
        assert_eq!(limiter.forgettable_at_ms(&failed), Some(5 + DAY_MS));
        let (paused, _) = limiter.fail(&failed, 5);
        assert_eq!(limiter.forgettable_at_ms(&paused), None);
        let unpaused = limiter.unpause(&paused, 9).unwrap();
        assert_eq!(limiter.forgettable_at_ms(&unpaused), Some(9 + 14 * DAY_MS));
        // Rounded up: a nanosecond more is a millisecond more.
        let odd = ZombiePauseState { tat_ns: Some(5_000_001), ..Default::default() };
        assert_eq!(limiter.forgettable_at_ms(&odd), Some(6));
    }

    proptest! {
        #[test]
        fn a_failure_has_room_exactly_when_promised(
            count in 1i64..50, period_ms in 1i64..100_000, burst in 1i64..20, gaps in prop::collection::vec(0i64..5_000, 1..100),
        ) {
            let params = ZombiePauseParams { count, period_ms, burst, ..Default::default() };
            let (limiter, mut state, mut now) = (ZombiePause::new(params).unwrap(), ZombiePauseState::default(), 0);
            for gap in gaps {
                now += gap;
                let (next, decision) = limiter.fail(&state, now);
                state = next;
                prop_assert_eq!(decision.allowed, decision.action == PauseAction::None);
                if decision.allowed {
                    // Each of those that remain has room at once.
                    let mut more = state;
                    for _ in 0..decision.remaining {
                        let (next, decision) = limiter.fail(&more, now);
                        more = next;
                        prop_assert!(decision.allowed);
                    }
                    prop_assert!(!limiter.fail(&more, now).1.allowed);
                } else {
                    let ms = (decision.retry_after_ns + 999_999) / 1_000_000;
                    prop_assert!(limiter.fail(&state, now + ms).1.allowed);
                    prop_assert!(!limiter.fail(&state, now + ms - 1).1.allowed);
                }
            }
        }

        #[test]
        fn survives_any_state_and_any_time(tat_ns: Option<i64>, paused_at_ms: Option<i64>, unpaused_at_ms: Option<i64>, now: i64) {
            let limiter = pause(3_600);
            let state = ZombiePauseState { tat_ns, paused_at_ms, unpaused_at_ms };
            let (next, _) = limiter.fail(&state, now);
            let _ = (limiter.forgettable_at_ms(&state), limiter.unpause(&state, now), limiter.success(&state));
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
