//! Erasure of accounts whose deletion was requested and whose grace period of 7 days has ended.

use sqlx::PgConnection;

use crate::audit_log::{Actor, AuditAction, NewEntry};
use crate::db::commit;
use crate::phrase;
use crate::users::emails;
use crate::users::urls::DELETED_AUTHOR_NAME;
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
        erase_account(&mut transaction, state, UserId(due.id)).await?;
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

/// If all due accounts are locked, waits for the first one, because the locking transaction may not be an erasure.
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

/// The `users` row stays, because ratings and posts reference it.
#[expect(clippy::too_many_lines, reason = "one statement")]
async fn erase_account(connection: &mut PgConnection, state: &CoreState, UserId(id): UserId) -> Result<(), AppError> {
    // This is a separate statement, so that the statements below see rows written by sign-ins that held a lock on the
    // account.
    let username = sqlx::query_scalar!("select username from users where id = $1 for update", id);
    let username = username.fetch_one(&mut *connection).await?;
    let now = state.clock.read(connection).await?;
    // The email is queued before the email address is erased.
    let phrase = phrase!("mail-account-deleted");
    emails::enqueue(connection, state, UserId(id), "account_deleted", phrase, None).await?;
    sqlx::query!(
        "with sessions as (
            delete from sessions where user_id = $1
        ), tokens as (
            delete from api_tokens where user_id = $1
        ), requests as (
            delete from idempotent_requests where user_id = $1
        ), networks as (
            delete from sign_ins where user_id = $1
        ), factor as (
            delete from second_factors where user_id = $1
        ), codes as (
            delete from recovery_codes where user_id = $1
        ), pauses as (
            delete from zombie_pauses where user_id = $1
        ), limits as (
            delete from custom_limits where user_id = $1
        ), warning as (
            delete from warning_levels where user_id = $1
        ), shown as (
            delete from image_uses where user_id = $1
        ), images as (
            -- Images in posts of the user are kept until the posts are deleted.
            delete from image_owners where user_id = $1
        ), versions as (
            delete from post_revisions r using blog_posts p where p.id = r.post_id and p.author_id = $1
        ), decisions as (
            update moderations set moderator_id = null where moderator_id = $1
        ), refused as (
            delete from refused_ratings where user_id = $1
        ), limiter_overrides_of_user as (
            update limiter_overrides set chosen_by = null where chosen_by = $1
        ), reported as (
            update reports set user_id = null where user_id = $1
        ), cases as (
            update report_cases set author_id = nullif(author_id, $1), decided_by = nullif(decided_by, $1),
                deciders = array_remove(deciders, $1),
                final_by = nullif(final_by, $1)
            where author_id = $1 or decided_by = $1 or final_by = $1
        ), events as (
            update webhook_deliveries set data = jsonb_set(data, '{author}', to_jsonb($2::text))
            where event = 'post.published' and data ->> 'author' = $4
        ), acts as (
            update audit_log set actor_id = null, network = null where actor_id = $1
        )
        update users set username = $2, email = '', password_hash = '', email_confirmed_at = null, mailbox_key = null, is_staff = false,
            blocked_at = null, blocked_until = null, blocked_reason = null,
            is_approved = false, display_name = null, imported_as = null, about = null, link = null, time_zone = null, language = null, avatar = null,
            -- Nobody can have or look for these: they begin with a space.
            username_key = ' ' || id, username_skeleton = ' ' || id,
            session_version = session_version + 1, delete_at = null, delete_posts = null, erased_at = $3
        where id = $1",
        id,
        DELETED_AUTHOR_NAME,
        now,
        username,
    )
    .execute(&mut *connection)
    .await?;
    NewEntry::new(AuditAction::Erase).for_user(UserId(id)).insert(Actor::default(), connection, &state.clock).await?;
    Ok(())
}
