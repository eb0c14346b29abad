//! Full-text search of posts, with trigram similarity of titles if nothing else matches.
//!
//! Searches have their own connections, permits and time limits, so that they cannot slow down other pages. Only the
//! latest matching posts are ranked: ranking all posts with a frequent word would be expensive.

pub mod folding;
pub(crate) mod highlight;
mod query;
pub mod search_data;

use std::time::{Duration, Instant};

use sqlx::postgres::{PgConnectOptions, PgPool};
use sqlx::{Postgres, Transaction};

use self::query::{ParsedQuery, SearchTerms};
use crate::db::{Availability, MAX_SEARCHES, create_pool};
use crate::i18n::Language;
use crate::permits::{Permits, Requester};
use crate::phrase;
use crate::web::error::AppError;

const MAX_QUERY_CHARS: usize = 200;
const MAX_RANKED: i64 = 200;
/// Number of latest posts that the first search step scans without the index, enough for frequent words.
const SCANNED_POSTS: i64 = 1_000;
/// Number of latest posts that the second search step searches with the index. The third step searches all posts.
const INDEXED_POSTS: i64 = 20_000;
/// Number of posts ranked by one statement. If the time limit passes, the posts ranked by earlier statements are shown.
const RANKED_PER_STATEMENT: usize = 50;
/// Time after which a search does not start another SQL statement.
const SEARCH_TIMEOUT: Duration = Duration::from_millis(500);

/// Begins the transaction of one SQL statement. The settings belong to the transaction, because `PgBouncer` assigns a
/// server connection for one transaction only. The transaction is rolled back when its connection returns to the pool,
/// so that the response does not wait for the rollback.
///
/// - `statement_timeout`: half of [`SEARCH_TIMEOUT`], so that time is left to rank earlier matches after a statement was
///   cancelled.
/// - `plan_cache_mode`: rare and frequent words need different plans.
/// - `random_page_cost`: random access is cheap, because the search index is usually in memory.
/// - `enable_seqscan`: the index is preferred to a sequential scan of all posts.
/// - `jit`: JIT compilation takes longer than search statements, which run for milliseconds.
/// - `max_parallel_workers_per_gather`: parallel workers would take cores from other queries.
const BEGIN: &str = "begin; set local statement_timeout = '250ms'; set local plan_cache_mode = force_custom_plan;
    set local random_page_cost = 1.1; set local enable_seqscan = off; set local jit = off;
    set local max_parallel_workers_per_gather = 0";
const PERMIT_TIMEOUT: Duration = Duration::from_secs(1);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchQuery(String);

