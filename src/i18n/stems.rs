//! Words as they are searched for: folded, so that a word is found however it is typed, and stemmed, so that it is found
//! in its other forms. Texts and searches both go through here; the database compares, and changes nothing.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use frostem::{Algorithm, Stemmer};
use unicode_normalization::UnicodeNormalization as _;

use super::catalogue::Files;
use super::language::Language;
use super::text_language::TextLanguage;

/// Characters of a word that are looked at. There is no longer word in any text that people write.
const LONGEST_WORD: usize = 100;

const HALF_SPACE: char = '\u{200c}';

/// How words of one language are stemmed.
pub struct Stems {
    /// The language, as BCP 47 has it. Stems begin with it: what is alike in two languages are two words.
    tag: &'static str,
    stemmer: Option<Stemmer>,
    stop_words: HashSet<String>,
}

/// Of a text in a language that the site does not speak.
static UNDETERMINED: LazyLock<Stems> =
    LazyLock::new(|| Stems { tag: "und", stemmer: None, stop_words: HashSet::new() });

/// By the tags of the languages that the site speaks.
static STEMS: LazyLock<HashMap<&'static str, Stems>> =
    LazyLock::new(|| Language::all().map(|language| (language.tag(), Stems::read(language.tag()))).collect());

impl Stems {
    /// Those of a text. A text of which the language is not known is taken for one in the language that others fall
    /// back to. A language that the site does not speak has no stems: its words are found as they are written.
    #[must_use]
    pub fn of(language: Option<TextLanguage>) -> &'static Self {
        let tag = language.map_or_else(|| Language::default().tag(), TextLanguage::tag);
        STEMS.get(tag).unwrap_or(&UNDETERMINED)
    }

    /// Those of who reads a language.
    #[must_use]
    pub fn of_reader(language: Language) -> &'static Self {
        Self::of(language.tag().parse().ok())
    }

    /// All that a text may have been stemmed by.
    pub fn all() -> impl Iterator<Item = &'static Self> {
        Language::all().filter_map(|language| STEMS.get(language.tag())).chain([&*UNDETERMINED])
    }

    fn read(tag: &'static str) -> Self {
        let list = Files::get(&format!("{tag}/stop-words.txt"));
        let list = list.map(|list| String::from_utf8_lossy(&list.data).into_owned()).unwrap_or_default();
        let mut stems = Self { tag, stemmer: algorithm(tag).map(Stemmer::new), stop_words: HashSet::new() };
        stems.stop_words = list.split_whitespace().map(|word| stems.plain(word)).collect();
        stems
    }

    /// The language, as BCP 47 has it; `und` where the site speaks none such.
    #[must_use]
    pub fn tag(&self) -> &'static str {
        self.tag
    }

    /// What is compared of a word, such as `en:keel`; none where it says nothing, as "the".
    #[must_use]
    pub fn stem(&self, word: &str) -> Option<String> {
        let plain = self.plain(word);
        if plain.is_empty() || self.stop_words.contains(&plain) {
            return None;
        }
        let stem = self.stemmer.as_ref().map_or(Cow::Borrowed(plain.as_str()), |stemmer| stemmer.stem(&plain));
        Some(format!("{}:{stem}", self.tag))
    }

    /// A word folded, and as those type it who lack a letter of the language.
    fn plain(&self, word: &str) -> String {
        let folded = fold(word);
        if self.tag == "de" { without_umlauts(&folded) } else { folded }
    }

    /// Whether a word says something in every language.
    #[must_use]
    pub fn says_something(word: &str) -> bool {
        let says = |stems: &Self| stems.stem(word).is_some();
        Self::all().all(says)
    }

    /// What is compared of a text, each with its place among all words, from 0.
    pub fn stems<'a>(&'a self, text: &'a str) -> impl Iterator<Item = (usize, String)> + 'a {
        words(text).enumerate().filter_map(|(place, word)| Some((place, self.stem(word)?)))
    }
}

impl std::fmt::Debug for Stems {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Stems").field("stop_words", &self.stop_words.len()).finish_non_exhaustive()
    }
}

/// The stemmer that Snowball has for a language, if it has one.
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

