//! Usernames and display names: validation, normalization and detection of lookalikes.

use schemars::{Schema, json_schema};
use sha2::{Digest as _, Sha256};
use unicase::UniCase;
use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;
use unicode_security::{GeneralSecurityProfile as _, MixedScript as _, skeleton};

use crate::i18n::{Language, Locale, Phrase};
use crate::phrase;
use crate::text::{is_visible, to_single_line};
use crate::users::urls::{STAFF_PREFIX, USERS_PREFIX};
use crate::web::request::form_field::Field;
use crate::web::routing::route::RouteTable;

/// Username of 1 to 30 letters, digits, `_`, `-` and `.` of any script, in NFKC form. Combining marks such as vowel
/// signs are allowed after letters, and U+200C (zero-width non-joiner) between letters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Username {
    shown: String,
    key: String,
    skeleton: String,
}

/// Displayed names of erased authors in all languages, and the English name without its article.
fn former_author_names() -> impl Iterator<Item = String> {
    let shown =
        |language| phrase!("former-author").translate_to_text(Locale { language, ..Locale::default() }).into_owned();
    Language::all().map(shown).chain(["former author".to_owned()])
}

fn letters(text: &str) -> String {
    fold(text).chars().filter(|c| (c.is_alphanumeric() && is_visible(*c)) || is_combining_mark(*c)).collect()
}

/// Path segments that URL parsers remove.
const DOT_SEGMENTS: [&str; 2] = [".", ".."];

impl Username {
    pub fn as_str(&self) -> &str {
        &self.shown
    }

    /// Unique key, equal for all usernames that differ only in case or Unicode normalization.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Unique key, equal for all usernames that look alike.
    pub fn skeleton(&self) -> &str {
        &self.skeleton
    }
}

/// Zero-width non-joiner: separates two letters in scripts whose letters join, such as Persian.
const NON_JOINER: char = '\u{200c}';

/// Unicode case folding in NFKC form, without non-joiners.
fn fold(name: &str) -> String {
    let joined: String = name.chars().filter(|c| *c != NON_JOINER).collect();
    UniCase::new(joined.nfkc().collect::<String>()).to_folded_case().nfkc().collect()
}

/// Confusable skeleton (UTS 39), equal for all names that look alike. Lower-cased and computed again, because the
/// skeleton of the digit 0 is the capital letter O.
pub fn confusable_skeleton(key: &str) -> String {
    let folded = skeleton(key).collect::<String>().to_lowercase();
    skeleton(&folded).collect()
}

const MAX_MARKS: usize = 4;

/// Detects Zalgo text: letters with stacked marks. NFKC has already composed common accents with their letters.
fn has_stacked_marks(name: &str) -> bool {
    let marks: Vec<char> = name.chars().collect();
    marks.split(|c| !is_combining_mark(*c)).any(|run| {
        let accents = run.iter().filter(|c| matches!(c, '\u{300}'..='\u{36f}')).count();
        accents > 1 || run.len() > MAX_MARKS
    }) || has_mark_twice(name)
}

/// Detects a repeated mark, even if the first mark is part of a composed letter.
fn has_mark_twice(name: &str) -> bool {
    let decomposed: Vec<char> = name.nfd().collect();
    decomposed.windows(2).any(|pair| pair[0] == pair[1] && is_combining_mark(pair[0]))
}

impl Username {
    /// Parses the username of an existing account, which may have been registered before the name became reserved.
    pub fn parse_lenient(text: &str) -> Result<Self, Phrase> {
        let shown: String = text.trim().nfkc().collect();
        let visible = |c: char| c.is_alphanumeric() && c.identifier_allowed();
        // Most Unicode marks are invisible or belong to no script in use today, so `identifier_allowed` must hold for
        // marks, too.
        let mark = |c: char| is_combining_mark(c) && c.identifier_allowed();
        let allowed = |c: char| visible(c) || matches!(c, '_' | '-' | '.') || mark(c) || c == NON_JOINER;
        // A mark or non-joiner must follow a letter, and a non-joiner must also precede a letter.
        let begins = shown.starts_with(|c: char| visible(c) || matches!(c, '_' | '-' | '.'));
        let joined = shown.split(NON_JOINER).all(|part| {
            part == shown || (part.starts_with(visible) && part.ends_with(|c| visible(c) || is_combining_mark(c)))
        });
        if !(1..=30).contains(&shown.chars().count()) || !shown.chars().all(allowed) || !begins || !joined {
            return Err(phrase!("invalid-username"));
        }
        if has_stacked_marks(&shown) {
            return Err(phrase!("invalid-accents"));
        }
        // Mixed scripts allow impersonation: a Cyrillic `а` looks like the Latin letter.
        if !shown.is_single_script() {
            return Err(phrase!("invalid-scripts"));
        }
        let key = fold(&shown);
        let skeleton = confusable_skeleton(&key);
        Ok(Self { shown, key, skeleton })
    }

