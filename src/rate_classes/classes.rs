//! Counts requests in memory and decides whether the limits of the rate classes allow them.

use std::cmp::Reverse;
use std::collections::HashSet;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use actix_web::{HttpRequest, web};

use super::client_key::{ClassKey, ClientId, ClientKind};
use super::settings::{Limiters, Settings};
use super::shared_store::SharedStore;
use super::subscribers::StatusSubscribers;
use tokio::sync::watch;

use crate::access::RequestClass;
use crate::custom_limits::{Allowance, CustomLimits, LimitName};
use crate::db::clock::Clock;
use crate::state::AppState;
use crate::web::request::current_user::UserId;
use evenkeel_limiters::stores::MemoryStore;
use evenkeel_limiters::{RateClass, RateClassDecision, RateClassParams, RateClassState, RateClassStatus};

/// Maximum number of keys in memory; the least recently used keys are evicted.
const MAX_KEYS: usize = 400_000;

/// Times are in microseconds: rounding down to milliseconds would make the moving average too low.
pub struct RateClasses {
    pub(super) clock: Clock,
    limiters: Limiters,
    custom_limits: Arc<CustomLimits>,
    pub sends_headers: bool,
    bursts: [[i64; ClientKind::ALL.len()]; RequestClass::ALL.len()],
    states: MemoryStore<ClassKey, ClientState>,
    /// Keys whose states must be written to the database.
    changed: Mutex<HashSet<ClassKey>>,
    counts: [[AtomicU64; STATUS_COUNT]; RequestClass::ALL.len()],
    pub subscribers: StatusSubscribers,
    pub(super) database_clock_offset_us: AtomicI64,
    shared_store: Option<SharedStore>,
}

#[derive(Clone, Copy, Debug, Default)]
struct ClientState {
    state: RateClassState,
    /// State that was last read from the database or written to it.
    written: Option<RateClassState>,
    /// Requests counted by this instance that `written` does not include.
    unwritten: u32,
}

/// Maximum number of replayed requests. More requests would not change the moving average.
const MAX_REPLAYED: u32 = 1_000;

/// Adds `count` requests up to the time `last`, evenly spaced because their times are unknown.
fn replay(limiter: &RateClass, state: RateClassState, count: u32, last: Option<i64>) -> RateClassState {
    let (Some(begin), Some(end)) = (state.last, last) else { return state };
    let (count, time) = (i64::from(count.min(MAX_REPLAYED)), (end - begin).max(0));
    (1..=count).fold(state, |state, number| limiter.decide(&state, begin + time * number / count).0)
}

/// Counts a request as `cost` requests if it is allowed, otherwise as one. The rest of the cost is counted without
/// rejecting this request.
fn count_with_cost(
    limiter: &RateClass,
    state: &RateClassState,
    cost: u32,
    now: i64,
) -> (RateClassState, RateClassDecision) {
    let (next, decision) = limiter.decide(state, now);
    let all = if decision.allowed { cost } else { 1 };
    ((1..all).fold(next, |state, _| limiter.decide(&state, now).0), decision)
}

/// Minimum distance of a threshold from the maximum, even at a warning level of 100 %, as in open-oscar-server.
const WARNING_DISTANCE_US: i64 = 150_000;

const STATUS_COUNT: usize = 4;

#[derive(Clone, Copy, Debug)]
pub struct ClientClassStatus {
    pub class: RequestClass,
    pub status: RateClassStatus,
    /// True if the request disconnects the client. The request may have been allowed if it counted as several requests.
    pub is_new_disconnect: bool,
    /// Microseconds since the latest request; `None` before the first request.
    pub last_arrival_us: Option<i64>,
    /// Moving average of the time between requests.
    pub level_us: i64,
    /// Time until a request is allowed; 0 if a request is allowed now.
    pub retry_after_us: i64,
    /// Wait in seconds, rounded up; for a client that is not limited, the wait after exceeding the limit.
    pub wait_s: i64,
    /// Number of requests allowed immediately, `i64::MAX` without a limit; for a new client, the number is `burst`.
    pub remaining: i64,
    pub burst: i64,
    /// Time without requests after which the full `burst` is available again.
    pub window_s: i64,
}

impl RateClasses {
    /// Rate classes of the instance; `None` if rate classes are disabled.
    pub fn for_request(request: &HttpRequest) -> Option<Arc<Self>> {
        request.app_data::<web::Data<AppState>>()?.rate_classes.clone()
    }

