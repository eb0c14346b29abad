//! Synchronization of rate classes with `PostgreSQL`, about once a second. A client gains at most a burst per instance.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use sqlx::PgPool;

use super::classes::RateClasses;
use super::client_key::{ClassKey, from_text, to_text};
use crate::db::clock::saturating_add;
use crate::db::limiter_states::lock_rows;
use crate::db::{commit, describe_error};

const LIMITER: &str = "rate_class";
const SYNC_INTERVAL: Duration = Duration::from_secs(1);

/// Time before the previous read that is read again, because rows may be committed late.
const OVERLAP: TimeDelta = TimeDelta::seconds(5);

/// Time for which stored states are used, longer than the longest penalty.
const RETENTION: TimeDelta = TimeDelta::hours(2);

const BATCH_SIZE: usize = 1_000;

pub async fn run(classes: Arc<RateClasses>, pool: PgPool) {
    let mut since = None;
    let mut reported = false;
    loop {
        match sync_once(&classes, &pool, &mut since).await {
            Ok(()) => reported = false,
            Err(error) if !reported => {
                tracing::warn!(error = describe_error(&error), "request rate limit states not saved; will be retried");
                reported = true;
            }
            Err(_) => (),
        }
        tokio::time::sleep(SYNC_INTERVAL).await;
    }
}

/// After an error, changes that were not written are kept for the next call.
pub async fn sync_once(classes: &RateClasses, pool: &PgPool, since: &mut Option<DateTime<Utc>>) -> sqlx::Result<()> {
    measure_clock_offset(classes, pool).await?;
    let changed = std::mem::take(&mut *classes.lock_changed_keys());
    let written = write(classes, pool, &changed).await;
    if written.is_err() {
        classes.lock_changed_keys().extend(changed);
    }
    written?;
    read_changes(classes, pool, since).await
}

/// Measures the offset of the local clock from the database clock, which all instances use in shared states.
async fn measure_clock_offset(classes: &RateClasses, pool: &PgPool) -> sqlx::Result<()> {
    if classes.clock.now().is_none() {
        let mut connection = pool.acquire().await?;
        let before = classes.clock.local_micros();
        let theirs = classes.clock.read(&mut connection).await?.timestamp_micros();
        let ours = i64::midpoint(before, classes.clock.local_micros());
        classes.database_clock_offset_us.store(theirs.saturating_sub(ours), Ordering::Relaxed);
    }
    Ok(())
}

async fn write(classes: &RateClasses, pool: &PgPool, changed: &HashSet<ClassKey>) -> sqlx::Result<()> {
    let all: Vec<(String, ClassKey)> = changed.iter().map(|key| (to_text(*key), *key)).collect();
    for chunk in all.chunks(BATCH_SIZE) {
        let mut transaction = pool.begin().await?;
        let row_keys = chunk.iter().map(|(text, _)| (LIMITER.to_owned(), text.clone())).collect();
        let stored = lock_rows(&mut transaction, row_keys, &classes.clock).await?;
        let (mut keys, mut states, mut merged) = (Vec::new(), Vec::new(), Vec::new());
        for (text, key) in chunk {
            let theirs = stored.get(text).cloned().and_then(|theirs| serde_json::from_value(theirs).ok());
            let (state, unwritten) = classes.merge_stored_state(*key, theirs);
            merged.push((*key, state, unwritten));
            keys.push(text.clone());
            states.push(serde_json::to_value(state).map_err(|error| sqlx::Error::Encode(error.into()))?);
        }
        sqlx::query!(
            r#"update limiter_states s
            set state = new.state, updated_at = clock_timestamp(), shared_at = clock_timestamp(),
                expires_at = clock_timestamp() + make_interval(secs => $4)
            from unnest($2::text[], $3::jsonb[]) as new (key, state) where s.limiter = $1 and s.key = new.key"#,
            LIMITER,
            &keys,
            &states,
            RETENTION.as_seconds_f64(),
        )
        .execute(&mut *transaction)
        .await?;
        commit(transaction).await?;
        for (key, state, unwritten) in merged {
            classes.mark_written(key, state, unwritten);
        }
    }
    Ok(())
}

async fn read_changes(classes: &RateClasses, pool: &PgPool, since: &mut Option<DateTime<Utc>>) -> sqlx::Result<()> {
    let now = sqlx::query_scalar!(r#"select clock_timestamp() as "now!""#).fetch_one(pool).await?;
    // If the database clock was set back, new rows have earlier times than rows that were already read.
    let from = since.map_or(saturating_add(now, -RETENTION), |since| saturating_add(since.min(now), -OVERLAP));
    let rows = sqlx::query!(
        r#"select key, state, shared_at as "shared_at!" from limiter_states
        where shared_at > $1 order by shared_at limit 100000"#,
        from,
    );
    for row in rows.fetch_all(pool).await? {
        *since = Some(row.shared_at.min(now));
        let Some(key) = from_text(&row.key) else { continue };
        classes.merge_stored_state(key, serde_json::from_value(row.state).ok());
    }
    Ok(())
}
