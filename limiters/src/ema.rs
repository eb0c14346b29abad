//! The EMA limiter (exponential moving averages): learns how long the gaps between events usually are, and refuses
//! events whose recent gaps are far shorter, by a z-score `(mean − current) / σ`.
//!
//! Two exponentially weighted averages run side by side: a slow one of mean and variance (what the key is used to) and
//! a fast one (what is happening now). An event is tested against the state before it, and then learned from, whether
//! or not it is refused: what lasts becomes usual. A refused event teaches only as much as the wall time it took
//! ([`RefusedWeight::WallClock`]). Otherwise the volume of a flood would decide how fast it becomes normal.
//!
//! Formulas for mean and variance: West (1979) and Finch (2009), "Incremental calculation of weighted
//! mean and variance".
//!
//! What it cannot do: a key born in a flood takes the flood for its baseline, and a ramp slow enough is
//! followed. Where that matters, combine it with a [leaky bucket](super::LeakyBucket).

use serde::{Deserialize, Deserializer, Serialize};

use super::advance::{Elapsed, advance};
use super::limiter::{
    DEFAULT_MAX_BACKWARD_MS, Decision, Event, InvalidCost, InvalidParameter, Judgement, LONGEST_WAIT_MS, Limiter,
    Named, first_allowed, require,
};

/// What is measured of a gap of `x` milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Signal {
    /// `ln(1 + x)`: what counts is the ratio of gaps. So human traffic, whose gaps span orders of magnitude, has a
    /// finite spread. The right choice unless gaps are nearly regular.
    LogInterval,
    /// `x` itself. A z-score of gaps can never exceed mean / σ: after Poisson or burstier traffic no
    /// threshold of 1 or more ever fires.
    Interval,
}

/// How much a refused event teaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RefusedWeight {
    /// In proportion to the gap before it, measured in usual gaps.
    WallClock,
    /// As much as an allowed one: a flood opens the gate by its own volume.
    Full,
}

/// Parameters of an [`Ema`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EmaParams {
    /// What is measured of the gaps.
    pub signal: Signal,
    /// Weight of one gap in what is usual. In (0, 1]; 0.02 remembers about 50 gaps.
    pub alpha: f64,
    /// Weight of one gap in what is current. In (0, 1]; 1 looks at the last gap alone.
    pub alpha_fast: f64,
    /// Standard deviations below the usual at which events are refused. Above 0.
    pub threshold: f64,
    /// Gaps to be seen before anything is refused.
    pub warmup: u64,
    /// Log mode: the least σ, in units of `ln`. 0.5 tolerates a lasting doubling of perfectly regular traffic. Above 0.
    pub sigma_floor: f64,
    /// Interval mode: the least σ as a fraction of the mean. At least 0.
    pub cv_floor: f64,
    /// Interval mode: the least σ in milliseconds. Above 0.
    pub sigma_floor_ms: f64,
    /// Gaps count as at most this many usual gaps, so that a long silence does not hide what follows.
    /// At least 1, or none.
    pub gap_cap: Option<f64>,
    /// How much a refused event teaches.
    pub refused_weight: RefusedWeight,
    /// See [`DEFAULT_MAX_BACKWARD_MS`]. At least 0.
    pub max_backward_ms: i64,
}

impl Default for EmaParams {
    fn default() -> Self {
        Self {
            signal: Signal::LogInterval,
            alpha: 0.02,
            alpha_fast: 0.15,
            threshold: 3.5,
            warmup: 10,
            sigma_floor: 0.5,
            cv_floor: 0.25,
            sigma_floor_ms: 1.0,
            gap_cap: Some(10.0),
            refused_weight: RefusedWeight::WallClock,
            max_backward_ms: DEFAULT_MAX_BACKWARD_MS,
        }
    }
}

/// What is remembered of one key. `mean` and `fast` are in the unit of the [`Signal`], `var` in its square.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EmaState {
    /// Gaps seen.
    pub n: u64,
    /// The last event, in milliseconds since the Unix epoch.
    pub last_ms: Option<i64>,
    /// What is usual: the slow average.
    pub mean: f64,
    /// The variance of what is usual.
    pub var: f64,
    /// What is current: the fast average.
    pub fast: f64,
}

/// Why an event was decided as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EmaReason {
    /// The first event of the key: there is no gap yet.
    First,
    /// Too few gaps to judge by.
    Warmup,
    /// The gap is not unusually short.
    Ok,
    /// The current gaps are far shorter than the usual ones.
    TooFast,
    /// The clock was set back: nothing was measured.
    ClockStep,
}

/// A [`Decision`] with its grounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EmaDecision {
    /// Whether the event may happen.
    pub allowed: bool,
    /// Why.
    pub reason: EmaReason,
    /// The z-score, once there is enough to judge by.
    pub z: Option<f64>,
    /// As [`Decision::retry_after_ms`]; 0 on a refusal means that the next event will be allowed.
    pub retry_after_ms: i64,
}

