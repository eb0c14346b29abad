//! What can be wrong with a private server, and what to do about it.

use std::io;
use std::time::Duration;

/// How long a start may take. It usually takes milliseconds, but crash recovery of a large cluster may take long.
pub const START_DEADLINE: Duration = Duration::from_mins(2);

#[derive(Debug, thiserror::Error)]
pub enum ClusterError {
    #[error(
        "PostgreSQL is not installed. Install it with\n\n    {install}\n\nor set DATABASE_URL to a server that is running."
    )]
    NotInstalled { install: String },
    #[error(
        "The cluster in {dir} was made by PostgreSQL {version}, which is not installed. Install that version, on this \
         system perhaps with\n\n    {install}\n\nor set DATABASE_URL to a server that is running."
    )]
    WrongVersion { dir: String, version: String, install: String },
    #[error("root cannot run PostgreSQL, and there is neither a user `postgres` nor `nobody` to run it")]
    NoUser,
    #[error("another start holds {path} and does not come to an end")]
    Held { path: String },
    #[error("{path} belongs to somebody else; remove it, or set TMPDIR to a folder of your own")]
    ForeignSocketDir { path: String },
    #[error("{action}: {source}")]
    Io { action: String, source: io::Error },
    #[error("{program} failed:\n{output}")]
    Failed { program: &'static str, output: String },
    #[error("PostgreSQL did not get ready within {} s; its log is {log}", START_DEADLINE.as_secs())]
    TooSlow { log: String },
}

pub trait OrIo<T> {
    /// Says what was being done when an input or output error came.
    fn or_io(self, action: impl FnOnce() -> String) -> Result<T, ClusterError>;
}

impl<T> OrIo<T> for io::Result<T> {
    fn or_io(self, action: impl FnOnce() -> String) -> Result<T, ClusterError> {
        self.map_err(|source| ClusterError::Io { action: action(), source })
    }
}
