//! Bulk actions on users, their effect on the users, and access by role.

use std::fmt::Write as _;

use actix_web::http::Method;
use chrono::TimeDelta;
use evenkeel::server::declare_routes;
use serde_json::{Value, json};

use crate::support::{Actor, PASSWORD, TestResponse, TestSite};

async fn bulk_action(staff: &Actor, users: &Value, action: &Value) -> TestResponse {
    let mut body = action.clone();
    body["selected"] = users.clone();
    staff.post("/admin/act/", &body).await
}

fn skip_reasons(answer: &TestResponse) -> Vec<(String, Option<String>)> {
    let reason = |row: &Value| (row["label"].as_str().unwrap().to_owned(), row["skipped"].as_str().map(str::to_owned));
    answer.json()["rows"].as_array().unwrap().iter().map(reason).collect()
}

/// Blocks `ann` for the given number of days, or until the block is ended.
async fn block_ann(staff: &Actor, days: Option<i64>) -> TestResponse {
    let block = json!({ "act": "block", "days": days, "reason": "Rude <b>words</b>" });
    bulk_action(staff, &json!(["ann"]), &block).await.expect(200)
}

#[actix_web::test]
async fn blocked_user_cannot_write_or_rate_on_any_instance() {
    let site = TestSite::start_with(&[], 2).await;
    let (mo, ann) = (site.staff("mo", "moderator").await, site.user("ann").await);
    let (post, own_post) = (site.post("bob").await, ann.write("Herons", "They stand.").await);
    let answer = block_ann(&mo, Some(7)).await;
    assert_eq!((answer.json()["count"].as_i64(), skip_reasons(&answer)), (Some(1), vec![("ann".to_owned(), None)]));
    for instance in &site.instances {
        let ann = ann.with_instance(*instance);
        let problem = ann.rate(post, 1).await.expect_problem(403, "blocked").json();
        assert!(problem["detail"].as_str().unwrap().ends_with("Reason: Rude <b>words</b>"), "{problem}");
        assert!(problem["title"].as_str().unwrap().starts_with("Your account is blocked until "), "{problem}");
    }
    let content = json!({ "title": "T", "content": "t" });
    ann.post("/blogs/create/", &content).await.expect_problem(403, "blocked");
    ann.post(&format!("/blogs/{own_post}/edit/"), &content).await.expect_problem(403, "blocked");
}

#[actix_web::test]
async fn blocked_user_can_read_sign_in_and_export() {
    let site = TestSite::start().await;
    let (mo, ann, post) = (site.staff("mo", "moderator").await, site.user("ann").await, site.post("bob").await);
    block_ann(&mo, Some(7)).await;
    let page = ann.submit("/rate/", &[("blog", &post.to_string()), ("rating", "1")]).await.expect(403);
    page.expect_text("Reason: Rude &#60;b&#62;words&#60;/b&#62;");
    let page = ann.page(&format!("/blogs/{post}/a-post/")).await.expect(200);
    page.expect_text("You can read, but you can’t post or rate")
        .expect_text("<q>Rude &#60;b&#62;words&#60;/b&#62;</q>")
        .expect_no_text("name=\"rating\"");
    ann.get("/users/export/").await.expect(200);
    ann.post("/users/login/", &json!({ "username": "ann", "password": PASSWORD })).await.expect(200);
}

#[actix_web::test]
async fn block_ends_after_its_number_of_days() {
    let site = TestSite::start().await;
    let (mo, ann, post) = (site.staff("mo", "moderator").await, site.user("ann").await, site.post("bob").await);
    block_ann(&mo, Some(7)).await;
    let listed = mo.get("/admin/users/?status=blocked").await.expect(200).json();
    assert_eq!((listed["results"][0]["username"].as_str(), listed["results"][1].is_null()), (Some("ann"), true));
    site.advance_clock(TimeDelta::days(7));
    ann.rate(post, 4).await.expect(201);
    ann.page("/blogs/").await.expect(200).expect_no_text("you can read");
}

#[actix_web::test]
async fn block_without_days_lasts_until_staff_end_it() {
    let site = TestSite::start().await;
    let (mo, ann, post) = (site.staff("mo", "moderator").await, site.user("ann").await, site.post("bob").await);
    ann.rate(post, 4).await.expect(201);
    bulk_action(&mo, &json!("ann"), &json!({ "act": "block", "days": null, "reason": "Again" })).await.expect(200);
    site.advance_clock(TimeDelta::days(9));
    ann.change_rating(post, 1).await.expect_problem(403, "blocked");
    bulk_action(&mo, &json!("ann"), &json!({ "act": "unblock" })).await.expect(200);
    ann.change_rating(post, 1).await.expect(200);
}

