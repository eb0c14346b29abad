//! Original EMA limiter of BitPin-Blog: learns mean and variance of all gaps between events. See [`EmaOriginal`].

#[cfg(not(feature = "std"))]
use num_traits::Float as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::elapsed_time::{ElapsedTime, elapsed_since};
use super::limiter::{
    DEFAULT_MAX_BACKWARD_CLOCK_STEP_MS, Decision, Evaluation, Event, InvalidCost, InvalidParameter, Limiter,
    MAX_WAIT_MS, NamedLimiter, shortest_allowed_wait, validate_parameter,
};
use super::timestamp::{Timestamp, duration_from_millis};

/// Parameters of an [`EmaOriginal`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EmaOriginalParams {
    /// Maximum z-score of an allowed event, in standard deviations below the mean gap. Above 0; default 2.
    pub threshold: f64,
    /// Maximum backward step of the clock that counts as clock skew, in milliseconds. At least 0; default
    /// [`DEFAULT_MAX_BACKWARD_CLOCK_STEP_MS`].
    pub max_backward_ms: i64,
}

impl Default for EmaOriginalParams {
    fn default() -> Self {
        Self { threshold: 2.0, max_backward_ms: DEFAULT_MAX_BACKWARD_CLOCK_STEP_MS }
    }
}

/// State of one key of an [`EmaOriginal`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EmaOriginalState {
    /// Number of allowed events.
    pub count: u64,
    /// Time of the latest event, in milliseconds since the Unix epoch; `None` before the first event.
    pub last_ms: Option<i64>,
    /// Mean gap in seconds.
    pub mean: f64,
    /// Sum of the squared differences between each gap and the mean at that time, in square seconds.
    pub variation_sum: f64,
}

impl EmaOriginalState {
    /// State of a key that was created at `created_ms` (milliseconds since the Unix epoch). The gap of the first event
    /// begins at `created_ms`, as in BitPin-Blog. With the default state, the first event has a gap of 0.
    #[must_use]
    pub fn created_at(created_ms: i64) -> Self {
        Self { last_ms: Some(created_ms), ..Self::default() }
    }
}

/// A limiter that learns mean and variance of all gaps between the events of a key, and refuses events whose gap is far
/// below the mean.
///
/// For a gap of `x` seconds after `n` allowed events:
///
/// ```text
/// mean          = (mean * n + x) / (n + 1)
/// variation_sum = variation_sum + (x - mean)^2
/// sigma         = sqrt(variation_sum / (n + 1))      or 1 if this is 0
/// z             = (mean - x) / sigma
///
/// refused if z > threshold, unless n = 0 or x is at least 24 hours
/// ```
///
/// - The state is updated before the test, and also by refused events, which do not increase `n`. Store the state after
///   a refusal, too.
/// - The first event is always allowed.
/// - Costs other than 1 are an [`InvalidCost`] error, and refunds are not supported.
/// - States never expire, because deleting a state would lose what the limiter has learned.
///
/// # Limits of the method
///
/// Prefer [`Ema`](super::Ema), which corrects the following weaknesses:
///
/// - The gap under test is part of the mean and of the variance with which it is compared, so that z is at most
///   `sqrt(n + 1)`: with the default threshold, none of the first four events is refused.
/// - After Poisson or burstier traffic, whose gaps have a standard deviation of at least their mean, z never exceeds
///   about 1: with the default threshold, no burst is refused.
/// - Refused events lower the mean as much as allowed ones. A flood is therefore soon treated as usual: the more
///   events it has, the sooner.
///
/// # Source
///
/// `can_request_rating_ema` in `rate/utils.py` of BitPin-Blog, whose threshold is 2. This limiter differs in two cases:
/// an event 24 hours after the previous one is always allowed, and the gap is 0 if the clock was set back.
///
/// See the [comparison of limiters](super#choosing-a-limiter).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EmaOriginal {
    params: EmaOriginalParams,
}

impl EmaOriginal {
    /// Validates the parameters, and creates a limiter.
    ///
    /// # Errors
    /// Returns an error that names the first parameter out of its range.
    pub fn new(params: EmaOriginalParams) -> Result<Self, InvalidParameter> {
        let positive = params.threshold > 0.0 && params.threshold.is_finite();
        validate_parameter(positive, "threshold", "a number above 0")?;
        validate_parameter(params.max_backward_ms >= 0, "max_backward_ms", "at least 0")?;
        Ok(Self { params })
    }

    /// Parameters of the limiter.
    #[must_use]
    pub fn params(&self) -> &EmaOriginalParams {
        &self.params
    }

    /// Decides an event at `now_ms`, and returns the state for a refusal. For an allowed event, the caller also
    /// increases `count`.
    #[expect(clippy::cast_precision_loss, reason = "numbers beyond 2^53 are not needed exactly")]
    fn step(&self, state: &EmaOriginalState, now_ms: i64) -> (bool, EmaOriginalState) {
        let (elapsed, last) = elapsed_since(state.last_ms, now_ms, self.params.max_backward_ms);
        let mut next = EmaOriginalState { last_ms: Some(last), ..*state };
        let ElapsedTime::Ms(gap_ms) = elapsed else { return (true, next) };
        let (gap, count) = (gap_ms as f64 / 1_000.0, state.count as f64);
        next.mean = (state.mean * count + gap) / (count + 1.0);
        next.variation_sum += (gap - next.mean).powi(2);
        let sigma = (next.variation_sum / (count + 1.0)).sqrt();
        let sigma = if sigma == 0.0 { 1.0 } else { sigma };
        let z = (next.mean - gap) / sigma;
        (state.count == 0 || z <= self.params.threshold || gap_ms >= MAX_WAIT_MS, next)
    }
}

