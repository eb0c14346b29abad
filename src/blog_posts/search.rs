//! Search: `PostgreSQL`'s full text, English stemmed, and titles that are nearly what was typed (trigrams). Both sides are
//! folded by `search_fold`, so that Persian is found however it was typed.

use sqlx::{Postgres, QueryBuilder};

use crate::error::AppError;

/// Characters of a query.
const MOST: usize = 200;

/// Words of a piece of text around the first match.
const SNIPPET: usize = 36;

/// What somebody looks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Search(String);

/// A piece of a text, and whether it is what was looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    pub text: String,
    pub matches: bool,
}

/// The condition that goes with [`Search::join`].
pub const MATCHES: &str = " and p.id = candidate.id";

/// Words of a query.
const MOST_WORDS: usize = 12;

impl Search {
    /// # Errors
    /// Where it is too long.
    pub fn new(text: &str) -> Result<Option<Self>, AppError> {
        let text = text.trim();
        if text.chars().count() > MOST {
            return Err(AppError::field("q", format!("Search for at most {MOST} characters.")));
        }
        if text.split_whitespace().count() > MOST_WORDS {
            return Err(AppError::field("q", format!("Search for at most {MOST_WORDS} words.")));
        }
        Ok((!text.is_empty()).then(|| Self(text.to_owned())))
    }

    #[must_use]
    pub fn text(&self) -> &str {
        &self.0
    }

    /// Adds what the condition and the order need. The latest thousand that match are ranked: a word that is everywhere
    /// says little, and would cost much. Words are looked for as one, too, as a half-space is often typed as a space.
    pub fn join(&self, query: &mut QueryBuilder<Postgres>) {
        query.push(" cross join (select search_fold(").push_bind(self.0.clone()).push(
            ") as text) as folded cross join lateral (
                select folded.text,
                    websearch_to_tsquery('english', folded.text)
                        || plainto_tsquery('english', replace(folded.text, ' ', '')) as words,
                    tsvector_to_array(to_tsvector('english', folded.text || ' ' || replace(folded.text, ' ', '')))
                        as lexemes
            ) as query cross join lateral (
                select c.id from blog_posts c
                where c.status = 'published' and (c.search @@ query.words or query.text <% search_fold(c.title))
                order by c.published_at desc limit 1000
            ) as candidate cross join lateral (
                select (ts_rank(p.search, query.words) + word_similarity(query.text, search_fold(p.title)))::float8
                    as rank
            ) as found",
        );
    }
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

/// Words, and what is between them.
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

/// The excerpt, if what was looked for is in it; else the piece of the text where it is first.
#[must_use]
pub fn snippet(excerpt: &str, content: &str, lexemes: &[String]) -> Vec<Part> {
    let marked = mark(excerpt, lexemes);
    if marked.iter().any(|part| part.matches) {
        return marked;
    }
    let words: Vec<&str> = content.split_whitespace().collect();
    let is_match = |word: &&str| pieces(word).any(|piece| matches(piece, lexemes));
    let Some(first) = words.iter().position(is_match) else { return marked };
    let begin = first.saturating_sub(SNIPPET / 3);
    let end = words.len().min(begin + SNIPPET);
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
        assert!(text.starts_with("… hay") && text.ends_with("straw …") && text.split(' ').count() == SNIPPET + 2);
        assert!(parts.iter().any(|part| part.matches && part.text == "needle"));
        assert_eq!(snippet("hay hay", "hay", &["needl".to_owned()])[0].text, "hay hay");
    }
}
