//! URLs of posts, the front page, feeds and the authors' pages.

use crate::access::RequestClass;
use crate::web::response::text::encode_path_segment;
use crate::web::routing::route::{self, Route};

/// Number of requests that one search counts as in the rate limit.
const SEARCH_COST: u32 = 10;
pub const FRONT_PAGE: Route = Route::new(route::FRONT_PAGE).cost_by_parameter("q", SEARCH_COST).cached();
pub const POST_LIST: Route = Route::new("/blogs/").cost_by_parameter("q", SEARCH_COST).cached();
pub const DRAFTS: Route = Route::new("/blogs/drafts/");
/// The preview changes nothing, but has the rate class `Write`, because rendering a text is expensive.
pub const PREVIEW_POST: Route = Route::new("/blogs/preview/").rate_class(RequestClass::Write).changes_nothing();
pub const ADD_IMAGE: Route = Route::new("/blogs/images/").rate_class(RequestClass::Write);
pub const CREATE_POST: Route = Route::new("/blogs/create/").rate_class(RequestClass::Write);
/// JSON of a post. HTML requests are redirected to [`POST_PAGE`].
pub const POST_BY_ID: Route = Route::new("/blogs/{id}/").cached();
pub const EDIT_POST: Route = Route::new("/blogs/{id}/edit/").rate_class(RequestClass::Write);
pub const PUBLISH_POST: Route = Route::new("/blogs/{id}/publish/").rate_class(RequestClass::Write);
pub const UNPUBLISH_POST: Route = Route::new("/blogs/{id}/unpublish/").rate_class(RequestClass::Write);
pub const DELETE_POST: Route = Route::new("/blogs/{id}/delete/").rate_class(RequestClass::Write);
/// Page of a post. The id selects the post; requests with another slug are redirected.
pub const POST_PAGE: Route = Route::new("/blogs/{id}/{slug}/").cached();
pub const ATOM_FEED: Route = Route::new("/feeds/atom/").cached();
pub const JSON_FEED: Route = Route::new("/feeds/json/").cached();
pub const SITEMAP: Route = Route::new("/sitemap.xml").cached();
pub const ROBOTS_TXT: Route = Route::new("/robots.txt");
pub const AUTHOR_PAGE: Route = Route::new("/users/{username}/").cached();

pub fn absolute_url(address: &str, public_url: &str) -> String {
    if address.starts_with('/') { format!("{public_url}{address}") } else { address.to_owned() }
}

pub fn post_path_with_slug(id: impl std::fmt::Display, slug: &str) -> String {
    POST_PAGE.path_for(id).replace("{slug}", &encode_path_segment(slug))
}