#[actix_web::test]
async fn audit_log_records_blocks_with_their_reason() {
    let site = TestSite::start().await;
    let (mo, _ann) = (site.staff("mo", "moderator").await, site.user("ann").await);
    block_ann(&mo, Some(7)).await;
    block_ann(&mo, None).await;
    bulk_action(&mo, &json!("ann"), &json!({ "act": "unblock" })).await.expect(200);
    let ada = site.staff("ada", "admin").await;
    let log = ada.get("/admin/log/?user=ann").await.expect(200).json();
    let actions: Vec<_> =
        log["results"].as_array().unwrap().iter().map(|entry| entry["act"].as_str().unwrap()).collect();
    assert_eq!(actions, ["user.unblock", "user.block", "user.block"]);
    assert_eq!(log["results"][2]["details"]["reason"], "Rude <b>words</b>");
}

#[actix_web::test]
async fn message_about_many_users_fits_into_a_cookie() {
    let site = TestSite::start_with(&[("SIGN_IN_THROTTLE", "off")], 1).await;
    let mo = site.staff("mo", "moderator").await;
    let rename = "update users set username = 'نامکاربریبلند' || id, username_key = 'نامکاربریبلند' || id
        where username <> 'mo'";
    site.many_users(50).await;
    sqlx::query(rename).execute(&site.pool).await.unwrap();
    let names: Vec<String> = sqlx::query_scalar("select username from users where username <> 'mo' order by id")
        .fetch_all(&site.pool)
        .await
        .unwrap();
    let fields = [("act", "block"), ("selected", &names.join("\n")), ("days", "1"), ("reason", "x")];
    let answer = mo.submit("/admin/act/", &fields).await.expect(303);
    assert!(answer.header("set-cookie").len() < 4_096, "{}", answer.header("set-cookie").len());
    mo.page(answer.header("location")).await.expect(200).expect_text("50 accounts blocked.");
}

#[actix_web::test]
async fn staff_regain_their_role_when_their_block_ends() {
    let site = TestSite::start().await;
    let (olga, otto) = (site.staff("olga", "owner").await, site.staff("otto", "owner").await);
    let _ann = site.user("ann").await;
    let block = json!({ "act": "block", "days": 2, "reason": "x" });
    bulk_action(&olga, &json!("otto"), &block).await.expect(200);
    bulk_action(&otto, &json!("ann"), &block).await.expect_problem(404, "not_found");
    let leave = json!({ "posts": "delete", "current_password": PASSWORD });
    olga.post("/users/delete/", &leave).await.expect_problem(409, "last_of_staff");
    site.advance_clock(TimeDelta::days(3));
    bulk_action(&otto, &json!("ann"), &block).await.expect(200);
    let listed = olga.get("/admin/users/?status=blocked").await.expect(200).json();
    assert_eq!((listed["results"][0]["username"].as_str(), listed["results"][1].is_null()), (Some("ann"), true));
    assert!(olga.get("/admin/users/otto/").await.expect(200).json()["blocked_at"].is_null());
    olga.post("/users/delete/", &leave).await.expect(202);
}

#[actix_web::test]
async fn scheduled_drafts_of_blocked_users_are_not_published() {
    let site = TestSite::start().await;
    let (mo, ann) = (site.staff("mo", "moderator").await, site.user("ann").await);
    let draft = json!({ "title": "T", "content": "t", "status": "draft", "publish_at": "2026-01-02T12:00" });
    let draft = ann.post("/blogs/create/", &draft).await.expect(201).json()["id"].as_i64().unwrap();
    bulk_action(&mo, &json!("ann"), &json!({ "act": "block", "days": 2, "reason": "x" })).await.expect(200);
    let published = async || {
        let drafts = format!("blog_posts where id = {draft} and status = 'published'");
        evenkeel::blog_posts::schedule::publish_due_drafts(&site.site().state).await.unwrap();
        site.count(&drafts).await
    };
    site.advance_clock(TimeDelta::days(1) + TimeDelta::hours(1));
    assert_eq!(published().await, 0);
    site.advance_clock(TimeDelta::days(1));
    assert_eq!(published().await, 1);
}

