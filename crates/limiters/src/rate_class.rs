//! Rate class limiter of the OSCAR protocol. See [`RateClass`].

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::elapsed_time::{ElapsedTime, elapsed_since};
use super::limiter::{
    DEFAULT_MAX_BACKWARD_CLOCK_STEP_MS, Decision, Evaluation, Event, InvalidCost, InvalidParameter, Limiter,
    MAX_WAIT_MS, NamedLimiter, validate_parameter,
};
use super::timestamp::{Timestamp, duration_from_millis};

/// Parameters of a [`RateClass`]. All times have the same unit, which is milliseconds for the [`Limiter`]
/// implementation, and `0 <= disconnect <= limit <= alert <= clear <= max`.
///
/// The default is class 3 of OSCAR (instant messages), in milliseconds, as recorded in a session with a server of AIM.
/// In another session, the limit level was 2,000.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RateClassParams {
    /// Smoothing constant: the previous level has the weight `(window - 1) / window` in the average. From 1 to
    /// 1,000,000; default 20. With 1, the level is the latest gap.
    pub window: i64,
    /// Level (average gap between requests, in milliseconds) at which a limited client is allowed again. Default 5,100.
    pub clear: i64,
    /// Level, in milliseconds, below which a client is warned. Default 5,000.
    pub alert: i64,
    /// Level, in milliseconds, below which a client is limited. Default 4,000.
    pub limit: i64,
    /// Level, in milliseconds, below which a client is disconnected; 0 for never. Default 3,000.
    pub disconnect: i64,
    /// Maximum level, and the level of a new client. At least 0, and `window * max` at most 2^62; default 6,000.
    pub max: i64,
    /// Minimum time for which a disconnected client is refused. At least 0; default 600,000 (10 minutes in
    /// milliseconds).
    ///
    /// `None` refuses the client forever, as in OSCAR. A limit that several clients share must not use `None` (see
    /// [`Limiter::require_bounded_wait`]).
    pub reconnect_penalty: Option<i64>,
    /// True if refused requests also update the level, as in OSCAR. Default true.
    pub count_refused: bool,
    /// True if a warning lasts until the level reaches `clear`, which is the behavior that AOL clients observed; false
    /// if a warning lasts only until the level reaches `alert`. Default false.
    pub alert_hysteresis: bool,
    /// Maximum backward step of the clock that counts as clock skew, in the unit of the times. At least 0; default
    /// [`DEFAULT_MAX_BACKWARD_CLOCK_STEP_MS`].
    pub max_backward: i64,
}

impl Default for RateClassParams {
    fn default() -> Self {
        Self {
            window: 20,
            clear: 5_100,
            alert: 5_000,
            limit: 4_000,
            disconnect: 3_000,
            max: 6_000,
            reconnect_penalty: Some(600_000),
            count_refused: true,
            alert_hysteresis: false,
            max_backward: DEFAULT_MAX_BACKWARD_CLOCK_STEP_MS,
        }
    }
}

/// Status of a client, from best to worst.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum RateClassStatus {
    /// Requests are allowed.
    #[default]
    Clear,
    /// Requests are allowed, but the client is close to the limit.
    Alert,
    /// Requests are refused until the level reaches `clear`.
    Limited,
    /// Requests are refused for at least the reconnect penalty, and the connection has to be closed.
    Disconnect,
}

/// Notice to a client about a change of its status or of the class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RateClassNotice {
    /// The parameters of the rate class have changed.
    Change,
    /// The client is close to the limit.
    Warning,
    /// The client is limited.
    Limit,
    /// The client is no longer limited or warned.
    Clear,
}

impl RateClassNotice {
    /// Returns the notice for a change of status. A disconnect has no notice, because the connection is closed.
    #[must_use]
    pub fn for_status_change(from: RateClassStatus, to: RateClassStatus) -> Option<Self> {
        match to {
            _ if from == to => None,
            RateClassStatus::Clear => Some(Self::Clear),
            RateClassStatus::Alert => Some(Self::Warning),
            RateClassStatus::Limited => Some(Self::Limit),
            RateClassStatus::Disconnect => None,
        }
    }

    /// Returns true if this notice is sent to a client whose previous status was `from`.
    ///
    /// Clients without a subscription are only notified when they are limited and when they are no longer limited.
    #[must_use]
    pub fn should_send(self, from: RateClassStatus, subscribed: bool) -> bool {
        subscribed || self == Self::Limit || (self == Self::Clear && from >= RateClassStatus::Limited)
    }
}

