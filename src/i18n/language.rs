//! Languages of the user interface.

use std::borrow::Cow;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use super::catalogue::{CATALOGUES, Catalogue};

/// Language of the user interface. The default is English, the fallback of all other languages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Language(usize);

impl Language {
    /// All languages except the pseudo-locale, the default language first.
    pub fn all() -> impl Iterator<Item = Self> {
        CATALOGUES.iter().enumerate().filter(|(_, catalogue)| !catalogue.is_pseudo).map(|(at, _)| Self(at))
    }

    pub fn all_with_pseudo() -> impl Iterator<Item = Self> {
        (0..CATALOGUES.len()).map(Self)
    }

    /// Selects the language for a list of BCP 47 tags in order of preference. A tag matches a catalogue with a less
    /// specific tag (`fa-IR` matches `fa`), but not one with a more specific tag.
    pub fn best_match<'a>(tags: impl IntoIterator<Item = &'a str>) -> Option<Self> {
        tags.into_iter().find_map(|tag| {
            let shorter = |tag: &&'a str| tag.rfind('-').map(|end| &tag[..end]);
            std::iter::successors(Some(tag), shorter).find_map(Self::find)
        })
    }

    fn find(tag: &str) -> Option<Self> {
        CATALOGUES.iter().position(|catalogue| catalogue.tag.eq_ignore_ascii_case(tag.trim())).map(Self)
    }

    /// BCP 47 tag such as `fa`, for the `lang` attribute and settings.
    pub fn tag(self) -> &'static str {
        &self.catalogue().tag
    }

    /// BCP 47 tag of the locale for numbers and dates, such as `en-GB`.
    pub fn formatting_locale(self) -> &'static str {
        &self.catalogue().format_locale
    }

    pub fn direction(self) -> &'static str {
        if self.is_right_to_left() { "rtl" } else { "ltr" }
    }

    pub fn is_right_to_left(self) -> bool {
        self.catalogue().is_right_to_left
    }

    /// Name of the language in the language itself.
    pub fn name(self) -> &'static str {
        &self.catalogue().name
    }

    pub(super) fn catalogue(self) -> &'static Catalogue {
        // The index is always valid, because only this module creates `Language` values.
        CATALOGUES.get(self.0).unwrap_or_else(|| &CATALOGUES[0])
    }
}

impl JsonSchema for Language {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Language".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "enum": Self::all().map(Self::tag).collect::<Vec<_>>() })
    }
}

impl FromStr for Language {
    type Err = String;

    fn from_str(tag: &str) -> Result<Self, String> {
        Self::find(tag).ok_or_else(|| {
            let tags: Vec<&str> = Self::all().map(Self::tag).collect();
            tags.join(", ")
        })
    }
}

impl TryFrom<String> for Language {
    type Error = String;

    fn try_from(tag: String) -> Result<Self, String> {
        tag.parse()
    }
}

impl From<Language> for String {
    fn from(language: Language) -> Self {
        language.tag().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selects_best_matching_language() {
        let best = |tags: &[&str]| Language::best_match(tags.iter().copied()).map(Language::tag);
        assert_eq!(best(&["fa-IR", "en"]), Some("fa"));
        assert_eq!(best(&["FA"]), Some("fa"));
        assert_eq!(best(&["xx", "de-Latn-CH-1996", "en"]), Some("de"));
        assert_eq!(best(&["*", "d", ""]), None);
        assert_eq!(Language::default().tag(), "en");
    }
}
