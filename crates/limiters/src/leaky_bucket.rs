//! Leaky bucket limiter with exact integer arithmetic. See [`LeakyBucket`].

use core::time::Duration;

#[cfg(not(feature = "std"))]
use num_traits::Float as _;
use serde::de::{self, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::elapsed_time::{ElapsedTime, elapsed_since};
use super::limiter::{
    DEFAULT_MAX_BACKWARD_CLOCK_STEP_MS, Decision, Evaluation, Event, InvalidCost, InvalidParameter, Limiter,
    MAX_WAIT_MS, NamedLimiter, saturate_to_i64, validate_parameter,
};
use super::timestamp::{Timestamp, duration_from_millis};

/// Parameters of a [`LeakyBucket`]. The default holds 20 units and leaks 10 units per second.
///
/// `leak_per_second` may replace `leak_amount` and `leak_period_ms` when parameters are deserialized: a number from
/// 0.001 to 1,000,000 with at most three decimals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "RawParams")]
pub struct LeakyBucketParams {
    /// Units that fit into the bucket: the largest burst. At least 1; default 20.
    pub capacity: i64,
    /// Units that leak out in each `leak_period_ms`. At least 1; default 10.
    pub leak_amount: i64,
    /// Milliseconds in which `leak_amount` units leak out. At least 1, and `capacity * leak_period_ms` must fit an
    /// `i64`; default 1,000.
    pub leak_period_ms: i64,
    /// Maximum backward step of the clock that counts as clock skew, in milliseconds. At least 0; default
    /// [`DEFAULT_MAX_BACKWARD_CLOCK_STEP_MS`].
    pub max_backward_ms: i64,
}

impl Default for LeakyBucketParams {
    fn default() -> Self {
        Self {
            capacity: 20,
            leak_amount: 10,
            leak_period_ms: 1000,
            max_backward_ms: DEFAULT_MAX_BACKWARD_CLOCK_STEP_MS,
        }
    }
}

/// Parameters as deserialized, including the alternative `leak_per_second`.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct RawParams {
    capacity: Option<i64>,
    leak_amount: Option<i64>,
    leak_period_ms: Option<i64>,
    leak_per_second: Option<Thousandths>,
    max_backward_ms: Option<i64>,
}

impl TryFrom<RawParams> for LeakyBucketParams {
    type Error = &'static str;

    fn try_from(given: RawParams) -> Result<Self, &'static str> {
        let default = Self::default();
        let (leak_amount, leak_period_ms) = match (given.leak_per_second, given.leak_amount, given.leak_period_ms) {
            (None, amount, period) => (amount.unwrap_or(default.leak_amount), period.unwrap_or(default.leak_period_ms)),
            (Some(leak), None, None) => leak.amount_and_period_ms(),
            _ => return Err("leak_per_second cannot be combined with leak_amount or leak_period_ms"),
        };
        let capacity = given.capacity.unwrap_or(default.capacity);
        let max_backward_ms = given.max_backward_ms.unwrap_or(default.max_backward_ms);
        Ok(Self { capacity, leak_amount, leak_period_ms, max_backward_ms })
    }
}

/// A number with at most three decimals, stored in thousandths.
struct Thousandths(i64);

impl Thousandths {
    /// Returns the leak as `leak_amount` and `leak_period_ms`. The period is the shortest of 1, 10, 100 and 1,000
    /// seconds in which a whole number of units leaks out.
    fn amount_and_period_ms(&self) -> (i64, i64) {
        let (mut amount, mut period_ms) = (self.0, 1_000_000);
        while amount % 10 == 0 && period_ms > 1_000 {
            (amount, period_ms) = (amount / 10, period_ms / 10);
        }
        (amount, period_ms)
    }
}

impl<'de> Deserialize<'de> for Thousandths {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Number;
        impl Visitor<'_> for Number {
            type Value = Thousandths;

            fn expecting(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.write_str("a number from 0.001 to 1000000 with at most 3 decimals")
            }

            #[expect(clippy::cast_possible_truncation, reason = "it is a whole number of at most 10^9")]
            fn visit_f64<E: de::Error>(self, number: f64) -> Result<Thousandths, E> {
                let thousandths = (number * 1_000.0).round();
                // Few decimal fractions have an exact `f64`; the tolerance accepts the nearest `f64` of a number with
                // three decimals.
                let is_exact = (thousandths - number * 1_000.0).abs() <= 1e-6;
                if is_exact && (1.0..=1e9).contains(&thousandths) {
                    return Ok(Thousandths(thousandths as i64));
                }
                Err(E::invalid_value(Unexpected::Float(number), &self))
            }