impl SearchQuery {
    /// Returns `None` for an empty query.
    pub fn new(text: &str) -> Result<Option<Self>, AppError> {
        let text = text.trim();
        if text.chars().count() > MAX_QUERY_CHARS {
            return Err(AppError::invalid_field("q", phrase!("invalid-search-characters", most = MAX_QUERY_CHARS)));
        }
        Ok((!text.is_empty()).then(|| Self(text.to_owned())))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SearchMatch {
    pub id: i64,
    /// Relevance to the search; higher is better.
    pub relevance: f64,
    /// Sort key of the list of top-rated posts if the displayed score is the average.
    pub top_score: f64,
    /// Sort key of the list of top-rated posts if the displayed score is the steady score.
    pub steady_top: f64,
    /// Publication time, in seconds since the Unix epoch.
    pub published_s: f64,
}

/// Search step that found the posts. Posts found by `Words` must match in their own language to be ranked.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Matching {
    Words,
    SimilarTitle,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct SearchResult {
    pub matches: Vec<SearchMatch>,
    /// Stems of the query's words in all languages, to highlight matches.
    pub stems: Vec<String>,
    /// True if more posts may match, because of the limit on ranked posts or the time limit.
    pub is_partial: bool,
    /// True if no post contains the words and the matches have similar titles; the query may contain a typo.
    pub has_similar_titles: bool,
    /// True if the query has only stop words or excluded words.
    pub has_only_stop_words: bool,
}

#[derive(Clone, Debug)]
pub struct Searcher {
    pool: PgPool,
    permits: Permits,
}

impl Searcher {
    pub fn pool(&self) -> &PgPool {
        &self.pool
    }

    pub fn permits(&self) -> &Permits {
        &self.permits
    }

    pub fn new(database: &PgConnectOptions, availability: &Availability) -> Self {
        // Uses half of the cores, because the database may run on the same machine.
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        let at_once = (cores / 2).clamp(1, usize::try_from(MAX_SEARCHES).unwrap_or(1));
        let pool = create_pool(database.clone(), MAX_SEARCHES, availability);
        Self { pool, permits: Permits::new(at_once, PERMIT_TIMEOUT) }
    }

    /// A query with only stop words of the language `asked_in` finds only posts whose titles contain the query.
    pub async fn search(
        &self,
        requester: Requester,
        search: &SearchQuery,
        asked_in: Language,
        tag: Option<&str>,
    ) -> Result<SearchResult, AppError> {
        let permit = self.permits.acquire(requester).await?;
        let query = ParsedQuery::parse(&search.0);
        if !query.has_words() {
            return Ok(SearchResult::default());
        }
        let (searcher, tag) = (self.clone(), tag.map(str::to_owned));
        // Searches in a separate task, which a client disconnect does not cancel: sqlx would return the connection of a
        // cancelled search to the pool in an open transaction.
        let searching = actix_web::rt::spawn(async move {
            let _permit = permit;
            searcher.run(&query, asked_in, tag.as_deref()).await
        });
        searching.await?
    }

    async fn run(&self, query: &ParsedQuery, asked_in: Language, tag: Option<&str>) -> Result<SearchResult, AppError> {
        let begin = Instant::now();
        let terms = query.terms(&mut *self.begin().await?, asked_in).await?;
        let mut result = SearchResult {
            stems: terms.stems.clone(),
            has_only_stop_words: terms.has_only_stop_words(),
            ..SearchResult::default()
        };
        let ids;
        (ids, result.is_partial) = self.find_by_words(&terms, tag, begin).await?;
        self.rank_all(&ids, &terms, Matching::Words, begin, &mut result).await?;
        let may_be_mistyped =
            result.matches.is_empty() && !result.is_partial && terms.included_text().chars().count() > 2;
        if may_be_mistyped && begin.elapsed() < SEARCH_TIMEOUT {
            let by_title = none_on_timeout(self.find_by_similar_title(&terms, tag).await)?;
            result.is_partial |= by_title.is_none();
            let ids = by_title.unwrap_or_default();
            result.has_similar_titles = !ids.is_empty();
            self.rank_all(&ids, &terms, Matching::SimilarTitle, begin, &mut result).await?;
        }
        // A search that exceeded the time limit without matches returns an error, because matching posts may exist.
        if result.is_partial && result.matches.is_empty() { Err(AppError::Busy) } else { Ok(result) }
    }

    async fn rank_all(
        &self,
        ids: &[i64],
        terms: &SearchTerms,
        matching: Matching,
        begin: Instant,
        result: &mut SearchResult,
    ) -> sqlx::Result<()> {
        for some in ids.chunks(RANKED_PER_STATEMENT) {
            let ranked = if begin.elapsed() < SEARCH_TIMEOUT {
                none_on_timeout(self.rank(some, terms, matching).await)?
            } else {
                None
            };
            let Some(ranked) = ranked else {
                result.is_partial = true;
                break;
            };
            result.matches.extend(ranked);
        }
        Ok(())
    }

    async fn begin(&self) -> sqlx::Result<Transaction<'static, Postgres>> {
        self.pool.begin_with(BEGIN).await
    }

    /// Returns the ids of the latest matching posts, and true if more may match. Searches the latest posts first, then
    /// older posts, to limit the work for frequent words.
    async fn find_by_words(
        &self,
        terms: &SearchTerms,
        tag: Option<&str>,
        begin: Instant,
    ) -> sqlx::Result<(Vec<i64>, bool)> {
        let mut ids = Vec::new();
        for among in [Some(SCANNED_POSTS), Some(INDEXED_POSTS), None] {
            let next = if begin.elapsed() >= SEARCH_TIMEOUT {
                None
            } else if among == Some(SCANNED_POSTS) {
                none_on_timeout(self.scan_latest(terms, tag).await)?
            } else {
                none_on_timeout(self.search_index(terms, tag, among).await)?
            };
            let Some(next) = next else { return Ok((ids, true)) };
            ids = next;
            if ids.len() >= usize::try_from(MAX_RANKED).unwrap_or(0) {
                return Ok((ids, true));
            }
        }
        Ok((ids, false))
    }

    async fn scan_latest(&self, terms: &SearchTerms, tag: Option<&str>) -> sqlx::Result<Vec<i64>> {
        sqlx::query_scalar!(
            "select id
            from (
                select id, tags, search, p.search_title, published_at from blog_posts p where status = 'published'
                order by published_at desc, id desc limit $5
            ) latest
            where (search @@ $1::text::tsquery or search_title like $2) and ($3::text is null or tags @> array[$3::text])
            order by published_at desc, id desc limit $4",
            terms.any_language(),
            terms.title_pattern,
            tag,
            MAX_RANKED,
            SCANNED_POSTS,
        )
        .fetch_all(&mut *self.begin().await?)
        .await
    }

    /// Searches with the index. The CTE is materialized, because the planner could otherwise scan the posts by
    /// publication time. For a rare word whose frequency the planner overestimates, that scan would read all posts.
    async fn search_index(&self, terms: &SearchTerms, tag: Option<&str>, among: Option<i64>) -> sqlx::Result<Vec<i64>> {
        sqlx::query_scalar!(
            r#"with matching as materialized (
                select id, published_at from blog_posts p
                where status = 'published' and (search @@ $1::text::tsquery or p.search_title like $2)
                    and ($3::text is null or tags @> array[$3::text])
                    and published_at >= coalesce(case when $5::bigint is not null then (
                        select published_at from blog_posts where status = 'published'
                        order by published_at desc, id desc offset $5 limit 1
                    ) end, '-infinity')
            )
            select id as "id!" from matching order by published_at desc, id desc limit $4"#,
            terms.any_language(),
            terms.title_pattern,
            tag,
            MAX_RANKED,
            among,
        )
        .fetch_all(&mut *self.begin().await?)
        .await
    }

