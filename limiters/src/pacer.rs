//! When to call a remote service again, as the Safe Browsing protocol (v4) asks of its clients: at a random moment
//! after the start, not before the wait that the service asked for, and later and later while it fails.
//!
//! Keep one state for each method of the service, store it, and [`wake`](Pacer::wake) it after a restart: a restart
//! is no way around a back-off. Random numbers come in with the events, from 0 up to but not including 1.
//!
//! ```
//! use evenkeel_limiters::{Pacer, PacerParams};
//!
//! let pacer = Pacer::new(PacerParams::default())?;
//! let mut state = pacer.start(0, 0.5)?;
//! assert_eq!(pacer.check(&mut state, 0).retry_after_ms, 30_000); // half of the first minute
//! assert!(pacer.check(&mut state, 30_000).allowed);
//!
//! state = pacer.failure(&state, 30_000, 0.0)?;
//! assert_eq!(pacer.check(&mut state, 30_000).retry_after_ms, 15 * 60_000);
//! state = pacer.failure(&state, 930_000, 0.0)?;
//! assert_eq!(pacer.check(&mut state, 930_000).retry_after_ms, 30 * 60_000);
//!
//! state = pacer.success(2_730_000, Some(60_000));
//! assert_eq!(pacer.check(&mut state, 2_730_000).retry_after_ms, 60_000);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use serde::{Deserialize, Serialize};

use super::limiter::{InvalidParameter, require};

/// Parameters of a [`Pacer`], in milliseconds. The defaults are the protocol's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PacerParams {
    /// The wait after the first failure is a random time from this to twice this. At least 1.
    pub base_ms: i64,
    /// The longest wait after a failure, and the longest that the service can ask for. At least `base_ms`, at most 2^53.
    pub max_ms: i64,
    /// The longest wait after a start. From 0 to 2^53.
    pub initial_max_ms: i64,
}

impl Default for PacerParams {
    fn default() -> Self {
        Self { base_ms: 15 * 60_000, max_ms: 24 * 3_600_000, initial_max_ms: 60_000 }
    }
}

/// What the caller waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PacerMode {
    /// The random moment after a start.
    Initial,
    /// Nothing.
    Free,
    /// The wait that the service asked for.
    Wait,
    /// The end of a back-off.
    Backoff,
}

/// What is remembered of one method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PacerState {
    /// When the wait began, in milliseconds since the Unix epoch.
    pub set_ms: i64,
    /// How long the wait is, in milliseconds.
    pub delay_ms: i64,
    /// Failures in a row.
    pub n: u32,
    /// Why there is a wait.
    pub mode: PacerMode,
}

impl PacerState {
    /// The first moment at which a call is allowed.
    #[must_use]
    pub fn next_ms(&self) -> i64 {
        self.set_ms.saturating_add(self.delay_ms)
    }
}

/// Whether a call may be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacerDecision {
    /// Whether a call may be made now.
    pub allowed: bool,
    /// Milliseconds until it may; 0 when allowed.
    pub retry_after_ms: i64,
}

/// A random number outside [0, 1).
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("a random number from 0 up to but not including 1 is needed, not {0}")]
pub struct InvalidRandom(pub f64);

/// See the [module's table](super) for when to choose it. The default has the protocol's parameters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pacer {
    params: PacerParams,
}

impl Pacer {
    /// # Errors
    /// Names the first parameter that is out of its range.
    pub fn new(params: PacerParams) -> Result<Self, InvalidParameter> {
        require(params.base_ms >= 1, "base_ms", "at least 1")?;
        require((params.base_ms..=1 << 53).contains(&params.max_ms), "max_ms", "from base_ms to 2^53")?;
        require((0..=1 << 53).contains(&params.initial_max_ms), "initial_max_ms", "from 0 to 2^53")?;
        Ok(Self { params })
    }

    /// What it was made from.
    #[must_use]
    pub fn params(&self) -> &PacerParams {
        &self.params
    }

    /// The state of a method that has no stored one: a random part of the longest initial wait is owed.
    ///
    /// # Errors
    /// [`InvalidRandom`].
    pub fn start(&self, now_ms: i64, random: f64) -> Result<PacerState, InvalidRandom> {
        let delay_ms = part_of(self.params.initial_max_ms, valid(random)?);
        Ok(PacerState { set_ms: now_ms, delay_ms, n: 0, mode: PacerMode::Initial })
    }

