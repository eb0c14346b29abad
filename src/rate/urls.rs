//! Addresses below `/rate/`, and where pauses are lifted.

use super::{history, pauses, views};
use crate::urls::Methods;

#[must_use]
pub fn urls() -> Vec<Methods> {
    vec![
        Methods::at("/rate/").post(views::create),
        Methods::at("/rate/get_blog_rating/{id}/").get(views::blog_rating),
        Methods::at("/rate/get_user_rating/{id}/").get(views::user_rating),
        Methods::at("/rate/edit_user_rating/{id}/").post(views::change).put(views::change),
        Methods::at("/blogs/{id}/ratings/").get(history::history),
        Methods::at("/rate/mine/").get(views::mine),
        Methods::at("/rate/paused/").get(pauses::views::list),
        Methods::at(pauses::UNPAUSE).get(pauses::views::unpause_form).post(pauses::views::unpause),
    ]
}
