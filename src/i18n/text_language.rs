//! Languages of posts. A post can be in a language that has no message catalogue.

use std::str::FromStr;
use std::sync::LazyLock;

use icu_locale::{Locale, LocaleCanonicalizer, LocaleDirectionality};
use schemars::JsonSchema;
use serde::Serialize;
use whatlang::{Lang, Script, detect};

use super::language::Language;

/// BCP 47 tag of a text's language, limited to languages that can be detected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, JsonSchema, Serialize)]
#[serde(transparent)]
pub struct TextLanguage(&'static str);

struct DetectableLanguage {
    tag: String,
    language: Lang,
    is_right_to_left: bool,
}

/// Detectable languages, sorted by their own names.
static DETECTABLE: LazyLock<Vec<DetectableLanguage>> = LazyLock::new(|| {
    let (canonicalizer, directions) = (LocaleCanonicalizer::new_extended(), LocaleDirectionality::new_extended());
    let detectable = |language: Lang| {
        let mut tag: Locale = language.code().parse().ok()?;
        // Canonicalization replaces a three-letter code by a two-letter code if one exists.
        canonicalizer.canonicalize(&mut tag);
        Some(DetectableLanguage {
            is_right_to_left: directions.is_right_to_left(&tag.id),
            tag: tag.id.language.to_string(),
            language,
        })
    };
    let mut all: Vec<DetectableLanguage> = Lang::all().iter().filter_map(|language| detectable(*language)).collect();
    all.sort_by_key(|detectable| detectable.language.name());
    all
});

/// Minimum number of letters in a text for detecting a language in Latin or Cyrillic script. Many languages share these
/// scripts, so shorter texts are ambiguous.
const FEWEST: usize = 24;

const MAX_EXAMINED_BYTES: usize = 4_000;

impl TextLanguage {
    pub fn all() -> impl Iterator<Item = Self> {
        DETECTABLE.iter().map(|language| Self(&language.tag))
    }

    /// Detects the language of a text without its code and URLs. Returns `None` if the result is not reliable.
    pub fn detect<'a>(markdown: impl IntoIterator<Item = &'a str>) -> Option<Self> {
        let mut is_code = false;
        let mut prose = String::new();
        for line in markdown.into_iter().flat_map(str::lines) {
            if line.trim_start().starts_with("```") {
                is_code = !is_code;
            } else if !is_code {
                let words = line.split_whitespace().filter(|word| !word.contains(['/', '@', '`', '<']));
                words.for_each(|word| prose.extend([word, " "]));
            }
            if prose.len() > MAX_EXAMINED_BYTES {
                break;
            }
        }
        if is_japanese(&prose) {
            return Self::from_detected(Lang::Jpn);
        }
        let detected = detect(&prose)?;
        let language = match detected.script() {
            Script::Arabic => detect_arabic_script(&prose)?,
            Script::Latin | Script::Cyrillic if prose.chars().filter(|c| c.is_alphabetic()).count() < FEWEST => {
                return None;
            }
            _ => Some(detected.lang()).filter(|_| detected.is_reliable())?,
        };
        Self::from_detected(language)
    }

    fn from_detected(language: Lang) -> Option<Self> {
        DETECTABLE.iter().find(|detectable| detectable.language == language).map(|detectable| Self(&detectable.tag))
    }

    pub fn tag(self) -> &'static str {
        self.0
    }

    /// Name of the language in the language itself.
    pub fn name(self) -> &'static str {
        self.known().map_or(self.0, |detectable| detectable.language.name())
    }

    pub fn direction(self) -> &'static str {
        if self.known().is_some_and(|detectable| detectable.is_right_to_left) { "rtl" } else { "ltr" }
    }

    /// Language of the user interface that matches the text language, or English if no language matches.
    pub fn interface_language(self) -> Language {
        Language::best_match([self.0]).unwrap_or_default()
    }

    fn known(self) -> Option<&'static DetectableLanguage> {
        DETECTABLE.iter().find(|detectable| detectable.tag == self.0)
    }
}

