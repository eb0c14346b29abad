//! Unpublish a post, which becomes a draft.

use actix_web::web;
use askama::Template;

use super::set_post_status;
use crate::blog_posts::models::{Post, PostId, PostStatus, find_editable_post};
use crate::blog_posts::urls;
use crate::i18n::filters;
use crate::state::AppState;
use crate::web::error::AppError;
use crate::web::request::body::NoInput;
use crate::web::request::current_user::CurrentUser;
use crate::web::request::if_match::IfMatch;
use crate::web::response::layout::Layout;
use crate::web::response::view::{EmptyResult, PageResponse};
use crate::{page, phrase};

#[derive(Template)]
#[template(path = "blog_posts/unpublish.html")]
pub struct UnpublishPage {
    layout: Layout,
    data: Post,
}

page!(UnpublishPage, data: Post);

pub async fn unpublish_form(
    user: CurrentUser,
    id: PostId,
    layout: Layout,
    state: web::Data<AppState>,
) -> Result<PageResponse<UnpublishPage>, AppError> {
    let data = find_editable_post(&state.pool, id, &user).await?;
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
    let post = find_editable_post(&state.pool, id, &user).await?;
    let version = if_match.required_version(post.version)?;
    set_post_status(&state, &user, id, version, PostStatus::Draft).await?;
    tracing::info!(user_id = user.id.0, post_id = id.0, "post unpublished");
    let is_own = user.id == post.head.author.id;
    let next = if is_own { urls::DRAFTS.pattern } else { urls::POST_LIST.pattern };
    let (is_page, has_ratings) = (post.head.is_page, post.head.rating_count > 0);
    let message = phrase!("done-unpublished", page = is_page, ratings = has_ratings);
    Ok(EmptyResult::no_content(next).with_message(message))
}
