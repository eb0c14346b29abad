//! Searches posts: by `PostgreSQL`'s full text search, with English stems, and by titles that are nearly what was typed
//! (trigrams). Texts and queries are both folded by `search_fold`, so that Persian is found however it was typed.
//!
//! Anybody may search for anything, so searches have connections, turns and a time limit of their own, and pages do not
//! wait for them. Only the latest posts that match are ranked: a word that is everywhere says little, and would cost
//! much.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use sqlx::postgres::{PgConnectOptions, PgPool};

use crate::database::pool_with_timeout;
use crate::phrase;
use crate::web::error::AppError;
use crate::web::turns::Turns;

/// Characters of a query.
const MAX_QUERY_CHARS: usize = 200;

/// Words of a query.
const MAX_QUERY_WORDS: usize = 12;

/// Words of a piece of text around the first match.
const SNIPPET_WORDS: usize = 36;

/// Posts that are ranked.
const MAX_RANKED: i64 = 200;

/// Posts that are ranked in one statement. When the time is over, those that were ranked until then are shown.
const RANKED_PER_STATEMENT: usize = 50;

/// When fewer posts than this have the words, titles that are nearly like the query are looked for, too.
const FEW_MATCHES: usize = 20;

/// Searches at once. Each keeps a core of the database busy.
pub const CONNECTIONS: u32 = 2;

/// How long a statement of a search may take, in milliseconds, as `PostgreSQL` has it.
const STATEMENT_TIMEOUT: &str = "500ms";

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

/// What a search has found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    pub matches: Vec<Match>,
    /// The stems that were looked for.
    pub lexemes: Vec<String>,
    /// Whether there may be more: many posts match, or the time was over.
    pub is_partial: bool,
    /// Whether there was nothing to look for but words such as "the", or words that are not wanted.
    pub is_too_common: bool,
}

/// A search as `PostgreSQL` reads it.
struct Parsed {
    /// The query, as a `tsquery`.
    words: String,
    /// The words and operators in it; none where all words are too common.
    nodes: i32,
    folded: String,
    lexemes: Vec<String>,
}

/// Runs searches, apart from everything else.
#[derive(Clone, Debug)]
pub struct Searcher {
    pool: PgPool,
    turns: Turns,
}

impl Searcher {
    #[must_use]
    pub fn new(database: PgConnectOptions) -> Self {
        let options = database.options([
            // Planned anew for each text: whether a word is rare or everywhere makes all the difference.
            ("plan_cache_mode", "force_custom_plan"),
            // What is searched is in memory, as a rule.
            ("random_page_cost", "1.1"),
            // Compiling would take longer than these statements, which are over in milliseconds. No other core is
            // taken.
            ("jit", "off"),
            ("max_parallel_workers_per_gather", "0"),
        ]);
        let pool = pool_with_timeout(options, STATEMENT_TIMEOUT, CONNECTIONS);
        // Half of the cores, as the database may be on this machine, too.
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        let at_once = (cores / 2).clamp(1, usize::try_from(CONNECTIONS).unwrap_or(1));
        Self { pool, turns: Turns::new(at_once, PATIENCE) }
    }

