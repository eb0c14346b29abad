//! List of the earlier versions of a post.

use actix_web::web;
use askama::Template;

use super::models::{RevisionSummary, list_revisions};
use crate::blog_posts::models::{Post, PostId, find_editable_post};
use crate::i18n::filters;
use crate::page;
use crate::state::AppState;
use crate::web::error::AppError;
use crate::web::request::current_user::CurrentUser;
use crate::web::response::layout::Layout;
use crate::web::response::pagination::ResultPage;
use crate::web::response::view::PageResponse;

#[derive(Template)]
#[template(path = "blog_posts/revisions.html")]
pub struct RevisionsPage {
    layout: Layout,
    post: Post,
    data: ResultPage<RevisionSummary>,
}

page!(RevisionsPage, data: ResultPage<RevisionSummary>, list data);

/// A post has so few versions that the list has one page.
pub async fn list(
    user: CurrentUser,
    id: PostId,
    layout: Layout,
    state: web::Data<AppState>,
) -> Result<PageResponse<RevisionsPage>, AppError> {
    let post = find_editable_post(&state.pool, id, &user).await?;
    let results = list_revisions(&state.pool, &post, &user).await?;
    let data = ResultPage { results, next: None, previous: None, partial: false };
    Ok(PageResponse::new(RevisionsPage { layout, post, data }))
}