#[actix_web::test]
async fn block_skips_own_account_and_staff_of_the_same_or_a_higher_role() {
    let site = TestSite::start().await;
    let (mo, _ada) = (site.staff("mo", "moderator").await, site.staff("ada", "admin").await);
    let (_ann, _bob) = (site.user("ann").await, site.user("bob").await);
    let all = "selected=ann&selected=bob&selected=mo&selected=ada";
    let preview = mo.page(&format!("/admin/act/?act=block&{all}")).await.expect(200);
    let preview = preview.expect_text("Applies to 2 items").expect_text("skipped: your own account");
    preview
        .expect_text("skipped: staff with the same role as you or a higher one")
        .expect_text("name=\"selected\" value=\"ann\nbob\"");
    let block = json!({ "act": "block", "reason": "x" });
    let answer = bulk_action(&mo, &json!(["ann", "bob", "mo", "ada", "nobody"]), &block).await.expect(200);
    let skipped = |name: &str, reason: Option<&str>| (name.to_owned(), reason.map(str::to_owned));
    assert_eq!(
        skip_reasons(&answer),
        [
            skipped("nobody", Some("unknown")),
            skipped("mo", Some("own")),
            skipped("ada", Some("staff")),
            skipped("ann", None),
            skipped("bob", None)
        ]
    );
}

#[actix_web::test]
async fn message_after_unblocking_links_to_blocking_the_users_again() {
    let site = TestSite::start().await;
    let mo = site.staff("mo", "moderator").await;
    let (_ann, _bob) = (site.user("ann").await, site.user("bob").await);
    bulk_action(&mo, &json!(["ann", "bob"]), &json!({ "act": "block", "reason": "x" })).await.expect(200);
    // The confirmation page shows the block that a new one would replace.
    mo.page("/admin/act/?act=block&selected=ann").await.expect_text("Blocked indefinitely");
    let answer = mo.submit("/admin/act/", &[("act", "unblock"), ("selected", "ann\nbob")]).await.expect(303);
    assert_eq!(answer.header("location"), "/admin/users/");
    let next = mo.page("/admin/users/").await.expect(200).expect_text("2 accounts unblocked.");
    next.expect_text("href=\"/admin/act/?act=block&#38;selected=ann%0Abob&#38;list=/admin/users/\"");
}

/// Bulk action that sets the role of users. The role "none" removes them from the staff.
fn set_role(role: &str) -> Value {
    json!({ "act": "role", "role": role, "reason": "Knows birds" })
}

#[actix_web::test]
async fn user_actions_require_their_role() {
    let site = TestSite::start().await;
    let (mo, ada, olga) =
        (site.staff("mo", "moderator").await, site.staff("ada", "admin").await, site.staff("olga", "owner").await);
    let (ann, _bob) = (site.user("ann").await, site.user("bob").await);
    for action in [json!({ "act": "sign_out" }), json!({ "act": "role", "role": "owner", "reason": "x" })] {
        bulk_action(&mo, &json!("ann"), &action).await.expect_problem(403, "role_needed");
        let path = format!("/admin/act/?act={}&selected=ann", action["act"].as_str().unwrap());
        mo.get(&path).await.expect_problem(403, "role_needed");
    }
    bulk_action(&ada, &json!("ann"), &json!({ "act": "sign_out" })).await.expect(200);
    ann.get("/users/account/").await.expect(401);
    bulk_action(&ada, &json!("bob"), &set_role("moderator")).await.expect_problem(403, "role_needed");
    bulk_action(&olga, &json!("bob"), &set_role("moderator")).await.expect(200);
    let listed = olga.get("/admin/users/?status=staff").await.expect(200).json();
    assert_eq!(
        (listed["results"][0]["username"].as_str(), listed["results"][0]["role"].as_str()),
        (Some("bob"), Some("moderator"))
    );
}

#[actix_web::test]
async fn owner_loses_the_role_only_through_another_owner() {
    let site = TestSite::start().await;
    let (ada, olga) = (site.staff("ada", "admin").await, site.staff("olga", "owner").await);
    let answer = bulk_action(&olga, &json!("olga"), &set_role("admin")).await.expect(200);
    assert_eq!(skip_reasons(&answer), [("olga".to_owned(), Some("own".to_owned()))]);
    bulk_action(&olga, &json!("ada"), &set_role("owner")).await.expect(200);
    bulk_action(&ada, &json!("olga"), &set_role("none")).await.expect(200);
    olga.get("/admin/").await.expect_problem(404, "not_found");
}

