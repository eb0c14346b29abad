//! The rate classes of an instance: they count and decide requests in memory.

use std::collections::HashSet;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use super::client_key::{Key, KeyKind, Who};
use super::settings::{Limiters, Settings};
use super::subscribers::Subscribers;
use crate::db::clock::Clock;
use crate::web::request::visitor::UserId;
use crate::web::routing::route::Class;
use evenkeel_limiters::stores::Memory;
use evenkeel_limiters::{RateClass, RateClassDecision, RateClassState, RateStatus};

/// The most keys (a client in a class) that are remembered. When there are more, those unseen for longest are
/// forgotten.
const MAX_KEYS: usize = 400_000;

/// The rate classes of an instance. Times inside are microseconds: with gaps in milliseconds the whole-number average
/// would be up to half a window below the true one.
pub struct RateClasses {
    pub(super) clock: Clock,
    limiters: Limiters,
    /// Whether answers say what is left.
    pub headers: bool,
    /// The burst of each limiter, computed once.
    bursts: [[i64; KeyKind::ALL.len()]; Class::ALL.len()],
    states: Memory<Key, Entry>,
    /// The keys whose states have to be written to the database.
    changed: Mutex<HashSet<Key>>,
    counts: [[AtomicU64; STATUSES]; Class::ALL.len()],
    pub subscribers: Subscribers,
    /// How far the database's clock is ahead of ours, in microseconds.
    pub(super) database_ahead_us: AtomicI64,
}

/// What an instance knows of a client in a class.
#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    state: RateClassState,
    /// What the database has, as far as it is known here.
    written: Option<RateClassState>,
    /// Requests that were counted here and are not in `written`.
    unwritten: u32,
}

/// The most requests that are replayed. More would not change a level.
const MAX_REPLAYED: u32 = 1_000;

/// The state after `count` more requests, the last of them at `last`. When exactly the others came is not known any
/// more. They are spread evenly, and none is put before the last request that `state` has seen.
fn replay(limiter: &RateClass, state: RateClassState, count: u32, last: Option<i64>) -> RateClassState {
    let (Some(begin), Some(end)) = (state.last, last) else { return state };
    let (count, time) = (i64::from(count.min(MAX_REPLAYED)), (end - begin).max(0));
    (1..=count).fold(state, |state, number| limiter.request(&state, begin + time * number / count).0)
}

/// From clear to disconnect.
const STATUSES: usize = 4;

/// Where a client stands in a class.
#[derive(Clone, Copy, Debug)]
pub struct ClassStanding {
    pub class: Class,
    pub status: RateStatus,
    /// The average gap, in microseconds.
    pub level_us: i64,
    /// Microseconds until a request is let through; 0 for now.
    pub retry_after_us: i64,
    /// Whole seconds that the client has to wait or, while it is not limited, would have to if it were.
    pub wait_s: i64,
    /// Requests in a row that are possible now; and (`burst`) for a new client.
    pub possible: i64,
    pub burst: i64,
    /// Seconds in which all of the burst becomes possible again.
    pub window_s: i64,
}

impl RateClasses {
    #[must_use]
    pub fn new(settings: &Settings, clock: Clock) -> Self {
        Self {
            clock,
            limiters: settings.limiters,
            headers: settings.headers,
            bursts: settings.limiters.map(|of_class| of_class.map(|limiter| limiter.burst())),
            states: Memory::new(MAX_KEYS),
            changed: Mutex::default(),
            counts: Default::default(),
            subscribers: Subscribers::default(),
            database_ahead_us: AtomicI64::default(),
        }
    }

    /// The limiter that decides of a client in a class.
    #[must_use]
    pub fn limiter(&self, (class, who): Key) -> &RateClass {
        &self.limiters[class as usize][who.kind() as usize]
    }

    /// Counts a request. In memory: no query, no waiting.
    pub fn count(&self, key: Key) -> ClassStanding {
        self.count_as(key, 1)
    }

    /// Counts a request that costs as much as several, if the first of them is allowed.
    pub fn count_as(&self, key: Key, cost: u32) -> ClassStanding {
        let now = self.now();
        let limiter = self.limiter(key);
        let (before, state, decision) = self.states.with(key, |entry| {
            let before = entry.state.status;
            let (next, decision) = limiter.request(&entry.state, now);
            let all = if decision.allowed { cost } else { 1 };
            // The rest of the cost is charged but not decided: a request that was allowed stays allowed.
            let next = (1..all).fold(next, |state, _| limiter.request(&state, now).0);
            entry.state = next;
            if decision.allowed || limiter.params().count_refused {
                entry.unwritten = entry.unwritten.saturating_add(all);
            }
            (before, next, decision)
        });
        if before != state.status {
            self.notify(key, state.status);
        }
        self.counts[key.0 as usize][decision.status as usize].fetch_add(1, Ordering::Relaxed);
        // Browsing is not worth a row. While the database is gone, at most `MAX_KEYS` keys wait to be written.
        if key.0 != Class::Browse {
            let mut changed = self.changed();
            if changed.len() < MAX_KEYS {
                changed.insert(key);
            }
        }
        self.describe(key, &state, decision, now)
    }

