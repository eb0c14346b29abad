//! What is done at the addresses of posts.

use super::{editor, feeds, urls, views};
use crate::web::routing::endpoint::Endpoint;

#[must_use]
pub fn endpoints() -> Vec<Endpoint> {
    vec![
        Endpoint::at(urls::FRONT).get(views::list),
        Endpoint::at(urls::LIST).get(views::list),
        Endpoint::at(urls::DRAFTS).get(views::drafts),
        Endpoint::at(urls::PREVIEW).post(editor::preview::preview),
        Endpoint::at(urls::ADD_IMAGE).post(editor::preview::add_image),
        Endpoint::at(urls::CREATE).get(editor::create_form).post(editor::create),
        Endpoint::at(urls::POST).get(views::show),
        Endpoint::at(urls::EDIT).get(editor::edit_form).post(editor::edit),
        Endpoint::at(urls::PUBLISH).post(editor::status::publish),
        Endpoint::at(urls::UNPUBLISH).get(editor::status::unpublish_form).post(editor::status::unpublish),
        Endpoint::at(urls::DELETE).get(editor::status::delete_form).post(editor::status::delete),
        // Last below a post: every other address there is a word that no slug can be.
        Endpoint::at(urls::PAGE).get(views::show),
        Endpoint::at(urls::ATOM).get(feeds::atom),
        Endpoint::at(urls::JSON_FEED).get(feeds::json_feed),
        Endpoint::at(urls::SITEMAP).get(feeds::sitemap),
        Endpoint::at(urls::ROBOTS).get(feeds::robots),
        // Last below `/users/`: every other address there is a word that no name can be.
        Endpoint::at(urls::AUTHOR).get(views::by_author),
    ]
}
