//! Failover of the database with the example configuration: Patroni replaces the primary server while instances of the
//! site store ratings.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use evenkeel::db::{Cluster, read_connection_limit};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use sqlx::postgres::PgConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _};

use self::instances::Fleet;
use crate::deploy::{Beside, read};
use crate::support::{Actor, Program, as_database_user, give_to_database_user, reachable_tempdir, until};

#[path = "../site/faults/instances.rs"]
#[allow(dead_code, reason = "the fault tests use the rest")]
pub mod instances;
#[path = "../site/faults/proxy.rs"]
#[allow(dead_code, reason = "the fault tests use the rest")]
mod proxy;

/// Maximum time from the promotion of a standby until all instances are ready again.
const RECOVERY: Duration = Duration::from_secs(10);

/// Database server with its Patroni.
struct Member {
    name: &'static str,
    api: SocketAddr,
    database: SocketAddr,
    dir: PathBuf,
    patroni: Option<Child>,
}

impl Member {
    /// Process ids of Patroni and of the server with all of its processes.
    fn processes(&self) -> Vec<Pid> {
        let postmaster = std::fs::read_to_string(self.dir.join("data/postmaster.pid")).ok();
        let postmaster = postmaster.and_then(|text| text.lines().next()?.parse().ok());
        // The process id in the file of a server that was killed may belong to another process by now.
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

    /// Asks the REST API of Patroni whether the server has a role, such as `primary`.
    async fn has_role(&self, role: &str) -> bool {
        let api = Actor::new(self.api);
        let response = api.attempt(api.request("GET", &format!("/{role}"))).await;
        response.is_some_and(|response| response.status == 200)
    }

    fn signal(&self, signal: Signal) {
        for process in self.processes() {
            let _ = kill(process, signal);
        }
    }

    fn start(&mut self) {
        let log = std::fs::OpenOptions::new().create(true).append(true).open(self.dir.with_extension("log")).unwrap();
        let mut command = as_database_user("patroni");
        command.arg(self.dir.join("patroni.yml")).stdin(Stdio::null());
        self.patroni = Some(command.stdout(log.try_clone().unwrap()).stderr(log).spawn().unwrap());
    }

    fn kill(&mut self) {
        self.signal(Signal::SIGKILL);
        if let Some(mut patroni) = self.patroni.take() {
            let _ = patroni.wait();
        }
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        self.signal(Signal::SIGCONT);
        self.kill();
    }
}

/// Two database servers, etcd and `HAProxy`.
struct Databases {
    members: [Member; 2],
    proxy: Option<Beside>,
    etcd: Beside,
    /// Address at which `HAProxy` forwards connections to the primary server.
    address: SocketAddr,
    dir: tempfile::TempDir,
}

impl Databases {
    async fn start() -> Self {
        let dir = reachable_tempdir();
        let address = || Program::new(dir.path()).address;
        let (client, peer) = (address(), address());
        let etcd = Beside::start(
            Command::new("etcd")
                .args(["--log-level", "error", "--data-dir"])
                .arg(dir.path().join("etcd"))
                .arg(format!("--listen-client-urls=http://{client}"))
                .arg(format!("--advertise-client-urls=http://{client}"))
                .arg(format!("--listen-peer-urls=http://{peer}"))
                .arg(format!("--initial-advertise-peer-urls=http://{peer}"))
                .arg(format!("--initial-cluster=default=http://{peer}")),
            &dir.path().join("etcd.log"),
        );
        let members = ["db1", "db2"].map(|name| {
            let (api, database, own) = (address(), address(), dir.path().join(name));
            std::fs::create_dir(&own).unwrap();
            give_to_database_user(&own);
            Member { name, api, database, dir: own, patroni: None }
        });
        let mut started = Self { members, proxy: None, etcd, address: address(), dir };
        started.start_proxy();
        for number in 0..2 {
            std::fs::write(started.members[number].dir.join("patroni.yml"), started.configuration(number, client))
                .unwrap();
            started.members[number].start();
            // The first server becomes the primary.
            started.wait_for(&started.members[number], if number == 0 { "primary" } else { "synchronous" }).await;
        }
        started
    }

    /// Example configuration with the addresses of the test, and without passwords.
    fn configuration(&self, number: usize, etcd: SocketAddr) -> String {
        let member = &self.members[number];
        let lines = read("failover/patroni.yml").replace("hostssl", "host").replace("scram-sha-256", "trust");
        let lines: Vec<&str> = lines.lines().filter(|line| !line.trim_start().starts_with("ssl")).collect();
        let lines = lines.join("\n");
        lines
            .replace(", password: PASSWORD", "")
            .replace("name: db1", &format!("name: {}", member.name))
            .replace("10.0.0.11:8008", &member.api.to_string())
            .replace("10.0.0.11:5432", &member.database.to_string())
            .replace("10.0.0.21:2379, 10.0.0.22:2379, 10.0.0.23:2379", &etcd.to_string())
            .replace("10.0.0.0/24", "127.0.0.1/32")
            .replace("/var/lib/postgresql/evenkeel", member.dir.join("data").to_str().unwrap())
            .replace("/usr/lib/postgresql/15/bin", Cluster::newest_bin_dir().unwrap().to_str().unwrap())
            .replace("        wal_log_hints", "        unix_socket_directories: \"\"\n        wal_log_hints")
    }

