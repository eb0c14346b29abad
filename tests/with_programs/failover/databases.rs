//! Database servers for failover tests: two servers with Patroni, three etcd servers and `HAProxy`.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use evenkeel::db::Cluster;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::json;
use sqlx::postgres::PgConnectOptions;

use super::proxy::{Fault, Proxy};
use crate::deploy::{Beside, read};
use crate::support::{Actor, Program, as_database_user, give_to_database_user, reachable_tempdir, until};

/// Database server and its Patroni process.
pub struct Member {
    pub name: &'static str,
    pub dir: PathBuf,
    /// Address on which the REST API of Patroni listens.
    api: SocketAddr,
    /// Address on which the database server listens.
    database: SocketAddr,
    /// Proxies to the REST API and the database server, which all other programs use.
    api_proxy: Proxy,
    database_proxy: Proxy,
    /// Proxies to the etcd servers, which Patroni uses.
    etcd_proxies: Vec<Proxy>,
    patroni: Option<Child>,
}

impl Member {
    async fn new(name: &'static str, dir: PathBuf, etcd: &[EtcdServer]) -> Self {
        std::fs::create_dir(&dir).unwrap();
        give_to_database_user(&dir);
        let [api, database] = [(); 2].map(|()| Program::new(&dir).address);
        let [api_proxy, database_proxy] = [proxy_to(api).await, proxy_to(database).await];
        let mut etcd_proxies = Vec::new();
        for server in etcd {
            etcd_proxies.push(proxy_to(server.client).await);
        }
        Self { name, dir, api, database, api_proxy, database_proxy, etcd_proxies, patroni: None }
    }

    /// PIDs of Patroni and of all processes of the database server.
    fn processes(&self) -> Vec<Pid> {
        let postmaster = std::fs::read_to_string(self.dir.join("data/postmaster.pid")).ok();
        let postmaster = postmaster.and_then(|text| text.lines().next()?.parse().ok());
        // The PID file of a killed server may contain a PID that another process has reused.
        let is_own = |process: &i32| {
            let command = std::fs::read_to_string(format!("/proc/{process}/cmdline")).unwrap_or_default();
            command.contains(self.dir.to_str().unwrap())
        };
        let patroni = self.patroni.as_ref().map(|child| i32::try_from(child.id()).unwrap());
        let mut found: Vec<i32> = patroni.into_iter().chain(postmaster.filter(is_own)).collect();
        let mut next = 0;
        while let Some(parent) = found.get(next) {
            let children = Command::new("pgrep").args(["-P", &parent.to_string()]).output().unwrap();
            let children = String::from_utf8(children.stdout).unwrap();
            let new: Vec<i32> = children.lines().filter_map(|line| line.parse().ok()).collect();
            found.extend(new.into_iter().filter(|child| !found.contains(child)).collect::<Vec<_>>());
            next += 1;
        }
        found.into_iter().map(Pid::from_raw).collect()
    }

    /// True if the REST API of Patroni reports that the server has a role, such as `primary`.
    async fn has_role(&self, role: &str) -> bool {
        let api = Actor::new(self.api);
        let response = api.attempt(api.request("GET", &format!("/{role}"))).await;
        response.is_some_and(|response| response.status == 200)
    }

    pub fn signal(&self, signal: Signal) {
        for process in self.processes() {
            let _ = kill(process, signal);
        }
    }

    pub fn start(&mut self) {
        let log = std::fs::OpenOptions::new().create(true).append(true).open(self.dir.with_extension("log")).unwrap();
        let mut command = as_database_user("patroni");
        command.arg(self.dir.join("patroni.yml")).stdin(Stdio::null());
        self.patroni = Some(command.stdout(log.try_clone().unwrap()).stderr(log).spawn().unwrap());
    }

    pub fn kill(&mut self) {
        self.signal(Signal::SIGKILL);
        if let Some(mut patroni) = self.patroni.take() {
            let _ = patroni.wait();
        }
    }