    pub fn new(settings: &Settings, custom_limits: Arc<CustomLimits>, clock: Clock) -> Self {
        let shared_store = settings.store_url.as_ref().and_then(|url| SharedStore::new(url, &clock));
        Self {
            clock,
            limiters: settings.limiters,
            custom_limits,
            sends_headers: settings.headers,
            bursts: settings.limiters.map(|of_class| of_class.map(|limiter| limiter.max_burst())),
            states: MemoryStore::new(MAX_KEYS),
            changed: Mutex::default(),
            counts: Default::default(),
            subscribers: StatusSubscribers::default(),
            database_clock_offset_us: AtomicI64::default(),
            shared_store,
        }
    }

    pub fn limiter(&self, key: ClassKey) -> RateClass {
        self.limiter_with(key, self.find_custom_limit(key))
    }

    fn limiter_with(&self, key: ClassKey, allowance: Option<Allowance>) -> RateClass {
        match allowance {
            Some(allowance) => self.scaled(key, allowance),
            None => match self.warning_level(key.1) {
                0 => self.default_limiter(key),
                level => self.warned(key, level),
            },
        }
    }

    /// Warning level in percent; 0 for networks.
    pub fn warning_level(&self, who: ClientId) -> u8 {
        match who {
            ClientId::User(user) | ClientId::Token(user) => self.custom_limits.warning_level(user),
            ClientId::Network(_) => 0,
        }
    }

    /// Warning level in percent; 0 if a custom limit replaces the limits of the warning level.
    pub fn effective_warning_level(&self, key: ClassKey) -> u8 {
        if self.find_custom_limit(key).is_some() { 0 } else { self.warning_level(key.1) }
    }

    pub fn limiter_changes(&self) -> watch::Receiver<u64> {
        self.custom_limits.changes()
    }

    fn default_limiter(&self, (class, who): ClassKey) -> RateClass {
        self.limiters[class as usize][who.kind() as usize]
    }

    fn find_custom_limit(&self, (class, who): ClassKey) -> Option<Allowance> {
        match who {
            ClientId::User(user) | ClientId::Token(user) => {
                self.custom_limits.find_for_user(LimitName::Requests(class), user)
            }
            ClientId::Network(address) => self.custom_limits.find_for_address(LimitName::Requests(class), address),
        }
    }

    /// Allows `factor` times as many requests in the long run, but at least one per maximum gap. Without a limit, all
    /// thresholds are 0, and a current penalty ends.
    fn scaled(&self, key: ClassKey, allowance: Allowance) -> RateClass {
        let default = self.default_limiter(key);
        let params = *default.params();
        let scale = |gap: i64| match allowance {
            Allowance::Exempt => 0,
            #[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "gaps are below 2^53")]
            Allowance::Times(factor) => ((gap as f64 / factor) as i64).min(params.max),
        };
        let reconnect_penalty = if matches!(allowance, Allowance::Exempt) { Some(0) } else { params.reconnect_penalty };
        let params = RateClassParams {
            clear: scale(params.clear),
            alert: scale(params.alert),
            limit: scale(params.limit),
            // A stricter limit refuses earlier, but does not sign users out earlier.
            disconnect: scale(params.disconnect).min(params.disconnect),
            reconnect_penalty,
            ..params
        };
        RateClass::new(params).unwrap_or(default)
    }

    /// Raises the thresholds towards the maximum: `warning_level` is the percentage of the distance.
    fn warned(&self, key: ClassKey, warning_level: u8) -> RateClass {
        let default = self.default_limiter(key);
        let params = *default.params();
        let raise = |gap: i64| gap + (params.max - WARNING_DISTANCE_US - gap).max(0) * i64::from(warning_level) / 100;
        let params = RateClassParams {
            clear: raise(params.clear),
            alert: raise(params.alert),
            limit: raise(params.limit),
            ..params
        };
        RateClass::new(params).unwrap_or(default)
    }

    fn burst(&self, key: ClassKey, limiter: &RateClass) -> i64 {
        if *limiter == self.default_limiter(key) {
            self.bursts[key.0 as usize][key.1.kind() as usize]
        } else {
            limiter.max_burst()
        }
    }

