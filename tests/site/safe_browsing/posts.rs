//! Flagged links in posts: pages for visitors, JSON responses, feeds, and notices for authors.

use chrono::{DateTime, TimeDelta};
use evenkeel::db::clock::Clock;
use evenkeel::safe_browsing::threat_lists::UpdateOutcome;
use futures_util::future::join_all;
use futures_util::join;
use serde_json::{Value, json};

use super::server::{Fault, KEY, Server};
use super::{BAD, GOOD};
use crate::support::{Actor, TestSite, another_instance};

struct Setup {
    site: TestSite,
    server: Server,
}

impl Setup {
    /// Site whose threat lists contain the given URLs, each with the length of its hash prefix in bytes.
    async fn naming(addresses: &[(&str, usize)], instances: usize) -> Self {
        let clock = Clock::fixed(DateTime::from_timestamp(1_767_268_800, 0).unwrap());
        let server = Server::start(&clock);
        let url = format!("http://{}/", server.address);
        let settings =
            [("SAFE_BROWSING_KEY", KEY), ("SAFE_BROWSING_URL", url.as_str()), ("SAFE_BROWSING_LISTS", "MALWARE")];
        let site = TestSite::with_clock(&settings, instances, clock).await;
        let setup = Self { site, server };
        // As with Google's server, full hashes may be requested at any time.
        setup.server.books().find_wait_s = 0;
        setup.name(addresses).await;
        setup
    }

    /// Replaces the URLs on the threat lists and updates all instances.
    async fn name(&self, addresses: &[(&str, usize)]) {
        self.server.books().name(addresses);
        for instance in 0..self.site.instances.len() {
            let links = self.site.site_of(instance).state.safe_browsing.clone().unwrap();
            if instance > 0 {
                links.load().await.unwrap();
                continue;
            }
            links.load_lists_after_start().await.unwrap();
            while let UpdateOutcome::Wait { until } = links.update().await.unwrap() {
                self.site.advance_clock(until - self.site.clock.now().unwrap());
            }
        }
        // The first full-hash request is delayed by a random time of up to a minute.
        self.site.advance_clock(TimeDelta::minutes(1));
    }

    /// Runs the background check of links in posts.
    async fn check(&self) {
        self.site.site().housekeeping().check_links().await;
    }
}

fn links_to(html: &str, address: &str) -> bool {
    html.contains(&format!("href=\"{address}\""))
}

/// Returns the path of the warning page of the first flagged link in the page.
fn warning(html: &str) -> String {
    let from = html.find("/links/").unwrap_or_else(|| panic!("no warning in {html}"));
    html[from..].chars().take_while(|c| *c != '"').collect()
}

async fn write(author: &Actor, content: &str) -> (i64, Value) {
    let post = author.post("/blogs/create/", &json!({ "title": "T", "content": content })).await.expect(201).json();
    (post["id"].as_i64().unwrap(), post)
}

