//! Storage of limiter states, in the table `limiter_states`.
//!
//! Locks last until the end of the transaction, so that decisions are exact across processes and roll back together
//! with the changes that they allowed.

use std::collections::BTreeMap;
use std::time::Duration;

use chrono::{DateTime, DurationRound as _, TimeDelta, Utc};
use serde_json::Value;
use sqlx::PgConnection;

use super::clock::{Clock, saturating_add};
use evenkeel_limiters::combined_limits::{self, CombinedDecision, NamedLimit};
use evenkeel_limiters::{Event, InvalidCost, Limiter};

/// Retention of a state after its last event if the limiter gives no expiry time.
const RETENTION: TimeDelta = TimeDelta::days(365);

/// Limit and the key of its state. A key begins with the type of the limited object, such as `post:42`.
#[derive(Debug)]
pub struct KeyedLimit<'a, L> {
    pub key: String,
    pub limit: NamedLimit<'a, L>,
}

#[derive(Debug, thiserror::Error)]
pub enum LimiterStateError {
    #[error(transparent)]
    Cost(#[from] InvalidCost),
    /// The event must be refused, because no limit can be applied without the state.
    #[error("the stored limiter state of the key {0} cannot be parsed")]
    Unreadable(String),
    #[error("two limits have the same key {0}")]
    DuplicateKey(String),
    #[error(transparent)]
    Database(#[from] sqlx::Error),
}

/// Limiter states protected from concurrent writes until the transaction ends.
pub struct LockedStates<'a, L: Limiter> {
    states: BTreeMap<String, LockedState<'a, L>>,
}

struct LockedState<'a, L: Limiter> {
    limit: NamedLimit<'a, L>,
    /// Restored state; `None` if the stored state cannot be parsed.
    state: Option<L::State>,
    changed: bool,
}

impl<'a, L: Limiter> LockedStates<'a, L> {
    /// Inserts missing rows, and locks all rows. Limits with the same key must have the same limiter.
    pub async fn lock(
        connection: &mut PgConnection,
        limits: impl IntoIterator<Item = KeyedLimit<'a, L>>,
        clock: &Clock,
    ) -> sqlx::Result<Self> {
        let limits = by_key(limits);
        let rows = row_keys(&limits);
        insert_and_lock(connection, &rows, clock).await?;
        let stored = read_rows(connection, &rows).await?;
        Ok(Self::new(limits, stored))
    }

    /// The caller must hold a lock that every writer of the states acquires. `initial` has the states of keys without a
    /// row in the database, unless they are default states.
    pub async fn read_under_lock(
        connection: &mut PgConnection,
        limits: impl IntoIterator<Item = KeyedLimit<'a, L>>,
        initial: BTreeMap<String, Value>,
    ) -> sqlx::Result<Self> {
        let (limits, mut states) = (by_key(limits), initial);
        states.extend(read_rows(connection, &row_keys(&limits)).await?);
        Ok(Self::new(limits, states))
    }

    fn new(limits: BTreeMap<String, NamedLimit<'a, L>>, mut stored: BTreeMap<String, Value>) -> Self {
        let locked_state = |(key, limit): (String, NamedLimit<'a, L>)| {
            let state = match stored.remove(&key) {
                None | Some(Value::Null) => Some(L::State::default()),
                Some(stored) => limit.limiter.restore(stored).ok(),
            };
            if state.is_none() {
                tracing::error!(key, limiter = limit.limiter.name(), "limiter state unreadable");
            }
            (key, LockedState { limit, state, changed: false })
        };
        Self { states: limits.into_iter().map(locked_state).collect() }
    }

