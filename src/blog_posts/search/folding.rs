//! Folds words, so that a search finds a word in any spelling. `PostgreSQL` stems the folded words.

use unicode_normalization::UnicodeNormalization as _;

/// Maximum length of a folded word in characters. Longer words are truncated.
const MAX_WORD_CHARS: usize = 100;
const HALF_SPACE: char = '\u{200c}';

/// Splits a text into words (flag true) and separators. In scripts without spaces between words, each letter is a word.
pub fn word_segments(text: &str) -> impl Iterator<Item = (&str, bool)> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let (is_word, is_single) = (is_in_word(first), is_of_script_without_spaces(first));
        let ends_word = |c: char| {
            let starts_word = is_of_script_without_spaces(c) && !unicode_normalization::char::is_combining_mark(c);
            is_in_word(c) != is_word || starts_word || (is_single && !unicode_normalization::char::is_combining_mark(c))
        };
        let end = rest.char_indices().skip(1).find(|(_, c)| ends_word(*c)).map_or(rest.len(), |(at, _)| at);
        let (piece, after) = rest.split_at(end);
        rest = after;
        Some((piece, is_word))
    })
}

pub fn is_arabic(c: char) -> bool {
    matches!(c, '\u{600}'..='\u{6ff}')
}

/// Letters of Chinese, Japanese, Thai, Lao, Khmer and Burmese.
fn is_of_script_without_spaces(c: char) -> bool {
    matches!(c, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{3041}'..='\u{30ff}'
        | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
        && is_in_word(c)
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

/// Treats a digraph such as `ae` like the umlaut `ä`.
pub fn fold_german(word: &str) -> String {
    fold_umlaut_digraphs(&fold_case_and_accents(word))
}

/// Replaces the digraphs of umlauts with `a`, `o` and `u`. A `ue` whose `u` belongs to the preceding letter stays
/// unchanged, as in `Frauen` and `Quelle`.
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

/// Persian suffixes after a half-space: plurals, possessives, forms of "to be", and comparatives.
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

/// Persian plural suffixes that are often written without a half-space, longest first.
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
    fn letters_of_scripts_without_spaces_are_words() {
        let split = |text| words(text).collect::<Vec<_>>();
        assert_eq!(split("東京の天気 is fine"), ["東", "京", "の", "天", "気", "is", "fine"]);
        assert_eq!(split("in東京"), ["in", "東", "京"]);
        assert_eq!(split("ที่นี่"), ["ที่", "นี่"]);
    }

    #[test]
    fn german_digraphs_are_folded_like_umlauts() {
        for (one, other) in
            [("Häuser", "Haeuser"), ("Schlösser", "Schloesser"), ("grün", "gruen"), ("Straßenmühle", "Strassenmuehle")]
        {
            assert_eq!(fold_german(one), fold_german(other), "{one} {other}");
        }
        assert_eq!((fold_german("Frauen"), fold_german("Quelle")), ("frauen".to_owned(), "quelle".to_owned()));
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
