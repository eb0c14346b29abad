//! Normalization of words for full-text search: folding removes differences in spelling, and stemming removes
//! differences between word forms. Texts and queries are normalized here; the database compares stems as they are.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use frostem::{Algorithm, Stemmer};
use unicode_normalization::UnicodeNormalization as _;

use super::catalogue::LocaleFiles;
use super::language::Language;
use super::text_language::TextLanguage;

/// Number of characters after which a word is truncated. Real words are shorter.
const MAX_WORD_CHARS: usize = 100;

const HALF_SPACE: char = '\u{200c}';

pub struct WordStemmer {
    /// BCP 47 tag of the language. Stems begin with the tag, so that words of different languages do not match.
    tag: &'static str,
    stemmer: Option<Stemmer>,
    stop_words: HashSet<String>,
}

/// Stemmer for texts in a language without a message catalogue. It folds words, but does not stem them.
static UNDETERMINED: LazyLock<WordStemmer> =
    LazyLock::new(|| WordStemmer { tag: "und", stemmer: None, stop_words: HashSet::new() });

static STEMS: LazyLock<HashMap<&'static str, WordStemmer>> =
    LazyLock::new(|| Language::all().map(|language| (language.tag(), WordStemmer::read(language.tag()))).collect());

impl WordStemmer {
    /// Stemmer for a text in this language, or for English if the language is unknown. Words of languages without a
    /// catalogue are not stemmed.
    pub fn for_text(language: Option<TextLanguage>) -> &'static Self {
        let tag = language.map_or_else(|| Language::default().tag(), TextLanguage::tag);
        STEMS.get(tag).unwrap_or(&UNDETERMINED)
    }

    /// Stemmer for the search queries of a user with this language.
    pub fn for_query(language: Language) -> &'static Self {
        Self::for_text(language.tag().parse().ok())
    }

    /// All stemmers with which a text may have been indexed.
    pub fn all_variants() -> impl Iterator<Item = &'static Self> {
        Language::all().filter_map(|language| STEMS.get(language.tag())).chain([&*UNDETERMINED])
    }

    fn read(tag: &'static str) -> Self {
        let list = LocaleFiles::get(&format!("{tag}/stop-words.txt"));
        let list = list.map(|list| String::from_utf8_lossy(&list.data).into_owned()).unwrap_or_default();
        let mut stems = Self { tag, stemmer: algorithm(tag).map(Stemmer::new), stop_words: HashSet::new() };
        stems.stop_words = list.split_whitespace().map(|word| stems.normalize(word)).collect();
        stems
    }

    /// BCP 47 tag of the language; `und` for languages without a catalogue.
    pub fn tag(&self) -> &'static str {
        self.tag
    }

    /// Returns the stem of a word for comparison, such as `en:keel`. `None` for stop words such as "the".
    pub fn stem(&self, word: &str) -> Option<String> {
        let plain = self.normalize(word);
        if plain.is_empty() || self.stop_words.contains(&plain) {
            return None;
        }
        let stem = self.stemmer.as_ref().map_or(Cow::Borrowed(plain.as_str()), |stemmer| stemmer.stem(&plain));
        Some(format!("{}:{stem}", self.tag))
    }

    /// Folds a word (see [`fold_case_and_accents`]). In German, a digraph such as `ae` is treated like the umlaut `ä`.
    fn normalize(&self, word: &str) -> String {
        let folded = fold_case_and_accents(word);
        if self.tag == "de" { fold_umlaut_digraphs(&folded) } else { folded }
    }

    /// True if the word is a stop word in none of the languages.
    pub fn is_never_stop_word(word: &str) -> bool {
        let has_stem = |stems: &Self| stems.stem(word).is_some();
        Self::all_variants().all(has_stem)
    }

    /// Stems of a text, each with its word position. Positions are counted from 0 and include stop words.
    pub fn stems_with_positions<'a>(&'a self, text: &'a str) -> impl Iterator<Item = (usize, String)> + 'a {
        words(text).enumerate().filter_map(|(place, word)| Some((place, self.stem(word)?)))
    }
}

impl std::fmt::Debug for WordStemmer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WordStemmer").field("stop_words", &self.stop_words.len()).finish_non_exhaustive()
    }
}