            fn visit_u64<E: de::Error>(self, number: u64) -> Result<Thousandths, E> {
                match u32::try_from(number) {
                    Ok(number) => self.visit_f64(number.into()),
                    Err(_) => Err(E::invalid_value(Unexpected::Unsigned(number), &self)),
                }
            }
        }
        deserializer.deserialize_f64(Number)
    }
}

/// State of one bucket. The default is an empty bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeakyBucketState {
    /// Level in units, multiplied by the `leak_period_ms` of the limiter, so that every rational leak rate is exact.
    pub level_q: i64,
    /// Time at which the level was `level_q`, in milliseconds since the Unix epoch.
    pub last_ms: i64,
}

impl Default for LeakyBucketState {
    fn default() -> Self {
        Self { level_q: 0, last_ms: i64::MIN }
    }
}

/// Serialized state of a bucket, with the scale of its level.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SavedState {
    pub level_q: i64,
    pub last_ms: i64,
    /// Scale of `level_q`: the parameter `leak_period_ms` of the limiter that saved the state.
    pub leak_period_ms: i64,
}

/// A leaky bucket as a meter: each allowed event adds its cost to the level, the level leaks at a constant rate, and an
/// event that would overflow the bucket is refused and adds nothing.
///
/// ```text
/// level = max(0, level - leak_amount * elapsed_ms / leak_period_ms)
///
/// allowed if level + cost <= capacity; then level = level + cost
///
/// remaining      = floor(capacity - level)
/// retry_after_ms = ceil((level + cost - capacity) * leak_period_ms / leak_amount)     when refused
/// reset_after_ms = ceil(level * leak_period_ms / leak_amount)
/// ```
///
/// In any interval of `t` milliseconds, at most `capacity + leak_amount * t / leak_period_ms` units are allowed. The
/// decisions equal those of GCRA (generic cell rate algorithm) with an emission interval of `leak_period_ms /
/// leak_amount` and a burst of `capacity`. The arithmetic is on integers, so no rounding errors accumulate.
///
/// - A cost of 0 is always allowed. A cost above `capacity` is an [`InvalidCost`] error.
/// - Refused events are not charged, and [`Decision::retry_after`] is exact.
/// - A restored state remains valid when the parameters change: its level is rescaled to the new `leak_period_ms`
///   (rounded up) and limited to the new `capacity`.
/// - Nothing leaks while the clock runs backwards; see [`DEFAULT_MAX_BACKWARD_CLOCK_STEP_MS`].
/// - The state of an empty bucket can be deleted; see [`Limiter::expires_at`].
///
/// Source: the leaky bucket of BitPin-Blog, which keeps whole seconds. A BitPin-Blog bucket of 20 units that leaks 10
/// per second admits up to 30 requests within a few milliseconds around the start of a second; this limiter does not.
///
/// See the [comparison of limiters](super#choosing-a-limiter) and the [example](super#leaky-bucket).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeakyBucket {
    params: LeakyBucketParams,
}

/// Builder of a [`LeakyBucket`], for rates that are written in the program.
///
/// ```
/// use std::time::Duration;
///
/// use evenkeel_limiters::LeakyBucket;
///
/// let pages = LeakyBucket::per_second(10).burst(20).build()?;
/// let mails = LeakyBucket::per(3, Duration::from_hours(1)).build()?;
/// assert_eq!(mails.params().capacity, 3);
/// # Ok::<(), evenkeel_limiters::InvalidParameter>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "call `build` to create the limiter"]
pub struct LeakyBucketBuilder {
    units: u32,
    period: Duration,
    burst: u32,
}

impl LeakyBucketBuilder {
    /// Sets the capacity of the bucket, which is the largest burst. By default, as many units as leak out in one
    /// period.
    pub const fn burst(self, units: u32) -> Self {
        Self { burst: units, ..self }
    }

