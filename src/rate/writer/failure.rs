//! Failures of the transaction that writes ratings.

use std::borrow::Cow;

use sqlx::error::DatabaseError;

/// Determines whether and how the transaction is retried.
#[derive(Debug)]
pub enum WriteFailure {
    /// Nothing was written: the whole transaction may be retried.
    Retry(sqlx::Error),
    /// Nothing was written: a row lock was not released in time.
    Locked(sqlx::Error),
    /// Nothing was written: the data of a single rating may have caused the failure.
    Data(sqlx::Error),
    /// The commit may or may not have succeeded.
    Lost(sqlx::Error),
}

impl From<sqlx::Error> for WriteFailure {
    fn from(error: sqlx::Error) -> Self {
        const DEADLOCK: &str = "40P01";
        const SERIALIZATION: &str = "40001";
        const LOCK_NOT_AVAILABLE: &str = "55P03";
        // SQLSTATE classes of errors that a single rating can cause: cardinality, data, constraints, views, limits,
        // triggers, damaged pages. Others concern the connection or the server, such as 25006 (read-only transaction).
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

#[cfg(test)]
mod tests {
    use std::error::Error;

    use sqlx::error::ErrorKind;

    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("{0}")]
    struct ServerError(&'static str);

    impl DatabaseError for ServerError {
        fn message(&self) -> &str {
            self.0
        }

        fn code(&self) -> Option<Cow<'_, str>> {
            Some(self.0.into())
        }

        fn kind(&self) -> ErrorKind {
            ErrorKind::Other
        }

        fn as_error(&self) -> &(dyn Error + Send + Sync + 'static) {
            self
        }

        fn as_error_mut(&mut self) -> &mut (dyn Error + Send + Sync + 'static) {
            self
        }

        fn into_error(self: Box<Self>) -> Box<dyn Error + Send + Sync + 'static> {
            self
        }
    }

    #[test]
    fn errors_of_the_server_do_not_split_a_batch() {
        let failure = |code| WriteFailure::from(sqlx::Error::Database(Box::new(ServerError(code))));
        // Read-only after a failover, shutdown, too many connections, disk full.
        for code in ["25006", "57P01", "53300", "53100"] {
            assert!(matches!(failure(code), WriteFailure::Lost(_)), "{code}");
        }
        for code in ["23503", "22003", "P0001"] {
            assert!(matches!(failure(code), WriteFailure::Data(_)), "{code}");
        }
        assert!(matches!(failure("40P01"), WriteFailure::Retry(_)));
        assert!(matches!(failure("55P03"), WriteFailure::Locked(_)));
        assert!(matches!(WriteFailure::from(sqlx::Error::PoolTimedOut), WriteFailure::Lost(_)));
    }
}
