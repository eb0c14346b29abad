//! Surge limiter: learns the usual number of events per hour and per day, and refuses events that far exceed this
//! number. See [`Surge`].

#[cfg(not(feature = "std"))]
use num_traits::Float as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::elapsed_time::{ElapsedTime, elapsed_since};
use super::limiter::{
    DEFAULT_MAX_BACKWARD_CLOCK_STEP_MS, Decision, Evaluation, Event, InvalidCost, InvalidParameter, Limiter,
    MAX_WAIT_MS, NamedLimiter, shortest_allowed_wait, validate_parameter,
};
use super::timestamp::{Timestamp, duration_from_millis};

/// Parameters of a [`Surge`]. Durations are in seconds. The defaults are tuned on seven months of real ratings.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SurgeParams {
    /// Time constant of the short window. Above 0; default 3,600 (1 hour).
    pub window_s: f64,
    /// Time constant of the long window. At least `window_s`; default 86,400 (1 day).
    pub day_s: f64,
    /// Time constant of the learned mean and variance. Above 0; default 1,209,600 (14 days).
    pub memory_s: f64,
    /// Time that is added to the age of a new key in its learning rate, `1 / (age + young_s)`: a higher value means
    /// slower learning. Above 0; default 129,600 (36 hours).
    pub young_s: f64,
    /// Number of standard deviations by which the number of events may exceed the mean. Above 0; default 4.
    pub z: f64,
    /// Minimum limit of the short window, in events. At least 2; default 5.
    pub floor: f64,
    /// Minimum limit of the long window, in events. At least 2; default 30.
    pub day_floor: f64,
    /// Maximum fraction of the distance from the mean to the limit that is learned from an excess over the limit. From
    /// 0 to 1; default 0.7.
    pub clip: f64,
    /// Launch allowance: limit of the short window for a new key, in events. The limit of the long window is five times
    /// as high. At least 0; default 75.
    pub launch: f64,
    /// Time constant with which the launch allowance of the short window decreases. The long window uses twice this
    /// value. Above 0; default 43,200 (12 hours).
    pub launch_s: f64,
    /// Time in seconds after which an elevated rate becomes the new usual rate. Above 0; default 86,400 (1 day).
    pub patience_s: f64,
    /// Maximum number of events per window that is learned from a lasting excess, as a multiple of the lowest number
    /// during the excess. At least 1; default 4.
    pub sustain: f64,
    /// Factor by which a limit is raised while its window is calm (see [`Surge`]). At least 1; default 30.
    pub calm_factor: f64,
    /// Minimum number of events in a calm window. At least 1; default 8.
    pub calm_min: f64,
    /// A window is calm if its mean rating differs from the usual mean by at most this many stars. At least 0; default
    /// 0.3.
    pub calm_shift: f64,
    /// Tolerance for small samples: a calm window may differ by `calm_shift` plus this value divided by the square root of
    /// its number of events. At least 0; default 1.2.
    pub calm_noise: f64,
    /// Usual value that is assumed for a new key, such as the average rating of the site. Any number; default 3.65.
    pub site_mean: f64,
    /// Weight of the prior `site_mean` in the estimate of the usual value of a key, as an equivalent number of events.
    /// Above 0; default 8.
    pub value_evidence: f64,
    /// Time constant with which the usual value is learned. Above 0; default 7,776,000 (90 days).
    pub value_memory_s: f64,
    /// Maximum backward step of the clock that counts as clock skew, in milliseconds. At least 0; default
    /// [`DEFAULT_MAX_BACKWARD_CLOCK_STEP_MS`].
    pub max_backward_ms: i64,
}

impl Default for SurgeParams {
    fn default() -> Self {
        Self {
            window_s: 3_600.0,
            day_s: 86_400.0,
            memory_s: 14.0 * 86_400.0,
            young_s: 36.0 * 3_600.0,
            z: 4.0,
            floor: 5.0,
            day_floor: 30.0,
            clip: 0.7,
            launch: 75.0,
            launch_s: 43_200.0,
            patience_s: 86_400.0,
            sustain: 4.0,
            calm_factor: 30.0,
            calm_min: 8.0,
            calm_shift: 0.3,
            calm_noise: 1.2,
            site_mean: 3.65,
            value_evidence: 8.0,
            value_memory_s: 90.0 * 86_400.0,
            max_backward_ms: DEFAULT_MAX_BACKWARD_CLOCK_STEP_MS,
        }
    }
}

