//! URL configuration of posts and feeds.

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
        // Must follow the other routes below `/blogs/{id}/`, because `{slug}` matches them too. No slug equals their
        // last segments.
        Endpoint::at(urls::PAGE).get(views::show),
        Endpoint::at(urls::ATOM).get(feeds::atom),
        Endpoint::at(urls::JSON_FEED).get(feeds::json_feed),
        Endpoint::at(urls::SITEMAP).get(feeds::sitemap),
        Endpoint::at(urls::ROBOTS).get(feeds::robots),
        // Must follow the other routes below `/users/`, because `{username}` matches them too. No username equals their
        // last segments.
        Endpoint::at(urls::AUTHOR).get(views::by_author),
    ]
}
