//! Searches posts: by `PostgreSQL`'s full text search, and by titles that are nearly what was typed (trigrams).
//! [`search_terms`](crate::blog_posts::search::terms) makes of both texts and searches what is compared.
//!
//! Anybody may search for anything, so searches have connections, turns and a time limit of their own, and pages do not
//! wait for them. Only the latest posts that match are ranked: a word that is everywhere says little, and would cost
//! much.

pub mod terms;

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use sqlx::postgres::{PgConnectOptions, PgPool};

use self::terms::Query;
use crate::db::{Availability, pool_with_timeout};
use crate::i18n::Language;
use crate::phrase;
use crate::web::connection::permits::Permits;
use crate::web::error::AppError;

/// Characters of a query.
const MAX_QUERY_CHARS: usize = 200;

/// Words of a query.
const MAX_QUERY_WORDS: usize = 12;

/// Posts that are ranked.
const MAX_RANKED: i64 = 200;

/// The latest posts that are read whether they have the words, and those among which they are looked up next, before
/// they are looked up among all. A word that 200 of the first have is in every fifth post, and one that 200 of the second
/// have is in every hundredth.
const READ: i64 = 1_000;
const LOOKED_UP: i64 = 20_000;

/// Posts that are ranked in one statement. When the time is over, those that were ranked until then are shown.
const RANKED_PER_STATEMENT: usize = 50;

/// Searches at once. Each keeps a core of the database busy.
pub const CONNECTIONS: u32 = 2;

/// How long a statement of a search may take, as `PostgreSQL` has it: half of the search, so that what one statement has
/// found is ranked though the next has no end.
const STATEMENT_TIMEOUT: &str = "250ms";

/// After this time a search begins no further statement.
const SEARCH_TIMEOUT: Duration = Duration::from_millis(500);

/// How long a search waits for its turn.
const PATIENCE: Duration = Duration::from_secs(1);

/// What somebody looks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Search(String);

impl Search {
    /// # Errors
    /// Where it is too long.
    pub fn new(text: &str) -> Result<Option<Self>, AppError> {
        let text = text.trim();
        if text.chars().count() > MAX_QUERY_CHARS {
            return Err(AppError::field("q", phrase!("invalid-search-characters", most = MAX_QUERY_CHARS)));
        }
        if text.split_whitespace().count() > MAX_QUERY_WORDS {
            return Err(AppError::field("q", phrase!("invalid-search-words", most = MAX_QUERY_WORDS)));
        }
        Ok((!text.is_empty()).then(|| Self(text.to_owned())))
    }

    #[must_use]
    pub fn text(&self) -> &str {
        &self.0
    }
}

/// A post that was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Match {
    pub id: i64,
    /// How well it matches: more is better.
    pub relevance: f64,
    /// Its place among the best rated, by the average and by the steady score.
    pub top_score: f64,
    pub steady_top: f64,
}

/// A post that has the words, or a title that is nearly like them.
struct Candidate {
    id: i64,
    language: Option<String>,
}

/// What a search has found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SearchResult {
    pub matches: Vec<Match>,
    /// The stems that were looked for.
    pub stems: BTreeSet<String>,
    /// Whether there may be more: many posts match, or the time was over.
    pub is_partial: bool,
    /// Whether no post has the words, and these have titles that are nearly like them: they may be mistyped.
    pub is_guess: bool,
    /// Whether there was nothing to look for but words such as "the", or words that are not wanted.
    pub is_too_common: bool,
}

/// Runs searches, apart from everything else.
#[derive(Clone, Debug)]
pub struct Searcher {
    pool: PgPool,
    turns: Permits,
}

impl Searcher {
    #[must_use]
    pub fn pool(&self) -> &PgPool {
        &self.pool
    }

    #[must_use]
    pub fn turns(&self) -> &Permits {
        &self.turns
    }

    #[must_use]
    pub fn new(database: PgConnectOptions, availability: &Availability) -> Self {
        let options = database.options([
            // Planned anew for each text: whether a word is rare or everywhere makes all the difference.
            ("plan_cache_mode", "force_custom_plan"),
            // What is searched is in memory, as a rule.
            ("random_page_cost", "1.1"),
            // A look into the index, and not all posts one after the other.
            ("enable_seqscan", "off"),
            // Compiling would take longer than these statements, which are over in milliseconds. No other core is
            // taken.
            ("jit", "off"),
            ("max_parallel_workers_per_gather", "0"),
        ]);
        let pool = pool_with_timeout(options, STATEMENT_TIMEOUT, CONNECTIONS, availability);
        // Half of the cores, as the database may be on this machine, too.
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        let at_once = (cores / 2).clamp(1, usize::try_from(CONNECTIONS).unwrap_or(1));
        Self { pool, turns: Permits::new(at_once, PATIENCE) }
    }

