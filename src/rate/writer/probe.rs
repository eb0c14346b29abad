//! Health check of the rating writer, which tests whether ratings can be written.

use std::sync::{MutexGuard, PoisonError};

use sqlx::{Connection as _, PgConnection};
use tokio::time::{Instant, timeout_at};

use super::failure::WriteFailure;
use super::read;
use super::transaction::{BATCH_TIMEOUT, BatchWriter, DatabaseFault};
use crate::db::{describe_error, timeout_error};
use crate::rate::models::RatingRequest;

/// Exceeds the free space in existing table pages, so that files must grow.
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
            // The cause may be the connection itself, for example if it was opened while the database was read-only.
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
        match read::probe_write(connection, bytes).await {
            Ok(true) => {}
            Ok(false) => return Err("migrations of this version are not applied; run `evenkeel migrate`".to_owned()),
            Err(error) => return Err(describe_error(&error)),
        }
        let mut last = self.lock_last_fault();
        // A different error may have occurred during the check.
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

    pub fn lock_last_fault(&self) -> MutexGuard<'_, Option<DatabaseFault>> {
        self.last_fault.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