    /// Counts a request as `cost` requests, or as one request if it is refused.
    pub async fn count_request_with_cost(&self, key: ClassKey, cost: u32) -> ClientClassStatus {
        let allowance = self.find_custom_limit(key);
        if allowance.is_some() {
            self.custom_limits.count_use(LimitName::Requests(key.0));
        }
        let limiter = self.limiter_with(key, allowance);
        let now = self.now();
        if let Some(shared) = &self.shared_store
            && let local_state = self.states.get(&key).unwrap_or_default().state
            && let Some(before) = shared.count(key, &limiter, cost, now, &local_state).await
        {
            let (next, decision) = count_with_cost(&limiter, &before, cost, now);
            // Responses of the store may arrive in any order. Each request lowers the level within one microsecond.
            let order = |state: &RateClassState| (state.last, Reverse(state.level.unwrap_or(i64::MAX)));
            self.states.with_state(&key, |entry| {
                if order(&entry.state) <= order(&next) {
                    entry.state = next;
                }
            });
            return self.finish_count(key, &limiter, (before, next, decision), now);
        }
        self.count_in_memory(key, &limiter, cost, now)
    }

    fn count_in_memory(&self, key: ClassKey, limiter: &RateClass, cost: u32, now: i64) -> ClientClassStatus {
        let counted = self.states.with_state(&key, |entry| {
            let before = entry.state;
            let (next, decision) = count_with_cost(limiter, &before, cost, now);
            entry.state = next;
            if decision.allowed || limiter.params().count_refused {
                entry.unwritten = entry.unwritten.saturating_add(if decision.allowed { cost } else { 1 });
            }
            (before, next, decision)
        });
        self.finish_count(key, limiter, counted, now)
    }

    fn finish_count(
        &self,
        key: ClassKey,
        limiter: &RateClass,
        (before, state, decision): (RateClassState, RateClassState, RateClassDecision),
        now: i64,
    ) -> ClientClassStatus {
        if before.status != state.status {
            self.notify(key, state.status);
        }
        self.counts[key.0 as usize][decision.status as usize].fetch_add(1, Ordering::Relaxed);
        // States of the class `Browse` are not stored. The number of keys is limited, because keys accumulate while the
        // database is unavailable.
        if key.0 != RequestClass::Browse {
            let mut changed = self.lock_changed_keys();
            if changed.len() < MAX_KEYS {
                changed.insert(key);
            }
        }
        let is_new_disconnect = before.status != state.status && state.status == RateClassStatus::Disconnect;
        ClientClassStatus { is_new_disconnect, ..self.describe(key, limiter, &state, decision, now) }
    }

    pub fn current_status(&self, key: ClassKey) -> ClientClassStatus {
        let now = self.now();
        let state = self.states.get(&key).unwrap_or_default().state;
        let limiter = self.limiter(key);
        let decision = limiter.preview(&state, now);
        let class_status = self.describe(key, &limiter, &state, decision, now);
        // The less severe of the stored status and the status after another request: an expired limit is no longer
        // reported, and a warning is not reported before the request that triggers it.
        ClientClassStatus { status: state.status.min(decision.status), ..class_status }
    }

    /// Availability of the limiter store; `None` if the site has no limiter store.
    pub fn is_limiter_store_available(&self) -> Option<bool> {
        self.shared_store.as_ref().map(SharedStore::is_available)
    }

    pub fn decision_count(&self, class: RequestClass, status: RateClassStatus) -> u64 {
        self.counts[class as usize][status as usize].load(Ordering::Relaxed)
    }

    pub fn end_user_streams(&self, user: UserId) {
        self.subscribers.end_streams(ClientId::User(user));
    }

    /// Ends all event streams and rejects new streams.
    pub fn close_event_streams(&self) {
        self.subscribers.close_all_streams();
    }

    /// Time of the latest request, in microseconds since the Unix epoch.
    pub fn arrival_time(&self, class_status: &ClientClassStatus) -> Option<i64> {
        class_status.last_arrival_us.map(|elapsed| self.now().saturating_sub(elapsed))
    }

    fn now(&self) -> i64 {
        self.clock.local_micros().saturating_add(self.database_clock_offset_us.load(Ordering::Relaxed))
    }