/// State of one client in one class. The state must be kept when the client reconnects; otherwise a reconnect would end
/// a limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RateClassState {
    /// Average gap between requests. `None` before the first request, when the level is `max`.
    #[serde(alias = "level_ms")]
    pub level: Option<i64>,
    /// Time of the latest request that was counted; `None` before the first request.
    #[serde(alias = "last_ms")]
    pub last: Option<i64>,
    /// Status of the client.
    pub status: RateClassStatus,
    /// True if the client has subscribed to notices.
    pub subscribed: bool,
}

/// A [`Decision`] of a [`RateClass`], with the new status and level of the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateClassDecision {
    /// True if the request is allowed.
    pub allowed: bool,
    /// Status after the request.
    pub status: RateClassStatus,
    /// Level after the request: the average gap, in the unit of the parameters.
    pub level: i64,
    /// Notice of the change of status. [`RateClassNotice::should_send`] decides whether the client receives the notice.
    pub notice: Option<RateClassNotice>,
    /// True if the connection has to be closed.
    pub close: bool,
    /// Time until the same request would be allowed, in the unit of the parameters (see [`Decision::retry_after`]).
    /// `i64::MAX` if the client is disconnected permanently.
    pub retry_after: i64,
}

/// A rate class as in OSCAR, the protocol of AIM and ICQ: a moving average of the gaps between the requests of a
/// client, with a warning before the limit and a disconnect beyond the limit.
///
/// ```text
/// level = min(max, ((window - 1) * level + gap) / window)            rounded down to an integer
/// wait  = window * clear - (window - 1) * level                      of a limited client, after its latest request
/// ```
///
/// A higher level means slower requests. The new level determines the status; the first condition that applies decides:
///
/// 1. below `disconnect`: [`RateClassStatus::Disconnect`], for at least `reconnect_penalty`;
/// 2. already limited: [`RateClassStatus::Limited`] below `clear`, otherwise [`RateClassStatus::Clear`];
/// 3. below `limit`: [`RateClassStatus::Limited`];
/// 4. below `alert`: [`RateClassStatus::Alert`];
/// 5. otherwise: [`RateClassStatus::Clear`].
///
/// - With the default parameters, the eighth request in a burst is refused, and the fourteenth disconnects the
///   client.
/// - A refused request updates the level like any other request (unless `count_refused` is false), so a client that
///   continues to send requests is refused for longer. A limited client that sends requests at even gaps shorter than
///   `clear` remains limited until the client stops sending requests for a while.
/// - After a correction of the clock no gap can be measured, and the status does not change.
/// - The [`Limiter`] implementation returns an [`InvalidCost`] error for costs other than 1, and does not support
///   refunds.
///
/// All arithmetic is on integers, so a client can compute its own level. All times (in parameters, states, decisions
/// and requests) are integers of one unit, which the caller chooses; the [`Limiter`] implementation uses milliseconds.
/// With large windows and uneven gaps microseconds are better, because the division rounds down: the level may be up to
/// `window - 1` units below the true average. Stored states with the field names `level_ms` and `last_ms` are accepted.
///
/// Source: documents of the OSCAR protocol, and the order of the conditions in open-oscar-server. See the [comparison
/// of limiters](super#choosing-a-limiter) and the [example](super#rate-class).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateClass {
    params: RateClassParams,
}

impl RateClass {
    /// Validates the parameters, and creates a limiter.
    ///
    /// # Errors
    /// Returns an error that names the first parameter out of its range.
    pub fn new(params: RateClassParams) -> Result<Self, InvalidParameter> {
        validate_parameter((1..=1_000_000).contains(&params.window), "window", "from 1 to 1000000")?;
        let product = params.window.checked_mul(params.max).filter(|product| (0..=1 << 62).contains(product));
        validate_parameter(product.is_some(), "max", "at least 0, and window * max at most 2^62")?;
        validate_parameter(params.clear <= params.max, "clear", "at most max")?;
        validate_parameter(params.alert <= params.clear, "alert", "at most clear")?;
        validate_parameter(params.limit <= params.alert, "limit", "at most alert")?;
        validate_parameter((0..=params.limit).contains(&params.disconnect), "disconnect", "from 0 to limit")?;
        let penalty = params.reconnect_penalty.is_none_or(|penalty| penalty >= 0);
        validate_parameter(penalty, "reconnect_penalty", "at least 0, or none")?;
        validate_parameter(params.max_backward >= 0, "max_backward", "at least 0")?;
        Ok(Self { params })
    }

