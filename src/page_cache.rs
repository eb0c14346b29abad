//! In-memory caches of pages for anonymous visitors, and of the parts of pages that are the same for all readers.
//! Concurrent requests for an entry compute it only once.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use actix_web::http::StatusCode;
use actix_web::http::header::{EntityTag, HeaderName, HeaderValue};
use actix_web::web::Bytes;
use prometheus_client::metrics::counter::Counter;
use quick_cache::sync::{Cache, DefaultLifecycle, EntryAction, EntryResult, PlaceholderGuard};
use quick_cache::{DefaultHashBuilder, OptionsBuilder, Weighter};
use tokio::time::timeout;

use crate::db::clock::Clock;

const LIFETIME: Duration = Duration::from_secs(1);
/// Maximum total size in bytes, enough for a few hundred pages.
const CAPACITY: u64 = 16 << 20;
/// Number of separately locked parts of the cache. An entry cannot be larger than one part.
const SHARDS: usize = 8;
/// Approximate size of a cache entry in bytes, excluding key, headers and body.
const ENTRY_OVERHEAD: u64 = 1_024;
/// Maximum number of times per second that frequent changes make a page stale.
const MAX_RERENDERS: u32 = 5;

/// Changes of the content of the site, which make cached values stale.
#[derive(Debug)]
struct Changes {
    /// Number of content changes. A value computed before the latest change is stale.
    content: AtomicU64,
    /// Number of frequent changes, such as ratings, which make a value stale at most `MAX_RERENDERS` times per second.
    frequent: AtomicU64,
    clock: Clock,
}

/// Cache whose values are valid for a second at most.
#[derive(Debug)]
pub struct FreshCache<V> {
    entries: Cache<String, CacheEntry<V>, ByteWeighter>,
    changes: Arc<Changes>,
    pub hits: Counter,
    pub misses: Counter,
}

pub type PageCache = FreshCache<CachedResponse>;

/// Memory that a cached value takes.
pub trait ByteSize {
    /// Approximate size in bytes, at most 1 KiB too small.
    fn byte_size(&self) -> usize;
}

#[derive(Debug)]
pub struct CachedResponse {
    pub status: StatusCode,
    pub headers: Vec<(HeaderName, HeaderValue)>,
    pub etag: Option<EntityTag>,
    pub body: Bytes,
}

impl ByteSize for CachedResponse {
    fn byte_size(&self) -> usize {
        let header = |(name, value): &(HeaderName, HeaderValue)| name.as_str().len() + value.len();
        self.body.len() + self.headers.iter().map(header).sum::<usize>()
    }
}

#[derive(Debug)]
struct CacheEntry<V> {
    /// `None` if the value must not be cached.
    value: Option<Arc<V>>,
    age: Freshness,
}

impl<V> Clone for CacheEntry<V> {
    fn clone(&self) -> Self {
        Self { value: self.value.clone(), age: self.age }
    }
}

#[derive(Clone, Copy, Debug)]
struct Freshness {
    rendered_at: Instant,
    /// Site time in microseconds. Pages can show the time, so an adjustment of the site clock invalidates them.
    clock_us: i64,
    changes: u64,
    frequent_changes: u64,
    /// Number of times that the value was computed again since `counted_since`.
    rerenders: u32,
    counted_since: Instant,
}

#[derive(Clone, Debug)]
struct ByteWeighter;

impl<V: ByteSize> Weighter<String, CacheEntry<V>> for ByteWeighter {
    fn weight(&self, key: &String, cached: &CacheEntry<V>) -> u64 {
        let size = cached.value.as_deref().map_or(0, V::byte_size);
        ENTRY_OVERHEAD + u64::try_from(key.len() + size).unwrap_or(u64::MAX)
    }
}

type Lifecycle<V> = DefaultLifecycle<String, CacheEntry<V>>;
type Guard<'a, V> = PlaceholderGuard<'a, String, CacheEntry<V>, ByteWeighter, DefaultHashBuilder, Lifecycle<V>>;

