//! Commits with a time limit.

use std::time::Duration;

use sqlx::{Postgres, Transaction};
use tokio::time::timeout;

use super::availability::no_answer;

/// Time limit of a COMMIT. A server that waits for its standby may never answer, and `statement_timeout` does not apply.
const COMMIT_TIMEOUT: Duration = Duration::from_secs(3);

/// Commits a transaction within 3 seconds.
///
/// # Errors
/// If the database fails or does not answer in time. It may be unknown then whether the transaction was committed.
#[expect(clippy::disallowed_methods, reason = "the one place that limits its time")]
pub async fn commit(transaction: Transaction<'_, Postgres>) -> sqlx::Result<()> {
    timeout(COMMIT_TIMEOUT, transaction.commit()).await.unwrap_or_else(|_| Err(no_answer(COMMIT_TIMEOUT)))
}
