//! Rate classes: what one client may do, as in OSCAR (the protocol of AIM and ICQ). A client is warned before it is
//! limited, and one that goes on regardless is shown the door.
//!
//! Every address but files and health checks belongs to a class. Each user, and each network of those who are
//! not signed in, has a moving average of the gaps between its requests in each class ([`RateClass`]). It is decided
//! in memory; [`sync`] writes it behind to `PostgreSQL`, where restarts and other instances find it.

mod events;
pub mod sync;
mod table;
pub mod urls;
mod views;

use std::collections::HashSet;
use std::net::IpAddr;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use actix_session::SessionExt as _;
use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::Method;
use actix_web::http::header::{HeaderName, HeaderValue};
use actix_web::middleware::Next;
use actix_web::{HttpMessage as _, HttpRequest, web};
use serde::Serialize;

pub use self::table::{KeyKind, class};
use crate::database::clock::Clock;
use crate::limiters::stores::Memory;
use crate::limiters::{RateClass, RateClassDecision, RateClassState, RateStatus};
use crate::site::settings::Settings;
use crate::users::CurrentUser;
use crate::web::address::Address;
pub use crate::web::address::Class;
use crate::web::client::Client;
use crate::web::error::{AppError, seconds_in_words};
use crate::web::payload::{BodyKind, Query};
use crate::web::view::Format;

/// Clients times classes that are remembered; more make the longest unseen forgotten.
const MOST_KEYS: usize = 400_000;

/// Whom a class counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Who {
    User(i64),
    /// Of IPv6 the first 64 bits.
    Network(IpAddr),
}

impl Who {
    fn of(request: &HttpRequest) -> Option<Self> {
        let network = || request.extensions().get::<Client>().map(|client| Self::Network(client.network()));
        CurrentUser::of(request).map(|user| Self::User(user.id)).or_else(network)
    }

    #[must_use]
    pub fn kind(self) -> KeyKind {
        match self {
            Self::User(_) => KeyKind::User,
            Self::Network(_) => KeyKind::Address,
        }
    }
}

type Key = (Class, Who);

/// The classes of an instance. Times inside are microseconds: with gaps in milliseconds the whole-number average would
/// sit up to half a window below the true one.
pub struct RateClasses {
    clock: Clock,
    limiters: [[RateClass; KeyKind::ALL.len()]; Class::ALL.len()],
    /// Of each limiter, once and for all.
    bursts: [[i64; KeyKind::ALL.len()]; Class::ALL.len()],
    states: Memory<Key, Entry>,
    /// What has to be written behind.
    changed: Mutex<HashSet<Key>>,
    counts: [[AtomicU64; STATUSES]; Class::ALL.len()],
    subscribers: events::Subscribers,
    /// How far the database's clock is ahead of ours.
    ahead: AtomicI64,
}

/// What an instance knows of a client in a class.
#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    state: RateClassState,
    /// What the database has, as far as it is known here.
    written: Option<RateClassState>,
    /// Requests that were counted here and are not in that.
    counted: u32,
}

/// More requests than these change no level any more.
const MOST_REPLAYED: u32 = 1_000;

/// `count` more requests, the last of them at `last`. When exactly the others came is not known any more: evenly, and not
/// before what `state` has seen.
fn replay(limiter: &RateClass, state: RateClassState, count: u32, last: Option<i64>) -> RateClassState {
    let (Some(begin), Some(end)) = (state.last_ms, last) else { return state };
    let (count, time) = (i64::from(count.min(MOST_REPLAYED)), (end - begin).max(0));
    (1..=count).fold(state, |state, number| limiter.request(&state, begin + time * number / count).0)
}

/// From clear to disconnect.
const STATUSES: usize = 4;

/// What was decided of a request; kept with it for its page and its headers.
#[derive(Clone, Copy, Debug)]
pub struct Seen {
    pub class: Class,
    pub status: RateStatus,
    /// Whole seconds that one has to wait, or, while warned, would have to.
    pub wait_s: i64,
    /// Requests in a row that are possible now, and for whoever is new.
    pub possible: i64,
    pub burst: i64,
    /// Seconds in which all of the burst becomes possible again.
    pub window_s: i64,
}

/// What a person is told, on whatever page, who is about to be limited, or is.
#[derive(Clone, Debug)]
pub struct Warning {
    pub text: String,
    pub class: &'static str,
    /// Seconds, while limited.
    pub wait_s: Option<i64>,
}