    /// Sets a fault for connections to this server, and for connections from its Patroni to etcd.
    pub fn set_network(&self, fault: Fault) {
        for proxy in self.etcd_proxies.iter().chain([&self.api_proxy, &self.database_proxy]) {
            proxy.set(fault);
            // Resets connections that were open during the fault, because their peers consider them failed.
            if fault == Fault::None {
                proxy.reset();
            }
        }
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        self.signal(Signal::SIGCONT);
        self.kill();
    }
}

async fn proxy_to(address: SocketAddr) -> Proxy {
    Proxy::start(&PgConnectOptions::new_without_pgpass().host("127.0.0.1").port(address.port())).await
}

pub struct EtcdServer {
    name: &'static str,
    client: SocketAddr,
    /// Address for other etcd servers.
    peer: SocketAddr,
    dir: PathBuf,
    process: Option<Beside>,
}

impl EtcdServer {
    /// Starts the etcd server as a member of a cluster, such as `etcd1=http://127.0.0.1:12380,…`.
    fn start(&mut self, cluster: &str) {
        let (client, peer) = (self.client, self.peer);
        let mut command = Command::new("etcd");
        command.args(["--log-level", "error", "--name", self.name, "--data-dir"]).arg(&self.dir);
        command.arg(format!("--listen-client-urls=http://{client}"));
        command.arg(format!("--advertise-client-urls=http://{client}"));
        command.arg(format!("--listen-peer-urls=http://{peer}"));
        command.arg(format!("--initial-advertise-peer-urls=http://{peer}"));
        command.arg(format!("--initial-cluster={cluster}"));
        self.process = Some(Beside::start(&mut command, &self.dir.with_extension("log")));
    }

    pub fn signal(&self, signal: Signal) {
        self.process.as_ref().unwrap().signal(signal);
    }

    async fn is_leader(&self) -> Option<bool> {
        let client = Actor::new(self.client);
        let response = client.attempt(client.request("POST", "/v3/maintenance/status").json(&json!({}))).await?;
        let status = response.json();
        Some(status["leader"].is_string() && status["leader"] == status["header"]["member_id"])
    }
}

pub struct Databases {
    pub members: [Member; 2],
    pub etcd: [EtcdServer; 3],
    proxy: Option<Beside>,
    /// Address from which `HAProxy` forwards connections to the primary server.
    address: SocketAddr,
    dir: tempfile::TempDir,
}

impl Databases {
    pub async fn start() -> Self {
        let dir = reachable_tempdir();
        let address = || Program::new(dir.path()).address;
        let mut etcd = ["etcd1", "etcd2", "etcd3"].map(|name| EtcdServer {
            name,
            client: address(),
            peer: address(),
            dir: dir.path().join(name),
            process: None,
        });
        let cluster = cluster(&etcd);
        for server in &mut etcd {
            server.start(&cluster);
        }
        let first = Member::new("db1", dir.path().join("db1"), &etcd).await;
        let second = Member::new("db2", dir.path().join("db2"), &etcd).await;
        let mut started = Self { members: [first, second], etcd, proxy: None, address: address(), dir };
        started.etcd_leader().await;
        started.start_proxy();
        for number in 0..2 {
            std::fs::write(started.members[number].dir.join("patroni.yml"), started.configuration(number)).unwrap();
            started.members[number].start();
            // The server that starts first becomes the primary server.
            started.wait_for(number, if number == 0 { "primary" } else { "synchronous" }).await;
        }
        started
    }

