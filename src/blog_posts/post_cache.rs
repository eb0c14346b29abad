//! Caches of the parts of pages that are the same for all signed-in readers.

use super::listing::PostSummary;
use super::post_detail::StoredDetail;
use super::sidebar::FrequentTags;
use crate::page_cache::{FreshCache, PageCache};
use crate::web::response::pagination::ResultPage;

/// Maximum sizes in bytes. An entry can take an eighth of them.
const DETAILS_CAPACITY: u64 = 8 << 20;
const LISTS_CAPACITY: u64 = 4 << 20;
const TAGS_CAPACITY: u64 = 64 << 10;

/// Parts of pages. They become stale at the same time as the pages for anonymous visitors.
#[derive(Debug)]
pub struct PostCache {
    pub details: FreshCache<StoredDetail>,
    pub lists: FreshCache<ResultPage<PostSummary>>,
    pub frequent_tags: FreshCache<FrequentTags>,
}

impl PostCache {
    pub fn new(pages: &PageCache) -> Self {
        Self {
            details: FreshCache::sharing_changes(pages, DETAILS_CAPACITY),
            lists: FreshCache::sharing_changes(pages, LISTS_CAPACITY),
            frequent_tags: FreshCache::sharing_changes(pages, TAGS_CAPACITY),
        }
    }
}
