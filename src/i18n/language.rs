//! The languages that the site speaks.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::catalogue::{CATALOGUES, Catalogue};

/// A language that has a catalogue. The default is the one that others fall back to, English.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Language(usize);

impl Language {
    /// Those that people can choose, the default first.
    pub fn all() -> impl Iterator<Item = Self> {
        CATALOGUES.iter().enumerate().filter(|(_, catalogue)| !catalogue.is_pseudo).map(|(at, _)| Self(at))
    }

    /// All of them, also the one that only shows what is not translated.
    pub fn every() -> impl Iterator<Item = Self> {
        (0..CATALOGUES.len()).map(Self)
    }

    /// The one that is best for somebody who prefers these, the most wanted first, as BCP 47 has them: `fa-IR` is
    /// answered in `fa`. None if the site speaks none of them.
    pub fn best<'a>(wanted: impl IntoIterator<Item = &'a str>) -> Option<Self> {
        wanted.into_iter().find_map(|tag| {
            // What is more special than a catalogue is served by it, and not the other way about.
            let shorter = |tag: &&'a str| tag.rfind('-').map(|end| &tag[..end]);
            std::iter::successors(Some(tag), shorter).find_map(|tag| tag.parse().ok())
        })
    }

    /// Such as `fa`, for `lang` and in settings.
    #[must_use]
    pub fn tag(self) -> &'static str {
        &self.catalogue().tag
    }

    /// How its numbers and dates are written, such as `en-GB`, as BCP 47 has it.
    #[must_use]
    pub fn formats(self) -> &'static str {
        &self.catalogue().written
    }

    /// `ltr` or `rtl`, for `dir`.
    #[must_use]
    pub fn direction(self) -> &'static str {
        if self.is_right_to_left() { "rtl" } else { "ltr" }
    }

    #[must_use]
    pub fn is_right_to_left(self) -> bool {
        self.catalogue().is_right_to_left
    }

    /// What it calls itself.
    #[must_use]
    pub fn name(self) -> String {
        self.catalogue().text("language-name", None).unwrap_or_default().into_owned()
    }

    pub(super) fn catalogue(self) -> &'static Catalogue {
        // Made here alone, from what is there.
        CATALOGUES.get(self.0).unwrap_or_else(|| &CATALOGUES[0])
    }
}

impl FromStr for Language {
    type Err = String;

    fn from_str(tag: &str) -> Result<Self, String> {
        let found = CATALOGUES.iter().position(|catalogue| catalogue.tag.eq_ignore_ascii_case(tag.trim()));
        found.map(Self).ok_or_else(|| {
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
    fn the_nearest_language_is_spoken() {
        let best = |wanted: &[&str]| Language::best(wanted.iter().copied()).map(Language::tag);
        assert_eq!(best(&["fa-IR", "en"]), Some("fa"));
        assert_eq!(best(&["FA"]), Some("fa"));
        assert_eq!(best(&["xx", "de-Latn-CH-1996", "en"]), Some("de"));
        assert_eq!(best(&["*", "d", ""]), None);
        assert_eq!(Language::default().tag(), "en");
    }
}
