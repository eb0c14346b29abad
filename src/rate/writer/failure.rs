//! Failures of the transaction that writes ratings.

use std::borrow::Cow;

use sqlx::error::DatabaseError;

/// Type of failure. The type determines whether and how the transaction is retried.
#[derive(Debug)]
pub enum WriteFailure {
    /// Nothing was written: the whole transaction may be retried.
    Retry(sqlx::Error),
    /// Nothing was written: the row lock of another transaction was not released in time.
    Locked(sqlx::Error),
    /// Nothing was written: the data of a single rating may have caused the failure.
    Data(sqlx::Error),
    /// Connection or server error. The commit may or may not have succeeded.
    Lost(sqlx::Error),
}

impl From<sqlx::Error> for WriteFailure {
    fn from(error: sqlx::Error) -> Self {
        const DEADLOCK: &str = "40P01";
        const SERIALIZATION: &str = "40001";
        const LOCK_NOT_AVAILABLE: &str = "55P03";
        // SQLSTATE classes of errors that a single rating can cause: cardinality, data, constraints, views, limits,
        // triggers, damaged pages. All other errors concern the connection or the server, such as 25006 (read-only
        // transaction).
        const OF_A_ROW: [&str; 7] = ["21", "22", "23", "44", "54", "P0", "XX"];
        let code = error.as_database_error().and_then(DatabaseError::code).map(Cow::into_owned);
        match code.as_deref() {
            Some(DEADLOCK | SERIALIZATION) => Self::Retry(error),
            Some(LOCK_NOT_AVAILABLE) => Self::Locked(error),
            Some(code) if OF_A_ROW.iter().any(|class| code.starts_with(class)) => Self::Data(error),
            _ => Self::Lost(error),
        }
    }
}
