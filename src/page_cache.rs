//! In-memory cache of pages for anonymous visitors. Concurrent requests for a page render it only once.

use std::hash::Hash;
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

#[derive(Debug)]
pub struct PageCache {
    entries: Cache<String, CacheEntry, ByteWeighter>,
    /// Number of content changes. A page rendered before the latest change is stale.
    changes: AtomicU64,
    /// Number of frequent changes, such as ratings, which make a page stale at most `MAX_RERENDERS` times per second.
    frequent_changes: AtomicU64,
    clock: Clock,
    pub hits: Counter,
    pub misses: Counter,
}

#[derive(Debug)]
pub struct CachedResponse {
    pub status: StatusCode,
    pub headers: Vec<(HeaderName, HeaderValue)>,
    pub etag: Option<EntityTag>,
    pub body: Bytes,
}

#[derive(Clone, Debug)]
struct CacheEntry {
    answer: Option<Arc<CachedResponse>>,
    age: Freshness,
}

#[derive(Clone, Copy, Debug)]
struct Freshness {
    rendered_at: Instant,
    /// Site time in microseconds. Pages can show the time, so an adjustment of the site clock invalidates them.
    clock_us: i64,
    changes: u64,
    frequent_changes: u64,
    /// Number of times that the page was rendered again since `counted_since`.
    rerenders: u32,
    counted_since: Instant,
}

#[derive(Clone, Debug)]
struct ByteWeighter;

impl Weighter<String, CacheEntry> for ByteWeighter {
    fn weight(&self, key: &String, cached: &CacheEntry) -> u64 {
        let header = |(name, value): &(HeaderName, HeaderValue)| name.as_str().len() + value.len();
        let size = |answer: &CachedResponse| answer.body.len() + answer.headers.iter().map(header).sum::<usize>();
        let size = cached.answer.as_deref().map_or(0, size);
        ENTRY_OVERHEAD + u64::try_from(key.len() + size).unwrap_or(u64::MAX)
    }
}

type Guard<'a> =
    PlaceholderGuard<'a, String, CacheEntry, ByteWeighter, DefaultHashBuilder, DefaultLifecycle<String, CacheEntry>>;

pub enum CacheLookup<'a> {
    Hit(Arc<CachedResponse>),
    /// The last response for this key was not cacheable. The caller has to render the page and must not cache it.
    Uncacheable,
    /// The caller must render the page; concurrent requests for the page wait for the result.
    Miss(CachePlaceholder<'a>),
}

/// If the placeholder is dropped before it is filled, a waiting request becomes responsible for rendering.
pub struct CachePlaceholder<'a> {
    guard: Guard<'a>,
    age: Freshness,
}

impl CachePlaceholder<'_> {
    pub fn fill(self, answer: Option<Arc<CachedResponse>>) {
        let _ = self.guard.insert(CacheEntry { answer, age: self.age });
    }
}

/// `capacity` is the maximum total weight of the entries.
pub fn bounded_cache<K: Eq + Hash, V: Clone, W: Weighter<K, V> + Clone>(capacity: u64, weighter: W) -> Cache<K, V, W> {
    let options =
        OptionsBuilder::new().shards(SHARDS).estimated_items_capacity(1_000).weight_capacity(capacity).build();
    match options {
        Ok(options) => {
            Cache::with_options(options, weighter, DefaultHashBuilder::default(), DefaultLifecycle::default())
        }
        Err(_) => Cache::with_weighter(1_000, capacity, weighter),
    }
}

impl PageCache {
    pub fn new(clock: Clock) -> Self {
        Self {
            entries: bounded_cache(CAPACITY, ByteWeighter),
            changes: AtomicU64::new(0),
            frequent_changes: AtomicU64::new(0),
            clock,
            hits: Counter::default(),
            misses: Counter::default(),
        }
    }

    pub fn changes(&self) -> u64 {
        self.changes.load(Ordering::SeqCst)
    }

    /// Must be called after the transaction of a change has been committed.
    pub fn invalidate(&self) {
        self.changes.fetch_add(1, Ordering::SeqCst);
    }

    /// Invalidates pages after a frequent change, at most `MAX_RERENDERS` times per second.
    pub fn invalidate_throttled(&self) {
        self.frequent_changes.fetch_add(1, Ordering::SeqCst);
    }

    /// If another request is rendering the page, waits for the result of that request.
    pub async fn lookup(&self, key: &str) -> CacheLookup<'_> {
        let now = Freshness::new(self, None);
        if let Some(cached) = self.entries.get(key).filter(|cached| cached.age.is_fresh(now)) {
            self.hits.inc();
            return cached.look();
        }
        let look = self.entries.entry_async(key, |_, cached| {
            if cached.age.is_fresh(now) { EntryAction::Retain(cached.clone()) } else { EntryAction::ReplaceWithGuard }
        });
        // The request that renders the page may be stuck. After one second, waiting requests render the page themselves
        // and bypass the cache.
        let Ok(looked) = timeout(LIFETIME, look).await else { return CacheLookup::Uncacheable };
        let counter = if matches!(looked, EntryResult::Retained(_)) { &self.hits } else { &self.misses };
        counter.inc();
        // The freshness stamp is taken before rendering, because later changes may be missing from the page.
        match looked {
            EntryResult::Retained(cached) => cached.look(),
            EntryResult::Vacant(guard) => {
                CacheLookup::Miss(CachePlaceholder { guard, age: Freshness::new(self, None) })
            }
            EntryResult::Replaced(guard, old) => {
                CacheLookup::Miss(CachePlaceholder { guard, age: Freshness::new(self, Some(old.age)) })
            }
            EntryResult::Removed(..) | EntryResult::Timeout => CacheLookup::Uncacheable,
        }
    }
}

impl CacheEntry {
    fn look<'a>(self) -> CacheLookup<'a> {
        self.answer.map_or(CacheLookup::Uncacheable, CacheLookup::Hit)
    }
}

impl Freshness {
    /// `old` is the freshness stamp of the cached page that is replaced.
    fn new(pages: &PageCache, old: Option<Self>) -> Self {
        let now = Instant::now();
        let recent = old.filter(|old| now - old.counted_since < LIFETIME);
        Self {
            rendered_at: now,
            clock_us: pages.clock.local_micros(),
            changes: pages.changes(),
            frequent_changes: pages.frequent_changes.load(Ordering::SeqCst),
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
