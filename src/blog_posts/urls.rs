//! URLs of posts, the front page, feeds and the authors' pages.

use crate::web::response::text::encode_segment;
use crate::web::routing::route;
use crate::web::routing::route::{Class, Route};

/// How many requests a search counts as.
const SEARCH_COST: u32 = 10;

pub const FRONT: Route = Route::at(route::FRONT).costly_with("q", SEARCH_COST).kept();
pub const LIST: Route = Route::at("/blogs/").costly_with("q", SEARCH_COST).kept();
pub const DRAFTS: Route = Route::at("/blogs/drafts/");
/// It changes nothing, and counts as looking: a page that shows it beside the text asks often.
pub const PREVIEW: Route = Route::at("/blogs/preview/");
/// Adds a picture to the text in the form, which comes back with it.
pub const ADD_IMAGE: Route = Route::at("/blogs/images/").class(Class::Write);
pub const CREATE: Route = Route::at("/blogs/create/").class(Class::Write);
/// A post, for programs; people are led on to its page.
pub const POST: Route = Route::at("/blogs/{id}/").kept();
pub const EDIT: Route = Route::at("/blogs/{id}/edit/").class(Class::Write);
pub const PUBLISH: Route = Route::at("/blogs/{id}/publish/").class(Class::Write);
pub const UNPUBLISH: Route = Route::at("/blogs/{id}/unpublish/").class(Class::Write);
pub const DELETE: Route = Route::at("/blogs/{id}/delete/").class(Class::Write);
/// A post's page, with any title: the id decides.
pub const PAGE: Route = Route::at("/blogs/{id}/{slug}/").kept();
pub const ATOM: Route = Route::at("/feeds/atom/").kept();
pub const JSON_FEED: Route = Route::at("/feeds/json/").kept();
pub const SITEMAP: Route = Route::at("/sitemap.xml").kept();
pub const ROBOTS: Route = Route::at("/robots.txt");
pub const AUTHOR: Route = Route::at("/users/{username}/").kept();

/// An address for use outside of the site: a path is one here.
#[must_use]
pub fn absolute(address: &str, public_url: &str) -> String {
    if address.starts_with('/') { format!("{public_url}{address}") } else { address.to_owned() }
}

/// A post's page.
#[must_use]
pub fn page(id: impl std::fmt::Display, slug: &str) -> String {
    PAGE.path_for(id).replace("{slug}", &encode_segment(slug))
}
