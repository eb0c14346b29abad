//! Publish a draft, or submit it for a review.

use actix_web::web;

use super::input::PostInput;
use super::{check_not_withheld, check_publication, check_version, public_link, set_post_status};
use crate::blog_posts::models::{Post, PostId, PostStatus, find_editable_post, find_stored_post};
use crate::phrase;
use crate::state::AppState;
use crate::web::error::AppError;
use crate::web::request::body::NoInput;
use crate::web::request::current_user::CurrentUser;
use crate::web::request::if_match::IfMatch;
use crate::web::response::view::ActionResult;
use crate::web::state::CoreState;

pub async fn publish(
    _: NoInput,
    user: CurrentUser,
    id: PostId,
    if_match: IfMatch,
    state: web::Data<AppState>,
) -> Result<ActionResult<Post>, AppError> {
    let post = find_editable_post(&state.pool, id, &user).await?;
    let version = if_match.required_version(post.version)?;
    check_not_withheld(&post)?;
    if check_publication(&state, &user, PostInput::default())?.is_submitted {
        return submit(&state, &user, post, version).await;
    }
    set_post_status(&state, &user, id, version, PostStatus::Published).await?;
    let post = find_stored_post(&state.pool, id, Some(&user)).await?;
    tracing::info!(user_id = user.id.0, post_id = id.0, "post published");
    let (message, link) = (phrase!("done-published", page = post.head.is_page), public_link(&state, &post));
    let (page, version) = (post.head.path(), post.version);
    Ok(ActionResult::new(post, page).with_version(version).with_message(message).with_link(link))
}

async fn submit(
    state: &CoreState,
    user: &CurrentUser,
    post: Post,
    version: Option<i32>,
) -> Result<ActionResult<Post>, AppError> {
    let PostId(id) = post.head.id;
    let submitted = sqlx::query!(
        "update blog_posts set submitted_at = coalesce(submitted_at, $2, clock_timestamp()), return_reason = null, version = version + 1
        where id = $1 and status = 'draft' and deleted_at is null and version = coalesce($3, version) and is_credential(decode($4, 'hex'))",
        id,
        state.clock.now(),
        version,
        user.session,
    );
    if submitted.execute(&state.pool).await?.rows_affected() == 0 {
        user.check_credential(&state.pool).await?;
        check_version(state, id, version).await?;
    }
    let post = find_stored_post(&state.pool, post.head.id, Some(user)).await?;
    tracing::info!(user_id = user.id.0, post_id = id, "post submitted for review");
    let (page, version) = (post.head.path(), post.version);
    Ok(ActionResult::new(post, page).with_version(version).with_message(phrase!("done-submitted")))
}