/// State of one key of a [`Surge`]. Numbers of events in a window are exponentially weighted with the time constant of
/// the window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SurgeState {
    /// Time of the latest event, in milliseconds since the Unix epoch; `None` before the first event.
    pub last_ms: Option<i64>,
    /// Number of admitted events in the short window.
    pub admitted: f64,
    /// Number of admitted events in the long window.
    pub admitted_day: f64,
    /// Number of events in the short window, whether admitted or refused.
    pub requested: f64,
    /// Sum of the values of the events in the short window, whether admitted or refused.
    pub values: f64,
    /// Number of events in the long window, whether admitted or refused.
    pub requested_day: f64,
    /// Sum of the values of the events in the long window, whether admitted or refused.
    pub values_day: f64,
    /// Number of admitted events with a value, exponentially weighted with `value_memory_s`.
    pub taught: f64,
    /// Sum of the values of the admitted events, exponentially weighted with `value_memory_s`.
    pub taught_values: f64,
    /// True if any event had no value. `calm_factor` then never raises the limits of the key.
    pub valueless: bool,
    /// Learned mean of `requested`: the usual number of events in a short window.
    pub mean: f64,
    /// Learned variance of `requested`, the number of events in a short window.
    pub var: f64,
    /// Age of the key in seconds: the sum of the gaps between its events.
    pub age_s: f64,
    /// Duration in seconds for which the number of events in the short window (`requested`) has been above the usual
    /// limit.
    pub excess_s: f64,
    /// Lowest number of events in the short window (`requested`) during the current excess.
    pub lowest: f64,
}

/// Reason for a [`SurgeDecision`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SurgeReason {
    /// Allowed within the usual limits.
    Ok,
    /// Allowed within raised limits, because the events of the window resemble the usual ones.
    Calm,
    /// Refused: there are far more events than usual.
    Surge,
}

/// A [`Decision`] of a [`Surge`], with its reason and the limits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurgeDecision {
    /// True if the event is allowed.
    pub allowed: bool,
    /// Reason for the decision.
    pub reason: SurgeReason,
    /// Limit of the short window, in admitted events.
    pub limit: f64,
    /// Limit of the long window, in admitted events.
    pub day_limit: f64,
    /// Milliseconds until the same event would be allowed; see [`Decision::retry_after`]. 0 when allowed.
    pub retry_after_ms: i64,
}

/// A limiter that learns over weeks how many events per hour and day are usual for a key, and refuses far more, unless
/// the excess resembles the usual events.
///
/// Events are counted in a short window (an hour) and a long window (a day), both exponentially weighted. A flood
/// changes the learned values little, because learning depends on elapsed time, not on volume. An excess that has
/// lasted for a day counts as usual from then on. A new key has a launch allowance. Events may carry a value, such as
/// the stars of a rating. A window whose average value is the usual one is *calm* and has a much larger limit, so that
/// a viral post is not punished, but a brigade is refused. The value of a single event does
/// not decide whether the event is allowed.
///
/// ```text
/// n         = day_s / window_s
/// spread    = var + mean + 1
/// base      = max(floor, mean + z * sqrt(spread))
/// day_base  = max(day_floor, n * mean + z * sqrt(n * spread))
///
/// limit     = max(base, launch * e^(-age / launch_s))                         times calm_factor while calm
/// day_limit = max(day_base, 5 * launch * e^(-age / (2 * launch_s)))           times calm_factor while the day is calm
///
/// usual     = (value_evidence * site_mean + sum of admitted values) / (value_evidence + number of admitted values)
/// calm      = count >= calm_min and |average value - usual| <= calm_shift + calm_noise / sqrt(count)
///
/// allowed if admitted + 1 <= limit and admitted_day + 1 <= day_limit, or after 24 hours without events
/// ```
///
/// # Parameters
///
/// - Learning (`memory_s`, `young_s`, `clip`): mean and variance of the number of events per hour, over two weeks;
///   faster while the key is younger than `memory_s - young_s` (12.5 days). An hour above the limit is learned as at
///   most 70 % of the way from the mean to the limit.
/// - Minimum limits (`floor`, `day_floor`, `z`): 5 events per hour and 30 per day are always allowed, or four standard
///   deviations above the mean if that is more.
/// - Launch allowance (`launch`, `launch_s`): 75 events per hour and 375 per day at first, decreasing over half a
///   day.
/// - Lasting excess (`patience_s`, `sustain`): after a day above the limit without a pause, the current level becomes
///   the usual one, but at most four times the lowest level of that day.
/// - Calm (`calm_factor`, `calm_min`, `calm_shift`, `calm_noise`): a window is calm if it has at least 8 events whose
///   average is within 0.3 stars of the usual value (more if there are few events). Its limit is then 30 times as high.
///   An hour with fewer than 8 events is calm if its day is calm.
/// - Usual value (`value_memory_s`, `value_evidence`, `site_mean`): average of the admitted values over 90 days, with
///   equal weights. The mean of the site counts as 8 events.
///
/// # States
///
/// - The limiter learns from admitted and refused events, so the returned state must be stored in both cases.
/// - Costs other than 1 are an [`InvalidCost`] error, and refunds are not supported.
/// - States never expire, because deleting a state would lose what the limiter has learned.
///
/// # Limits of the method
///
/// The times of events alone do not distinguish a brigade that lasts for a day from the first day of lasting
/// popularity. Values distinguish them unless honest opinion changes at the same time; then only the duration does.
/// About a third of a brigade that lasts for 36 hours is admitted, and about two thirds of a brigade that lasts for
/// three days.
///
/// See the [comparison of limiters](super#choosing-a-limiter) and the [example](super#surge).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Surge {
    params: SurgeParams,
}

