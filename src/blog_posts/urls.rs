//! URLs of posts, the front page, feeds and author pages. The id in the URL of a post selects the post, not the slug.

use std::fmt::Display;

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

use crate::access::RequestClass;
use crate::text::encode_path_segment;
use crate::web::routing::route::{self, Route, RouteTable};

/// Number of requests that one search counts as in the rate limit.
const SEARCH_COST: u32 = 10;
pub const FRONT_PAGE: Route = Route::new(route::FRONT_PAGE).cost_by_parameter("q", SEARCH_COST).cached();
pub const POST_LIST: Route = Route::new("/blogs/").cost_by_parameter("q", SEARCH_COST).cached();
pub const DRAFTS: Route = Route::new("/blogs/drafts/");
pub const DELETED_POSTS: Route = Route::new("/blogs/deleted/");
pub const TAGS: Route = Route::new("/blogs/tags/").cached();
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
pub const RESTORE_POST: Route = Route::new("/blogs/{id}/restore/").rate_class(RequestClass::Write);
pub const PURGE_POST: Route = Route::new("/blogs/{id}/purge/").rate_class(RequestClass::Write);
pub const REVISIONS: Route = Route::new("/blogs/{id}/revisions/");
pub const REVISION: Route = Route::new("/blogs/{id}/revisions/{version}/");
pub const RESTORE_REVISION: Route =
    Route::new("/blogs/{id}/revisions/{version}/restore/").rate_class(RequestClass::Write);
pub const DELETE_REVISION: Route =
    Route::new("/blogs/{id}/revisions/{version}/delete/").rate_class(RequestClass::Write);
/// Page of a post. The id selects the post; requests with another slug are redirected.
pub const POST_PAGE: Route = Route::new("/blogs/{id}/{slug}/").cached();
pub const ATOM_FEED: Route = Route::new("/feeds/atom/").cached();
pub const JSON_FEED: Route = Route::new("/feeds/json/").cached();
pub const SITEMAP: Route = Route::new("/sitemap.xml").cached();
pub const ROBOTS_TXT: Route = Route::new("/robots.txt");
pub const AUTHOR_PAGE: Route = Route::new("/users/{username}/").cached();

/// True for the pages of posts, lists of posts and authors, whose views the dashboard counts.
pub fn is_reader_page(pattern: &str) -> bool {
    [FRONT_PAGE, POST_LIST, TAGS, POST_PAGE, AUTHOR_PAGE].iter().any(|route| route.pattern == pattern)
}

pub fn absolute_url(address: &str, public_url: &str) -> String {
    if address.starts_with('/') { format!("{public_url}{address}") } else { address.to_owned() }
}

pub fn post_path_with_slug(id: impl Display, slug: &str) -> String {
    POST_PAGE.path_for(id).replace("{slug}", &encode_path_segment(slug))
}

const MAX_SLUG_CHARS: usize = 80;

/// Generates a slug: lower-case letters and digits of any script, with hyphens between words.
pub fn slugify(title: &str) -> String {
    let mut slug = String::new();
    let mut gap = false;
    // Replaces `İ` first, because its lower-case form would be two characters.
    for c in title.nfc().collect::<String>().replace('İ', "i").to_lowercase().chars() {
        // Zero-width non-joiners and combining marks do not separate words.
        let joins = (c == '\u{200c}' || is_combining_mark(c)) && !gap && !slug.is_empty();
        if !c.is_alphanumeric() && !joins {
            gap = true;
            continue;
        }
        if gap && !slug.is_empty() {
            slug.push('-');
        }
        gap = false;
        slug.push(c);
    }
    let cut: String = slug.chars().take(MAX_SLUG_CHARS).collect();
    // Truncates at the end of a word, unless that removes more than half of the slug.
    let end = if cut.len() < slug.len() { cut.rfind('-').filter(|end| *end > cut.len() / 2) } else { None };
    let slug = cut[..end.unwrap_or(cut.len())].trim_end_matches(['-', '\u{200c}']);
    match slug {
        "" => "post".to_owned(),
        reserved if RouteTable::global().is_reserved(POST_BY_ID.pattern, reserved) => format!("{reserved}-post"),
        slug => slug.to_owned(),
    }
}

pub fn post_path(id: impl Display, title: &str, own_slug: Option<&str>) -> String {
    post_path_with_slug(id, &slugify(own_slug.unwrap_or(title)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slugifies_titles_in_any_script() {
        for (title, slug) in [
            ("Hello, World!", "hello-world"),
            ("سلام دنیا", "سلام-دنیا"),
            ("دربارهٔ قایق\u{200c}ها", "دربارهٔ-قایق\u{200c}ها"),
            ("a \u{200c} b\u{200c}", "a-b"),
            ("Ça va ? Ĳ", "ça-va-ĳ"),
            ("日本語", "日本語"),
            ("İstanbul", "istanbul"),
            ("  --- ", "post"),
            ("👩‍💻", "post"),
            ("../../etc", "etc"),
        ] {
            assert_eq!(slugify(title), slug, "{title}");
        }
        assert_eq!(slugify(&"word ".repeat(40)).chars().count(), 79);
        assert_eq!(slugify(&"x".repeat(200)).len(), 80);
    }
}