    /// Creates the limiter.
    ///
    /// # Errors
    /// Returns an error if the rate or the burst is 0, or if the period is not a whole number of milliseconds from 1 to
    /// 2^31 - 1.
    pub fn build(self) -> Result<LeakyBucket, InvalidParameter> {
        let period_ms = i64::from(i32::try_from(self.period.as_millis()).unwrap_or_default());
        let is_whole = self.period.subsec_nanos().is_multiple_of(1_000_000) && period_ms > 0;
        validate_parameter(is_whole, "period", "a whole number of milliseconds from 1 to 2^31 - 1")?;
        validate_parameter(self.units >= 1, "rate", "at least 1 per period")?;
        LeakyBucket::new(LeakyBucketParams {
            capacity: self.burst.into(),
            leak_amount: self.units.into(),
            leak_period_ms: period_ms,
            ..LeakyBucketParams::default()
        })
    }
}

impl LeakyBucket {
    /// Builds a limiter that allows `units` per second in the long run.
    pub const fn per_second(units: u32) -> LeakyBucketBuilder {
        Self::per(units, Duration::from_secs(1))
    }

    /// Builds a limiter that allows `units` per minute in the long run.
    pub const fn per_minute(units: u32) -> LeakyBucketBuilder {
        Self::per(units, Duration::from_mins(1))
    }

    /// Builds a limiter that allows `units` per hour in the long run.
    pub const fn per_hour(units: u32) -> LeakyBucketBuilder {
        Self::per(units, Duration::from_hours(1))
    }

    /// Builds a limiter that allows `units` per `period` in the long run.
    pub const fn per(units: u32, period: Duration) -> LeakyBucketBuilder {
        LeakyBucketBuilder { units, period, burst: units }
    }

    /// Validates the parameters, and creates a limiter.
    ///
    /// # Errors
    /// Returns an error that names the first parameter out of its range.
    pub fn new(params: LeakyBucketParams) -> Result<Self, InvalidParameter> {
        validate_parameter(params.capacity >= 1, "capacity", "at least 1")?;
        validate_parameter(params.leak_amount >= 1, "leak_amount", "at least 1")?;
        validate_parameter(params.leak_period_ms >= 1, "leak_period_ms", "at least 1")?;
        validate_parameter(params.max_backward_ms >= 0, "max_backward_ms", "at least 0")?;
        let fits = params.capacity.checked_mul(params.leak_period_ms).is_some();
        validate_parameter(fits, "capacity", "small enough that capacity * leak_period_ms fits in 64 bits")?;
        Ok(Self { params })
    }

    /// Parameters of the limiter.
    #[must_use]
    pub fn params(&self) -> &LeakyBucketParams {
        &self.params
    }

    /// State at `now_ms`, before the cost of the event is added.
    #[inline(always)]
    fn leaked(&self, state: &LeakyBucketState, now_ms: i64) -> LeakyBucketState {
        let LeakyBucketParams { leak_amount, max_backward_ms, .. } = self.params;
        let (elapsed, last_ms) = elapsed_since(Some(state.last_ms), now_ms, max_backward_ms);
        // If the multiplication saturates, the result still exceeds the level of every bucket.
        let out = match elapsed {
            ElapsedTime::Ms(ms) => leak_amount.saturating_mul(ms),
            ElapsedTime::ClockStep => 0,
        };
        LeakyBucketState { level_q: self.level(state).saturating_sub(out).max(0), last_ms }
    }

    /// Level of a state, limited to the capacity, which may have been greater when the state was created.
    #[inline]
    fn level(&self, state: &LeakyBucketState) -> i64 {
        state.level_q.clamp(0, self.scaled_capacity())
    }

    /// Converts the level of a saved state to the scale of this limiter, rounded up.
    pub(crate) fn restored(&self, saved: &SavedState) -> LeakyBucketState {
        let (new, old) = (self.params.leak_period_ms, saved.leak_period_ms);
        let level_q = if old == new {
            saved.level_q
        } else if old <= 0 {
            0
        } else {
            let scaled = i128::from(saved.level_q) * i128::from(new);
            saturate_to_i64(scaled / i128::from(old) + i128::from(scaled % i128::from(old) > 0))
        };
        LeakyBucketState { level_q, last_ms: saved.last_ms }
    }

    /// Returns the decision for an event that would overflow the bucket by `over_q`. If `over_q` is 0 or less, the
    /// event is allowed.
    #[inline(always)]
    fn decision(&self, state: &LeakyBucketState, over_q: i64) -> Decision {
        let remaining = (self.scaled_capacity() - state.level_q) / self.params.leak_period_ms;
        Decision {
            allowed: over_q <= 0,
            retry_after: duration_from_millis(self.time_to_leak(over_q)),
            remaining: Some(remaining.cast_unsigned()),
            reset_after: Some(duration_from_millis(self.time_to_leak(state.level_q))),
        }
    }

