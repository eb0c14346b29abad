//! Access to the admin area, its front page, and the audit log.

use chrono::TimeDelta;
use serde_json::{Value, json};

use crate::support::{Actor, PASSWORD, TestSite, reachable_tempdir};

async fn staff(site: &TestSite, name: &str) -> Actor {
    let actor = site.user(name).await;
    sqlx::query("update users set is_staff = true where username = $1").bind(name).execute(&site.pool).await.unwrap();
    actor
}

/// Action, actor, affected user and post of an audit log entry.
type Entry = (String, String, String, i64);

fn entry(act: &str, actor: &str, user: &str, post: i64) -> Entry {
    (act.to_owned(), actor.to_owned(), user.to_owned(), post)
}

async fn log(staff: &Actor, filter: &str) -> Vec<Entry> {
    let page = staff.get(&format!("/admin/log/{filter}")).await.expect(200).json();
    let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    let entry = |entry: &Value| {
        (text(&entry["act"]), text(&entry["actor"]), text(&entry["user"]), entry["post"].as_i64().unwrap_or(0))
    };
    page["results"].as_array().unwrap().iter().map(entry).collect()
}

#[actix_web::test]
async fn admin_area_is_visible_to_staff_only() {
    let site = TestSite::start().await;
    let (mo, ann, guest) = (staff(&site, "mo").await, site.user("ann").await, site.guest());
    for path in ["/admin/", "/admin/log/", "/admin/log/?format=csv"] {
        mo.get(path).await.expect(200);
        ann.get(path).await.expect_problem(404, "not_found");
        ann.page(path).await.expect(404).expect_no_text("Admin</a>");
        guest.get(path).await.expect_problem(401, "not_signed_in");
    }
    mo.page("/blogs/").await.expect_text("<a href=\"/admin/\">Admin</a>");
    ann.page("/blogs/").await.expect_no_text("/admin/");
    mo.page("/admin/").await.expect_text("<a href=\"/admin/log/\">Audit log</a>");
}

#[actix_web::test]
async fn guest_signs_in_on_the_way_to_the_admin_area() {
    let site = TestSite::start().await;
    site.guest()
        .page_without_redirect("/admin/users/?role=staff")
        .await
        .expect_redirect("/users/login/?next=/admin/users/?role%3Dstaff");
}

/// Performs actions that the audit log records, and some that it does not record. Returns the site, a staff member, the
/// ids of two posts, and the expected audit log entries, newest first.
async fn site_with_audit_log() -> (TestSite, Actor, [i64; 2], [Entry; 7]) {
    let site = TestSite::start_with(&[("PUBLISHING", "approved"), ("REGISTRATION", "open")], 1).await;
    let mo = staff(&site, "mo").await;
    let ann = site.user("ann").await;
    mo.post("/users/ann/approve/", &json!({ "approved": true })).await.expect(200);
    // An approval that changes nothing adds no audit log entry.
    mo.post("/users/ann/approve/", &json!({ "approved": true })).await.expect(200);
    let (herons, owls) = (ann.write("Herons", "stand").await, ann.write("Owls", "sit").await);
    let change = json!({ "title": "Herons", "content": "stood" });
    mo.post(&format!("/blogs/{herons}/edit/"), &change).await.expect(200);
    mo.post(&format!("/blogs/{herons}/unpublish/"), &json!({})).await.expect(204);
    mo.post(&format!("/blogs/{owls}/delete/"), &json!({})).await.expect(204);
    // Authors' changes to their own posts are not in the audit log.
    ann.post(&format!("/blogs/{herons}/edit/"), &change).await.expect(200);
    let invitation = mo.post("/users/invitations/", &json!({ "max_uses": 2, "days": 3 })).await.expect(201).json();
    mo.post(&format!("/users/invitations/{}/end/", invitation["id"]), &json!({})).await.expect(204);
    let deletion = json!({ "posts": "keep", "current_password": PASSWORD });
    ann.post("/users/delete/", &deletion).await.expect(202);
    let entries = [
        entry("deletion.ask", "ann", "ann", 0),
        entry("invitation.end", "mo", "-", 0),
        entry("invitation.make", "mo", "-", 0),
        entry("post.delete", "mo", "ann", owls),
        entry("post.unpublish", "mo", "ann", herons),
        entry("post.change", "mo", "ann", herons),
        entry("author.approve", "mo", "ann", 0),
    ];
    (site, mo, [herons, owls], entries)
}

