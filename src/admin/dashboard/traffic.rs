//! Traffic statistics of one server instance, for the admin area.

use std::collections::HashSet;
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher as _, Hash};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use actix_web::http::StatusCode;

use crate::db::clock::Clock;

/// Maximum number of distinct visitors counted per hour and instance.
const MAX_VISITORS: usize = 100_000;
const HOUR_MICROS: i64 = 3_600_000_000;

/// Event counts since the previous call of [`Traffic::take_counts`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TrafficCounts {
    pub visitors: u64,
    /// Views of the HTML pages of posts, lists and authors by users who are not staff.
    pub pages: u64,
    pub limited: u64,
    pub failures: u64,
}

/// Visitors are stored as hashes with a random key per process, so that they cannot be identified.
#[derive(Debug, Default)]
struct Visitors {
    /// Hours since the Unix epoch.
    hour: i64,
    seen: HashSet<u64>,
    new: u64,
}

#[derive(Debug)]
pub struct Traffic {
    clock: Clock,
    key: RandomState,
    visitors: Mutex<Visitors>,
    pages: AtomicU64,
    limited: AtomicU64,
    failures: AtomicU64,
}

impl Traffic {
    pub fn new(clock: Clock) -> Self {
        Self {
            clock,
            key: RandomState::new(),
            visitors: Mutex::default(),
            pages: AtomicU64::new(0),
            limited: AtomicU64::new(0),
            failures: AtomicU64::new(0),
        }
    }

    pub fn count_response(&self, status: StatusCode) {
        match status {
            StatusCode::TOO_MANY_REQUESTS => self.limited.fetch_add(1, Ordering::Relaxed),
            status if status.is_server_error() => self.failures.fetch_add(1, Ordering::Relaxed),
            _ => return,
        };
    }

    pub fn count_page_view(&self, visitor: impl Hash) {
        self.pages.fetch_add(1, Ordering::Relaxed);
        let (visitor, hour) = (self.key.hash_one(visitor), self.clock.local_micros().div_euclid(HOUR_MICROS));
        let mut visitors = self.visitors.lock().unwrap_or_else(PoisonError::into_inner);
        if visitors.hour != hour {
            (visitors.hour, visitors.seen) = (hour, HashSet::new());
        }
        if visitors.seen.len() < MAX_VISITORS && visitors.seen.insert(visitor) {
            visitors.new += 1;
        }
    }

    /// Returns the counts and resets them to zero. The caller has to store the returned counts.
    pub fn take_counts(&self) -> TrafficCounts {
        let mut visitors = self.visitors.lock().unwrap_or_else(PoisonError::into_inner);
        TrafficCounts {
            visitors: std::mem::take(&mut visitors.new),
            pages: self.pages.swap(0, Ordering::Relaxed),
            limited: self.limited.swap(0, Ordering::Relaxed),
            failures: self.failures.swap(0, Ordering::Relaxed),
        }
    }

    /// Adds counts of [`Self::take_counts`] that could not be stored.
    pub fn restore_counts(&self, counts: TrafficCounts) {
        self.visitors.lock().unwrap_or_else(PoisonError::into_inner).new += counts.visitors;
        self.pages.fetch_add(counts.pages, Ordering::Relaxed);
        self.limited.fetch_add(counts.limited, Ordering::Relaxed);
        self.failures.fetch_add(counts.failures, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::AtomicI64;

    use chrono::TimeDelta;

    use super::*;

    #[test]
    fn counts_a_visitor_once_per_hour() {
        let clock = Clock::Fixed(Arc::new(AtomicI64::new(1_790_000_000_000_000 / HOUR_MICROS * HOUR_MICROS)));
        let traffic = Traffic::new(clock.clone());
        for visitor in ["ann", "bob", "ann"] {
            traffic.count_page_view(visitor);
        }
        for status in [StatusCode::OK, StatusCode::TOO_MANY_REQUESTS, StatusCode::SERVICE_UNAVAILABLE] {
            traffic.count_response(status);
        }
        let counts = TrafficCounts { visitors: 2, pages: 3, limited: 1, failures: 1 };
        assert_eq!(traffic.take_counts(), counts);
        assert_eq!(traffic.take_counts(), TrafficCounts::default());
        traffic.count_page_view("bob");
        assert_eq!(traffic.take_counts(), TrafficCounts { pages: 1, ..TrafficCounts::default() });
        clock.advance(TimeDelta::hours(1));
        traffic.count_page_view("bob");
        traffic.restore_counts(counts);
        assert_eq!(traffic.take_counts(), TrafficCounts { visitors: 3, pages: 4, limited: 1, failures: 1 });
    }
}