fn algorithm(tag: &str) -> Option<Algorithm> {
    Some(match tag {
        "ar" => Algorithm::Arabic,
        "da" => Algorithm::Danish,
        "de" => Algorithm::German,
        "el" => Algorithm::Greek,
        "en" => Algorithm::English,
        "es" => Algorithm::Spanish,
        "fi" => Algorithm::Finnish,
        "fr" => Algorithm::French,
        "hu" => Algorithm::Hungarian,
        "it" => Algorithm::Italian,
        "nb" => Algorithm::Norwegian,
        "nl" => Algorithm::Dutch,
        "pt" => Algorithm::Portuguese,
        "ro" => Algorithm::Romanian,
        "ru" => Algorithm::Russian,
        "sv" => Algorithm::Swedish,
        "ta" => Algorithm::Tamil,
        "tr" => Algorithm::Turkish,
        _ => return None,
    })
}

/// Splits a text into words and the text between them. The flag is true for words.
pub fn word_segments(text: &str) -> impl Iterator<Item = (&str, bool)> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let is_word = is_in_word(rest.chars().next()?);
        let end = rest.find(|c| is_in_word(c) != is_word).unwrap_or(rest.len());
        let (piece, after) = rest.split_at(end);
        rest = after;
        Some((piece, is_word))
    })
}

pub fn words(text: &str) -> impl Iterator<Item = &str> {
    word_segments(text).filter_map(|(piece, is_word)| is_word.then_some(piece))
}

fn is_in_word(c: char) -> bool {
    c.is_alphanumeric() || is_joiner(c) || unicode_normalization::char::is_combining_mark(c)
}

/// Non-letters inside words: zero-width non-joiner (Persian half-space), zero-width joiner, soft hyphen and kashida.
fn is_joiner(c: char) -> bool {
    matches!(c, HALF_SPACE | '\u{200d}' | '\u{ad}' | '\u{640}')
}

/// Diacritics that searches ignore, such as accents and the vowel marks of Hebrew and Arabic.
fn is_ignored_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{591}'..='\u{5c7}' | '\u{610}'..='\u{61a}' | '\u{64b}'..='\u{65f}' | '\u{670}'
        | '\u{6d6}'..='\u{6dc}' | '\u{6df}'..='\u{6e8}' | '\u{6ea}'..='\u{6ed}')
        || (is_joiner(c) && c != HALF_SPACE)
}

/// Folds a word to lower case without accents: `café` becomes `cafe`, `Straße` becomes `strasse`, and similar Arabic
/// and Persian letters become equal. Removes Persian suffixes: `خانه‌ها` becomes `خانه`.
pub fn fold_case_and_accents(word: &str) -> String {
    let letters = word.chars().take(MAX_WORD_CHARS).nfkd().flat_map(char::to_lowercase).nfkd();
    let letters = letters.filter(|c| (is_in_word(*c)) && !is_ignored_mark(*c));
    let mut plain = String::with_capacity(word.len());
    letters.for_each(|c| match transliterate(c) {
        Some(letters) => plain.push_str(letters),
        None => plain.push(digit(c)),
    });
    // The word is truncated again, because some characters expand to whole phrases.
    strip_persian_suffixes(&plain).nfc().take(MAX_WORD_CHARS).collect()
}

/// Replaces the digraphs `ae`, `oe` and `ue`, which stand for `ä`, `ö` and `ü`, with `a`, `o` and `u`, because
/// [`fold_case_and_accents`] folds the umlauts to the same letters. A `ue` whose `u` belongs to the preceding letter
/// stays unchanged, as in `Frauen` and `Quelle`.
fn fold_umlaut_digraphs(folded: &str) -> String {
    let mut plain = String::with_capacity(folded.len());
    let mut before = None;
    let mut letters = folded.chars().peekable();
    while let Some(letter) = letters.next() {
        plain.push(letter);
        let is_umlaut = match letter {
            'a' | 'o' => true,
            'u' => !before.is_some_and(|before| matches!(before, 'a' | 'e' | 'i' | 'o' | 'u' | 'q')),
            _ => false,
        };
        if is_umlaut {
            letters.next_if_eq(&'e');
        }
        before = Some(letter);
    }
    plain
}

/// Returns the common transliteration of a letter that many keyboards lack.
fn transliterate(c: char) -> Option<&'static str> {
    Some(match c {
        'ß' => "ss",
        'æ' => "ae",
        'œ' => "oe",
        'ø' => "o",
        'ł' => "l",
        'đ' | 'ð' => "d",
        'þ' => "th",
        'ı' => "i",
        'ς' => "σ",
        'ي' | 'ى' => "ی",
        'ك' => "ک",
        'ة' | 'ە' | 'ہ' => "ه",
        _ => return None,
    })
}