    #[inline]
    fn scaled_cost(&self, cost: u32) -> Result<i64, InvalidCost> {
        let capacity = self.params.capacity;
        if i64::from(cost) > capacity {
            return Err(InvalidCost { cost, min: 0, max: u32::try_from(capacity).unwrap_or(u32::MAX) });
        }
        Ok(i64::from(cost) * self.params.leak_period_ms)
    }

    #[inline]
    fn scaled_capacity(&self) -> i64 {
        self.params.capacity * self.params.leak_period_ms
    }

    /// Excess of the level over the capacity if `scaled_cost` is added; 0 or less if the cost fits. The difference
    /// cannot overflow, because `scaled_cost` and the level are at most the capacity.
    #[inline]
    fn overflow(&self, leaked: &LeakyBucketState, scaled_cost: i64) -> i64 {
        scaled_cost - (self.scaled_capacity() - leaked.level_q)
    }

    /// Milliseconds until `level_q` has leaked out, rounded up; 0 for negative levels.
    #[inline]
    fn time_to_leak(&self, level_q: i64) -> i64 {
        if level_q <= 0 { 0 } else { (level_q - 1) / self.params.leak_amount + 1 }
    }
}

impl NamedLimiter for LeakyBucket {
    const NAME: &'static str = "leaky_bucket";
    type Params = LeakyBucketParams;

    fn with_params(params: LeakyBucketParams) -> Result<Self, InvalidParameter> {
        Self::new(params)
    }
}

impl Limiter for LeakyBucket {
    type State = LeakyBucketState;

