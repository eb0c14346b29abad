//! Reads from a replica: a primary server with a standby that streams its changes.

use std::collections::BTreeSet;

use evenkeel::db::clock::Clock;
use nix::sys::signal::Signal;

use crate::support::{
    Actor, DatabaseLease, PostgresServer, Program, TestSite, database_tempdir, reachable_tempdir, until,
};

/// Starts a site that reads from this standby server.
fn start_site(lease: DatabaseLease, primary: &PostgresServer, standby: &PostgresServer) -> TestSite {
    let (primary, standby) = (primary.url(), standby.url());
    let settings: [(&'static str, &str); 3] =
        [("DATABASE_URL", &primary), ("DATABASE_REPLICA_URL", &standby), ("DATABASE_TIMEOUT_SECONDS", "2")];
    TestSite::start_on(lease, &settings, 1, Clock::Database)
}

/// A site with a primary server and a standby.
struct ReplicatedSite {
    site: TestSite,
    primary: PostgresServer,
    standby: PostgresServer,
    _dir: tempfile::TempDir,
}

impl ReplicatedSite {
    async fn start() -> Self {
        let dir = database_tempdir();
        let primary = PostgresServer::primary(dir.path()).await;
        let lease = DatabaseLease::of_cluster(&primary.options()).await;
        let standby = PostgresServer::standby(dir.path(), &primary).await;
        let site = start_site(lease, &primary, &standby);
        let replicated = Self { site, primary, standby, _dir: dir };
        replicated.uses_standby().await;
        replicated
    }

    /// Waits until guests read from the standby, or no longer do.
    async fn uses_standby(&self) {
        until("a replica that is used", async || self.is_standby_used().then_some(())).await;
    }

    async fn leaves_standby(&self) {
        until("a replica that is not used", async || (!self.is_standby_used()).then_some(())).await;
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
    until("connections of all pools", async || {
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
    assert!(replicated.site.guest().page("/blogs/?order=top").await.text.contains("/second-post/"));
}

#[actix_web::test]
async fn a_lagging_replica_is_not_used() {
    let replicated = ReplicatedSite::start().await;
    replicated.site.user("author").await.write("A post", "Its text.").await;
    replicated.uses_standby().await;
    replicated.standby.execute("select pg_wal_replay_pause()").await;
    // Another instance changes the title, which this instance does not learn otherwise.
    replicated.primary.execute("update blog_posts set title = 'Changed'").await;
    until("the changed title", async || {
        replicated.site.guest().page("/blogs/").await.text.contains("Changed").then_some(())
    })
    .await;
    replicated.leaves_standby().await;
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
        until("status 200", async || (replicated.guest("/blogs/").await == 200).then_some(())).await;
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
        until("status 503", async || (author.page("/blogs/").await.status == 503).then_some(())).await;
        let is_down = || replicated.site.site().state().availability.is_down();
        until("a replica that takes the place of the primary server", async || {
            (is_down() && replicated.is_standby_used()).then_some(())
        })
        .await;
        let page = format!("/blogs/{post}/a-post/");
        for path in ["/blogs/", "/blogs/?q=text", "/feeds/json/", "/users/author/", "/sitemap.xml", &page] {
            assert_eq!(replicated.guest(path).await, 200, "{path}");
        }
        let guest = replicated.site.guest();
        assert_eq!(guest.get(&format!("/blogs/{post}/")).await.expect(200).json()["title"], "A post");
        let foreign = guest.request("GET", "/blogs/").header("Cookie", "analytics=1");
        assert_eq!(guest.send(foreign).await.status, 200);
        // Pages that no guest can see, and changes, need the primary server.
        assert_eq!(author.page("/blogs/").await.status, 503);
        assert_eq!(author.rate(post, 4).await.status, 503);
        replicated.primary.signal_all(Signal::SIGCONT);
        replicated.primary.restart().await;
        until("status 200", async || (author.page("/blogs/").await.status == 200).then_some(())).await;
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
    until("the metric", async || replicated.metrics().await.contains(&metric(1)).then_some(())).await;
    assert!(replicated.metrics().await.contains("evenkeel_replica_age_seconds{"));

    let dir = reachable_tempdir();
    let program = Program::new(dir.path()).with("DATABASE_URL", &replicated.primary.url());
    let check = |url: &str| program.clone().with("DATABASE_REPLICA_URL", url).run(&["check"]).1;
    assert!(check(&replicated.standby.url()).contains(&format!("The replica {name} is a standby server.")));
    assert!(
        check(&replicated.primary.url()).contains("none of the servers of DATABASE_REPLICA_URL is a standby server")
    );
    let both = check(&format!("{}, {}", replicated.primary.url(), replicated.standby.url()));
    assert!(both.contains("is not a standby server at the moment") && both.contains("No problems found"), "{both}");
    let standby = Program::new(dir.path()).with("DATABASE_URL", &replicated.standby.url());
    let (is_dumped, dump) = standby.run(&["dumpdata"]);
    assert!(is_dumped && dump.contains("A post"), "{dump}");
    let (is_replayed, results) = standby.run(&["replay", "--database"]);
    assert!(is_replayed && results.contains("leaky_bucket"), "{results}");

    replicated.standby.kill();
    assert!(check(&replicated.standby.url()).contains("(DATABASE_REPLICA_URL): Connection refused"));
    until("the metric", async || replicated.metrics().await.contains(&metric(0)).then_some(())).await;
}

/// A standby server of a primary that had written more, for example before a failover.
#[actix_web::test]
async fn a_server_that_is_ahead_of_the_primary_is_not_used() {
    let (dir, other) = (database_tempdir(), database_tempdir());
    let primary = PostgresServer::primary(dir.path()).await;
    let foreign = PostgresServer::primary(other.path()).await;
    let standby = PostgresServer::standby(other.path(), &foreign).await;
    for _ in 0..4 {
        foreign.execute("select pg_logical_emit_message(true, '', '')").await;
        foreign.execute("select pg_switch_wal()").await;
    }
    let lease = DatabaseLease::of_cluster(&primary.options()).await;
    let site = start_site(lease, &primary, &standby);
    // The tables are missing on this server, so reading from it would fail.
    site.user("author").await.write("A post", "Its text.").await;
    let position = "select (case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_lsn() end
        - '0/0')::bigint";
    let ahead = async || standby.count(position).await > primary.count(position).await;
    until("a server that is ahead", async || ahead().await.then_some(())).await;
    // The server is checked at different times.
    let checked = "select coalesce(max(extract(epoch from query_start) * 1e6), 0)::bigint from pg_stat_activity
        where application_name = 'evenkeel watch'";
    let mut checks = BTreeSet::new();
    until("five checks", async || {
        checks.insert(standby.count(checked).await);
        assert!(site.site().state().replica_for(None).is_none());
        (checks.len() > 4).then_some(())
    })
    .await;
    assert_eq!(site.guest().page("/blogs/").await.status, 200);
    assert!(ahead().await);
}

#[actix_web::test]
async fn a_promoted_replica_is_not_used() {
    let replicated = ReplicatedSite::start().await;
    replicated.standby.execute("select pg_promote()").await;
    replicated.leaves_standby().await;
    assert_eq!(Actor::new(replicated.site.instances[0]).page("/blogs/").await.status, 200);
}
