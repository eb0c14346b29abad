//! URL configuration of posts and feeds.

use super::editor::page::PreviewData;
use super::editor::{add_image, create, delete, edit, preview, publish, unpublish};
use super::models::Post;
use super::{
    deleted_posts, feeds, list_drafts, list_posts, list_tags, revisions, show_author, show_post, sitemap, urls,
};
use crate::web::routing::endpoint::Endpoint;
use crate::web::routing::operation::QueryParameter;

#[expect(clippy::too_many_lines, reason = "a table is read row by row")]
pub fn endpoints() -> Vec<Endpoint> {
    vec![
        Endpoint::new(urls::FRONT_PAGE)
            .get("List posts on the front page", list_posts::list)
            .errors(&["not_found"])
            .query(list_posts::parameters()),
        Endpoint::new(urls::POST_LIST)
            .get("List posts", list_posts::list)
            .errors(&["not_found"])
            .query(list_posts::parameters()),
        Endpoint::new(urls::DRAFTS).get("List your drafts", list_drafts::list_drafts).query([QueryParameter::cursor()]),
        Endpoint::new(urls::DELETED_POSTS)
            .get("List your deleted posts", deleted_posts::list)
            .note("A deleted post can be restored for 7 days.")
            .query([QueryParameter::cursor()]),
        Endpoint::new(urls::TAGS)
            .get("List tags", list_tags::list_tags)
            .note("The most frequent tags of the latest 5,000 posts, in alphabetical order."),
        Endpoint::new(urls::PREVIEW_POST)
            .post("Preview a text", preview::preview)
            .note("Renders Markdown and saves nothing.")
            .errors(&["not_signed_in"])
            .json::<PreviewData>(200),
        Endpoint::new(urls::ADD_IMAGE).post("Add an image to a text", add_image::add_image).for_browsers(),
        Endpoint::new(urls::CREATE_POST)
            .get("Read the form for a new post", create::create_form)
            .form()
            .post("Create a post", create::create)
            .note("A post with `publish_at` stays a draft until that time, whatever its `status` is.")
            .errors(&["not_signed_in", "may_not_publish"]),
        Endpoint::new(urls::POST_BY_ID).get("Read a post", show_post::show).json::<Post>(200),
        Endpoint::new(urls::EDIT_POST)
            .get("Read the form of a post", edit::edit_form)
            .errors(&["forbidden"])
            .post("Change a post", edit::edit)
            .note("Only for the author and staff. Optional fields that the request omits keep their values.")
            .errors(&["not_signed_in", "forbidden", "may_not_publish", "withheld", "conflict"]),
        Endpoint::new(urls::PUBLISH_POST).post("Publish a post", publish::publish).errors(&[
            "forbidden",
            "may_not_publish",
            "withheld",
        ]),
        Endpoint::new(urls::UNPUBLISH_POST)
            .get("Preview unpublishing a post", unpublish::unpublish_form)
            .errors(&["forbidden"])
            .post("Unpublish a post", unpublish::unpublish)
            .note("Only for the author and staff. Ratings and URL are kept.")
            .errors(&["forbidden"]),
        Endpoint::new(urls::DELETE_POST)
            .get("Preview deleting a post", delete::delete_form)
            .errors(&["forbidden"])
            .post("Delete a post", delete::delete)
            .note("Only for the author and staff. The author can restore the post for 7 days.")
            .errors(&["forbidden"]),
        Endpoint::new(urls::RESTORE_POST)
            .post("Restore a post", deleted_posts::restore)
            .note("The post becomes a draft, which keeps its ratings and URL."),
        Endpoint::new(urls::PURGE_POST)
            .post("Delete a post permanently", deleted_posts::purge)
            .note("Only for a post that its author has deleted."),
        Endpoint::new(urls::REVISIONS)
            .get("List the earlier versions of a post", revisions::list::list)
            .note("Only for the author and staff. Staff see no versions that were drafts of other users.")
            .errors(&["forbidden"]),
        Endpoint::new(urls::REVISION)
            .get("Read an earlier version of a post", revisions::show::show)
            .errors(&["forbidden"]),
        Endpoint::new(urls::RESTORE_REVISION)
            .post("Restore an earlier version of a post", revisions::restore::restore)
            .note("Changes the title and the text of the post. The replaced text becomes an earlier version.")
            .errors(&["forbidden", "may_not_publish", "conflict"]),
        Endpoint::new(urls::DELETE_REVISION)
            .post("Delete an earlier version of a post", revisions::delete::delete)
            .errors(&["forbidden"]),
        // Must follow the other routes below `/blogs/{id}/`, because `{slug}` also matches their last segments. No slug
        // equals one of these segments.
        Endpoint::new(urls::POST_PAGE).get("Read a post by slug", show_post::show).for_browsers(),
        Endpoint::new(urls::ATOM_FEED)
            .get("Read the Atom feed", feeds::atom_feed)
            .errors(&["not_found"])
            .query(feeds::parameters())
            .file("application/atom+xml"),
        Endpoint::new(urls::JSON_FEED)
            .get("Read the JSON feed", feeds::json_feed)
            .errors(&["not_found"])
            .query(feeds::parameters())
            .file("application/feed+json"),
        Endpoint::new(urls::SITEMAP)
            .get("Read the sitemap", sitemap::sitemap)
            .errors(&["not_found"])
            .query([QueryParameter::integer("part", "Part of the sitemap; without it, the list of parts", 1, i64::MAX)])
            .file("application/xml"),
        Endpoint::new(urls::ROBOTS_TXT).get("Read robots.txt", sitemap::robots_txt).file("text/plain"),
        // Must follow the other routes below `/users/`, because `{username}` also matches their last segments. No
        // username equals one of these segments.
        Endpoint::new(urls::AUTHOR_PAGE)
            .get("Read a user", show_author::show_author)
            .note("The latest posts of the user are in `posts`.")
            .query([QueryParameter::cursor()]),
    ]
}