    fn name(&self) -> &'static str {
        Self::NAME
    }

    /// Decides an event as [`Limiter::evaluate`] specifies. A cost of 0 is always allowed.
    #[inline(always)]
    fn evaluate(&self, state: &LeakyBucketState, event: Event) -> Result<Evaluation<LeakyBucketState>, InvalidCost> {
        let scaled_cost = self.scaled_cost(event.cost)?;
        let refused = self.leaked(state, event.time.unix_millis());
        let over = self.overflow(&refused, scaled_cost);
        let admitted =
            if over > 0 { refused } else { LeakyBucketState { level_q: refused.level_q + scaled_cost, ..refused } };
        Ok(Evaluation { decision: self.decision(&admitted, over), admitted, refused })
    }

    /// Same as [`evaluate`](Limiter::evaluate). A refused retry also updates the stored time; otherwise the bucket would not
    /// leak after the clock was set back.
    fn evaluate_retry(
        &self,
        state: &LeakyBucketState,
        event: Event,
    ) -> Result<Evaluation<LeakyBucketState>, InvalidCost> {
        self.evaluate(state, event)
    }

    /// Returns the decision that [`check`](Limiter::check) would make, but with `remaining` and `reset_after` before
    /// the event is charged.
    fn peek(&self, state: &LeakyBucketState, event: Event) -> Result<Decision, InvalidCost> {
        let scaled_cost = self.scaled_cost(event.cost)?;
        let leaked = self.leaked(state, event.time.unix_millis());
        Ok(self.decision(&leaked, self.overflow(&leaked, scaled_cost)))
    }

    fn refund(&self, state: &mut LeakyBucketState, event: Event) -> bool {
        let leaked = self.leaked(state, event.time.unix_millis());
        let units = i64::from(event.cost).saturating_mul(self.params.leak_period_ms);
        *state = LeakyBucketState { level_q: leaked.level_q.saturating_sub(units).max(0), ..leaked };
        true
    }

    /// Time at which the bucket is empty. An empty bucket is equivalent to a fresh state, so its state can be deleted.
    fn expires_at(&self, state: &LeakyBucketState) -> Option<Timestamp> {
        Some(Timestamp::from_unix_millis(state.last_ms.saturating_add(self.time_to_leak(self.level(state)))))
    }

    fn require_bounded_wait(&self) -> Result<(), InvalidParameter> {
        let LeakyBucketParams { leak_amount, leak_period_ms, .. } = self.params;
        let wait_ms = (leak_period_ms - 1) / leak_amount + 1;
        validate_parameter(
            wait_ms <= MAX_WAIT_MS,
            "leak_period_ms",
            "at most 86400000 (24 hours) for each unit of leak_amount",
        )
    }

    fn save<S: Serializer>(&self, state: &LeakyBucketState, serializer: S) -> Result<S::Ok, S::Error> {
        let LeakyBucketState { level_q, last_ms } = *state;
        SavedState { level_q, last_ms, leak_period_ms: self.params.leak_period_ms }.serialize(serializer)
    }

    /// Restores a state. The level is converted to the `leak_period_ms` of this limiter.
    fn restore<'de, D: Deserializer<'de>>(&self, saved: D) -> Result<LeakyBucketState, D::Error> {
        SavedState::deserialize(saved).map(|saved| self.restored(&saved))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn bucket(capacity: i64, leak_amount: i64, leak_period_ms: i64) -> LeakyBucket {
        LeakyBucket::new(LeakyBucketParams { capacity, leak_amount, leak_period_ms, ..Default::default() }).unwrap()
    }

    fn spend(
        limiter: &LeakyBucket,
        state: &LeakyBucketState,
        now: i64,
        cost: u32,
    ) -> Result<(LeakyBucketState, Decision), InvalidCost> {
        let mut state = *state;
        limiter.check(&mut state, Event::at_unix_millis(now).with_cost(cost)).map(|decision| (state, decision))
    }

    fn decide(limiter: &LeakyBucket, state: &LeakyBucketState, now: i64) -> (LeakyBucketState, Decision) {
        spend(limiter, state, now, 1).unwrap()
    }

    fn refunded(limiter: &LeakyBucket, state: &LeakyBucketState, now: i64, cost: u32) -> LeakyBucketState {
        let mut state = *state;
        assert!(limiter.refund(&mut state, Event::at_unix_millis(now).with_cost(cost)));
        state
    }

    fn saved_by(limiter: &LeakyBucket, state: &LeakyBucketState) -> serde_json::Value {
        limiter.save(state, serde_json::value::Serializer).unwrap()
    }

    prop_compose! {
        fn any_bucket()(capacity in 1i64..50, amount in 1i64..30, period in 1i64..3_000) -> LeakyBucket {
            bucket(capacity, amount, period)
        }
    }

    /// Reference model that leaks in steps of one millisecond.
    fn slow_model(limiter: &LeakyBucket, gaps: &[i64]) -> Vec<bool> {
        let params = limiter.params();
        let (full, mut level) = (params.capacity * params.leak_period_ms, 0);
        let mut admitted = Vec::new();
        for gap in gaps {
            for _ in 0..*gap {
                level = (level - params.leak_amount).max(0);
            }
            let fits = level + params.leak_period_ms <= full;
            level += if fits { params.leak_period_ms } else { 0 };
            admitted.push(fits);
        }
        admitted
    }

    #[test]
    fn parses_leak_per_second() {
        let read = |json: &str| serde_json::from_str::<LeakyBucketParams>(json).map_err(|error| error.to_string());
        let leak = |json: &str| read(json).map(|params| (params.leak_amount, params.leak_period_ms)).unwrap();
        assert_eq!(leak("{}"), (10, 1_000));
        assert_eq!(leak(r#"{"leak_per_second": 10}"#), (10, 1_000));
        assert_eq!(leak(r#"{"leak_per_second": 12.5}"#), (125, 10_000));
        assert_eq!(leak(r#"{"leak_per_second": 0.001}"#), (1, 1_000_000));
        for number in ["0", "-1", "0.0001", "1000000.001", "1e300", "\"10\"", "99999999999"] {
            let error = read(&format!("{{\"leak_per_second\": {number}}}")).unwrap_err();
            assert!(error.contains("a number from 0.001 to 1000000 with at most 3 decimals"), "{number}: {error}");
        }
        assert!(read(r#"{"leak_per_second": 1, "leak_amount": 1}"#).unwrap_err().contains("cannot be combined with"));
    }

    proptest! {
        #[test]
        fn decides_like_the_slow_obvious_model(limiter in any_bucket(), gaps in prop::collection::vec(0i64..400, 1..200)) {
            let (mut state, mut now, mut admitted) = (LeakyBucketState::default(), 0, Vec::new());
            for gap in &gaps {
                now += gap;
                let (next, decision) = decide(&limiter, &state, now);
                state = next;
                admitted.push(decision.allowed);
            }
            prop_assert_eq!(admitted, slow_model(&limiter, &gaps));
        }

        #[test]
        fn never_admits_more_than_capacity_plus_leak_in_any_window(limiter in any_bucket(), gaps in prop::collection::vec(0i64..300, 1..200)) {
            let (mut state, mut now, mut admitted) = (LeakyBucketState::default(), 1_700_000_000_000, Vec::new());
            for gap in gaps {
                now += gap;
                let (next, decision) = decide(&limiter, &state, now);
                state = next;
                if decision.allowed { admitted.push(now) }
            }
            let params = limiter.params();
            for (first, start) in admitted.iter().enumerate() {
                for (last, end) in admitted.iter().enumerate().skip(first) {
                    let count = i64::try_from(last - first).unwrap() + 1;
                    let most = params.capacity * params.leak_period_ms + params.leak_amount * (end - start);
                    prop_assert!(count * params.leak_period_ms <= most);
                }
            }
        }

        #[test]
        fn retry_after_is_exact(limiter in any_bucket(), gaps in prop::collection::vec(0i64..100, 1..200), cost in 1u32..20) {
            let (mut state, mut now) = (LeakyBucketState::default(), 0);
            for gap in gaps {
                now += gap;
                let Ok((next, decision)) = spend(&limiter, &state, now, cost) else { return Ok(()) };
                state = next;
                if !decision.allowed {
                    let retry = i64::try_from(decision.retry_after.as_millis()).unwrap();
                    prop_assert!(!limiter.peek(&state, Event::at_unix_millis(now + retry - 1).with_cost(cost)).unwrap().allowed);
                    prop_assert!(limiter.peek(&state, Event::at_unix_millis(now + retry).with_cost(cost)).unwrap().allowed);
                }
            }
        }

        #[test]
        fn a_backward_clock_never_frees_and_a_state_is_as_good_as_fresh_when_forgettable(limiter in any_bucket(), back in 1i64..60_000) {
            let (mut state, now) = (LeakyBucketState::default(), 1_000_000);
            for _ in 0..limiter.params().capacity { state = decide(&limiter, &state, now).0 }
            let (new_state, decision) = decide(&limiter, &state, now - back);
            prop_assert!(!decision.allowed);
            prop_assert_eq!(new_state.last_ms, now);
            let empty = limiter.expires_at(&state).unwrap().unix_millis();
            prop_assert_eq!(limiter.peek(&state, Event::at_unix_millis(empty).with_cost(1)).unwrap().reset_after, Some(Duration::ZERO));
            prop_assert!(limiter.peek(&state, Event::at_unix_millis(empty - 1).with_cost(1)).unwrap().reset_after > Some(Duration::ZERO));
        }

        #[test]
        fn survives_any_state_and_any_time(level_q: i64, last_ms: i64, leak_period_ms: i64, now: i64, cost: u32) {
            let limiter = bucket(20, 10, 1000);
            let saved = json!({ "level_q": level_q, "last_ms": last_ms, "leak_period_ms": leak_period_ms });
            let _ = decide(&limiter, &limiter.restore(saved).unwrap(), now);
            let state = LeakyBucketState { level_q, last_ms };
            let _ = spend(&limiter, &state, now, cost);
            let _ = limiter.peek(&state, Event::at_unix_millis(now).with_cost(cost));
            let _ = refunded(&limiter, &state, now, cost);
            let _ = limiter.expires_at(&state);
            let (next, _) = decide(&limiter, &state, now);
            prop_assert!((0..=20_000).contains(&next.level_q));
            prop_assert_eq!(limiter.restore(saved_by(&limiter, &next)).unwrap(), next);
        }
    }

    #[test]
    fn clock_correction_keeps_level_and_does_not_block() {
        let limiter = bucket(2, 1, 1000);
        let day = 86_400_000;
        let (state, _) = spend(&limiter, &LeakyBucketState::default(), day, 2).unwrap();
        let (state, decision) = decide(&limiter, &state, 0);
        assert_eq!((decision.allowed, decision.retry_after, state.last_ms), (false, Duration::from_secs(1), 0));
        assert!(decide(&limiter, &state, 1000).1.allowed);
    }

    #[test]
    fn a_changed_period_keeps_the_level_and_a_lowered_capacity_clamps_it() {
        let (half_full, _) = spend(&bucket(20, 10, 1000), &LeakyBucketState::default(), 0, 10).unwrap();
        let saved = saved_by(&bucket(20, 10, 1000), &half_full);
        let rescaled = bucket(20, 1, 300).restore(saved).unwrap();
        assert_eq!(
            bucket(20, 1, 300).peek(&rescaled, Event::at_unix_millis(0).with_cost(1)).unwrap().remaining,
            Some(10)
        );
        let small = bucket(4, 10, 1000).peek(&half_full, Event::at_unix_millis(0).with_cost(1)).unwrap();
        assert_eq!((small.allowed, small.remaining, small.retry_after), (false, Some(0), Duration::from_millis(100)));
    }

    #[test]
    fn a_level_is_rescaled_upwards_so_that_nothing_leaks_by_it() {
        let slow = bucket(20, 1, 1_000);
        let restored =
            |level_q| slow.restore(json!({ "level_q": level_q, "last_ms": 0, "leak_period_ms": 3 })).unwrap();
        let state = restored(10);
        // The level of 10/3 units is 3,333.3 thousandths of a unit, rounded up to 3,334.
        assert_eq!(decide(&slow, &state, 0).0.level_q, 3_334 + 1_000);
        assert_eq!(decide(&slow, &restored(9), 0).0.level_q, 3_000 + 1_000);
        assert_eq!(slow.expires_at(&state), Some(Timestamp::from_unix_millis(3_334)));
        assert_eq!(slow.expires_at(&LeakyBucketState::default()), Some(Timestamp::MIN));
        assert_eq!((slow.name(), slow.params().capacity), ("leaky_bucket", 20));
        let error = slow.peek(&state, Event::at_unix_millis(0).with_cost(21)).unwrap_err();
        assert_eq!(error, InvalidCost { cost: 21, min: 0, max: 20 });
    }

    #[test]
    fn refund_returns_at_most_the_level() {
        let limiter = bucket(20, 10, 1000);
        let (state, _) = spend(&limiter, &LeakyBucketState::default(), 0, 5).unwrap();
        assert_eq!(refunded(&limiter, &state, 0, 2).level_q, 3_000);
        assert_eq!(refunded(&limiter, &state, 0, 9).level_q, 0);
        assert_eq!(refunded(&limiter, &state, 100, 1).level_q, 3_000);
    }

    #[test]
    fn builder_creates_parameters() {
        let params = |builder: LeakyBucketBuilder| {
            let params = *builder.build().unwrap().params();
            (params.capacity, params.leak_amount, params.leak_period_ms)
        };
        assert_eq!(params(LeakyBucket::per_second(10).burst(20)), (20, 10, 1_000));
        assert_eq!(params(LeakyBucket::per_minute(3)), (3, 3, 60_000));
        assert_eq!(params(LeakyBucket::per_hour(u32::MAX)), (i64::from(u32::MAX), i64::from(u32::MAX), 3_600_000));
        assert_eq!(params(LeakyBucket::per(2, Duration::from_millis(5))), (2, 2, 5));
        let error = |builder: LeakyBucketBuilder| builder.build().unwrap_err().name;
        assert_eq!(error(LeakyBucket::per_second(0)), "rate");
        assert_eq!(error(LeakyBucket::per_second(0).burst(1)), "rate");
        assert_eq!(error(LeakyBucket::per_second(1).burst(0)), "capacity");
        for period in [Duration::ZERO, Duration::from_micros(1_500), Duration::MAX] {
            assert_eq!(error(LeakyBucket::per(1, period)), "period");
        }
    }

    #[test]
    fn invalid_parameters_are_named() {
        let named = |params| LeakyBucket::new(params).unwrap_err().name;
        let valid = LeakyBucketParams::default();
        assert_eq!(named(LeakyBucketParams { capacity: 0, ..valid }), "capacity");
        assert_eq!(named(LeakyBucketParams { leak_amount: 0, ..valid }), "leak_amount");
        assert_eq!(named(LeakyBucketParams { leak_period_ms: 0, ..valid }), "leak_period_ms");
        assert_eq!(named(LeakyBucketParams { max_backward_ms: -1, ..valid }), "max_backward_ms");
        assert_eq!(named(LeakyBucketParams { leak_period_ms: i64::MAX, ..valid }), "capacity");
        assert!(LeakyBucket::new(LeakyBucketParams { capacity: 1, leak_period_ms: i64::MAX, ..valid }).is_ok());
    }
}
