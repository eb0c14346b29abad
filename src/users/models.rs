//! Queries of the `users` table.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;
use sqlx::{PgConnection, PgExecutor, PgPool};

use super::email_address::EmailAddress;
use super::error::AccountError;
use super::urls::author_path;
use super::username::{DisplayName, Username};
use crate::access::Role;
use crate::db::clock::Clock;
use crate::i18n::Language;
use crate::phrase;
use crate::web::error::AppError;
use crate::web::request::current_user::UserId;

/// Public data of a user.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct User {
    pub id: UserId,
    pub username: String,
    pub created_at: DateTime<Utc>,
}

impl User {
    pub fn path(&self) -> String {
        author_path(&self.username)
    }
}

/// Account data that only the user may see.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct Account {
    #[serde(flatten)]
    pub user: User,
    pub email: String,
    pub email_confirmed: bool,
    /// Time of the scheduled deletion, if one was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delete_at: Option<DateTime<Utc>>,
    /// True if the posts are deleted together with the account.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delete_posts: Option<bool>,
    #[serde(flatten)]
    pub profile: Profile,
}

/// Profile fields, which the user can edit.
#[derive(Clone, Debug, Default, JsonSchema, Serialize)]
pub struct Profile {
    pub display_name: Option<String>,
    /// Text about the user, as Markdown.
    pub about: Option<String>,
    pub link: Option<String>,
    /// Language as a BCP 47 tag.
    pub language: Option<String>,
    pub time_zone: Option<String>,
    /// Path of the avatar image on this site.
    pub avatar: Option<String>,
}

#[derive(Clone, Debug)]
pub struct MailRecipient {
    pub id: i64,
    pub username: String,
    pub created_at: DateTime<Utc>,
    pub email: String,
    pub session_version: i32,
    /// `language` and `time_zone` are `None` if the user has not chosen them.
    pub language: Option<String>,
    pub time_zone: Option<String>,
}

#[derive(Clone, Debug)]
pub struct Credentials {
    pub user: User,
    pub password_hash: String,
    pub session_version: i32,
}

pub async fn create(
    connection: &mut PgConnection,
    clock: &Clock,
    username: &Username,
    email: &EmailAddress,
    password_hash: &str,
    is_staff: bool,
) -> Result<Credentials, AppError> {
    let row = sqlx::query!(
        r#"insert into users (username, username_key, username_skeleton, email, password_hash, is_staff, created_at)
        values ($1, $2, $7, $3, $4, $5, coalesce($6, clock_timestamp()))
        returning id, username, created_at, session_version"#,
        username.as_str(),
        username.key(),
        email.as_str(),
        password_hash,
        is_staff,
        clock.now(),
        username.skeleton(),
    );
    let row = row.fetch_one(connection).await.map_err(|error| {
        match error.as_database_error().and_then(sqlx::error::DatabaseError::constraint) {
            Some("unique_username") => AppError::invalid_field("username", phrase!("invalid-name-taken")),
            Some("unique_username_skeleton") => {
                AppError::invalid_field("username", phrase!("invalid-name-looks-taken"))
            }
            _ => error.into(),
        }
    })?;
    Ok(Credentials {
        user: User { id: UserId(row.id), username: row.username, created_at: row.created_at },
        password_hash: password_hash.to_owned(),
        session_version: row.session_version,
    })
}

pub async fn find_by_username(pool: &PgPool, username: &Username) -> Result<User, AppError> {
    let user = sqlx::query_as!(
        User,
        r#"select id as "id: UserId", username, created_at from users where username_key = $1"#,
        username.key(),
    );
    user.fetch_optional(pool).await?.ok_or(AppError::NotFound)
}

pub async fn has_staff(connection: &mut PgConnection) -> sqlx::Result<bool> {
    let has_staff = sqlx::query_scalar!(r#"select exists (select from users where is_staff) as "found!""#);
    has_staff.fetch_one(connection).await
}

/// Serializes changes of staff: only one user can become the first staff member, and the last owner cannot leave.
pub async fn lock_staff(connection: &mut PgConnection) -> sqlx::Result<()> {
    // Lock key: the ASCII codes of "staff".
    sqlx::query!("select pg_advisory_xact_lock($1)", 0x73_74_61_66_66_i64).fetch_one(connection).await.map(drop)
}

/// Returns `HasOwner` if the site has staff. Otherwise, no user can become staff until the transaction ends.
pub async fn ensure_no_staff(connection: &mut PgConnection) -> Result<(), AppError> {
    lock_staff(connection).await?;
    if has_staff(connection).await? { Err(AccountError::HasOwner.into()) } else { Ok(()) }
}

/// Owners who are blocked or have a scheduled deletion do not count as remaining owners.
pub async fn is_last_owner(connection: &mut PgConnection, clock: &Clock, UserId(id): UserId) -> sqlx::Result<bool> {
    let others = sqlx::query_scalar!(
        r#"select not exists (
                select from users
                where is_staff and staff_role = 'owner' and id <> $1 and delete_at is null
                    and (blocked_at is null or blocked_until <= coalesce($2, clock_timestamp()))
            ) and exists (select from users where is_staff and staff_role = 'owner' and id = $1) as "is_last!""#,
        id,
        clock.now(),
    );
    others.fetch_one(connection).await
}