pub enum CacheLookup<'a, V> {
    Hit(Arc<V>),
    /// The last value for this key was not cacheable. The caller has to compute the value and must not cache it.
    Uncacheable,
    /// The caller must compute the value; concurrent requests for the key wait for it.
    Miss(CachePlaceholder<'a, V>),
}

/// If the placeholder is dropped before it is filled, a waiting request becomes responsible for the value.
pub struct CachePlaceholder<'a, V> {
    guard: Guard<'a, V>,
    age: Freshness,
}

impl<V: ByteSize> CachePlaceholder<'_, V> {
    pub fn fill(self, value: Option<Arc<V>>) {
        let _ = self.guard.insert(CacheEntry { value, age: self.age });
    }
}

impl PageCache {
    pub fn new(clock: Clock) -> Self {
        let changes = Changes { content: AtomicU64::new(0), frequent: AtomicU64::new(0), clock };
        Self::with_changes(changes.into(), CAPACITY)
    }
}

impl<V: ByteSize> FreshCache<V> {
    /// Cache whose values become stale with the pages in `pages`. `capacity` is its maximum size in bytes.
    pub fn sharing_changes(pages: &PageCache, capacity: u64) -> Self {
        Self::with_changes(pages.changes.clone(), capacity)
    }

    fn with_changes(changes: Arc<Changes>, capacity: u64) -> Self {
        let options =
            OptionsBuilder::new().shards(SHARDS).estimated_items_capacity(1_000).weight_capacity(capacity).build();
        let entries = match options {
            Ok(options) => {
                Cache::with_options(options, ByteWeighter, DefaultHashBuilder::default(), DefaultLifecycle::default())
            }
            Err(_) => Cache::with_weighter(1_000, capacity, ByteWeighter),
        };
        Self { entries, changes, hits: Counter::default(), misses: Counter::default() }
    }

    /// Must be called after the transaction of a change has been committed.
    pub fn invalidate(&self) {
        self.changes.content.fetch_add(1, Ordering::SeqCst);
    }

    /// Invalidates values after a frequent change, at most `MAX_RERENDERS` times per second.
    pub fn invalidate_throttled(&self) {
        self.changes.frequent.fetch_add(1, Ordering::SeqCst);
    }

    /// Returns the cached value of `key`, or computes it with `load`.
    pub async fn get_or_load<E>(&self, key: &str, load: impl Future<Output = Result<V, E>>) -> Result<Arc<V>, E> {
        match self.lookup(key).await {
            CacheLookup::Hit(value) => Ok(value),
            CacheLookup::Uncacheable => load.await.map(Arc::new),
            CacheLookup::Miss(placeholder) => {
                let value = Arc::new(load.await?);
                placeholder.fill(Some(value.clone()));
                Ok(value)
            }
        }
    }

    /// If another request is computing the value, waits for the result of that request.
    pub async fn lookup(&self, key: &str) -> CacheLookup<'_, V> {
        let now = Freshness::new(&self.changes, None);
        if let Some(cached) = self.entries.get(key).filter(|cached| cached.age.is_fresh(now)) {
            self.hits.inc();
            return cached.look();
        }
        let look = self.entries.entry_async(key, |_, cached| {
            if cached.age.is_fresh(now) { EntryAction::Retain(cached.clone()) } else { EntryAction::ReplaceWithGuard }
        });
        // The request that computes the value may be stuck. After one second, waiting requests compute the value
        // themselves and bypass the cache.
        let Ok(looked) = timeout(LIFETIME, look).await else { return CacheLookup::Uncacheable };
        let counter = if matches!(looked, EntryResult::Retained(_)) { &self.hits } else { &self.misses };
        counter.inc();
        // The freshness stamp is taken before the value is computed, because the value may lack later changes.
        match looked {
            EntryResult::Retained(cached) => cached.look(),
            EntryResult::Vacant(guard) => {
                CacheLookup::Miss(CachePlaceholder { guard, age: Freshness::new(&self.changes, None) })
            }
            EntryResult::Replaced(guard, old) => {
                CacheLookup::Miss(CachePlaceholder { guard, age: Freshness::new(&self.changes, Some(old.age)) })
            }
            EntryResult::Removed(..) | EntryResult::Timeout => CacheLookup::Uncacheable,
        }
    }
}

