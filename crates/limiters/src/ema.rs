//! EMA limiter: learns the usual gap between events, and refuses events that come much faster. See [`Ema`].

#[cfg(not(feature = "std"))]
use num_traits::Float as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::elapsed_time::{ElapsedTime, elapsed_since};
use super::limiter::{
    DEFAULT_MAX_BACKWARD_CLOCK_STEP_MS, Decision, Evaluation, Event, InvalidCost, InvalidParameter, Limiter,
    MAX_WAIT_MS, NamedLimiter, shortest_allowed_wait, validate_parameter,
};
use super::timestamp::{Timestamp, duration_from_millis};

/// Function of the gap between two events, in milliseconds (`x`), that an [`Ema`] averages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EmaSignal {
    /// `ln(1 + x)`, the default. The logarithm compares ratios of gaps, so that human traffic, whose gaps span orders
    /// of magnitude, has a finite spread. For usual gaps below about 20 ms, the logarithm is too flat to reveal a
    /// burst.
    LogInterval,
    /// The gap `x` in milliseconds, suitable only for nearly regular gaps. With `alpha_fast` 1, the z-score is
    /// (mean − x) / σ, and so at most mean / σ. That is at most about 1 for random (Poisson) events, so a threshold of 1
    /// or more then refuses no event.
    Interval,
}

/// Weight of a refused event in the learned mean and variance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RefusedEventWeight {
    /// The weight of an allowed event, multiplied by the ratio of the gap before the event to the usual gap. The time
    /// until a flood counts as usual then does not depend on the number of its events.
    WallClock,
    /// Same weight as an allowed event. The limiter then adapts faster to a flood, and sooner treats it as usual.
    Full,
}

/// Parameters of an [`Ema`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EmaParams {
    /// Function that is applied to each gap before averaging. Default [`EmaSignal::LogInterval`].
    pub signal: EmaSignal,
    /// Weight of one gap in the slow averages, which estimate the usual gap and its variance. Above 0, at most 1;
    /// default 0.02, which remembers about 50 gaps.
    pub alpha: f64,
    /// Weight of one gap in the fast average, which estimates the current gap. Above 0, at most 1; default 0.15. With
    /// 1, only the latest gap counts.
    pub alpha_fast: f64,
    /// Maximum z-score of an allowed event, in standard deviations below the usual gap. Above 0; default 3.5.
    pub threshold: f64,
    /// Number of gaps observed before any event is refused. Default 10.
    pub warmup: u64,
    /// Minimum σ with [`EmaSignal::LogInterval`], in units of `ln`. Above 0; default 0.5, at which the rate of
    /// perfectly regular traffic may double permanently without refusals.
    pub sigma_floor: f64,
    /// Minimum σ with [`EmaSignal::Interval`], as a fraction of the mean. At least 0; default 0.25.
    pub cv_floor: f64,
    /// Minimum σ with [`EmaSignal::Interval`], in milliseconds. Above 0; default 1.
    pub sigma_floor_ms: f64,
    /// Maximum gap as a multiple of the usual gap. After the warm-up, longer gaps count as this maximum, so that a long
    /// silence does not hide a burst that follows. At least 1; default 10; `None` for no maximum.
    pub gap_cap: Option<f64>,
    /// Weight of a refused event in the learned averages. Default [`RefusedEventWeight::WallClock`].
    pub refused_weight: RefusedEventWeight,
    /// Maximum backward step of the clock that counts as clock skew, in milliseconds. At least 0; default
    /// [`DEFAULT_MAX_BACKWARD_CLOCK_STEP_MS`].
    pub max_backward_ms: i64,
}

impl Default for EmaParams {
    fn default() -> Self {
        Self {
            signal: EmaSignal::LogInterval,
            alpha: 0.02,
            alpha_fast: 0.15,
            threshold: 3.5,
            warmup: 10,
            sigma_floor: 0.5,
            cv_floor: 0.25,
            sigma_floor_ms: 1.0,
            gap_cap: Some(10.0),
            refused_weight: RefusedEventWeight::WallClock,
            max_backward_ms: DEFAULT_MAX_BACKWARD_CLOCK_STEP_MS,
        }
    }
}

/// State of one key of an [`Ema`]. `mean` and `fast` are in the unit of the [`EmaSignal`], `var` in its square.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EmaState {
    /// Number of gaps observed.
    pub n: u64,
    /// Time of the latest event, in milliseconds since the Unix epoch; `None` before the first event.
    pub last_ms: Option<i64>,
    /// Slow average of the gaps: the usual gap.
    pub mean: f64,
    /// Variance of the gaps around `mean`.
    pub var: f64,
    /// Fast average of the gaps: the current gap.
    pub fast: f64,
}