impl Warning {
    /// The worst of the client's classes. None on the page that refuses a request: that says so itself.
    #[must_use]
    pub fn of(request: &HttpRequest) -> Option<Self> {
        let classes = request.app_data::<web::Data<RateClasses>>()?;
        if request.extensions().get::<Seen>().is_none_or(|seen| seen.status >= RateStatus::Limited) {
            return None;
        }
        let who = Who::of(request)?;
        let looks = Class::ALL.map(|class| classes.look((class, who)));
        let worst = looks.iter().filter(|look| look.status() > RateStatus::Clear).max_by_key(|look| look.status())?;
        let class = worst.seen.class;
        let doing = match class {
            Class::Browse => "reading",
            Class::Write => "writing",
            Class::Rate => "rating",
            Class::Account => "sending this form",
        };
        let wait = seconds_in_words(worst.seen.wait_s);
        Some(if worst.status() == RateStatus::Alert {
            let text = format!("You are {doing} very fast. Slow down, or you will have to wait for about {wait}.");
            Self { text, class: class.name(), wait_s: None }
        } else {
            let text = format!("You were {doing} too fast, and can go on in {wait}.");
            Self { text, class: class.name(), wait_s: Some(worst.seen.wait_s) }
        })
    }
}

impl Seen {
    fn error(&self) -> AppError {
        let close = self.status == RateStatus::Disconnect;
        AppError::ClassLimited { class: self.class.name(), retry_after_s: self.wait_s, close }
    }

    /// The fields of draft-ietf-httpapi-ratelimit-headers-10: what the class allows, and what is left of it.
    #[must_use]
    pub fn fields(&self) -> [(HeaderName, HeaderValue); 2] {
        let Self { burst, window_s, possible, wait_s, .. } = self;
        // When there is more is only known where there is nothing left.
        let more = if self.status < RateStatus::Limited { String::new() } else { format!(";t={wait_s}") };
        let name = self.class.name();
        let field = |name: &'static str, value: String| {
            (HeaderName::from_static(name), HeaderValue::from_str(&value).unwrap_or(HeaderValue::from_static("")))
        };
        [
            field("ratelimit-policy", format!("\"{name}\";q={burst};w={window_s}")),
            field("ratelimit", format!("\"{name}\";r={possible}{more}")),
        ]
    }
}

impl RateClasses {
    #[must_use]
    pub fn new(settings: &Settings, clock: Clock) -> Self {
        Self {
            clock,
            limiters: settings.rate_class_limiters,
            bursts: settings.rate_class_limiters.map(|of_class| of_class.map(|limiter| limiter.burst())),
            states: Memory::new(MOST_KEYS),
            changed: Mutex::default(),
            counts: Default::default(),
            subscribers: events::Subscribers::default(),
            ahead: AtomicI64::default(),
        }
    }

    fn now(&self) -> i64 {
        self.clock.local_micros().saturating_add(self.ahead.load(Ordering::Relaxed))
    }

    /// Takes over what other instances have written of a client, with what was counted here since: then a client that
    /// goes round between instances is measured as one, and a request elsewhere is no way out of a limit. Returns
    /// what is known now, and how many requests of it are not written yet.
    fn merge(&self, key: Key, theirs: Option<RateClassState>) -> (RateClassState, u32) {
        let limiter = self.limiter(key);
        let (before, now) = self.states.with(key, |entry| {
            let before = entry.state.status;
            if let Some(theirs) = theirs.filter(|theirs| Some(*theirs) != entry.written) {
                entry.state = replay(limiter, theirs, entry.counted, entry.state.last_ms);
                entry.written = Some(theirs);
            }
            (before, *entry)
        });
        if before != now.state.status {
            self.notify(key, now.state.status);
        }
        (now.state, now.counted)
    }

    /// What [`merge`](Self::merge) returned has been written.
    fn written(&self, key: Key, state: RateClassState, counted: u32) {
        self.states.with(key, |entry| {
            entry.written = Some(state);
            entry.counted = entry.counted.saturating_sub(counted);
        });
    }

    fn limiter(&self, (class, who): Key) -> &RateClass {
        &self.limiters[class as usize][who.kind() as usize]
    }

    /// Counts a request. In memory: no query, no waiting.
    pub fn count(&self, key: (Class, Who)) -> Seen {
        self.count_as(key, 1)
    }

