//! What the program says, in the language of whom it speaks to.
//!
//! The words are in catalogues: [Fluent](https://projectfluent.org) files, one folder a language in `locales/`. Code and
//! templates name a message by its id: code by [`phrase!`](crate::phrase), templates by the filters in [`filters`].
//! Numbers, dates and directions are those of Unicode's CLDR. A further language is a further folder, and nothing else.

mod catalogue;
pub mod filters;
mod language;
mod locale;
mod phrase;
mod pseudo;
mod script_words;
pub mod stems;
mod text_language;
mod zone;

pub use language::Language;
pub use locale::Locale;
pub use phrase::{Phrase, ToPhrase, Value};
pub use script_words::script_words;
pub use text_language::TextLanguage;
pub use zone::Zone;
