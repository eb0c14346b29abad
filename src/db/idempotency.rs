//! Requests with an idempotency key, each of which takes effect at most once.

use sqlx::types::Json;
use sqlx::{PgConnection, PgPool};

use super::clock::Clock;

/// Maximum number of stored requests per user.
pub const MAX_STORED: i64 = 100;

/// Maximum number of old rows that a new request deletes.
const MAX_DELETED: i64 = 10;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyedRequest {
    pub user_id: i64,
    /// SHA-256 hash of the idempotency key.
    pub key_hash: [u8; 32],
    /// Method, URL and response format. The body is not compared.
    pub target: String,
}

#[derive(Clone, Debug)]
pub struct StoredResponse {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

#[derive(Debug)]
pub enum BeginOutcome {
    New,
    InProgress,
    OutcomeUnknown,
    KeyReused,
    Completed(StoredResponse),
}

impl KeyedRequest {
    /// A key can be used again after 24 hours. A request without a response counts as interrupted after two minutes,
    /// which is longer than the time limits of an upload.
    pub async fn begin(&self, pool: &PgPool, clock: &Clock) -> sqlx::Result<BeginOutcome> {
        let mut connection = pool.acquire().await?;
        if self.insert(&mut connection, clock).await? {
            delete_oldest(&mut connection, self.user_id).await?;
            return Ok(BeginOutcome::New);
        }
        let row = sqlx::query!(
            r#"select target, started_at <= coalesce($3, clock_timestamp()) - interval '2 minutes' as "is_over!",
                status, headers as "headers: Json<Vec<(String, String)>>", body
            from idempotent_requests where user_id = $1 and key_hash = $2"#,
            self.user_id,
            &self.key_hash,
            clock.now(),
        );
        // If the row is gone, the other request has just failed, and the client can repeat it.
        let Some(row) = row.fetch_optional(&mut *connection).await? else { return Ok(BeginOutcome::InProgress) };
        Ok(match (row.status, row.headers, row.body) {
            _ if row.target != self.target => BeginOutcome::KeyReused,
            (Some(status), Some(Json(headers)), Some(body)) => {
                BeginOutcome::Completed(StoredResponse { status: status.unsigned_abs(), headers, body })
            }
            _ if row.is_over => BeginOutcome::OutcomeUnknown,
            _ => BeginOutcome::InProgress,
        })
    }

    async fn insert(&self, connection: &mut PgConnection, clock: &Clock) -> sqlx::Result<bool> {
        let inserted = sqlx::query!(
            "insert into idempotent_requests as stored (user_id, key_hash, target, started_at)
            select $1, $2, $3, coalesce($4, clock_timestamp())
            on conflict (user_id, key_hash) do update set target = excluded.target, started_at = excluded.started_at,
                status = null, headers = null, body = null
            where stored.started_at <= excluded.started_at - interval '24 hours'",
            self.user_id,
            &self.key_hash,
            self.target,
            clock.now(),
        );
        Ok(inserted.execute(connection).await?.rows_affected() == 1)
    }

    pub async fn store_response(&self, pool: &PgPool, response: &StoredResponse) -> sqlx::Result<()> {
        let stored = sqlx::query!(
            "update idempotent_requests set status = $3, headers = $4, body = $5 where user_id = $1 and key_hash = $2",
            self.user_id,
            &self.key_hash,
            i16::try_from(response.status).unwrap_or(0),
            Json(&response.headers) as _,
            response.body,
        );
        stored.execute(pool).await.map(drop)
    }

    /// Deletes the key of a request that had no effect, so that the client can repeat the request.
    pub async fn delete(&self, pool: &PgPool) -> sqlx::Result<()> {
        let deleted = sqlx::query!(
            "delete from idempotent_requests where user_id = $1 and key_hash = $2",
            self.user_id,
            &self.key_hash,
        );
        deleted.execute(pool).await.map(drop)
    }
}

async fn delete_oldest(connection: &mut PgConnection, user_id: i64) -> sqlx::Result<()> {
    let deleted = sqlx::query!(
        "delete from idempotent_requests where (user_id, key_hash) in (
            select user_id, key_hash from idempotent_requests
            where user_id = $1 order by started_at desc offset $2 limit $3 for update skip locked
        )",
        user_id,
        MAX_STORED,
        MAX_DELETED,
    );
    deleted.execute(connection).await.map(drop)
}

pub async fn delete_expired(pool: &PgPool, clock: &Clock) -> sqlx::Result<()> {
    let deleted = sqlx::query!(
        "delete from idempotent_requests where started_at <= coalesce($1, clock_timestamp()) - interval '24 hours'",
        clock.now(),
    );
    deleted.execute(pool).await.map(drop)
}
