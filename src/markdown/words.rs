//! What the site itself says inside of a text: in the language of the text, as it is read aloud with it.

use crate::i18n::{Language, Locale};
use crate::phrase;

/// The words, as text.
#[derive(Clone, Debug)]
pub struct Words {
    locale: Locale,
    /// Before what an image shows that is not shown itself.
    pub image: String,
    /// After a link that is warned of; and in place of an address that is.
    pub suspected: String,
    pub hidden: String,
    /// The text of a link that had none but its address.
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

    /// The number of a footnote.
    #[must_use]
    pub fn number(&self, number: usize) -> String {
        self.locale.number(i64::try_from(number).unwrap_or(i64::MAX))
    }

    /// A mark that is not seen, for a line without letters: it stands where lines of the language begin.
    #[must_use]
    pub fn side(&self) -> &'static str {
        if self.locale.language.is_right_to_left() { "\u{200f}" } else { "" }
    }

    /// The arrow back from a footnote, to where lines begin.
    #[must_use]
    pub fn back(&self) -> char {
        if self.locale.language.is_right_to_left() { '↪' } else { '↩' }
    }
}