    /// Example configuration of Patroni with the addresses of the test, and without TLS and passwords.
    fn configuration(&self, number: usize) -> String {
        let member = &self.members[number];
        let lines = read("failover/patroni.yml").replace("hostssl", "host").replace("scram-sha-256", "trust");
        let lines: Vec<&str> = lines.lines().filter(|line| !line.trim_start().starts_with("ssl")).collect();
        let etcd: Vec<String> = member.etcd_proxies.iter().map(|proxy| proxy.address.to_string()).collect();
        let connect = |address: SocketAddr| format!("connect_address: {address}");
        let lines = lines.join("\n");
        lines
            .replace(", password: PASSWORD", "")
            .replace("name: db1", &format!("name: {}", member.name))
            .replace("connect_address: 10.0.0.11:8008", &connect(member.api_proxy.address))
            .replace("connect_address: 10.0.0.11:5432", &connect(member.database_proxy.address))
            .replace("10.0.0.11:8008", &member.api.to_string())
            .replace("10.0.0.11:5432", &member.database.to_string())
            // `use_proxies` prevents Patroni from asking etcd for the addresses of its servers, which would bypass the
            // proxies.
            .replace("etcd3:", "etcd3:\n  use_proxies: true")
            .replace("10.0.0.21:2379, 10.0.0.22:2379, 10.0.0.23:2379", &etcd.join(", "))
            .replace("10.0.0.0/24", "127.0.0.1/32")
            .replace("/var/lib/postgresql/evenkeel", member.dir.join("data").to_str().unwrap())
            .replace("/usr/lib/postgresql/15/bin", Cluster::newest_bin_dir().unwrap().to_str().unwrap())
            .replace("        wal_log_hints", "        unix_socket_directories: \"\"\n        wal_log_hints")
    }

    pub fn start_proxy(&mut self) {
        // Removes the user and the log socket of `HAProxy`, which a test machine does not have.
        let lines = read("failover/haproxy.cfg").replace("user haproxy", "").replace("group haproxy", "");
        let mut lines = lines
            .replace("log /dev/log local0", "")
            .replace("log global", "")
            .replace("127.0.0.1:5000", &self.address.to_string());
        for (Member { database_proxy, api_proxy, .. }, host) in self.members.iter().zip(["10.0.0.11", "10.0.0.12"]) {
            let server = format!("{} check port {}", database_proxy.address, api_proxy.address.port());
            lines = lines.replace(&format!("{host}:5432 check port 8008"), &server);
        }
        let file = self.dir.path().join("haproxy.cfg");
        std::fs::write(&file, lines).unwrap();
        self.proxy =
            Some(Beside::start(Command::new("haproxy").arg("-f").arg(file), &self.dir.path().join("haproxy.log")));
    }

    pub fn signal_proxy(&self, signal: Signal) {
        self.proxy.as_ref().unwrap().signal(signal);
    }

    pub async fn wait_for(&self, number: usize, role: &str) {
        let member = &self.members[number];
        let what = format!("{} as {role}", member.name);
        until(&what, async || member.has_role(role).await.then_some(())).await;
    }

    pub async fn primary(&self) -> usize {
        let found = until("a primary server", async || {
            for (number, member) in self.members.iter().enumerate() {
                if member.has_role("primary").await {
                    return Some(number);
                }
            }
            None
        });
        found.await
    }

    pub async fn etcd_leader(&self) -> usize {
        let found = until("a leader of etcd", async || {
            for (number, server) in self.etcd.iter().enumerate() {
                if server.process.is_some() && server.is_leader().await == Some(true) {
                    return Some(number);
                }
            }
            None
        });
        found.await
    }

    pub fn kill_etcd(&mut self, number: usize) {
        self.etcd[number].signal(Signal::SIGKILL);
        self.etcd[number].process = None;
    }

    pub fn start_etcd(&mut self, number: usize) {
        let cluster = cluster(&self.etcd);
        self.etcd[number].start(&cluster);
    }

    pub fn options(&self) -> PgConnectOptions {
        let options = PgConnectOptions::new_without_pgpass().host("127.0.0.1").port(self.address.port());
        options.username("postgres").database("postgres").ssl_mode(sqlx::postgres::PgSslMode::Disable)
    }
}

fn cluster(etcd: &[EtcdServer]) -> String {
    let server = |server: &EtcdServer| format!("{}=http://{}", server.name, server.peer);
    etcd.iter().map(server).collect::<Vec<_>>().join(",")
}
