//! Reading time and excerpt of a text without markup.

use pulldown_cmark::Event;
use pulldown_cmark_escape::escape_html_body_text;

use super::html_converter::is_inline;
use super::parser::parse_with_elements;
use super::{MAX_NESTED_LINES, nesting_cost};

/// Maximum length of an excerpt, in characters.
const EXCERPT_CHARS: usize = 280;

const WORDS_PER_MINUTE: usize = 220;

pub fn reading_minutes(plain: &str) -> i32 {
    let words = plain.split_whitespace().count();
    // In Chinese and Japanese, which have no spaces between words, a word has about two characters.
    let dense = plain.chars().filter(|c| ('\u{2e80}'..='\u{9fff}').contains(c)).count() / 2;
    i32::try_from((words + dense).div_ceil(WORDS_PER_MINUTE).max(1)).unwrap_or(i32::MAX)
}

/// Removes the markup of a Markdown text. A text that is nested too deeply for [`render`](super::render) stays
/// unchanged, because pages show its source.
pub fn plain_text(source: &str) -> String {
    if nesting_cost(source) > MAX_NESTED_LINES {
        return source.to_owned();
    }
    let mut plain = String::with_capacity(source.len());
    for event in parse_with_elements(source) {
        match event {
            Event::Text(text) | Event::Code(text) | Event::Html(text) | Event::InlineHtml(text) => {
                plain.push_str(&text);
            }
            Event::SoftBreak | Event::HardBreak | Event::Rule => plain.push('\n'),
            Event::End(tag) if !is_inline(tag) => plain.push('\n'),
            _ => {}
        }
    }
    plain
}

/// Returns the beginning of a text on one line, with an ellipsis if it is truncated.
pub fn excerpt(plain: &str) -> String {
    let mut words = String::new();
    for word in plain.split_whitespace() {
        if words.len() > 4 * EXCERPT_CHARS {
            break;
        }
        if !words.is_empty() {
            words.push(' ');
        }
        words.push_str(word);
    }
    if words.chars().count() <= EXCERPT_CHARS {
        return words;
    }
    let cut: String = words.chars().take(EXCERPT_CHARS - 1).collect();
    // The text is truncated between two words, unless the last word is so long that much text would be lost.
    let end = cut.rfind(' ').filter(|end| cut.len() - end < 80).unwrap_or(cut.len());
    format!("{}…", cut[..end].trim_end_matches([',', ';', ':', '.', '،', '؛']))
}

pub fn escape_html(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    let _ = escape_html_body_text(&mut out, text);
    out
}