    /// Infinite sequence of usernames: the text itself, the text with `-` in place of disallowed characters, the
    /// replaced text with a number appended, and finally `user-` with a hash of the text and a number.
    pub fn suggestions(text: &str) -> impl Iterator<Item = Self> {
        let plain = |c: char| if c.is_alphanumeric() || "_-.".contains(c) { c } else { '-' };
        let replaced: String = text.trim().chars().map(plain).collect();
        let replaced = replaced.split('-').filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-");
        let cut = |length| replaced.chars().take(length).collect::<String>();
        let (whole, stem) = (cut(30), cut(22));
        let numbered = (2..100).map(move |number| format!("{stem}-{number}"));
        let digest = Sha256::digest(text);
        let hash = digest.iter().take(8).fold(String::new(), |hash, byte| format!("{hash}{byte:02x}"));
        let names = [text.to_owned(), whole]
            .into_iter()
            .chain(numbered)
            .chain((1..).map(move |number| format!("user-{hash}-{number}")));
        names.filter_map(|name| Self::parse_lenient(&name).ok())
    }

    fn is_reserved(&self) -> bool {
        let key = &self.key;
        let is_former = former_author_names().any(|former| letters(&former) == letters(key));
        let is_page = [USERS_PREFIX, STAFF_PREFIX].iter().any(|prefix| RouteTable::global().is_reserved(prefix, key));
        is_former || DOT_SEGMENTS.contains(&key.as_str()) || is_page
    }
}

impl Field for Username {
    fn from_text(text: &str) -> Result<Self, Phrase> {
        let name = Self::parse_lenient(text)?;
        if name.is_reserved() { Err(phrase!("invalid-name-reserved")) } else { Ok(name) }
    }

    fn schema() -> Schema {
        json_schema!({
            "type": "string", "minLength": 1, "maxLength": 30, "examples": ["ann"],
            "description": "Letters, digits, `_`, `-` and `.`; begins with a letter or digit"
        })
    }
}

/// Display name: 1 to 50 characters of any script, on one line. Not unique.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DisplayName(String);

impl DisplayName {
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Confusable skeletons with and without punctuation, for comparison with usernames.
    pub fn skeletons(&self) -> [String; 2] {
        [confusable_skeleton(&fold(&self.0)), confusable_skeleton(&letters(&self.0))]
    }
}

/// No display name may equal a staff role in any language, to prevent impersonation of staff.
fn reserved_role_names() -> impl Iterator<Item = String> {
    let all = |language| phrase!("reserved-roles").translate_to_text(Locale { language, ..Locale::default() });
    Language::all().flat_map(move |language| all(language).split(',').map(str::to_owned).collect::<Vec<_>>())
}

impl Field for DisplayName {
    fn from_text(text: &str) -> Result<Self, Phrase> {
        let shown = to_single_line(&text.nfc().collect::<String>());
        let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
        if !(1..=50).contains(&shown.chars().count()) {
            return Err(phrase!("invalid-display-name"));
        }
        if !shown.chars().any(|c| c.is_alphanumeric() && is_visible(c)) {
            return Err(phrase!("invalid-no-letter"));
        }
        if has_stacked_marks(&shown) {
            return Err(phrase!("invalid-accents"));
        }
        let name = Self(shown);
        let looks = confusable_skeleton(&letters(&name.0));
        let looks_like = |word: String| looks == confusable_skeleton(&letters(&word));
        if former_author_names().any(looks_like) {
            return Err(phrase!("invalid-former-author"));
        }
        if reserved_role_names().any(looks_like) {
            return Err(phrase!("invalid-role-name"));
        }
        Ok(name)
    }

