//! The table of contents of a text.

use serde::{Deserialize, Serialize};

/// A heading, for the table of contents.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Heading {
    /// 2 to 6, as level 1 is the page's own title.
    pub level: u8,
    /// Its `id` in the page.
    pub id: String,
    pub text: String,
}
