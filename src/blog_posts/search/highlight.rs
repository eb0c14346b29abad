//! Highlighting of the words that match a search.

use std::collections::{HashMap, HashSet};

use sqlx::PgPool;

use super::folding::{word_segments, words};
use super::search_data::{MAX_SEARCHED_CHARS, fold_word};

/// Maximum number of words that highlighting examines for a page of results.
const MAX_EXAMINED_WORDS: usize = 100_000;
/// Maximum number of characters that a snippet shows of one word, because a text without spaces can be very long.
const MAX_SHOWN_CHARS: usize = 60;
const SNIPPET_WORDS: usize = 36;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HighlightFragment {
    pub text: String,
    pub is_match: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Highlighter {
    configuration: String,
    /// Folded words that match the search.
    matches: HashSet<String>,
    /// First [`MAX_SEARCHED_CHARS`] characters of the Markdown source.
    content: String,
}

/// Finds the words of each post that match `stems`, by the positions of the stems in the search vector of the post.
pub(crate) async fn find_matching_words(
    pool: &PgPool,
    ids: &[i64],
    stems: &[String],
) -> sqlx::Result<HashMap<i64, Highlighter>> {
    let rows = sqlx::query!(
        r#"select p.id, p.title, left(p.content, $3) as "content!", p.search_configuration,
            coalesce(places.title_end, 0::smallint) as "title_end!", coalesce(places.matches, '{}') as "matches!"
        from blog_posts p
            cross join lateral (
                select max(place) filter (where weight = 'A') as title_end,
                    array_agg(place) filter (where lexeme = any($2)) as matches
                from unnest(p.search) as terms (lexeme, places, weights),
                    lateral unnest(terms.places, terms.weights) as positions (place, weight)
            ) as places
        where p.id = any($1)"#,
        ids,
        stems,
        i32::try_from(MAX_SEARCHED_CHARS).unwrap_or(i32::MAX),
    );
    let mut remaining_words = MAX_EXAMINED_WORDS;
    let highlighters = rows.fetch_all(pool).await?.into_iter().map(|row| {
        let mut highlighter =
            Highlighter { configuration: row.search_configuration, content: row.content, ..Highlighter::default() };
        let (mut in_title, mut in_content) = (HashSet::new(), HashSet::new());
        for position in row.matches {
            if position <= row.title_end {
                in_title.insert(position);
            } else {
                in_content.insert(position - row.title_end);
            }
        }
        for (text, positions) in [(&row.title, in_title), (&highlighter.content, in_content)] {
            let Some(last) = positions.iter().max().and_then(|last| usize::try_from(*last).ok()) else { continue };
            let examined = last.min(remaining_words);
            remaining_words -= examined;
            let matching = (1..).zip(words(text)).take(examined).filter(|(position, _)| positions.contains(position));
            let folded = matching.map(|(_, word)| fold_word(word, &highlighter.configuration));
            highlighter.matches.extend(folded.collect::<Vec<_>>());
        }
        (row.id, highlighter)
    });
    Ok(highlighters.collect())
}

impl Highlighter {
    fn is_match(&self, word: &str) -> bool {
        self.matches.contains(&fold_word(word, &self.configuration))
    }

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

    /// Returns the excerpt, or the text around the first match if the excerpt contains no match.
    pub(crate) fn snippet(&self, excerpt: &str) -> Vec<HighlightFragment> {
        let marked = self.highlight(excerpt);
        if self.matches.is_empty() || marked.iter().any(|part| part.is_match) {
            return marked;
        }
        let plain = evenkeel_markdown::plain_text(&self.content);
        let all: Vec<&str> = plain.split_whitespace().collect();
        let first = all.iter().position(|some| words(some).any(|word| self.is_match(word)));
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

    fn highlighter(matches: &[&str], content: String) -> Highlighter {
        let matches = matches.iter().map(|word| (*word).to_owned()).collect();
        Highlighter { configuration: "english".to_owned(), matches, content }
    }

    #[test]
    fn marks_words_however_they_are_typed() {
        let marked = |text: &str, word: &str| {
            let show = |part: HighlightFragment| if part.is_match { format!("[{}]", part.text) } else { part.text };
            highlighter(&[word], String::new()).highlight(text).into_iter().map(show).collect::<String>()
        };
        assert_eq!(marked("A Café, a cafeteria", "cafe"), "A [Café], a cafeteria");
        assert_eq!(marked("می‌خواهم كتاب ۱۲", "کتاب"), "می‌خواهم [كتاب] ۱۲");
    }

    #[test]
    fn snippet_contains_a_match() {
        let content = format!("{}needle {}", "hay ".repeat(100), "straw ".repeat(100));
        let parts = highlighter(&["needle"], content).snippet("hay hay");
        let text: String = parts.iter().map(|part| part.text.as_str()).collect();
        assert!(text.starts_with("… hay") && text.ends_with("straw …") && text.split(' ').count() == SNIPPET_WORDS + 2);
        assert!(parts.iter().any(|part| part.is_match && part.text == "needle"));
        let long = highlighter(&["needle"], format!("needle {}", "x-".repeat(30_000)));
        let shown: usize = long.snippet("hay").iter().map(|part| part.text.len()).sum();
        assert!(shown < 100, "{shown}");
        assert_eq!(highlighter(&["needle"], "hay".to_owned()).snippet("hay hay")[0].text, "hay hay");
    }
}
