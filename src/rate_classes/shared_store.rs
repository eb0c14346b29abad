//! Store on a Valkey or Redis server in which all instances count requests together.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use super::client_key::ClassKey;
use super::settings::StoreUrl;
use super::sync::to_text;
use crate::db::clock::Clock;
use crate::db::describe_error_chain;
use evenkeel_limiters::stores::ValkeyStore;
use evenkeel_limiters::{RateClass, RateClassState};

/// Longest time for which a request waits for the store.
const TIMEOUT: Duration = Duration::from_millis(100);

/// Time after a failure for which the store is not used, so that few requests wait for a server that does not answer.
const PAUSE_US: i64 = 1_000_000;

pub struct SharedStore {
    store: ValkeyStore,
    clock: Clock,
    /// Local time, in microseconds, until which the store is not used after a failure; 0 if it is available.
    unavailable_until_us: AtomicI64,
}

impl SharedStore {
    /// Returns `None` if the URL is invalid, which the settings do not permit.
    pub fn new(url: &StoreUrl, clock: &Clock) -> Option<Self> {
        let store = ValkeyStore::new(url.as_str()).ok()?.with_prefix("evenkeel:rate_class:").with_timeout(TIMEOUT);
        // With the clock of a test, the time of the server would be wrong.
        let store = if clock.now().is_some() { store.with_client_clock() } else { store };
        Some(Self { store, clock: clock.clone(), unavailable_until_us: AtomicI64::default() })
    }

    /// Counts a request as `cost` requests if it is allowed, otherwise as one. Returns the state before the request and
    /// the time of the request in microseconds; `None` if the store is unavailable, so that the request has to be counted
    /// in memory.
    pub async fn count(
        &self,
        key: ClassKey,
        limiter: &RateClass,
        cost: u32,
        now_us: i64,
    ) -> Option<(RateClassState, i64)> {
        if self.clock.local_micros() < self.unavailable_until_us.load(Ordering::Relaxed) {
            return None;
        }
        match self.store.count_requests(&to_text(key), limiter, cost, now_us).await {
            Ok(counted) => {
                if self.unavailable_until_us.swap(0, Ordering::Relaxed) != 0 {
                    tracing::info!("requests are counted in the limiter store again");
                }
                Some(counted)
            }
            Err(error) => {
                let until = self.clock.local_micros().saturating_add(PAUSE_US);
                if self.unavailable_until_us.swap(until, Ordering::Relaxed) == 0 {
                    let error = describe_error_chain(&error.into());
                    tracing::warn!(error, "limiter store unavailable; each instance counts requests itself");
                }
                None
            }
        }
    }
}
