//! Database queries for links in emails, and for the password and email address that they set.

use chrono::{DateTime, Utc};
use sqlx::{PgConnection, PgPool};

use crate::users::email_address::mailbox_key;
use crate::users::models::lock_account_for_update;
use crate::web::request::current_user::UserId;

/// Returns false if the account was erased or its password was changed since `session_version` was read.
pub async fn set_email(
    connection: &mut PgConnection,
    UserId(id): UserId,
    session_version: i32,
    email: &str,
) -> sqlx::Result<bool> {
    let set = sqlx::query!(
        "update users set email = $3, email_confirmed_at = null, mailbox_key = null, mail_link_id = null
        where id = $1 and session_version = $2",
        id,
        session_version,
        email,
    );
    Ok(set.execute(connection).await?.rows_affected() == 1)
}

/// Invalidates the email link. Returns false if the link is no longer valid. Violates `users_by_mailbox` if another
/// account has confirmed an address of the same mailbox.
pub async fn confirm_email(
    connection: &mut PgConnection,
    UserId(user): UserId,
    link: i64,
    email: &str,
    confirmed_at: DateTime<Utc>,
) -> sqlx::Result<bool> {
    let confirmed = sqlx::query!(
        "update users set email = $3, email_confirmed_at = $4, mailbox_key = $5, mail_link_id = null
        where id = $1 and mail_link_id = $2",
        user,
        link,
        email,
        confirmed_at,
        mailbox_key(email),
    );
    Ok(confirmed.execute(connection).await?.rows_affected() == 1)
}

/// New link, and the account's email address when the link was created.
#[derive(Clone, Debug)]
pub struct NewMailLink {
    pub id: i64,
    pub email: String,
    pub is_confirmed: bool,
}

/// Invalidates earlier links. The account stays locked until the transaction ends, so that its email address and
/// password cannot change meanwhile. Returns `None` if the account was erased or its password was changed since
/// `session_version` was read.
pub async fn create_mail_link(
    connection: &mut PgConnection,
    UserId(user): UserId,
    session_version: i32,
) -> sqlx::Result<Option<NewMailLink>> {
    let new_link = sqlx::query_as!(
        NewMailLink,
        r#"update users set mail_link_id = $3 where id = $1 and session_version = $2 and erased_at is null
        returning mail_link_id as "id!", email, email_confirmed_at is not null as "is_confirmed!""#,
        user,
        session_version,
        rand::random::<i64>(),
    );
    new_link.fetch_optional(connection).await
}

/// `confirmed`, if given, must be the account's confirmed email address.
pub async fn is_mail_link_valid(
    pool: &PgPool,
    UserId(user): UserId,
    link: i64,
    confirmed: Option<&str>,
) -> sqlx::Result<bool> {
    let is_valid = sqlx::query_scalar!(
        r#"select exists (
            select from users where id = $1 and mail_link_id = $2
                and ($3::text is null or (email = $3 and email_confirmed_at is not null))
        ) as "valid!""#,
        user,
        link,
        confirmed,
    );
    is_valid.fetch_one(pool).await
}

/// Ends all sessions and revokes all API tokens. Returns false if the link is no longer valid, or if `email` is not the
/// account's confirmed email address.
pub async fn reset_password(
    connection: &mut PgConnection,
    UserId(user): UserId,
    link: i64,
    email: &str,
    hash: &str,
) -> sqlx::Result<bool> {
    if !lock_account_for_update(connection, UserId(user), None).await? {
        return Ok(false);
    }
    let reset = sqlx::query_scalar!(
        "with changed as (
            update users set password_hash = $4, session_version = session_version + 1, mail_link_id = null
            where id = $1 and mail_link_id = $2 and email = $3 and email_confirmed_at is not null
            returning id
        ), ended as (
            delete from sessions where user_id in (select id from changed)
        ), revoked as (
            delete from api_tokens where user_id in (select id from changed)
        )
        select id from changed",
        user,
        link,
        email,
        hash,
    );
    Ok(reset.fetch_optional(connection).await?.is_some())
}