#[actix_web::test]
async fn role_change_requires_recent_password_check() {
    let site = TestSite::start().await;
    let (olga, _bob) = (site.staff("olga", "owner").await, site.user("bob").await);
    site.advance_clock(TimeDelta::minutes(16));
    let mut change = set_role("admin");
    let problem = bulk_action(&olga, &json!("bob"), &change).await.expect_problem(400, "invalid").json();
    assert!(problem["errors"]["current_password"].is_array(), "{problem}");
    change["current_password"] = PASSWORD.into();
    bulk_action(&olga, &json!("bob"), &change).await.expect(200);
}

#[actix_web::test]
async fn invalid_user_action_names_its_field() {
    let site = TestSite::start().await;
    let (olga, _ann) = (site.staff("olga", "owner").await, site.user("ann").await);
    for (action, field) in [
        (json!({ "act": "block", "days": 4_000, "reason": "x" }), "days"),
        (json!({ "act": "block", "days": -1, "reason": "x" }), "days"),
        (json!({ "act": "block", "days": 0, "reason": "x" }), "days"),
        (json!({ "act": "block" }), "reason"),
        (json!({ "act": "erase" }), "act"),
        (json!({ "act": "role", "role": "king", "reason": "x" }), "role"),
    ] {
        let problem = bulk_action(&olga, &json!("ann"), &action).await.expect_problem(400, "invalid").json();
        assert_eq!(problem["errors"].as_object().unwrap().keys().collect::<Vec<_>>(), [field], "{action}");
    }
    bulk_action(&olga, &json!([]), &json!({ "act": "unblock" })).await.expect_problem(400, "invalid");
}

/// Number of rows that a bulk action affected; `None` if the role does not permit the action.
async fn affected(staff: &Actor, act: &str, key: &str) -> Option<i64> {
    let mut action = json!({ "act": act, "selected": [key] });
    if !["reset_warning", "sign_out", "reset_password"].contains(&act) {
        action["reason"] = "x".into();
    }
    if act == "role" {
        action["role"] = "moderator".into();
    }
    let answer = staff.post("/admin/act/", &action).await;
    match answer.status.as_u16() {
        403 => None,
        _ => Some(answer.expect(200).json()["count"].as_i64().unwrap()),
    }
}

/// Fills tables with rows of a staff member who has two ratings on `posts`, and returns the bulk actions on these rows
/// with the keys of the rows.
async fn rows_with_actions(site: &TestSite, id: i64, posts: [i64; 2]) -> Vec<(&'static str, String)> {
    let pauses = "insert into zombie_pauses (user_id, blog_id, tat_ns, paused_at, unpaused_at)
        values ($1, $2, 1, null, null), ($1, $3, 1, now(), null)";
    sqlx::query(pauses).bind(id).bind(posts[0]).bind(posts[1]).execute(&site.pool).await.unwrap();
    let warning = "insert into warning_levels (user_id, level, set_at) values ($1, 50, now())";
    sqlx::query(warning).bind(id).execute(&site.pool).await.unwrap();
    let session = "select encode(substring(token_hash for 16), 'hex') from sessions where user_id = $1 limit 1";
    let session: String = sqlx::query_scalar(session).bind(id).fetch_one(&site.pool).await.unwrap();
    let email = "update users set email = 'olga@example.com' where id = $1";
    sqlx::query(email).bind(id).execute(&site.pool).await.unwrap();
    let invitation = "insert into invitations (made_by, max_uses, created_at, expires_at)
        values ($1, 1, now(), now() + interval '1 day') returning id";
    let invitation: i64 = sqlx::query_scalar(invitation).bind(id).fetch_one(&site.pool).await.unwrap();
    let mail = "insert into outbox (kind, recipient, subject, body_text, body_html, created_at, expires_at, next_at)
        values ('password_reset', 'olga@example.com', 'x', 'x', 'x', now(), now() + interval '1 day', now() + interval '1 day')
        returning id";
    let mail: i64 = sqlx::query_scalar(mail).fetch_one(&site.pool).await.unwrap();
    let mut rows = vec![
        ("end_invitations", invitation.to_string()),
        ("send_mails", mail.to_string()),
        ("drop_mails", mail.to_string()),
        ("unpublish", posts[0].to_string()),
        ("end_sessions", session),
        ("pause", format!("{id}:{}", posts[0])),
        ("lift_pauses", format!("{id}:{}", posts[1])),
    ];
    let on_users = ["block", "reset_warning", "sign_out", "reset_password", "role"];
    rows.extend(on_users.map(|action| (action, "olga".to_owned())));
    rows
}