    /// Counts a request that costs as much as several, if the first of them is allowed.
    pub fn count_as(&self, key: (Class, Who), cost: u32) -> Seen {
        let now = self.now();
        let limiter = self.limiter(key);
        let (before, state, decision) = self.states.with(key, |entry| {
            let before = entry.state.status;
            let (next, decision) = limiter.request(&entry.state, now);
            let all = if decision.allowed { cost } else { 1 };
            // The others are paid for and not decided: what was allowed stays so.
            let next = (1..all).fold(next, |state, _| limiter.request(&state, now).0);
            entry.state = next;
            if decision.allowed || limiter.params().count_refused {
                entry.counted = entry.counted.saturating_add(all);
            }
            (before, next, decision)
        });
        if before != state.status {
            self.notify(key, state.status);
        }
        self.counts[key.0 as usize][decision.status as usize].fetch_add(1, Ordering::Relaxed);
        // Reading is not worth a row. While the database is gone, no more is kept for it than states are.
        if key.0 != Class::Browse {
            let mut changed = self.changed();
            if changed.len() < MOST_KEYS {
                changed.insert(key);
            }
        }
        self.seen(key, &state, decision, now)
    }

    /// Where a client stands, without counting.
    fn look(&self, key: Key) -> Look {
        let now = self.now();
        let state = self.states.get(&key).unwrap_or_default().state;
        let decision = self.limiter(key).preview(&state, now);
        Look { state, decision, seen: self.seen(key, &state, decision, now) }
    }

    /// How many requests of a class ended in this status, for metrics.
    #[must_use]
    pub fn total(&self, class: Class, status: RateStatus) -> u64 {
        self.counts[class as usize][status as usize].load(Ordering::Relaxed)
    }

    fn changed(&self) -> std::sync::MutexGuard<'_, HashSet<Key>> {
        self.changed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn seen(&self, key: Key, state: &RateClassState, decision: RateClassDecision, now: i64) -> Seen {
        let ((class, who), limiter) = (key, self.limiter(key));
        let params = limiter.params();
        let to = |target: i64, level: i64| (params.window * target - (params.window - 1) * level).max(0);
        let wait = if decision.allowed { to(params.clear_ms, params.limit_ms) } else { decision.retry_after_ms };
        Seen {
            class,
            status: decision.status,
            wait_s: seconds(wait),
            possible: limiter.possible(state, now).min(self.bursts[class as usize][who.kind() as usize]),
            burst: self.bursts[class as usize][who.kind() as usize],
            window_s: seconds(to(params.max_ms, params.limit_ms)),
        }
    }
}

/// Where a client stands.
struct Look {
    state: RateClassState,
    /// Of a request that came now.
    decision: RateClassDecision,
    seen: Seen,
}

impl Look {
    /// A limit that has been waited out is none any more, and who has not been warned yet is not.
    fn status(&self) -> RateStatus {
        self.state.status.min(self.decision.status)
    }
}

/// Whole seconds, rounded up and at least 1, of microseconds.
fn seconds(micros: i64) -> i64 {
    (micros.saturating_add(999_999) / 1_000_000).max(1)
}

