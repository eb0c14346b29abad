//! The private `PostgreSQL` server, which lets `cargo run` work without any set-up.
//!
//! A cluster lives in one folder. It can be reached through a unix socket only, and only by the user who started it. It
//! runs as long as any process uses it: every such process holds the write end of a FIFO, and a small shell beside the
//! server reads from it. When the last holder is gone (it returned, panicked or was killed), the kernel closes the
//! FIFO; the shell sees its end and stops the server. So the kernel counts the users for us, across processes.

mod error;
mod files;
mod initialise;
mod programs;
mod server;
mod server_user;

use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};

use sqlx::postgres::PgConnectOptions;

pub use self::error::ClusterError;
use self::error::OrIo as _;
use self::files::{lock, make_fifo, make_private_dir, make_socket_dir, reachable_dir};
use self::initialise::{SITE, initialise};
use self::programs::Programs;
use self::server::{PidFile, Server};
use self::server_user::ServerUser;

/// A running cluster. It is stopped when the last process that holds one is gone.
#[derive(Debug)]
pub struct Cluster {
    server: Server,
    _holder: File,
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
}

impl Cluster {
    /// Joins the cluster if it is running; otherwise starts it, and makes it first if it does not exist. Blocks.
    ///
    /// # Errors
    /// They say what is missing or failed, and what to do about it.
    pub fn start(options: &ClusterOptions) -> Result<Self, ClusterError> {
        let owner = ServerUser::choose()?;
        let dir = reachable_dir(&options.dir, &options.fallback_dir, owner)?;
        let lock = lock(&dir)?;
        if !dir.join("postgres").exists() {
            initialise(&dir, owner, &Programs::find(&dir.join("postgres"))?, options.durable)?;
        }
        let mut socket_dir = make_socket_dir(&dir, owner)?;
        let fifo = make_fifo(&dir, owner)?;
        // Open for reading, too: with writing alone, `open` would wait until the shell reads. The server does not
        // inherit it.
        let holder = OpenOptions::new().read(true).write(true).open(&fifo);
        let holder = holder.or_io(|| format!("cannot open {}", fifo.display()))?;
        // The running server may have been started with another TMPDIR: its pid file says where it listens.
        if let PidFile::Names(running) = PidFile::read(&dir)
            && running.is_alive()
        {
            socket_dir = running.socket_dir;
        }
        let server = Server { dir, socket_dir, fifo, owner, durable: options.durable };
        server.run()?;
        drop(lock);
        Ok(Self { server, _holder: holder })
    }

    /// Starts the server again if it was killed, or if its socket is gone: programs that clean up temporary folders may
    /// remove it. Blocks. Returns whether the server had to be started.
    ///
    /// # Errors
    /// As [`start`](Self::start).
    pub fn revive(&self) -> Result<bool, ClusterError> {
        if self.server.process_lives() && self.server.has_socket() {
            return Ok(false);
        }
        let _lock = lock(&self.server.dir)?;
        if !self.server.has_socket() {
            self.server.stop()?;
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
        Programs::find(&self.server.dir.join("postgres")).map(|programs| programs.bin)
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