#[actix_web::test]
async fn actions_never_reach_staff_with_the_same_or_a_higher_role() {
    let site = TestSite::start().await;
    let owner = site.staff("olga", "owner").await;
    let posts = [owner.write("T", "x").await, site.post("ann").await];
    let id = owner.get("/users/me/").await.json()["id"].as_i64().unwrap();
    let rows = rows_with_actions(&site, id, posts).await;
    for (name, role) in [("mo", "moderator"), ("ada", "admin")] {
        let staff = site.staff(name, role).await;
        for (action, key) in &rows {
            let affected = affected(&staff, action, key).await;
            assert!([None, Some(0)].contains(&affected), "{role} {action}: {affected:?}");
        }
    }
    assert_eq!(affected(&owner, "end_invitations", &rows[0].1).await, Some(1));
    assert_eq!(affected(&owner, "unpublish", &posts[0].to_string()).await, Some(1));
    assert_eq!(affected(&owner, "reset_warning", "olga").await, Some(1));
}

#[actix_web::test]
async fn only_owners_limit_or_judge_an_owner() {
    let site = TestSite::start().await;
    let owner = site.staff("olga", "owner").await;
    let post = owner.write("T", "x").await;
    let limit = json!({ "limit": "browse", "target": "olga", "allowance": 0.01, "reason": "x" });
    let id = owner.post("/admin/limits/", &limit).await.expect(201).json()["id"].clone();
    for (name, role) in [("mo", "moderator"), ("ada", "admin")] {
        let staff = site.staff(name, role).await;
        staff.post("/admin/limits/", &limit).await.expect_problem(403, "role_needed");
        staff.post(&format!("/admin/limits/{id}/end/"), &json!({})).await.expect_problem(403, "role_needed");
        // A case about a post of an owner waits for an owner.
        let report = json!({ "category": "spam", "explanation": "x" });
        let reader = site.user(&format!("reader-{name}")).await;
        reader.post(&format!("/blogs/{post}/report/"), &report).await.expect(201);
        let decision = json!({ "ruling": "keep", "reason": "x", "seen": "open", "version": 1 });
        staff.post("/admin/reports/1/", &decision).await.expect_problem(403, "not_your_case");
    }
}

#[actix_web::test]
async fn lifting_a_pause_removes_its_warning_points() {
    let site = TestSite::start().await;
    let (mo, post, _bob) = (site.staff("mo", "moderator").await, site.post("ann").await, site.user("bob").await);
    let bob = "select id from users where username = 'bob'";
    let id: i64 = sqlx::query_scalar(bob).fetch_one(&site.pool).await.unwrap();
    let failed_attempt = "insert into zombie_pauses (user_id, blog_id, tat_ns) values ($1, $2, 1)";
    sqlx::query(failed_attempt).bind(id).bind(post).execute(&site.pool).await.unwrap();
    let level = async || -> f64 {
        let level = "select coalesce(max(level), 0) from warning_levels where user_id = $1";
        sqlx::query_scalar(level).bind(id).fetch_one(&site.pool).await.unwrap()
    };
    let key = format!("{id}:{post}");
    assert_eq!((affected(&mo, "pause", &key).await, level().await), (Some(1), 10.0));
    assert_eq!((affected(&mo, "lift_pauses", &key).await, level().await), (Some(1), 0.0));
    // A user whose pause was lifted is not paused again for two weeks.
    let second = bulk_action(&mo, &json!([key]), &json!({ "act": "pause", "reason": "x" })).await.expect(200);
    assert_eq!((&second.json()["count"], &second.json()["rows"][0]["skipped"]), (&json!(0), &json!("grace")));
    site.advance_clock(TimeDelta::days(15));
    let mia = site.staff("mia", "moderator").await;
    assert_eq!(affected(&mia, "pause", &key).await, Some(1));
}

/// Usernames of one page of the list of users, and the path of the next page.
async fn list_users(staff: &Actor, query: &str) -> (Vec<String>, Option<String>) {
    let page = staff.get(&format!("/admin/users/{query}")).await.expect(200).json();
    let users = page["results"].as_array().unwrap().iter();
    let names = users.map(|user| user["username"].as_str().unwrap().to_owned()).collect();
    (names, page["next"].as_str().map(str::to_owned))
}

