//! Search terms of posts and queries, and highlighting of matches. Posts, queries and highlighting use the same
//! tokenizer and stemmer; the database only compares stems.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use crate::i18n::stemming::{WordStemmer, fold_case_and_accents, word_segments, words};
use crate::i18n::{Language, TextLanguage};

/// Maximum number of words that highlighting examines for a page of results.
const MAX_EXAMINED_WORDS: usize = 20_000;

/// Maximum number of characters that a snippet shows of one word, because a text without spaces can be very long.
const MAX_SHOWN_CHARS: usize = 60;

/// Number of words in a snippet around the first match.
const SNIPPET_WORDS: usize = 36;

/// Maximum size of the stems and positions of a post, in bytes. A `tsvector` may have up to 1 MiB.
const MAX_TSVECTOR_BYTES: usize = 1_000_000;

/// Highest word position that a `tsvector` can store. All later words get this position. Phrase search uses the
/// positions.
const MAX_POSITION: usize = 16_383;

/// Maximum number of positions that a `tsvector` stores for a word.
const MAX_POSITIONS_PER_STEM: usize = 255;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchData {
    /// Stems and their positions in the text format of `tsvector`. Stems of the title have weight A.
    pub tsvector: String,
    /// Folded title (lower case, no accents), for trigram similarity.
    pub folded_title: String,
}

impl SearchData {
    /// Computes the search data. The time grows with the length of the text, so this must not run on async threads.
    /// Returns `None` as soon as `wanted` returns `false`.
    pub fn compute(
        title: &str,
        content: &str,
        language: Option<TextLanguage>,
        wanted: &dyn Fn() -> bool,
    ) -> Option<Self> {
        let stems = WordStemmer::for_text(language);
        let of_title = stems.stems_with_positions(title).map(|(place, stem)| (place, stem, "A"));
        let before = words(title).count();
        let of_content = stems.stems_with_positions(content).map(|(place, stem)| (before + place, stem, ""));
        let mut places: BTreeMap<String, Vec<(usize, &str)>> = BTreeMap::new();
        let mut bytes = 0;
        for (place, stem, weight) in of_title.chain(of_content) {
            let length = stem.len();
            let of_stem = places.entry(stem).or_insert_with(|| {
                // Each stem needs up to 1 byte of alignment and 2 bytes for the number of positions.
                bytes += length + 3;
                Vec::new()
            });
            if of_stem.len() < MAX_POSITIONS_PER_STEM {
                bytes += 2;
                of_stem.push(((place + 1).min(MAX_POSITION), weight));
            }
            if bytes > MAX_TSVECTOR_BYTES {
                break;
            }
            if !wanted() {
                return None;
            }
        }
        let mut vector = String::new();
        for (stem, places) in places {
            let places: Vec<String> = places.into_iter().map(|(place, weight)| format!("{place}{weight}")).collect();
            let _ = write!(vector, "'{stem}':{} ", places.join(","));
        }
        Some(Self { tsvector: vector, folded_title: folded(words(title)) })
    }
}

/// Converts words to lower case without accents and joins them with spaces. The words are not stemmed.
fn folded<'a>(words: impl Iterator<Item = &'a str>) -> String {
    words.map(fold_case_and_accents).collect::<Vec<_>>().join(" ")
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ParsedQuery {
    /// Query in `tsquery` syntax for each language of posts. Empty if the query has only stop words or excluded words.
    by_language: BTreeMap<&'static str, String>,
    /// Folded words without stop words, for trigram similarity with titles.
    pub folded_words: String,
    /// Stems of all words that are not excluded, to highlight matches.
    pub stems: BTreeSet<String>,
}

/// Word or quoted phrase of a query. A leading minus sign excludes the term.
struct Term<'a> {
    text: &'a str,
    is_wanted: bool,
}

impl ParsedQuery {
    /// Parses a query. Returns an empty query if it has only stop words in the user's language `asked_in`, even if the
    /// words are not stop words in another language.
    pub(crate) fn parse(typed: &str, asked_in: Language) -> Self {
        let alternatives = alternatives(typed);
        let wanted = alternatives.iter().flatten().filter(|term| term.is_wanted);
        let wanted = wanted.flat_map(|term| words(term.text)).filter(|word| WordStemmer::is_never_stop_word(word));
        let mut query = Self { folded_words: folded(wanted), ..Self::default() };
        let stems = WordStemmer::for_query(asked_in);
        if !alternatives.iter().any(|terms| query.all_terms(terms, stems).is_some()) {
            return query;
        }
        // Also searches for the words without the spaces between them, because users often type a space instead of a
        // zero-width non-joiner.
        let as_one: String = words(typed).collect();
        let as_one = (!typed.contains(['"', '-'])).then(|| vec![Term { text: &as_one, is_wanted: true }]);
        for stems in WordStemmer::all_variants() {
            let asked = alternatives.iter().chain(&as_one).filter_map(|terms| query.all_terms(terms, stems));
            let asked: BTreeSet<String> = asked.collect();
            if !asked.is_empty() {
                query.by_language.insert(stems.tag(), Vec::from_iter(asked).join(" | "));
            }
        }
        query
    }