    /// Finds published posts, perhaps only those with a tag, for somebody who asks in a language.
    ///
    /// # Errors
    /// `busy` when too many are waiting; `unavailable`.
    pub async fn find(&self, search: &Search, asked_in: Language, tag: Option<&str>) -> Result<SearchResult, AppError> {
        let _turn = self.turns.take().await?;
        let begin = Instant::now();
        let query = Query::of(&search.0, asked_in);
        let words = query.words();
        let mut found = SearchResult { stems: query.stems.clone(), ..SearchResult::default() };
        if words.is_empty() {
            found.is_too_common = search.0.contains(char::is_alphanumeric);
            return Ok(found);
        }
        let mut candidates;
        (candidates, found.is_partial) = self.with_words(&words, tag, begin).await?;
        let may_be_mistyped = candidates.is_empty() && query.folded.chars().count() > 2;
        if may_be_mistyped && begin.elapsed() < SEARCH_TIMEOUT {
            let by_title = in_time(self.with_titles_like(&query.folded, tag).await)?;
            found.is_partial |= by_title.is_none();
            candidates = by_title.unwrap_or_default();
            found.is_guess = !candidates.is_empty();
        }
        for some in candidates.chunks(RANKED_PER_STATEMENT) {
            let ranked =
                if begin.elapsed() < SEARCH_TIMEOUT { in_time(self.ranked(some, &query).await)? } else { None };
            let Some(ranked) = ranked else {
                found.is_partial = true;
                break;
            };
            found.matches.extend(ranked);
        }
        // Time was over before anything was seen: that nothing is there is not known.
        if found.is_partial && found.matches.is_empty() { Err(AppError::Busy) } else { Ok(found) }
    }

    /// The latest posts with the words, as far as they were found in time: first among the very latest, which is enough
    /// for a word that many have; then among ever more. So the work is bounded however many posts there are and have the
    /// words.
    async fn with_words(&self, words: &str, tag: Option<&str>, begin: Instant) -> sqlx::Result<(Vec<Candidate>, bool)> {
        let mut found = Vec::new();
        for among in [Some(READ), Some(LOOKED_UP), None] {
            let some = if begin.elapsed() >= SEARCH_TIMEOUT {
                None
            } else if among == Some(READ) {
                in_time(self.read(words, tag).await)?
            } else {
                in_time(self.looked_up(words, tag, among).await)?
            };
            let Some(some) = some else { return Ok((found, true)) };
            found = some;
            if found.len() >= usize::try_from(MAX_RANKED).unwrap_or(0) {
                return Ok((found, true));
            }
        }
        Ok((found, false))
    }

    /// Reads the very latest posts, one by one.
    async fn read(&self, words: &str, tag: Option<&str>) -> sqlx::Result<Vec<Candidate>> {
        sqlx::query_as!(
            Candidate,
            "select id, language
            from (
                select id, language, tags, search, published_at from blog_posts where status = 'published'
                order by published_at desc, id desc limit $4
            ) latest
            where search @@ $1::text::tsquery and ($2::text is null or tags @> array[$2::text])
            order by published_at desc, id desc limit $3",
            words,
            tag,
            MAX_RANKED,
            READ,
        )
        .fetch_all(&self.pool)
        .await
    }

    /// Looks the words up in the index. The planner may not stop early by reading posts in their order instead: where it
    /// takes a rare word for a frequent one, it would read them all.
    async fn looked_up(&self, words: &str, tag: Option<&str>, among: Option<i64>) -> sqlx::Result<Vec<Candidate>> {
        sqlx::query_as!(
            Candidate,
            r#"with matching as materialized (
                select id, language, published_at from blog_posts
                where status = 'published' and search @@ $1::text::tsquery
                    and ($2::text is null or tags @> array[$2::text])
                    and published_at >= coalesce(case when $4::bigint is not null then (
                        select published_at from blog_posts where status = 'published'
                        order by published_at desc, id desc offset $4 limit 1
                    ) end, '-infinity')
            )
            select id as "id!", language from matching order by published_at desc, id desc limit $3"#,
            words,
            tag,
            MAX_RANKED,
            among,
        )
        .fetch_all(&self.pool)
        .await
    }

    async fn with_titles_like(&self, folded: &str, tag: Option<&str>) -> sqlx::Result<Vec<Candidate>> {
        sqlx::query_as!(
            Candidate,
            "select id, language from blog_posts
            where status = 'published' and $1::text <% search_title
                and ($2::text is null or tags @> array[$2::text])
            order by published_at desc, id desc limit $3",
            folded,
            tag,
            i64::try_from(RANKED_PER_STATEMENT).unwrap_or(50),
        )
        .fetch_all(&self.pool)
        .await
    }

    /// Each by what is asked in its own language.
    async fn ranked(&self, candidates: &[Candidate], query: &Query) -> sqlx::Result<Vec<Match>> {
        let ids: Vec<i64> = candidates.iter().map(|post| post.id).collect();
        let language = |post: &Candidate| post.language.as_deref().and_then(|tag| tag.parse().ok());
        let words: Vec<String> = candidates.iter().map(|post| query.words_in(language(post)).to_owned()).collect();
        sqlx::query_as!(
            Match,
            r#"select p.id, t.top_score, t.steady_top,
                (ts_rank(p.search, found.words::tsquery) + coalesce(word_similarity($3, p.search_title), 0))::float8
                    as "relevance!"
            from unnest($1::bigint[], $2::text[]) as found (id, words)
                join blog_posts p on p.id = found.id
                join rating_totals t on t.blog_id = found.id"#,
            &ids,
            &words,
            query.folded,
        )
        .fetch_all(&self.pool)
        .await
    }
}

/// None where the statement took too long.
fn in_time<T>(result: sqlx::Result<T>) -> sqlx::Result<Option<T>> {
    const CANCELED: &str = "57014";
    match result {
        Err(sqlx::Error::Database(error)) if error.code().as_deref() == Some(CANCELED) => Ok(None),
        other => other.map(Some),
    }
}