#[actix_web::test]
async fn users_are_listed_in_pages_but_exported_in_one_csv_file() {
    let site = TestSite::start().await;
    let (mo, ada) = (site.staff("mo", "moderator").await, site.staff("ada", "admin").await);
    site.many_users(60).await;
    let (first, next) = list_users(&mo, "").await;
    assert_eq!(first.len(), 50);
    let next = next.unwrap();
    let (rest, none) = list_users(&mo, next.strip_prefix("/admin/users/").unwrap()).await;
    assert_eq!((rest.len(), none), (12, None));
    let selected: Vec<String> = first.iter().map(|name| format!("selected={name}")).collect();
    let preview = mo.get(&format!("/admin/act/?act=block&{}", selected.join("&"))).await.expect(200).json();
    assert_eq!(preview["count"], 50);
    let csv = ada.get("/admin/users/?format=csv").await.expect(200);
    assert!(csv.header("content-disposition").contains("users.csv"));
    assert_eq!(csv.text.lines().count(), 63);
    assert!(csv.text.starts_with("\u{feff}id,username,created_at,role,blocked_at,"), "{}", csv.text);
}

#[actix_web::test]
async fn users_are_filtered_by_the_beginning_of_their_name() {
    let site = TestSite::start().await;
    let mo = site.staff("mo", "moderator").await;
    site.many_users(60).await;
    assert_eq!(list_users(&mo, "?name=M").await.0, ["mo"]);
    assert_eq!(list_users(&mo, "?name=crowd_1").await.0.len(), 11);
    assert_eq!(list_users(&mo, "?name=crowd%25").await.0.len(), 0);
    mo.get("/admin/users/?status=odd").await.expect_problem(400, "invalid");
}

#[actix_web::test]
async fn only_admins_see_email_addresses_of_users() {
    let site = TestSite::start().await;
    let (mo, ada) = (site.staff("mo", "moderator").await, site.staff("ada", "admin").await);
    assert!(mo.get("/admin/users/?name=ada").await.json()["results"][0]["email"].is_null());
    assert_eq!(ada.get("/admin/users/?name=ada").await.json()["results"][0]["email"], "a@example.com");
}

async fn write_drafts(user: &Actor, count: usize) {
    for _ in 0..count {
        let draft = json!({ "title": "Draft", "content": "x".repeat(5_000), "status": "draft" });
        user.post("/blogs/create/", &draft).await.expect(201);
    }
}

#[actix_web::test]
async fn users_are_sorted_by_the_size_of_their_posts() {
    let site = TestSite::start().await;
    let (mo, ann, bob) = (site.staff("mo", "moderator").await, site.user("ann").await, site.user("bob").await);
    ann.write("Herons", &"x".repeat(3_000)).await;
    write_drafts(&ann, 1).await;
    write_drafts(&bob, 2).await;
    site.site().housekeeping().delete_expired_rows().await.unwrap();
    let list = mo.get("/admin/users/?sort=-text").await.expect(200).json();
    let sizes: Vec<_> =
        list["results"].as_array().unwrap().iter().map(|row| (&row["username"], &row["text_bytes"])).collect();
    assert_eq!(sizes, [(&json!("bob"), &json!(10_000)), (&json!("ann"), &json!(8_000)), (&json!("mo"), &json!(0))]);
    mo.page("/admin/users/?sort=text").await.expect(200).expect_text("Total post size");
}

#[actix_web::test]
async fn staff_delete_drafts_of_blocked_users_only() {
    let site = TestSite::start().await;
    let (mo, ann, bob) = (site.staff("mo", "moderator").await, site.user("ann").await, site.user("bob").await);
    let public = ann.write("Herons", &"x".repeat(3_000)).await;
    write_drafts(&ann, 1).await;
    write_drafts(&bob, 2).await;
    let block = json!({ "act": "block", "reason": "flood", "days": 1 });
    bulk_action(&mo, &json!(["ann"]), &block).await.expect(200);
    let delete = json!({ "act": "delete_drafts", "reason": "flood", "current_password": PASSWORD });
    let deleted = bulk_action(&mo, &json!(["ann", "bob"]), &delete).await.expect(200);
    assert_eq!(skip_reasons(&deleted), [("ann".to_owned(), None), ("bob".to_owned(), Some("notblocked".to_owned()))]);
    assert_eq!(site.count("blog_posts").await, 3);
    site.guest().get(&format!("/blogs/{public}/")).await.expect(200);
    let log = site.staff("ada", "admin").await.get("/admin/log/?act=user.delete_drafts").await.expect(200).json();
    assert_eq!(log["results"][0]["details"], json!({ "drafts": 1, "reason": "flood" }));
}

