//! The surge limiter: learns over weeks how many events an hour and a day a key is used to, and refuses
//! what goes far beyond, unless the excess looks like the key's usual events.
//!
//! It counts in a short window (an hour) and a long one (a day), both exponentially weighted. A flood teaches it
//! little, because learning takes wall time, not volume; what lasts for a day is learned at once; a new key has
//! a launch allowance. Events may carry a value, here the stars of a rating: an excess whose average is the
//! usual one is *calm* and gets a much larger allowance. A post that goes viral is not punished; a crowd with an
//! agenda is. Every event is judged alike, never by its own value.
//!
//! # Its numbers, for an operator
//!
//! - **What is learned** (`memory_s`, `young_s`, `clip`): mean and variance of the number an hour, over two weeks;
//!   faster while the key is younger than a day and a half. An hour above the limit is learned as at most 70 % of the
//!   way from the mean to the limit.
//! - **What is always allowed** (`floor`, `day_floor`, `z`): 5 an hour and 30 a day, or four standard deviations above
//!   what is usual.
//! - **Launch** (`launch`, `launch_s`): 75 an hour and 375 a day at first, fading over half a day.
//! - **What lasts** (`patience_s`, `sustain`): after a day above the limit without a pause, the present level is taken
//!   for the usual one, but at most four times the lowest level of that day.
//! - **Calm** (`calm_factor`, `calm_min`, `calm_shift`, `calm_noise`): when at least 8 events were asked for in a window
//!   and their average is within 0.3 stars of the usual one (more when the events are few), 30 times as many are let
//!   through in this window. An hour with fewer than 8 is judged by its day.
//! - **The usual value** (`value_memory_s`, `value_evidence`, `site_mean`): the average of what was admitted, over 90 days,
//!   each event alike. The site's mean counts in it as 8 events do.
//!
//! **What it cannot tell apart**: from times alone, a crowd that comes for a day and the first day of lasting
//! popularity are the same. Values tell them apart unless honest taste shifts as well; then only patience
//! does. A crowd that lasts for 36 hours gets a third of its way, one of three days two thirds.

use serde::{Deserialize, Deserializer, Serialize};

use super::advance::{Elapsed, advance};
use super::limiter::{
    DEFAULT_MAX_BACKWARD_MS, Decision, Event, InvalidCost, InvalidParameter, Judgement, LONGEST_WAIT_MS, Limiter,
    Named, first_allowed, require,
};

/// Parameters of a [`Surge`]. Durations are in seconds. Each field says what is allowed, and then its default. The
/// defaults are tuned on seven months of real ratings.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SurgeParams {
    /// The short window's e-folding time. Above 0; 3,600.
    pub window_s: f64,
    /// The long window's e-folding time. At least `window_s`; 86,400.
    pub day_s: f64,
    /// How far back what is usual reaches. Above 0; 14 days.
    pub memory_s: f64,
    /// The age below which learning is faster. Above 0; 36 hours.
    pub young_s: f64,
    /// Standard deviations above the usual that are let through. Above 0; 4.
    pub z: f64,
    /// Events in a short window that are always let through. At least 2; 5.
    pub floor: f64,
    /// Events in a long window that are always let through. At least 2; 30.
    pub day_floor: f64,
    /// How much of an excess is learned: at most this part of the way from the mean to the limit. From 0 to 1; 0.7.
    pub clip: f64,
    /// Events in a short window that a new key is allowed; five times as many in a long one. At least 0; 75.
    pub launch: f64,
    /// The time in which the launch allowance fades (e-folding); for the long window it is twice that. Above 0; 12
    /// hours.
    pub launch_s: f64,
    /// How long an excess has to last to become usual. Above 0; a day.
    pub patience_s: f64,
    /// An excess that has lasted is learned as at most this many times its lowest level. At least 1; 4.
    pub sustain: f64,
    /// How many times more is let through while calm. At least 1; 30.
    pub calm_factor: f64,
    /// With fewer events than this in a short window nothing is calm. At least 1; 8.
    pub calm_min: f64,
    /// How far the average value may be from the usual one. At least 0; 0.3.
    pub calm_shift: f64,
    /// Added to `calm_shift`, divided by the square root of the number of events: a margin for few. At least 0; 1.2.
    pub calm_noise: f64,
    /// The usual value of a new key, until it has learned its own. Any number; 3.65.
    pub site_mean: f64,
    /// How many events `site_mean` counts as in a key's usual value. Above 0; 8.
    pub value_evidence: f64,
    /// How far back the usual value reaches (e-folding time). Above 0; 90 days.
    pub value_memory_s: f64,
    /// See [`DEFAULT_MAX_BACKWARD_MS`]. At least 0.
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
            max_backward_ms: DEFAULT_MAX_BACKWARD_MS,
        }
    }
}