/// A text in words and what is between them, in their order.
pub fn pieces(text: &str) -> impl Iterator<Item = (&str, bool)> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let is_word = is_in_word(rest.chars().next()?);
        let end = rest.find(|c| is_in_word(c) != is_word).unwrap_or(rest.len());
        let (piece, after) = rest.split_at(end);
        rest = after;
        Some((piece, is_word))
    })
}

/// The words of a text.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    pieces(text).filter_map(|(piece, is_word)| is_word.then_some(piece))
}

fn is_in_word(c: char) -> bool {
    c.is_alphanumeric() || is_joiner(c) || unicode_normalization::char::is_combining_mark(c)
}

/// What stands in a word and is no letter: half-spaces, soft hyphens, and what makes Arabic letters longer.
fn is_joiner(c: char) -> bool {
    matches!(c, HALF_SPACE | '\u{200d}' | '\u{ad}' | '\u{640}')
}

/// Marks that are not always written. Those of other scripts are vowels.
fn is_left_out(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{591}'..='\u{5c7}' | '\u{610}'..='\u{61a}' | '\u{64b}'..='\u{65f}' | '\u{670}'
        | '\u{6d6}'..='\u{6dc}' | '\u{6df}'..='\u{6e8}' | '\u{6ea}'..='\u{6ed}')
        || (is_joiner(c) && c != HALF_SPACE)
}

/// A word as everybody types it, in small letters without accents: `café` is `cafe`, `Straße` is `strasse`, and Arabic
/// and Persian letters that look alike are one. What is added to a Persian word is cut off: `خانه‌ها` is `خانه`.
#[must_use]
pub fn fold(word: &str) -> String {
    let letters = word.chars().take(LONGEST_WORD).nfkd().flat_map(char::to_lowercase).nfkd();
    let letters = letters.filter(|c| (is_in_word(*c)) && !is_left_out(*c));
    let mut plain = String::with_capacity(word.len());
    letters.for_each(|c| match letters_for(c) {
        Some(letters) => plain.push_str(letters),
        None => plain.push(digit(c)),
    });
    // Once more: some letters stand for whole phrases.
    without_endings(&plain).nfc().take(LONGEST_WORD).collect()
}

/// `ae`, `oe` and `ue` stand for `ä`, `ö` and `ü`, of which [`fold`] has left `a`, `o` and `u`. Not so where the `u`
/// belongs to what is before it: `Frauen`, `Quelle`.
fn without_umlauts(folded: &str) -> String {
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

/// What is typed for a letter by those who do not have it on their keyboard.
fn letters_for(c: char) -> Option<&'static str> {
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

/// What stands after a half-space and makes no other word: plurals, "my", "is", "more".
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

/// Plurals that are often written without a half-space, the longest first, and the fewest letters before them.
const PLURALS: [&str; 9] = ["هایمان", "هایتان", "هایشان", "هایی", "هایم", "هایت", "هایش", "های", "ها"];
const FEWEST_LETTERS: usize = 3;

fn without_endings(word: &str) -> String {
    let mut parts: Vec<&str> = word.split(HALF_SPACE).filter(|part| !part.is_empty()).collect();
    while parts.len() > 1 && parts.last().is_some_and(|last| ENDINGS.contains(last)) {
        parts.pop();
    }
    let joined = parts.concat();
    let singular = PLURALS.iter().find_map(|plural| joined.strip_suffix(plural));
    singular.filter(|singular| singular.chars().count() >= FEWEST_LETTERS).map_or(joined.clone(), ToOwned::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stem(language: &str, word: &str) -> Option<String> {
        Stems::of(language.parse().ok()).stem(word)
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
            assert_eq!(fold(one), other, "{one}");
        }
    }

    #[test]
    fn a_word_is_the_same_in_its_forms() {
        assert_eq!(stem("en", "rated").as_deref(), Some("en:rate"));
        assert_eq!((stem("en", "the"), stem("de", "für"), stem("fa", "که")), (None, None, None));
        // What the site does not speak is found as it is written.
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
                let folded = fold(word);
                assert_eq!(fold(&folded), folded, "U+{:04X}", u32::from(c));
            }
        }
    }
}