impl<V> CacheEntry<V> {
    fn look<'a>(self) -> CacheLookup<'a, V> {
        self.value.map_or(CacheLookup::Uncacheable, CacheLookup::Hit)
    }
}

impl Freshness {
    /// `old` is the freshness stamp of the cached value that is replaced.
    fn new(changes: &Changes, old: Option<Self>) -> Self {
        let now = Instant::now();
        let recent = old.filter(|old| now - old.counted_since < LIFETIME);
        Self {
            rendered_at: now,
            clock_us: changes.clock.local_micros(),
            changes: changes.content.load(Ordering::SeqCst),
            frequent_changes: changes.frequent.load(Ordering::SeqCst),
            rerenders: recent.map_or(0, |old| old.rerenders + 1),
            counted_since: recent.map_or(now, |old| old.counted_since),
        }
    }

    fn is_fresh(self, now: Self) -> bool {
        let is_recent = |time: Instant| now.rendered_at.saturating_duration_since(time) < LIFETIME;
        let is_of_now = u128::from(now.clock_us.abs_diff(self.clock_us)) < LIFETIME.as_micros();
        let is_used_up = self.rerenders >= MAX_RERENDERS && is_recent(self.counted_since);
        is_recent(self.rendered_at)
            && is_of_now
            && self.changes >= now.changes
            && (self.frequent_changes >= now.frequent_changes || is_used_up)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(bytes: usize) -> Arc<CachedResponse> {
        Arc::new(CachedResponse {
            status: StatusCode::OK,
            headers: Vec::new(),
            etag: None,
            body: vec![b'x'; bytes].into(),
        })
    }

    async fn fill(pages: &PageCache, key: &str, bytes: usize) {
        let CacheLookup::Miss(absence) = pages.lookup(key).await else { panic!("{key} is kept") };
        absence.fill(Some(answer(bytes)));
    }

    #[actix_web::test]
    async fn cache_size_is_bounded() {
        let pages = PageCache::new(Clock::Database);
        for number in 0..5_000 {
            fill(&pages, &format!("plain html /blogs/?junk={number}"), 10_000).await;
        }
        assert!(pages.entries.weight() <= CAPACITY && pages.entries.weight() > CAPACITY / 2);
        fill(&pages, "large", 3 << 20).await;
        fill(&pages, "large", 3 << 20).await;
        assert!(pages.entries.weight() <= CAPACITY);
    }

    #[actix_web::test]
    async fn frequent_changes_invalidate_a_page_at_a_limited_rate() {
        let pages = PageCache::new(Clock::Database);
        let mut renders = 0;
        for _ in 0..100 {
            pages.invalidate_throttled();
            if let CacheLookup::Miss(absence) = pages.lookup("page").await {
                absence.fill(Some(answer(1)));
                renders += 1;
            }
        }
        // The page may be rendered six times in the first second. On a slow machine the 100 lookups take longer, and
        // each further second allows more renders.
        assert!((6..100).contains(&renders), "{renders}");
        pages.invalidate();
        assert!(matches!(pages.lookup("page").await, CacheLookup::Miss(_)));
    }

    #[actix_web::test]
    async fn waiting_request_takes_over_an_abandoned_render() {
        let pages = PageCache::new(Clock::Database);
        let CacheLookup::Miss(first) = pages.lookup("page").await else { panic!("nothing was made") };
        let mut second = std::pin::pin!(pages.lookup("page"));
        assert!(futures_util::poll!(second.as_mut()).is_pending());
        drop(first);
        let CacheLookup::Miss(absence) = second.await else { panic!("nothing was made") };
        absence.fill(None);
        assert!(matches!(pages.lookup("page").await, CacheLookup::Uncacheable));
    }
}
