//! What is done at the addresses of posts.

use super::{editor, feeds, urls, views};
use crate::web::routing::endpoint::Endpoint;

#[must_use]
pub fn endpoints() -> Vec<Endpoint> {
    vec![
        Endpoint::at(urls::FRONT).get(views::list),
        Endpoint::at(urls::LIST).get(views::list),
        Endpoint::at(urls::DRAFTS).get(views::drafts),
        Endpoint::at(urls::PREVIEW).post(editor::preview),
        Endpoint::at(urls::ADD_IMAGE).post(editor::add_image),
        Endpoint::at(urls::CREATE).get(editor::create_form).post(editor::create),
        Endpoint::at(urls::POST).get(views::show),
        Endpoint::at(urls::EDIT).get(editor::edit_form).post(editor::edit),
        Endpoint::at(urls::PUBLISH).post(editor::publish),
        Endpoint::at(urls::UNPUBLISH).get(editor::unpublish_form).post(editor::unpublish),
        Endpoint::at(urls::DELETE).get(editor::delete_form).post(editor::delete),
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
