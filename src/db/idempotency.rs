//! Requests with an `Idempotency-Key`: each takes effect at most once, even if the site or the database fails.
//!
//! The middleware creates a row before it calls the handler, and stores the response in it afterwards. In between,
//! [`commit`](super::commit) marks the row in the transaction of the handler. If the response could not be stored, the
//! mark tells whether the request has taken effect.

use chrono::{DateTime, Utc};
use sqlx::types::Json;
use sqlx::{PgConnection, PgPool};

use super::clock::Clock;

/// Maximum number of stored requests per user. Older requests are deleted.
pub const MAX_KEPT: i64 = 1_000;

/// Maximum number of old rows that a new request deletes.
const MAX_DELETED: i64 = 10;

tokio::task_local! {
    /// Attempt that the current task processes.
    static CURRENT: Attempt;
}

/// Key of a request: the user, and the SHA-256 hash of the header value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IdempotencyKey {
    pub user_id: i64,
    pub hash: [u8; 32],
}

/// One execution of a request with an idempotency key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attempt {
    key: IdempotencyKey,
    /// Random number of the attempt. All changes check it, so that an attempt that another one has replaced can neither
    /// commit nor store its response.
    number: i64,
}

/// Stored response to a request.
#[derive(Clone, Debug)]
pub struct StoredResponse {
    /// SHA-256 hash of the method, URL and body of the request.
    pub fingerprint: Vec<u8>,
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

/// State of a request with an idempotency key.
#[derive(Debug)]
pub enum BeginOutcome {
    /// The request is new, or its earlier attempts had no effect.
    New(Attempt),
    /// Another attempt is in progress.
    InProgress,
    /// The request has taken effect, but its response was not stored.
    ResponseLost,
    Completed(StoredResponse),
}

impl Attempt {
    /// Begins a request, unless the same user has already sent it with the same key. An attempt that was interrupted
    /// without effect is replaced after two minutes, which is longer than the time limits of an upload. Keys can be used
    /// again after 24 hours.
    pub async fn begin(pool: &PgPool, clock: &Clock, key: IdempotencyKey) -> sqlx::Result<BeginOutcome> {
        let attempt = Self { key, number: rand::random() };
        let mut connection = pool.acquire().await?;
        if attempt.insert(&mut connection, clock).await? {
            if let Err(error) = delete_oldest(&mut connection, key.user_id).await {
                tracing::warn!(%error, "old requests with an idempotency key were not deleted");
            }
            return Ok(BeginOutcome::New(attempt));
        }
        let row = sqlx::query!(
            r#"select is_committed, started_at <= coalesce($3, clock_timestamp()) - interval '2 minutes' as "is_over!",
                fingerprint, status, headers as "headers: Json<Vec<(String, String)>>", body
            from idempotent_requests where user_id = $1 and key_hash = $2"#,
            key.user_id,
            &key.hash,
            clock.now(),
        );
        // If the row is gone, the other attempt has just failed, and the client can repeat its request.
        let Some(row) = row.fetch_optional(&mut *connection).await? else { return Ok(BeginOutcome::InProgress) };
        Ok(match (row.fingerprint, row.status, row.headers, row.body) {
            (Some(fingerprint), Some(status), Some(Json(headers)), Some(body)) => {
                BeginOutcome::Completed(StoredResponse { fingerprint, status: status.unsigned_abs(), headers, body })
            }
            _ if row.is_committed && row.is_over => BeginOutcome::ResponseLost,
            _ => BeginOutcome::InProgress,
        })
    }

    async fn insert(&self, connection: &mut PgConnection, clock: &Clock) -> sqlx::Result<bool> {
        let inserted = sqlx::query!(
            "insert into idempotent_requests as stored (user_id, key_hash, attempt, started_at)
            select $1, $2, $3, coalesce($4, clock_timestamp())
            on conflict (user_id, key_hash) do update set attempt = excluded.attempt, started_at = excluded.started_at,
                is_committed = false, fingerprint = null, status = null, headers = null, body = null
            where stored.started_at <= excluded.started_at - interval '24 hours'
                or not stored.is_committed and stored.status is null
                    and stored.started_at <= excluded.started_at - interval '2 minutes'",
            self.key.user_id,
            &self.key.hash,
            self.number,
            clock.now(),
        );
        Ok(inserted.execute(connection).await?.rows_affected() == 1)
    }

