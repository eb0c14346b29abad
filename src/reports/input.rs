//! Form fields of reports and appeals.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use crate::i18n::Phrase;
use crate::phrase;
use crate::text::{is_bidi_control, is_visible};
use crate::web::request::form_field::{Field, limit_chars};

/// Reason for a report.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, JsonSchema, Serialize, Deserialize, strum::EnumString, strum::IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum ReportCategory {
    Illegal,
    Harassment,
    Privacy,
    Copyright,
    Spam,
    Other,
}

impl ReportCategory {
    pub const ALL: [Self; 6] =
        [Self::Illegal, Self::Harassment, Self::Privacy, Self::Copyright, Self::Spam, Self::Other];

    pub fn name(self) -> &'static str {
        self.into()
    }

    pub fn from_name(name: &str) -> Option<Self> {
        name.parse().ok()
    }

    pub fn label(self) -> Phrase {
        Phrase::new(format!("report-{}", self.name()))
    }
}

impl Field for ReportCategory {
    const MISSING: &'static str = "invalid-report-category";

    fn from_text(text: &str) -> Result<Self, Phrase> {
        Self::from_name(text).ok_or_else(|| phrase!(Self::MISSING))
    }

    fn schema() -> Schema {
        Self::json_schema(&mut SchemaGenerator::default())
    }
}

/// Multi-line text of 1 to 3,000 characters.
#[derive(Clone, Debug)]
pub struct Explanation(pub String);

impl Explanation {
    pub const MAX_CHARS: usize = 3_000;
}

impl Field for Explanation {
    const MISSING: &'static str = "invalid-no-explanation";

    fn from_text(text: &str) -> Result<Self, Phrase> {
        // Removes bidirectional control characters, which could reorder the text that follows.
        let text: String =
            text.trim().chars().filter(|c| !is_bidi_control(*c) && (!c.is_control() || *c == '\n')).collect();
        if !text.contains(is_visible) {
            return Err(phrase!(Self::MISSING));
        }
        limit_chars(text, Self::MAX_CHARS).map(Self)
    }

    fn schema() -> Schema {
        json_schema!({ "type": "string", "minLength": 1, "maxLength": Self::MAX_CHARS, "description": "Text of several lines" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_explanation_keeps_its_lines_and_says_something() {
        assert_eq!(Explanation::from_text("  One.\nTwo. \n").unwrap().0, "One.\nTwo.");
        for text in ["", " \n\u{200b}", &"x".repeat(3_001)] {
            assert!(Explanation::from_text(text).is_err(), "{text:.10}");
        }
        assert!(Explanation::from_text(&"é".repeat(3_000)).is_ok());
    }
}
