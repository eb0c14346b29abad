//! Restore an earlier version of a post.

use actix_web::web;

use super::models::{RevisionVersion, find_revision};
use crate::blog_posts::editor::edit::save;
use crate::blog_posts::editor::input::{Content, PostInput, Title};
use crate::blog_posts::models::{Post, PostId, find_editable_post};
use crate::blog_posts::urls;
use crate::i18n::PhraseValue;
use crate::phrase;
use crate::state::AppState;
use crate::web::error::AppError;
use crate::web::request::body::NoInput;
use crate::web::request::current_user::CurrentUser;
use crate::web::request::if_match::IfMatch;
use crate::web::response::layout::Layout;
use crate::web::response::messages::MessageLink;
use crate::web::response::view::ActionResult;

/// Restoring is an edit of the post, so that the replaced text becomes an earlier version, too.
pub async fn restore(
    _: NoInput,
    user: CurrentUser,
    id: PostId,
    version: RevisionVersion,
    if_match: IfMatch,
    layout: Layout,
    state: web::Data<AppState>,
) -> Result<ActionResult<Post>, AppError> {
    let post = find_editable_post(&state.pool, id, &user).await?;
    if_match.required_version(post.version)?;
    let revision = find_revision(&state.pool, &post, &user, version).await?;
    let change = PostInput {
        title: Title(revision.title),
        content: Content(revision.content),
        version: Some(post.version),
        keeps_version: true,
        ..PostInput::default()
    };
    let saved = save(&state, layout.locale, id, &user, Some(post), change).await;
    let post = saved.map_err(|error| if_match.translate_conflict(error))?;
    tracing::info!(user_id = user.id.0, post_id = id.0, version = version.0, "earlier version of a post restored");
    let page = if post.head.is_draft() { urls::EDIT_POST.path_for(id) } else { post.head.path() };
    let message = phrase!("done-revision-restored", time = PhraseValue::Minute(revision.saved_at));
    let link = MessageLink { path: urls::REVISIONS.path_for(id), text: phrase!("revisions-title") };
    let version = post.version;
    Ok(ActionResult::new(post, page).with_version(version).with_message(message).with_link(Some(link)))
}
