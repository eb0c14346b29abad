//! Table of contents of a text.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
pub struct Heading {
    /// Heading level from 2 to 6; level 1 is the page title.
    pub level: u8,
    /// `id` attribute of the heading element.
    pub id: String,
    pub text: String,
}