#[actix_web::test]
async fn audit_log_records_actions_of_staff_and_account_owners() {
    let (_site, mo, _, entries) = site_with_audit_log().await;
    assert_eq!(log(&mo, "").await, entries);
    let deletion = mo.get("/admin/log/?act=post.delete").await.json()["results"][0].clone();
    assert_eq!((&deletion["network"], &deletion["details"]), (&json!("127.0.0.1"), &json!({ "title": "Owls" })));
    assert_eq!(deletion["request_id"].as_str().unwrap().len(), 16);
    mo.page("/admin/log/").await.expect_text("Deleted another user’s post").expect_text("Title: <bdi>Owls</bdi>");
}

#[actix_web::test]
async fn audit_log_can_be_filtered() {
    let (_site, mo, [herons, _], entries) = site_with_audit_log().await;
    assert_eq!(log(&mo, &format!("?post={herons}")).await.len(), 2);
    assert_eq!(log(&mo, "?actor=ann").await, entries[..1]);
    assert_eq!(log(&mo, "?user=ANN&actor=mo&act=author.approve").await, entries[6..]);
    let csv = mo.get("/admin/log/?act=post.delete&format=csv").await.expect(200);
    assert!(csv.text.starts_with("\u{feff}id,at,act,actor,user,post,details,network,request_id\n"), "{}", csv.text);
    assert!(csv.text.contains(",post.delete,mo,ann,") && csv.text.lines().count() == 2, "{}", csv.text);
}

#[actix_web::test]
async fn audit_log_search_matches_all_words_literally() {
    let (_site, mo, [_, owls], _) = site_with_audit_log().await;
    let deletion = [entry("post.delete", "mo", "ann", owls)];
    let page = mo.get("/admin/log/?act=post.delete").await.json();
    let request_id = page["results"][0]["request_id"].as_str().unwrap();
    for words in ["owLS", "ow", request_id] {
        assert_eq!(log(&mo, &format!("?words={words}")).await, deletion, "{words}");
    }
    // Wildcards and query operators in search words are literal, and all words must match.
    for words in ["owls+herons", "%25", "owls%7Cherons", "%21herons", "%5C", "wls"] {
        assert_eq!(log(&mo, &format!("?words={words}")).await, [], "{words}");
    }
}

#[actix_web::test]
async fn invalid_audit_log_filter_names_its_field() {
    let site = TestSite::start().await;
    let mo = staff(&site, "mo").await;
    mo.get("/admin/log/?user=%00").await.expect_problem(400, "malformed");
    for (filter, field) in [("act=x.y", "act"), ("actor=nobody", "actor"), ("post=01", "post")] {
        let path = format!("/admin/log/?{filter}");
        let problem = mo.get(&path).await.expect_problem(400, "invalid").json();
        assert!(problem["errors"][field].is_array(), "{filter}");
        mo.page(&path).await.expect(400).expect_text(&format!("id=\"{field}-error\""));
    }
}