    /// The state after a restart or a sleep. A wait that is not over yet goes on. There is at least a random wait, so
    /// that many clients do not all call at once.
    ///
    /// # Errors
    /// [`InvalidRandom`].
    pub fn wake(&self, state: &PacerState, now_ms: i64, random: f64) -> Result<PacerState, InvalidRandom> {
        let fresh = self.start(now_ms, random)?;
        let mut state = *state;
        let owed = self.check(&mut state, now_ms).retry_after_ms;
        let mode = if owed == 0 { PacerMode::Initial } else { state.mode };
        Ok(PacerState { delay_ms: fresh.delay_ms.max(owed), n: state.n, mode, ..fresh })
    }

    /// The state after the service has answered. It may have asked for a wait: a negative one counts as none, and one longer
    /// than [`PacerParams::max_ms`] as that.
    #[must_use]
    pub fn success(&self, now_ms: i64, min_wait_ms: Option<i64>) -> PacerState {
        let delay_ms = min_wait_ms.unwrap_or(0).clamp(0, self.longest_ms());
        let mode = if delay_ms > 0 { PacerMode::Wait } else { PacerMode::Free };
        PacerState { set_ms: now_ms, delay_ms, n: 0, mode }
    }

    /// The state after the service has not answered, or not as it should. The wait doubles with each failure in a row.
    ///
    /// # Errors
    /// [`InvalidRandom`].
    pub fn failure(&self, state: &PacerState, now_ms: i64, random: f64) -> Result<PacerState, InvalidRandom> {
        let random = valid(random)?;
        let n = state.n.saturating_add(1);
        let mut delay = self.params.base_ms;
        for _ in 1..n {
            if delay >= self.params.max_ms {
                break;
            }
            delay = delay.saturating_mul(2);
        }
        let delay_ms = delay.saturating_add(part_of(delay, random)).min(self.params.max_ms);
        Ok(PacerState { set_ms: now_ms, delay_ms, n, mode: PacerMode::Backoff })
    }

    /// Whether a call may be made at `now_ms`. Where the clock was set back, the wait starts again. A stored wait that is
    /// longer than the parameters allow is shortened.
    pub fn check(&self, state: &mut PacerState, now_ms: i64) -> PacerDecision {
        state.delay_ms = state.delay_ms.clamp(0, self.longest_ms());
        state.set_ms = state.set_ms.min(now_ms);
        let retry_after_ms = state.next_ms().saturating_sub(now_ms).max(0);
        PacerDecision { allowed: retry_after_ms == 0, retry_after_ms }
    }

    fn longest_ms(&self) -> i64 {
        self.params.max_ms.max(self.params.initial_max_ms)
    }
}

fn valid(random: f64) -> Result<f64, InvalidRandom> {
    if (0.0..1.0).contains(&random) { Ok(random) } else { Err(InvalidRandom(random)) }
}

