//! Reads from the server of `DATABASE_READ_URL`: a standby that streams the changes of the primary.

use evenkeel::db::clock::Clock;
use nix::sys::signal::Signal;

use crate::support::{DatabaseLease, PostgresServer, Program, TestSite, database_tempdir, reachable_tempdir, until};

/// Starts a site that reads from the standby server.
fn start_site(lease: DatabaseLease, primary: &PostgresServer, standby: &PostgresServer) -> TestSite {
    let (primary, standby) = (primary.url(), standby.url());
    let settings: [(&'static str, &str); 3] =
        [("DATABASE_URL", &primary), ("DATABASE_READ_URL", &standby), ("DATABASE_TIMEOUT_SECONDS", "2")];
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
        Self { site, primary, standby, _dir: dir }
    }

    /// Status of a page for visitors without a session.
    async fn guest(&self, path: &str) -> u16 {
        self.site.guest().page(path).await.status.as_u16()
    }
}

#[actix_web::test]
async fn guests_read_from_the_standby_and_users_from_the_primary() {
    let replicated = ReplicatedSite::start().await;
    let author = replicated.site.user("author").await;
    let first = author.write("First post", "Its text about herons.").await;
    let shows = async |title: &str| replicated.site.guest().page("/blogs/").await.text.contains(title).then_some(());
    until("the first post", async || shows("/first-post/").await).await;
    for path in ["/blogs/?q=herons", "/blogs/?order=top", "/feeds/atom/", "/sitemap.xml", "/users/author/"] {
        assert!(replicated.site.guest().page(path).await.text.contains("/first-post/"), "{path}");
    }
    assert_eq!(replicated.site.guest().get(&format!("/blogs/{first}/")).await.json()["title"], "First post");

    replicated.standby.execute("select pg_wal_replay_pause()").await;
    author.write("Second post", "Its text.").await;
    assert!(author.page("/blogs/").await.text.contains("/second-post/"));
    assert!(!replicated.site.guest().page("/blogs/").await.text.contains("/second-post/"));
    replicated.standby.execute("select pg_wal_replay_resume()").await;
    until("the second post", async || shows("/second-post/").await).await;
}

#[actix_web::test]
async fn primary_serves_guests_while_the_standby_is_down() {
    let mut replicated = ReplicatedSite::start().await;
    let author = replicated.site.user("author").await;
    author.write("A post", "Its text.").await;
    for hangs in [false, true] {
        assert_eq!(replicated.guest("/blogs/").await, 200);
        if hangs {
            replicated.standby.signal_all(Signal::SIGSTOP);
        } else {
            replicated.standby.kill();
        }
        author.write("Another post", "Its text.").await;
        for path in ["/blogs/", "/blogs/?q=text", "/feeds/json/"] {
            assert_eq!(replicated.guest(path).await, 200, "{path}");
        }
        replicated.standby.signal_all(Signal::SIGCONT);
        replicated.standby.restart().await;
    }
}

#[actix_web::test]
async fn guests_can_read_while_the_primary_is_down() {
    let mut replicated = ReplicatedSite::start().await;
    let author = replicated.site.user("author").await;
    let post = author.write("A post", "Its text.").await;
    for hangs in [false, true] {
        if hangs {
            replicated.primary.signal_all(Signal::SIGSTOP);
        } else {
            replicated.primary.kill();
        }
        until("status 503", async || (author.page("/blogs/").await.status == 503).then_some(())).await;
        let is_down = || replicated.site.site().state.availability.is_down();
        until("a primary that is known to be down", async || is_down().then_some(())).await;
        let page = format!("/blogs/{post}/a-post/");
        for path in ["/blogs/", "/feeds/json/", "/users/author/", "/sitemap.xml", &page] {
            assert_eq!(replicated.guest(path).await, 200, "{path}");
        }
        let guest = replicated.site.guest();
        assert_eq!(guest.get(&format!("/blogs/{post}/")).await.expect(200).json()["title"], "A post");
        let foreign = guest.request("GET", "/blogs/").header("Cookie", "analytics=1");
        assert_eq!(guest.send(foreign).await.status, 200);
        // Pages for signed-in users, and changes, need the primary server.
        assert_eq!(author.page("/blogs/").await.status, 503);
        assert_eq!(author.rate(post, 4).await.status, 503);
        replicated.primary.signal_all(Signal::SIGCONT);
        replicated.primary.restart().await;
        until("status 200", async || (author.page("/blogs/").await.status == 200).then_some(())).await;
    }
}

#[actix_web::test]
async fn check_reports_a_read_server_that_is_down() {
    let mut replicated = ReplicatedSite::start().await;
    let dir = reachable_tempdir();
    let program = Program::new(dir.path()).with("DATABASE_URL", &replicated.primary.url());
    let program = program.with("DATABASE_READ_URL", &replicated.standby.url());
    assert!(program.run(&["check"]).1.contains("No problems found"));
    let standby = Program::new(dir.path()).with("DATABASE_URL", &replicated.standby.url());
    let (is_replayed, results) = standby.run(&["replay", "--database"]);
    assert!(is_replayed && results.contains("leaky_bucket"), "{results}");
    replicated.standby.kill();
    let (_, problems) = program.run(&["check"]);
    assert!(problems.contains("DATABASE_READ_URL cannot be used: Connection refused"), "{problems}");
}
