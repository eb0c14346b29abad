//! Reads from a replica: a primary server with a standby that streams its changes.

use std::net::SocketAddr;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use evenkeel::db::Cluster;
use evenkeel::db::clock::Clock;
use nix::sys::signal::{Signal, kill};
use nix::unistd::{Pid, Uid, User, chown};
use sqlx::PgPool;
use sqlx::postgres::PgConnectOptions;

use crate::support::{Actor, DatabaseLease, Program, TestSite, reachable_tempdir};

struct Server {
    child: Child,
    data: PathBuf,
    address: SocketAddr,
}

impl Server {
    /// Starts a primary server with an empty database.
    async fn primary(dir: &Path) -> Self {
        let data = dir.join("primary");
        run(program("initdb").args(["--auth=trust", "--username=postgres", "--no-sync", "-D"]).arg(&data));
        Self::start(data).await
    }

    /// Copies a primary server, and starts the copy as its standby.
    async fn standby(dir: &Path, primary: &Self) -> Self {
        let data = dir.join("standby");
        let source = format!("host=127.0.0.1 port={} user=postgres", primary.address.port());
        let mut copy = program("pg_basebackup");
        run(copy.args(["--write-recovery-conf", "--checkpoint=fast", "--no-sync", "-d", &source, "-D"]).arg(&data));
        Self::start(data).await
    }

    async fn start(data: PathBuf) -> Self {
        let address = Program::new(&data).address;
        let server = Self { child: spawn(&data, address), data, address };
        server.accepts_connections().await;
        server
    }

    async fn restart(&mut self) {
        self.kill();
        self.child = spawn(&self.data, self.address);
        self.accepts_connections().await;
    }

    fn kill(&mut self) {
        self.signal(Signal::SIGQUIT);
        self.child.wait().unwrap();
    }

    fn signal(&self, signal: Signal) {
        let _ = kill(Pid::from_raw(self.child.id().try_into().unwrap()), signal);
    }

    /// Sends a signal to all processes of the server.
    fn signal_all(&self, signal: Signal) {
        let children = Command::new("pgrep").args(["-P", &self.child.id().to_string()]).output().unwrap();
        for process in String::from_utf8(children.stdout).unwrap().lines() {
            let _ = kill(Pid::from_raw(process.parse().unwrap()), signal);
        }
        self.signal(signal);
    }

    async fn accepts_connections(&self) {
        until(async || self.pool().acquire().await.is_ok().then_some(())).await;
    }

    fn url(&self) -> String {
        format!("postgres://postgres@{}/postgres?sslmode=disable", self.address)
    }

    fn options(&self) -> PgConnectOptions {
        self.url().parse().unwrap()
    }

    fn pool(&self) -> PgPool {
        PgPool::connect_lazy_with(self.options())
    }

    async fn execute(&self, statement: &'static str) {
        sqlx::query(statement).execute(&self.pool()).await.unwrap();
    }

