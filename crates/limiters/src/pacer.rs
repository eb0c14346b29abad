//! Schedule of requests to a remote service. See [`Pacer`].

use core::time::Duration;

use serde::{Deserialize, Serialize};

use super::limiter::{InvalidParameter, validate_parameter};
use super::timestamp::duration_from_millis;

/// Parameters of a [`Pacer`], in milliseconds. The defaults are those of the Safe Browsing Update API v4.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PacerParams {
    /// Minimum wait after the first failure; the random wait is at most twice as long. At least 1; default 900,000 (15
    /// minutes).
    pub base_ms: i64,
    /// Maximum wait after a failure. At least `base_ms`, at most 2^53; default 86,400,000 (24 hours). The service can
    /// request a longer wait.
    pub max_ms: i64,
    /// Maximum random wait after the client has started. From 0 to 2^53; default 60,000 (1 minute).
    pub initial_max_ms: i64,
}

impl Default for PacerParams {
    fn default() -> Self {
        Self { base_ms: 15 * 60_000, max_ms: 24 * 3_600_000, initial_max_ms: 60_000 }
    }
}

/// Reason for the wait before the next request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PacerMode {
    /// Random wait after the client has started.
    Initial,
    /// No wait is required.
    Free,
    /// Minimum wait that the service requested.
    Wait,
    /// Backoff after a failure.
    Backoff,
}

/// Schedule state of one API method of the remote service.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PacerState {
    /// Start of the wait, in milliseconds since the Unix epoch.
    pub set_ms: i64,
    /// Length of the wait, in milliseconds.
    pub delay_ms: i64,
    /// Number of consecutive failures.
    pub n: u32,
    /// Reason for the wait.
    pub mode: PacerMode,
}

impl PacerState {
    /// Earliest time of the next request, in milliseconds since the Unix epoch.
    #[must_use]
    pub fn next_request_ms(&self) -> i64 {
        self.set_ms.saturating_add(self.delay_ms)
    }
}

/// Result of [`Pacer::check`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "no request may be sent if it is not allowed"]
pub struct PacerDecision {
    /// True if a request may be sent now.
    pub allowed: bool,
    /// Time until a request may be sent; zero when allowed.
    pub retry_after: Duration,
}

/// Error for a random number that is below 0 or not below 1.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("the random number must be at least 0 and below 1, but is {0}")]
pub struct InvalidRandomNumber(pub f64);

/// A schedule of requests to a remote service: random waits after a start, the minimum waits that the service requests,
/// and exponential backoff with jitter while the service fails.
///
/// | event | wait before the next request |
/// |---|---|
/// | [`initial_state`](Pacer::initial_state) | `initial_max_ms * random` |
/// | [`resume`](Pacer::resume) | `initial_max_ms * random`, or the rest of the previous wait if that is longer |
/// | [`record_success`](Pacer::record_success) | the minimum wait that the service requested, or none |
/// | [`record_failure`](Pacer::record_failure) | `min(base_ms * 2^(n - 1) * (1 + random), max_ms)` after `n` consecutive failures |
///
/// With the default parameters the backoff is 15 to 30 minutes after the first failure, doubles with each further
/// failure, and is exactly 24 hours from the eighth failure on. The backoff cannot overflow, whatever the number of
/// failures.
///
/// Keep one state per method of the service, store the state, and call [`resume`](Pacer::resume) after a restart: a
/// restart must not end a backoff. The caller passes a new random number, at least 0 and below 1, with each event.
/// [`Pacer::default`] has the default parameters.
///
/// Source: request frequency rules of the Safe Browsing Update API v4. See also the [comparison of
/// limiters](super#choosing-a-limiter).
///
/// # Example
///
/// ```
/// use std::time::Duration;
///
/// use evenkeel_limiters::{Pacer, PacerParams};
///
/// let pacer = Pacer::new(PacerParams::default())?;
/// let mut state = pacer.initial_state(0, 0.5)?;
/// assert_eq!(pacer.check(&mut state, 0).retry_after, Duration::from_secs(30)); // half of the first minute
/// assert!(pacer.check(&mut state, 30_000).allowed);
///
/// state = pacer.record_failure(&state, 30_000, 0.0)?;
/// assert_eq!(pacer.check(&mut state, 30_000).retry_after, Duration::from_mins(15));
/// state = pacer.record_failure(&state, 930_000, 0.0)?;
/// assert_eq!(pacer.check(&mut state, 930_000).retry_after, Duration::from_mins(30));
///
/// state = pacer.record_success(2_730_000, Some(60_000));
/// assert_eq!(pacer.check(&mut state, 2_730_000).retry_after, Duration::from_mins(1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pacer {
    params: PacerParams,
}