/// What is remembered of one key. Levels are events in a window, exponentially weighted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SurgeState {
    /// The last event, in milliseconds since the Unix epoch.
    pub last_ms: Option<i64>,
    /// Admitted in the short window.
    pub admitted: f64,
    /// Admitted in the long window.
    pub admitted_day: f64,
    /// Events asked for in the short window, whether admitted or refused.
    pub requested: f64,
    /// The sum of the values asked for in the short window.
    pub values: f64,
    /// Events asked for in the long window, and the sum of their values.
    pub requested_day: f64,
    /// See `requested_day`.
    pub values_day: f64,
    /// Events admitted within the memory of values, exponentially weighted, and the sum of their values.
    pub taught: f64,
    /// See `taught`.
    pub taught_values: f64,
    /// Whether an event came without a value: then nothing is ever calm.
    pub valueless: bool,
    /// Mean of `requested`, over the memory.
    pub mean: f64,
    /// Variance of `requested`, over the memory.
    pub var: f64,
    /// Seconds that the key has been seen for.
    pub age_s: f64,
    /// Seconds that `requested` has been above what is usual.
    pub excess_s: f64,
    /// The lowest level of `requested` in that time.
    pub lowest: f64,
}

/// Why an event was decided as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SurgeReason {
    /// There is no excess.
    Ok,
    /// There is an excess, but it looks like the usual events, so more is let through.
    Calm,
    /// There is an excess that does not look like the usual events.
    Surge,
}

/// A [`Decision`] with its grounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurgeDecision {
    /// Whether the event may happen.
    pub allowed: bool,
    /// Why.
    pub reason: SurgeReason,
    /// Events that may be admitted in a short window.
    pub limit: f64,
    /// Events that may be admitted in a long window.
    pub day_limit: f64,
    /// As [`Decision::retry_after_ms`].
    pub retry_after_ms: i64,
}

/// See the [module's table](super) for when to choose it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Surge {
    params: SurgeParams,
}

impl Surge {
    /// # Errors
    /// Names the first parameter that is out of its range.
    pub fn new(params: SurgeParams) -> Result<Self, InvalidParameter> {
        let at_least = |least: f64, value: f64| value >= least && value.is_finite();
        let positive = |value: f64| value > 0.0 && value.is_finite();
        require(positive(params.window_s), "window_s", "a number of seconds above 0")?;
        require(at_least(params.window_s, params.day_s), "day_s", "a number of seconds, at least window_s")?;
        require(positive(params.memory_s), "memory_s", "a number of seconds above 0")?;
        require(positive(params.young_s), "young_s", "a number of seconds above 0")?;
        require(positive(params.z), "z", "a number above 0")?;
        require(at_least(2.0, params.floor), "floor", "a number, at least 2")?;
        require(at_least(2.0, params.day_floor), "day_floor", "a number, at least 2")?;
        require((0.0..=1.0).contains(&params.clip), "clip", "from 0 to 1")?;
        require(at_least(0.0, params.launch), "launch", "a number, at least 0")?;
        require(positive(params.launch_s), "launch_s", "a number of seconds above 0")?;
        require(positive(params.patience_s), "patience_s", "a number of seconds above 0")?;
        require(at_least(1.0, params.sustain), "sustain", "a number, at least 1")?;
        require(at_least(1.0, params.calm_factor), "calm_factor", "a number, at least 1")?;
        require(at_least(1.0, params.calm_min), "calm_min", "a number, at least 1")?;
        require(at_least(0.0, params.calm_shift), "calm_shift", "a number, at least 0")?;
        require(at_least(0.0, params.calm_noise), "calm_noise", "a number, at least 0")?;
        require(params.site_mean.is_finite(), "site_mean", "a number")?;
        require(positive(params.value_evidence), "value_evidence", "a number above 0")?;
        require(positive(params.value_memory_s), "value_memory_s", "a number of seconds above 0")?;
        require(params.max_backward_ms >= 0, "max_backward_ms", "at least 0")?;
        Ok(Self { params })
    }