/// Reason for an [`EmaDecision`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EmaReason {
    /// Allowed: the first event of a key has no gap.
    First,
    /// Allowed: fewer than `warmup` gaps have been observed.
    Warmup,
    /// Allowed: the gap is not unusually short.
    Ok,
    /// Refused: the current gaps are far shorter than the usual ones.
    TooFast,
    /// Allowed: the clock was set back by more than `max_backward_ms`, so no gap was measured.
    ClockStep,
}

/// A [`Decision`] of an [`Ema`], with its reason and z-score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EmaDecision {
    /// True if the event is allowed.
    pub allowed: bool,
    /// Reason for the decision.
    pub reason: EmaReason,
    /// z-score of the current gap; `None` during the warm-up and if no gap was measured.
    pub z: Option<f64>,
    /// Milliseconds until an event would be allowed; see [`Decision::retry_after`]. May be 0 after a refusal: the
    /// limiter also learns from refused events, so that an immediate second event may be allowed.
    pub retry_after_ms: i64,
}

/// A limiter that learns the usual gap between the events of a key, and refuses events that come much faster.
///
/// Two exponentially weighted moving averages run side by side: a slow one of mean and variance (the usual gap) and a
/// fast one (the current gap). For a gap of `x` milliseconds, with [`EmaSignal::LogInterval`]:
///
/// ```text
/// y    = ln(1 + x)                         after the warm-up at most mean + ln(gap_cap)
/// fast = fast + alpha_fast * (y - fast)
/// c    = sqrt(alpha_fast / (2 - alpha_fast))
/// z    = (mean - fast) / (c * max(sqrt(var), sigma_floor))
///
/// refused if z > threshold and y < mean and x < 24 hours, after the warm-up
/// ```
///
/// Then the slow averages learn from the gap. The right-hand sides use the previous mean:
///
/// ```text
/// a    = max(alpha, 1 / n)                 of a refused event with `RefusedEventWeight::WallClock`: a * min(1, e^(y - mean))
/// mean = mean + a * (y - mean)
/// var  = (1 - a) * (var + a * (y - mean)^2)
/// ```
///
/// - With [`EmaSignal::Interval`], `y = x`, at most `mean * gap_cap`; the minimum σ is the larger of `cv_floor * mean`
///   and `sigma_floor_ms`; and the weight of a refused event is multiplied by `min(1, x / mean)`.
/// - The first event and the events of the first `warmup` gaps are always allowed.
/// - Store the state after a refusal, too: refused events are observed, so that lasting traffic becomes usual. The state
///   that [`Ema::decide`] returns after a refusal follows the formula. As a [`Limiter`], it leaves `fast` as it was
///   before a refused event: otherwise one client that tries again and again, shortly after the events of others, would
///   get many of the others refused.
/// - The first event with the usual gap after a burst is allowed.
/// - Costs other than 1 are an [`InvalidCost`] error, and refunds are not supported.
/// - States never expire, because deleting a state would lose what the limiter has learned.
///
/// # Limits of the method
///
/// If the first events of a key are a flood, the flood becomes the baseline of the key. The limiter adapts to a slow
/// ramp: a gap that shrinks by 0.5 % per event reaches a hundredth of its length without a refusal. Use a
/// [`LeakyBucket`](super::LeakyBucket) as an additional ceiling where this matters.
///
/// # Source
///
/// The z-score limiter of BitPin-Blog, with an exponentially weighted mean and variance: West (1979); Finch (2009),
/// "Incremental calculation of weighted mean and variance".
///
/// See the [comparison of limiters](super#choosing-a-limiter) and the [example](super#ema).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ema {
    params: EmaParams,
}