impl Pacer {
    /// Validates the parameters, and creates a pacer.
    ///
    /// # Errors
    /// Returns an error that names the first parameter out of its range.
    pub fn new(params: PacerParams) -> Result<Self, InvalidParameter> {
        validate_parameter(params.base_ms >= 1, "base_ms", "at least 1")?;
        validate_parameter((params.base_ms..=1 << 53).contains(&params.max_ms), "max_ms", "from base_ms to 2^53")?;
        validate_parameter((0..=1 << 53).contains(&params.initial_max_ms), "initial_max_ms", "from 0 to 2^53")?;
        Ok(Self { params })
    }

    /// Parameters of the pacer.
    #[must_use]
    pub fn params(&self) -> &PacerParams {
        &self.params
    }

    /// Initial state of an API method that has no stored state. The first request waits for a random part of
    /// [`PacerParams::initial_max_ms`].
    ///
    /// # Errors
    /// [`InvalidRandomNumber`] unless `random` is at least 0 and below 1.
    pub fn initial_state(&self, now_ms: i64, random: f64) -> Result<PacerState, InvalidRandomNumber> {
        let delay_ms = scale_by_random(self.params.initial_max_ms, validate_random(random)?);
        Ok(PacerState { set_ms: now_ms, delay_ms, n: 0, mode: PacerMode::Initial })
    }

    /// State after the client was restarted or suspended. An unfinished wait continues. The total wait is at least a
    /// random part of [`PacerParams::initial_max_ms`], so that many clients do not send their requests at the same
    /// time.
    ///
    /// # Errors
    /// [`InvalidRandomNumber`] unless `random` is at least 0 and below 1.
    pub fn resume(&self, state: &PacerState, now_ms: i64, random: f64) -> Result<PacerState, InvalidRandomNumber> {
        let fresh = self.initial_state(now_ms, random)?;
        let mut state = *state;
        let owed = self.wait_ms(&mut state, now_ms);
        let mode = if owed == 0 { PacerMode::Initial } else { state.mode };
        Ok(PacerState { delay_ms: fresh.delay_ms.max(owed), n: state.n, mode, ..fresh })
    }

    /// State after a successful request, which ends a backoff.
    ///
    /// `min_wait_ms` is the minimum wait that the service requested, however long. Negative waits count as no wait. With
    /// `i64::MAX`, no request is allowed until the state is replaced.
    #[must_use]
    pub fn record_success(&self, now_ms: i64, min_wait_ms: Option<i64>) -> PacerState {
        let delay_ms = min_wait_ms.unwrap_or(0).max(0);
        let mode = if delay_ms > 0 { PacerMode::Wait } else { PacerMode::Free };
        PacerState { set_ms: now_ms, delay_ms, n: 0, mode }
    }

    /// State after a failed request. The wait doubles with each consecutive failure. Timeouts and invalid responses are
    /// failures, too.
    ///
    /// # Errors
    /// [`InvalidRandomNumber`] unless `random` is at least 0 and below 1.
    pub fn record_failure(
        &self,
        state: &PacerState,
        now_ms: i64,
        random: f64,
    ) -> Result<PacerState, InvalidRandomNumber> {
        let random = validate_random(random)?;
        let n = state.n.saturating_add(1);
        let mut delay = self.params.base_ms;
        for _ in 1..n {
            if delay >= self.params.max_ms {
                break;
            }
            delay = delay.saturating_mul(2);
        }
        let delay_ms = delay.saturating_add(scale_by_random(delay, random)).min(self.params.max_ms);
        Ok(PacerState { set_ms: now_ms, delay_ms, n, mode: PacerMode::Backoff })
    }

    /// Decides whether a request may be sent at `now_ms`.
    ///
    /// If the clock was set back to a time before the start of the wait, the wait starts again. A stored backoff or random
    /// wait that is longer than the parameters allow is shortened.
    pub fn check(&self, state: &mut PacerState, now_ms: i64) -> PacerDecision {
        let wait_ms = self.wait_ms(state, now_ms);
        PacerDecision { allowed: wait_ms == 0, retry_after: duration_from_millis(wait_ms) }
    }

    fn wait_ms(&self, state: &mut PacerState, now_ms: i64) -> i64 {
        let max_ms = if state.mode == PacerMode::Wait { i64::MAX } else { self.max_delay_ms() };
        state.delay_ms = state.delay_ms.clamp(0, max_ms);
        state.set_ms = state.set_ms.min(now_ms);
        state.next_request_ms().saturating_sub(now_ms).max(0)
    }

    fn max_delay_ms(&self) -> i64 {
        self.params.max_ms.max(self.params.initial_max_ms)
    }
}

fn validate_random(random: f64) -> Result<f64, InvalidRandomNumber> {
    if (0.0..1.0).contains(&random) { Ok(random) } else { Err(InvalidRandomNumber(random)) }
}