#[actix_web::test]
async fn flagged_link_is_shown_as_text_and_reported_to_its_author() {
    let setup = Setup::naming(&[(BAD, 4)], 1).await;
    let (ann, bob) = (setup.site.user("ann").await, setup.site.user("bob").await);
    let content = format!(
        "Look [there *now*]({BAD} \"title\"), <{BAD}>, {BAD} or [here]({GOOD}). [Other][x] ![cat]({BAD})\n\n[x]: {BAD}\n"
    );
    let fields = [("title", "T"), ("content", &content), ("cover", "https://bad.example/deep/page.html?q=1")];
    ann.submit("/blogs/create/", &fields).await.expect_redirect("/blogs/1/t/");
    let own = ann.page("/blogs/1/t/").await.expect(200);
    let own = own.expect_text("The post links to 2 URLs that may be unsafe, including http://bad.example/");
    for page in [own, setup.site.guest().page("/blogs/1/t/").await.expect(200)] {
        let page = page.expect_text("<span class=\"suspected\">there <em>now</em></span> <a href=\"/links/");
        let page = page.expect_text("<span class=\"suspected\">Image: cat</span>").expect_text("(flagged link)");
        assert!(!links_to(&page.text, "http://bad.example") && links_to(&page.text, GOOD), "{}", page.text);
        assert_eq!(page.text.matches("<span class=\"suspected\">hidden URL</span>").count(), 2, "{}", page.text);
    }
    // JSON responses and feeds contain no flagged URLs, except for the author, who gets the original text and the
    // flagged URLs.
    for path in ["/blogs/1/", "/blogs/", "/feeds/json/", "/feeds/atom/"] {
        let answer = setup.site.guest().get(path).await.expect(200);
        assert!(!answer.text.contains("bad.example"), "{path}: {}", answer.text);
        let answer = bob.get(path).await.expect(200);
        assert!(!answer.text.contains("bad.example") && !answer.text.contains("unsafe_links"), "{}", answer.text);
    }
    let masked = setup.site.guest().get("/blogs/1/").await.json()["content"].as_str().unwrap().to_owned();
    assert!(masked.contains(&format!("[here]({GOOD})")) && masked.contains("[there *now*](/links/"), "{masked}");
    let own = ann.get("/blogs/1/").await.json();
    assert_eq!(own["content"], content);
    assert_eq!(own["unsafe_links"], json!([BAD, "https://bad.example/deep/page.html?q=1"]));
    assert_eq!(own["cover"], "https://bad.example/deep/page.html?q=1");
    ann.page("/blogs/1/edit/").await.expect_text("2 links may be unsafe").expect_text(BAD);
    let preview = ann.post("/blogs/preview/", &json!({ "content": content })).await.expect(200).json();
    assert_eq!(preview["unsafe_links"], json!([BAD]));
    assert!(preview["notice"].as_str().unwrap().contains(BAD), "{preview}");
    assert!(!links_to(preview["content_html"].as_str().unwrap(), BAD));
    let other =
        ann.post("/blogs/preview/", &json!({ "content": "[x](http://a@bad.example/deep/page.html?q=1)" })).await.json();
    assert_eq!(other["unsafe_links"], json!(["http://a@bad.example/deep/page.html?q=1"]));
    assert_eq!(setup.site.count("suspected_links").await, 2);
    let (_, fine) = write(&ann, &format!("[here]({GOOD})")).await;
    assert_eq!((&fine["unsafe_links"], fine.get("notice")), (&json!([]), None));
}

#[actix_web::test]
async fn warning_page_names_threat_source_and_time() {
    let setup = Setup::naming(&[(BAD, 4)], 1).await;
    let (ann, since) = (setup.site.user("ann").await, setup.site.clock.now().unwrap());
    let (_, post) = write(&ann, &format!("[there]({BAD})")).await;
    let path = warning(post["content_html"].as_str().unwrap());
    let page = setup.site.guest().page(&path).await.expect(200);
    let page = page.expect_text("This link may be unsafe").expect_text("may harm your computer");
    let page = page.expect_text("Threat list from 127.0.0.1").expect_text("aren’t complete or free of mistakes");
    let page = page.expect_text("noindex").expect_text("1 January 2026 at 12:");
    assert!(links_to(&page.text, BAD) && page.text.contains("Continue anyway"), "{}", page.text);
    let known = setup.site.guest().get(&path).await.expect(200).json();
    assert_eq!((&known["address"], &known["is_suspected"]), (&json!(BAD), &json!(true)));
    assert_eq!(known["threat_type"], "MALWARE");
    // A repeated confirmation does not change the time since which the URL has been flagged. From 30 minutes after the
    // last confirmation, the page says that the URL was flagged.
    setup.site.advance_clock(TimeDelta::minutes(6));
    setup.check().await;
    let repeated = setup.site.guest().get(&path).await.expect(200).json();
    let time = |value: &Value| value.as_str().unwrap().parse::<DateTime<chrono::Utc>>().unwrap();
    assert_eq!(time(&repeated["since"]), since);
    assert!(time(&repeated["confirmed_at"]) > since);
    setup.site.advance_clock(TimeDelta::minutes(31));
    setup
        .site
        .guest()
        .page(&path)
        .await
        .expect(200)
        .expect_text("This link was flagged")
        .expect_text("This warning has expired.");
    for path in ["/links/0123456789abcdef0123456789abcdef/", "/links/x/", "/links/%00/", "/links/é/"] {
        setup.site.guest().get(path).await.expect_problem(404, "not_found");
    }
}