impl Ema {
    /// Validates the parameters, and creates a limiter.
    ///
    /// # Errors
    /// Returns an error that names the first parameter out of its range.
    pub fn new(params: EmaParams) -> Result<Self, InvalidParameter> {
        let weight = |value: f64| value > 0.0 && value <= 1.0;
        let positive = |value: f64| value > 0.0 && value.is_finite();
        validate_parameter(weight(params.alpha), "alpha", "above 0 and at most 1")?;
        validate_parameter(weight(params.alpha_fast), "alpha_fast", "above 0 and at most 1")?;
        validate_parameter(positive(params.threshold), "threshold", "a number above 0")?;
        match params.signal {
            EmaSignal::LogInterval => {
                validate_parameter(positive(params.sigma_floor), "sigma_floor", "a number above 0")?;
            }
            EmaSignal::Interval => {
                validate_parameter(
                    params.cv_floor >= 0.0 && params.cv_floor.is_finite(),
                    "cv_floor",
                    "a number of at least 0",
                )?;
                validate_parameter(positive(params.sigma_floor_ms), "sigma_floor_ms", "a number above 0")?;
            }
        }
        let capped = params.gap_cap.is_none_or(|cap| cap >= 1.0 && cap.is_finite());
        validate_parameter(capped, "gap_cap", "a number of at least 1, or none")?;
        validate_parameter(params.max_backward_ms >= 0, "max_backward_ms", "at least 0")?;
        Ok(Self { params })
    }

    /// Parameters of the limiter.
    #[must_use]
    pub fn params(&self) -> &EmaParams {
        &self.params
    }

    /// Decides whether to admit an event at `now_ms` (milliseconds since the Unix epoch), and updates the averages. The
    /// returned state must be stored whether or not the event was allowed.
    #[must_use]
    pub fn decide(&self, state: &EmaState, now_ms: i64) -> (EmaState, EmaDecision) {
        let (state, mut decision) = self.step(state, now_ms);
        if !decision.allowed {
            decision.retry_after_ms = self.retry_after_ms(&state);
        }
        (state, decision)
    }

    /// Same as [`decide`](Self::decide), but without computing the retry time.
    fn step(&self, state: &EmaState, now_ms: i64) -> (EmaState, EmaDecision) {
        let (elapsed, last) = elapsed_since(state.last_ms, now_ms, self.params.max_backward_ms);
        let seen = EmaState { last_ms: Some(last), ..*state };
        match elapsed {
            _ if state.last_ms.is_none() => (seen, allowed(EmaReason::First)),
            ElapsedTime::ClockStep => (seen, allowed(EmaReason::ClockStep)),
            ElapsedTime::Ms(gap_ms) if state.n == 0 => {
                let y = self.signal(gap_ms);
                (EmaState { n: 1, mean: y, fast: y, ..seen }, allowed(EmaReason::Warmup))
            }
            ElapsedTime::Ms(gap_ms) => self.evaluate(seen, gap_ms),
        }
    }

    fn evaluate(&self, mut state: EmaState, gap_ms: i64) -> (EmaState, EmaDecision) {
        let warm = state.n >= self.params.warmup;
        let y = self.capped(self.signal(gap_ms), &state, warm);
        let fast = state.fast + self.params.alpha_fast * (y - state.fast);
        let z = warm.then(|| (state.mean - fast) / self.fast_deviation(&state));
        // `y < state.mean` admits the first event with a usual gap after a burst. `gap_ms < MAX_WAIT_MS` admits any
        // event after 24 hours, even if gaps of weeks are usual.
        let refused = z.is_some_and(|z| z > self.params.threshold) && y < state.mean && gap_ms < MAX_WAIT_MS;

        state.fast = fast;
        state.n = state.n.saturating_add(1);
        let weight = self.weight(&state, y, gap_ms, refused);
        let delta = y - state.mean;
        let increment = weight * delta;
        state.mean += increment;
        state.var = (1.0 - weight) * (state.var + delta * increment);

        let reason = match (refused, warm) {
            (true, _) => EmaReason::TooFast,
            (false, true) => EmaReason::Ok,
            (false, false) => EmaReason::Warmup,
        };
        (state, EmaDecision { allowed: !refused, reason, z, retry_after_ms: 0 })
    }

    /// Shortest gap after which the next event is allowed. The search calls the limiter itself, because rounding in
    /// `exp` and `ln` would make a closed form inexact.
    fn retry_after_ms(&self, state: &EmaState) -> i64 {
        let last = state.last_ms.unwrap_or(0);
        shortest_allowed_wait(0, |wait| self.step(state, last.saturating_add(wait)).1.allowed)
    }

    #[expect(clippy::cast_precision_loss, reason = "gaps beyond 2^53 ms are 285,000 years")]
    fn signal(&self, gap_ms: i64) -> f64 {
        match self.params.signal {
            EmaSignal::LogInterval => (gap_ms as f64).ln_1p(),
            EmaSignal::Interval => gap_ms as f64,
        }
    }

