//! Limiter states as rows of the table `limiter_states`.
//!
//! The caller brings the transaction: states are read under row locks that last until it ends, so that
//! decisions are exact across any number of processes.

use std::collections::BTreeMap;

use chrono::{DateTime, DurationRound as _, TimeDelta, Utc};
use serde_json::Value;
use sqlx::PgConnection;

/// A state to be stored.
#[derive(Clone, Debug)]
pub struct StoredState {
    pub state: Value,
    /// From when on it may be forgotten.
    pub expires_at: DateTime<Utc>,
}

/// Locks the states of `keys` until the transaction ends and returns them; `null` is a fresh one.
///
/// Rows that do not exist cannot be locked, so they are inserted first; and all are locked in the order of
/// their keys, so that two callers never wait for each other.
///
/// # Errors
/// When the database cannot be asked, or a lock is not released in time.
pub async fn lock(
    connection: &mut PgConnection,
    limiter: &str,
    keys: &[String],
    now: Option<DateTime<Utc>>,
) -> sqlx::Result<BTreeMap<String, Value>> {
    let mut states = select_for_update(connection, limiter, keys).await?;
    let missing: Vec<String> = keys.iter().filter(|key| !states.contains_key(*key)).cloned().collect();
    if !missing.is_empty() {
        sqlx::query!(
            r#"insert into limiter_states (limiter, key, state, updated_at, expires_at)
            select $1, key, 'null', clock.now, clock.now
            from (select coalesce($3, clock_timestamp()) as now) clock, unnest($2::text[]) key
            order by key
            on conflict on constraint limiter_states_pkey do nothing"#,
            limiter,
            &missing,
            now,
        )
        .execute(&mut *connection)
        .await?;
        states.extend(select_for_update(connection, limiter, &missing).await?);
    }
    Ok(states)
}

async fn select_for_update(
    connection: &mut PgConnection,
    limiter: &str,
    keys: &[String],
) -> sqlx::Result<BTreeMap<String, Value>> {
    let rows = sqlx::query!(
        "select key, state from limiter_states where limiter = $1 and key = any($2) order by key for update",
        limiter,
        keys,
    );
    Ok(rows.fetch_all(connection).await?.into_iter().map(|row| (row.key, row.state)).collect())
}

/// Stores states whose rows are locked.
///
/// # Errors
/// When the database cannot be asked.
pub async fn store(
    connection: &mut PgConnection,
    limiter: &str,
    states: BTreeMap<String, StoredState>,
    now: DateTime<Utc>,
) -> sqlx::Result<()> {
    let mut columns: (Vec<String>, Vec<Value>, Vec<DateTime<Utc>>) = Default::default();
    for (key, stored) in states {
        columns.0.push(key);
        columns.1.push(stored.state);
        columns.2.push(whole_hour_after(stored.expires_at));
    }
    sqlx::query!(
        r#"update limiter_states s set state = new.state, updated_at = $5, expires_at = new.expires_at
        from unnest($2::text[], $3::jsonb[], $4::timestamptz[]) as new (key, state, expires_at)
        where s.limiter = $1 and s.key = new.key"#,
        limiter,
        &columns.0,
        &columns.1,
        &columns.2,
        now,
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Deletes some of the states that are as good as none, skipping those in use. Returns how many.
///
/// # Errors
/// When the database cannot be asked.
pub async fn sweep(connection: &mut PgConnection, now: Option<DateTime<Utc>>, limit: i64) -> sqlx::Result<u64> {
    let swept = sqlx::query!(
        r#"delete from limiter_states where (limiter, key) in (
            select limiter, key from limiter_states, (select coalesce($1, clock_timestamp()) as now) clock
            where expires_at < clock.now order by expires_at limit $2 for update of limiter_states skip locked
        )"#,
        now,
        limit,
    );
    Ok(swept.execute(connection).await?.rows_affected())
}

/// `expires_at` is indexed: moving it only once an hour keeps the updates of a busy row off the index.
fn whole_hour_after(time: DateTime<Utc>) -> DateTime<Utc> {
    time.duration_trunc(TimeDelta::hours(1)).map_or(time, |hour| hour + TimeDelta::hours(1))
}
