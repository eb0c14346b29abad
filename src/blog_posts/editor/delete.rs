//! Delete a post.

use actix_web::web;
use askama::Template;
use serde_json::json;
use sqlx::PgConnection;

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

impl DeletePage {
    fn is_own(&self) -> bool {
        self.layout.user.as_ref().is_some_and(|user| user.id == self.data.head.author.id)
    }
}

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
    let (is_own, is_page) = (post.head.author.id == user.id, post.head.is_page);
    let (message, next) = if is_own {
        (phrase!("done-deleted", page = is_page), urls::DELETED_POSTS.pattern)
    } else if post.head.is_draft() {
        (phrase!("done-draft-deleted"), urls::DRAFTS.pattern)
    } else {
        (phrase!("done-post-deleted", page = is_page), urls::POST_LIST.pattern)
    };
    Ok(EmptyResult::no_content(next).with_message(message))
}

/// Authors can restore their posts for some days; posts that staff delete are gone. Returns `PreconditionFailed` if the
/// post does not have the `version`, if given.
pub async fn delete_post(
    state: &CoreState,
    by: &CurrentUser,
    PostId(id): PostId,
    version: Option<i32>,
) -> Result<(), AppError> {
    let mut transaction = state.pool.begin().await?;
    let deleted = sqlx::query!(
        r#"update blog_posts set status = 'draft', deleted_at = clock.now, updated_at = clock.now, version = version + 1,
            first_published_at = coalesce(first_published_at, published_at), published_at = null, publish_at = null,
            submitted_at = null
        from (select coalesce($4, clock_timestamp()) as now) clock
        where id = $1 and is_credential(decode($2, 'hex')) and version = coalesce($3, version) and deleted_at is null
        returning title, author_id as "author: UserId""#,
        id,
        by.session,
        version,
        state.clock.now(),
    );
    let Some(post) = deleted.fetch_optional(&mut *transaction).await? else {
        by.check_credential(&state.pool).await?;
        check_version(state, id, version).await?;
        return Err(AppError::NotFound);
    };
    if post.author != by.id {
        delete_permanently(&mut transaction, id).await?;
        let record = NewEntry::new(AuditAction::DeletePost).for_post(id).for_user(post.author);
        record.with_details(json!({ "title": post.title })).insert(by, &mut transaction, &state.clock).await?;
    }
    commit(transaction).await?;
    state.page_cache.invalidate();
    Ok(())
}

/// Deletes a post that its author deleted, and its ratings.
pub async fn delete_permanently(connection: &mut PgConnection, id: i64) -> sqlx::Result<()> {
    // Locks the row of `rating_totals` before the ratings that reference it, in the same order as rating writes, to avoid
    // deadlocks.
    let deleted = sqlx::query!(
        "with locked as materialized (select from rating_totals where blog_id = $1 for update)
        delete from blog_posts where id = $1 and deleted_at is not null and (select count(*) from locked) >= 0",
        id,
    );
    deleted.execute(connection).await.map(drop)
}
