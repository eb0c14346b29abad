//! The `evenkeel` program as a child process.

use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::actor::Actor;

/// The `evenkeel` program with its own working directory and environment variables.
#[derive(Clone)]
pub struct Program {
    pub dir: PathBuf,
    pub address: SocketAddr,
    pub variables: Vec<(&'static str, String)>,
}

impl Program {
    pub fn new(dir: &Path) -> Self {
        // The timeout is 10 s, because opening a database connection can take seconds on a busy machine.
        let variables = [("RATE_CLASSES", "off"), ("DATABASE_TIMEOUT_SECONDS", "10")];
        let variables = variables.map(|(name, value)| (name, value.to_owned())).to_vec();
        Self { dir: dir.to_owned(), address: unused_address(), variables }
    }

    pub fn with(mut self, name: &'static str, value: &str) -> Self {
        self.variables.push((name, value.to_owned()));
        self
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_evenkeel"));
        let kept = ["PATH", "HOME", "TMPDIR"].into_iter().filter_map(|name| Some((name, std::env::var_os(name)?)));
        command.args(arguments).current_dir(&self.dir).env_clear().envs(kept).env("BIND", self.address.to_string());
        command.envs(self.variables.iter().cloned()).stdin(Stdio::null());
        command
    }

    pub fn run(&self, arguments: &[&str]) -> (bool, String) {
        let Output { status, stdout, stderr } = self.command(arguments).output().unwrap();
        (status.success(), String::from_utf8([stdout, stderr].concat()).unwrap())
    }

    pub async fn start(&self) -> RunningProgram {
        let mut running = self.spawn();
        // Polls with one client, because creating a client takes longer than a request, and a proxy of the test may be
        // waiting for this thread.
        let guest = Actor::new(self.address);
        let patience = Instant::now() + Duration::from_mins(5);
        while !guest.is_site_ready().await {
            let ended = running.child.try_wait().unwrap();
            assert!(ended.is_none() && Instant::now() < patience, "{ended:?}: {}", self.read("err"));
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        running
    }

    pub fn spawn(&self) -> RunningProgram {
        self.spawn_command(self.command(&[]))
    }

    pub fn spawn_command(&self, mut command: Command) -> RunningProgram {
        let log = |name: &str| std::fs::File::create(self.log(name)).unwrap();
        RunningProgram { child: command.stdout(log("out")).stderr(log("err")).spawn().unwrap() }
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.log(name)).unwrap_or_default()
    }

    fn log(&self, name: &str) -> PathBuf {
        self.dir.join(format!("{}.{name}", self.address.port()))
    }
}

/// Returns an address whose port stays free until the program listens on it, and between restarts of the program.
///
/// The port is outside the range from which the operating system assigns ports to connections. By default, Linux and
/// macOS assign no ports below 32,768.
fn unused_address() -> SocketAddr {
    static TAKEN: AtomicU16 = AtomicU16::new(0);
    const PORTS: std::ops::Range<u16> = 12_000..32_000;
    // Concurrent test runs on one machine begin at different ports.
    let first = u16::try_from(std::process::id() % 1_000).unwrap() * 20;
    let mut ports = PORTS.map(|_| PORTS.start + first.wrapping_add(TAKEN.fetch_add(1, Ordering::Relaxed)) % 20_000);
    ports.find_map(|port| Some(TcpListener::bind(("127.0.0.1", port)).ok()?.local_addr().unwrap())).unwrap()
}

pub struct RunningProgram {
    pub child: Child,
}

impl RunningProgram {
    pub fn pid(&self) -> Pid {
        Pid::from_raw(self.child.id().try_into().unwrap())
    }

    pub fn signal(mut self, signal: Signal) -> ExitStatus {
        kill(self.pid(), signal).unwrap();
        self.child.wait().unwrap()
    }
}

impl Drop for RunningProgram {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Waits until the private `PostgreSQL` server has exited.
pub async fn wait_for_exit(pid: Pid) {
    let patience = Instant::now() + Duration::from_mins(2);
    while kill(pid, None).is_ok() {
        assert!(Instant::now() < patience, "the private PostgreSQL is still there");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

pub fn postmaster_pid(data: &Path) -> Pid {
    let text = std::fs::read_to_string(data.join("postgres/postmaster.pid")).unwrap();
    Pid::from_raw(text.lines().next().unwrap().parse().unwrap())
}

/// Creates a directory that the server's user can reach even if tests run as root.
pub fn reachable_tempdir() -> tempfile::TempDir {
    use std::os::unix::fs::PermissionsExt as _;
    let dir = tempfile::tempdir().unwrap();
    std::fs::set_permissions(dir.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    dir
}