    /// Runs a future whose transactions belong to this attempt.
    pub async fn scope<F: Future>(self, future: F) -> F::Output {
        CURRENT.scope(self, future).await
    }

    /// Stores the response.
    pub async fn complete(&self, pool: &PgPool, response: &StoredResponse) -> sqlx::Result<()> {
        let stored = sqlx::query!(
            "update idempotent_requests set fingerprint = $4, status = $5, headers = $6, body = $7
            where user_id = $1 and key_hash = $2 and attempt = $3",
            self.key.user_id,
            &self.key.hash,
            self.number,
            response.fingerprint,
            i16::try_from(response.status).unwrap_or(0),
            Json(&response.headers) as _,
            response.body,
        );
        stored.execute(pool).await.map(drop)
    }

    /// Deletes the row of a failed attempt, so that the request can be sent again. A row that is marked as committed is
    /// kept, unless the request was `rejected`: then only side effects were committed, such as the count of an attempt.
    pub async fn abandon(&self, pool: &PgPool, rejected: bool) -> sqlx::Result<()> {
        let deleted = sqlx::query!(
            "delete from idempotent_requests
            where user_id = $1 and key_hash = $2 and attempt = $3 and status is null and (not is_committed or $4)",
            self.key.user_id,
            &self.key.hash,
            self.number,
            rejected,
        );
        deleted.execute(pool).await.map(drop)
    }
}

/// Returns the attempt that the current task processes. `None` if its request has no idempotency key.
pub fn current_attempt() -> Option<Attempt> {
    CURRENT.try_with(Clone::clone).ok()
}

/// Wraps a future for another task, so that its transactions are marked as part of the current request.
pub fn in_current_request<F: Future>(future: F) -> impl Future<Output = F::Output> {
    let attempt = current_attempt();
    async move {
        match attempt {
            Some(attempt) => attempt.scope(future).await,
            None => future.await,
        }
    }
}

/// Marks the requests of these attempts as committed by this transaction. Returns false if one of the attempts has ended,
/// or another one has replaced it.
pub async fn mark_committed(transaction: &mut PgConnection, attempts: &[Attempt]) -> sqlx::Result<bool> {
    if attempts.is_empty() {
        return Ok(true);
    }
    let users: Vec<i64> = attempts.iter().map(|attempt| attempt.key.user_id).collect();
    let hashes: Vec<Vec<u8>> = attempts.iter().map(|attempt| attempt.key.hash.to_vec()).collect();
    let numbers: Vec<i64> = attempts.iter().map(|attempt| attempt.number).collect();
    let marked = sqlx::query!(
        "update idempotent_requests stored set is_committed = true
        from unnest($1::bigint[], $2::bytea[], $3::bigint[]) as marked (user_id, key_hash, attempt)
        where stored.user_id = marked.user_id and stored.key_hash = marked.key_hash and stored.attempt = marked.attempt",
        &users,
        &hashes,
        &numbers,
    );
    let marked = marked.execute(transaction).await?.rows_affected();
    Ok(usize::try_from(marked) == Ok(attempts.len()))
}

/// Error of a transaction whose attempt has ended or was replaced.
#[must_use]
pub fn replaced_error() -> sqlx::Error {
    sqlx::Error::Protocol("the attempt to process this request has ended, or another one has replaced it".to_owned())
}

async fn delete_oldest(connection: &mut PgConnection, user_id: i64) -> sqlx::Result<()> {
    let deleted = sqlx::query!(
        "delete from idempotent_requests where (user_id, key_hash) in (
            select user_id, key_hash from idempotent_requests
            where user_id = $1 order by started_at desc offset $2 limit $3 for update skip locked
        )",
        user_id,
        MAX_KEPT,
        MAX_DELETED,
    );
    deleted.execute(connection).await.map(drop)
}

/// Deletes requests that are older than 24 hours.
pub async fn delete_expired(pool: &PgPool, now: Option<DateTime<Utc>>) -> sqlx::Result<u64> {
    let deleted = sqlx::query!(
        "delete from idempotent_requests where started_at <= coalesce($1, clock_timestamp()) - interval '24 hours'",
        now,
    );
    Ok(deleted.execute(pool).await?.rows_affected())
}