/// Returns `None` for staff, who need no approval.
pub async fn find_publishing_approval(pool: &PgPool, UserId(id): UserId) -> sqlx::Result<Option<bool>> {
    let user = sqlx::query!("select is_staff, is_approved from users where id = $1", id).fetch_one(pool).await?;
    Ok((!user.is_staff).then_some(user.is_approved))
}

/// Lookalike usernames have one skeleton, so that users can sign in with a keyboard of another script.
pub async fn find_credentials_by_skeleton(pool: &PgPool, skeleton: &str) -> sqlx::Result<Option<Credentials>> {
    let row = sqlx::query!(
        "select id, username, created_at, password_hash, session_version from users where username_skeleton = $1",
        skeleton,
    );
    Ok(row.fetch_optional(pool).await?.map(|row| Credentials {
        user: User { id: UserId(row.id), username: row.username, created_at: row.created_at },
        password_hash: row.password_hash,
        session_version: row.session_version,
    }))
}

pub async fn find_credentials_by_id(pool: &PgPool, UserId(id): UserId) -> sqlx::Result<Option<Credentials>> {
    let row = sqlx::query!(
        "select id, username, created_at, password_hash, session_version from users where id = $1 and erased_at is null",
        id,
    );
    Ok(row.fetch_optional(pool).await?.map(|row| Credentials {
        user: User { id: UserId(row.id), username: row.username, created_at: row.created_at },
        password_hash: row.password_hash,
        session_version: row.session_version,
    }))
}

pub async fn find_account(pool: &PgPool, UserId(id): UserId) -> Result<Account, AppError> {
    let row = sqlx::query!(
        r#"select id, username, created_at, email, email_confirmed_at is not null as "confirmed!", delete_at, delete_posts,
            display_name, about, link, language, time_zone, avatar
        from users where id = $1"#,
        id
    );
    let row = row.fetch_optional(pool).await?.ok_or(AppError::NotFound)?;
    let user = User { id: UserId(row.id), username: row.username, created_at: row.created_at };
    let profile = Profile {
        display_name: row.display_name,
        about: row.about,
        link: row.link,
        language: row.language,
        time_zone: row.time_zone,
        avatar: row.avatar,
    };
    Ok(Account {
        user,
        email: row.email,
        email_confirmed: row.confirmed,
        delete_at: row.delete_at,
        delete_posts: row.delete_posts,
        profile,
    })
}

pub async fn find_profile(executor: impl PgExecutor<'_>, UserId(id): UserId) -> Result<Profile, AppError> {
    let profile = sqlx::query_as!(
        Profile,
        "select display_name, about, link, language, time_zone, avatar from users where id = $1",
        id
    );
    profile.fetch_optional(executor).await?.ok_or(AppError::NotFound)
}

/// Returns true if `name` looks like the username of another user.
pub async fn looks_like_username(
    executor: impl PgExecutor<'_>,
    UserId(id): UserId,
    name: &DisplayName,
) -> sqlx::Result<bool> {
    let looks_alike = sqlx::query_scalar!(
        r#"select exists (select from users where username_skeleton = any($2) and id <> $1) as "found!""#,
        id,
        &name.skeletons(),
    );
    looks_alike.fetch_one(executor).await
}

pub async fn find_mail_recipient_by_username(pool: &PgPool, username: &Username) -> sqlx::Result<Vec<MailRecipient>> {
    let recipients = sqlx::query_as!(
        MailRecipient,
        "select id, username, created_at, email, session_version, language, time_zone from users
        where username_skeleton = $1 and email_confirmed_at is not null",
        username.skeleton(),
    );
    recipients.fetch_all(pool).await
}

