//! Handle to a running `PostgreSQL` cluster, and the options of a cluster.

use std::fs::File;
use std::path::{Path, PathBuf};

use sqlx::postgres::PgConnectOptions;

use crate::binaries::Binaries;
use crate::cluster_files::{create_private_dir, lock_dir};
use crate::error::ClusterError;
use crate::initialize::DATABASE_NAME;
use crate::server;
use crate::server::Server;

/// Handle to a running cluster. The server stops when no process has a handle to its cluster any more.
#[derive(Debug)]
pub struct Cluster {
    pub(crate) server: Server,
    pub(crate) _holder: File,
}

#[derive(Clone, Debug)]
pub struct ClusterOptions {
    /// Directory of the cluster, created if it is missing.
    pub dir: PathBuf,
    /// Directory that is used instead of `dir` if the user who runs the server cannot reach `dir`, for example because
    /// it is below the home directory of root.
    pub fallback_dir: PathBuf,
    /// False in tests only, where commits need not survive a power failure and the role may create databases.
    pub durable: bool,
    /// Directory with server binaries, which take precedence over installed binaries. If `None`, a new cluster uses the
    /// newest installed version.
    pub bin_dir: Option<PathBuf>,
}

impl Cluster {
    /// Restarts the server if it was killed, or if its socket was deleted, for example by a cleanup of temporary
    /// directories. Blocks the thread. Returns true if the server was restarted.
    pub fn restart_if_down(&self) -> Result<bool, ClusterError> {
        if self.server.is_process_alive() && self.server.has_socket() {
            return Ok(false);
        }
        let _lock = lock_dir(&self.server.dir)?;
        if !self.server.has_socket() {
            server::stop(&self.server.dir)?;
            create_private_dir(&self.server.socket_dir, self.server.owner)?;
        }
        self.server.ensure_running().map(|()| true)
    }

    /// Connection options for the site's database and role.
    pub fn connect_options(&self) -> PgConnectOptions {
        self.connect_as(DATABASE_NAME).database(DATABASE_NAME)
    }

    /// Connection URL of a database in this cluster, for programs that take a URL.
    pub fn database_url(&self, database: &str) -> String {
        format!("postgres://{DATABASE_NAME}@localhost/{database}?host={}", self.server.socket_dir.display())
    }

    /// Directory of the server's binaries, which also contains tools such as `pgbench`.
    pub fn bin_dir(&self) -> Result<PathBuf, ClusterError> {
        self.server.binaries().map(|programs| programs.bin)
    }

    /// Directory of the newest installed binaries, for client programs, which also work with servers of older versions.
    pub fn newest_bin_dir() -> Result<PathBuf, ClusterError> {
        Binaries::newest().map(|programs| programs.bin)
    }

    /// Major version of the running server, and newest installed major version.
    pub fn current_and_newest_version(&self) -> Result<(String, String), ClusterError> {
        let ours = self.server.binaries()?;
        Ok((ours.major_version(), Binaries::newest()?.major_version()))
    }

    /// FIFO that keeps the server running while any process holds it open for writing.
    pub fn keep_alive_fifo(&self) -> &Path {
        &self.server.fifo
    }

    fn connect_as(&self, role: &str) -> PgConnectOptions {
        PgConnectOptions::new_without_pgpass().socket(&self.server.socket_dir).username(role)
    }
}
