//! Actions of staff on user accounts: block, sign out, reset the password and change the role.

use std::time::Duration;

use serde_json::json;
use sqlx::PgConnection;

use super::error::AccountError;
use super::recovery::mail_link::PasswordResetLink;
use super::{emails, models, recovery};
use crate::audit_log::{AuditAction, NewEntry};
use crate::db::clock::Clock;
use crate::limit_overrides::warnings;
use crate::users::tokens::models::revoke_all;
use crate::web::error::AppError;
use crate::web::request::current_user::{CurrentUser, UserId};
use crate::web::request::role::Role;
use crate::web::state::AppState;

/// Maximum number of accounts per bulk action.
pub const MAX_ACCOUNTS_PER_ACTION: usize = 100;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UserAction {
    /// Makes the account read-only for the duration `length`, or permanently if `length` is `None`.
    Block {
        reason: String,
        length: Option<Duration>,
    },
    Unblock,
    /// Resets the warning level to 0.
    ResetWarning,
    /// Ends all sessions of the user, and revokes all of the user's API tokens.
    SignOut,
    /// Removes the password, and emails the user a link to choose a new one.
    ResetPassword,
    /// Changes the staff role. `None` removes the user from staff.
    Role {
        role: Option<Role>,
        reason: String,
    },
}

#[derive(Clone, Debug)]
pub struct UserTarget {
    pub id: UserId,
    pub username: String,
    /// Normalized username, as in `users.username_key`.
    pub key: String,
    pub role: Option<Role>,
    pub is_blocked: bool,
    /// Number of sessions and API tokens.
    pub credentials: i64,
    pub is_warned: bool,
    /// True if the site sends email and the email address is confirmed.
    pub is_reachable: bool,
}

/// Reason why an action skips an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SkipReason {
    /// The account belongs to the acting user.
    OwnAccount,
    /// The account has the same or a higher role than the acting user, who is not an owner.
    NotOutranked,
    /// The account is already in the requested state.
    AlreadyDone,
    /// The account has no confirmed email address, or the site sends no email.
    NoMail,
}

impl UserAction {
    /// Minimum role for this action.
    pub fn required_role(&self) -> Role {
        match self {
            Self::Block { .. } | Self::Unblock | Self::ResetWarning => Role::Moderator,
            Self::SignOut | Self::ResetPassword => Role::Admin,
            Self::Role { .. } => Role::Owner,
        }
    }

    /// Checks whether the action applies to the account. If not, returns the reason why the account is skipped.
    pub fn check(&self, by: &CurrentUser, subject: &UserTarget) -> Result<(), SkipReason> {
        let is_so = match self {
            // A block may be replaced with one that has another length or reason.
            Self::Block { .. } | Self::ResetPassword => false,
            Self::Unblock => !subject.is_blocked,
            Self::SignOut => subject.credentials == 0,
            Self::ResetWarning => !subject.is_warned,
            Self::Role { role, .. } => *role == subject.role,
        };
        match () {
            () if by.id == subject.id => Err(SkipReason::OwnAccount),
            () if !by.outranks(subject.role) => Err(SkipReason::NotOutranked),
            () if is_so => Err(SkipReason::AlreadyDone),
            () if *self == Self::ResetPassword && !subject.is_reachable => Err(SkipReason::NoMail),
            () => Ok(()),
        }
    }
}

/// Finds accounts by their normalized usernames, in the order of their ids. Unknown and erased accounts are omitted.
/// With an `action`, the rows are locked.
pub async fn lock_targets(
    connection: &mut PgConnection,
    state: &AppState,
    names: &[String],
    action: Option<&UserAction>,
) -> sqlx::Result<Vec<UserTarget>> {
    if let Some(UserAction::Role { .. } | UserAction::Block { .. }) = action {
        // Takes the staff lock before any row lock, in the same order as the deletion of accounts, to avoid deadlocks.
        models::lock_staff(connection).await?;
    }
    if action.is_some() {
        sqlx::query!("select from users where username_key = any($1) order by id for no key update", names)
            .fetch_all(&mut *connection)
            .await?;
    }
    let rows = sqlx::query!(
        r#"select id, username, username_key, is_staff, staff_role,
            blocked_at is not null and coalesce(blocked_until > coalesce($2, clock_timestamp()), true) as "is_blocked!",
            (select count(*) from sessions where user_id = users.id)
                + (select count(*) from api_tokens where user_id = users.id) as "credentials!",
            exists (
                select from warning_levels where user_id = users.id
                    and level > $3::float8 * extract(epoch from coalesce($2, clock_timestamp()) - set_at)::float8 / 86400
            ) as "is_warned!",
            email_confirmed_at is not null as "is_confirmed!"
        from users where username_key = any($1) and erased_at is null order by id"#,
        names,
        state.clock.now(),
        warnings::DECAY_PER_DAY,
    );
    let rows = rows.fetch_all(connection).await?.into_iter().map(|row| UserTarget {
        id: UserId(row.id),
        username: row.username,
        key: row.username_key,
        role: Role::from_name(&row.staff_role).filter(|_| row.is_staff),
        is_blocked: row.is_blocked,
        credentials: row.credentials,
        is_warned: row.is_warned,
        is_reachable: row.is_confirmed && state.mail.is_enabled(),
    });
    Ok(rows.collect())
}