#[actix_web::test]
async fn links_are_rechecked_when_threat_lists_change() {
    let setup = Setup::naming(&[], 2).await;
    let ann = setup.site.user("ann").await;
    let (post, saved) = write(&ann, &format!("[there]({BAD})")).await;
    assert!(links_to(saved["content_html"].as_str().unwrap(), BAD));
    let path = format!("/blogs/{post}/t/");
    let guest = setup.site.guest();
    assert!(links_to(&guest.page(&path).await.text, BAD));
    setup.name(&[(BAD, 4)]).await;
    setup.check().await;
    assert!(!links_to(&guest.page(&path).await.text, BAD));
    assert!(
        !guest
            .with_instance(setup.site.instances[1])
            .get(&format!("/blogs/{post}/"))
            .await
            .text
            .contains("bad.example")
    );
    let own = ann.get(&format!("/blogs/{post}/")).await.json();
    assert_eq!(own["unsafe_links"], json!([BAD]));
    for field in ["version", "updated_at", "content"] {
        assert_eq!(own[field], saved[field], "{field}");
    }
    // The server fails, and its last confirmation is trusted for half an hour.
    setup.server.books().faults.push_back(Fault::Status(503));
    setup.site.advance_clock(TimeDelta::minutes(6));
    setup.check().await;
    assert!(!links_to(&guest.page(&path).await.text, BAD));
    setup.server.books().faults.push_back(Fault::Status(503));
    setup.site.advance_clock(TimeDelta::minutes(25));
    setup.check().await;
    setup.server.books().faults.clear();
    assert!(links_to(&guest.page(&path).await.text, BAD));
    setup.site.advance_clock(TimeDelta::hours(2));
    setup.name(&[(BAD, 4), (GOOD, 4)]).await;
    setup.check().await;
    assert!(!links_to(&guest.page(&path).await.text, BAD));
    setup.name(&[]).await;
    setup.check().await;
    assert!(links_to(&guest.page(&path).await.text, BAD));
    assert_eq!(ann.get(&format!("/blogs/{post}/")).await.json()["unsafe_links"], json!([]));
    assert_eq!(setup.server.books().complaints, Vec::<String>::new());
}

#[actix_web::test]
async fn saving_does_not_wait_for_a_slow_or_failing_server() {
    let setup = Setup::naming(&[(BAD, 4)], 1).await;
    let ann = setup.site.user("ann").await;
    setup.server.books().faults.push_back(Fault::Held);
    // The server sends its response only after the post was saved.
    let (post, saved) = write(&ann, &format!("[there]({BAD})")).await;
    assert_eq!(setup.server.books().full_hash_requests.len(), 1);
    assert!(links_to(saved["content_html"].as_str().unwrap(), BAD));
    setup.server.release();
    let patience = std::time::Instant::now() + std::time::Duration::from_mins(2);
    while setup.site.count("threat_answers").await == 0 {
        assert!(std::time::Instant::now() < patience, "the answer was not kept");
    }
    setup.check().await;
    assert_eq!(ann.get(&format!("/blogs/{post}/")).await.json()["unsafe_links"], json!([BAD]));
    // After a fault, no request is permitted for a while: the post is saved, and its links are checked later.
    setup.site.advance_clock(TimeDelta::minutes(40));
    setup.server.books().faults.push_back(Fault::Garbage);
    let (post, saved) = write(&ann, &format!("again [there]({BAD})")).await;
    assert_eq!(saved["unsafe_links"], json!([]));
    setup.site.advance_clock(TimeDelta::minutes(31));
    setup.check().await;
    assert_eq!(ann.get(&format!("/blogs/{post}/")).await.json()["unsafe_links"], json!([BAD]));
    assert_eq!(setup.server.books().complaints, Vec::<String>::new());
}

#[actix_web::test]
async fn urls_are_canonicalized_as_browsers_do() {
    let setup = Setup::naming(&[("http://bad.example/", 4)], 1).await;
    let ann = setup.site.user("ann").await;
    for address in [
        "http://good.org%2f@bad.example/",
        "https://good.org%3f@bad.example/login",
        "http://x%2fy:z@bad.example:8080/a",
        "http:bad.example/a",
        "http:\\\\bad.example\\a",
        "HTTP://BAD.example./a",
    ] {
        let (_, post) = write(&ann, &format!("[x](<{address}>)")).await;
        assert_eq!(post["unsafe_links"].as_array().unwrap().len(), 1, "{post}");
        let path = warning(post["content_html"].as_str().unwrap());
        let page = setup.site.guest().page(&path).await.expect(200).expect_text("Destination");
        assert!(page.text.contains("<bdi dir=\"ltr\">bad.example"), "{}", page.text);
        assert!(page.text.contains("href=\"http://") || page.text.contains("href=\"https://"), "{}", page.text);
    }
    let (_, turned) = write(&ann, "[x](<http://bad.example/\u{202e}gnp.exe>)").await;
    let page = setup.site.guest().page(&warning(turned["content_html"].as_str().unwrap())).await.expect(200);
    page.expect_no_text("\u{202e}").expect_text("%E2%80%AEgnp.exe");
}

