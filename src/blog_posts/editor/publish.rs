//! Publish a draft.

use actix_web::web;

use super::{check_may_publish, check_not_withheld, public_link, set_post_status};
use crate::blog_posts::models::{Post, PostId, PostStatus, find_editable_post, find_stored_post};
use crate::phrase;
use crate::state::AppState;
use crate::web::error::AppError;
use crate::web::request::body::NoInput;
use crate::web::request::current_user::CurrentUser;
use crate::web::request::if_match::IfMatch;
use crate::web::response::view::ActionResult;

pub async fn publish(
    _: NoInput,
    user: CurrentUser,
    id: PostId,
    if_match: IfMatch,
    state: web::Data<AppState>,
) -> Result<ActionResult<Post>, AppError> {
    let post = find_editable_post(&state.pool, id, &user).await?;
    let version = if_match.required_version(post.version)?;
    check_may_publish(&state, &user, true)?;
    check_not_withheld(&post)?;
    set_post_status(&state, &user, id, version, PostStatus::Published).await?;
    let post = find_stored_post(&state.pool, id, Some(&user)).await?;
    tracing::info!(user_id = user.id.0, post_id = id.0, "post published");
    let (message, link) = (phrase!("done-published"), public_link(&state, &post));
    let (page, version) = (post.head.path(), post.version);
    Ok(ActionResult::new(post, page).with_version(version).with_message(message).with_link(link))
}