    fn schema() -> Schema {
        json_schema!({ "type": "string", "minLength": 1, "maxLength": 50 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn username(text: &str) -> Option<Username> {
        Username::from_text(text).ok()
    }

    #[test]
    fn similar_usernames_are_valid_and_infinite() {
        let first = |text: &str, count| -> Vec<String> {
            Username::suggestions(text).take(count).map(|name| name.shown).collect()
        };
        assert_eq!(first("Ann Lee", 3), ["Ann-Lee", "Ann-Lee-2", "Ann-Lee-3"]);
        assert_eq!(first("ann", 2), ["ann", "ann"]);
        assert_eq!(first(&"x".repeat(40), 2), ["x".repeat(30), format!("{}-2", "x".repeat(22))]);
        // The text mixes scripts, so no part of it is a valid username.
        let (one, other) = (first("а b@0", 2), first("а b@1", 2));
        assert!(one[0].starts_with("user-") && one[0].ends_with("-1") && one[1].ends_with("-2"), "{one:?}");
        assert_ne!(one, other);
        assert_eq!(Username::suggestions("").take(1_000).count(), 1_000);
    }

    #[test]
    fn accepts_all_scripts_and_ignores_case_and_normalization() {
        for name in [
            "a",
            "Zoë-1.x_y",
            "Huế",
            "Nguyễn",
            "نیلوفر",
            "太郎",
            "はる太7",
            "अमारा",
            "प्रिया",
            "علی\u{200c}رضا",
            &"x".repeat(30),
        ] {
            assert!(username(name).is_some(), "{name}");
        }
        let same = |a: &str, b: &str| username(a).unwrap().key() == username(b).unwrap().key();
        assert!(same("Ann", "aNN") && same("Zoë", "ZOE\u{308}") && same("ﬁn", "FIN") && same("ΣΊΣΥΦΟΣ", "σίσυφος"));
        assert!(same("علی\u{200c}رضا", "علیرضا") && same("straße", "STRAẞE") && same("straße", "strasse"));
        assert_eq!(username(" ann ").unwrap().as_str(), "ann");
        assert!(!same("ann", "anne"));
    }

    #[test]
    fn lookalike_names_have_equal_skeletons() {
        let alike = |a: &str, b: &str| username(a).unwrap().skeleton() == username(b).unwrap().skeleton();
        // The first username consists of Cyrillic letters only.
        assert!(alike("\u{440}\u{430}\u{443}\u{440}\u{430}\u{4cf}", "paypal"));
        assert!(alike("\u{43e}\u{43e}\u{43e}", "ooo") && alike("\u{3bf}\u{3bf}\u{3bf}", "OOO"));
        assert!(alike("bam", "barn") && alike("paypa1", "paypal") && alike("B0B", "bob"));
        assert!(!alike("ann", "anne") && !alike("anna", "hanna") && !alike("نیلوفر", "نیلوفری"));
    }

    #[test]
    fn rejects_invalid_usernames() {
        for name in [
            "",
            " ",
            "a b",
            "a/b",
            "a\u{202e}b",
            "a\u{200d}b",
            "a\nb",
            "<b>",
            "..",
            ".",
            "💡",
            "\u{3164}",
            "\u{115f}",
            "\u{301}a",
            "\u{200c}a",
            "علی\u{200c}",
            "\u{430}nn",
            "a\u{34f}b",
            "a\u{fe0f}",
            "a\u{e0100}",
            "a\u{e0061}",
            "a\u{180b}",
            "x\u{301}\u{302}",
            "\u{e9}\u{301}",
            "\u{119}\u{328}",
            "x\u{302}\u{302}",
            "Z\u{351}\u{36b}a",
            "अ\u{901}\u{901}",
            "ann\u{3b1}",
            &"x".repeat(31),
        ] {
            assert_eq!(username(name), None, "{name:?}");
        }
    }
}