    /// What it was made from.
    #[must_use]
    pub fn params(&self) -> &SurgeParams {
        &self.params
    }

    /// Decides an event and learns from it. The judgement has the states to keep if it is admitted, and if not.
    #[must_use]
    pub fn observe(
        &self,
        state: &SurgeState,
        now_ms: i64,
        value: Option<u8>,
    ) -> (Judgement<SurgeState>, SurgeDecision) {
        let (judgement, mut decision) = self.step(state, now_ms, value);
        if !decision.allowed {
            decision.retry_after_ms = self.retry_after_ms(&judgement.refused, value);
        }
        (Judgement { decision: decision.plain(), ..judgement }, decision)
    }

    /// [`observe`](Self::observe) without the retry time.
    fn step(&self, state: &SurgeState, now_ms: i64, value: Option<u8>) -> (Judgement<SurgeState>, SurgeDecision) {
        let mut next = self.learned(state, now_ms);
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
        // After a day without events the next one is allowed, even where a long window is still full.
        let is_rested = state.last_ms.is_some_and(|last| now_ms.saturating_sub(last) >= LONGEST_WAIT_MS);
        let allowed = is_rested || (next.admitted + 1.0 <= limit && next.admitted_day + 1.0 <= day_limit);
        let reason = match (allowed, calm) {
            (false, _) => SurgeReason::Surge,
            (true, true) => SurgeReason::Calm,
            (true, false) => SurgeReason::Ok,
        };
        let decision = SurgeDecision { allowed, reason, limit, day_limit, retry_after_ms: 0 };
        let admitted = Self::admitted(next, value);
        (Judgement { decision: decision.plain(), admitted, refused: next }, decision)
    }

    /// The state after an event is admitted that has been counted as a request.
    fn admitted(mut state: SurgeState, value: Option<u8>) -> SurgeState {
        state.admitted += 1.0;
        state.admitted_day += 1.0;
        if let Some(value) = value {
            state.taught += 1.0;
            state.taught_values += f64::from(value);
        }
        state
    }

    /// The state at `now_ms`, before the event itself.
    fn learned(&self, state: &SurgeState, now_ms: i64) -> SurgeState {
        let (elapsed, last) = advance(state.last_ms, now_ms, self.params.max_backward_ms);
        let next = SurgeState { last_ms: Some(last), ..*state };
        match elapsed {
            _ if state.last_ms.is_none() => next,
            Elapsed::Ms(0) | Elapsed::Step => next,
            Elapsed::Ms(gap_ms) => self.after_gap(next, seconds(gap_ms)),
        }
    }

    fn after_gap(&self, mut state: SurgeState, gap: f64) -> SurgeState {
        let params = &self.params;
        let windows = gap / params.window_s;
        let (base, day_base) = self.usual_limits(&state);
        let threshold = base.min(day_base * params.window_s / params.day_s);

        // The mean level over the gap; an excess is learned from only in part.
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
            // The excess has lasted long enough: from now on it is what is usual.
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

    /// The limits of the short and the long window by what is usual alone, without launch and calm.
    fn usual_limits(&self, state: &SurgeState) -> (f64, f64) {
        let SurgeParams { window_s, day_s, z, floor, day_floor, .. } = self.params;
        let windows = day_s / window_s;
        let spread = state.var + state.mean + 1.0;
        let base = floor.max(state.mean + z * spread.sqrt());
        let day_base = day_floor.max(windows * state.mean + z * (windows * spread).sqrt());
        (base, day_base)
    }

    /// The limits of both windows, and whether the excess is calm.
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

    /// Whether the events of a window look like the usual ones.
    fn is_calm(&self, state: &SurgeState, requested: f64, values: f64) -> bool {
        let SurgeParams { calm_min, calm_shift, calm_noise, site_mean, value_evidence, .. } = self.params;
        let usual = (value_evidence * site_mean + state.taught_values) / (value_evidence + state.taught);
        !state.valueless
            && requested >= calm_min
            && (values / requested - usual).abs() <= calm_shift + calm_noise / requested.sqrt()
    }

    /// Milliseconds until the same event would be allowed. The limits move meanwhile, so there is no formula, and the
    /// limiter itself is asked. At least 1, as an event that comes again at once cannot be told apart from the crowd.
    fn retry_after_ms(&self, refused: &SurgeState, value: Option<u8>) -> i64 {
        let last = refused.last_ms.unwrap_or(0);
        first_allowed(1, |wait| self.step(refused, last.saturating_add(wait), value).1.allowed)
    }
}

impl SurgeDecision {
    fn plain(&self) -> Decision {
        let SurgeDecision { allowed, retry_after_ms, .. } = *self;
        Decision::bare(allowed, retry_after_ms)
    }
}

impl Named for Surge {
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

