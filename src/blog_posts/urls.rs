//! URLs of posts, the front page, feeds and the authors' pages.

use crate::web::response::text::encode_segment;
use crate::web::routing::route;
use crate::web::routing::route::{Class, Route};

/// Number of requests that a search counts as in the rate limit.
const SEARCH_COST: u32 = 10;

pub const FRONT: Route = Route::at(route::FRONT).costly_with("q", SEARCH_COST).kept();
pub const LIST: Route = Route::at("/blogs/").costly_with("q", SEARCH_COST).kept();
pub const DRAFTS: Route = Route::at("/blogs/drafts/");
/// In the class `Browse` although it is a POST: it changes nothing, and the editor sends it often for the live preview.
pub const PREVIEW: Route = Route::at("/blogs/preview/");
/// Uploads an image and adds it to the submitted editor form.
pub const ADD_IMAGE: Route = Route::at("/blogs/images/").class(Class::Write);
pub const CREATE: Route = Route::at("/blogs/create/").class(Class::Write);
/// JSON of a post. HTML requests are redirected to [`PAGE`].
pub const POST: Route = Route::at("/blogs/{id}/").kept();
pub const EDIT: Route = Route::at("/blogs/{id}/edit/").class(Class::Write);
pub const PUBLISH: Route = Route::at("/blogs/{id}/publish/").class(Class::Write);
pub const UNPUBLISH: Route = Route::at("/blogs/{id}/unpublish/").class(Class::Write);
pub const DELETE: Route = Route::at("/blogs/{id}/delete/").class(Class::Write);
/// Page of a post. The id selects the post; requests with another slug are redirected.
pub const PAGE: Route = Route::at("/blogs/{id}/{slug}/").kept();
pub const ATOM: Route = Route::at("/feeds/atom/").kept();
pub const JSON_FEED: Route = Route::at("/feeds/json/").kept();
pub const SITEMAP: Route = Route::at("/sitemap.xml").kept();
pub const ROBOTS: Route = Route::at("/robots.txt");
pub const AUTHOR: Route = Route::at("/users/{username}/").kept();

/// Makes a path absolute. Other URLs stay unchanged.
#[must_use]
pub fn absolute(address: &str, public_url: &str) -> String {
    if address.starts_with('/') { format!("{public_url}{address}") } else { address.to_owned() }
}

#[must_use]
pub fn page(id: impl std::fmt::Display, slug: &str) -> String {
    PAGE.path_for(id).replace("{slug}", &encode_segment(slug))
}