/// Returns at most five accounts, the oldest first.
pub async fn find_mail_recipients_by_email(pool: &PgPool, email: &EmailAddress) -> sqlx::Result<Vec<MailRecipient>> {
    let recipients = sqlx::query_as!(
        MailRecipient,
        "select id, username, created_at, email, session_version, language, time_zone from users
        where lower(email) = lower($1) and email_confirmed_at is not null order by id limit 5",
        email.as_str(),
    );
    recipients.fetch_all(pool).await
}

pub async fn set_language(connection: &mut PgConnection, UserId(id): UserId, language: Language) -> sqlx::Result<()> {
    let set = sqlx::query!("update users set language = $2 where id = $1 and erased_at is null", id, language.tag());
    set.execute(connection).await.map(drop)
}

pub async fn end_sessions(connection: &mut PgConnection, UserId(id): UserId) -> sqlx::Result<u64> {
    let ended = sqlx::query!("delete from sessions where user_id = $1", id).execute(connection).await?;
    Ok(ended.rows_affected())
}

/// Returns `None` for users without a role, and for blocked or erased accounts.
pub async fn current_role(
    connection: &mut PgConnection,
    clock: &Clock,
    UserId(id): UserId,
) -> sqlx::Result<Option<Role>> {
    let role = sqlx::query_scalar!(
        "select staff_role from users where id = $1 and is_staff and erased_at is null
            and (blocked_at is null or blocked_until <= coalesce($2, clock_timestamp()))",
        id,
        clock.now(),
    );
    Ok(role.fetch_optional(connection).await?.as_deref().and_then(Role::from_name))
}

/// Prevents erasure of the account until the transaction ends. Take this lock before all other locks and writes of rows
/// that belong to the account: erasure locks in the same order. Returns false if the account was erased or its password
/// was changed since `session_version` was read.
pub async fn lock_account(
    connection: &mut PgConnection,
    UserId(id): UserId,
    session_version: Option<i32>,
) -> sqlx::Result<bool> {
    let locked = sqlx::query_scalar!(
        "select id from users
        where id = $1 and erased_at is null and ($2::int is null or session_version = $2) for key share",
        id,
        session_version,
    );
    Ok(locked.fetch_optional(connection).await?.is_some())
}

/// Prevents changes of the account by other transactions until this transaction ends. Returns false if the account was
/// erased or has another session version. Later statements see all changes committed before the lock was granted.
pub async fn lock_account_for_update(
    connection: &mut PgConnection,
    UserId(id): UserId,
    session_version: Option<i32>,
) -> sqlx::Result<bool> {
    let locked = sqlx::query_scalar!(
        "select id from users
        where id = $1 and erased_at is null and ($2::int is null or session_version = $2) for no key update",
        id,
        session_version,
    );
    Ok(locked.fetch_optional(connection).await?.is_some())
}

/// Prevents new sessions until the transaction ends. Returns false if the account was erased.
pub async fn lock_sign_in(connection: &mut PgConnection, UserId(id): UserId) -> sqlx::Result<bool> {
    let locked = sqlx::query_scalar!("select id from users where id = $1 and erased_at is null for update", id);
    Ok(locked.fetch_optional(connection).await?.is_some())
}

/// Returns the hash and the session version. Sessions with an earlier version are invalid.
pub async fn find_password_hash(pool: &PgPool, UserId(id): UserId) -> Result<(String, i32), AppError> {
    let row = sqlx::query!("select password_hash, session_version from users where id = $1", id);
    let row = row.fetch_optional(pool).await?.ok_or(AppError::NotFound)?;
    Ok((row.password_hash, row.session_version))
}

/// Does nothing if the password hash is no longer `old`.
pub async fn replace_password_hash(pool: &PgPool, UserId(id): UserId, old: &str, new: &str) -> sqlx::Result<()> {
    sqlx::query!("update users set password_hash = $3 where id = $1 and password_hash = $2", id, old, new)
        .execute(pool)
        .await?;
    Ok(())
}

/// Ends all sessions. Returns the new session version, or `None` if the password was changed since `version` was read
/// or `session` has ended.
pub async fn change_password(
    connection: &mut PgConnection,
    UserId(id): UserId,
    version: i32,
    new: &str,
    session: Option<&str>,
) -> sqlx::Result<Option<i32>> {
    sqlx::query_scalar!(
        r#"with changed as (
            update users set password_hash = $3, session_version = session_version + 1
            where id = $1 and session_version = $2
                and ($4::text is null or exists (select from sessions where token_hash = decode($4, 'hex')))
            returning id, session_version
        ), ended as (
            delete from sessions where user_id in (select id from changed)
        )
        select session_version from changed"#,
        id,
        version,
        new,
        session,
    )
    .fetch_optional(connection)
    .await
}