#[actix_web::test]
async fn audit_log_entries_are_immutable_until_they_expire() {
    let site = TestSite::start_with(&[("AUDIT_LOG_DAYS", "30")], 1).await;
    let (mo, ann) = (staff(&site, "mo").await, site.user("ann").await);
    for _ in 0..60 {
        mo.post("/users/invitations/", &json!({ "max_uses": 1, "days": 1 })).await.expect(201);
    }
    let (mut ids, mut next) = (Vec::new(), Some("/admin/log/".to_owned()));
    while let Some(path) = next {
        let page = mo.get(&path).await.expect(200).json();
        ids.extend(page["results"].as_array().unwrap().iter().map(|entry| entry["id"].as_i64().unwrap()));
        next = page["next"].as_str().map(str::to_owned);
    }
    assert_eq!(ids, (1..=60).rev().collect::<Vec<i64>>());
    for change in ["set details = '{}', act = 'a.b'", "set actor_id = 2", "set network = '10.0.0.1'"] {
        let changed = sqlx::query(sqlx::AssertSqlSafe(format!("update audit_log {change}"))).execute(&site.pool).await;
        assert!(changed.unwrap_err().to_string().contains("an entry of the audit log cannot be changed"), "{change}");
    }
    ann.post("/users/delete/", &json!({ "posts": "keep", "current_password": PASSWORD })).await.expect(202);
    site.advance_clock(TimeDelta::days(8));
    site.site().housekeeping().erase_due_accounts().await;
    let entry = mo.get("/admin/log/?act=deletion.ask").await.json()["results"][0].clone();
    assert_eq!((&entry["actor"], &entry["network"]), (&Value::Null, &Value::Null));
    assert_eq!(log(&mo, "?act=account.erase").await.len(), 1);
    site.advance_clock(TimeDelta::days(23));
    site.site().housekeeping().delete_expired_rows().await.unwrap();
    assert_eq!(site.count("audit_log").await, 1);
}

#[actix_web::test]
async fn a_few_blocked_users_need_no_attention() {
    let site = TestSite::start_with(&[("LEAKY_BUCKET_CAPACITY", "2")], 1).await;
    let mo = staff(&site, "mo").await;
    let (post, crowd) = (site.post("ann").await, site.many_users(12).await);
    for reader in crowd[..11].iter().chain(&crowd[2..11]) {
        reader.rate(post, 1).await;
    }
    mo.page("/admin/").await.expect(200).expect_text("All clear: nothing to review.");
    crowd[11].rate(post, 1).await.expect(429);
    mo.page("/admin/").await.expect(200).expect_text("19 rating attempts blocked in the last 24 hours.");
}