/// `whole * random`, rounded down.
#[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "at most 2^54, and `as` saturates")]
fn part_of(whole: i64, random: f64) -> i64 {
    (whole as f64 * random) as i64
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn pacer() -> Pacer {
        Pacer::new(PacerParams::default()).unwrap()
    }

    #[test]
    fn a_restart_is_no_way_around_a_back_off() {
        let pacer = pacer();
        let failed = pacer.failure(&pacer.start(0, 0.0).unwrap(), 0, 0.0).unwrap();
        let woken = pacer.wake(&failed, 1_000, 0.9).unwrap();
        assert_eq!((woken.next_ms(), woken.n, woken.mode), (900_000, 1, PacerMode::Backoff));
        let late = pacer.wake(&failed, 890_000, 0.9).unwrap();
        assert_eq!((late.delay_ms, late.mode), (54_000, PacerMode::Backoff));
        let paid = pacer.wake(&failed, 900_000, 0.5).unwrap();
        assert_eq!((paid.delay_ms, paid.n, paid.mode), (30_000, 1, PacerMode::Initial));
    }

    #[test]
    fn no_wait_is_longer_than_the_maximum() {
        let pacer = pacer();
        assert_eq!(pacer.success(0, Some(i64::MAX)).delay_ms, 86_400_000);
        let mut stored = PacerState { set_ms: 7, delay_ms: i64::MAX, n: 0, mode: PacerMode::Wait };
        assert_eq!(pacer.wake(&stored, 7, 0.5).unwrap().delay_ms, 86_400_000);
        assert_eq!((pacer.check(&mut stored, 7).retry_after_ms, stored.delay_ms), (86_400_000, 86_400_000));
    }

    #[test]
    fn back_off_doubles_to_a_day_and_never_overflows() {
        let pacer = pacer();
        let mut state = pacer.start(0, 0.0).unwrap();
        let mut delays = Vec::new();
        for _ in 0..9 {
            state = pacer.failure(&state, 0, 0.0).unwrap();
            delays.push(state.delay_ms / 60_000);
        }
        assert_eq!(delays, [15, 30, 60, 120, 240, 480, 960, 1_440, 1_440]);
        let worn = PacerState { n: u32::MAX, ..state };
        assert_eq!(pacer.failure(&worn, i64::MAX, 0.999).unwrap().delay_ms, 86_400_000);
    }

    #[test]
    fn a_negative_wait_is_none() {
        assert_eq!(pacer().success(7, Some(-5)), pacer().success(7, None));
        assert_eq!(pacer().success(7, Some(5)).mode, PacerMode::Wait);
    }

    #[test]
    fn random_numbers_outside_their_range_are_errors() {
        let pacer = pacer();
        let state = pacer.start(0, 0.999_999).unwrap();
        for random in [1.0, -0.1, f64::NAN, f64::INFINITY] {
            assert!(pacer.start(0, random).is_err());
            assert!(pacer.wake(&state, 0, random).is_err());
            assert!(pacer.failure(&state, 0, random).is_err());
        }
    }

    proptest! {
        #[test]
        fn is_refused_until_exactly_the_promised_moment(failures in 1u32..40, random in 0.0f64..1.0, at in 0i64..1 << 50, after in 0i64..1 << 30) {
            let pacer = pacer();
            let mut state = pacer.start(at, random).unwrap();
            for _ in 0..failures { state = pacer.failure(&state, at, random).unwrap() }
            let decision = pacer.check(&mut state.clone(), at + after);
            prop_assert_eq!(decision.allowed, decision.retry_after_ms == 0);
            if !decision.allowed {
                prop_assert!(pacer.check(&mut state.clone(), at + after + decision.retry_after_ms).allowed);
                prop_assert!(!pacer.check(&mut state.clone(), at + after + decision.retry_after_ms - 1).allowed);
            }
            // A clock that was set back restarts the wait, whatever it had been.
            let mut back = state;
            prop_assert_eq!(pacer.check(&mut back, at - 1_000_000_000).retry_after_ms, state.delay_ms);
            prop_assert_eq!(back.set_ms, at - 1_000_000_000);
        }

        #[test]
        fn survives_any_state_and_any_time(set_ms: i64, delay_ms: i64, n: u32, now: i64, random in 0.0f64..1.0) {
            let pacer = pacer();
            let mut state = PacerState { set_ms, delay_ms, n, mode: PacerMode::Backoff };
            let _ = (pacer.wake(&state, now, random), pacer.check(&mut state, now));
            let failed = pacer.failure(&state, now, random).unwrap();
            prop_assert!((900_000..=86_400_000).contains(&failed.delay_ms));
            prop_assert_eq!(serde_json::from_value::<PacerState>(serde_json::to_value(failed).unwrap()).unwrap(), failed);
        }
    }

    #[test]
    fn invalid_parameters_are_named() {
        let named = |base_ms, max_ms, initial_max_ms| {
            Pacer::new(PacerParams { base_ms, max_ms, initial_max_ms }).map_err(|error| error.name).err()
        };
        assert_eq!(named(0, 1, 0), Some("base_ms"));
        assert_eq!(named(2, 1, 0), Some("max_ms"));
        assert_eq!(named(1, (1 << 53) + 1, 0), Some("max_ms"));
        assert_eq!(named(1, 1, -1), Some("initial_max_ms"));
        assert_eq!(named(1, 1, (1 << 53) + 1), Some("initial_max_ms"));
        assert_eq!(named(1, 1, 0), None);
        let params = PacerParams { base_ms: 7, ..Default::default() };
        assert_eq!(Pacer::new(params).unwrap().params(), &params);
    }
}