    async fn count(&self, statement: &'static str) -> i64 {
        sqlx::query_scalar(statement).fetch_one(&self.pool()).await.unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
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

/// Program of `PostgreSQL`, which must not run as root.
fn program(name: &str) -> Command {
    let mut command = Command::new(Cluster::newest_bin_dir().unwrap().join(name));
    if let Some(user) = database_user() {
        command.uid(user.uid.as_raw()).gid(user.gid.as_raw());
    }
    command
}

/// User of the servers, if the test runs as root.
fn database_user() -> Option<User> {
    User::from_name("postgres").unwrap().filter(|_| Uid::effective().is_root())
}

fn run(command: &mut Command) {
    let output = command.stdin(Stdio::null()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Polls `look` until it returns a value.
async fn until<T>(mut look: impl AsyncFnMut() -> Option<T>) -> T {
    let patience = Instant::now() + Duration::from_mins(2);
    loop {
        if let Some(found) = look().await {
            return found;
        }
        assert!(Instant::now() < patience);
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// A site with a primary server and a standby.
struct ReplicatedSite {
    site: TestSite,
    primary: Server,
    standby: Server,
    _dir: tempfile::TempDir,
}

impl ReplicatedSite {
    async fn start() -> Self {
        let dir = reachable_tempdir();
        chown(dir.path(), database_user().map(|user| user.uid), None).unwrap();
        let primary = Server::primary(dir.path()).await;
        let lease = DatabaseLease::of_cluster(&primary.options()).await;
        let standby = Server::standby(dir.path(), &primary).await;
        let settings = [("DATABASE_URL", &*primary.url()), ("DATABASE_REPLICA_URL", &*standby.url())];
        let settings = [settings[0], settings[1], ("DATABASE_TIMEOUT_SECONDS", "2")];
        let site = TestSite::start_on(lease, &settings, 1, Clock::Database);
        let replicated = Self { site, primary, standby, _dir: dir };
        replicated.uses_standby().await;
        replicated
    }

    /// Waits until guests read from the standby, or no longer do.
    async fn uses_standby(&self) {
        until(async || self.is_standby_used().then_some(())).await;
    }

    async fn leaves_standby(&self) {
        until(async || (!self.is_standby_used()).then_some(())).await;
    }

    fn is_standby_used(&self) -> bool {
        self.site.site().state().replica_for(None).is_some()
    }

    async fn metrics(&self) -> String {
        self.site.site().metric_sources().encode().await
    }

    /// Status of a page for visitors without a session.
    async fn guest(&self, path: &str) -> u16 {
        self.site.guest().page(path).await.status.as_u16()
    }
}

#[actix_web::test]
async fn guests_read_from_the_replica_and_see_every_change_of_the_instance() {
    let replicated = ReplicatedSite::start().await;
    let author = replicated.site.user("author").await;
    let first = author.write("First post", "Its text about herons.").await;
    replicated.uses_standby().await;
    // Only requests open connections with this name.
    let connections = "select count(*) from pg_stat_activity where application_name = 'evenkeel'";
    assert_eq!(replicated.standby.count(connections).await, 0);
    let json = format!("/blogs/{first}/");
    until(async || {
        assert_eq!(replicated.guest("/blogs/").await, 200);
        assert_eq!(replicated.guest("/blogs/?q=herons").await, 200);
        assert_eq!(replicated.site.guest().get(&json).await.json()["title"], "First post");
        // Pages, batched lookups and searches have pools of their own.
        (replicated.standby.count(connections).await >= 3).then_some(())
    })
    .await;
    for path in ["/blogs/", "/blogs/?q=herons", "/blogs/?order=top", "/feeds/atom/", "/sitemap.xml", "/users/author/"] {
        assert!(replicated.site.guest().page(path).await.text.contains("/first-post/"), "{path}");
    }
    for path in [
        format!("/blogs/{first}/first-post/"),
        format!("/blogs/{first}/ratings/"),
        format!("/rate/get_blog_rating/{first}/"),
    ] {
        assert_eq!(replicated.guest(&path).await, 200, "{path}");
    }

    // A change is visible at once, even if the standby does not have it.
    replicated.standby.execute("select pg_wal_replay_pause()").await;
    let second = author.write("Second post", "Its text.").await;
    assert!(replicated.site.guest().page("/blogs/").await.text.contains("/second-post/"));
    assert_eq!(replicated.site.guest().get(&format!("/blogs/{second}/")).await.json()["title"], "Second post");
    assert_eq!(replicated.standby.count("select count(*) from blog_posts").await, 1);

    // When the standby has caught up, it is used again.
    replicated.standby.execute("select pg_wal_replay_resume()").await;
    replicated.uses_standby().await;
    assert!(replicated.site.guest().page("/blogs/").await.text.contains("/second-post/"));
}

#[actix_web::test]
async fn a_lagging_replica_is_not_used() {
    let replicated = ReplicatedSite::start().await;
    replicated.site.user("author").await.write("A post", "Its text.").await;
    replicated.uses_standby().await;
    replicated.standby.execute("select pg_wal_replay_pause()").await;
    // Another instance changes the title, which this instance does not learn otherwise.
    replicated.primary.execute("update blog_posts set title = 'Changed'").await;
    until(async || replicated.site.guest().page("/blogs/").await.text.contains("Changed").then_some(())).await;
    assert!(!replicated.is_standby_used());
    replicated.standby.execute("select pg_wal_replay_resume()").await;
    replicated.uses_standby().await;
}

#[actix_web::test]
async fn a_replica_that_fails_is_left_out_until_it_is_back() {
    let mut replicated = ReplicatedSite::start().await;
    let author = replicated.site.user("author").await;
    author.write("A post", "Its text.").await;
    for hangs in [false, true] {
        replicated.uses_standby().await;
        assert_eq!(replicated.guest("/blogs/").await, 200);
        if hangs {
            replicated.standby.signal_all(Signal::SIGSTOP);
        } else {
            replicated.standby.kill();
        }
        until(async || (replicated.guest("/blogs/").await == 200).then_some(())).await;
        replicated.leaves_standby().await;
        assert_eq!(replicated.guest("/blogs/").await, 200);
        assert_eq!(author.page("/blogs/").await.status, 200);
        replicated.standby.signal_all(Signal::SIGCONT);
        replicated.standby.restart().await;
    }
    replicated.uses_standby().await;
}

#[actix_web::test]
async fn guests_can_read_while_the_primary_is_down() {
    let mut replicated = ReplicatedSite::start().await;
    let author = replicated.site.user("author").await;
    let post = author.write("A post", "Its text.").await;
    for hangs in [false, true] {
        replicated.uses_standby().await;
        if hangs {
            replicated.primary.signal_all(Signal::SIGSTOP);
        } else {
            replicated.primary.kill();
        }
        until(async || (author.page("/blogs/").await.status == 503).then_some(())).await;
        let page = format!("/blogs/{post}/a-post/");
        for path in ["/blogs/", "/blogs/?q=text", "/feeds/json/", "/users/author/", &page] {
            until(async || (replicated.guest(path).await == 200).then_some(())).await;
        }
        // Pages that no guest can see, and changes, need the primary server.
        assert_eq!(author.page("/blogs/").await.status, 503);
        assert_eq!(author.rate(post, 4).await.status, 503);
        replicated.primary.signal_all(Signal::SIGCONT);
        replicated.primary.restart().await;
        until(async || (author.page("/blogs/").await.status == 200).then_some(())).await;
    }
    replicated.uses_standby().await;
}

#[actix_web::test]
async fn metrics_and_commands_report_replicas() {
    let mut replicated = ReplicatedSite::start().await;
    replicated.site.user("author").await.write("A post", "Its text.").await;
    replicated.uses_standby().await;
    let name = replicated.standby.address.to_string();
    let metric = |value| format!("evenkeel_replica_used{{replica=\"{name}\"}} {value}");
    until(async || replicated.metrics().await.contains(&metric(1)).then_some(())).await;
    assert!(replicated.metrics().await.contains("evenkeel_replica_age_seconds{"));

    let dir = reachable_tempdir();
    let program = Program::new(dir.path()).with("DATABASE_URL", &replicated.primary.url());
    let check = |url: &str| program.clone().with("DATABASE_REPLICA_URL", url).run(&["check"]).1;
    assert!(check(&replicated.standby.url()).contains(&format!("are read from the replica {name}.")));
    assert!(check(&replicated.primary.url()).contains("(DATABASE_REPLICA_URL): the server is not a standby"));
    let standby = Program::new(dir.path()).with("DATABASE_URL", &replicated.standby.url());
    let (is_dumped, dump) = standby.run(&["dumpdata"]);
    assert!(is_dumped && dump.contains("A post"), "{dump}");

    replicated.standby.kill();
    assert!(check(&replicated.standby.url()).contains("(DATABASE_REPLICA_URL): Connection refused"));
    until(async || replicated.metrics().await.contains(&metric(0)).then_some(())).await;
}

#[actix_web::test]
async fn a_promoted_replica_is_not_used() {
    let replicated = ReplicatedSite::start().await;
    replicated.standby.execute("select pg_promote()").await;
    replicated.leaves_standby().await;
    assert_eq!(Actor::new(replicated.site.instances[0]).page("/blogs/").await.status, 200);
}