/// Counts a request, and refuses it where its class is limited. Runs where it is known who is signed in.
///
/// # Errors
/// Those of the view.
pub async fn limit(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, actix_web::Error> {
    let classes = request.app_data::<web::Data<RateClasses>>().cloned();
    let key = Who::of(request.request()).zip(classes);
    let address = Address::of(request.request());
    let is_counted = address.as_ref().is_none_or(|address| address.is_counted);
    let Some((who, classes)) = key.filter(|_| is_counted) else {
        return next.call(request).await.map(ServiceResponse::map_into_boxed_body);
    };
    let class = class_of(request.request(), address.as_deref());
    let seen = classes.count_as((class, who), cost(request.request(), address.as_deref()));
    request.extensions_mut().insert(seen);
    // Leaving is never refused.
    let ends_session = address.as_ref().is_some_and(|address| address.ends_session) && class != Class::Browse;
    let leaving = ends_session && address.is_some_and(|address| !address.has_page());
    if seen.status < RateStatus::Limited || leaving {
        let response = next.call(request).await?.map_into_boxed_body();
        // A session that has ended is not told about any more.
        if let (Who::User(user), true) = (who, ends_session && !response.status().is_client_error()) {
            classes.end_streams_of(user);
        }
        return Ok(response);
    }
    let close = seen.status == RateStatus::Disconnect;
    // A person's form is shown again with what was typed. For a loop that would be work, but that is disconnected soon.
    let forms = matches!(who, Who::User(_)) || class == Class::Account;
    if forms && !close && is_form(request.request()) {
        request.extensions_mut().insert(Refused(seen));
        return next.call(request).await.map(ServiceResponse::map_into_boxed_body);
    }
    if close {
        tracing::warn!(class = class.name(), ?who, "disconnected");
        request.get_session().purge();
    }
    Ok(request.error_response(seen.error()))
}

/// Counts a request whose session could not be looked up by its address, and refuses it where that is limited: it has not
/// come as far as [`limit`], and costs more than others. Runs outside of sessions.
///
/// # Errors
/// That of the session, or `class_limited`.
pub async fn charge_failures(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<impl MessageBody + 'static>, actix_web::Error> {
    let classes = request.app_data::<web::Data<RateClasses>>().cloned();
    let key = Who::of(request.request()).zip(classes);
    let class = class_of(request.request(), Address::of(request.request()).as_deref());
    next.call(request).await.map_err(|error| {
        let seen = key.map(|(who, classes)| classes.count((class, who)));
        seen.filter(|seen| seen.status >= RateStatus::Limited).map_or(error, |seen| seen.error().into())
    })
}

/// Where nothing is, one only looks.
fn class_of(request: &HttpRequest, address: Option<&Address>) -> Class {
    address.map_or(Class::Browse, |address| address.class(request.method()))
}

/// As how many requests this one counts.
fn cost(request: &HttpRequest, address: Option<&Address>) -> u32 {
    let costly = address.and_then(|address| address.costly_with);
    costly.filter(|(parameter, _)| !matches!(Query::of(request).get(parameter), Ok(None))).map_or(1, |(_, cost)| cost)
}

fn is_form(request: &HttpRequest) -> bool {
    let sent = matches!(BodyKind::of(request.headers()), Ok(BodyKind::Form));
    request.method() == Method::POST && sent && Format::of(request) == Format::Html
}

/// Left on a request whose class is limited: its fields are read for its form, and nothing is done with them.
#[derive(Clone, Copy, Debug)]
pub struct Refused(Seen);

impl Refused {
    /// What to answer, where a request was refused.
    #[must_use]
    pub fn of(request: &HttpRequest) -> Option<AppError> {
        request.extensions().get::<Self>().map(|Self(seen)| seen.error())
    }
}

/// What a class allows a client, and where that stands in it.
#[derive(Debug, Serialize)]
pub struct Standing {
    class: &'static str,
    key: KeyKind,
    window: i64,
    max_ms: i64,
    clear_ms: i64,
    alert_ms: i64,
    limit_ms: i64,
    disconnect_ms: i64,
    level_ms: i64,
    status: RateStatus,
    possible: i64,
    retry_after: i64,
}

impl RateClasses {
    fn standing(&self, class: Class, who: Who) -> Standing {
        let look = self.look((class, who));
        let Look { state, decision, seen } = &look;
        let params = self.limiter((class, who)).params();
        let ms = |micros: i64| micros / 1_000;
        Standing {
            class: class.name(),
            key: who.kind(),
            window: params.window,
            max_ms: ms(params.max_ms),
            clear_ms: ms(params.clear_ms),
            alert_ms: ms(params.alert_ms),
            limit_ms: ms(params.limit_ms),
            disconnect_ms: ms(params.disconnect_ms),
            level_ms: ms(state.level_ms.unwrap_or(params.max_ms)),
            status: look.status(),
            possible: seen.possible,
            retry_after: if decision.allowed { 0 } else { seen.wait_s },
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use chrono::DateTime;

    use super::*;

    #[test]
    fn requests_of_one_client_are_all_counted_whoever_serves_them() {
        let clock = Clock::fixed(DateTime::from_timestamp(1_790_000_000, 0).unwrap());
        let classes = RateClasses::new(&Settings::from_map(BTreeMap::new()).unwrap(), clock);
        let served = AtomicU64::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..200 {
                        let seen = classes.count((Class::Browse, Who::User(7)));
                        served.fetch_add(u64::from(seen.status < RateStatus::Limited), Ordering::Relaxed);
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
        let classes = RateClasses::new(&Settings::from_map(BTreeMap::new()).unwrap(), clock.clone());
        for class in Class::ALL {
            let (mut passed, mut warned, mut gap) = (0, 0, 0);
            while passed < 86_400_000 {
                clock.advance(chrono::TimeDelta::milliseconds(gap));
                passed += gap.max(1);
                let seen = classes.count((class, Who::User(7)));
                assert!(seen.status < RateStatus::Limited, "{class:?} after {passed} ms");
                // As fast as it can, until it is warned; then slowly, until it is clear.
                let slow = classes.limiter((class, Who::User(7))).params().clear_ms / 1_000 * 2;
                warned += u32::from(seen.status == RateStatus::Alert);
                gap = if seen.status == RateStatus::Alert { slow } else { gap / 2 };
            }
            assert!(warned > 100, "{class:?}");
        }
    }
}
