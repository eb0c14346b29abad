//! In-memory cache of pages for anonymous visitors, with a lifetime of one second. Concurrent requests for a page
//! render it once.

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

const KEPT_FOR: Duration = Duration::from_secs(1);

/// Maximum total size of the cache in bytes, enough for a few hundred pages. The least used entries are evicted first.
const CAPACITY: u64 = 16 << 20;

/// Number of cache shards, to reduce lock contention. An entry cannot be larger than one shard.
const PARTS: usize = 8;

/// Approximate size of a cache entry in bytes, excluding key, headers and body.
const OVERHEAD: u64 = 1_024;

/// Maximum number of re-renders of a page per second that ratings can cause. Limits the load of posts with very
/// frequent ratings.
const REMADE_AT_ONCE: u32 = 5;

#[derive(Debug)]
pub struct PageCache {
    answers: Cache<String, CachedPage, ByBytes>,
    /// Number of content changes, for invalidation.
    changes: AtomicU64,
    /// Number of ratings, for rate-limited invalidation.
    ratings: AtomicU64,
    clock: Clock,
    pub hits: Counter,
    pub misses: Counter,
}

#[derive(Debug)]
pub struct Answer {
    pub status: StatusCode,
    pub headers: Vec<(HeaderName, HeaderValue)>,
    pub tag: Option<EntityTag>,
    pub body: Bytes,
}

#[derive(Clone, Debug)]
struct CachedPage {
    /// `None` if the response is not cacheable, for example an error.
    answer: Option<Arc<Answer>>,
    age: Age,
}

/// Freshness stamp of a cached response.
#[derive(Clone, Copy, Debug)]
struct Age {
    made: Instant,
    /// Site time in microseconds. Pages can show the time, so an adjustment of the site clock invalidates them.
    clock_us: i64,
    changes: u64,
    ratings: u64,
    /// Number of re-renders since `counted_since`.
    remade: u32,
    counted_since: Instant,
}

#[derive(Clone, Debug)]
struct ByBytes;

impl Weighter<String, CachedPage> for ByBytes {
    fn weight(&self, key: &String, kept: &CachedPage) -> u64 {
        let header = |(name, value): &(HeaderName, HeaderValue)| name.as_str().len() + value.len();
        let size = |answer: &Answer| answer.body.len() + answer.headers.iter().map(header).sum::<usize>();
        let size = kept.answer.as_deref().map_or(0, size);
        OVERHEAD + u64::try_from(key.len() + size).unwrap_or(u64::MAX)
    }
}

type Guard<'a> =
    PlaceholderGuard<'a, String, CachedPage, ByBytes, DefaultHashBuilder, DefaultLifecycle<String, CachedPage>>;

pub enum CacheLookup<'a> {
    Answer(Arc<Answer>),
    /// The last response for this key was not cacheable. The caller has to render the page and must not cache it.
    NoPage,
    /// Cache miss: the caller has to render the page. Concurrent requests for this page wait for the result.
    Absent(Absence<'a>),
}

/// Placeholder of a page that is being rendered. If it is dropped, a waiting request becomes responsible for rendering.
pub struct Absence<'a> {
    guard: Guard<'a>,
    age: Age,
}

impl Absence<'_> {
    /// Stores the response; `None` means that it is not cacheable.
    pub fn fill(self, answer: Option<Arc<Answer>>) {
        // Inserting fails if the response is larger than a shard; then it is not cached.
        let _ = self.guard.insert(CachedPage { answer, age: self.age });
    }
}

/// Creates a sharded cache with a maximum weight, as computed by `weighter`.
pub fn bounded_cache<K: Eq + Hash, V: Clone, W: Weighter<K, V> + Clone>(capacity: u64, weighter: W) -> Cache<K, V, W> {
    let options = OptionsBuilder::new().shards(PARTS).estimated_items_capacity(1_000).weight_capacity(capacity).build();
    match options {
        Ok(options) => {
            Cache::with_options(options, weighter, DefaultHashBuilder::default(), DefaultLifecycle::default())
        }
        Err(_) => Cache::with_weighter(1_000, capacity, weighter),
    }
}

impl PageCache {
    #[must_use]
    pub fn new(clock: Clock) -> Self {
        Self {
            answers: bounded_cache(CAPACITY, ByBytes),
            changes: AtomicU64::new(0),
            ratings: AtomicU64::new(0),
            clock,
            hits: Counter::default(),
            misses: Counter::default(),
        }
    }

    /// Invalidates all pages. Call this after the transaction of a change has been committed.
    pub fn clear(&self) {
        self.changes.fetch_add(1, Ordering::SeqCst);
    }

    /// Invalidates all pages after a rating. Each page is re-rendered at most about five times per second.
    pub fn clear_soon(&self) {
        self.ratings.fetch_add(1, Ordering::SeqCst);
    }

