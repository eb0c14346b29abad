//! Selected rows of the bulk actions on users, with usernames as keys.

use chrono::{DateTime, Utc};

use crate::access::Role;
use crate::admin::bulk_actions::action::{ActionContext, ActionTarget, SkipReason};
use crate::admin::urls;
use crate::custom_limits::warnings;
use crate::i18n::{Phrase, PhraseValue};
use crate::phrase;
use crate::users::Username;
use crate::web::request::current_user::UserId;

pub(super) struct Account {
    id: UserId,
    username: String,
    /// Normalized username, as in `users.username_key`.
    key: String,
    pub(super) role: Option<Role>,
    pub(super) is_blocked: bool,
    blocked_until: Option<DateTime<Utc>>,
    /// Number of sessions and API tokens.
    pub(super) credentials: i64,
    pub(super) is_warned: bool,
    /// True if the site sends email and the email address is confirmed.
    pub(super) is_reachable: bool,
}

/// Locks accounts in the order of their ids. Skips the account of the acting user, and accounts with a `skip` reason.
pub(super) async fn find_accounts(
    context: &mut ActionContext<'_>,
    names: &[String],
    skip: impl Fn(&Account) -> Option<SkipReason>,
) -> sqlx::Result<Vec<ActionTarget>> {
    let own = context.by.id;
    let skip = |account: &Account| if account.id == own { Some(SkipReason::Own) } else { skip(account) };
    find_accounts_and_own(context, names, skip).await
}

pub(super) async fn find_accounts_and_own(
    context: &mut ActionContext<'_>,
    names: &[String],
    skip: impl Fn(&Account) -> Option<SkipReason>,
) -> sqlx::Result<Vec<ActionTarget>> {
    let key = |name: &String| Username::parse_lenient(name).map_or_else(|_| name.clone(), |name| name.key().to_owned());
    let keys: Vec<String> = names.iter().map(key).collect();
    sqlx::query!("select from users where username_key = any($1) order by id for no key update", &keys)
        .execute(&mut *context.connection)
        .await?;
    let accounts = read_accounts(context, &keys).await?;
    let unknown = names.iter().zip(&keys).filter(|(_, key)| !accounts.iter().any(|account| account.key == **key));
    let mut rows: Vec<ActionTarget> = unknown
        .map(|(name, _)| ActionTarget {
            skipped: Some(SkipReason::Unknown),
            ..ActionTarget::new(name.clone(), name.clone())
        })
        .collect();
    rows.extend(accounts.into_iter().map(|account| ActionTarget {
        skipped: skip(&account),
        user: Some(account.id),
        path: Some(urls::user_path(&account.username)),
        role: account.role,
        note: account.is_blocked.then(|| block_message(account.blocked_until)),
        ..ActionTarget::new(account.username.clone(), account.username)
    }));
    Ok(rows)
}

pub(super) fn block_message(until: Option<DateTime<Utc>>) -> Phrase {
    match until {
        Some(until) => phrase!("users-blocked-until", time = PhraseValue::Minute(until)),
        None => phrase!("users-blocked-indefinitely"),
    }
}

async fn read_accounts(context: &mut ActionContext<'_>, keys: &[String]) -> sqlx::Result<Vec<Account>> {
    let state = context.state;
    let rows = sqlx::query!(
        r#"select id, username, username_key, is_staff, staff_role, blocked_until,
            blocked_at is not null and coalesce(blocked_until > coalesce($2, clock_timestamp()), true) as "is_blocked!",
            (select count(*) from sessions where user_id = users.id)
                + (select count(*) from api_tokens where user_id = users.id) as "credentials!",
            exists (
                select from warning_levels where user_id = users.id
                    and level > $3::float8 * extract(epoch from coalesce($2, clock_timestamp()) - set_at)::float8 / 86400
            ) as "is_warned!",
            email_confirmed_at is not null as "is_confirmed!"
        from users where username_key = any($1) and erased_at is null order by id"#,
        keys,
        state.clock.now(),
        warnings::DECAY_PER_DAY,
    );
    let rows = rows.fetch_all(&mut *context.connection).await?.into_iter().map(|row| Account {
        id: UserId(row.id),
        username: row.username,
        key: row.username_key,
        role: Role::from_name(&row.staff_role).filter(|_| row.is_staff),
        is_blocked: row.is_blocked,
        blocked_until: row.blocked_until,
        credentials: row.credentials,
        is_warned: row.is_warned,
        is_reachable: row.is_confirmed && state.mail.is_enabled(),
    });
    Ok(rows.collect())
}

pub(super) fn rows_with_users(rows: &mut [ActionTarget]) -> impl Iterator<Item = (UserId, &mut ActionTarget)> {
    rows.iter_mut().filter_map(|row| Some((row.user?, row)))
}
