//! Delete a post.

use actix_web::web;
use askama::Template;
use serde_json::json;

use super::check_version;
use crate::audit_log::{AuditAction, NewEntry};
use crate::blog_posts::models::{Post, PostId, find_editable_post};
use crate::blog_posts::urls;
use crate::db::commit;
use crate::i18n::filters;
use crate::state::AppState;
use crate::web::error::AppError;
use crate::web::request::body::NoInput;
use crate::web::request::current_user::{CurrentUser, UserId};
use crate::web::request::if_match::IfMatch;
use crate::web::response::layout::Layout;
use crate::web::response::view::{EmptyResult, PageResponse};
use crate::web::state::CoreState;
use crate::{page, phrase};

#[derive(Template)]
#[template(path = "blog_posts/delete.html")]
pub struct DeletePage {
    layout: Layout,
    data: Post,
}

page!(DeletePage, data: Post);

pub async fn delete_form(
    user: CurrentUser,
    id: PostId,
    layout: Layout,
    state: web::Data<AppState>,
) -> Result<PageResponse<DeletePage>, AppError> {
    let data = find_editable_post(&state.pool, id, &user).await?;
    Ok(PageResponse::new(DeletePage { layout, data }))
}

pub async fn delete(
    _: NoInput,
    user: CurrentUser,
    id: PostId,
    if_match: IfMatch,
    state: web::Data<AppState>,
) -> Result<EmptyResult, AppError> {
    let post = find_editable_post(&state.pool, id, &user).await?;
    delete_post(&state, &user, id, if_match.required_version(post.version)?).await?;
    tracing::info!(user_id = user.id.0, post_id = id.0, "post deleted");
    let (message, next) = if post.head.is_draft() {
        (phrase!("done-draft-deleted"), urls::DRAFTS.pattern)
    } else {
        (phrase!("done-post-deleted"), urls::POST_LIST.pattern)
    };
    Ok(EmptyResult::no_content(next).with_message(message))
}

/// Deletes a post and its ratings. Returns `PreconditionFailed` if the post does not have the `version`, if given.
pub async fn delete_post(
    state: &CoreState,
    author: &CurrentUser,
    PostId(id): PostId,
    version: Option<i32>,
) -> Result<(), AppError> {
    let deleted = sqlx::query!(
        // Locks the row of `rating_totals` before the ratings that reference it, in the same order as rating writes, to
        // avoid deadlocks.
        r#"with locked as materialized (
            select from rating_totals where blog_id = $1 for update
        ), deleted as (
            delete from blog_posts
            where id = $1 and (select count(*) from locked) >= 0
                and is_credential(decode($2, 'hex')) and version = coalesce($3, version) returning title, author_id
        )
        select title, author_id as "author: UserId" from deleted"#,
        id,
        author.session,
        version,
    );
    let mut transaction = state.pool.begin().await?;
    if let Some(post) = deleted.fetch_optional(&mut *transaction).await? {
        if post.author != author.id {
            let record = NewEntry::new(AuditAction::DeletePost).for_post(id).for_user(post.author);
            record.with_details(json!({ "title": post.title })).insert(author, &mut transaction, &state.clock).await?;
        }
        commit(transaction).await?;
        state.page_cache.invalidate();
        return Ok(());
    }
    author.check_credential(&state.pool).await?;
    check_version(state, id, version).await?;
    Err(AppError::NotFound)
}