    /// All limits of `keys` must admit the event. The new states stay in memory until [`store`](Self::store).
    pub fn check(&mut self, keys: &[&str], event: Event) -> Result<CombinedDecision<'a>, LimiterStateError> {
        if let Some(twice) = keys.iter().enumerate().find(|(index, key)| keys[..*index].contains(key)) {
            return Err(LimiterStateError::DuplicateKey((*twice.1).to_owned()));
        }
        self.update_states(keys, |limits, states| combined_limits::check(limits, states, event))
    }

    fn update_states(
        &mut self,
        keys: &[&str],
        check: impl FnOnce(&[NamedLimit<'a, L>], &mut [L::State]) -> Result<CombinedDecision<'a>, InvalidCost>,
    ) -> Result<CombinedDecision<'a>, LimiterStateError> {
        let (limits, mut states) = self.limits_and_states(keys)?;
        let verdict = check(&limits, &mut states)?;
        for (key, state) in keys.iter().zip(states) {
            if let Some(entry) = self.states.get_mut(*key) {
                (entry.state, entry.changed) = (Some(state), true);
            }
        }
        Ok(verdict)
    }

    pub fn peek(&self, keys: &[&str], event: Event) -> Result<CombinedDecision<'a>, LimiterStateError> {
        let (limits, states) = self.limits_and_states(keys)?;
        Ok(combined_limits::peek(&limits, &states, event)?)
    }

    /// Checks the retry of an event that was refused earlier, and that the limiters have already observed.
    pub fn check_retry(&mut self, keys: &[&str], event: Event) -> Result<CombinedDecision<'a>, LimiterStateError> {
        self.update_states(keys, |limits, states| combined_limits::check_retry(limits, states, event))
    }

    fn limits_and_states(&self, keys: &[&str]) -> Result<LimitsAndStates<'a, L>, LimiterStateError> {
        let limit_and_state = |key: &&str| {
            let pair = self.states.get(*key).and_then(|entry| Some((entry.limit, entry.state.clone()?)));
            pair.ok_or_else(|| LimiterStateError::Unreadable((*key).to_owned()))
        };
        keys.iter().map(limit_and_state).collect()
    }

    /// Leaves the states unchanged if the event is refused, for callers that retry automatically.
    pub fn check_and_discard_refusal(
        &mut self,
        keys: &[&str],
        event: Event,
    ) -> Result<CombinedDecision<'a>, LimiterStateError> {
        let (limits, mut states) = self.limits_and_states(keys)?;
        let verdict = combined_limits::check(&limits, &mut states, event)?;
        if verdict.decision.allowed { self.check(keys, event) } else { Ok(verdict) }
    }

    #[cfg(test)]
    pub(crate) fn with_initial_states(limits: impl IntoIterator<Item = KeyedLimit<'a, L>>) -> Self {
        Self::new(by_key(limits), BTreeMap::new())
    }

    #[cfg(test)]
    pub(crate) fn corrupt_state(&mut self, key: &str) {
        if let Some(entry) = self.states.get_mut(key) {
            entry.state = None;
        }
    }

    pub async fn store(
        &self,
        connection: &mut PgConnection,
        now: DateTime<Utc>,
        min_retention: TimeDelta,
    ) -> sqlx::Result<()> {
        let mut columns: (Vec<String>, Vec<String>, Vec<Value>, Vec<DateTime<Utc>>) = Default::default();
        for (key, LockedState { limit, state, .. }) in self.states.iter().filter(|(_, entry)| entry.changed) {
            let Some(state) = state else { continue };
            let forgettable = limit.limiter.expires_at(state);
            let forgettable = forgettable.and_then(|at| DateTime::from_timestamp_millis(at.unix_millis()));
            columns.0.push(limit.limiter.name().to_owned());
            columns.1.push(key.clone());
            columns.2.push(to_json(limit.limiter, state)?);
            let expires_at = forgettable.unwrap_or_else(|| saturating_add(now, RETENTION));
            columns.3.push(next_full_hour(expires_at.max(saturating_add(now, min_retention))));
        }
        if columns.0.is_empty() {
            return Ok(());
        }
        sqlx::query!(
            r#"insert into limiter_states (limiter, key, state, updated_at, expires_at)
            select limiter, key, state, $5, expires_at
            from unnest($1::text[], $2::text[], $3::jsonb[], $4::timestamptz[]) as new (limiter, key, state, expires_at)
            on conflict on constraint limiter_states_pkey do update
                set state = excluded.state, updated_at = excluded.updated_at, expires_at = excluded.expires_at"#,
            &columns.0,
            &columns.1,
            &columns.2,
            &columns.3,
            now,
        )
        .execute(connection)
        .await?;
        Ok(())
    }
}

/// Counts an event. If a limit refuses the event, counts nothing and returns the time until a retry may succeed.
pub async fn count_event<L: Limiter>(
    connection: &mut PgConnection,
    limits: Vec<KeyedLimit<'_, L>>,
    clock: &Clock,
) -> Result<Option<Duration>, LimiterStateError> {
    let keys: Vec<String> = limits.iter().map(|limit| limit.key.clone()).collect();
    let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
    let mut locked = LockedStates::lock(connection, limits, clock).await?;
    let now = clock.read(connection).await?;
    let decision = locked.check(&keys, Event::at_unix_millis(now.timestamp_millis()))?.decision;
    if !decision.allowed {
        return Ok(Some(decision.retry_after));
    }
    locked.store(connection, now, TimeDelta::zero()).await?;
    Ok(None)
}