    /// Returns the `tsquery` text for posts in any language.
    pub(crate) fn tsquery(&self) -> String {
        self.by_language.values().map(String::as_str).collect::<Vec<_>>().join(" | ")
    }

    pub(crate) fn tsquery_for_language(&self, language: Option<TextLanguage>) -> &str {
        self.by_language.get(WordStemmer::for_text(language).tag()).map_or("", String::as_str)
    }

    /// Joins the terms with AND. Returns `None` if all terms are excluded, because such a query could match every post.
    fn all_terms(&mut self, terms: &[Term<'_>], stems: &WordStemmer) -> Option<String> {
        let mut asked = Vec::new();
        let mut wanted = Vec::new();
        for term in terms {
            let mut together = String::new();
            let mut before = None;
            for (place, stem) in stems.stems_with_positions(term.text) {
                let _ = match before {
                    None => write!(together, "'{stem}'"),
                    // Stop words count when the distance between two words of a phrase (the `<N>` operator of
                    // `tsquery`) is computed.
                    Some(before) => write!(together, " <{}> '{stem}'", place - before),
                };
                before = Some(place);
                if term.is_wanted {
                    wanted.push(stem);
                }
            }
            if before.is_some() {
                asked.push(format!("{}({together})", if term.is_wanted { "" } else { "!" }));
            }
        }
        (!wanted.is_empty()).then(|| {
            self.stems.extend(wanted);
            asked.join(" & ")
        })
    }
}

/// Splits a query into alternatives at the word `or`. All terms of an alternative have to match.
fn alternatives(typed: &str) -> Vec<Vec<Term<'_>>> {
    let mut alternatives = vec![Vec::new()];
    let mut rest = typed.trim_start();
    while !rest.is_empty() {
        let (is_wanted, after) = rest.strip_prefix('-').map_or((true, rest), |after| (false, after));
        let (text, after) = match after.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').unwrap_or((quoted, "")),
            None => after.split_at(after.find(|c: char| c.is_whitespace() || c == '"').unwrap_or(after.len())),
        };
        if is_wanted && text.eq_ignore_ascii_case("or") && !rest.starts_with('"') {
            alternatives.push(Vec::new());
        } else if let Some(alternative) = alternatives.last_mut() {
            alternative.push(Term { text, is_wanted });
        }
        rest = after.trim_start();
    }
    alternatives
}

/// Part of a text: a match, or the text between matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HighlightFragment {
    pub text: String,
    pub is_match: bool,
}

/// Highlights matches in the posts of one page of results.
pub(crate) struct Highlighter<'a> {
    found: &'a BTreeSet<String>,
    stems: &'static WordStemmer,
    /// Number of words that may still be examined.
    remaining_words: usize,
}

impl<'a> Highlighter<'a> {
    pub(crate) fn new(found: &'a BTreeSet<String>) -> Self {
        Self { found, stems: WordStemmer::for_text(None), remaining_words: MAX_EXAMINED_WORDS }
    }

    pub(crate) fn set_language(&mut self, language: Option<TextLanguage>) -> &mut Self {
        self.stems = WordStemmer::for_text(language);
        self
    }

    fn is_match(&self, word: &str) -> bool {
        self.stems.stem(word).is_some_and(|stem| self.found.contains(&stem))
    }

    /// Splits a text into parts that match and parts that do not.
    pub(crate) fn highlight(&self, text: &str) -> Vec<HighlightFragment> {
        let mut parts: Vec<HighlightFragment> = Vec::new();
        for (piece, is_word) in word_segments(text) {
            let matches = is_word && self.is_match(piece);
            match parts.last_mut().filter(|last| last.is_match == matches) {
                Some(last) => last.text.push_str(piece),
                None => parts.push(HighlightFragment { text: piece.to_owned(), is_match: matches }),
            }
        }
        parts
    }

