//! Menu of the header and of the footer: links that the owner edits as lines of text.

use url::Url;

use crate::i18n::Phrase;
use crate::phrase;
use crate::text::to_single_line;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MenuEntry {
    pub text: String,
    /// Path on this site, or an `http`, `https` or `mailto` URL.
    pub url: String,
}

impl MenuEntry {
    pub const MAX_COUNT: usize = 8;
    pub const MAX_TEXT_CHARS: usize = 40;
    const MAX_URL_BYTES: usize = 500;

    /// Parses one entry per line (or between semicolons): a text, and the URL as the last word.
    pub fn parse_all(text: &str) -> Result<Vec<Self>, Phrase> {
        let lines = text.split(['\n', ';']).map(to_single_line).filter(|line| !line.is_empty());
        let entries: Vec<Self> = lines
            .map(|line| Self::parse(&line).ok_or_else(|| phrase!("invalid-menu-entry", line = line.as_str())))
            .collect::<Result<_, _>>()?;
        match entries.len() {
            count if count > Self::MAX_COUNT => Err(phrase!("invalid-menu-length", most = Self::MAX_COUNT)),
            _ => Ok(entries),
        }
    }

    fn parse(line: &str) -> Option<Self> {
        let (text, url) = line.rsplit_once(' ')?;
        let is_path = url.starts_with('/') && !url.starts_with("//") && !url.contains('\\');
        let has_scheme = || Url::parse(url).is_ok_and(|url| ["http", "https", "mailto"].contains(&url.scheme()));
        let is_short = text.chars().count() <= Self::MAX_TEXT_CHARS && url.len() <= Self::MAX_URL_BYTES;
        (is_short && (is_path || has_scheme())).then(|| Self { text: text.trim().to_owned(), url: url.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(text: &str) -> Option<Vec<(String, String)>> {
        let entries = MenuEntry::parse_all(text).ok()?;
        Some(entries.into_iter().map(|entry| (entry.text, entry.url)).collect())
    }

    #[test]
    fn the_last_word_of_a_line_is_the_url() {
        let entry = |text: &str, url: &str| (text.to_owned(), url.to_owned());
        let menu = "About us /blogs/3/about-us/\n\n Code  https://code.example/\n";
        assert_eq!(
            entries(menu),
            Some(vec![entry("About us", "/blogs/3/about-us/"), entry("Code", "https://code.example/")])
        );
        assert_eq!(entries("Birds /blogs/?tag=birds; Mail mailto:ann@e.example").map(|menu| menu.len()), Some(2));
        assert_eq!(entries(""), Some(Vec::new()));
    }

    #[test]
    fn rejects_entries_without_text_or_safe_url() {
        for menu in ["/about/", "About", "About //e.example/", "About javascript:alert(1)", "About /\\e.example"] {
            assert_eq!(entries(menu), None, "{menu}");
        }
        assert_eq!(entries(&"A /a/\n".repeat(9)), None);
        assert_eq!(entries(&format!("{} /a/", "x".repeat(41))), None);
    }
}
