//! Addresses below `/rate/classes/`.

use super::views;
use crate::urls::Methods;

/// Only looks, and is served while a class is limited.
pub const CLASSES: &str = "/rate/classes/";

#[must_use]
pub fn urls() -> Vec<Methods> {
    vec![Methods::at(CLASSES).get(views::classes)]
}