#[actix_web::test]
async fn dashboard_summarizes_activity() {
    let dir = reachable_tempdir();
    let data = dir.path().display().to_string();
    let settings = [("LEAKY_BUCKET_CAPACITY", "2"), ("SIGN_IN_THROTTLE", "off"), ("DATA_DIR", data.as_str())];
    let site = TestSite::start_with(&settings, 2).await;
    let mo = staff(&site, "mo").await;
    mo.page("/admin/").await.expect(200).expect_text("All clear: nothing to review.");
    let post = site.post("ann").await;
    let crowd = site.many_users_at(12, &site.instances).await;
    for reader in &crowd {
        reader.rate(post, 1).await;
        reader.page(&format!("/blogs/{post}/a-post/")).await.expect(200);
    }
    site.guest().page("/blogs/").await.expect(200);
    crowd[0]
        .post(&format!("/blogs/{post}/report/"), &json!({ "category": "spam", "explanation": "x" }))
        .await
        .expect(201);
    // Both instances add their counts to the same row of `site_hours`. A second flush without new events must add
    // nothing.
    for instance in [0, 1] {
        let state = &site.site_of(instance).state;
        state.hourly_stats.flush(&site.pool, &state.clock).await.unwrap();
        state.hourly_stats.flush(&site.pool, &state.clock).await.unwrap();
    }
    let overview = mo.get("/admin/").await.expect(200).json();
    let hour = &overview["hours"][23];
    assert_eq!((&hour["ratings"], &hour["refused"], &hour["limited"]), (&json!(2), &json!(10), &json!(10)), "{hour}");
    assert!(hour["visitors"].as_i64() >= Some(6) && hour["pages"].as_i64() >= Some(7), "{hour}");
    assert_eq!((overview["hours"].as_array().unwrap().len(), &overview["hours"][0]["pages"]), (24, &json!(0)));
    let at = "2026-01-01T12:00:00Z";
    assert_eq!(overview["most_refused"], json!([{ "post": post, "title": "A post", "refused": 10, "latest_at": at }]));
    assert_eq!((&overview["waiting"]["reports"], &overview["waiting"]["mails"]), (&json!(1), &json!(0)));
    assert!(overview["disk_free"].as_i64() > Some(0) && overview["database_size"].as_i64() > Some(0), "{overview}");
    let page = mo.page("/admin/").await.expect(200).expect_text("1 reported post to review");
    let page = page
        .expect_text("10 rating attempts blocked in the last 24 hours.")
        .expect_text("Blocked rating attempts per hour")
        .expect_text("The rating limiter blocked the attempt");
    let page = page.expect_text("Evenkeel 0.").expect_text("<td>10</td>").expect_text("None the day before");
    // The menu of every admin page shows the number of open items.
    let exclude = format!("href=\"/blogs/{post}/ratings/exclude/?from=2026-01-01\"");
    page.expect_text("The day can be excluded once it is over").expect_text("Reports <span class=\"count\">1</span>");
    mo.page("/admin/tags/").await.expect(200).expect_text("Reports <span class=\"count\">1</span>");
    site.advance_clock(chrono::TimeDelta::hours(23));
    let later = mo.get("/admin/").await.json();
    assert_eq!((&later["most_refused"], &later["hours"][0]), (&overview["most_refused"], hour));
    mo.page("/admin/").await.expect(200).expect_text(&exclude);
    // A post is no longer shown once staff have excluded the day of the surge.
    let day = json!({ "from": "2026-01-01", "reason": "A brigade" });
    mo.post(&format!("/blogs/{post}/ratings/exclude/"), &day).await.expect(201);
    assert_eq!(mo.get("/admin/").await.json()["most_refused"], json!([]));
    site.advance_clock(chrono::TimeDelta::hours(1));
    let next_day = mo.get("/admin/").await.json();
    assert_eq!((&next_day["hours"][0]["ratings"], &next_day["previous_day"]["ratings"]), (&json!(0), &json!(2)));
    let page = mo.page("/admin/").await.expect(200);
    page.expect_text("<dt>Ratings and changes</dt><dd class=\"value\">0</dd><dd>100% less than the day before</dd>");
    site.advance_clock(chrono::TimeDelta::days(91));
    site.site().housekeeping().delete_expired_rows().await.unwrap();
    assert_eq!(site.count("site_hours").await, 0);
}

#[actix_web::test]
async fn page_views_are_views_of_posts_and_lists_by_readers() {
    let site = TestSite::start().await;
    let (mo, ann) = (site.staff("mo", "moderator").await, site.user("ann").await);
    let post = ann.write("Herons", "They stand.").await;
    let path = format!("/blogs/{post}/herons/");
    for reader in [&ann, &site.guest()] {
        reader.page(&path).await.expect(200);
        reader.page("/blogs/").await.expect(200);
        reader.page("/users/ann/").await.expect(200);
    }
    // Views of staff and of pages other than posts and lists are not counted.
    for page in [&*path, "/blogs/", "/admin/", "/admin/posts/"] {
        mo.page(page).await.expect(200);
    }
    ann.page("/users/account/").await.expect(200);
    site.guest().page("/users/login/").await.expect(200);
    let state = &site.site().state;
    state.hourly_stats.flush(&site.pool, &state.clock).await.unwrap();
    let hour = &mo.get("/admin/").await.expect(200).json()["hours"][23];
    assert_eq!((&hour["pages"], &hour["visitors"]), (&json!(6), &json!(2)), "{hour}");
}
