//! Table of contents of a text, and `id` attributes of headings.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
pub struct Heading {
    /// Heading level from 2 to 6; level 1 is the page title.
    pub level: u8,
    /// `id` attribute of the heading element.
    pub id: String,
    pub text: String,
}

/// Ids of elements on pages that show a text. A heading must not have one of these ids, because links to the element
/// would lead to the heading. Ids of footnotes contain a colon, which heading ids cannot contain.
const PAGE_IDS: [&str; 30] = [
    "accepts_ratings",
    "added",
    "adding",
    "alt",
    "cannot-rate",
    "content",
    "cover",
    "errors",
    "excerpt",
    "five-stars",
    "here",
    "image",
    "is_page",
    "language",
    "main",
    "outcome",
    "pictures",
    "preview",
    "publish_at",
    "q",
    "rating",
    "sign-in-to-rate",
    "slug",
    "star",
    "status",
    "tags",
    "theirs",
    "title",
    "wave",
    "write",
];

/// Maximum length of a heading id in characters, without the number of a repeated id.
const MAX_ID_CHARS: usize = 80;

/// Generator of heading ids. As on GitHub, an id is the text in lower case without punctuation, with hyphens for
/// spaces, and a number if the id is repeated.
#[derive(Debug, Default)]
pub struct HeadingIds {
    /// Number of headings by id, where repeated ids count without their numbers.
    used: HashMap<String, usize>,
}

impl HeadingIds {
    pub fn next(&mut self, text: &str) -> String {
        let text = text.trim().to_lowercase();
        let kept = text.chars().filter(|c| c.is_alphanumeric() || "-_ ".contains(*c) || is_joining(*c));
        let id: String = kept.map(|c| if c == ' ' { '-' } else { c }).take(MAX_ID_CHARS).collect();
        let id = if id.contains(char::is_alphanumeric) { id } else { "section".to_owned() };
        let count = self.used.entry(id.clone()).or_insert_with(|| usize::from(is_page_id(&id)));
        *count += 1;
        match *count - 1 {
            0 => id,
            // Another heading may have this id already, such as “Setup 1” before two headings “Setup”.
            number => self.next_free(&id, number),
        }
    }

    fn next_free(&mut self, id: &str, first: usize) -> String {
        let mut number = first;
        loop {
            let numbered = format!("{id}-{number}");
            number += 1;
            if !self.used.contains_key(&numbered) && !is_page_id(&numbered) {
                self.used.insert(id.to_owned(), number);
                self.used.insert(numbered.clone(), 1);
                return numbered;
            }
        }
    }
}

/// True for combining marks and the zero-width non-joiner, which are kept in ids, because they are parts of words.
fn is_joining(c: char) -> bool {
    c == '\u{200c}' || unicode_normalization::char::is_combining_mark(c)
}

/// True for the `id` of an element on the pages of the site, which headings cannot have.
pub fn is_page_id(id: &str) -> bool {
    PAGE_IDS.contains(&id) || id.ends_with("-hint") || id.ends_with("-heading")
}

/// True if [`HeadingIds`] could have generated the id.
pub fn is_heading_id(id: &str) -> bool {
    !id.is_empty() && id.chars().all(|c| c.is_alphanumeric() || "-_".contains(c) || is_joining(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_headings_come_from_their_text() {
        let mut ids = HeadingIds::default();
        for (text, id) in [
            ("Setup", "setup"),
            ("setup 1", "setup-1"),
            ("Setup", "setup-2"),
            ("Setup!", "setup-3"),
            ("What’s new in C++ & Rust?", "whats-new-in-c--rust"),
            ("سلام دنیا", "سلام-دنیا"),
            ("日本語", "日本語"),
            ("!?", "section"),
            ("Rating", "rating-1"),
            ("Note 1", "note-1"),
        ] {
            let next = ids.next(text);
            assert_eq!(next, id, "{text}");
            assert!(is_heading_id(&next) && !is_page_id(&next), "{next}");
        }
        let many: Vec<_> = (0..1_000).map(|_| ids.next("x")).collect();
        assert_eq!((many[0].as_str(), many[999].as_str()), ("x", "x-999"));
    }
}