fn digit(c: char) -> char {
    let zero = match c {
        '٠'..='٩' => '٠',
        '۰'..='۹' => '۰',
        _ => return c,
    };
    char::from_digit(u32::from(c) - u32::from(zero), 10).unwrap_or(c)
}

/// Persian suffixes after a half-space that do not form a different word: plurals, possessives, forms of "to be", and
/// comparatives.
const ENDINGS: [&str; 23] = [
    "ها",
    "های",
    "هایی",
    "هایم",
    "هایت",
    "هایش",
    "هایمان",
    "هایتان",
    "هایشان",
    "ی",
    "یی",
    "ای",
    "ام",
    "ات",
    "اش",
    "مان",
    "تان",
    "شان",
    "ایم",
    "اید",
    "اند",
    "تر",
    "ترین",
];

/// Persian plural suffixes that are often written without a half-space, longest first. A suffix is removed only if at
/// least `MIN_SINGULAR_LETTERS` letters remain.
const PLURALS: [&str; 9] = ["هایمان", "هایتان", "هایشان", "هایی", "هایم", "هایت", "هایش", "های", "ها"];
const MIN_SINGULAR_LETTERS: usize = 3;

fn strip_persian_suffixes(word: &str) -> String {
    let mut parts: Vec<&str> = word.split(HALF_SPACE).filter(|part| !part.is_empty()).collect();
    while parts.len() > 1 && parts.last().is_some_and(|last| ENDINGS.contains(last)) {
        parts.pop();
    }
    let joined = parts.concat();
    let singular = PLURALS.iter().find_map(|plural| joined.strip_suffix(plural));
    singular
        .filter(|singular| singular.chars().count() >= MIN_SINGULAR_LETTERS)
        .map_or(joined.clone(), ToOwned::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stem(language: &str, word: &str) -> Option<String> {
        WordStemmer::for_text(language.parse().ok()).stem(word)
    }

    #[test]
    fn a_word_is_the_same_however_it_is_typed() {
        for (one, other) in [
            ("CAFÉ", "cafe"),
            ("Straße", "strasse"),
            ("STRAẞE", "strasse"),
            ("İstanbul", "istanbul"),
            ("ｆｕｌｌ", "full"),
            ("ﬁnd", "find"),
            ("Ёлка", "елка"),
            ("كتاب", "کتاب"),
            ("آب", "اب"),
            ("کِتاب", "کتاب"),
            ("۱۲", "12"),
            ("١٢", "12"),
            ("خانه‌ها", "خانه"),
            ("خانه‌هایشان", "خانه"),
            ("خانهٔ", "خانه"),
            ("خانۀ", "خانه"),
            ("خانه‌ی", "خانه"),
            ("کتابهای", "کتاب"),
            ("بزرگ‌ترین", "بزرگ"),
            ("می‌خواهم", "میخواهم"),
            ("تنها", "تنها"),
            (&"ﷺ".repeat(200), &"صلیاللهعلیهوسلم".repeat(7)[..200]),
        ] {
            assert_eq!(fold_case_and_accents(one), other, "{one}");
        }
    }

    #[test]
    fn a_word_is_the_same_in_its_forms() {
        assert_eq!(stem("en", "rated").as_deref(), Some("en:rate"));
        assert_eq!((stem("en", "the"), stem("de", "für"), stem("fa", "که")), (None, None, None));
        assert_eq!(stem("fr", "maisons").as_deref(), Some("und:maisons"));
    }

    #[test]
    fn german_is_found_as_it_is_typed_without_its_letters() {
        for (one, other) in [
            ("Häuser", "Haus"),
            ("Häuser", "Haeuser"),
            ("Schlösser", "Schloesser"),
            ("grün", "gruen"),
            ("Straßenmühle", "Strassenmuehle"),
            ("Frauen", "Frau"),
            ("Quellen", "Quelle"),
            ("neue", "neu"),
        ] {
            assert_eq!(stem("de", one), stem("de", other), "{one} {other}");
        }
        assert_eq!(stem("de", "fuer"), None);
        assert_ne!(stem("en", "poet"), stem("en", "pot"));
    }

    #[test]
    fn what_is_folded_stays_as_it_is() {
        for c in (0..=u32::from(char::MAX)).filter_map(char::from_u32) {
            let word = format!("ab{c}ab");
            for word in words(&word) {
                let folded = fold_case_and_accents(word);
                assert_eq!(fold_case_and_accents(&folded), folded, "U+{:04X}", u32::from(c));
            }
        }
    }
}
