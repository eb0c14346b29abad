//! Addresses below `/rate/classes/`.

use super::views;
use crate::urls::Methods;

const CLASSES: &str = "/rate/classes/";
const EVENTS: &str = "/rate/classes/events/";

/// These are not counted, and are served while a class is limited: a client has to be able to ask.
pub const ONLY_LOOK: [&str; 2] = [CLASSES, EVENTS];

#[must_use]
pub fn urls() -> Vec<Methods> {
    vec![Methods::at(CLASSES).get(views::classes), Methods::at(EVENTS).get(views::events)]
}
