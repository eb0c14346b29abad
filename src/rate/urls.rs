//! Addresses below `/rate/`, and where pauses are lifted.

use super::{history, pauses, views};
use crate::site::urls::Methods;
use crate::web::address::Class;

#[must_use]
pub fn urls() -> Vec<Methods> {
    vec![
        Methods::at("/rate/").class(Class::Rate).post(views::create),
        Methods::at("/rate/get_blog_rating/{id}/").always_json().get(views::blog_rating),
        Methods::at("/rate/get_user_rating/{id}/").always_json().get(views::user_rating),
        Methods::at("/rate/edit_user_rating/{id}/").class(Class::Rate).post(views::change).put(views::change),
        Methods::at("/blogs/{id}/ratings/").get(history::history),
        Methods::at("/rate/mine/").get(views::mine),
        Methods::at("/rate/paused/").get(pauses::views::list),
        Methods::at(pauses::UNPAUSE)
            .class(Class::Account)
            .secret_query()
            .get(pauses::views::unpause_form)
            .post(pauses::views::unpause),
    ]
}