/// Checks that one owner remains if two owners block or demote each other at the same time.
#[actix_web::test]
async fn concurrent_demotions_leave_one_owner() {
    let site = TestSite::start_with(&[], 2).await;
    let (olga, otto) = (site.staff("olga", "owner").await, site.staff("otto", "owner").await);
    let otto = otto.with_instance(site.instances[1]);
    let block = json!({ "act": "block", "reason": "x" });
    let role = json!({ "act": "role", "role": "none", "reason": "x" });
    for (first, second) in [(&block, &block), (&block, &role), (&role, &block), (&role, &role)] {
        let (otto_name, olga_name) = (json!("otto"), json!("olga"));
        let (a, b) = futures_util::join!(bulk_action(&olga, &otto_name, first), bulk_action(&otto, &olga_name, second));
        let successes = [a.status, b.status].iter().filter(|status| **status == 200).count();
        assert_eq!(successes, 1, "{} {}", a.text, b.text);
        let owners = "users where is_staff and staff_role = 'owner' and blocked_at is null";
        assert_eq!(site.count(owners).await, 1);
        let reset = "update users set is_staff = true, staff_role = 'owner', blocked_at = null, blocked_until = null,
            blocked_reason = null where username in ('olga', 'otto')";
        sqlx::query(reset).execute(&site.pool).await.unwrap();
    }
}

#[actix_web::test]
async fn blocked_owner_does_not_count_as_the_remaining_owner() {
    let site = TestSite::start().await;
    let (olga, otto) = (site.staff("olga", "owner").await, site.staff("otto", "owner").await);
    bulk_action(&olga, &json!("otto"), &json!({ "act": "block", "reason": "x" })).await.expect(200);
    let leave = json!({ "posts": "keep", "current_password": PASSWORD });
    olga.post("/users/delete/", &leave).await.expect_problem(409, "last_of_staff");
    otto.get("/admin/").await.expect_problem(404, "not_found");
}

/// Status of every URL and method for each role, as a snapshot for review.
#[actix_web::test]
async fn staff_pages_respect_roles() {
    let site = TestSite::start_with(&[("RATE_CLASSES", "off")], 1).await;
    let author = site.user("ann").await;
    let post = author.write("A post", "text").await;
    let mut visitors = vec![("guest", site.guest()), ("reader", site.user("ben").await), ("author", author.clone())];
    for (name, role) in [("mo", "moderator"), ("ada", "admin"), ("olga", "owner")] {
        visitors.push((role, site.staff(name, role).await));
    }
    let blocked = site.user("cyd").await;
    let owner = visitors[5].1.clone();
    bulk_action(&owner, &json!("cyd"), &json!({ "act": "block", "reason": "x" })).await.expect(200);
    visitors.push(("blocked", blocked));
    let mut table = format!("{:6} {:44}", "", "");
    table.extend(visitors.iter().map(|(name, _)| format!(" {name:>9}")));
    let fill = |pattern: &str| {
        let path = pattern.replace("{username}", "ann").replace("{slug}", "a-post").replace("{path:.*}", "style.css");
        path.replace("{id}", &post.to_string())
    };
    for address in declare_routes().iter().filter(|address| address.has_session) {
        for method in address.methods.iter().map(Method::as_str).filter(|method| *method != "HEAD") {
            write!(table, "\n{method:6} {:44}", address.pattern).unwrap();
            for (_, visitor) in &visitors {
                let request = visitor.request(method, &fill(address.pattern)).header("Accept", "application/json");
                // The body is invalid, so that the request neither changes data nor ends a session.
                let request = if method == "GET" { request } else { request.json(&json!({ "nonsense": 1 })) };
                let status =
                    if address.pattern.ends_with("/events/") { 0 } else { visitor.send(request).await.status.as_u16() };
                write!(table, " {status:>9}").unwrap();
            }
        }
    }
    insta::assert_snapshot!("staff_pages_respect_roles", table);
}