#[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "at most 2^54, and `as` saturates")]
fn scale_by_random(whole: i64, random: f64) -> i64 {
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
    fn wake_keeps_backoff() {
        let pacer = pacer();
        let failed = pacer.record_failure(&pacer.initial_state(0, 0.0).unwrap(), 0, 0.0).unwrap();
        let woken = pacer.resume(&failed, 1_000, 0.9).unwrap();
        assert_eq!((woken.next_request_ms(), woken.n, woken.mode), (900_000, 1, PacerMode::Backoff));
        let late = pacer.resume(&failed, 890_000, 0.9).unwrap();
        assert_eq!((late.delay_ms, late.mode), (54_000, PacerMode::Backoff));
        let paid = pacer.resume(&failed, 900_000, 0.5).unwrap();
        assert_eq!((paid.delay_ms, paid.n, paid.mode), (30_000, 1, PacerMode::Initial));
    }

    #[test]
    fn only_the_service_requests_waits_above_the_maximum() {
        let pacer = pacer();
        let month = 30 * 86_400_000;
        let mut state = pacer.record_success(0, Some(month));
        assert!(!pacer.check(&mut state, month - 1).allowed);
        state = pacer.resume(&state, month - 1_000, 0.0).unwrap();
        assert!(!pacer.check(&mut state, month - 1).allowed && pacer.check(&mut state, month).allowed);
        let mut never = pacer.record_success(7, Some(i64::MAX));
        assert!(!pacer.check(&mut never, i64::MAX - 8).allowed);
        let mut stored = PacerState { set_ms: 7, delay_ms: i64::MAX, n: 1, mode: PacerMode::Backoff };
        assert_eq!((pacer.wait_ms(&mut stored, 7), stored.delay_ms), (86_400_000, 86_400_000));
    }

    #[test]
    fn back_off_doubles_to_a_day_and_never_overflows() {
        let pacer = pacer();
        let mut state = pacer.initial_state(0, 0.0).unwrap();
        let mut delays = Vec::new();
        for _ in 0..9 {
            state = pacer.record_failure(&state, 0, 0.0).unwrap();
            delays.push(state.delay_ms / 60_000);
        }
        assert_eq!(delays, [15, 30, 60, 120, 240, 480, 960, 1_440, 1_440]);
        let worn = PacerState { n: u32::MAX, ..state };
        assert_eq!(pacer.record_failure(&worn, i64::MAX, 0.999).unwrap().delay_ms, 86_400_000);
    }

    #[test]
    fn a_negative_wait_is_none() {
        assert_eq!(pacer().record_success(7, Some(-5)), pacer().record_success(7, None));
        assert_eq!(pacer().record_success(7, Some(5)).mode, PacerMode::Wait);
    }

    #[test]
    fn random_numbers_outside_their_range_are_errors() {
        let pacer = pacer();
        let state = pacer.initial_state(0, 0.999_999).unwrap();
        for random in [1.0, -0.1, f64::NAN, f64::INFINITY] {
            assert!(pacer.initial_state(0, random).is_err());
            assert!(pacer.resume(&state, 0, random).is_err());
            assert!(pacer.record_failure(&state, 0, random).is_err());
        }
    }

    proptest! {
        #[test]
        fn retry_after_is_exact(failures in 1u32..40, random in 0.0f64..1.0, at in 0i64..1 << 50, after in 0i64..1 << 30) {
            let pacer = pacer();
            let mut state = pacer.initial_state(at, random).unwrap();
            for _ in 0..failures { state = pacer.record_failure(&state, at, random).unwrap() }
            let decision = pacer.check(&mut state.clone(), at + after);
            prop_assert_eq!(decision.allowed, decision.retry_after.is_zero());
            if !decision.allowed {
                let allowed_at = at + after + i64::try_from(decision.retry_after.as_millis()).unwrap();
                prop_assert!(pacer.check(&mut state.clone(), allowed_at).allowed);
                prop_assert!(!pacer.check(&mut state.clone(), allowed_at - 1).allowed);
            }
            // If the clock is set back, the wait starts again, whatever its reason.
            let mut back = state;
            prop_assert_eq!(pacer.wait_ms(&mut back, at - 1_000_000_000), state.delay_ms);
            prop_assert_eq!(back.set_ms, at - 1_000_000_000);
        }

        #[test]
        fn survives_any_state_and_any_time(set_ms: i64, delay_ms: i64, n: u32, now: i64, random in 0.0f64..1.0) {
            let pacer = pacer();
            let mut state = PacerState { set_ms, delay_ms, n, mode: PacerMode::Backoff };
            let _ = (pacer.resume(&state, now, random), pacer.check(&mut state, now));
            let failed = pacer.record_failure(&state, now, random).unwrap();
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
