//! Internationalisation: translated messages and localized formats.
//!
//! Messages are in [Fluent](https://projectfluent.org) catalogues, one directory per language in `locales/`. Code
//! refers to a message by its id with [`phrase!`](crate::phrase), templates with the filters in [`filters`]. Number and
//! date formats and text directions come from Unicode CLDR. Adding a directory is sufficient to add a language.

mod catalogue;
pub mod filters;
mod language;
mod locale;
mod phrase;
mod pseudo_locale;
mod quantities;
mod script_messages;
mod text_language;
mod time_zone;

pub use language::Language;
pub use locale::{Locale, to_ascii_digits};
pub use phrase::{Phrase, PhraseValue, ToPhrase};
pub use quantities::{format_duration, format_rfc3339, format_size};
pub use script_messages::script_messages;
pub use text_language::TextLanguage;
pub use time_zone::DisplayTimeZone;