    /// Parameters of the class.
    #[must_use]
    pub fn params(&self) -> &RateClassParams {
        &self.params
    }

    /// Decides a request at `now`. The returned state must be stored whether or not the request was allowed.
    #[must_use]
    pub fn decide(&self, state: &RateClassState, now: i64) -> (RateClassState, RateClassDecision) {
        let (elapsed, last) = elapsed_since(state.last, now, self.params.max_backward);
        let seen = RateClassState { last: Some(last), ..*state };
        let next = match elapsed {
            // The clock was set back, so no gap can be measured.
            ElapsedTime::ClockStep => seen,
            ElapsedTime::Ms(gap) if state.status == RateClassStatus::Disconnect && gap < self.required_wait(state) => {
                *state
            }
            ElapsedTime::Ms(gap) => {
                let level = self.average(self.level(state), gap);
                let next = RateClassState { level: Some(level), status: self.status(state.status, level), ..seen };
                let counts = self.params.count_refused || next.status < RateClassStatus::Limited;
                if counts {
                    next
                } else {
                    // The time of the first request is stored even if that request is refused: otherwise no later
                    // request would have a gap.
                    RateClassState { status: next.status, last: state.last.or(Some(last)), ..*state }
                }
            }
        };
        let decision = self.decision(state.status, &next, now);
        (next, decision)
    }

    /// Returns the decision for a request at `now` without counting the request. `retry_after` is the wait of a client
    /// that does not send this request.
    #[must_use]
    pub fn preview(&self, state: &RateClassState, now: i64) -> RateClassDecision {
        let decision = self.decide(state, now).1;
        RateClassDecision {
            retry_after: if decision.allowed { 0 } else { self.remaining_wait(state, now) },
            ..decision
        }
    }

    /// Number of requests that a new client may send at once without being limited; `i64::MAX` if there is no limit.
    #[must_use]
    pub fn max_burst(&self) -> i64 {
        self.available_burst_from(RateClassStatus::Clear, self.params.max)
    }

    /// Number of requests that the client may send at once at `now` without being limited; `i64::MAX` if there is no
    /// limit.
    #[must_use]
    pub fn available_burst(&self, state: &RateClassState, now: i64) -> i64 {
        let (next, decision) = self.decide(state, now);
        if !decision.allowed {
            return 0;
        }
        self.available_burst_from(next.status, decision.level).saturating_add(1)
    }

    fn available_burst_from(&self, mut status: RateClassStatus, mut level: i64) -> i64 {
        for count in 0.. {
            let next = self.average(level, 0);
            status = self.status(status, next);
            // If `limit` is 0, the level never falls below the limit, and the number of requests is unlimited.
            if status >= RateClassStatus::Limited {
                return count;
            }
            if next == level {
                return i64::MAX;
            }
            level = next;
        }
        i64::MAX
    }

    /// Required time between the latest request and the next allowed request; 0 if no wait is required.
    fn required_wait(&self, state: &RateClassState) -> i64 {
        let RateClassParams { window, clear, limit, reconnect_penalty, .. } = self.params;
        let target = if state.status >= RateClassStatus::Limited { clear } else { limit };
        let owed = (window * target - (window - 1) * self.level(state)).max(0);
        match (state.status, reconnect_penalty) {
            (RateClassStatus::Disconnect, None) => i64::MAX,
            (RateClassStatus::Disconnect, Some(penalty)) => owed.max(penalty),
            _ => owed,
        }
    }

    /// Remaining part of the [`required_wait`](Self::required_wait) at `now`.
    fn remaining_wait(&self, state: &RateClassState, now: i64) -> i64 {
        let owed = self.required_wait(state);
        match elapsed_since(state.last, now, self.params.max_backward).0 {
            ElapsedTime::Ms(waited) if owed < i64::MAX => owed.saturating_sub(waited).max(0),
            _ => owed,
        }
    }

    fn level(&self, state: &RateClassState) -> i64 {
        state.level.unwrap_or(self.params.max).clamp(0, self.params.max)
    }