impl Surge {
    /// Validates the parameters, and creates a limiter.
    ///
    /// # Errors
    /// Returns an error that names the first parameter out of its range.
    pub fn new(params: SurgeParams) -> Result<Self, InvalidParameter> {
        let at_least = |least: f64, value: f64| value >= least && value.is_finite();
        let positive = |value: f64| value > 0.0 && value.is_finite();
        validate_parameter(positive(params.window_s), "window_s", "a number of seconds above 0")?;
        validate_parameter(at_least(params.window_s, params.day_s), "day_s", "at least window_s")?;
        validate_parameter(positive(params.memory_s), "memory_s", "a number of seconds above 0")?;
        validate_parameter(positive(params.young_s), "young_s", "a number of seconds above 0")?;
        validate_parameter(positive(params.z), "z", "a number above 0")?;
        validate_parameter(at_least(2.0, params.floor), "floor", "a number of at least 2")?;
        validate_parameter(at_least(2.0, params.day_floor), "day_floor", "a number of at least 2")?;
        validate_parameter((0.0..=1.0).contains(&params.clip), "clip", "from 0 to 1")?;
        validate_parameter(at_least(0.0, params.launch), "launch", "a number of at least 0")?;
        validate_parameter(positive(params.launch_s), "launch_s", "a number of seconds above 0")?;
        validate_parameter(positive(params.patience_s), "patience_s", "a number of seconds above 0")?;
        validate_parameter(at_least(1.0, params.sustain), "sustain", "a number of at least 1")?;
        validate_parameter(at_least(1.0, params.calm_factor), "calm_factor", "a number of at least 1")?;
        validate_parameter(at_least(1.0, params.calm_min), "calm_min", "a number of at least 1")?;
        validate_parameter(at_least(0.0, params.calm_shift), "calm_shift", "a number of at least 0")?;
        validate_parameter(at_least(0.0, params.calm_noise), "calm_noise", "a number of at least 0")?;
        validate_parameter(params.site_mean.is_finite(), "site_mean", "a number")?;
        validate_parameter(positive(params.value_evidence), "value_evidence", "a number above 0")?;
        validate_parameter(positive(params.value_memory_s), "value_memory_s", "a number of seconds above 0")?;
        validate_parameter(params.max_backward_ms >= 0, "max_backward_ms", "at least 0")?;
        Ok(Self { params })
    }

    /// Parameters of the limiter.
    #[must_use]
    pub fn params(&self) -> &SurgeParams {
        &self.params
    }

    /// Decides whether to admit an event at `now_ms` (milliseconds since the Unix epoch), and updates the learned
    /// averages. The [`Evaluation`] contains a state for each outcome, because another limit may refuse an admitted
    /// event.
    pub fn decide(
        &self,
        state: &SurgeState,
        now_ms: i64,
        value: Option<u8>,
    ) -> (Evaluation<SurgeState>, SurgeDecision) {
        let (evaluation, mut decision) = self.step(state, now_ms, value);
        if !decision.allowed {
            decision.retry_after_ms = self.retry_after_ms(&evaluation.refused, value);
        }
        (Evaluation { decision: decision.decision(), ..evaluation }, decision)
    }