impl NamedLimiter for EmaOriginal {
    const NAME: &'static str = "ema_original";
    type Params = EmaOriginalParams;

    fn with_params(params: EmaOriginalParams) -> Result<Self, InvalidParameter> {
        Self::new(params)
    }
}

impl Limiter for EmaOriginal {
    type State = EmaOriginalState;

    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn evaluate(&self, state: &EmaOriginalState, event: Event) -> Result<Evaluation<EmaOriginalState>, InvalidCost> {
        InvalidCost::require_unit_cost(event.cost)?;
        let (allowed, refused) = self.step(state, event.time.unix_millis());
        let retry_after_ms = if allowed {
            0
        } else {
            let last = refused.last_ms.unwrap_or(0);
            shortest_allowed_wait(0, |wait| self.step(&refused, last.saturating_add(wait)).0)
        };
        let admitted = EmaOriginalState { count: refused.count.saturating_add(1), ..refused };
        Ok(Evaluation { decision: Decision::new(allowed, duration_from_millis(retry_after_ms)), admitted, refused })
    }

    fn expires_at(&self, _: &EmaOriginalState) -> Option<Timestamp> {
        None
    }

    fn save<S: Serializer>(&self, state: &EmaOriginalState, serializer: S) -> Result<S::Ok, S::Error> {
        state.serialize(serializer)
    }

    fn restore<'de, D: Deserializer<'de>>(&self, saved: D) -> Result<EmaOriginalState, D::Error> {
        Deserialize::deserialize(saved)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn limiter() -> EmaOriginal {
        EmaOriginal::new(EmaOriginalParams::default()).unwrap()
    }

    /// Sends events with gaps in milliseconds. Returns the number of refused events.
    fn run(state: &mut EmaOriginalState, gaps: impl IntoIterator<Item = i64>) -> usize {
        let send = |gap| {
            let now = state.last_ms.unwrap_or(0) + gap;
            limiter().check(state, Event::at_unix_millis(now)).unwrap().allowed
        };
        gaps.into_iter().map(send).filter(|allowed| !allowed).count()
    }

    #[test]
    fn first_event_and_equal_gaps_are_allowed() {
        let mut state = EmaOriginalState::created_at(0);
        assert_eq!(run(&mut state, [60_000; 50]), 0);
        assert_eq!((state.count, state.mean, state.variation_sum), (50, 60.0, 0.0));
        let mut state = EmaOriginalState::default();
        assert_eq!(run(&mut state, [0; 50]), 0);
        assert_eq!((state.count, state.mean), (50, 0.0));
    }

    #[test]
    fn refused_events_are_learned_but_not_counted() {
        let mut state = EmaOriginalState::created_at(0);
        run(&mut state, [5_000; 15]);
        assert_eq!(run(&mut state, [50]), 1);
        assert_eq!(state.count, 15);
        assert!((state.mean - (5.0 * 15.0 + 0.05) / 16.0).abs() < 1e-12);
    }

    #[test]
    fn has_no_refunds_and_never_expires() {
        let mut state = EmaOriginalState::default();
        assert!(limiter().check(&mut state, Event::at_unix_millis(5)).unwrap().allowed);
        assert!(!limiter().refund(&mut state, Event::at_unix_millis(5)));
        assert_eq!((limiter().name(), limiter().expires_at(&state)), ("ema_original", None));
        assert_eq!(limiter().restore(serde_json::to_value(state).unwrap()).unwrap(), state);
        assert!(limiter().check(&mut state, Event::at_unix_millis(6).with_cost(2)).is_err());
        for threshold in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let refused = EmaOriginal::new(EmaOriginalParams { threshold, ..Default::default() }).unwrap_err();
            assert_eq!(refused.name, "threshold");
        }
    }

    proptest! {
        #[test]
        fn retry_after_is_exact(gaps in prop::collection::vec(prop_oneof![0i64..20, 1_000i64..10_000, Just(400_000_000)], 5..200)) {
            let mut state = EmaOriginalState::default();
            for gap in gaps {
                let now = state.last_ms.unwrap_or(0) + gap;
                let Decision { allowed, retry_after, .. } = limiter().check(&mut state, Event::at_unix_millis(now)).unwrap();
                if !allowed {
                    let retry_after_ms = i64::try_from(retry_after.as_millis()).unwrap();
                    prop_assert!(retry_after_ms <= MAX_WAIT_MS);
                    prop_assert!(limiter().peek(&state, Event::at_unix_millis(now + retry_after_ms)).unwrap().allowed);
                    let earlier = Event::at_unix_millis(now + retry_after_ms - 1);
                    prop_assert!(retry_after_ms == 0 || !limiter().peek(&state, earlier).unwrap().allowed);
                }
            }
        }

        #[test]
        fn survives_any_time_and_keeps_its_state_through_json(times in prop::collection::vec(any::<i64>(), 1..60)) {
            let mut state = EmaOriginalState::default();
            for now in times {
                let _ = limiter().check(&mut state, Event::at_unix_millis(now)).unwrap();
                let json = serde_json::to_string(&state).unwrap();
                prop_assert_eq!(&serde_json::from_str::<EmaOriginalState>(&json).unwrap(), &state);
            }
        }
    }
}