    fn start_proxy(&mut self) {
        let [first, second] = &self.members;
        let port = |address: SocketAddr| format!("check port {}", address.port());
        // The test has neither the user nor the log of the system.
        let lines = read("failover/haproxy.cfg").replace("user haproxy", "").replace("group haproxy", "");
        let lines = lines
            .replace("log /dev/log local0", "")
            .replace("log global", "")
            .replace("127.0.0.1:5000", &self.address.to_string())
            .replace("10.0.0.11:5432 check port 8008", &format!("{} {}", first.database, port(first.api)))
            .replace("10.0.0.12:5432 check port 8008", &format!("{} {}", second.database, port(second.api)));
        let file = self.dir.path().join("haproxy.cfg");
        std::fs::write(&file, lines).unwrap();
        self.proxy =
            Some(Beside::start(Command::new("haproxy").arg("-f").arg(file), &self.dir.path().join("haproxy.log")));
    }

    /// Waits until a member has a role.
    async fn wait_for(&self, member: &Member, role: &str) {
        let what = format!("{} as {role}", member.name);
        until(&what, async || member.has_role(role).await.then_some(())).await;
    }

    /// Number of the primary server.
    async fn primary(&self) -> usize {
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

    fn options(&self) -> PgConnectOptions {
        let options = PgConnectOptions::new_without_pgpass().host("127.0.0.1").port(self.address.port());
        options.username("postgres").database("postgres").ssl_mode(sqlx::postgres::PgSslMode::Disable)
    }
}

/// Waits until the instances are ready and have stored more ratings.
async fn stores_again(fleet: &Fleet, load: &instances::Load) {
    fleet.serves_again(RECOVERY).await;
    let before = load.acknowledged();
    until("stored ratings", async || (load.acknowledged() > before + 50).then_some(())).await;
}

pub async fn failover_loses_no_acknowledged_rating() {
    let mut databases = Databases::start().await;
    let options = databases.options();
    let mut connection = until("the primary server through HAProxy", async || options.connect().await.ok()).await;
    assert!(read_connection_limit(&mut connection).await.unwrap() > 50);
    connection.close().await.unwrap();
    let settings = [("RATING_LIMITER", "off"), ("DATABASE_CONNECTIONS", "12")];
    let mut fleet = Fleet::on(&options, 3, &settings).await;
    let (posts, crowd) = (fleet.posts(5).await, fleet.crowd(24).await);
    let load = fleet.load(&crowd, &posts);
    load.is_under_way().await;

    // The primary server is killed together with Patroni, as when its machine loses power.
    let first = databases.primary().await;
    databases.members[first].kill();
    let second = 1 - first;
    databases.wait_for(&databases.members[second], "primary").await;
    stores_again(&fleet, &load).await;
    databases.members[first].start();
    databases.wait_for(&databases.members[first], "synchronous").await;

    // The primary server hangs until another has taken its place.
    databases.members[second].signal(Signal::SIGSTOP);
    databases.wait_for(&databases.members[first], "primary").await;
    stores_again(&fleet, &load).await;
    // The server does not continue, as with a watchdog: until Patroni stops it, it could respond with old data.
    databases.members[second].kill();
    databases.members[second].start();
    databases.wait_for(&databases.members[second], "synchronous").await;

    // The standby is killed. The primary server continues alone.
    databases.members[second].kill();
    stores_again(&fleet, &load).await;
    databases.members[second].start();
    databases.wait_for(&databases.members[second], "synchronous").await;

    // The primary server hands over its role.
    let mut switchover = as_database_user("patronictl");
    switchover.arg("-c").arg(databases.members[first].dir.join("patroni.yml")).args(["switchover", "evenkeel"]);
    switchover.args(["--leader", databases.members[first].name, "--force"]).stdin(Stdio::null());
    let switched = switchover.output().unwrap();
    assert!(switched.status.success(), "{switched:?}");
    databases.wait_for(&databases.members[second], "primary").await;
    stores_again(&fleet, &load).await;

    // The proxy is restarted.
    databases.proxy = None;
    databases.start_proxy();
    stores_again(&fleet, &load).await;

    // Without etcd the primary server becomes read-only, because it cannot know whether another has taken its place.
    databases.etcd.signal(Signal::SIGSTOP);
    let reader = Actor::new(fleet.address(0));
    let unready =
        until("an instance that is not ready", async || (reader.get("/readyz").await.status == 503).then_some(()));
    unready.await;
    databases.etcd.signal(Signal::SIGCONT);
    databases.primary().await;
    stores_again(&fleet, &load).await;

    let history = fleet.settle(load).await;
    assert!(history.unknown > 0, "{history:?}");
    for instance in 0..3 {
        // Outages of more than a minute in total. Without waiting, the task would have failed every two seconds.
        let log = fleet.log(instance);
        let interrupted = log.matches("delivery of webhooks interrupted").count();
        assert!(log.contains("database unreachable") && interrupted <= 12, "{log}");
    }
}