/// Deletes at most `limit` expired states, which are equivalent to missing states.
pub async fn delete_expired(connection: &mut PgConnection, clock: &Clock, limit: i64) -> sqlx::Result<u64> {
    let swept = sqlx::query!(
        // Deletes by ctid, which is stable because the rows are locked; a join might scan the whole table.
        "delete from limiter_states where ctid = any(array(
            select ctid from limiter_states where expires_at < (select coalesce($1, clock_timestamp()))
            order by expires_at limit $2 for update skip locked
        ))",
        clock.now(),
        limit,
    );
    Ok(swept.execute(connection).await?.rows_affected())
}

fn by_key<'a, L>(limits: impl IntoIterator<Item = KeyedLimit<'a, L>>) -> BTreeMap<String, NamedLimit<'a, L>> {
    limits.into_iter().map(|KeyedLimit { key, limit }| (key, limit)).collect()
}

/// Columns with the limiter names and keys of rows.
type RowKeys = (Vec<String>, Vec<String>);

type LimitsAndStates<'a, L> = (Vec<NamedLimit<'a, L>>, Vec<<L as Limiter>::State>);

fn row_keys<'a, L: Limiter + 'a>(limits: impl IntoIterator<Item = (&'a String, &'a NamedLimit<'a, L>)>) -> RowKeys {
    limits.into_iter().map(|(key, limit)| (limit.limiter.name().to_owned(), key.clone())).unzip()
}

fn to_json<L: Limiter>(limiter: &L, state: &L::State) -> sqlx::Result<Value> {
    limiter.save(state, serde_json::value::Serializer).map_err(|error| sqlx::Error::Encode(error.into()))
}

/// Locks the rows of pairs of limiter name and key, and returns their states by key.
pub(crate) async fn lock_rows(
    connection: &mut PgConnection,
    pairs: Vec<(String, String)>,
    clock: &Clock,
) -> sqlx::Result<BTreeMap<String, Value>> {
    let rows = pairs.into_iter().unzip();
    insert_and_lock(connection, &rows, clock).await?;
    read_rows(connection, &rows).await
}

/// Inserts and locks in key order in a single statement, so that callers cannot deadlock: inserting after locking would
/// hold a later key while waiting for an earlier one. The update with `where false` only locks the row.
async fn insert_and_lock(connection: &mut PgConnection, (limiters, keys): &RowKeys, clock: &Clock) -> sqlx::Result<()> {
    if keys.is_empty() {
        return Ok(());
    }
    sqlx::query!(
        r#"insert into limiter_states (limiter, key, state, updated_at, expires_at)
        select new.limiter, new.key, 'null', clock.now, clock.now
        from (select coalesce($3, clock_timestamp()) as now) clock, unnest($1::text[], $2::text[]) as new (limiter, key)
        order by new.key, new.limiter
        on conflict on constraint limiter_states_pkey do update set state = excluded.state where false"#,
        limiters,
        keys,
        clock.now(),
    )
    .execute(connection)
    .await?;
    Ok(())
}

async fn read_rows(connection: &mut PgConnection, (limiters, keys): &RowKeys) -> sqlx::Result<BTreeMap<String, Value>> {
    if keys.is_empty() {
        return Ok(BTreeMap::new());
    }
    let rows = sqlx::query!(
        r#"select wanted.key as "key!", stored.state
        from unnest($1::text[], $2::text[]) as wanted (limiter, key)
            -- `limit 1` has each looked up by its index, however few or many there were when this was planned.
            cross join lateral (
                select state from limiter_states where limiter = wanted.limiter and key = wanted.key limit 1
            ) as stored"#,
        limiters,
        keys,
    );
    Ok(rows.fetch_all(connection).await?.into_iter().map(|row| (row.key, row.state)).collect())
}

/// Rounds up to full hours, so that the indexed column `expires_at` of a busy row changes at most once an hour.
fn next_full_hour(time: DateTime<Utc>) -> DateTime<Utc> {
    time.duration_trunc(TimeDelta::hours(1)).map_or(time, |hour| saturating_add(hour, TimeDelta::hours(1)))
}