/// See the [module's table](super) for when to choose it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ema {
    params: EmaParams,
}

impl Ema {
    /// # Errors
    /// Names the first parameter that is out of its range.
    pub fn new(params: EmaParams) -> Result<Self, InvalidParameter> {
        let weight = |value: f64| value > 0.0 && value <= 1.0;
        let positive = |value: f64| value > 0.0 && value.is_finite();
        require(weight(params.alpha), "alpha", "above 0 and at most 1")?;
        require(weight(params.alpha_fast), "alpha_fast", "above 0 and at most 1")?;
        require(positive(params.threshold), "threshold", "a number above 0")?;
        match params.signal {
            Signal::LogInterval => require(positive(params.sigma_floor), "sigma_floor", "a number above 0")?,
            Signal::Interval => {
                require(params.cv_floor >= 0.0 && params.cv_floor.is_finite(), "cv_floor", "a number, at least 0")?;
                require(positive(params.sigma_floor_ms), "sigma_floor_ms", "a number above 0")?;
            }
        }
        let capped = params.gap_cap.is_none_or(|cap| cap >= 1.0 && cap.is_finite());
        require(capped, "gap_cap", "a number, at least 1, or none")?;
        require(params.max_backward_ms >= 0, "max_backward_ms", "at least 0")?;
        Ok(Self { params })
    }

    /// What it was made from.
    #[must_use]
    pub fn params(&self) -> &EmaParams {
        &self.params
    }

    /// Decides an event at `now_ms` and learns from it. The state is to be stored whether or not the event was allowed.
    #[must_use]
    pub fn observe(&self, state: &EmaState, now_ms: i64) -> (EmaState, EmaDecision) {
        let (state, mut decision) = self.step(state, now_ms);
        if !decision.allowed {
            decision.retry_after_ms = self.retry_after_ms(&state);
        }
        (state, decision)
    }

    /// [`observe`](Self::observe) without the retry time.
    fn step(&self, state: &EmaState, now_ms: i64) -> (EmaState, EmaDecision) {
        let (elapsed, last) = advance(state.last_ms, now_ms, self.params.max_backward_ms);
        let seen = EmaState { last_ms: Some(last), ..*state };
        match elapsed {
            _ if state.last_ms.is_none() => (seen, allowed(EmaReason::First)),
            Elapsed::Step => (seen, allowed(EmaReason::ClockStep)),
            Elapsed::Ms(gap_ms) if state.n == 0 => {
                let y = self.signal(gap_ms);
                (EmaState { n: 1, mean: y, fast: y, ..seen }, allowed(EmaReason::Warmup))
            }
            Elapsed::Ms(gap_ms) => self.judge(seen, gap_ms),
        }
    }

    fn judge(&self, mut state: EmaState, gap_ms: i64) -> (EmaState, EmaDecision) {
        let warm = state.n >= self.params.warmup;
        let y = self.capped(self.signal(gap_ms), &state, warm);
        let fast = state.fast + self.params.alpha_fast * (y - state.fast);
        let z = warm.then(|| (state.mean - fast) / self.noise(&state));
        // Only events that come too fast are refused. The second condition lets the first normal event after a burst
        // through, the third the first event after a day, even where gaps of weeks are usual.
        let refused = z.is_some_and(|z| z > self.params.threshold) && y < state.mean && gap_ms < LONGEST_WAIT_MS;

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

    /// The shortest gap after which the next event is allowed. There is a closed form, but `exp` and `ln` round, so the
    /// limiter itself is asked.
    fn retry_after_ms(&self, state: &EmaState) -> i64 {
        let last = state.last_ms.unwrap_or(0);
        first_allowed(0, |wait| self.step(state, last.saturating_add(wait)).1.allowed)
    }

    #[expect(clippy::cast_precision_loss, reason = "gaps beyond 2^53 ms are 285,000 years")]
    fn signal(&self, gap_ms: i64) -> f64 {
        match self.params.signal {
            Signal::LogInterval => (gap_ms as f64).ln_1p(),
            Signal::Interval => gap_ms as f64,
        }
    }

    fn capped(&self, y: f64, state: &EmaState, warm: bool) -> f64 {
        match (self.params.gap_cap, self.params.signal) {
            (Some(cap), Signal::LogInterval) if warm => y.min(state.mean + cap.ln()),
            (Some(cap), Signal::Interval) if warm => y.min(state.mean * cap),
            _ => y,
        }
    }

    /// The standard deviation of the fast average around the usual one.
    fn noise(&self, state: &EmaState) -> f64 {
        let params = &self.params;
        let deviation = state.var.sqrt();
        let sigma = match params.signal {
            Signal::LogInterval => deviation.max(params.sigma_floor),
            Signal::Interval => deviation.max(params.cv_floor * state.mean).max(params.sigma_floor_ms),
        };
        (params.alpha_fast / (2.0 - params.alpha_fast)).sqrt() * sigma
    }

    /// The weight of this gap in what is usual: `1/n` at first, so that the averages are exact, then `alpha`. A refused
    /// event may weigh less.
    #[expect(clippy::cast_precision_loss, reason = "1/n is needed to a few digits only")]
    fn weight(&self, state: &EmaState, y: f64, gap_ms: i64, refused: bool) -> f64 {
        let weight = self.params.alpha.max(1.0 / state.n as f64);
        if !refused || self.params.refused_weight == RefusedWeight::Full {
            return weight;
        }
        let usual_gaps = match self.params.signal {
            Signal::LogInterval => (y - state.mean).exp(),
            Signal::Interval => gap_ms as f64 / state.mean,
        };
        weight * usual_gaps.min(1.0)
    }
}

impl Named for Ema {
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