    /// Returns a response that is at most one second old. Waits if another request is rendering the page.
    pub async fn look(&self, key: &str) -> CacheLookup<'_> {
        let now = Age::new(self, None);
        if let Some(kept) = self.answers.get(key).filter(|kept| kept.age.is_good_at(now)) {
            self.hits.inc();
            return kept.look();
        }
        let look = self.answers.entry_async(key, |_, kept| {
            if kept.age.is_good_at(now) { EntryAction::Retain(kept.clone()) } else { EntryAction::ReplaceWithGuard }
        });
        // The request that renders the page may be stuck. After one second, waiting requests render it themselves and
        // bypass the cache.
        let Ok(looked) = timeout(KEPT_FOR, look).await else { return CacheLookup::NoPage };
        // The freshness stamp is taken before rendering, because later changes may be missing from the page.
        let was_made = matches!(looked, EntryResult::Retained(_));
        if was_made {
            self.hits.inc()
        } else {
            self.misses.inc()
        };
        match looked {
            EntryResult::Retained(kept) => kept.look(),
            EntryResult::Vacant(guard) => CacheLookup::Absent(Absence { guard, age: Age::new(self, None) }),
            EntryResult::Replaced(guard, old) => {
                CacheLookup::Absent(Absence { guard, age: Age::new(self, Some(old.age)) })
            }
            EntryResult::Removed(..) | EntryResult::Timeout => CacheLookup::NoPage,
        }
    }
}

impl CachedPage {
    fn look<'a>(self) -> CacheLookup<'a> {
        self.answer.map_or(CacheLookup::NoPage, CacheLookup::Answer)
    }
}

impl Age {
    /// Creates the freshness stamp of a page rendered now, which replaces one with the stamp `old`.
    fn new(pages: &PageCache, old: Option<Self>) -> Self {
        let made = Instant::now();
        let recent = old.filter(|old| made - old.counted_since < KEPT_FOR);
        Self {
            made,
            clock_us: pages.clock.local_micros(),
            changes: pages.changes.load(Ordering::SeqCst),
            ratings: pages.ratings.load(Ordering::SeqCst),
            remade: recent.map_or(0, |old| old.remade + 1),
            counted_since: recent.map_or(made, |old| old.counted_since),
        }
    }

    fn is_good_at(self, now: Self) -> bool {
        let is_recent = |time: Instant| now.made.saturating_duration_since(time) < KEPT_FOR;
        let is_of_now = u128::from(now.clock_us.abs_diff(self.clock_us)) < KEPT_FOR.as_micros();
        let is_used_up = self.remade >= REMADE_AT_ONCE && is_recent(self.counted_since);
        is_recent(self.made) && is_of_now && self.changes >= now.changes && (self.ratings >= now.ratings || is_used_up)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(bytes: usize) -> Arc<Answer> {
        Arc::new(Answer { status: StatusCode::OK, headers: Vec::new(), tag: None, body: vec![b'x'; bytes].into() })
    }

    async fn fill(pages: &PageCache, key: &str, bytes: usize) {
        let CacheLookup::Absent(absence) = pages.look(key).await else { panic!("{key} is kept") };
        absence.fill(Some(answer(bytes)));
    }

    #[actix_web::test]
    async fn what_is_kept_is_bounded_however_much_is_asked_for() {
        let pages = PageCache::new(Clock::Database);
        for number in 0..5_000 {
            fill(&pages, &format!("plain html /blogs/?junk={number}"), 10_000).await;
        }
        assert!(pages.answers.weight() <= CAPACITY && pages.answers.weight() > CAPACITY / 2);
        // A response larger than a cache shard is sent but not cached.
        fill(&pages, "large", 3 << 20).await;
        fill(&pages, "large", 3 << 20).await;
        assert!(pages.answers.weight() <= CAPACITY);
    }

    #[actix_web::test]
    async fn ratings_have_a_page_remade_at_once_but_not_always() {
        let pages = PageCache::new(Clock::Database);
        let mut made = 0;
        for _ in 0..100 {
            pages.clear_soon();
            if let CacheLookup::Absent(absence) = pages.look("page").await {
                absence.fill(Some(answer(1)));
                made += 1;
            }
        }
        // The page is rendered once more in every further second that the 100 lookups take.
        assert!((6..100).contains(&made), "{made}");
        pages.clear();
        assert!(matches!(pages.look("page").await, CacheLookup::Absent(_)));
    }

    #[actix_web::test]
    async fn a_maker_who_gives_up_is_replaced_by_one_who_waits() {
        let pages = PageCache::new(Clock::Database);
        let CacheLookup::Absent(first) = pages.look("page").await else { panic!("nothing was made") };
        let mut second = std::pin::pin!(pages.look("page"));
        assert!(futures_util::poll!(second.as_mut()).is_pending());
        drop(first);
        let CacheLookup::Absent(absence) = second.await else { panic!("nothing was made") };
        absence.fill(None);
        assert!(matches!(pages.look("page").await, CacheLookup::NoPage));
    }
}
