//! A Valkey or Redis server for tests.

use std::net::{Ipv4Addr, TcpListener};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Longest wait for a server to start or to change its role.
pub const SERVER_TIMEOUT: Duration = Duration::from_secs(30);

/// Server on a free port, without persistence. It stops when this value is dropped.
pub struct Server {
    process: Child,
    pub port: u16,
    /// Working directory, in which a replica writes the data of the primary server.
    directory: PathBuf,
}

impl Server {
    pub fn start() -> Self {
        loop {
            let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap().port();
            if let Some(server) = Self::start_on(free) {
                return server;
            }
        }
    }

    /// Starts a server on a port. `None` if another program uses the port.
    pub fn start_on(port: u16) -> Option<Self> {
        let mut command = Command::new(program().unwrap());
        command.args(["--port", &port.to_string(), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]);
        let directory = std::env::temp_dir().join(format!("evenkeel-valkey-{}-{port}", std::process::id()));
        std::fs::create_dir_all(&directory).unwrap();
        let process = command.current_dir(&directory).stdout(Stdio::null()).spawn().unwrap();
        let mut server = Self { process, port, directory };
        let own = format!("process_id:{}\r", server.process.id());
        let start = Instant::now();
        loop {
            if server.command(&["INFO", "server"]).is_some_and(|info| info.contains(&own)) {
                return Some(server);
            }
            if server.process.try_wait().unwrap().is_some() {
                return None;
            }
            assert!(start.elapsed() < SERVER_TIMEOUT);
            std::thread::yield_now();
        }
    }

    pub fn url(&self) -> String {
        format!("redis://127.0.0.1:{}/", self.port)
    }

    pub fn signal(&self, name: &str) {
        let sent = Command::new("kill").args(["-s", name, &self.process.id().to_string()]).status();
        assert!(sent.unwrap().success());
    }

    /// Runs a command on the server. `None` if the server is not available.
    pub fn command(&self, words: &[&str]) -> Option<String> {
        let mut connection = redis::Client::open(("127.0.0.1", self.port)).unwrap().get_connection().ok()?;
        let mut command = redis::cmd(words[0]);
        let value: redis::Value = command.arg(&words[1..]).query(&mut connection).ok()?;
        redis::from_redis_value(value).ok()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}

pub fn program() -> Option<&'static str> {
    let runs = |program: &&str| {
        let version = Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        version.is_ok_and(|status| status.success())
    };
    ["valkey-server", "redis-server"].into_iter().find(runs)
}

pub fn wait_until(condition: impl Fn() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < SERVER_TIMEOUT);
        std::thread::yield_now();
    }
}