    /// Same as [`decide`](Self::decide), but without computing the retry time.
    fn step(&self, state: &SurgeState, now_ms: i64, value: Option<u8>) -> (Evaluation<SurgeState>, SurgeDecision) {
        let mut next = self.state_at(state, now_ms);
        next.requested += 1.0;
        next.requested_day += 1.0;
        match value {
            Some(value) => {
                next.values += f64::from(value);
                next.values_day += f64::from(value);
            }
            None => next.valueless = true,
        }
        let (limit, day_limit, calm) = self.limits(&next);
        // After 24 hours without events the next event is allowed, even if the long window is still full.
        let is_rested = state.last_ms.is_some_and(|last| now_ms.saturating_sub(last) >= MAX_WAIT_MS);
        let allowed = is_rested || (next.admitted + 1.0 <= limit && next.admitted_day + 1.0 <= day_limit);
        let reason = match (allowed, calm) {
            (false, _) => SurgeReason::Surge,
            (true, true) => SurgeReason::Calm,
            (true, false) => SurgeReason::Ok,
        };
        let decision = SurgeDecision { allowed, reason, limit, day_limit, retry_after_ms: 0 };
        let admitted = Self::with_admitted(next, value);
        (Evaluation { decision: decision.decision(), admitted, refused: next }, decision)
    }

    /// Returns the state after an event was admitted. The event must already be included in `requested`.
    fn with_admitted(mut state: SurgeState, value: Option<u8>) -> SurgeState {
        state.admitted += 1.0;
        state.admitted_day += 1.0;
        if let Some(value) = value {
            state.taught += 1.0;
            state.taught_values += f64::from(value);
        }
        state
    }

    /// State at `now_ms`, before the event itself is counted.
    fn state_at(&self, state: &SurgeState, now_ms: i64) -> SurgeState {
        let (elapsed, last) = elapsed_since(state.last_ms, now_ms, self.params.max_backward_ms);
        let next = SurgeState { last_ms: Some(last), ..*state };
        match elapsed {
            _ if state.last_ms.is_none() => next,
            ElapsedTime::Ms(0) | ElapsedTime::ClockStep => next,
            ElapsedTime::Ms(gap_ms) => self.learn_gap(next, seconds(gap_ms)),
        }
    }

    fn learn_gap(&self, mut state: SurgeState, gap: f64) -> SurgeState {
        let params = &self.params;
        let windows = gap / params.window_s;
        let (base, day_base) = self.usual_limits(&state);
        let threshold = base.min(day_base * params.window_s / params.day_s);

        // Mean value of `requested` during the gap. An excess over the limit is learned only in part.
        let level = state.requested * -(-windows).exp_m1() / windows;
        let mut learned = level.min(state.mean + params.clip * (base - state.mean));
        let young = if state.age_s + gap < params.memory_s { gap / (state.age_s + gap + params.young_s) } else { 0.0 };
        let mut weight = (-(-gap / params.memory_s).exp_m1()).max(young);
        state.age_s += gap;

        let above = if state.requested > threshold {
            gap.min(params.window_s * (state.requested / threshold).ln())
        } else {
            0.0
        };
        if above > 0.0 {
            let low = threshold.max(state.requested * (-windows).exp());
            state.lowest = if state.excess_s > 0.0 { state.lowest.min(low) } else { low };
            state.excess_s = (state.excess_s + above).min(params.patience_s);
        }
        if above < gap {
            state.excess_s = (state.excess_s - (gap - above)).max(0.0);
            state.lowest = state.lowest.min(threshold);
        } else if state.excess_s >= params.patience_s {
            // The excess has lasted for `patience_s` and becomes usual.
            learned = learned.max(level.min(params.sustain * state.lowest));
            weight = weight.max(-(-windows).exp_m1());
        }

        let delta = learned - state.mean;
        state.mean += weight * delta;
        state.var = (1.0 - weight) * (state.var + weight * delta * delta);
        for level in [&mut state.admitted, &mut state.requested, &mut state.values] {
            *level *= (-windows).exp();
        }
        for level in [&mut state.admitted_day, &mut state.requested_day, &mut state.values_day] {
            *level *= (-gap / params.day_s).exp();
        }
        for level in [&mut state.taught, &mut state.taught_values] {
            *level *= (-gap / params.value_memory_s).exp();
        }
        state
    }

    /// Limits of the short and the long window, without launch allowance and calm factor.
    fn usual_limits(&self, state: &SurgeState) -> (f64, f64) {
        let SurgeParams { window_s, day_s, z, floor, day_floor, .. } = self.params;
        let windows = day_s / window_s;
        let spread = state.var + state.mean + 1.0;
        let base = floor.max(state.mean + z * spread.sqrt());
        let day_base = day_floor.max(windows * state.mean + z * (windows * spread).sqrt());
        (base, day_base)
    }

