//! A cluster that runs as long as somebody holds it.

use std::fs::File;
use std::path::{Path, PathBuf};

use sqlx::postgres::PgConnectOptions;

use super::error::ClusterError;
use super::files::{lock, make_private_dir};
use super::initialise::SITE;
use super::programs::Programs;
use super::server;
use super::server::Server;

/// A running cluster. It is stopped when the last process that holds one is gone.
#[derive(Debug)]
pub struct Cluster {
    pub(super) server: Server,
    pub(super) _holder: File,
}

/// Where a cluster is kept and how careful it is.
#[derive(Clone, Debug)]
pub struct ClusterOptions {
    /// The folder to use, made if it is missing.
    pub dir: PathBuf,
    /// Used instead where the server's user cannot reach `dir`, as below a private home of root.
    pub fallback_dir: PathBuf,
    /// Whether a commit survives a power cut. Only tests may do without; their role may also create databases.
    pub durable: bool,
    /// A folder of programs that is looked at before those that are installed, of which a new cluster gets the newest.
    pub programs: Option<PathBuf>,
}

impl Cluster {
    /// Starts the server again if it was killed, or if its socket is gone: programs that clean up temporary folders may
    /// remove it. Blocks. Returns whether the server had to be started.
    ///
    /// # Errors
    /// As starting it.
    pub fn revive(&self) -> Result<bool, ClusterError> {
        if self.server.process_lives() && self.server.has_socket() {
            return Ok(false);
        }
        let _lock = lock(&self.server.dir)?;
        if !self.server.has_socket() {
            server::stop(&self.server.dir)?;
            make_private_dir(&self.server.socket_dir, self.server.owner)?;
        }
        self.server.run().map(|()| true)
    }

    /// How to connect to the site's own database, as its own role.
    #[must_use]
    pub fn connect_options(&self) -> PgConnectOptions {
        self.connect_as(SITE).database(SITE)
    }

    /// The site's database as a URL, for programs that take one.
    #[must_use]
    pub fn url(&self, database: &str) -> String {
        format!("postgres://{SITE}@localhost/{database}?host={}", self.server.socket_dir.display())
    }

    /// The folder of the server's programs, and of those that come with them, such as `pgbench`.
    ///
    /// # Errors
    /// If they are no longer there.
    pub fn programs(&self) -> Result<PathBuf, ClusterError> {
        self.server.programs().map(|programs| programs.bin)
    }

    /// The folder of the newest programs that are installed. Those for clients work with older servers, too.
    ///
    /// # Errors
    /// If there are none.
    pub fn newest_programs() -> Result<PathBuf, ClusterError> {
        Programs::newest().map(|programs| programs.bin)
    }

    /// The major version of the server, and the newest that is installed.
    ///
    /// # Errors
    /// If its programs are no longer there.
    pub fn versions(&self) -> Result<(String, String), ClusterError> {
        let ours = self.server.programs()?;
        Ok((ours.major(), Programs::newest()?.major()))
    }

    /// A FIFO: whoever holds it open for writing keeps the server running.
    #[must_use]
    pub fn fifo(&self) -> &Path {
        &self.server.fifo
    }

    fn connect_as(&self, role: &str) -> PgConnectOptions {
        PgConnectOptions::new_without_pgpass().socket(&self.server.socket_dir).username(role)
    }
}
