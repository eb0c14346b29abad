//! Erases accounts whose owners have asked for it and have not come back within a week.

use sqlx::PgConnection;

use crate::db::commit;
use crate::users::deletion;
use crate::web::error::AppError;
use crate::web::request::visitor::UserId;
use crate::web::state::AppState;

/// Erases the account that is due first, or a part of it. False when none is due. A post is deleted by itself, with its
/// ratings; the rest goes together, last. Whoever is killed in between has left nothing half done.
pub async fn erase_some(state: &AppState) -> Result<bool, AppError> {
    let mut transaction = state.pool.begin().await?;
    // A post may have very many ratings.
    sqlx::query!("set local statement_timeout = '60s'").execute(&mut *transaction).await?;
    let Some(due) = due(&mut transaction, state).await? else { return Ok(false) };
    let has_more = delete_post(&mut transaction, due.id, due.delete_posts).await?;
    if !has_more {
        deletion::erase(&mut transaction, state, UserId(due.id)).await?;
    }
    commit(transaction).await?;
    state.pages.clear();
    if !has_more {
        state.mail.send_now();
        tracing::info!(user_id = due.id, "account erased");
    }
    Ok(true)
}

/// An account that is to be erased, and whether its posts are.
struct Due {
    id: i64,
    delete_posts: bool,
}

/// The account that is due first and that nobody holds, as another instance does that is erasing it. If all are held, the
/// first is waited for: what holds it may be something else, and then it is still due.
async fn due(connection: &mut PgConnection, state: &AppState) -> sqlx::Result<Option<Due>> {
    let free = sqlx::query_as!(
        Due,
        r#"select id, delete_posts as "delete_posts!" from users where delete_at <= coalesce($1, clock_timestamp())
        order by delete_at limit 1 for no key update skip locked"#,
        state.clock.now(),
    );
    if let Some(due) = free.fetch_optional(&mut *connection).await? {
        return Ok(Some(due));
    }
    let held = sqlx::query_as!(
        Due,
        r#"select id, delete_posts as "delete_posts!" from users where delete_at <= coalesce($1, clock_timestamp())
        order by delete_at limit 1 for no key update"#,
        state.clock.now(),
    );
    held.fetch_optional(connection).await
}

/// Deletes one draft, or one post if all are to go. False when there is none left.
async fn delete_post(connection: &mut PgConnection, author: i64, all: bool) -> sqlx::Result<bool> {
    let post = sqlx::query_scalar!(
        "select id from blog_posts where author_id = $1 and ($2 or status = 'draft') order by status, id limit 1",
        author,
        all,
    );
    let Some(post) = post.fetch_optional(&mut *connection).await? else { return Ok(false) };
    // The totals first, as whoever writes ratings: their rows hang on them.
    sqlx::query!("select from rating_totals where blog_id = $1 for update", post)
        .fetch_optional(&mut *connection)
        .await?;
    sqlx::query!("delete from blog_posts where id = $1", post).execute(connection).await?;
    Ok(true)
}