    fn judge(&self, state: &EmaState, event: Event) -> Result<Judgement<EmaState>, InvalidCost> {
        InvalidCost::unless_one(event.cost)?;
        let (next, EmaDecision { allowed, retry_after_ms, .. }) = self.observe(state, event.now_ms);
        let decision = Decision::bare(allowed, retry_after_ms);
        Ok(Judgement { decision, admitted: next, refused: next })
    }

    fn forgettable_at_ms(&self, _: &EmaState) -> Option<i64> {
        None
    }

    fn restore<'de, D: Deserializer<'de>>(&self, stored: D) -> Result<EmaState, D::Error> {
        Deserialize::deserialize(stored)
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
            params.signal = Signal::Interval;
            params.alpha_fast = 1.0;
            params.threshold = 2.0;
            params.gap_cap = None;
            params.refused_weight = RefusedWeight::Full;
        })
    }

    /// Sends `count` events, `gap` apart, beginning from the given state. Returns how many were refused.
    fn run(limiter: &Ema, state: &mut EmaState, count: u32, gap: i64) -> u32 {
        (0..count)
            .filter(|_| {
                let now = state.last_ms.map_or(1_700_000_000_000, |last| last + gap);
                let (next, decision) = limiter.observe(state, now);
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
    fn what_lasts_is_got_used_to_in_wall_time_not_in_volume() {
        let calm = |limiter: &Ema| {
            let mut state = EmaState::default();
            run(limiter, &mut state, 1_000, 5_000);
            state
        };
        let refused_of_a_minute = |limiter: &Ema| run(limiter, &mut calm(limiter), 1_200, 50);
        let by_wall_clock = refused_of_a_minute(&ema(|_| ()));
        let by_volume = refused_of_a_minute(&ema(|params| params.refused_weight = RefusedWeight::Full));
        assert!(by_wall_clock > 20 * by_volume, "{by_wall_clock} refused by the clock, {by_volume} by volume");
        let (limiter, mut state) = (ema(|_| ()), EmaState::default());
        run(&limiter, &mut state, 1_000, 5_000);
        run(&limiter, &mut state, 20_000, 50);
        assert_eq!(run(&limiter, &mut state, 1_000, 50), 0);
    }

    #[test]
    fn the_threshold_itself_and_the_usual_gap_pass() {
        let limiter = interval_mode();
        // σ is 5, so that a gap of 90 is exactly two of them below the mean.
        let state = EmaState { n: 100, last_ms: Some(0), mean: 100.0, var: 25.0, fast: 0.0 };
        let limiter = Ema::new(EmaParams { cv_floor: 0.0, ..*limiter.params() }).unwrap();
        assert!(limiter.observe(&state, 90).1.allowed);
        assert!(!limiter.observe(&state, 89).1.allowed);
        // What is current is far too fast, but this event came at the usual gap.
        let slow = Ema::new(EmaParams { alpha_fast: 0.1, ..*limiter.params() }).unwrap();
        assert!(slow.observe(&state, 100).1.allowed);
        assert!(!slow.observe(&state, 99).1.allowed);
    }

    #[test]
    fn long_gaps_count_in_part_once_there_is_enough_to_judge_by() {
        let mean_after = |log: bool, n: u64| {
            let signal = if log { Signal::LogInterval } else { Signal::Interval };
            let limiter = ema(|params| (params.signal, params.alpha, params.gap_cap) = (signal, 0.5, Some(10.0)));
            let mean = if log { 1_000_f64.ln_1p() } else { 1_000.0 };
            let state = EmaState { n, last_ms: Some(0), mean, var: 0.0, fast: mean };
            limiter.observe(&state, 1_000_000).0.mean
        };
        assert!((mean_after(false, 10) - 5_500.0).abs() < 1e-9);
        assert!((mean_after(false, 9) - 500_500.0).abs() < 1e-9);
        assert!((mean_after(true, 10) - (1_000_f64.ln_1p() + 0.5 * 10_f64.ln())).abs() < 1e-9);
        assert!((mean_after(true, 9) - f64::midpoint(1_000_f64.ln_1p(), 1_000_000_f64.ln_1p())).abs() < 1e-9);
    }

    #[test]
    fn a_refused_gap_teaches_as_much_as_the_time_it_took() {
        let limiter = ema(|params| {
            (params.signal, params.alpha, params.alpha_fast) = (Signal::Interval, 0.5, 1.0);
            (params.threshold, params.cv_floor) = (1.0, 0.1);
        });
        let state = EmaState { n: 100, last_ms: Some(0), mean: 1_000.0, var: 0.0, fast: 1_000.0 };
        let (next, decision) = limiter.observe(&state, 200);
        assert!(!decision.allowed);
        // A fifth of the usual gap: a fifth of the weight.
        assert!((next.mean - (1_000.0 - 0.5 * 0.2 * 800.0)).abs() < 1e-9, "{}", next.mean);
    }

    #[test]
    fn it_learns_and_does_not_charge() {
        let (limiter, mut state) = (ema(|_| ()), EmaState::default());
        assert!(limiter.check(&mut state, Event::at(5)).unwrap().allowed);
        assert!(!limiter.refund(&mut state, Event::at(5)));
        assert_eq!((limiter.name(), limiter.forgettable_at_ms(&state)), ("ema", None));
        assert_eq!(limiter.restore(serde_json::to_value(state).unwrap()).unwrap(), state);
        assert!(limiter.check(&mut state, Event::at(6).costing(2)).is_err());
    }

    #[test]
    fn a_clock_set_back_measures_nothing() {
        let (limiter, mut state) = (ema(|_| ()), EmaState::default());
        run(&limiter, &mut state, 20, 5_000);
        let (stepped, decision) = limiter.observe(&state, 0);
        assert_eq!((decision.reason, stepped.last_ms, stepped.n), (EmaReason::ClockStep, Some(0), state.n));
        assert_eq!(run(&limiter, &mut state, 5, 5_000), 0);
    }

    proptest! {
        #[test]
        fn is_refused_until_exactly_the_promised_moment(
            gaps in prop::collection::vec(prop_oneof![0i64..20, 100i64..10_000, Just(3_600_000)], 30..200),
            log: bool, alpha_fast in 0.05f64..1.0, threshold in 0.5f64..4.0,
        ) {
            let limiter = ema(|params| {
                params.signal = if log { Signal::LogInterval } else { Signal::Interval };
                params.alpha_fast = alpha_fast;
                params.threshold = threshold;
            });
            let (mut state, mut now) = (EmaState::default(), 1_700_000_000_000);
            for gap in gaps {
                now += gap;
                let (next, decision) = limiter.observe(&state, now);
                state = next;
                prop_assert!(state.var >= 0.0 && state.mean.is_finite());
                if !decision.allowed {
                    let retry = decision.retry_after_ms;
                    prop_assert!(limiter.observe(&state, now + retry).1.allowed);
                    prop_assert!(retry == 0 || !limiter.observe(&state, now + retry - 1).1.allowed);
                }
            }
        }

        #[test]
        fn a_backward_clock_counts_as_no_time(back in 0i64..=60_000) {
            let (limiter, mut state) = (ema(|_| ()), EmaState::default());
            run(&limiter, &mut state, 30, 5_000);
            let now = state.last_ms.unwrap();
            prop_assert_eq!(limiter.observe(&state, now - back), limiter.observe(&state, now));
        }

        #[test]
        fn survives_any_time_and_keeps_its_state_through_json(times in prop::collection::vec(any::<i64>(), 1..60), log: bool) {
            let limiter = if log { ema(|_| ()) } else { interval_mode() };
            let mut state = EmaState::default();
            for now in times {
                state = limiter.observe(&state, now).0;
                let json = serde_json::to_string(&state).unwrap();
                prop_assert_eq!(&serde_json::from_str::<EmaState>(&json).unwrap(), &state);
            }
        }

        #[test]
        fn mean_and_variance_are_exact_while_young(gaps in prop::collection::vec(1_000i64..9_000, 2..40)) {
            // With alpha below 1/n every sample weighs the same, so the textbook formulas apply.
            let limiter = ema(|params| { params.alpha = 0.001; params.warmup = 1_000 });
            let (mut state, mut now) = (EmaState::default(), 0);
            state = limiter.observe(&state, now).0;
            for gap in &gaps { now += gap; state = limiter.observe(&state, now).0; }
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
