//! Reading time and excerpt of a text without markup.

use pulldown_cmark_escape::escape_html_body_text;

/// Maximum length of an excerpt, in characters.
const EXCERPT_CHARS: usize = 280;

const WORDS_PER_MINUTE: usize = 220;

pub fn reading_minutes(plain: &str) -> i32 {
    let words = plain.split_whitespace().count();
    // In Chinese and Japanese, which have no spaces between words, a word has about two characters.
    let dense = plain.chars().filter(|c| ('\u{2e80}'..='\u{9fff}').contains(c)).count() / 2;
    i32::try_from((words + dense).div_ceil(WORDS_PER_MINUTE).max(1)).unwrap_or(i32::MAX)
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
