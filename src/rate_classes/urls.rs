//! Addresses below `/rate/classes/`.

use super::views;
use crate::site::urls::Methods;

#[must_use]
pub fn urls() -> Vec<Methods> {
    vec![
        Methods::at("/rate/classes/").uncounted().always_json().get(views::classes),
        Methods::at("/rate/classes/events/").uncounted().always_json().get(views::events),
    ]
}
