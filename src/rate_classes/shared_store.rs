//! Request counts on a Valkey or Redis server, which all instances share.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use super::client_key::{ClassKey, to_text};
use super::settings::StoreUrl;
use crate::db::clock::Clock;
use crate::db::describe_error_chain;
use evenkeel_limiters::stores::{ValkeyError, ValkeyStore};
use evenkeel_limiters::{RateClass, RateClassState};

const TIMEOUT: Duration = Duration::from_millis(100);

/// Time in microseconds after a failure of the store, until which requests are counted in memory without waiting.
const PAUSE_US: i64 = 1_000_000;

pub struct SharedStore {
    store: ValkeyStore,
    clock: Clock,
    /// Local time in microseconds at which the store is tried again; 0 if the store is available.
    unavailable_until_us: AtomicI64,
}

impl SharedStore {
    /// Returns `None` for an invalid URL, which the settings reject.
    pub fn new(url: &StoreUrl, clock: &Clock) -> Option<Self> {
        let store = ValkeyStore::new(url.as_str(), "evenkeel:rate_class:").ok()?;
        // Uses the clock of the database instead of the clock of the store, as shared states in the database do.
        let store = store.with_timeout(TIMEOUT).with_client_clock();
        Some(Self { store, clock: clock.clone(), unavailable_until_us: AtomicI64::default() })
    }

    pub fn is_available(&self) -> bool {
        self.unavailable_until_us.load(Ordering::Relaxed) == 0
    }

    /// `local_state` is used if it is later than the state in the store. Returns the state before the request; `None`
    /// if the request has to be counted in memory.
    pub async fn count(
        &self,
        key: ClassKey,
        limiter: &RateClass,
        cost: u32,
        now_us: i64,
        local_state: &RateClassState,
    ) -> Option<RateClassState> {
        let until = self.unavailable_until_us.load(Ordering::Relaxed);
        if until != 0 {
            let now = self.clock.local_micros();
            // While this request tries the store, other requests are counted in memory.
            let is_first = || {
                let next = now.saturating_add(PAUSE_US);
                self.unavailable_until_us.compare_exchange(until, next, Ordering::Relaxed, Ordering::Relaxed).is_ok()
            };
            if now < until || !is_first() {
                return None;
            }
        }
        match self.store.count_requests(&to_text(key), limiter, cost, now_us, local_state).await {
            Ok((before, _)) => {
                if self.unavailable_until_us.swap(0, Ordering::Relaxed) != 0 {
                    tracing::info!("limiter store available again");
                }
                Some(before)
            }
            Err(error @ (ValkeyError::Server(_) | ValkeyError::Timeout(_))) => {
                let until = self.clock.local_micros().saturating_add(PAUSE_US);
                if self.unavailable_until_us.swap(until, Ordering::Relaxed) == 0 {
                    let error = describe_error_chain(&error.into());
                    tracing::warn!(error, "limiter store unavailable; each instance counts requests itself");
                }
                None
            }
            Err(error) => {
                tracing::error!(
                    error = describe_error_chain(&error.into()),
                    "limiter store returned an invalid state; request counted in memory"
                );
                None
            }
        }
    }
}
