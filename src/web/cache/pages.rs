//! What guests were shown within the last second, so that a page that many ask for is made once.

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

/// How long an answer is kept.
const KEPT_FOR: Duration = Duration::from_secs(1);

/// Bytes that are kept: some hundred pages. Of those that do not fit, the ones that were asked for least go first.
const CAPACITY: u64 = 16 << 20;

/// A cache is divided so that threads seldom wait for each other. Nothing in it can be larger than a part.
const PARTS: usize = 8;

/// Bytes that an answer takes besides its body, about.
const OVERHEAD: u64 = 1_024;

/// Ratings have a page made anew at once, but at most so often in a second: on a post that many rate they come faster
/// than anybody can read.
const REMADE_AT_ONCE: u32 = 5;

/// Answers to guests, by what they asked for.
#[derive(Debug)]
pub struct PageCache {
    answers: Cache<String, CachedPage, ByBytes>,
    /// Counts changes of what guests see.
    changes: AtomicU64,
    /// Counts changes by ratings.
    ratings: AtomicU64,
    clock: Clock,
    /// How often what was asked for was there, and was not.
    pub hits: Counter,
    pub misses: Counter,
}

/// An answer that can be sent many times.
#[derive(Debug)]
pub struct Answer {
    pub status: StatusCode,
    pub headers: Vec<(HeaderName, HeaderValue)>,
    pub tag: Option<EntityTag>,
    pub body: Bytes,
}

#[derive(Clone, Debug)]
struct CachedPage {
    /// `None` if it was no page, such as an error: everybody has to ask for themselves.
    answer: Option<Arc<Answer>>,
    age: Age,
}

/// What an answer knows of.
#[derive(Clone, Copy, Debug)]
struct Age {
    made: Instant,
    /// By the site's clock, which pages may say: a page from before it was set, by hours perhaps, is not used.
    clock_us: i64,
    changes: u64,
    ratings: u64,
    /// How often it was remade since `counted_since`.
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

/// What there is of an answer.
pub enum CacheLookup<'a> {
    Answer(Arc<Answer>),
    /// It was no page a moment ago: to be asked for, and not kept.
    NoPage,
    /// To be made. The others who ask for it wait.
    Absent(Absence<'a>),
}

/// The place of an answer that is being made. If it is dropped, another one who asks makes it.
pub struct Absence<'a> {
    guard: Guard<'a>,
    age: Age,
}

impl Absence<'_> {
    /// Keeps the answer; `None` if it is no page.
    pub fn fill(self, answer: Option<Arc<Answer>>) {
        // It is not kept if it is too large.
        let _ = self.guard.insert(CachedPage { answer, age: self.age });
    }
}

/// A cache of so many bytes, as `weighter` counts them.
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

    /// Marks all pages as outdated. To be called after the commit of a change.
    pub fn clear(&self) {
        self.changes.fetch_add(1, Ordering::SeqCst);
    }

    /// Marks all pages as outdated after a rating. Each page is rendered again up to five times a second.
    pub fn clear_soon(&self) {
        self.ratings.fetch_add(1, Ordering::SeqCst);
    }

    /// Returns an answer that is at most a second old. Waits for whoever is making it.
    pub async fn look(&self, key: &str) -> CacheLookup<'_> {
        let now = Age::new(self, None);
        if let Some(kept) = self.answers.get(key).filter(|kept| kept.age.is_good_at(now)) {
            self.hits.inc();
            return kept.look();
        }
        let look = self.answers.entry_async(key, |_, kept| {
            if kept.age.is_good_at(now) { EntryAction::Retain(kept.clone()) } else { EntryAction::ReplaceWithGuard }
        });
        // Whoever makes it may be stuck. Who waits for a second asks alone, as if nothing were kept.
        let Ok(looked) = timeout(KEPT_FOR, look).await else { return CacheLookup::NoPage };
        // The age is taken before the page is made: whatever changes meanwhile may not be in it.
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
    /// The age of what is made now, in place of `old`.
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
        // Larger than a part: sent, and not kept.
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
        // Where a hundred looks take longer than a second it is made once more in each.
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
