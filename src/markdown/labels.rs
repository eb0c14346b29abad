//! Text that the site adds to a rendered post, in the language of the post, because screen readers read both together.

use crate::i18n::{Language, Locale};
use crate::phrase;

#[derive(Clone, Debug)]
pub struct Labels {
    locale: Locale,
    /// Prefix of the description of an image that is not displayed.
    pub image: String,
    /// Marker after a flagged link. `hidden_url` replaces a flagged URL in link text.
    pub flagged_link_warning: String,
    pub hidden_url: String,
    /// Link text of a flagged autolink.
    pub flagged_link: String,
}

impl Labels {
    #[must_use]
    pub fn for_language(language: Language) -> Self {
        let locale = Locale { language, ..Locale::default() };
        Self {
            locale,
            image: phrase!("text-image").text(locale).into_owned(),
            flagged_link_warning: phrase!("text-flagged").text(locale).into_owned(),
            hidden_url: phrase!("text-hidden-url").text(locale).into_owned(),
            flagged_link: phrase!("text-flagged-link").text(locale).into_owned(),
        }
    }

    #[must_use]
    pub fn number(&self, number: usize) -> String {
        self.locale.number(i64::try_from(number).unwrap_or(i64::MAX))
    }

    /// Directional mark (RLM) for a line without letters, so that the line begins on the side of its language.
    #[must_use]
    pub fn direction_mark(&self) -> &'static str {
        if self.locale.language.is_right_to_left() { "\u{200f}" } else { "" }
    }

    /// Arrow of the link back from a footnote, pointing to the start of lines.
    #[must_use]
    pub fn back_arrow(&self) -> char {
        if self.locale.language.is_right_to_left() { '↪' } else { '↩' }
    }
}