    /// Returns the excerpt if it contains a match, or else the part of the text around the first match. If nothing
    /// matches, returns the excerpt.
    pub(crate) fn snippet(&mut self, excerpt: &str, content: &str) -> Vec<HighlightFragment> {
        let marked = self.highlight(excerpt);
        if marked.iter().any(|part| part.is_match) {
            return marked;
        }
        let all: Vec<&str> = content.split_whitespace().collect();
        let mut left = self.remaining_words;
        let mut is_found = |word: &str| {
            left = left.saturating_sub(1);
            left > 0 && self.is_match(word)
        };
        let first = all.iter().position(|some| words(some).any(&mut is_found));
        self.remaining_words = left;
        let Some(first) = first else { return marked };
        let begin = first.saturating_sub(SNIPPET_WORDS / 3);
        let end = all.len().min(begin + SNIPPET_WORDS);
        let (before, after) = (if begin > 0 { "… " } else { "" }, if end < all.len() { " …" } else { "" });
        let shown = all[begin..end].iter().map(|some| some.chars().take(MAX_SHOWN_CHARS).collect::<String>());
        self.highlight(&format!("{before}{}{after}", shown.collect::<Vec<_>>().join(" ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(text: &str, query: &str, language: &str) -> String {
        let query = ParsedQuery::parse(query, Language::default());
        let show = |part: HighlightFragment| if part.is_match { format!("[{}]", part.text) } else { part.text };
        Highlighter::new(&query.stems)
            .set_language(language.parse().ok())
            .highlight(text)
            .into_iter()
            .map(show)
            .collect()
    }

    #[test]
    fn highlights_only_matching_words() {
        assert_eq!(marked("Rating ratings, rated!", "rate", "en"), "[Rating] [ratings], [rated]!");
        assert_eq!(marked("The keels", "keel the", "en"), "The [keels]");
        assert_eq!(marked("To search the sea", "sea", "en"), "To search the [sea]");
        assert_eq!(marked("A cat in C", "c", "en"), "A cat in [C]");
        assert_eq!(marked("می‌خواهم كتاب ۱۲", "میخواهم کتاب 12", "fa"), "[می‌خواهم] [كتاب] [۱۲]");
        assert_eq!(marked("Die Häuser am Fluß", "haus fluss", "de"), "Die [Häuser] am [Fluß]");
        assert_eq!(marked("not wanted", "other -wanted", "en"), "not wanted");
        assert_eq!(marked("nothing", "", "en"), "nothing");
    }

    #[test]
    fn snippet_contains_a_match() {
        let content = format!("{}needle {}", "hay ".repeat(100), "straw ".repeat(100));
        let stems = ParsedQuery::parse("needles", Language::default()).stems;
        let parts = Highlighter::new(&stems).snippet("hay hay", &content);
        let text: String = parts.iter().map(|part| part.text.as_str()).collect();
        assert!(text.starts_with("… hay") && text.ends_with("straw …") && text.split(' ').count() == SNIPPET_WORDS + 2);
        assert!(parts.iter().any(|part| part.is_match && part.text == "needle"));
        assert_eq!(Highlighter::new(&stems).snippet("hay hay", "hay")[0].text, "hay hay");
        let long = format!("needle {}", "x-".repeat(30_000));
        let shown: usize = Highlighter::new(&stems).snippet("hay", &long).iter().map(|part| part.text.len()).sum();
        assert!(shown < 100, "{shown}");
        let mut marker = Highlighter::new(&stems);
        assert_eq!(marker.snippet("hay", &format!("{}needle", "hay-".repeat(MAX_EXAMINED_WORDS)))[0].text, "hay");
        assert_eq!(marker.snippet("hay", "a needle")[0].text, "hay");
    }

    #[test]
    fn parses_wanted_and_excluded_terms() {
        let asked = |typed: &str, language: &str| ParsedQuery::parse(typed, language.parse().unwrap());
        let in_english = |typed: &str| asked(typed, "en").tsquery_for_language("en".parse().ok()).to_owned();
        assert_eq!(in_english("\"even keels\" -straw"), "('en:even' <1> 'en:keel') & !('en:straw')");
        assert_eq!(in_english("\"far from the sea\""), "('en:far' <3> 'en:sea')");
        assert_eq!(in_english("sea or ship"), "('en:sea') | ('en:seaorship') | ('en:ship')");
        assert_eq!(in_english("the -sea"), in_english("-sea"));
        for nothing in ["the of", "' & | !", "\""] {
            assert_eq!(asked(nothing, "en").tsquery(), "", "{nothing}");
        }
        // `die` is a stop word in German, but not in English.
        assert_eq!(asked("die", "de").tsquery(), "");
        assert_eq!(asked("die", "en").tsquery(), "('en:die') | ('fa:die') | ('und:die')");
    }
}
