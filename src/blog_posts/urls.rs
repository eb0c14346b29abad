//! Addresses of posts, the front page and the authors' pages.

use super::views;
use crate::urls::Methods;

#[must_use]
pub fn urls() -> Vec<Methods> {
    vec![
        Methods::at("/").get(views::list),
        Methods::at("/blogs/").get(views::list),
        Methods::at("/blogs/create/").get(views::create_form).post(views::create),
        Methods::at("/blogs/{id}/").get(views::show),
        Methods::at("/blogs/{id}/edit/").get(views::edit_form).post(views::edit),
        Methods::at("/blogs/{id}/delete/").get(views::delete_form).post(views::delete),
        // Last below `/users/`: every other address there is a reserved name.
        Methods::at("/users/{username}/").get(views::by_author),
    ]
}