    /// Finds published posts, perhaps only those with a tag.
    ///
    /// # Errors
    /// `busy` when too many are waiting; `unavailable`.
    pub async fn find(&self, search: &Search, tag: Option<&str>) -> Result<Found, AppError> {
        let _turn = self.turns.take().await?;
        let begin = Instant::now();
        // Whoever only says what is not wanted has named nothing to look for.
        if search.0.split_whitespace().all(|word| word.starts_with('-')) {
            return Ok(Found { is_too_common: true, ..Found::default() });
        }
        let query = self.parse(search).await?;
        let mut found = Found { lexemes: query.lexemes, ..Found::default() };
        if query.nodes == 0 {
            found.is_too_common = query.folded.contains(char::is_alphanumeric);
            return Ok(found);
        }
        let mut ids = Vec::new();
        let by_words = in_time(self.with_words(&query.words, tag).await)?;
        found.is_partial = by_words.as_ref().is_none_or(|ids| ids.len() >= usize::try_from(MAX_RANKED).unwrap_or(0));
        ids.extend(by_words.unwrap_or_default());
        if ids.len() < FEW_MATCHES && query.folded.chars().count() > 2 && begin.elapsed() < SEARCH_TIMEOUT {
            let by_title = in_time(self.with_titles_like(&query.folded, tag).await)?;
            found.is_partial |= by_title.is_none();
            let known: BTreeSet<i64> = ids.iter().copied().collect();
            ids.extend(by_title.unwrap_or_default().into_iter().filter(|id| !known.contains(id)));
        }
        for some in ids.chunks(RANKED_PER_STATEMENT) {
            let ranked = if begin.elapsed() < SEARCH_TIMEOUT {
                in_time(self.ranked(some, &query.words, &query.folded).await)?
            } else {
                None
            };
            let Some(ranked) = ranked else {
                found.is_partial = true;
                break;
            };
            found.matches.extend(ranked);
        }
        Ok(found)
    }

    /// What `PostgreSQL` makes of a search.
    async fn parse(&self, search: &Search) -> Result<Parsed, AppError> {
        let parsed = sqlx::query_as!(
            Parsed,
            r#"select (words || plainto_tsquery('english', as_one))::text as "words!", numnode(words) as "nodes!",
                folded as "folded!",
                tsvector_to_array(to_tsvector('english', folded || ' ' || as_one)) as "lexemes!"
            from (select search_fold($1) as folded) as typed,
                -- Words are looked for as one, too, as a half-space is often typed as a space.
                lateral (select replace(folded, ' ', '') as as_one) as joined,
                lateral (select websearch_to_tsquery('english', folded) as words) as parsed"#,
            search.0,
        );
        in_time(parsed.fetch_one(&self.pool).await)?.ok_or(AppError::Busy)
    }

    /// The latest posts with the words.
    async fn with_words(&self, words: &str, tag: Option<&str>) -> sqlx::Result<Vec<i64>> {
        sqlx::query_scalar!(
            "select id from blog_posts
            where status = 'published' and search @@ $1::text::tsquery and ($2::text is null or tags @> array[$2::text])
            order by published_at desc, id desc limit $3",
            words,
            tag,
            MAX_RANKED,
        )
        .fetch_all(&self.pool)
        .await
    }

    async fn with_titles_like(&self, folded: &str, tag: Option<&str>) -> sqlx::Result<Vec<i64>> {
        sqlx::query_scalar!(
            "select id from blog_posts
            where status = 'published' and $1::text <% search_fold(title)
                and ($2::text is null or tags @> array[$2::text])
            order by published_at desc, id desc limit $3",
            folded,
            tag,
            i64::try_from(RANKED_PER_STATEMENT).unwrap_or(50),
        )
        .fetch_all(&self.pool)
        .await
    }

    async fn ranked(&self, ids: &[i64], words: &str, folded: &str) -> sqlx::Result<Vec<Match>> {
        sqlx::query_as!(
            Match,
            r#"select id, t.top_score, t.steady_top,
                (ts_rank(search, $2::text::tsquery) + word_similarity($3, search_fold(title)))::float8 as "relevance!"
            from blog_posts join rating_totals t on t.blog_id = id where id = any($1)"#,
            ids,
            words,
            folded,
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

/// A piece of a text, and whether it is what was looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    pub text: String,
    pub matches: bool,
}

/// What `PostgreSQL`'s `search_fold` makes of a word, as far as matching is concerned.
fn fold(word: &str) -> String {
    let folded = word.chars().filter_map(|c| match c {
        'ي' | 'ى' | 'ئ' => Some('ی'),
        'ك' => Some('ک'),
        'ة' | 'ۀ' => Some('ه'),
        'أ' | 'إ' | 'آ' => Some('ا'),
        'ؤ' => Some('و'),
        '٠'..='٩' => char::from_digit(u32::from(c) - u32::from('٠'), 10),
        '۰'..='۹' => char::from_digit(u32::from(c) - u32::from('۰'), 10),
        '\u{200c}' | '\u{200d}' | '\u{640}' | '\u{64b}'..='\u{652}' | '\u{654}' => None,
        other => Some(other),
    });
    folded.collect::<String>().to_lowercase()
}

/// Whether a word has one of the stems. A stem may end in a vowel that the word does not have (`rate`, `rating`).
fn matches(word: &str, lexemes: &[String]) -> bool {
    let folded = fold(word);
    let stem = |lexeme: &str| -> usize {
        let ascii = lexeme.len() > 3 && lexeme.is_ascii();
        lexeme.len() - usize::from(ascii && lexeme.ends_with(['e', 'i', 'y']))
    };
    lexemes.iter().any(|lexeme| folded.starts_with(&lexeme[..stem(lexeme)]))
}

/// Splits a text into words, and what is between them.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let in_word = |c: char| c.is_alphanumeric() || matches!(c, '\u{200c}' | '\u{64b}'..='\u{652}');
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let end = rest.find(|c| in_word(c) != in_word(first)).unwrap_or(rest.len());
        let (piece, after) = rest.split_at(end);
        rest = after;
        Some(piece)
    })
}

