//! Texts that the site adds to a rendered post, in the language of the post, because screen readers read them together
//! with the post.

use crate::i18n::{Language, Locale};
use crate::phrase;

#[derive(Clone, Debug)]
pub struct Labels {
    locale: Locale,
    /// Prefix of the description of an image that is not displayed.
    pub image: String,
    /// `flagged_link_warning` is the warning after a flagged link, and `hidden_url` replaces a flagged URL in link
    /// text.
    pub flagged_link_warning: String,
    pub hidden_url: String,
    /// Link text of a flagged autolink.
    pub flagged_link: String,
}

impl Labels {
    pub fn for_language(language: Language) -> Self {
        let locale = Locale { language, ..Locale::default() };
        Self {
            locale,
            image: phrase!("text-image").translate_to_text(locale).into_owned(),
            flagged_link_warning: phrase!("text-flagged").translate_to_text(locale).into_owned(),
            hidden_url: phrase!("text-hidden-url").translate_to_text(locale).into_owned(),
            flagged_link: phrase!("text-flagged-link").translate_to_text(locale).into_owned(),
        }
    }

    pub fn format_number(&self, number: usize) -> String {
        self.locale.format_number(i64::try_from(number).unwrap_or(i64::MAX))
    }

    /// Right-to-left mark for languages written from right to left, otherwise an empty string. The mark sets the
    /// direction of a line without letters.
    pub fn direction_mark(&self) -> &'static str {
        if self.locale.language.is_right_to_left() { "\u{200f}" } else { "" }
    }

    /// Arrow for the link from a footnote back to the text. The arrow points to the beginning of the line.
    pub fn back_arrow(&self) -> char {
        if self.locale.language.is_right_to_left() { '↪' } else { '↩' }
    }
}