/// True for Japanese prose, which is detected by hiragana and katakana. Each Japanese character has the weight of three
/// Latin letters, because Japanese texts often contain words in Latin script.
fn is_japanese(prose: &str) -> bool {
    let count = |is_one: fn(char) -> bool| prose.chars().filter(|c| is_one(*c)).count();
    let own = count(|c| matches!(c, '\u{3041}'..='\u{30fa}'));
    let (chinese, others) = (count(|c| matches!(c, '\u{4e00}'..='\u{9fff}')), count(|c| c.is_ascii_alphabetic()));
    own > 0 && 3 * (own + chinese) > others
}

/// Detects a language by distinctive letters, which are more reliable than letter frequencies in short texts. Returns
/// `None` if the text has too few distinctive letters, or letters of an unsupported language.
fn detect_arabic_script(prose: &str) -> Option<Lang> {
    const FEWEST: usize = 3;
    let count = |letters: &str| prose.chars().filter(|c| letters.contains(*c)).count();
    // Kurdish, Pashto, Sindhi and Uyghur texts contain the letters in `persian`, too. They are recognized by the
    // letters in `others`.
    let (others, urdu) = (count("ێۆەڵڕۊټډړښڼېڄڏڳڱۇۈۋ"), count("ٹڈڑںے"));
    let (persian, arabic) = (count("پچژگکی"), count("ةىيكأإؤ"));
    match (others, urdu, persian, arabic) {
        (1.., ..) => None,
        (_, FEWEST.., ..) => Some(Lang::Urd),
        (_, _, FEWEST.., _) if persian > arabic => Some(Lang::Pes),
        (_, _, _, FEWEST..) if arabic > persian => Some(Lang::Ara),
        _ => None,
    }
}

#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("unknown language tag of a text")]
pub struct UnknownLanguage;

impl FromStr for TextLanguage {
    type Err = UnknownLanguage;

    fn from_str(tag: &str) -> Result<Self, UnknownLanguage> {
        let detectable = DETECTABLE.iter().find(|detectable| detectable.tag.eq_ignore_ascii_case(tag.trim()));
        detectable.map(|detectable| Self(&detectable.tag)).ok_or(UnknownLanguage)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_language_of_a_text_is_found_where_it_is_certain() {
        for (text, expected) in [
            ("The herons wait at the water, and nothing moves but the light on it.", Some(("en", "ltr"))),
            ("Die Reiher warten am Wasser, und nichts bewegt sich außer dem Licht darauf.", Some(("de", "ltr"))),
            ("مرغ‌های ماهی‌خوار کنار آب ایستاده‌اند و جز نور چیزی نمی‌جنبد. همه‌جا خاموش است.", Some(("fa", "rtl"))),
            ("تقف طيور البلشون عند الماء، ولا شيء يتحرك سوى الضوء عليه في هذا الصباح الهادئ.", Some(("ar", "rtl"))),
            ("مرغ‌های ماهی‌خوار کنار آب ایستاده‌اند.", Some(("fa", "rtl"))),
            ("بگلے پانی کے کنارے کھڑے ہیں اور روشنی کے سوا کچھ نہیں ہلتا۔", Some(("ur", "rtl"))),
            ("ماسیگرەکان لە کەنار ئاوەکە وەستاون و هیچ شتێک ناجوڵێت.", None),
            ("ok", None),
            ("é\u{302}\u{303}é\u{302}\u{303}é\u{302}\u{303} 🦆", None),
            ("鴨が川で泳いでいる。東京都に住んでいます。🦆🦆 duck", Some(("ja", "ltr"))),
            ("Rust で書く", Some(("ja", "ltr"))),
            ("```\nlet the = herons.wait(); // for the water and for the light\n```\n", None),
            ("", None),
        ] {
            let language = TextLanguage::detect([text]);
            assert_eq!(language.map(|language| (language.tag(), language.direction())), expected, "{text}");
        }
    }

    #[test]
    fn languages_are_called_as_they_call_themselves() {
        let named = |tag: &str| tag.parse::<TextLanguage>().map(TextLanguage::name).unwrap_or_default();
        assert_eq!((named("de"), named("FA"), named("tlh")), ("Deutsch", "فارسی", ""));
        assert!(TextLanguage::all().count() > 60);
    }
}
