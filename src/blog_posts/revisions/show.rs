//! Page of an earlier version of a post, with the difference to the current text.

use actix_web::web;
use askama::Template;

use super::models::{Revision, RevisionVersion, find_revision};
use crate::blog_posts::editor::diff::{DiffLine, diff_lines};
use crate::blog_posts::models::{Post, PostId, find_editable_post};
use crate::i18n::filters;
use crate::page;
use crate::state::AppState;
use crate::web::error::AppError;
use crate::web::request::current_user::CurrentUser;
use crate::web::response::layout::Layout;
use crate::web::response::view::PageResponse;

#[derive(Template)]
#[template(path = "blog_posts/revision.html")]
pub struct RevisionPage {
    layout: Layout,
    post: Post,
    data: Revision,
    lines: Vec<DiffLine>,
}

page!(RevisionPage, data: Revision);

impl RevisionPage {
    fn action(&self, name: &str) -> String {
        format!("/blogs/{}/revisions/{}/{name}/", self.post.head.id, self.data.version)
    }
}

pub async fn show(
    user: CurrentUser,
    id: PostId,
    version: RevisionVersion,
    layout: Layout,
    state: web::Data<AppState>,
) -> Result<PageResponse<RevisionPage>, AppError> {
    let post = find_editable_post(&state.pool, id, &user).await?;
    let data = find_revision(&state.pool, &post, &user, version).await?;
    let (earlier, current) = (data.content.clone(), post.content.clone());
    let lines = tokio::task::spawn_blocking(move || diff_lines(&earlier, &current)).await?;
    Ok(PageResponse::new(RevisionPage { layout, post, data, lines }))
}