    /// Searches for similar titles, ignoring words that are stop words in any language.
    async fn find_by_similar_title(&self, terms: &SearchTerms, tag: Option<&str>) -> sqlx::Result<Vec<i64>> {
        sqlx::query_scalar!(
            r#"with words as materialized (
                select coalesce(string_agg(word, ' ' order by place), '') as words
                from unnest($1::text[]) with ordinality as typed (word, place)
                where not exists (
                    select from unnest($2::text[]) configuration where to_tsvector(configuration::regconfig, word) = ''
                )
            )
            select id from blog_posts p
            where status = 'published' and (select words from words) <% p.search_title
                and ($3::text is null or tags @> array[$3::text])
            order by published_at desc, id desc limit $4"#,
            &terms.included_words,
            &search_data::configurations() as _,
            tag,
            i64::try_from(RANKED_PER_STATEMENT).unwrap_or(50),
        )
        .fetch_all(&mut *self.begin().await?)
        .await
    }

    /// Ranks each post with the query in the language of the post.
    async fn rank(&self, ids: &[i64], terms: &SearchTerms, matching: Matching) -> sqlx::Result<Vec<SearchMatch>> {
        sqlx::query_as!(
            SearchMatch,
            r#"select p.id, t.top_score, t.steady_top,
                (coalesce(ts_rank(p.search, own.query), 0) + coalesce(word_similarity($2, p.search_title), 0))::float8
                    as "relevance!",
                coalesce(extract(epoch from p.published_at), 0)::float8 as "published_s!"
            from blog_posts p
                join rating_totals t on t.blog_id = p.id
                left join (
                    select configuration, query::tsquery from unnest($3::text[], $4::text[]) as typed (configuration, query)
                ) as own on own.configuration = p.search_configuration
            where p.id = any($1) and ($5 or p.search @@ own.query or p.search_title like $6)"#,
            ids,
            terms.included_text(),
            &terms.configurations,
            &terms.queries,
            matching == Matching::SimilarTitle,
            terms.title_pattern,
        )
        .fetch_all(&mut *self.begin().await?)
        .await
    }
}

fn none_on_timeout<T>(result: sqlx::Result<T>) -> sqlx::Result<Option<T>> {
    const CANCELED: &str = "57014";
    match result {
        Err(sqlx::Error::Database(error)) if error.code().as_deref() == Some(CANCELED) => Ok(None),
        other => other.map(Some),
    }
}
