//! Errors of the private `PostgreSQL` server, with instructions to fix them.

use std::io;
use std::time::Duration;

/// Time limit of a server start. A start usually takes milliseconds, but crash recovery of a large cluster may take
/// long.
pub const STARTUP_TIMEOUT: Duration = Duration::from_mins(2);

#[derive(Debug, thiserror::Error)]
pub enum ClusterError {
    #[error(
        "PostgreSQL is not installed. Install it with\n\n    {install}\n\nor set DATABASE_URL to a server that is running."
    )]
    NotInstalled { install: String },
    #[error(
        "The database in {dir} was made by PostgreSQL {version}, which is not installed. Nothing in it has changed. Install \
         that version, on this system perhaps with\n\n    {install}\n{}\nor set DATABASE_URL to a server that is running.",
        upgrade_hint(newest.as_deref())
    )]
    WrongVersion { dir: String, version: String, install: String, newest: Option<String> },
    #[error(
        "{path} is in the way: the old database is kept there. If it is of an earlier upgrade and of no use any more, \
         delete it; nothing was changed."
    )]
    BackupExists { path: String },
    #[error("root cannot run PostgreSQL, and there is neither a user `postgres` nor `nobody` to run it")]
    NoServerUser,
    #[error("another start, or an upgrade, holds {path} and does not come to an end")]
    Locked { path: String },
    #[error("{path} belongs to somebody else; remove it, or set TMPDIR to a folder of your own")]
    ForeignSocketDir { path: String },
    #[error("{action}: {source}")]
    Io { action: String, source: io::Error },
    #[error("{program} failed:\n{output}")]
    Failed { program: &'static str, output: String },
    #[error("PostgreSQL did not get ready within {} s; its log is {log}", STARTUP_TIMEOUT.as_secs())]
    Timeout { log: String },
}

fn upgrade_hint(newest: Option<&str>) -> String {
    newest.map_or_else(String::new, |newest| {
        format!(
            "\nand start again. With both installed `evenkeel upgrade-database` moves the database to PostgreSQL {newest}, \
             and keeps the old one.\n"
        )
    })
}

pub trait IoContext<T> {
    fn or_io(self, action: impl FnOnce() -> String) -> Result<T, ClusterError>;
}

impl<T> IoContext<T> for io::Result<T> {
    fn or_io(self, action: impl FnOnce() -> String) -> Result<T, ClusterError> {
        self.map_err(|source| ClusterError::Io { action: action(), source })
    }
}
