//! Health check of the rating writer, which tests whether ratings can be written.

use sqlx::{Connection as _, PgConnection};
use tokio::time::{Instant, timeout_at};

use super::transaction::{BATCH_TIMEOUT, BatchWriter, DatabaseFault, WriteFailure};
use crate::db::{commit, describe_error, has_required_migrations, timeout_error};
use crate::rate::models::RatingRequest;

/// Size of the test row, which exceeds the free space in existing table pages, so that files must grow.
const PROBE_BYTES: i32 = 256 << 10;

impl BatchWriter {
    /// After a database error, writes the failed rating again and rolls back, and writes enough other data to make
    /// files grow, because the disk may be full.
    pub async fn probe(&self) -> Result<(), String> {
        let deadline = Instant::now() + BATCH_TIMEOUT;
        let connection = timeout_at(deadline, self.pool.acquire())
            .await
            .map_err(|_| describe_error(&timeout_error(BATCH_TIMEOUT)))?;
        let mut connection = connection.map_err(|error| describe_error(&error))?;
        let probed = timeout_at(deadline, self.try_to_write(&mut connection)).await;
        let probed = probed.unwrap_or_else(|_| Err(describe_error(&timeout_error(BATCH_TIMEOUT))));
        if probed.is_err() {
            // Closes the connection, because it may be the cause, for example if it was opened to a read-only server.
            drop(connection.detach());
        }
        probed
    }

    async fn try_to_write(&self, connection: &mut PgConnection) -> Result<(), String> {
        let fault = self.lock_last_fault().clone();
        let bytes = if fault.is_some() { PROBE_BYTES } else { 32 };
        if let Some(DatabaseFault { cause, request }) = &fault {
            match self.write_and_roll_back(connection, *request).await {
                // A locked row or invalid data does not mean that the instance cannot write other ratings.
                Ok(()) | Err(WriteFailure::Locked(_) | WriteFailure::Data(_)) => {}
                Err(WriteFailure::Retry(_) | WriteFailure::Lost(_)) => {
                    return Err(format!("the last ratings could not be written: {cause}"));
                }
            }
        }
        match probe_write(connection, bytes).await {
            Ok(true) => {}
            Ok(false) => return Err("migrations of this version are not applied; run `evenkeel migrate`".to_owned()),
            Err(error) => return Err(describe_error(&error)),
        }
        let mut last = self.lock_last_fault();
        // Keeps a different error that occurred during the check.
        if *last == fault {
            *last = None;
        }
        Ok(())
    }

    async fn write_and_roll_back(
        &self,
        connection: &mut PgConnection,
        request: RatingRequest,
    ) -> Result<(), WriteFailure> {
        let mut transaction = connection.begin().await?;
        self.decide_and_write(&mut transaction, &[request]).await?;
        Ok(transaction.rollback().await?)
    }
}

/// Takes the table locks of a batch, inserts and deletes a row of about `bytes` bytes, and commits. Returns `false` if
/// a migration of this program is not applied.
async fn probe_write(connection: &mut PgConnection, bytes: i32) -> sqlx::Result<bool> {
    if !has_required_migrations(connection).await? {
        return Ok(false);
    }
    let key = format!("{:016x}", rand::random::<u64>());
    let mut transaction = connection.begin().await?;
    sqlx::query!(
        "lock table rating_totals, rates, rating_history, score_days, refused_ratings, zombie_pauses,
            limiter_states in row exclusive mode"
    )
    .execute(&mut *transaction)
    .await?;
    sqlx::query!(
        "insert into limiter_states (limiter, key, state, updated_at, expires_at)
        select 'probe', $1, to_jsonb(string_agg(md5(random()::text), '')), 'epoch', 'epoch'
        from generate_series(1, $2::int / 32)",
        key,
        bytes,
    )
    .execute(&mut *transaction)
    .await?;
    sqlx::query!("delete from limiter_states where limiter = 'probe' and key = $1", key)
        .execute(&mut *transaction)
        .await?;
    commit(transaction).await?;
    Ok(true)
}