    fn capped(&self, y: f64, state: &EmaState, warm: bool) -> f64 {
        match (self.params.gap_cap, self.params.signal) {
            (Some(cap), EmaSignal::LogInterval) if warm => y.min(state.mean + cap.ln()),
            (Some(cap), EmaSignal::Interval) if warm => y.min(state.mean * cap),
            _ => y,
        }
    }

    /// Standard deviation of the fast average around the slow average.
    fn fast_deviation(&self, state: &EmaState) -> f64 {
        let params = &self.params;
        let deviation = state.var.sqrt();
        let sigma = match params.signal {
            EmaSignal::LogInterval => deviation.max(params.sigma_floor),
            EmaSignal::Interval => deviation.max(params.cv_floor * state.mean).max(params.sigma_floor_ms),
        };
        (params.alpha_fast / (2.0 - params.alpha_fast)).sqrt() * sigma
    }

    /// Weight of a gap in the slow averages: `1 / n` for the first gaps, so that the averages equal the plain mean and
    /// variance, and `alpha` later. The gap of a refused event may have a smaller weight.
    #[expect(clippy::cast_precision_loss, reason = "1/n is needed to a few digits only")]
    fn weight(&self, state: &EmaState, y: f64, gap_ms: i64, refused: bool) -> f64 {
        let weight = self.params.alpha.max(1.0 / state.n as f64);
        if !refused || self.params.refused_weight == RefusedEventWeight::Full {
            return weight;
        }
        let usual_gaps = match self.params.signal {
            EmaSignal::LogInterval => (y - state.mean).exp(),
            EmaSignal::Interval => gap_ms as f64 / state.mean,
        };
        weight * usual_gaps.min(1.0)
    }
}

impl NamedLimiter for Ema {
    const NAME: &'static str = "ema";
    type Params = EmaParams;

    fn with_params(params: EmaParams) -> Result<Self, InvalidParameter> {
        Self::new(params)
    }
}

impl Limiter for Ema {
    type State = EmaState;

    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn evaluate(&self, state: &EmaState, event: Event) -> Result<Evaluation<EmaState>, InvalidCost> {
        InvalidCost::require_unit_cost(event.cost)?;
        let (next, EmaDecision { allowed, .. }) = self.step(state, event.time.unix_millis());
        let refused = EmaState { fast: state.fast, ..next };
        let wait_ms = if allowed { 0 } else { self.retry_after_ms(&refused) };
        let decision = Decision::new(allowed, duration_from_millis(wait_ms));
        Ok(Evaluation { decision, admitted: next, refused })
    }

    fn expires_at(&self, _: &EmaState) -> Option<Timestamp> {
        None
    }

    fn save<S: Serializer>(&self, state: &EmaState, serializer: S) -> Result<S::Ok, S::Error> {
        state.serialize(serializer)
    }

    fn restore<'de, D: Deserializer<'de>>(&self, saved: D) -> Result<EmaState, D::Error> {
        Deserialize::deserialize(saved)
    }
}

