//! Posts that their authors deleted: list, restoring, and permanent deletion.

use actix_web::web;
use askama::Template;

use super::editor::delete::delete_permanently;
use super::listing::{self, PAGE_SIZE, PostFilter, PostOrder, PostSummary};
use super::models::PostId;
use super::urls;
use crate::i18n::filters;
use crate::state::AppState;
use crate::web::error::AppError;
use crate::web::request::body::NoInput;
use crate::web::request::current_user::CurrentUser;
use crate::web::request::query::Query;
use crate::web::response::layout::Layout;
use crate::web::response::pagination::{Pager, ResultPage};
use crate::web::response::view::{EmptyResult, PageResponse};
use crate::web::state::CoreState;
use crate::{page, phrase};

/// Time in seconds for which a deleted post can be restored.
const RETENTION_S: f64 = 7.0 * 86_400.0;
const BATCH_SIZE: i64 = 100;

#[derive(Template)]
#[template(path = "blog_posts/deleted.html")]
pub struct DeletedPostsPage {
    layout: Layout,
    data: ResultPage<PostSummary>,
}

page!(DeletedPostsPage, data: ResultPage<PostSummary>, list data);

pub async fn list(
    user: CurrentUser,
    layout: Layout,
    query: Query,
    state: web::Data<AppState>,
) -> Result<PageResponse<DeletedPostsPage>, AppError> {
    let pager = Pager::new(urls::DELETED_POSTS.pattern, &query, &state.keys, PAGE_SIZE)?;
    let filter = PostFilter { author: Some(user.id), drafts: true, deleted: true, ..PostFilter::default() };
    let shown = state.site().score_shown;
    let data = listing::list_posts(&state.pool, shown, Some(&user), &filter, PostOrder::New, &pager).await?;
    Ok(PageResponse::new(DeletedPostsPage { layout, data }))
}

/// The restored post is a draft, which keeps its ratings and URL.
pub async fn restore(
    _: NoInput,
    user: CurrentUser,
    PostId(id): PostId,
    state: web::Data<AppState>,
) -> Result<EmptyResult, AppError> {
    let restored = sqlx::query_scalar!(
        "update blog_posts set deleted_at = null, version = version + 1
        where id = $1 and author_id = $2 and deleted_at is not null and is_credential(decode($3, 'hex'))
        returning is_page",
        id,
        user.id.0,
        user.session,
    );
    let Some(is_page) = restored.fetch_optional(&state.pool).await? else {
        user.check_credential(&state.pool).await?;
        return Err(AppError::NotFound);
    };
    tracing::info!(user_id = user.id.0, post_id = id, "post restored");
    Ok(EmptyResult::no_content(urls::EDIT_POST.path_for(id)).with_message(phrase!("done-restored", page = is_page)))
}

pub async fn purge(
    _: NoInput,
    user: CurrentUser,
    PostId(id): PostId,
    state: web::Data<AppState>,
) -> Result<EmptyResult, AppError> {
    let own = sqlx::query_scalar!(
        "select is_page from blog_posts
        where id = $1 and author_id = $2 and deleted_at is not null and is_credential(decode($3, 'hex'))",
        id,
        user.id.0,
        user.session,
    );
    let Some(is_page) = own.fetch_optional(&state.pool).await? else {
        user.check_credential(&state.pool).await?;
        return Err(AppError::NotFound);
    };
    delete_permanently(&mut *state.pool.acquire().await?, id).await?;
    tracing::info!(user_id = user.id.0, post_id = id, "post deleted permanently");
    Ok(EmptyResult::no_content(urls::DELETED_POSTS.pattern).with_message(phrase!("done-purged", page = is_page)))
}

pub async fn delete_expired(state: &CoreState) -> sqlx::Result<()> {
    loop {
        let ids = sqlx::query_scalar!(
            "select id from blog_posts
            where deleted_at < coalesce($1, clock_timestamp()) - make_interval(secs => $2) order by deleted_at limit $3",
            state.clock.now(),
            RETENTION_S,
            BATCH_SIZE,
        );
        let ids = ids.fetch_all(&state.pool).await?;
        for id in &ids {
            delete_permanently(&mut *state.pool.acquire().await?, *id).await?;
        }
        if i64::try_from(ids.len()) != Ok(BATCH_SIZE) {
            return Ok(());
        }
    }
}