#[actix_web::test]
async fn concurrent_saves_all_report_flagged_links() {
    let hosts: Vec<String> = (0..24).map(|number| format!("http://m{number}.example/")).collect();
    let named: Vec<(&str, usize)> = hosts.iter().map(|host| (host.as_str(), 4)).collect();
    let setup = Setup::naming(&named, 1).await;
    let ann = setup.site.user("ann").await;
    let saved = join_all(hosts.iter().map(|host| write_owned(&ann, format!("[x]({host})")))).await;
    // Saving waits briefly for the verdict. Links without a verdict by then are checked in the background.
    setup.check().await;
    for post in saved {
        let own = ann.get(&format!("/blogs/{}/", post["id"])).await.json();
        assert_eq!(own["unsafe_links"].as_array().unwrap().len(), 1, "{own}");
    }
    assert_eq!(setup.server.books().complaints, Vec::<String>::new());
}

async fn write_owned(author: &Actor, content: String) -> Value {
    write(author, &content).await.1
}

#[actix_web::test]
async fn removing_the_api_key_removes_warnings() {
    let setup = Setup::naming(&[(BAD, 4)], 1).await;
    let ann = setup.site.user("ann").await;
    let (post, _) = write(&ann, &format!("[there]({BAD})")).await;
    let path = format!("/blogs/{post}/");
    assert_eq!(ann.get(&path).await.json()["unsafe_links"], json!([BAD]));
    let (_, (without, _server)) = another_instance(&setup.site, &[]);
    without.housekeeping().check_links().await;
    assert_eq!(ann.get(&path).await.json()["unsafe_links"], json!([]));
    assert!(links_to(&setup.site.guest().page(&path).await.text, BAD));
}

#[actix_web::test]
async fn existing_posts_are_checked_once_links_are_stored() {
    let setup = Setup::naming(&[(BAD, 4)], 1).await;
    let ann = setup.site.user("ann").await;
    let (post, _) = write(&ann, &format!("[there]({BAD})")).await;
    // Simulates a post that was saved and rendered by an older version.
    let older = "update blog_posts set rendered_by = 2, content_html = '<a href=\"old\">there</a>'";
    sqlx::raw_sql(older).execute(&setup.site.pool).await.unwrap();
    sqlx::raw_sql("delete from post_links").execute(&setup.site.pool).await.unwrap();
    setup.site.site().housekeeping().render_outdated_posts().await;
    setup.check().await;
    assert_eq!(ann.get(&format!("/blogs/{post}/")).await.json()["unsafe_links"], json!([BAD]));
}

#[actix_web::test]
async fn concurrent_edits_and_checks_match_the_latest_text() {
    let setup = Setup::naming(&[(BAD, 4)], 2).await;
    let ann = setup.site.user("ann").await;
    let posts = join_all((0..6).map(|_| write(&ann, "nothing"))).await;
    let edit = async |post: i64| {
        for round in 0..8 {
            let content = if round % 2 == 0 { format!("[there]({BAD}) {round}") } else { format!("[here]({GOOD})") };
            ann.post(&format!("/blogs/{post}/edit/"), &json!({ "title": "T", "content": content })).await.expect(200);
            if round % 3 == 0 {
                // Updates only this post, because concurrent updates of all rows would block each other.
                let anew = sqlx::query("update post_links set lists = -1 where post_id = $1").bind(post);
                anew.execute(&setup.site.pool).await.unwrap();
            }
        }
        let content = format!("at last [there]({BAD})");
        ann.post(&format!("/blogs/{post}/edit/"), &json!({ "title": "T", "content": content })).await.expect(200);
    };
    let check = async |instance: usize| {
        for _ in 0..20 {
            setup.site.site_of(instance).housekeeping().check_links().await;
        }
    };
    join!(join_all(posts.iter().map(|(post, _)| edit(*post))), check(0), check(1));
    setup.check().await;
    for (post, _) in posts {
        let own = ann.get(&format!("/blogs/{post}/")).await.json();
        assert_eq!((&own["unsafe_links"], &own["version"]), (&json!([BAD]), &json!(10)));
        assert!(!links_to(own["content_html"].as_str().unwrap(), BAD));
        let addresses: Vec<String> = sqlx::query_scalar("select addresses from post_links where post_id = $1")
            .bind(post)
            .fetch_one(&setup.site.pool)
            .await
            .unwrap();
        assert_eq!(addresses, [BAD]);
    }
}