    /// Limits of the short and the long window, and true if the short window is calm.
    fn limits(&self, state: &SurgeState) -> (f64, f64, bool) {
        let params = &self.params;
        let (base, day_base) = self.usual_limits(state);
        let day_calm = self.is_calm(state, state.requested_day, state.values_day);
        let is_few = state.requested < params.calm_min;
        let calm = if is_few { day_calm } else { self.is_calm(state, state.requested, state.values) };
        let factor = |calm: bool| if calm { params.calm_factor } else { 1.0 };
        let launch = params.launch * (-state.age_s / params.launch_s).exp();
        let day_launch = 5.0 * params.launch * (-state.age_s / (2.0 * params.launch_s)).exp();
        (factor(calm) * base.max(launch), factor(day_calm) * day_base.max(day_launch), calm)
    }

    /// True if the average value of the events of a window is close to the usual value.
    fn is_calm(&self, state: &SurgeState, requested: f64, values: f64) -> bool {
        let SurgeParams { calm_min, calm_shift, calm_noise, site_mean, value_evidence, .. } = self.params;
        let usual = (value_evidence * site_mean + state.taught_values) / (value_evidence + state.taught);
        !state.valueless
            && requested >= calm_min
            && (values / requested - usual).abs() <= calm_shift + calm_noise / requested.sqrt()
    }

    /// Milliseconds until the same event would be allowed. The wait is found by calling the limiter itself, because the
    /// limits change while the client waits. The result is at least 1: an immediate retry would be part of the surge.
    fn retry_after_ms(&self, refused: &SurgeState, value: Option<u8>) -> i64 {
        let last = refused.last_ms.unwrap_or(0);
        shortest_allowed_wait(1, |wait| self.step(refused, last.saturating_add(wait), value).1.allowed)
    }
}

impl SurgeDecision {
    fn decision(&self) -> Decision {
        let SurgeDecision { allowed, retry_after_ms, .. } = *self;
        Decision::new(allowed, duration_from_millis(retry_after_ms))
    }
}

impl NamedLimiter for Surge {
    const NAME: &'static str = "surge";
    type Params = SurgeParams;

    fn with_params(params: SurgeParams) -> Result<Self, InvalidParameter> {
        Self::new(params)
    }
}

impl Limiter for Surge {
    type State = SurgeState;

    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn evaluate(&self, state: &SurgeState, event: Event) -> Result<Evaluation<SurgeState>, InvalidCost> {
        InvalidCost::require_unit_cost(event.cost)?;
        Ok(self.decide(state, event.time.unix_millis(), event.value).0)
    }

    fn evaluate_retry(&self, state: &SurgeState, event: Event) -> Result<Evaluation<SurgeState>, InvalidCost> {
        let decision = self.peek(state, event)?;
        let admitted = Self::with_admitted(self.state_at(state, event.time.unix_millis()), event.value);
        Ok(Evaluation { decision, admitted, refused: *state })
    }

    fn expires_at(&self, _: &SurgeState) -> Option<Timestamp> {
        None
    }

    fn save<S: Serializer>(&self, state: &SurgeState, serializer: S) -> Result<S::Ok, S::Error> {
        state.serialize(serializer)
    }

    fn restore<'de, D: Deserializer<'de>>(&self, saved: D) -> Result<SurgeState, D::Error> {
        Deserialize::deserialize(saved)
    }
}

