//! Erasure of accounts whose deletion was requested and whose grace period of 7 days has ended.

use sqlx::PgConnection;

use crate::db::commit;
use crate::users::deletion;
use crate::web::error::AppError;
use crate::web::request::current_user::UserId;
use crate::web::state::CoreState;

/// Erases the next due account, or one of its posts: each in its own transaction, so that an interrupted erasure can be
/// resumed. Returns false if no account is due.
pub async fn erase_next_account(state: &CoreState) -> Result<bool, AppError> {
    let mut transaction = state.pool.begin().await?;
    // Deleting a post with many ratings may exceed the default statement timeout.
    sqlx::query!("set local statement_timeout = '60s'").execute(&mut *transaction).await?;
    let Some(due) = lock_due_account(&mut transaction, state).await? else { return Ok(false) };
    let has_more = delete_post(&mut transaction, due.id, due.delete_posts).await?;
    if !has_more {
        deletion::erase_account(&mut transaction, state, UserId(due.id)).await?;
    }
    commit(transaction).await?;
    state.page_cache.invalidate();
    if !has_more {
        state.mail.wake_delivery();
        tracing::info!(user_id = due.id, "account erased");
    }
    Ok(true)
}

struct DueAccount {
    id: i64,
    delete_posts: bool,
}

/// If all due accounts are locked, waits for the first of them, because the transaction that has locked it may not be
/// an erasure.
async fn lock_due_account(connection: &mut PgConnection, state: &CoreState) -> sqlx::Result<Option<DueAccount>> {
    let unlocked = sqlx::query_as!(
        DueAccount,
        r#"select id, delete_posts as "delete_posts!" from users where delete_at <= coalesce($1, clock_timestamp())
        order by delete_at limit 1 for no key update skip locked"#,
        state.clock.now(),
    );
    if let Some(due) = unlocked.fetch_optional(&mut *connection).await? {
        return Ok(Some(due));
    }
    let locked = sqlx::query_as!(
        DueAccount,
        r#"select id, delete_posts as "delete_posts!" from users where delete_at <= coalesce($1, clock_timestamp())
        order by delete_at limit 1 for no key update"#,
        state.clock.now(),
    );
    locked.fetch_optional(connection).await
}

/// If `all` is false, deletes only drafts. Returns false if no post is left.
async fn delete_post(connection: &mut PgConnection, author: i64, all: bool) -> sqlx::Result<bool> {
    let post = sqlx::query_scalar!(
        "select id from blog_posts where author_id = $1 and ($2 or status = 'draft') order by status, id limit 1",
        author,
        all,
    );
    let Some(post) = post.fetch_optional(&mut *connection).await? else { return Ok(false) };
    // The rating totals are locked before the post, in the same order as by rating writes, to avoid deadlocks.
    sqlx::query!("select from rating_totals where blog_id = $1 for update", post)
        .fetch_optional(&mut *connection)
        .await?;
    sqlx::query!("delete from blog_posts where id = $1", post).execute(connection).await?;
    Ok(true)
}