/// A text in parts that match and parts that do not.
#[must_use]
pub fn mark(text: &str, lexemes: &[String]) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    for piece in pieces(text) {
        let matches = matches(piece, lexemes);
        match parts.last_mut().filter(|last| last.matches == matches) {
            Some(last) => last.text.push_str(piece),
            None => parts.push(Part { text: piece.to_owned(), matches }),
        }
    }
    parts
}

/// The excerpt with its matches, if there are any in it; otherwise the piece of the text around the first match.
/// Without any match it is the excerpt, too.
#[must_use]
pub fn snippet(excerpt: &str, content: &str, lexemes: &[String]) -> Vec<Part> {
    let marked = mark(excerpt, lexemes);
    if marked.iter().any(|part| part.matches) {
        return marked;
    }
    let words: Vec<&str> = content.split_whitespace().collect();
    let is_match = |word: &&str| pieces(word).any(|piece| matches(piece, lexemes));
    let Some(first) = words.iter().position(is_match) else { return marked };
    let begin = first.saturating_sub(SNIPPET_WORDS / 3);
    let end = words.len().min(begin + SNIPPET_WORDS);
    let (before, after) = (if begin > 0 { "… " } else { "" }, if end < words.len() { " …" } else { "" });
    mark(&format!("{before}{}{after}", words[begin..end].join(" ")), lexemes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(text: &str, lexemes: &[&str]) -> String {
        let lexemes: Vec<String> = lexemes.iter().map(|&lexeme| lexeme.to_owned()).collect();
        let show = |part: Part| if part.matches { format!("[{}]", part.text) } else { part.text };
        mark(text, &lexemes).into_iter().map(show).collect()
    }

    #[test]
    fn words_with_the_stem_are_marked() {
        assert_eq!(marked("Rating ratings, rated!", &["rate"]), "[Rating] [ratings], [rated]!");
        assert_eq!(marked("The keels", &["keel"]), "The [keels]");
        assert_eq!(marked("می\u{200c}خواهم كتاب ۱۲", &["میخواهم", "کتاب", "12"]), "[می\u{200c}خواهم] [كتاب] [۱۲]");
        assert_eq!(marked("nothing", &[]), "nothing");
    }

    #[test]
    fn the_piece_that_is_shown_has_a_match_in_it() {
        let content = format!("{}needle {}", "hay ".repeat(100), "straw ".repeat(100));
        let parts = snippet("hay hay", &content, &["needl".to_owned()]);
        let text: String = parts.iter().map(|part| part.text.as_str()).collect();
        assert!(text.starts_with("… hay") && text.ends_with("straw …") && text.split(' ').count() == SNIPPET_WORDS + 2);
        assert!(parts.iter().any(|part| part.matches && part.text == "needle"));
        assert_eq!(snippet("hay hay", "hay", &["needl".to_owned()])[0].text, "hay hay");
    }
}
