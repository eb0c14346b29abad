//! URL configuration of posts and feeds.

use super::{editor, feeds, urls, views};
use crate::web::routing::endpoint::Endpoint;

#[must_use]
pub fn endpoints() -> Vec<Endpoint> {
    vec![
        Endpoint::new(urls::FRONT_PAGE).get(views::list),
        Endpoint::new(urls::POST_LIST).get(views::list),
        Endpoint::new(urls::DRAFTS).get(views::list_drafts),
        Endpoint::new(urls::PREVIEW_POST).post(editor::preview::preview),
        Endpoint::new(urls::ADD_IMAGE).post(editor::preview::add_image),
        Endpoint::new(urls::CREATE_POST).get(editor::create_form).post(editor::create),
        Endpoint::new(urls::POST_BY_ID).get(views::show),
        Endpoint::new(urls::EDIT_POST).get(editor::edit_form).post(editor::edit),
        Endpoint::new(urls::PUBLISH_POST).post(editor::status_changes::publish),
        Endpoint::new(urls::UNPUBLISH_POST)
            .get(editor::status_changes::unpublish_form)
            .post(editor::status_changes::unpublish),
        Endpoint::new(urls::DELETE_POST).get(editor::status_changes::delete_form).post(editor::status_changes::delete),
        // Must follow the other routes below `/blogs/{id}/`, because `{slug}` also matches their last segments. No slug
        // equals one of these segments.
        Endpoint::new(urls::POST_PAGE).get(views::show),
        Endpoint::new(urls::ATOM_FEED).get(feeds::atom_feed),
        Endpoint::new(urls::JSON_FEED).get(feeds::json_feed),
        Endpoint::new(urls::SITEMAP).get(feeds::sitemap),
        Endpoint::new(urls::ROBOTS_TXT).get(feeds::robots_txt),
        // Must follow the other routes below `/users/`, because `{username}` also matches their last segments. No
        // username equals one of these segments.
        Endpoint::new(urls::AUTHOR_PAGE).get(views::show_author),
    ]
}