/// Checks the role of the acting user again while the accounts are locked, because another owner may have changed this
/// role meanwhile.
pub async fn recheck_role(
    connection: &mut PgConnection,
    clock: &Clock,
    by: &CurrentUser,
    action: &UserAction,
) -> Result<(), AppError> {
    let role = sqlx::query_scalar!(
        "select staff_role from users where id = $1 and is_staff and erased_at is null
            and (blocked_at is null or blocked_until <= coalesce($2, clock_timestamp()))",
        by.id.0,
        clock.now(),
    );
    let role = role.fetch_optional(connection).await?.as_deref().and_then(Role::from_name);
    let needed = action.required_role();
    if role >= Some(needed) { Ok(()) } else { Err(AppError::RoleNeeded { role: needed }) }
}

/// Applies the action to one account, and adds an audit log entry.
///
/// # Errors
/// `last_of_staff` if the site would be left without an owner.
pub async fn apply_action(
    connection: &mut PgConnection,
    state: &AppState,
    by: &CurrentUser,
    subject: &UserTarget,
    action: &UserAction,
) -> Result<(), AppError> {
    let id = subject.id;
    let record = match action {
        UserAction::Block { reason, length } => block(connection, state, id, reason, *length).await?,
        UserAction::Unblock => {
            sqlx::query!(
                "update users set blocked_at = null, blocked_reason = null, blocked_until = null where id = $1",
                id.0
            )
            .execute(&mut *connection)
            .await?;
            emails::enqueue(connection, state, id, emails::unblocked_email).await?;
            NewEntry::new(AuditAction::UnblockUser)
        }
        UserAction::SignOut => {
            let ended = sqlx::query!("delete from sessions where user_id = $1", id.0).execute(&mut *connection).await?;
            let tokens = revoke_all(connection, id).await?;
            let details = json!({ "sessions": ended.rows_affected(), "tokens": tokens });
            NewEntry::new(AuditAction::EndSessions).with_details(details)
        }
        UserAction::ResetWarning => {
            warnings::reset(connection, id).await?;
            NewEntry::new(AuditAction::ResetWarning)
        }
        UserAction::ResetPassword => {
            remove_password(connection, state, id).await?;
            NewEntry::new(AuditAction::TakePassword)
        }
        UserAction::Role { role, reason } => change_role(connection, state, subject, *role, reason).await?,
    };
    record.for_user(id).insert(by, connection, &state.clock).await?;
    Ok(())
}

async fn block(
    connection: &mut PgConnection,
    state: &AppState,
    id: UserId,
    reason: &str,
    length: Option<Duration>,
) -> Result<NewEntry, AppError> {
    if models::is_last_owner(connection, &state.clock, id).await? {
        return Err(AccountError::LastOwner.into());
    }
    let until = sqlx::query_scalar!(
        "update users set blocked_at = clock.now, blocked_reason = $2, blocked_until = clock.now + make_interval(secs => $3)
        from (select coalesce($4, clock_timestamp()) as now) clock where id = $1 returning blocked_until",
        id.0,
        reason,
        length.map(|length| length.as_secs_f64()),
        state.clock.now(),
    );
    let until = until.fetch_one(&mut *connection).await?;
    emails::enqueue(connection, state, id, |state, to| emails::blocked_email(state, to, reason, until)).await?;
    Ok(NewEntry::new(AuditAction::BlockUser).with_details(json!({ "reason": reason, "until": until })))
}

/// Invalidates the password, ends all sessions and emails the user a link to choose a new password.
async fn remove_password(connection: &mut PgConnection, state: &AppState, id: UserId) -> Result<(), AppError> {
    let taken = sqlx::query_scalar!(
        "with ended as (delete from sessions where user_id = $1), revoked as (delete from api_tokens where user_id = $1)
        update users set password_hash = '!', session_version = session_version + 1 where id = $1 returning session_version",
        id.0,
    );
    // The email link is created in a separate statement, because the change of `session_version` invalidates the
    // existing email link of the account.
    let version = taken.fetch_one(&mut *connection).await?;
    let made = recovery::models::create_mail_link(connection, id, version).await?.ok_or(AppError::NotFound)?;
    let link = PasswordResetLink { user: id, id: made.id, email: made.email };
    let now = state.clock.read(connection).await?;
    emails::enqueue(connection, state, id, |state, to| emails::password_removed_email(state, now, to, &link)).await
}

async fn change_role(
    connection: &mut PgConnection,
    state: &AppState,
    subject: &UserTarget,
    role: Option<Role>,
    reason: &str,
) -> Result<NewEntry, AppError> {
    if role != Some(Role::Owner) && models::is_last_owner(connection, &state.clock, subject.id).await? {
        return Err(AccountError::LastOwner.into());
    }
    sqlx::query!(
        "update users set is_staff = $2, staff_role = $3 where id = $1",
        subject.id.0,
        role.is_some(),
        role.unwrap_or(Role::Moderator).name(),
    )
    .execute(connection)
    .await?;
    let name = |role: Option<Role>| role.map(Role::name);
    Ok(NewEntry::new(AuditAction::ChangeRole)
        .with_details(json!({ "before": name(subject.role), "after": name(role), "reason": reason })))
}