    /// Adds the local requests that are not stored yet to the state stored by other instances. Returns the merged state
    /// and the number of its requests that are not stored yet.
    pub(super) fn merge_stored_state(&self, key: ClassKey, theirs: Option<RateClassState>) -> (RateClassState, u32) {
        let limiter = self.limiter(key);
        let (before, now) = self.states.with_state(&key, |entry| {
            let before = entry.state.status;
            // A state from the shared store already includes the requests to all instances.
            let is_newer = |theirs: &RateClassState| self.shared_store.is_none() || theirs.last > entry.state.last;
            if let Some(theirs) = theirs.filter(|theirs| Some(*theirs) != entry.written).filter(is_newer) {
                entry.state = replay(&limiter, theirs, entry.unwritten, entry.state.last);
                entry.written = Some(theirs);
            }
            (before, *entry)
        });
        if before != now.state.status {
            self.notify(key, now.state.status);
        }
        (now.state, now.unwritten)
    }

    pub(super) fn mark_written(&self, key: ClassKey, state: RateClassState, unwritten: u32) {
        self.states.with_state(&key, |entry| {
            entry.written = Some(state);
            entry.unwritten = entry.unwritten.saturating_sub(unwritten);
        });
    }

    pub(super) fn lock_changed_keys(&self) -> std::sync::MutexGuard<'_, HashSet<ClassKey>> {
        self.changed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn notify(&self, (class, who): ClassKey, status: RateClassStatus) {
        self.subscribers.notify_subscribers(who, (class, status));
    }

    fn describe(
        &self,
        key: ClassKey,
        limiter: &RateClass,
        state: &RateClassState,
        decision: RateClassDecision,
        now: i64,
    ) -> ClientClassStatus {
        let params = limiter.params();
        let to = |target: i64, level: i64| (params.window * target - (params.window - 1) * level).max(0);
        let wait = if decision.allowed { to(params.clear, params.limit) } else { decision.retry_after };
        let burst = self.burst(key, limiter);
        ClientClassStatus {
            class: key.0,
            status: decision.status,
            is_new_disconnect: false,
            last_arrival_us: state.last.map(|last| now.saturating_sub(last).max(0)),
            level_us: state.level.unwrap_or(params.max),
            retry_after_us: decision.retry_after,
            wait_s: seconds(wait),
            remaining: limiter.available_burst(state, now).min(burst),
            burst,
            window_s: seconds(to(params.max, params.limit)),
        }
    }
}

/// Rounds microseconds up to whole seconds, at least 1.
fn seconds(micros: i64) -> i64 {
    (micros.saturating_add(999_999) / 1_000_000).max(1)
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;

    use super::*;
    use crate::config::Env;

    #[test]
    fn concurrent_requests_are_all_counted() {
        let clock = Clock::fixed(DateTime::from_timestamp(1_790_000_000, 0).unwrap());
        let classes = RateClasses::new(&Settings::from_env(&Env::default()).unwrap(), Arc::default(), clock);
        let served = AtomicU64::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..200 {
                        let key = (RequestClass::Browse, ClientId::User(UserId(7)));
                        let class_status = classes.count_in_memory(key, &classes.limiter(key), 1, classes.now());
                        served.fetch_add(u64::from(class_status.status < RateClassStatus::Limited), Ordering::Relaxed);
                    }
                });
            }
        });
        assert_eq!(served.into_inner(), 82);
        assert_eq!(
            classes.decision_count(RequestClass::Browse, RateClassStatus::Clear)
                + classes.decision_count(RequestClass::Browse, RateClassStatus::Alert),
            82
        );
    }

    #[test]
    fn client_that_slows_down_after_warning_is_never_limited() {
        let clock = Clock::fixed(DateTime::from_timestamp(1_790_000_000, 0).unwrap());
        let classes = RateClasses::new(&Settings::from_env(&Env::default()).unwrap(), Arc::default(), clock.clone());
        for class in RequestClass::ALL {
            let (mut passed, mut warned, mut gap) = (0, 0, 0);
            while passed < 86_400_000 {
                clock.advance(chrono::TimeDelta::milliseconds(gap));
                passed += gap.max(1);
                let key = (class, ClientId::User(UserId(7)));
                let class_status = classes.count_in_memory(key, &classes.limiter(key), 1, classes.now());
                assert!(class_status.status < RateClassStatus::Limited, "{class:?} after {passed} ms");
                // Sends requests as fast as possible until a warning, then slowly until the status is clear.
                let slow = classes.limiter((class, ClientId::User(UserId(7)))).params().clear / 1_000 * 2;
                warned += u32::from(class_status.status == RateClassStatus::Alert);
                gap = if class_status.status == RateClassStatus::Alert { slow } else { gap / 2 };
            }
            assert!(warned > 100, "{class:?}");
        }
    }
}
