//! Text that the site adds to a rendered post, in the language of the post, because screen readers read both together.

use crate::i18n::{Language, Locale};
use crate::phrase;

#[derive(Clone, Debug)]
pub struct Words {
    locale: Locale,
    /// Prefix of the description of an image that is not displayed.
    pub image: String,
    /// Marker after a flagged link. `hidden` replaces a flagged URL in link text.
    pub suspected: String,
    pub hidden: String,
    /// Link text of a flagged autolink.
    pub suspected_link: String,
}

impl Words {
    #[must_use]
    pub fn of(language: Language) -> Self {
        let locale = Locale { language, ..Locale::default() };
        Self {
            locale,
            image: phrase!("text-image").text(locale).into_owned(),
            suspected: phrase!("text-suspected").text(locale).into_owned(),
            hidden: phrase!("text-hidden-address").text(locale).into_owned(),
            suspected_link: phrase!("text-suspected-link").text(locale).into_owned(),
        }
    }

    #[must_use]
    pub fn number(&self, number: usize) -> String {
        self.locale.number(i64::try_from(number).unwrap_or(i64::MAX))
    }

    /// Directional mark (RLM) for a line without letters, so that the line begins on the side of its language.
    #[must_use]
    pub fn side(&self) -> &'static str {
        if self.locale.language.is_right_to_left() { "\u{200f}" } else { "" }
    }

    /// Arrow of the link back from a footnote, pointing to the start of lines.
    #[must_use]
    pub fn back(&self) -> char {
        if self.locale.language.is_right_to_left() { '↪' } else { '↩' }
    }
}
