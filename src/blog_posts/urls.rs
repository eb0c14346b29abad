//! Addresses of posts, the front page and the authors' pages.

use super::{feeds, views};
use crate::site::urls::Methods;
use crate::web::address::Class;

/// Pages that a search counts as.
const SEARCH_COST: u32 = 10;

#[must_use]
pub fn urls() -> Vec<Methods> {
    vec![
        Methods::at("/").costly_with("q", SEARCH_COST).get(views::list),
        Methods::at("/blogs/").costly_with("q", SEARCH_COST).get(views::list),
        Methods::at("/blogs/drafts/").get(views::drafts),
        Methods::at("/blogs/preview/").class(Class::Write).post(views::preview),
        Methods::at("/blogs/create/").class(Class::Write).get(views::create_form).post(views::create),
        Methods::at("/blogs/{id}/").get(views::show),
        Methods::at("/blogs/{id}/edit/").class(Class::Write).get(views::edit_form).post(views::edit),
        Methods::at("/blogs/{id}/delete/").class(Class::Write).get(views::delete_form).post(views::delete),
        // Any title: the id decides.
        Methods::at("/blogs/{id}/{slug}/").get(views::show),
        Methods::at("/feeds/atom/").get(feeds::atom),
        Methods::at("/feeds/json/").get(feeds::json_feed),
        Methods::at("/sitemap.xml").get(feeds::sitemap),
        Methods::at("/robots.txt").get(feeds::robots),
        // Last below `/users/`: every other address there is a reserved name.
        Methods::at("/users/{username}/").get(views::by_author),
    ]
}
