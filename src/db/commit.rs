//! Commits with a time limit.

use std::time::Duration;

use sqlx::{Postgres, Transaction};
use tokio::time::timeout;

use super::availability::timeout_error;
use super::idempotency::{current_attempt, mark_committed, replaced_error};

/// Time limit of a COMMIT. A server that waits for a synchronous standby may never respond, and `statement_timeout`
/// does not apply to COMMIT.
const COMMIT_TIMEOUT: Duration = Duration::from_secs(3);

/// Commits a transaction, with a time limit of 3 seconds.
///
/// # Errors
/// If the database fails or does not respond in time. After a timeout, the outcome of the transaction is unknown.
#[expect(clippy::disallowed_methods, reason = "the one place that limits its time")]
pub async fn commit(mut transaction: Transaction<'_, Postgres>) -> sqlx::Result<()> {
    if let Some(attempt) = current_attempt()
        && !mark_committed(&mut transaction, &[attempt]).await?
    {
        return Err(replaced_error());
    }
    timeout(COMMIT_TIMEOUT, transaction.commit()).await.unwrap_or_else(|_| Err(timeout_error(COMMIT_TIMEOUT)))
}
