//! `PostgreSQL` servers with streaming replication.

use std::ffi::OsStr;
use std::net::SocketAddr;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use evenkeel::db::Cluster;
use nix::sys::signal::{Signal, kill};
use nix::unistd::{Pid, Uid, User, chown};
use sqlx::postgres::PgConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions as _};

use super::program::{Program, reachable_tempdir};
use super::until;

/// `PostgreSQL` server that accepts connections by TCP, unlike the private server of a site.
pub struct PostgresServer {
    child: Child,
    data: PathBuf,
    pub address: SocketAddr,
}

impl PostgresServer {
    /// Starts a primary server with an empty database in `dir`, to which the database user must be able to write.
    pub async fn primary(dir: &Path) -> Self {
        let data = dir.join("primary");
        run(program("initdb").args(["--auth=trust", "--username=postgres", "--no-sync", "-D"]).arg(&data));
        Self::start(data).await
    }

    /// Copies a primary server, and starts the copy as its standby.
    pub async fn standby(dir: &Path, primary: &Self) -> Self {
        let data = dir.join("standby");
        let source = format!("host=127.0.0.1 port={} user=postgres", primary.address.port());
        let mut copy = program("pg_basebackup");
        run(copy.args(["--write-recovery-conf", "--checkpoint=fast", "--no-sync", "-d", &source, "-D"]).arg(&data));
        Self::start(data).await
    }

    async fn start(data: PathBuf) -> Self {
        let address = Program::new(&data).address;
        let mut server = Self { child: spawn(&data, address), data, address };
        server.accepts_connections().await;
        server
    }

    pub async fn restart(&mut self) {
        self.kill();
        self.child = spawn(&self.data, self.address);
        self.accepts_connections().await;
    }

    pub fn kill(&mut self) {
        self.signal(Signal::SIGQUIT);
        self.child.wait().unwrap();
    }

    fn signal(&mut self, signal: Signal) {
        // The PID of an ended process may belong to another process.
        if self.child.try_wait().unwrap().is_none() {
            let _ = kill(Pid::from_raw(self.child.id().try_into().unwrap()), signal);
        }
    }

    /// Sends a signal to all processes of the server.
    pub fn signal_all(&mut self, signal: Signal) {
        // The main process is signaled first, so that it starts no new processes.
        self.signal(signal);
        let children = Command::new("pgrep").args(["-P", &self.child.id().to_string()]).output().unwrap();
        for process in String::from_utf8(children.stdout).unwrap().lines() {
            let _ = kill(Pid::from_raw(process.parse().unwrap()), signal);
        }
    }

    async fn accepts_connections(&mut self) {
        until("a server that accepts connections", async || {
            assert!(self.child.try_wait().unwrap().is_none(), "the server in {} has ended", self.data.display());
            self.options().connect().await.ok()
        })
        .await;
    }

    #[allow(dead_code, reason = "only the benchmark of replicas uses it")]
    pub fn process(&self) -> u32 {
        self.child.id()
    }

    pub fn url(&self) -> String {
        format!("postgres://postgres@{}/postgres?sslmode=disable", self.address)
    }

    pub fn options(&self) -> PgConnectOptions {
        self.url().parse().unwrap()
    }

    pub async fn execute(&self, statement: impl Into<String>) {
        sqlx::query(AssertSqlSafe(statement.into()))
            .execute(&mut self.options().connect().await.unwrap())
            .await
            .unwrap();
    }
}

impl Drop for PostgresServer {
    fn drop(&mut self) {
        self.signal_all(Signal::SIGCONT);
        self.signal(Signal::SIGQUIT);
        let _ = self.child.wait();
    }
}

fn spawn(data: &Path, address: SocketAddr) -> Child {
    let log = std::fs::OpenOptions::new().create(true).append(true).open(data.with_extension("log")).unwrap();
    let mut server = program("postgres");
    server.arg("-D").arg(data).args(["-c", "unix_socket_directories=", "-c", "fsync=off"]);
    server.args(["-c", "listen_addresses=127.0.0.1", "-c", &format!("port={}", address.port())]);
    server.stdin(Stdio::null()).stdout(log.try_clone().unwrap()).stderr(log).spawn().unwrap()
}

fn program(name: &str) -> Command {
    as_database_user(Cluster::newest_bin_dir().unwrap().join(name))
}

/// Command that runs as the database user if the test runs as root, because `PostgreSQL` refuses to run as root.
pub fn as_database_user(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    if let Some(user) = database_user() {
        command.uid(user.uid.as_raw()).gid(user.gid.as_raw()).env("HOME", user.dir);
    }
    command
}

/// User `postgres` if the test runs as root, else `None`.
fn database_user() -> Option<User> {
    User::from_name("postgres").unwrap().filter(|_| Uid::effective().is_root())
}

fn run(command: &mut Command) {
    let output = command.stdin(Stdio::null()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Creates a temporary directory that belongs to the database user.
pub fn database_tempdir() -> tempfile::TempDir {
    let dir = reachable_tempdir();
    give_to_database_user(dir.path());
    dir
}

/// Makes the database user the owner of a file, if the test runs as root.
pub fn give_to_database_user(path: &Path) {
    chown(path, database_user().map(|user| user.uid), None).unwrap();
}
