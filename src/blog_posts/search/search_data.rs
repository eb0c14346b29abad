//! Folded title and text of a post, the input of the search vector that `PostgreSQL` computes.

use super::folding::{fold_case_and_accents, fold_german, words};
use crate::i18n::{Language, TextLanguage};

/// Maximum number of indexed characters of a post, because `PostgreSQL` limits a search vector to 1 MiB.
pub(super) const MAX_SEARCHED_CHARS: usize = 65_536;

/// Text search configurations of `PostgreSQL` 14, by the BCP 47 tags of their languages.
const CONFIGURATIONS: [(&str, &str); 25] = [
    ("ar", "arabic"),
    ("ca", "catalan"),
    ("da", "danish"),
    ("de", GERMAN),
    ("el", "greek"),
    ("en", "english"),
    ("es", "spanish"),
    ("fi", "finnish"),
    ("fr", "french"),
    ("hi", "hindi"),
    ("hu", "hungarian"),
    ("hy", "armenian"),
    ("id", "indonesian"),
    ("it", "italian"),
    ("lt", "lithuanian"),
    ("nb", "norwegian"),
    ("ne", "nepali"),
    ("nl", "dutch"),
    ("pt", "portuguese"),
    ("ro", "romanian"),
    ("ru", "russian"),
    ("sr", "serbian"),
    ("sv", "swedish"),
    ("ta", "tamil"),
    ("tr", "turkish"),
];

const GERMAN: &str = "german";
/// Text search configuration of all other languages, without stemming and stop words.
const SIMPLE: &str = "simple";

/// Texts in an unknown language are treated as English.
pub(super) fn configuration(language: Option<TextLanguage>) -> &'static str {
    let tag = language.map_or_else(|| Language::default().tag(), TextLanguage::tag);
    CONFIGURATIONS.iter().find(|(listed, _)| *listed == tag).map_or(SIMPLE, |(_, configuration)| configuration)
}

pub(super) fn configurations() -> Vec<&'static str> {
    CONFIGURATIONS.iter().map(|(_, configuration)| *configuration).chain([SIMPLE]).collect()
}

pub(super) fn fold_word(word: &str, configuration: &str) -> String {
    if configuration == GERMAN { fold_german(word) } else { fold_case_and_accents(word) }
}

/// Maximum length of an indexed word in characters. Longer strings are mostly URLs and keys.
const MAX_WORD_CHARS: usize = 64;
const MAX_WORDS: usize = 10_000;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchData {
    pub configuration: &'static str,
    /// Folded words, separated by spaces.
    pub title: String,
    pub content: String,
}

impl SearchData {
    /// Folds a title and a text. Must not run on async threads, because the time grows with the length of the text.
    pub fn compute(title: &str, content: &str, language: Option<TextLanguage>) -> Self {
        let configuration = configuration(language);
        let fold_text = |text: &str| {
            let end = text.char_indices().nth(MAX_SEARCHED_CHARS).map_or(text.len(), |(end, _)| end);
            let indexed = words(&text[..end]).filter(|word| word.chars().count() <= MAX_WORD_CHARS).take(MAX_WORDS);
            indexed.map(|word| fold_word(word, configuration)).collect::<Vec<_>>().join(" ")
        };
        Self { configuration, title: fold_text(title), content: fold_text(content) }
    }
}
