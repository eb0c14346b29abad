//! Background check of the links in saved posts, repeated when threat lists change.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use sqlx::PgPool;

use super::links::{LinkCheckResult, map_to_warning_pages};
use super::{PostText, RenderPermit, Renderer};
use crate::blog_posts::rendering;
use crate::db::commit;
use crate::safe_browsing::flagged_urls;
use crate::safe_browsing::link_check::UrlCheckResult;
use crate::web::error::AppError;
use crate::web::state::CoreState;

/// Number of posts in one batch, limited because the URLs of a post can take several hundred kilobytes.
const BATCH_SIZE: i64 = 50;

struct DuePost {
    id: i64,
    addresses: Vec<String>,
    suspected: Vec<String>,
    /// Transaction id (`xmin`) of the last write to the row, to skip posts that were changed during the check.
    written_by: i64,
}

/// Checks the links of a batch of posts: posts last checked against older threat lists, posts with an expired result
/// or, if link checks are disabled, posts that still have warnings. Returns whether the batch was full.
pub async fn recheck_batch(state: &CoreState, renderer: &Renderer) -> Result<bool, AppError> {
    let posts = due_posts(&state.pool, renderer.link_check().list_version(), state).await?;
    if posts.is_empty() {
        return Ok(false);
    }
    let mut addresses: Vec<String> = posts.iter().flat_map(|post| post.addresses.iter().cloned()).collect();
    addresses.sort_unstable();
    addresses.dedup();
    let url_check = renderer.link_check().check(&addresses).await?;
    let (mut same, mut changed) = (Vec::new(), Vec::new());
    for post in &posts {
        let is_same = url_check.flagged_urls(&post.addresses) == post.suspected;
        if is_same { same.push(post) } else { changed.push(post) }
    }
    mark_checked(&state.pool, &same, &url_check).await?;
    let still: Vec<String> = same.iter().flat_map(|post| post.addresses.iter().cloned()).collect();
    flagged_urls::store(&mut *state.pool.acquire().await?, url_check.new_verdicts(&still)).await?;
    for post in &changed {
        let permit = renderer.acquire_background_permit().await?;
        if rerender(&state.pool, permit, post, &url_check).await? {
            state.page_cache.invalidate();
            tracing::info!(post_id = post.id, "flagged links of post updated");
        }
    }
    Ok(i64::try_from(posts.len()) == Ok(BATCH_SIZE))
}

async fn due_posts(pool: &PgPool, lists: Option<i64>, state: &CoreState) -> sqlx::Result<Vec<DuePost>> {
    let Some(lists) = lists else {
        let posts = sqlx::query_as!(
            DuePost,
            r#"select post_id as id, addresses, suspected, xmin::text::bigint as "written_by!" from post_links
            where suspected <> '{}' limit $1"#,
            BATCH_SIZE,
        );
        return posts.fetch_all(pool).await;
    };
    let posts = sqlx::query_as!(
        DuePost,
        r#"select post_id as id, addresses, suspected, xmin::text::bigint as "written_by!" from post_links
        where lists < $1 or again_at <= (select coalesce($2, clock_timestamp())) limit $3"#,
        lists,
        state.clock.now(),
        BATCH_SIZE,
    );
    posts.fetch_all(pool).await
}

async fn mark_checked(pool: &PgPool, posts: &[&DuePost], url_check: &UrlCheckResult) -> sqlx::Result<()> {
    let ids: Vec<i64> = posts.iter().map(|post| post.id).collect();
    let written_by: Vec<i64> = posts.iter().map(|post| post.written_by).collect();
    let again_at: Vec<_> = posts.iter().map(|post| url_check.recheck_at(&post.addresses)).collect();
    let noted = sqlx::query!(
        "update post_links l set lists = $4, again_at = checked.again_at
        from unnest($1::bigint[], $2::bigint[], $3::timestamptz[]) as checked (id, written_by, again_at)
        where l.post_id = checked.id and l.xmin::text::bigint = checked.written_by",
        &ids,
        &written_by,
        &again_at as &[Option<DateTime<Utc>>],
        url_check.list_version,
    );
    noted.execute(pool).await.map(drop)
}

/// Renders a post with the new warnings. Returns `false` if the post was changed during the check.
async fn rerender(
    pool: &PgPool,
    permit: RenderPermit,
    post: &DuePost,
    url_check: &UrlCheckResult,
) -> Result<bool, AppError> {
    let mut transaction = pool.begin().await?;
    let row =
        sqlx::query!("select title, content, own_language from blog_posts where id = $1 for no key update", post.id);
    let row = row.fetch_optional(&mut *transaction).await?;
    // Compares the version after the post is locked, because the author may have saved the post during the check.
    let is_same = sqlx::query_scalar!(
        r#"select exists (select from post_links where post_id = $1 and xmin::text::bigint = $2) as "same!""#,
        post.id,
        post.written_by,
    );
    let is_same = is_same.fetch_one(&mut *transaction).await?;
    let Some(row) = row.filter(|_| is_same) else { return Ok(false) };
    let own_language = row.own_language.and_then(|own| own.parse().ok());
    let source = Arc::new(PostText { title: row.title, content: row.content, own_language });
    let checked_links = LinkCheckResult::new(post.addresses.clone(), url_check);
    let prepared =
        rendering::render_on_blocking_thread(permit, source, map_to_warning_pages(&checked_links.flagged)).await?;
    rendering::save_rendered_post(&mut transaction, post.id, &prepared, &checked_links).await?;
    commit(transaction).await?;
    Ok(true)
}
