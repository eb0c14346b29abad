//! Errors of the private `PostgreSQL` server, with instructions to fix them.

use std::io;
use std::time::Duration;

/// Time limit of a server start, which usually takes milliseconds. Crash recovery, which may take long in a large cluster,
/// has no limit.
pub const STARTUP_TIMEOUT: Duration = Duration::from_mins(2);

#[derive(Debug, thiserror::Error)]
pub enum ClusterError {
    #[error("PostgreSQL is not installed. Install it ({install}).")]
    NotInstalled { install: String },
    #[error(
        "The database in {dir} was created by PostgreSQL {version}, which is not installed. Nothing was changed. \
         Install that version ({install}) and start again."
    )]
    WrongVersion {
        dir: String,
        version: String,
        install: String,
        /// Newest installed major version of `PostgreSQL`. `None` if no version is installed.
        newest: Option<String>,
    },
    #[error(
        "{path} already exists, but the upgrade would move the old database there. If it is left from an earlier \
         upgrade and no longer needed, delete it and try again. Nothing was changed."
    )]
    BackupExists { path: String },
    #[error(
        "PostgreSQL does not run as root, and neither of the users `postgres` and `nobody` exists; use another user"
    )]
    NoServerUser,
    #[error(
        "timed out waiting for the lock {path}, which is held by another process that starts or upgrades the database"
    )]
    Locked { path: String },
    #[error(
        "the socket directory {path} belongs to another user or is open to others; delete it, or set TMPDIR to a \
         private directory"
    )]
    ForeignSocketDir { path: String },
    #[error("{action}: {source}")]
    Io { action: String, source: io::Error },
    #[error("{program} failed: {output}")]
    Failed { program: &'static str, output: String },
    #[error(
        "PostgreSQL did not start within {} s, or did not stop in time; see its log file {log}",
        STARTUP_TIMEOUT.as_secs()
    )]
    Timeout { log: String },
}

pub trait IoContext<T> {
    fn or_io(self, action: impl FnOnce() -> String) -> Result<T, ClusterError>;
}

impl<T> IoContext<T> for io::Result<T> {
    fn or_io(self, action: impl FnOnce() -> String) -> Result<T, ClusterError> {
        self.map_err(|source| ClusterError::Io { action: action(), source })
    }
}