    /// Where a client stands, without counting.
    #[must_use]
    pub fn standing(&self, key: Key) -> ClassStanding {
        let now = self.now();
        let state = self.states.get(&key).unwrap_or_default().state;
        let decision = self.limiter(key).preview(&state, now);
        let standing = self.describe(key, &state, decision, now);
        // A limit that has been waited out is over, and a client that is not warned yet does not become so by looking.
        ClassStanding { status: state.status.min(decision.status), ..standing }
    }

    /// How many requests of a class ended in this status, for metrics.
    #[must_use]
    pub fn total(&self, class: Class, status: RateStatus) -> u64 {
        self.counts[class as usize][status as usize].load(Ordering::Relaxed)
    }

    /// Ends the streams of a user whose session has ended.
    pub fn end_streams_of(&self, user: UserId) {
        self.subscribers.dismiss(Who::User(user));
    }

    /// Ends all streams and lets no new one begin, as the site stops.
    pub fn close_streams(&self) {
        self.subscribers.close();
    }

    fn now(&self) -> i64 {
        self.clock.local_micros().saturating_add(self.database_ahead_us.load(Ordering::Relaxed))
    }

    /// Takes over what other instances have written of a client, and adds what was counted here since. So a client that
    /// goes round between instances is measured as one, and a request elsewhere is no way out of a limit. Returns the
    /// state as it is now, and how many of its requests are not written yet.
    pub(super) fn merge(&self, key: Key, theirs: Option<RateClassState>) -> (RateClassState, u32) {
        let limiter = self.limiter(key);
        let (before, now) = self.states.with(key, |entry| {
            let before = entry.state.status;
            if let Some(theirs) = theirs.filter(|theirs| Some(*theirs) != entry.written) {
                entry.state = replay(limiter, theirs, entry.unwritten, entry.state.last);
                entry.written = Some(theirs);
            }
            (before, *entry)
        });
        if before != now.state.status {
            self.notify(key, now.state.status);
        }
        (now.state, now.unwritten)
    }

    /// What [`merge`](Self::merge) returned has been written.
    pub(super) fn mark_written(&self, key: Key, state: RateClassState, unwritten: u32) {
        self.states.with(key, |entry| {
            entry.written = Some(state);
            entry.unwritten = entry.unwritten.saturating_sub(unwritten);
        });
    }

    /// The keys whose states have to be written to the database.
    pub(super) fn changed(&self) -> std::sync::MutexGuard<'_, HashSet<Key>> {
        self.changed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn notify(&self, (class, who): Key, status: RateStatus) {
        self.subscribers.tell(who, (class, status));
    }

    fn describe(&self, key: Key, state: &RateClassState, decision: RateClassDecision, now: i64) -> ClassStanding {
        let ((class, who), limiter) = (key, self.limiter(key));
        let params = limiter.params();
        let to = |target: i64, level: i64| (params.window * target - (params.window - 1) * level).max(0);
        let wait = if decision.allowed { to(params.clear, params.limit) } else { decision.retry_after };
        let burst = self.bursts[class as usize][who.kind() as usize];
        ClassStanding {
            class,
            status: decision.status,
            level_us: state.level.unwrap_or(params.max),
            retry_after_us: decision.retry_after,
            wait_s: seconds(wait),
            possible: limiter.possible(state, now).min(burst),
            burst,
            window_s: seconds(to(params.max, params.limit)),
        }
    }
}

/// Whole seconds, rounded up and at least 1, of microseconds.
fn seconds(micros: i64) -> i64 {
    (micros.saturating_add(999_999) / 1_000_000).max(1)
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;

    use super::*;
    use crate::config::Env;

    #[test]
    fn requests_of_one_client_are_all_counted_whoever_serves_them() {
        let clock = Clock::fixed(DateTime::from_timestamp(1_790_000_000, 0).unwrap());
        let classes = RateClasses::new(&Settings::from_env(&Env::default()).unwrap(), clock);
        let served = AtomicU64::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..200 {
                        let standing = classes.count((Class::Browse, Who::User(UserId(7))));
                        served.fetch_add(u64::from(standing.status < RateStatus::Limited), Ordering::Relaxed);
                    }
                });
            }
        });
        assert_eq!(served.into_inner(), 82);
        assert_eq!(
            classes.total(Class::Browse, RateStatus::Clear) + classes.total(Class::Browse, RateStatus::Alert),
            82
        );
    }

    #[test]
    fn a_client_that_heeds_the_warning_is_served_all_day() {
        let clock = Clock::fixed(DateTime::from_timestamp(1_790_000_000, 0).unwrap());
        let classes = RateClasses::new(&Settings::from_env(&Env::default()).unwrap(), clock.clone());
        for class in Class::ALL {
            let (mut passed, mut warned, mut gap) = (0, 0, 0);
            while passed < 86_400_000 {
                clock.advance(chrono::TimeDelta::milliseconds(gap));
                passed += gap.max(1);
                let standing = classes.count((class, Who::User(UserId(7))));
                assert!(standing.status < RateStatus::Limited, "{class:?} after {passed} ms");
                // As fast as it can, until it is warned; then slowly, until it is clear.
                let slow = classes.limiter((class, Who::User(UserId(7)))).params().clear / 1_000 * 2;
                warned += u32::from(standing.status == RateStatus::Alert);
                gap = if standing.status == RateStatus::Alert { slow } else { gap / 2 };
            }
            assert!(warned > 100, "{class:?}");
        }
    }
}
