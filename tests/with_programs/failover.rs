//! Failover of the database with the example configuration: Patroni replaces the primary server while instances behind
//! nginx store ratings, sessions and posts.

mod authors;
mod databases;
#[path = "../site/faults/instances.rs"]
#[allow(dead_code, reason = "the fault tests use the rest")]
pub mod instances;
#[path = "../site/faults/proxy.rs"]
#[allow(dead_code, reason = "the fault tests use the rest")]
mod proxy;

use std::process::Stdio;
use std::time::Duration;

use evenkeel::db::read_connection_limit;
use nix::sys::signal::Signal;
use sqlx::{ConnectOptions as _, Connection as _};

use self::authors::Authors;
use self::databases::Databases;
use self::instances::{Fleet, Load};
use self::proxy::Fault;
use crate::deploy::nginx_without_tls;
use crate::support::{Actor, Program, as_database_user, reachable_tempdir, until};

/// Maximum time from the promotion of a standby until all instances are ready again.
const RECOVERY: Duration = Duration::from_secs(10);

/// Waits until the instances are ready and have stored more ratings and posts.
async fn stores_again(fleet: &Fleet, load: &Load, authors: &Authors) {
    fleet.serves_again(RECOVERY).await;
    let before = (load.acknowledged(), authors.published());
    let stored = async || (load.acknowledged() > before.0 + 50 && authors.published() > before.1).then_some(());
    until("stored ratings and posts", stored).await;
}

pub async fn failover_loses_nothing_acknowledged() {
    let mut databases = Databases::start().await;
    let options = databases.options();
    let mut connection = until("the primary server through HAProxy", async || options.connect().await.ok()).await;
    assert!(read_connection_limit(&mut connection).await.unwrap() > 50);
    connection.close().await.unwrap();
    let settings = [("RATING_LIMITER", "off"), ("DATABASE_CONNECTIONS", "12"), ("SIGN_IN_THROTTLE", "off")];
    let mut fleet = Fleet::on(&options, 3, &settings).await;
    let dir = reachable_tempdir();
    let site = Program::new(dir.path()).address;
    let _nginx = nginx_without_tls(dir.path(), &fleet.addresses(), site);
    let guest = Actor::new(site);
    until("nginx", async || guest.is_site_ready().await.then_some(())).await;
    let (posts, crowd) = (fleet.posts(5).await, fleet.crowd(13).await);
    let authors = Authors::start(["ann", "ben"], site).await;
    let load = fleet.load_at(&[site], &crowd[..12], &posts);
    load.is_under_way().await;

    // Kills the primary server and its Patroni, as when the machine loses power.
    let first = databases.primary().await;
    databases.members[first].kill();
    let second = 1 - first;
    databases.wait_for(second, "primary").await;
    stores_again(&fleet, &load, &authors).await;
    databases.members[first].start();
    databases.wait_for(first, "synchronous").await;

    // Stops the processes of the primary server until the standby has replaced it.
    databases.members[second].signal(Signal::SIGSTOP);
    databases.wait_for(first, "primary").await;
    stores_again(&fleet, &load, &authors).await;
    // Kills the stopped server, as a watchdog would. If it continued, it could respond with old data until Patroni
    // stops it.
    databases.members[second].kill();
    databases.members[second].start();
    databases.wait_for(second, "synchronous").await;

    // Disconnects the primary server from the network, and connects it again later.
    databases.members[first].set_network(Fault::BlackHole);
    databases.wait_for(second, "primary").await;
    stores_again(&fleet, &load, &authors).await;
    databases.members[first].set_network(Fault::None);
    databases.wait_for(first, "synchronous").await;
    stores_again(&fleet, &load, &authors).await;

    // Stops the processes of the standby, and then kills them. The primary server continues alone.
    databases.members[first].signal(Signal::SIGSTOP);
    let unready = async || (guest.get("/readyz").await.status == 503).then_some(());
    until("instances that are not ready", unready).await;
    until("instances that are ready", async || guest.is_site_ready().await.then_some(())).await;
    stores_again(&fleet, &load, &authors).await;
    databases.members[first].kill();
    stores_again(&fleet, &load, &authors).await;
    databases.members[first].start();
    databases.wait_for(first, "synchronous").await;

    // Performs a planned switchover of the primary server.
    let mut switchover = as_database_user("patronictl");
    switchover.arg("-c").arg(databases.members[first].dir.join("patroni.yml")).args(["switchover", "evenkeel"]);
    switchover.args(["--leader", databases.members[second].name, "--force"]).stdin(Stdio::null());
    // Runs `patronictl` on another thread, because this thread runs the proxies.
    let switched = actix_web::rt::task::spawn_blocking(move || switchover.output().unwrap()).await.unwrap();
    assert!(switched.status.success(), "{switched:?}");
    databases.wait_for(first, "primary").await;
    stores_again(&fleet, &load, &authors).await;

    // Stops the process of HAProxy, kills it, and starts HAProxy again.
    databases.signal_proxy(Signal::SIGSTOP);
    until("instances that are not ready", unready).await;
    databases.signal_proxy(Signal::SIGKILL);
    databases.start_proxy();
    stores_again(&fleet, &load, &authors).await;

    // Kills the leader of etcd. The other two servers elect a new leader.
    let leader = databases.etcd_leader().await;
    databases.kill_etcd(leader);
    databases.etcd_leader().await;
    stores_again(&fleet, &load, &authors).await;
    databases.start_etcd(leader);

    // Without etcd, Patroni makes the primary server read-only, because another server may have become the primary.
    for server in &databases.etcd[..2] {
        server.signal(Signal::SIGSTOP);
    }
    until("pages with status 503", async || (guest.get("/blogs/").await.status == 503).then_some(())).await;
    crowd[12].with_instance(site).rate(posts[0], 5).await.expect_problem(503, "unavailable");
    for server in &databases.etcd[..2] {
        server.signal(Signal::SIGCONT);
    }
    databases.primary().await;
    stores_again(&fleet, &load, &authors).await;

    let history = fleet.settle(load).await;
    let (published, unknown) = authors.finish().await;
    println!(
        "{} ratings and {published} posts were acknowledged; the outcome of {} and {unknown} requests is unknown",
        history.count_status(200) + history.count_status(201),
        history.unknown
    );
    assert!(history.unknown > 0 && unknown > 0, "{history:?}");
    for instance in 0..3 {
        // The outages take more than a minute in total. A task without backoff would have failed every two seconds.
        let log = fleet.log(instance);
        let interrupted = log.matches("delivery of webhooks interrupted").count();
        assert!(log.contains("database unreachable") && interrupted <= 15, "{log}");
    }
}