    fn average(&self, level: i64, gap: i64) -> i64 {
        let RateClassParams { window, max, .. } = self.params;
        // Limiting the gap to `window * max` does not change the result and prevents an overflow of the sum.
        let sum = (window - 1) * level + gap.min(window * max);
        (sum / window).min(max)
    }

    fn status(&self, from: RateClassStatus, level: i64) -> RateClassStatus {
        let RateClassParams { clear, alert, limit, disconnect, alert_hysteresis, .. } = self.params;
        let warned = alert_hysteresis && from == RateClassStatus::Alert && level < clear;
        if level < disconnect {
            RateClassStatus::Disconnect
        } else if from >= RateClassStatus::Limited {
            if level >= clear { RateClassStatus::Clear } else { RateClassStatus::Limited }
        } else if level < limit {
            RateClassStatus::Limited
        } else if level < alert || warned {
            RateClassStatus::Alert
        } else {
            RateClassStatus::Clear
        }
    }

    fn decision(&self, from: RateClassStatus, state: &RateClassState, now: i64) -> RateClassDecision {
        let allowed = state.status < RateClassStatus::Limited;
        RateClassDecision {
            allowed,
            status: state.status,
            level: self.level(state),
            notice: RateClassNotice::for_status_change(from, state.status),
            close: state.status == RateClassStatus::Disconnect,
            retry_after: if allowed { 0 } else { self.remaining_wait(state, now) },
        }
    }
}

impl NamedLimiter for RateClass {
    const NAME: &'static str = "rate_class";
    type Params = RateClassParams;

    fn with_params(params: RateClassParams) -> Result<Self, InvalidParameter> {
        Self::new(params)
    }
}

impl Limiter for RateClass {
    type State = RateClassState;

    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn evaluate(&self, state: &RateClassState, event: Event) -> Result<Evaluation<RateClassState>, InvalidCost> {
        InvalidCost::require_unit_cost(event.cost)?;
        let (next, RateClassDecision { allowed, retry_after, .. }) = self.decide(state, event.time.unix_millis());
        let decision = Decision::new(allowed, duration_from_millis(retry_after));
        // A class that does not count its own refusals does not count refusals by other limits either.
        let refused = if allowed && !self.params.count_refused { *state } else { next };
        Ok(Evaluation { decision, admitted: next, refused })
    }

    fn peek(&self, state: &RateClassState, event: Event) -> Result<Decision, InvalidCost> {
        InvalidCost::require_unit_cost(event.cost)?;
        let RateClassDecision { allowed, retry_after, .. } = self.preview(state, event.time.unix_millis());
        Ok(Decision::new(allowed, duration_from_millis(retry_after)))
    }

    /// Time at which the level is certain to be at its maximum again. `None` for a client that has subscribed to
    /// notices, is disconnected permanently or has not sent a request.
    fn expires_at(&self, state: &RateClassState) -> Option<Timestamp> {
        let RateClassParams { window, max, .. } = self.params;
        let to_max = window * max - (window - 1) * self.level(state);
        let owed = self.required_wait(state).max(to_max);
        let forgettable = !state.subscribed && owed < i64::MAX;
        let last = state.last.filter(|_| forgettable)?;
        Some(Timestamp::from_unix_millis(last.saturating_add(owed)))
    }

    fn require_bounded_wait(&self) -> Result<(), InvalidParameter> {
        let RateClassParams { window, clear, reconnect_penalty, .. } = self.params;
        let penalty = reconnect_penalty.is_some_and(|penalty| penalty <= MAX_WAIT_MS);
        validate_parameter(penalty, "reconnect_penalty", "from 0 to 86400000 (24 hours)")?;
        validate_parameter(
            window * clear <= MAX_WAIT_MS,
            "clear",
            "at most 86400000 (24 hours) when multiplied by window",
        )
    }

    fn save<S: Serializer>(&self, state: &RateClassState, serializer: S) -> Result<S::Ok, S::Error> {
        state.serialize(serializer)
    }

