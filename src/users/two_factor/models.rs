//! Queries of the tables `second_factors` and `recovery_codes`.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;
use sqlx::{PgConnection, PgExecutor, PgPool};

use super::recovery_codes;
use super::totp::AuthenticatorApp;
use crate::db::commit;
use crate::signing::{Keys, StoredTotpSecret};
use crate::web::error::AppError;
use crate::web::request::current_user::{CurrentUser, UserId};
use crate::web::state::CoreState;

#[derive(Clone, Copy, Debug, JsonSchema, Serialize)]
pub struct TwoFactorStatus {
    /// `true` if signing in requires a code.
    pub is_on: bool,
    /// Time at which two-factor authentication was enabled.
    pub since: Option<DateTime<Utc>>,
    /// Number of unused recovery codes.
    pub recovery_codes: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UsedCode {
    App,
    /// `left` is the number of unused recovery codes.
    Recovery {
        left: i64,
    },
}

pub async fn find_two_factor_status(pool: &PgPool, UserId(id): UserId) -> sqlx::Result<TwoFactorStatus> {
    let row = sqlx::query!(
        r#"select (select confirmed_at from second_factors where user_id = $1) as since,
            (select count(*) from recovery_codes where user_id = $1) as "codes!""#,
        id,
    );
    let row = row.fetch_one(pool).await?;
    Ok(TwoFactorStatus { is_on: row.since.is_some(), since: row.since, recovery_codes: row.codes })
}

pub async fn is_enabled(executor: impl PgExecutor<'_>, UserId(id): UserId) -> sqlx::Result<bool> {
    let is_enabled = sqlx::query_scalar!(
        r#"select exists (select from second_factors where user_id = $1 and confirmed_at is not null) as "on!""#,
        id,
    );
    is_enabled.fetch_one(executor).await
}

/// Discards an unfinished setup. Returns false if two-factor authentication is already enabled.
pub async fn begin_setup(state: &CoreState, user: &CurrentUser) -> sqlx::Result<bool> {
    let (salt, key_id): ([u8; 16], _) = (rand::random(), state.keys.id());
    let begun = sqlx::query!(
        "insert into second_factors (user_id, salt, key_id, created_at, session)
        select id, $2, $3, coalesce($4, clock_timestamp()), decode($5, 'hex')
        from users where id = $1 and erased_at is null for key share
        on conflict (user_id) do update set
            salt = excluded.salt, mask = null, key_id = excluded.key_id, created_at = excluded.created_at,
            session = excluded.session, last_step = 0
        where second_factors.confirmed_at is null",
        user.id.0,
        salt.as_slice(),
        key_id.as_slice(),
        state.clock.now(),
        user.session,
    );
    Ok(begun.execute(&state.pool).await?.rows_affected() == 1)
}

/// Returns the authenticator app whose setup is pending in this session.
pub async fn find_pending_authenticator_app(
    state: &CoreState,
    user: &CurrentUser,
) -> Result<Option<AuthenticatorApp>, AppError> {
    let stored = sqlx::query_as!(
        StoredTotpSecret,
        "select salt, mask, key_id from second_factors
        where user_id = $1 and confirmed_at is null and session = decode($2, 'hex')",
        user.id.0,
        user.session,
    );
    let Some(stored) = stored.fetch_optional(&state.pool).await? else { return Ok(None) };
    AuthenticatorApp::from_stored_secret(&state.keys, &stored, &state.site().name, &user.username)
}

/// Enables two-factor authentication and ends all other sessions. Returns recovery codes, or `None` if `code` is wrong.
pub async fn confirm_setup(
    connection: &mut PgConnection,
    state: &CoreState,
    UserId(id): UserId,
    code: &str,
    session: &str,
) -> Result<Option<Vec<String>>, AppError> {
    let stored = sqlx::query_as!(
        StoredTotpSecret,
        "select salt, mask, key_id from second_factors
        where user_id = $1 and confirmed_at is null and session = decode($2, 'hex') for update",
        id,
        session,
    );
    let Some(stored) = stored.fetch_optional(&mut *connection).await? else { return Ok(None) };
    let now = state.clock.read(connection).await?;
    let Some(app) = AuthenticatorApp::from_stored_secret(&state.keys, &stored, "", "app")? else { return Ok(None) };
    let Some(step) = app.matching_time_step(code, now.timestamp()) else { return Ok(None) };
    sqlx::query!(
        "with ended as (delete from sessions where user_id = $1 and token_hash <> decode($4, 'hex'))
        update second_factors set confirmed_at = $2, last_step = $3, session = null where user_id = $1",
        id,
        now,
        step,
        session,
    )
    .execute(&mut *connection)
    .await?;
    Ok(Some(replace_recovery_codes(connection, UserId(id)).await?))
}

pub async fn replace_recovery_codes(connection: &mut PgConnection, UserId(id): UserId) -> sqlx::Result<Vec<String>> {
    let codes = recovery_codes::generate();
    let hashes: Vec<Vec<u8>> = codes.iter().map(|code| recovery_codes::hash(code)).collect();
    sqlx::query!("delete from recovery_codes where user_id = $1", id).execute(&mut *connection).await?;
    sqlx::query!("insert into recovery_codes (user_id, code_hash) select $1, unnest($2::bytea[])", id, &hashes)
        .execute(connection)
        .await?;
    Ok(codes)
}

/// Accepts codes of the authenticator app and recovery codes. Returns `None` if the code is wrong or already used.
pub async fn verify_and_use_code(
    connection: &mut PgConnection,
    state: &CoreState,
    UserId(id): UserId,
    code: &str,
) -> Result<Option<UsedCode>, AppError> {
    let stored = sqlx::query_as!(
        StoredTotpSecret,
        "select salt, mask, key_id from second_factors where user_id = $1 and confirmed_at is not null for update",
        id
    );
    let Some(stored) = stored.fetch_optional(&mut *connection).await? else { return Ok(None) };
    let now = state.clock.read(connection).await?;
    let app = AuthenticatorApp::from_stored_secret(&state.keys, &stored, "", "app")?;
    if let Some(step) = app.and_then(|app| app.matching_time_step(code, now.timestamp())) {
        let update =
            sqlx::query!("update second_factors set last_step = $2 where user_id = $1 and last_step < $2", id, step);
        let is_new = update.execute(connection).await?.rows_affected() == 1;
        return Ok(is_new.then_some(UsedCode::App));
    }
    let used = sqlx::query!(
        "delete from recovery_codes where user_id = $1 and code_hash = $2",
        id,
        recovery_codes::hash(code),
    );
    if used.execute(&mut *connection).await?.rows_affected() == 0 {
        return Ok(None);
    }
    let left = sqlx::query_scalar!(r#"select count(*) as "left!" from recovery_codes where user_id = $1"#, id);
    Ok(Some(UsedCode::Recovery { left: left.fetch_one(connection).await? }))
}

/// Disables two-factor authentication, or discards a pending setup. Returns false if there was neither.
pub async fn disable(connection: &mut PgConnection, UserId(id): UserId) -> sqlx::Result<bool> {
    sqlx::query!("delete from recovery_codes where user_id = $1", id).execute(&mut *connection).await?;
    let removed = sqlx::query!("delete from second_factors where user_id = $1", id).execute(connection).await?;
    Ok(removed.rows_affected() == 1)
}

const BATCH: i64 = 1_000;

#[derive(Clone, Copy, Debug, Default)]
pub struct RekeyResult {
    pub rekeyed: u64,
    /// TOTP secrets that cannot be decrypted with any configured key. Codes of these authenticator apps are rejected.
    pub unknown: u64,
}

/// Re-keys all TOTP secrets with the current key, so that they no longer depend on previous keys.
pub async fn rekey(pool: &PgPool, keys: &Keys) -> sqlx::Result<RekeyResult> {
    let (mut result, mut after, key_id) = (RekeyResult::default(), 0, keys.id());
    loop {
        let mut transaction = pool.begin().await?;
        let rows = sqlx::query!(
            "select user_id, salt, mask, key_id from second_factors
            where key_id <> $1 and user_id > $2 order by user_id limit $3 for update",
            key_id.as_slice(),
            after,
            BATCH,
        );
        let rows = rows.fetch_all(&mut *transaction).await?;
        let Some(last) = rows.last() else { return Ok(result) };
        after = last.user_id;
        let (mut ids, mut masks) = (Vec::new(), Vec::new());
        for row in rows {
            let stored = StoredTotpSecret { salt: row.salt, mask: row.mask, key_id: row.key_id };
            let Some(secret) = keys.unmask_totp_secret(&stored) else {
                result.unknown += 1;
                continue;
            };
            ids.push(row.user_id);
            masks.push(keys.mask_totp_secret(&stored.salt, &secret).to_vec());
        }
        let stored = sqlx::query!(
            "update second_factors s set mask = n.mask, key_id = $3
            from unnest($1::bigint[], $2::bytea[]) n (user_id, mask) where s.user_id = n.user_id",
            &ids,
            &masks,
            key_id.as_slice(),
        );
        result.rekeyed += stored.execute(&mut *transaction).await?.rows_affected();
        commit(transaction).await?;
    }
}
