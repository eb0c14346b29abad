//! Views for publishing, unpublishing and deleting posts.

use actix_web::web;
use askama::Template;

use super::input::PostStatus;
use super::{check_may_publish, check_not_withheld, public_link};
use crate::blog_posts::models::{Post, PostId};
use crate::blog_posts::stored_post::find_stored_post;
use crate::blog_posts::{changes, queries, urls};
use crate::i18n::filters;
use crate::state::AppState;
use crate::web::error::AppError;
use crate::web::request::body::NoInput;
use crate::web::request::current_user::CurrentUser;
use crate::web::request::if_match::IfMatch;
use crate::web::response::layout::Layout;
use crate::web::response::view::{ActionResult, EmptyResult, PageResponse};
use crate::{page, phrase};

#[derive(Template)]
#[template(path = "blog_posts/delete.html")]
pub struct DeletePage {
    layout: Layout,
    data: Post,
}

page!(DeletePage, data: Post);

#[derive(Template)]
#[template(path = "blog_posts/unpublish.html")]
pub struct UnpublishPage {
    layout: Layout,
    data: Post,
}

page!(UnpublishPage, data: Post);

pub async fn publish(
    _: NoInput,
    user: CurrentUser,
    id: PostId,
    if_match: IfMatch,
    state: web::Data<AppState>,
) -> Result<ActionResult<Post>, AppError> {
    let post = queries::find_editable_post(&state.pool, id, &user).await?;
    let version = if_match.required_version(post.version)?;
    check_may_publish(&state, &user, true)?;
    check_not_withheld(&post)?;
    changes::set_post_status(&state, &user, id, version, PostStatus::Published).await?;
    let post = find_stored_post(&state.pool, id, Some(&user)).await?;
    tracing::info!(user_id = user.id.0, post_id = id.0, "post published");
    let (message, link) = (phrase!("done-published"), public_link(&state, &post));
    let (page, version) = (post.head.path(), post.version);
    Ok(ActionResult::new(post, page).with_version(version).with_message(message).with_link(link))
}

pub async fn unpublish_form(
    user: CurrentUser,
    id: PostId,
    layout: Layout,
    state: web::Data<AppState>,
) -> Result<PageResponse<UnpublishPage>, AppError> {
    let data = queries::find_editable_post(&state.pool, id, &user).await?;
    Ok(PageResponse::new(UnpublishPage { layout, data }))
}

/// Staff who unpublish another user's post are redirected to the list of posts.
pub async fn unpublish(
    _: NoInput,
    user: CurrentUser,
    id: PostId,
    if_match: IfMatch,
    state: web::Data<AppState>,
) -> Result<EmptyResult, AppError> {
    let post = queries::find_editable_post(&state.pool, id, &user).await?;
    let version = if_match.required_version(post.version)?;
    changes::set_post_status(&state, &user, id, version, PostStatus::Draft).await?;
    tracing::info!(user_id = user.id.0, post_id = id.0, "post unpublished");
    let is_own = user.id == post.head.author.id;
    let next = if is_own { urls::DRAFTS.pattern } else { urls::POST_LIST.pattern };
    Ok(EmptyResult::no_content(next).with_message(phrase!("done-unpublished", ratings = post.head.rating_count > 0)))
}

pub async fn delete_form(
    user: CurrentUser,
    id: PostId,
    layout: Layout,
    state: web::Data<AppState>,
) -> Result<PageResponse<DeletePage>, AppError> {
    let data = queries::find_editable_post(&state.pool, id, &user).await?;
    Ok(PageResponse::new(DeletePage { layout, data }))
}

pub async fn delete(
    _: NoInput,
    user: CurrentUser,
    id: PostId,
    if_match: IfMatch,
    state: web::Data<AppState>,
) -> Result<EmptyResult, AppError> {
    let post = queries::find_editable_post(&state.pool, id, &user).await?;
    changes::delete_post(&state, &user, id, if_match.required_version(post.version)?).await?;
    tracing::info!(user_id = user.id.0, post_id = id.0, "post deleted");
    let (message, next) = if post.head.is_draft() {
        (phrase!("done-draft-deleted"), urls::DRAFTS.pattern)
    } else {
        (phrase!("done-post-deleted"), urls::POST_LIST.pattern)
    };
    Ok(EmptyResult::no_content(next).with_message(message))
}