#[expect(clippy::cast_precision_loss, reason = "gaps beyond 2^53 ms are 285,000 years")]
fn seconds(ms: i64) -> f64 {
    ms as f64 / 1_000.0
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const DAY_MS: i64 = 86_400_000;

    fn surge() -> Surge {
        Surge::new(SurgeParams::default()).unwrap()
    }

    fn check(limiter: &Surge, state: &mut SurgeState, now_ms: i64, value: Option<u8>) -> SurgeDecision {
        let (evaluation, decision) = limiter.decide(state, now_ms, value);
        *state = if decision.allowed { evaluation.admitted } else { evaluation.refused };
        decision
    }

    /// State of a post with one rating of four stars per day for `days` days, and the time of the last rating.
    fn quiet(limiter: &Surge, days: i64) -> (SurgeState, i64) {
        let mut state = SurgeState::default();
        for day in 0..days {
            assert!(check(limiter, &mut state, day * DAY_MS, Some(4)).allowed);
        }
        (state, (days - 1) * DAY_MS)
    }

    fn admitted(limiter: &Surge, state: &mut SurgeState, times: impl Iterator<Item = i64>, value: Option<u8>) -> usize {
        times.filter(|now| check(limiter, state, *now, value).allowed).count()
    }

    #[test]
    fn refuses_brigade_but_admits_calm_surge() {
        let limiter = surge();
        let (quiet, now) = quiet(&limiter, 20);
        let crowd = || (1..=200).map(|i| now + 3_600_000 + i * 10_000);
        let (mut attacked, mut praised, mut unknown) = (quiet, quiet, quiet);
        assert!(admitted(&limiter, &mut attacked, crowd(), Some(1)) < 10);
        assert!(admitted(&limiter, &mut praised, crowd(), Some(4)) > 100);
        assert!(admitted(&limiter, &mut unknown, crowd(), None) < 10);
        assert_eq!(check(&limiter, &mut attacked, now + 6_000_000, Some(1)).reason, SurgeReason::Surge);
        assert_eq!(check(&limiter, &mut praised, now + 6_000_000, Some(4)).reason, SurgeReason::Calm);
    }

    #[test]
    fn learns_lasting_excess_but_not_floods() {
        let limiter = surge();
        let (quiet, now) = quiet(&limiter, 20);
        let mut flooded = quiet;
        admitted(&limiter, &mut flooded, (0..100_000).map(|i| now + i * 10), Some(1));
        assert!(flooded.mean < 0.5, "{}", flooded.mean);
        let mut lasting = quiet;
        // Sixty events per hour for three days: on the third day all events are admitted.
        let first = admitted(&limiter, &mut lasting, (0..1_440).map(|i| now + i * 60_000), Some(1));
        admitted(&limiter, &mut lasting, (1_440..2_880).map(|i| now + i * 60_000), Some(1));
        let third = admitted(&limiter, &mut lasting, (2_880..4_320).map(|i| now + i * 60_000), Some(1));
        assert!(first < 300 && third == 1_440, "{first} of the first day, {third} of the third");
    }

    #[test]
    fn a_new_key_has_a_launch_allowance_that_fades() {
        let limiter = surge();
        let launched = admitted(&limiter, &mut SurgeState::default(), (0..500).map(|i| i * 1_000), None);
        // The launch allowance is 75. A few more events are admitted, because the count decays during the 500 seconds.
        assert!((75..90).contains(&launched), "{launched}");
        let (mut old, now) = quiet(&limiter, 5);
        assert!(admitted(&limiter, &mut old, (1..500).map(|i| now + DAY_MS + i * 1_000), None) < 10);
    }

    #[test]
    fn a_retry_is_spent_when_it_is_admitted_and_not_counted_as_another_request() {
        let limiter = surge();
        let (mut state, now) = quiet(&limiter, 20);
        admitted(&limiter, &mut state, (1..=50).map(|i| now + i * 1_000), Some(1));
        let retry = |at| limiter.evaluate_retry(&state, Event::at_unix_millis(at).with_value(1)).unwrap();
        let refused = retry(now + 60_000);
        assert_eq!((refused.decision.allowed, refused.refused), (false, state));
        let allowed = retry(now + DAY_MS);
        assert!(allowed.decision.allowed);
        let rested = limiter.state_at(&state, now + DAY_MS);
        assert!((allowed.admitted.admitted - rested.admitted - 1.0).abs() < 1e-9);
        assert!((allowed.admitted.requested - rested.requested).abs() < 1e-9);
    }

    #[test]
    fn a_refused_event_is_seen_and_not_spent() {
        let limiter = surge();
        let (state, now) = quiet(&limiter, 20);
        let (evaluation, decision) = limiter.decide(&state, now + 1_000, Some(1));
        assert!(decision.allowed);
        let Evaluation { admitted, refused, .. } = evaluation;
        assert_eq!(
            admitted,
            SurgeState {
                admitted: refused.admitted + 1.0,
                admitted_day: refused.admitted_day + 1.0,
                taught: refused.taught + 1.0,
                taught_values: refused.taught_values + 1.0,
                ..refused
            }
        );
        assert!((refused.requested - 2.0).abs() < 0.01, "{refused:?}");
    }

    /// Returns true if an event is allowed at time 0 after `change` was applied to the state. The launch allowance is
    /// disabled (`launch` is 0).
    fn allowed(change: impl FnOnce(&mut SurgeState), value: Option<u8>) -> bool {
        let limiter = Surge::new(SurgeParams { launch: 0.0, ..Default::default() }).unwrap();
        // `taught` is so large that the weight of `site_mean` is negligible.
        let mut state = SurgeState { last_ms: Some(0), taught: 1e12, taught_values: 4e12, ..Default::default() };
        change(&mut state);
        limiter.decide(&state, 0, value).1.allowed
    }

    #[test]
    fn the_floors_of_the_hour_and_of_the_day_are_reached_and_not_passed() {
        assert!(allowed(|state| state.admitted = 4.0, None));
        assert!(!allowed(|state| state.admitted = 4.001, None));
        assert!(allowed(|state| state.admitted_day = 29.0, None));
        assert!(!allowed(|state| state.admitted_day = 29.001, None));
    }

    #[test]
    fn calm_is_within_the_shift_and_a_margin_for_few() {
        // The average of sixteen ratings may differ from the usual value by 0.3 + 1.2 / sqrt(16) stars.
        let of_sixteen = |average: f64| {
            allowed(
                |state| (state.admitted, state.requested, state.values) = (9.0, 15.0, 16.0 * average - 4.0),
                Some(4),
            )
        };
        assert!(of_sixteen(4.59) && of_sixteen(3.41));
        assert!(!of_sixteen(4.61) && !of_sixteen(3.39));
        // With seven previous events, this event is the eighth, which is the minimum for a calm window.
        let usual = |requested: f64| {
            allowed(
                |state| (state.admitted, state.requested, state.values) = (9.0, requested, 4.0 * requested),
                Some(4),
            )
        };
        assert!(usual(7.0) && !usual(6.999));
        // The limit of a calm window is exactly thirty times the minimum limit.
        assert!(allowed(|state| (state.admitted, state.requested, state.values) = (149.0, 149.0, 596.0), Some(4)));
        assert!(!allowed(|state| (state.admitted, state.requested, state.values) = (149.1, 149.0, 596.0), Some(4)));
    }

    #[test]
    fn hour_with_few_events_is_calm_if_its_day_is() {
        let few = |stars: f64| {
            let day = (20.0, 20.0 * stars);
            allowed(|state| (state.admitted, state.requested_day, state.values_day) = (9.0, day.0, day.1), Some(4))
        };
        assert!(few(4.0) && !few(3.0));
        // The limit of the day is raised only if the day itself is calm.
        let day = |stars: f64| {
            let open = |state: &mut SurgeState| {
                (state.requested, state.values) = (20.0, 80.0);
                (state.admitted_day, state.requested_day, state.values_day) = (100.0, 100.0, 100.0 * stars);
            };
            allowed(open, Some(4))
        };
        assert!(day(4.0) && !day(3.0));
    }

    #[test]
    fn one_rating_before_a_quiet_month_opens_nothing() {
        let limiter = surge();
        let (mut state, now) = quiet(&limiter, 20);
        assert!(check(&limiter, &mut state, now + 1_000, Some(1)).allowed);
        let crowd = (0..2_000).map(|i| now + 30 * DAY_MS + i * 300);
        assert!(admitted(&limiter, &mut state, crowd, Some(1)) < 10);
    }

    #[test]
    fn limiter_trait_returns_retry_after() {
        let (limiter, (mut state, now)) = (surge(), quiet(&surge(), 20));
        let refused = (0..20).find_map(|i| {
            let decision = limiter.check(&mut state, Event::at_unix_millis(now + i).with_value(1)).unwrap();
            (!decision.allowed).then_some((decision, now + i))
        });
        let (decision, at) = refused.unwrap();
        let retry_after_ms = i64::try_from(decision.retry_after.as_millis()).unwrap();
        assert!(retry_after_ms > 1_000);
        let again = Event::at_unix_millis(at + retry_after_ms).with_value(1);
        assert!(limiter.check(&mut state, again).unwrap().allowed);
    }

    #[test]
    fn a_cost_other_than_one_is_an_error() {
        let (limiter, state) = (surge(), SurgeState::default());
        assert!(limiter.evaluate(&state, Event::at_unix_millis(0).with_cost(2)).is_err());
        assert!(limiter.evaluate(&state, Event::at_unix_millis(0).with_cost(0)).is_err());
        assert!(limiter.evaluate(&state, Event::at_unix_millis(0)).is_ok());
        assert_eq!((limiter.name(), limiter.expires_at(&state)), ("surge", None));
    }

    proptest! {
        #[test]
        fn retry_after_is_exact(
            gaps in prop::collection::vec(prop_oneof![0i64..5_000, 60_000i64..600_000, Just(DAY_MS)], 20..120),
            values in prop::collection::vec(prop::option::weighted(0.97, 1u8..=5), 120),
        ) {
            let (limiter, mut state, mut now) = (surge(), SurgeState::default(), 1_700_000_000_000);
            for (gap, value) in gaps.into_iter().zip(values) {
                now += gap;
                let decision = check(&limiter, &mut state, now, value);
                if !decision.allowed {
                    let retry = decision.retry_after_ms;
                    prop_assert!(limiter.decide(&state, now + retry, value).1.allowed);
                    prop_assert!(retry == 1 || !limiter.decide(&state, now + retry - 1, value).1.allowed);
                }
                prop_assert!(state.var >= 0.0 && state.mean >= 0.0 && state.admitted <= state.requested + 1e-9);
            }
        }

        #[test]
        fn survives_any_time_and_keeps_its_state_through_json(
            times in prop::collection::vec(any::<i64>(), 1..40), values in prop::collection::vec(any::<Option<u8>>(), 40),
        ) {
            let (limiter, mut state) = (surge(), SurgeState::default());
            for (now, value) in times.into_iter().zip(values) {
                check(&limiter, &mut state, now, value);
                let json = serde_json::to_value(state).unwrap();
                prop_assert_eq!(limiter.restore(json).unwrap(), state);
            }
        }

        #[test]
        fn survives_any_state(numbers in prop::array::uniform13(any::<f64>()), last_ms: Option<i64>, valueless: bool, now: i64) {
            let [admitted, admitted_day, requested, values, requested_day, values_day, taught, taught_values, ..] = numbers;
            let [.., mean, var, age_s, excess_s, lowest] = numbers;
            let state = SurgeState {
                last_ms, admitted, admitted_day, requested, values, requested_day, values_day, taught, taught_values,
                valueless, mean, var, age_s, excess_s, lowest,
            };
            let _ = surge().decide(&state, now, Some(3));
        }
    }

    #[test]
    fn a_clock_set_back_measures_nothing() {
        let limiter = surge();
        let (state, now) = quiet(&limiter, 20);
        let skewed = limiter.decide(&state, now - 60_000, Some(4)).0.admitted;
        assert_eq!((skewed.last_ms, skewed.mean.to_bits()), (Some(now), state.mean.to_bits()));
        let stepped = limiter.decide(&state, now - 60_001, Some(4)).0.admitted;
        assert_eq!((stepped.last_ms, stepped.mean.to_bits()), (Some(now - 60_001), state.mean.to_bits()));
    }

    #[test]
    fn invalid_parameters_are_named() {
        let named = |change: fn(&mut SurgeParams)| {
            let mut params = SurgeParams::default();
            change(&mut params);
            Surge::new(params).map_err(|error| error.name).err()
        };
        assert_eq!(named(|_| ()), None);
        assert_eq!(named(|params| params.window_s = 0.0), Some("window_s"));
        assert_eq!(named(|params| params.day_s = 3_599.0), Some("day_s"));
        assert_eq!(named(|params| params.memory_s = f64::INFINITY), Some("memory_s"));
        assert_eq!(named(|params| params.young_s = 0.0), Some("young_s"));
        assert_eq!(named(|params| params.z = f64::NAN), Some("z"));
        assert_eq!(named(|params| params.floor = 1.9), Some("floor"));
        assert_eq!(named(|params| params.day_floor = 1.9), Some("day_floor"));
        assert_eq!(named(|params| params.clip = 1.1), Some("clip"));
        assert_eq!(named(|params| params.launch = -1.0), Some("launch"));
        assert_eq!(named(|params| params.launch_s = 0.0), Some("launch_s"));
        assert_eq!(named(|params| params.patience_s = 0.0), Some("patience_s"));
        assert_eq!(named(|params| params.sustain = 0.9), Some("sustain"));
        assert_eq!(named(|params| params.calm_factor = 0.9), Some("calm_factor"));
        assert_eq!(named(|params| params.calm_min = 0.9), Some("calm_min"));
        assert_eq!(named(|params| params.calm_shift = -0.1), Some("calm_shift"));
        assert_eq!(named(|params| params.calm_noise = -0.1), Some("calm_noise"));
        assert_eq!(named(|params| params.site_mean = f64::NAN), Some("site_mean"));
        assert_eq!(named(|params| params.max_backward_ms = -1), Some("max_backward_ms"));
        let edge = |params: &mut SurgeParams| {
            (params.day_s, params.floor, params.day_floor, params.clip, params.launch) = (3_600.0, 2.0, 2.0, 1.0, 0.0);
            (params.sustain, params.calm_factor, params.calm_min, params.calm_shift) = (1.0, 1.0, 1.0, 0.0);
            (params.calm_noise, params.max_backward_ms) = (0.0, 0);
        };
        assert_eq!(named(edge), None);
        let params = SurgeParams { z: 7.0, ..Default::default() };
        assert_eq!(Surge::new(params).unwrap().params(), &params);
    }
}