    fn restore<'de, D: Deserializer<'de>>(&self, saved: D) -> Result<RateClassState, D::Error> {
        Deserialize::deserialize(saved)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn class(change: impl FnOnce(&mut RateClassParams)) -> RateClass {
        let mut params = RateClassParams::default();
        change(&mut params);
        RateClass::new(params).unwrap()
    }

    /// Sends requests at intervals of `gap` until the client has the status `status`. Returns the number of requests
    /// and the time of the last request.
    fn until(limiter: &RateClass, state: &mut RateClassState, gap: i64, status: RateClassStatus) -> (u32, i64) {
        for count in 1..10_000 {
            let now = state.last.map_or(0, |last| last + gap);
            *state = limiter.decide(state, now).0;
            if state.status == status {
                return (count, now);
            }
        }
        panic!("never {status:?}");
    }

    #[test]
    fn class_without_limit_has_no_maximum_burst() {
        let limiter =
            RateClass::new(RateClassParams { clear: 0, alert: 0, limit: 0, disconnect: 0, ..Default::default() })
                .unwrap();
        assert_eq!((limiter.max_burst(), limiter.available_burst(&RateClassState::default(), 0)), (i64::MAX, i64::MAX));
    }

    #[test]
    fn bursts_are_as_long_as_the_specification_says() {
        let general = |params: &mut RateClassParams| {
            (params.window, params.limit, params.disconnect) = (80, 1_500, 800);
            (params.alert, params.clear) = (2_000, 2_500);
        };
        let (limiter, mut state) = (class(general), RateClassState::default());
        let possible = limiter.available_burst(&state, 0);
        let (last, _) = until(&limiter, &mut state, 0, RateClassStatus::Limited);
        assert_eq!((last, possible, limiter.max_burst(), limiter.available_burst(&state, 0)), (109, 108, 108, 0));
        assert_eq!(until(&limiter, &mut RateClassState::default(), 0, RateClassStatus::Disconnect).0, 157);
        let im = class(|_| ());
        assert_eq!(until(&im, &mut RateClassState::default(), 0, RateClassStatus::Limited).0, 8);
        assert_eq!(until(&im, &mut RateClassState::default(), 0, RateClassStatus::Disconnect).0, 14);
        assert_eq!(class(|params| (params.limit, params.disconnect) = (0, 0)).max_burst(), i64::MAX);
    }

    #[test]
    fn a_disconnected_client_is_refused_for_its_penalty_and_then_let_in() {
        let limiter = class(|params| params.reconnect_penalty = Some(60_000));
        let mut state = RateClassState::default();
        let (_, now) = until(&limiter, &mut state, 10, RateClassStatus::Disconnect);
        let owed = limiter.preview(&state, now).retry_after;
        assert_eq!(owed, 60_000);
        let (same, decision) = limiter.decide(&state, now + 59_999);
        assert_eq!((same, decision.close, decision.retry_after), (state, true, 1));
        let (let_in, decision) = limiter.decide(&state, now + 60_000);
        assert_eq!(
            (decision.allowed, decision.notice, let_in.status),
            (true, Some(RateClassNotice::Clear), RateClassStatus::Clear)
        );
        // After a clock correction, the penalty is measured from the corrected time.
        let (stepped, decision) = limiter.decide(&state, now - 100_000);
        assert_eq!((decision.allowed, stepped.last), (false, Some(now - 100_000)));
        assert!(limiter.decide(&stepped, now - 40_000).1.allowed);
        let forever = class(|params| params.reconnect_penalty = None);
        assert_eq!(forever.preview(&state, now).retry_after, i64::MAX);
        assert!(!forever.decide(&state, i64::MAX).1.allowed);
    }

    #[test]
    fn a_short_penalty_does_not_outrun_the_clear_level() {
        let limiter = class(|params| params.reconnect_penalty = Some(1));
        let mut state = RateClassState::default();
        let (_, now) = until(&limiter, &mut state, 0, RateClassStatus::Disconnect);
        let owed = limiter.preview(&state, now).retry_after;
        assert_eq!(owed, 20 * 5_100 - 19 * state.level.unwrap());
        assert!(!limiter.decide(&state, now + owed - 1).1.allowed);
        assert!(limiter.decide(&state, now + owed).1.allowed);
    }

    #[test]
    fn refused_requests_cost_nothing_where_they_do_not_count() {
        let limiter = class(|params| (params.count_refused, params.disconnect) = (false, 0));
        let mut state = RateClassState::default();
        let (_, now) = until(&limiter, &mut state, 10, RateClassStatus::Limited);
        let wait = limiter.decide(&state, now + 1).1.retry_after;
        for later in 1..100 {
            let (next, decision) = limiter.decide(&state, now + later);
            assert_eq!((decision.allowed, decision.retry_after), (false, wait + 1 - later));
            state = next;
        }
        assert!(limiter.decide(&state, now + 1 + wait).1.allowed);
    }

    #[test]
    fn refusals_of_other_limits_follow_count_refused() {
        let (counting, free) = (class(|_| ()), class(|params| params.count_refused = false));
        let state = RateClassState { level: Some(6_000), last: Some(0), ..Default::default() };
        let evaluated = |limiter: &RateClass| limiter.evaluate(&state, Event::at_unix_millis(10)).unwrap();
        assert_eq!(evaluated(&counting).refused, evaluated(&counting).admitted);
        assert_eq!(evaluated(&free).refused, state);
        assert!(free.evaluate(&state, Event::at_unix_millis(10).with_cost(2)).is_err());
        assert!(free.peek(&state, Event::at_unix_millis(10).with_cost(2)).is_err());
    }

    #[test]
    fn a_warning_may_last_until_the_clear_level() {
        // With a window of 1 the level is the latest gap.
        let status_after = |hysteresis: bool, gap: i64| {
            let limiter = class(|params| (params.window, params.alert_hysteresis) = (1, hysteresis));
            let warned = RateClassState {
                level: Some(4_500),
                last: Some(0),
                status: RateClassStatus::Alert,
                ..Default::default()
            };
            limiter.decide(&warned, gap).0.status
        };
        assert_eq!(
            (status_after(true, 5_099), status_after(false, 5_099)),
            (RateClassStatus::Alert, RateClassStatus::Clear)
        );
        assert_eq!(
            (status_after(true, 5_100), status_after(false, 4_999)),
            (RateClassStatus::Clear, RateClassStatus::Alert)
        );
    }

    #[test]
    fn limiter_trait_decides_like_decide() {
        let limiter = class(|_| ());
        let mut state = RateClassState::default();
        until(&limiter, &mut state, 10, RateClassStatus::Limited);
        let now = state.last.unwrap() + 7;
        let plain = limiter.preview(&state, now);
        let peeked = limiter.peek(&state, Event::at_unix_millis(now)).unwrap();
        assert_eq!((peeked.allowed, peeked.retry_after), (plain.allowed, duration_from_millis(plain.retry_after)));
        let (next, decision) = limiter.decide(&state, now);
        let mut checked = state;
        let check = limiter.check(&mut checked, Event::at_unix_millis(now)).unwrap();
        assert_eq!(
            (checked, check.allowed, check.retry_after),
            (next, decision.allowed, duration_from_millis(decision.retry_after))
        );
        assert_eq!((limiter.name(), check.remaining, check.reset_after), ("rate_class", None, None));
    }

    #[test]
    fn unsubscribed_clients_get_only_limit_notices() {
        use RateClassStatus::{Alert, Clear, Disconnect, Limited};
        let notice = |from, to| {
            RateClassNotice::for_status_change(from, to)
                .map(|notice| (notice, notice.should_send(from, false), notice.should_send(from, true)))
        };
        assert_eq!(notice(Clear, Alert), Some((RateClassNotice::Warning, false, true)));
        assert_eq!(notice(Alert, Clear), Some((RateClassNotice::Clear, false, true)));
        assert_eq!(notice(Alert, Limited), Some((RateClassNotice::Limit, true, true)));
        assert_eq!(notice(Limited, Clear), Some((RateClassNotice::Clear, true, true)));
        assert_eq!(notice(Disconnect, Clear), Some((RateClassNotice::Clear, true, true)));
        assert_eq!((notice(Limited, Disconnect), notice(Clear, Clear)), (None, None));
        assert!(
            RateClassNotice::Change.should_send(Clear, true) && !RateClassNotice::Change.should_send(Limited, false)
        );
    }

    #[test]
    fn a_state_is_forgettable_once_it_is_at_its_highest() {
        let limiter = class(|params| params.reconnect_penalty = Some(1_000_000));
        let mut state = RateClassState::default();
        assert_eq!(limiter.expires_at(&state), None);
        let (_, now) = until(&limiter, &mut state, 100, RateClassStatus::Limited);
        let at = limiter.expires_at(&state).unwrap().unix_millis();
        assert_eq!(at, now + 20 * 6_000 - 19 * state.level.unwrap());
        assert_eq!(limiter.decide(&state, at).0.level, Some(6_000));
        assert!(limiter.decide(&state, at - 1).0.level < Some(6_000));
        assert_eq!(limiter.expires_at(&RateClassState { subscribed: true, ..state }), None);
        let (_, now) = until(&limiter, &mut state, 0, RateClassStatus::Disconnect);
        assert_eq!(limiter.expires_at(&state), Some(Timestamp::from_unix_millis(now + 1_000_000)));
        assert_eq!(class(|params| params.reconnect_penalty = None).expires_at(&state), None);
    }

    proptest! {
        #[test]
        fn retry_after_is_exact(
            gaps in prop::collection::vec(prop_oneof![0i64..500, 1_000i64..9_000], 1..150),
            count_refused: bool, alert_hysteresis: bool, window in 1i64..50,
        ) {
            let limiter = class(|params| {
                *params = RateClassParams {
                    window, count_refused, alert_hysteresis, reconnect_penalty: Some(5_000), ..*params
                };
            });
            let (mut state, mut now) = (RateClassState::default(), 0);
            for gap in gaps {
                now += gap;
                let preview = limiter.preview(&state, now);
                // The first request of a client has no gap, whatever its time.
                if preview.retry_after > 0 && state.last.is_some() {
                    prop_assert!(!limiter.decide(&state, now + preview.retry_after - 1).1.allowed);
                    prop_assert!(limiter.decide(&state, now + preview.retry_after).1.allowed);
                }
                let (next, decision) = limiter.decide(&state, now);
                prop_assert_eq!(preview.allowed, decision.allowed);
                state = next;
                if !decision.allowed {
                    let retry = decision.retry_after;
                    prop_assert!(limiter.decide(&state, now + retry).1.allowed, "{} {:?}", retry, state);
                    prop_assert!(!limiter.decide(&state, now + retry - 1).1.allowed);
                }
            }
        }

        #[test]
        fn survives_any_state_and_any_time(level: Option<i64>, last: Option<i64>, subscribed: bool, now: i64, limited: bool) {
            let limiter = class(|params| params.reconnect_penalty = Some(1_000));
            let status = if limited { RateClassStatus::Limited } else { RateClassStatus::Disconnect };
            let state = RateClassState { level, last, status, subscribed };
            let (next, _) = limiter.decide(&state, now);
            let _ = (limiter.preview(&state, now), limiter.available_burst(&state, now), limiter.expires_at(&state));
            prop_assert_eq!(limiter.restore(serde_json::to_value(next).unwrap()).unwrap(), next);
        }
    }

    #[test]
    fn invalid_parameters_are_named() {
        let named = |change: fn(&mut RateClassParams)| {
            let mut params = RateClassParams::default();
            change(&mut params);
            RateClass::new(params).map_err(|error| error.name).err()
        };
        assert_eq!(named(|params| params.window = 0), Some("window"));
        assert_eq!(named(|params| params.window = 1_000_001), Some("window"));
        assert_eq!(named(|params| params.max = -1), Some("max"));
        assert_eq!(named(|params| (params.window, params.max) = (4, (1 << 60) + 1)), Some("max"));
        assert_eq!(named(|params| (params.window, params.max) = (4, 1 << 60)), None);
        assert_eq!(named(|params| params.clear = 6_001), Some("clear"));
        assert_eq!(named(|params| params.alert = 5_101), Some("alert"));
        assert_eq!(named(|params| params.limit = 5_001), Some("limit"));
        assert_eq!(named(|params| params.disconnect = 4_001), Some("disconnect"));
        assert_eq!(named(|params| params.disconnect = -1), Some("disconnect"));
        assert_eq!(named(|params| params.reconnect_penalty = Some(-1)), Some("reconnect_penalty"));
        assert_eq!(named(|params| params.max_backward = -1), Some("max_backward"));
        let edge = |params: &mut RateClassParams| {
            (params.window, params.max, params.clear, params.alert) = (1, 6_000, 6_000, 6_000);
            (params.limit, params.disconnect, params.reconnect_penalty) = (6_000, 6_000, Some(0));
            params.max_backward = 0;
        };
        assert_eq!(named(edge), None);
        assert_eq!(class(|params| params.window = 7).params().window, 7);
    }
}