fn allowed(reason: EmaReason) -> EmaDecision {
    EmaDecision { allowed: true, reason, z: None, retry_after_ms: 0 }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn ema(change: impl FnOnce(&mut EmaParams)) -> Ema {
        let mut params = EmaParams::default();
        change(&mut params);
        Ema::new(params).unwrap()
    }

    fn interval_mode() -> Ema {
        ema(|params| {
            params.signal = EmaSignal::Interval;
            params.alpha_fast = 1.0;
            params.threshold = 2.0;
            params.gap_cap = None;
            params.refused_weight = RefusedEventWeight::Full;
        })
    }

    /// Sends `count` events, `gap` milliseconds apart. Returns the number of refused events.
    fn run(limiter: &Ema, state: &mut EmaState, count: u32, gap: i64) -> u32 {
        (0..count)
            .filter(|_| {
                let now = state.last_ms.map_or(1_700_000_000_000, |last| last + gap);
                let (next, decision) = limiter.decide(state, now);
                *state = next;
                !decision.allowed
            })
            .count()
            .try_into()
            .unwrap()
    }

    #[test]
    fn a_sudden_burst_is_refused_and_the_first_normal_event_after_it_passes() {
        let (limiter, mut state) = (ema(|_| ()), EmaState::default());
        assert_eq!(run(&limiter, &mut state, 15, 5_000), 0);
        assert_eq!(run(&limiter, &mut state, 6, 50), 6);
        assert_eq!(run(&limiter, &mut state, 1, 5_000), 0);
    }

    #[test]
    fn adapts_by_wall_time_not_by_volume() {
        let calm = |limiter: &Ema| {
            let mut state = EmaState::default();
            run(limiter, &mut state, 1_000, 5_000);
            state
        };
        let refused_of_a_minute = |limiter: &Ema| run(limiter, &mut calm(limiter), 1_200, 50);
        let by_wall_clock = refused_of_a_minute(&ema(|_| ()));
        let by_volume = refused_of_a_minute(&ema(|params| params.refused_weight = RefusedEventWeight::Full));
        assert!(by_wall_clock > 20 * by_volume, "{by_wall_clock} refused by the clock, {by_volume} by volume");
        let (limiter, mut state) = (ema(|_| ()), EmaState::default());
        run(&limiter, &mut state, 1_000, 5_000);
        run(&limiter, &mut state, 20_000, 50);
        assert_eq!(run(&limiter, &mut state, 1_000, 50), 0);
    }

    #[test]
    fn the_threshold_itself_and_the_usual_gap_pass() {
        let limiter = interval_mode();
        // σ is 5, so a gap of 90 is exactly two standard deviations below the mean.
        let state = EmaState { n: 100, last_ms: Some(0), mean: 100.0, var: 25.0, fast: 0.0 };
        let limiter = Ema::new(EmaParams { cv_floor: 0.0, ..*limiter.params() }).unwrap();
        assert!(limiter.decide(&state, 90).1.allowed);
        assert!(!limiter.decide(&state, 89).1.allowed);
        // An event after the usual gap is allowed, although the fast average still reflects the burst.
        let slow = Ema::new(EmaParams { alpha_fast: 0.1, ..*limiter.params() }).unwrap();
        assert!(slow.decide(&state, 100).1.allowed);
        assert!(!slow.decide(&state, 99).1.allowed);
    }

    #[test]
    fn caps_long_gaps_after_warmup() {
        let mean_after = |log: bool, n: u64| {
            let signal = if log { EmaSignal::LogInterval } else { EmaSignal::Interval };
            let limiter = ema(|params| (params.signal, params.alpha, params.gap_cap) = (signal, 0.5, Some(10.0)));
            let mean = if log { 1_000_f64.ln_1p() } else { 1_000.0 };
            let state = EmaState { n, last_ms: Some(0), mean, var: 0.0, fast: mean };
            limiter.decide(&state, 1_000_000).0.mean
        };
        assert!((mean_after(false, 10) - 5_500.0).abs() < 1e-9);
        assert!((mean_after(false, 9) - 500_500.0).abs() < 1e-9);
        assert!((mean_after(true, 10) - (1_000_f64.ln_1p() + 0.5 * 10_f64.ln())).abs() < 1e-9);
        assert!((mean_after(true, 9) - f64::midpoint(1_000_f64.ln_1p(), 1_000_000_f64.ln_1p())).abs() < 1e-9);
    }

    #[test]
    fn refused_gap_is_weighted_by_wall_time() {
        let limiter = ema(|params| {
            (params.signal, params.alpha, params.alpha_fast) = (EmaSignal::Interval, 0.5, 1.0);
            (params.threshold, params.cv_floor) = (1.0, 0.1);
        });
        let state = EmaState { n: 100, last_ms: Some(0), mean: 1_000.0, var: 0.0, fast: 1_000.0 };
        let (next, decision) = limiter.decide(&state, 200);
        assert!(!decision.allowed);
        // A gap of one fifth of the usual gap has one fifth of the weight.
        assert!((next.mean - (1_000.0 - 0.5 * 0.2 * 800.0)).abs() < 1e-9, "{}", next.mean);
    }

    #[test]
    fn has_no_refunds_and_never_expires() {
        let (limiter, mut state) = (ema(|_| ()), EmaState::default());
        assert!(limiter.check(&mut state, Event::at_unix_millis(5)).unwrap().allowed);
        assert!(!limiter.refund(&mut state, Event::at_unix_millis(5)));
        assert_eq!((limiter.name(), limiter.expires_at(&state)), ("ema", None));
        assert_eq!(limiter.restore(serde_json::to_value(state).unwrap()).unwrap(), state);
        assert!(limiter.check(&mut state, Event::at_unix_millis(6).with_cost(2)).is_err());
    }

    #[test]
    fn a_clock_set_back_measures_nothing() {
        let (limiter, mut state) = (ema(|_| ()), EmaState::default());
        run(&limiter, &mut state, 20, 5_000);
        let (stepped, decision) = limiter.decide(&state, 0);
        assert_eq!((decision.reason, stepped.last_ms, stepped.n), (EmaReason::ClockStep, Some(0), state.n));
        assert_eq!(run(&limiter, &mut state, 5, 5_000), 0);
    }

    proptest! {
        #[test]
        fn retry_after_is_exact(
            gaps in prop::collection::vec(prop_oneof![0i64..20, 100i64..10_000, Just(3_600_000)], 30..200),
            log: bool, alpha_fast in 0.05f64..1.0, threshold in 0.5f64..4.0,
        ) {
            let limiter = ema(|params| {
                params.signal = if log { EmaSignal::LogInterval } else { EmaSignal::Interval };
                params.alpha_fast = alpha_fast;
                params.threshold = threshold;
            });
            let (mut state, mut now) = (EmaState::default(), 1_700_000_000_000);
            for gap in gaps {
                now += gap;
                let (next, decision) = limiter.decide(&state, now);
                state = next;
                prop_assert!(state.var >= 0.0 && state.mean.is_finite());
                if !decision.allowed {
                    let retry = decision.retry_after_ms;
                    prop_assert!(limiter.decide(&state, now + retry).1.allowed);
                    prop_assert!(retry == 0 || !limiter.decide(&state, now + retry - 1).1.allowed);
                }
            }
        }

        #[test]
        fn a_backward_clock_counts_as_no_time(back in 0i64..=60_000) {
            let (limiter, mut state) = (ema(|_| ()), EmaState::default());
            run(&limiter, &mut state, 30, 5_000);
            let now = state.last_ms.unwrap();
            prop_assert_eq!(limiter.decide(&state, now - back), limiter.decide(&state, now));
        }

        #[test]
        fn survives_any_time_and_keeps_its_state_through_json(times in prop::collection::vec(any::<i64>(), 1..60), log: bool) {
            let limiter = if log { ema(|_| ()) } else { interval_mode() };
            let mut state = EmaState::default();
            for now in times {
                state = limiter.decide(&state, now).0;
                let json = serde_json::to_string(&state).unwrap();
                prop_assert_eq!(&serde_json::from_str::<EmaState>(&json).unwrap(), &state);
            }
        }

        #[test]
        fn mean_and_variance_are_exact_while_young(gaps in prop::collection::vec(1_000i64..9_000, 2..40)) {
            // With `alpha` below `1/n` all samples weigh the same, so the formulas of the plain mean and variance
            // apply.
            let limiter = ema(|params| { params.alpha = 0.001; params.warmup = 1_000 });
            let (mut state, mut now) = (EmaState::default(), 0);
            state = limiter.decide(&state, now).0;
            for gap in &gaps { now += gap; state = limiter.decide(&state, now).0; }
            let logs: Vec<f64> = gaps.iter().map(|gap| f64::from(i32::try_from(*gap).unwrap()).ln_1p()).collect();
            let count = f64::from(u32::try_from(logs.len()).unwrap());
            let mean = logs.iter().sum::<f64>() / count;
            let var = logs.iter().map(|y| (y - mean).powi(2)).sum::<f64>() / count;
            prop_assert!((state.mean - mean).abs() < 1e-9 && (state.var - var).abs() < 1e-9);
        }
    }

    #[test]
    fn invalid_parameters_are_named() {
        let named = |change: fn(&mut EmaParams)| {
            let mut params = EmaParams::default();
            change(&mut params);
            Ema::new(params).unwrap_err().name
        };
        assert_eq!(named(|params| params.alpha = 0.0), "alpha");
        assert_eq!(named(|params| params.alpha = f64::NAN), "alpha");
        assert_eq!(named(|params| params.alpha_fast = 1.5), "alpha_fast");
        assert_eq!(named(|params| params.threshold = f64::INFINITY), "threshold");
        assert_eq!(named(|params| params.sigma_floor = 0.0), "sigma_floor");
        assert_eq!(named(|params| params.gap_cap = Some(0.9)), "gap_cap");
        assert_eq!(named(|params| params.max_backward_ms = -1), "max_backward_ms");
        let interval = |change: fn(&mut EmaParams)| {
            let mut params = *interval_mode().params();
            change(&mut params);
            Ema::new(params).unwrap_err().name
        };
        assert_eq!(interval(|params| params.cv_floor = -0.1), "cv_floor");
        assert_eq!(interval(|params| params.sigma_floor_ms = 0.0), "sigma_floor_ms");
    }
}