    fn judge(&self, state: &SurgeState, event: Event) -> Result<Judgement<SurgeState>, InvalidCost> {
        InvalidCost::unless_one(event.cost)?;
        Ok(self.observe(state, event.now_ms, event.value).0)
    }

    fn judge_retry(&self, state: &SurgeState, event: Event) -> Result<Judgement<SurgeState>, InvalidCost> {
        let decision = self.peek(state, event)?;
        let admitted = Self::admitted(self.learned(state, event.now_ms), event.value);
        Ok(Judgement { decision, admitted, refused: *state })
    }

    fn forgettable_at_ms(&self, _: &SurgeState) -> Option<i64> {
        None
    }

    fn restore<'de, D: Deserializer<'de>>(&self, stored: D) -> Result<SurgeState, D::Error> {
        Deserialize::deserialize(stored)
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
        let (judgement, decision) = limiter.observe(state, now_ms, value);
        *state = if decision.allowed { judgement.admitted } else { judgement.refused };
        decision
    }

    /// A post with a rating of four stars a day for `days`, and the time of the last.
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
    fn a_crowd_is_refused_and_the_same_in_the_usual_stars_passes() {
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
    fn a_flood_teaches_little_and_what_lasts_is_learned() {
        let limiter = surge();
        let (quiet, now) = quiet(&limiter, 20);
        let mut flooded = quiet;
        admitted(&limiter, &mut flooded, (0..100_000).map(|i| now + i * 10), Some(1));
        assert!(flooded.mean < 0.5, "{}", flooded.mean);
        let mut lasting = quiet;
        // Sixty an hour, for three days: the last of them is as usual as any.
        let first = admitted(&limiter, &mut lasting, (0..1_440).map(|i| now + i * 60_000), Some(1));
        admitted(&limiter, &mut lasting, (1_440..2_880).map(|i| now + i * 60_000), Some(1));
        let third = admitted(&limiter, &mut lasting, (2_880..4_320).map(|i| now + i * 60_000), Some(1));
        assert!(first < 300 && third == 1_440, "{first} of the first day, {third} of the third");
    }

    #[test]
    fn a_new_key_has_a_launch_allowance_that_fades() {
        let limiter = surge();
        let launched = admitted(&limiter, &mut SurgeState::default(), (0..500).map(|i| i * 1_000), None);
        // 75, and what fades away of these within the eight minutes.
        assert!((75..90).contains(&launched), "{launched}");
        let (mut old, now) = quiet(&limiter, 5);
        assert!(admitted(&limiter, &mut old, (1..500).map(|i| now + DAY_MS + i * 1_000), None) < 10);
    }

    #[test]
    fn a_retry_is_spent_when_it_is_admitted_and_not_counted_as_another_request() {
        let limiter = surge();
        let (mut state, now) = quiet(&limiter, 20);
        admitted(&limiter, &mut state, (1..=50).map(|i| now + i * 1_000), Some(1));
        let retry = |at| limiter.judge_retry(&state, Event::at(at).with_value(1)).unwrap();
        let refused = retry(now + 60_000);
        assert_eq!((refused.decision.allowed, refused.refused), (false, state));
        let allowed = retry(now + DAY_MS);
        assert!(allowed.decision.allowed);
        let rested = limiter.learned(&state, now + DAY_MS);
        assert!((allowed.admitted.admitted - rested.admitted - 1.0).abs() < 1e-9);
        assert!((allowed.admitted.requested - rested.requested).abs() < 1e-9);
    }

    #[test]
    fn a_refused_event_is_seen_and_not_spent() {
        let limiter = surge();
        let (state, now) = quiet(&limiter, 20);
        let (judgement, decision) = limiter.observe(&state, now + 1_000, Some(1));
        assert!(decision.allowed);
        let Judgement { admitted, refused, .. } = judgement;
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

    /// Allowed for this state without any delay, in a post that was never young.
    fn allowed(change: impl FnOnce(&mut SurgeState), value: Option<u8>) -> bool {
        let limiter = Surge::new(SurgeParams { launch: 0.0, ..Default::default() }).unwrap();
        // So many have taught it four stars that the site's mean is next to nothing.
        let mut state = SurgeState { last_ms: Some(0), taught: 1e12, taught_values: 4e12, ..Default::default() };
        change(&mut state);
        limiter.observe(&state, 0, value).1.allowed
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
        // Sixteen ratings, of which the average may be 0.3 and 1.2 / 4 stars off.
        let of_sixteen = |average: f64| {
            allowed(
                |state| (state.admitted, state.requested, state.values) = (9.0, 15.0, 16.0 * average - 4.0),
                Some(4),
            )
        };
        assert!(of_sixteen(4.59) && of_sixteen(3.41));
        assert!(!of_sixteen(4.61) && !of_sixteen(3.39));
        // Seven are too few, eight are not.
        let usual = |requested: f64| {
            allowed(
                |state| (state.admitted, state.requested, state.values) = (9.0, requested, 4.0 * requested),
                Some(4),
            )
        };
        assert!(usual(7.0) && !usual(6.999));
        // Thirty times the floor, and no more.
        assert!(allowed(|state| (state.admitted, state.requested, state.values) = (149.0, 149.0, 596.0), Some(4)));
        assert!(!allowed(|state| (state.admitted, state.requested, state.values) = (149.1, 149.0, 596.0), Some(4)));
    }

    #[test]
    fn an_hour_of_few_is_judged_by_its_day() {
        let few = |stars: f64| {
            let day = (20.0, 20.0 * stars);
            allowed(|state| (state.admitted, state.requested_day, state.values_day) = (9.0, day.0, day.1), Some(4))
        };
        assert!(few(4.0) && !few(3.0));
        // The day's own limit is opened by the day alone.
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
    fn a_refusal_says_when_whichever_way_it_is_asked() {
        let (limiter, (mut state, now)) = (surge(), quiet(&surge(), 20));
        let refused = (0..20).find_map(|i| {
            let decision = limiter.check(&mut state, Event::at(now + i).with_value(1)).unwrap();
            (!decision.allowed).then_some((decision, now + i))
        });
        let (decision, at) = refused.unwrap();
        assert!(decision.retry_after_ms > 1_000);
        let again = Event::at(at + decision.retry_after_ms).with_value(1);
        assert!(limiter.check(&mut state, again).unwrap().allowed);
    }

    #[test]
    fn a_cost_other_than_one_is_an_error() {
        let (limiter, state) = (surge(), SurgeState::default());
        assert!(limiter.judge(&state, Event::at(0).costing(2)).is_err());
        assert!(limiter.judge(&state, Event::at(0).costing(0)).is_err());
        assert!(limiter.judge(&state, Event::at(0)).is_ok());
        assert_eq!((limiter.name(), limiter.forgettable_at_ms(&state)), ("surge", None));
    }

    proptest! {
        #[test]
        fn is_refused_until_exactly_the_promised_moment(
            gaps in prop::collection::vec(prop_oneof![0i64..5_000, 60_000i64..600_000, Just(DAY_MS)], 20..120),
            values in prop::collection::vec(prop::option::weighted(0.97, 1u8..=5), 120),
        ) {
            let (limiter, mut state, mut now) = (surge(), SurgeState::default(), 1_700_000_000_000);
            for (gap, value) in gaps.into_iter().zip(values) {
                now += gap;
                let decision = check(&limiter, &mut state, now, value);
                if !decision.allowed {
                    let retry = decision.retry_after_ms;
                    prop_assert!(limiter.observe(&state, now + retry, value).1.allowed);
                    prop_assert!(retry == 1 || !limiter.observe(&state, now + retry - 1, value).1.allowed);
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
            let _ = surge().observe(&state, now, Some(3));
        }
    }

    #[test]
    fn a_clock_set_back_measures_nothing() {
        let limiter = surge();
        let (state, now) = quiet(&limiter, 20);
        let skewed = limiter.observe(&state, now - 60_000, Some(4)).0.admitted;
        assert_eq!((skewed.last_ms, skewed.mean.to_bits()), (Some(now), state.mean.to_bits()));
        let stepped = limiter.observe(&state, now - 60_001, Some(4)).0.admitted;
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
