//! Commits with a time limit.

use std::io;
use std::time::Duration;

use sqlx::{Postgres, Transaction};
use tokio::time::timeout;

use super::availability::timeout_error;

/// A server that waits for a synchronous standby may never respond, and `statement_timeout` does not apply to COMMIT.
const COMMIT_TIMEOUT: Duration = Duration::from_secs(3);

/// The transaction may have been committed.
#[derive(Debug, thiserror::Error)]
#[error("the outcome of the transaction is unknown: {0}")]
struct OutcomeUnknown(sqlx::Error);

/// After an error, the outcome may be unknown; see [`is_outcome_unknown`].
#[expect(clippy::disallowed_methods, reason = "the one place that limits its time")]
pub async fn commit(transaction: Transaction<'_, Postgres>) -> sqlx::Result<()> {
    let committed = timeout(COMMIT_TIMEOUT, transaction.commit()).await;
    committed.unwrap_or_else(|_| Err(timeout_error(COMMIT_TIMEOUT))).map_err(|error| match error {
        // The server has rejected the transaction.
        sqlx::Error::Database(error) => sqlx::Error::Database(error),
        error => sqlx::Error::Io(io::Error::other(OutcomeUnknown(error))),
    })
}

pub fn is_outcome_unknown(error: &anyhow::Error) -> bool {
    error.chain().filter_map(|cause| cause.downcast_ref::<sqlx::Error>()).any(|error| match error {
        sqlx::Error::Io(error) => {
            error.get_ref().is_some_and(<dyn std::error::Error + Send + Sync>::is::<OutcomeUnknown>)
        }
        _ => false,
    })
}
