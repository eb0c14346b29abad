//! Names of API tokens.

use schemars::{Schema, json_schema};

use crate::i18n::Phrase;
use crate::phrase;
use crate::web::request::form_field::{Field, limit_chars};
use crate::web::response::text::to_single_line;

const MAX_CHARS: usize = 60;

#[derive(Clone, Debug)]
pub struct TokenName(pub String);

impl Field for TokenName {
    fn from_text(text: &str) -> Result<Self, Phrase> {
        match to_single_line(text) {
            empty if empty.is_empty() => Err(phrase!(Self::MISSING)),
            name => limit_chars(name, MAX_CHARS).map(Self),
        }
    }

    fn schema() -> Schema {
        json_schema!({ "type": "string", "minLength": 1, "maxLength": MAX_CHARS, "description": "Program that uses the token", "examples": ["backup"] })
    }
}
