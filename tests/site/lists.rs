//! Lists of the admin area: filters, pagination, CSV export and bulk actions.

use chrono::TimeDelta;
use evenkeel::admin::bulk_actions::action::RowAction;
use evenkeel::admin::bulk_actions::registry::ACTIONS;
use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::support::{Actor, PASSWORD, TestSite, reachable_tempdir};

/// Returns the rows of all pages of a list and the number of pages. Also checks the links to previous pages and the
/// number of lines of the CSV export.
async fn walk(actor: &Actor, path: &str) -> (Vec<Value>, usize) {
    let (mut rows, mut pages, mut next) = (Vec::new(), Vec::new(), Some(path.to_owned()));
    while let Some(path) = next {
        let page = actor.get(&path).await.expect(200).json();
        rows.extend(page["results"].as_array().unwrap().clone());
        next = page["next"].as_str().map(str::to_owned);
        pages.push(page);
    }
    for pair in pages.windows(2) {
        if let Some(previous) = pair[1]["previous"].as_str() {
            assert_eq!(actor.get(previous).await.expect(200).json()["results"], pair[0]["results"], "{path}");
        }
    }
    let separator = if path.contains('?') { '&' } else { '?' };
    let csv = actor.get(&format!("{path}{separator}format=csv")).await.expect(200);
    assert_eq!(csv.text.lines().count(), rows.len() + 1, "{path}");
    (rows, pages.len())
}

async fn run_action(staff: &Actor, act: &str, selected: &Value) -> Value {
    let body = json!({ "act": act, "selected": selected, "reason": "For this test" });
    staff.post("/admin/act/", &body).await.expect(200).json()
}

/// Asserts that a bulk action is rejected because it would change none of the selected rows.
async fn expect_nothing_changed(staff: &Actor, act: &str, selected: &Value) {
    let body = json!({ "act": act, "selected": selected, "reason": "For this test" });
    let problem = staff.post("/admin/act/", &body).await.expect_problem(400, "invalid").json();
    let message = problem["errors"]["selected"][0].as_str().unwrap_or_default();
    assert!(message.starts_with("Nothing changed."), "{problem}");
}

/// Creates posts whose titles begin with an equals sign. Up to three posts share a publication time.
async fn write_posts(site: &TestSite, author: &Actor, count: usize) -> Vec<i64> {
    let mut posts = Vec::new();
    for number in 0..count {
        posts.push(author.write(&format!("=Post {number}"), "Text").await);
        site.advance_clock(TimeDelta::seconds(i64::from(number % 3 == 0)));
    }
    posts
}

/// Creates a draft with the title "Secret".
async fn secret_draft(author: &Actor) -> i64 {
    let draft = json!({ "title": "Secret", "content": "x", "status": "draft" });
    author.post("/blogs/create/", &draft).await.expect(201).json()["id"].as_i64().unwrap()
}

#[actix_web::test]
async fn posts_can_be_filtered_and_exported() {
    let site = TestSite::start().await;
    let (mo, ann) = (site.staff("mo", "moderator").await, site.user("ann").await);
    write_posts(&site, &ann, 60).await;
    mo.write("Theirs", "Text").await;
    secret_draft(&ann).await;
    let (rows, pages) = walk(&mo, "/admin/posts/").await;
    assert_eq!((rows.len(), pages), (61, 2));
    assert_eq!(walk(&mo, "/admin/posts/?author=ann").await.0.len(), 60);
    mo.get("/admin/posts/?author=nobody").await.expect_problem(400, "invalid");
    mo.page("/admin/posts/?status=odd").await.expect(400).expect_text("id=\"status-error\"");
    // Spreadsheets would evaluate a cell that begins with an equals sign as a formula.
    let csv = mo.get("/admin/posts/?author=ann&format=csv").await.expect(200);
    assert!(csv.text.contains(",'=Post 59,ann,published,"), "{}", csv.text);
}

#[actix_web::test]
async fn confirmation_page_of_a_bulk_action_hides_drafts() {
    let site = TestSite::start().await;
    let (mo, ann) = (site.staff("mo", "moderator").await, site.user("ann").await);
    let (posts, draft) = (write_posts(&site, &ann, 2).await, secret_draft(&ann).await);
    let selected = format!("selected={}&selected={}&selected={draft}&selected=999999&selected=x", posts[0], posts[1]);
    let page = mo.page(&format!("/admin/act/?act=unpublish&{selected}")).await.expect(200);
    page.expect_text("Applies to 2 items").expect_text("3 selected items will be skipped").expect_no_text("Secret");
    mo.get(&format!("/admin/act/?act=publish&selected={draft}")).await.expect(200).expect_no_text("Secret");
}

#[actix_web::test]
async fn bulk_actions_unpublish_and_publish_posts() {
    let site = TestSite::start_with(&[], 2).await;
    let (mo, ann) = (site.staff("mo", "moderator").await, site.user("ann").await);
    let posts = write_posts(&site, &ann, 60).await;
    let (rows, _) = walk(&mo, "/admin/posts/").await;
    let selected = format!("{}\n{}", posts[0], posts[1]);
    let rejected = mo.submit("/admin/act/", &[("act", "unpublish"), ("selected", &selected)]).await.expect(400);
    rejected.expect_text("id=\"reason-error\"").expect_text(&format!("value=\"{selected}\""));
    let fields = [("act", "unpublish"), ("selected", selected.as_str()), ("reason", "Looking into it")];
    mo.submit("/admin/act/", &fields).await.expect_redirect("/admin/posts/");
    let list = mo.page("/admin/posts/").await.expect(200).expect_text("2 posts unpublished.");
    let undo = format!("/admin/act/?act=publish&#38;selected={}%0A{}", posts[0], posts[1]);
    list.expect_text(&undo).expect_text("Publish");
    for instance in &site.instances {
        site.guest().with_instance(*instance).get(&format!("/blogs/{}/", posts[0])).await.expect(404);
    }
    mo.page(&undo.replace("&#38;", "&")).await.expect(200).expect_text("Applies to 2 items");
    assert_eq!(walk(&mo, "/admin/posts/?status=unpublished").await.0.len(), 2);
    ann.page(&format!("/blogs/{}/post-0/", posts[0])).await.expect_text("Staff unpublished this post.");
    let ids = json!([posts[0].to_string(), posts[1].to_string(), posts[1]]);
    assert_eq!(run_action(&mo, "publish", &ids).await["skipped_count"], 0);
    assert_eq!(walk(&mo, "/admin/posts/").await.0, rows, "the list is in the previous order");
    expect_nothing_changed(&mo, "publish", &json!([posts[0].to_string()])).await;
    let olga = site.staff("olga", "owner").await;
    let log = olga.get(&format!("/admin/log/?post={}", posts[0])).await.json();
    let acts: Vec<_> = log["results"].as_array().unwrap().iter().map(|entry| entry["act"].as_str().unwrap()).collect();
    assert_eq!(
        (acts, &log["results"][1]["details"]["reason"]),
        (vec!["post.publish", "post.unpublish"], &json!("Looking into it"))
    );
}

#[actix_web::test]
async fn staff_cannot_publish_a_post_that_its_author_unpublished() {
    let site = TestSite::start().await;
    let (mo, ann) = (site.staff("mo", "moderator").await, site.user("ann").await);
    let post = ann.write("Post", "Text").await;
    ann.post(&format!("/blogs/{post}/unpublish/"), &json!({})).await.expect(204);
    expect_nothing_changed(&mo, "publish", &json!([post.to_string()])).await;
    ann.post(&format!("/blogs/{post}/publish/"), &json!({})).await.expect(200);
}

#[actix_web::test]
async fn bulk_action_needs_a_known_name_and_1_to_100_rows() {
    let site = TestSite::start().await;
    let mo = site.staff("mo", "moderator").await;
    mo.page("/admin/act/?act=unpublish").await.expect_redirect("/admin/posts/");
    mo.get("/admin/act/?act=unpublish").await.expect_problem(400, "invalid");
    let ids: Vec<String> = (0..101).map(|id| id.to_string()).collect();
    let too_many = json!({ "act": "unpublish", "selected": ids, "reason": "x" });
    mo.post("/admin/act/", &too_many).await.expect_problem(400, "invalid");
    mo.post("/admin/act/", &json!({ "act": "burn", "selected": ["1"], "reason": "x" }))
        .await
        .expect_problem(400, "invalid");
}

#[actix_web::test]
async fn ratings_are_listed_by_post_and_by_user() {
    let site = TestSite::start_with(&[("RATING_LIMITER", "off")], 1).await;
    let mo = site.staff("mo", "moderator").await;
    let (post, other) = (site.post("ann").await, site.post("ben").await);
    let crowd = site.many_users(60).await;
    for (number, reader) in crowd.iter().enumerate() {
        reader.rate(post, 1 + i64::try_from(number).unwrap() % 5).await.expect(201);
    }
    crowd[7].rate(other, 2).await.expect(201);
    assert_eq!(walk(&mo, "/admin/ratings/").await.0.len(), 0);
    mo.page("/admin/ratings/").await.expect_text("Enter a post to see its ratings");
    let (rows, pages) = walk(&mo, &format!("/admin/ratings/?post={post}")).await;
    assert_eq!((rows.len(), pages), (60, 2));
    let since = |row: &Value| row["user_since"].as_str().unwrap().to_owned();
    assert!(rows.is_sorted_by(|user, next| since(user) >= since(next)), "the newest accounts first");
    let name = rows.iter().find(|row| row["rating"] == 3).unwrap()["user"].as_str().unwrap().to_owned();
    assert_eq!(walk(&mo, &format!("/admin/ratings/?post={post}&user={name}")).await.0.len(), 1);
    let of_seven = walk(&mo, "/admin/ratings/?user=crowd_7").await.0;
    assert_eq!(of_seven.iter().map(|row| row["post"].as_i64().unwrap()).collect::<Vec<_>>(), [other, post]);
    mo.page(&format!("/admin/ratings/?post={post}")).await.expect_text("Account created").expect_text("5 stars");
}

#[actix_web::test]
async fn sessions_can_be_listed_and_ended() {
    let site = TestSite::start_with(&[("SIGN_IN_THROTTLE", "off")], 1).await;
    let (ada, mo, ann) =
        (site.staff("ada", "admin").await, site.staff("mo", "moderator").await, site.user("ann").await);
    let other_session = site.guest();
    other_session.post("/users/login/", &json!({ "username": "ann", "password": PASSWORD })).await.expect(200);
    site.many_users(55).await;
    let (rows, pages) = walk(&ada, "/admin/sessions/").await;
    assert_eq!((rows.len(), pages), (59, 2));
    mo.get("/admin/sessions/").await.expect_problem(403, "role_needed");
    let sessions = walk(&ada, "/admin/sessions/?user=ann").await.0;
    assert_eq!((sessions.len(), &sessions[0]["network"]), (2, &json!("127.0.0.1")));
    mo.get(&format!("/admin/act/?act=end_sessions&selected={}", sessions[0]["id"].as_str().unwrap()))
        .await
        .expect_problem(403, "role_needed");
    assert_eq!(
        run_action(&ada, "end_sessions", &json!([sessions[0]["id"]])).await["rows"].as_array().unwrap().len(),
        1
    );
    // Both sessions began at the same time, so either may be listed first.
    let answers = join_all([&other_session, &ann].map(|actor| actor.get("/users/account/"))).await;
    assert_eq!(answers.iter().map(|answer| u32::from(answer.status.as_u16())).sum::<u32>(), 200 + 401);
    let log = ada.get("/admin/log/?user=ann&act=sessions.end").await.json();
    assert_eq!(log["results"][0]["details"], json!({ "sessions": 1, "reason": "For this test" }));
}

#[actix_web::test]
async fn staff_can_end_sessions_of_staff_with_a_lower_role_and_their_own() {
    let site = TestSite::start_with(&[("SIGN_IN_THROTTLE", "off")], 1).await;
    let (ada, _mo) = (site.staff("ada", "admin").await, site.staff("mo", "moderator").await);
    let (olga, max) = (site.staff("olga", "owner").await, site.staff("max", "owner").await);
    for (staff, user, ended) in [(&ada, "olga", false), (&ada, "mo", true), (&olga, "olga", true), (&max, "ada", true)]
    {
        let session = walk(staff, &format!("/admin/sessions/?user={user}")).await.0[0]["id"].clone();
        let result = run_action(staff, "end_sessions", &json!([session])).await;
        if ended {
            assert_eq!((result["rows"].as_array().unwrap().len(), &result["skipped_count"]), (1, &json!(0)), "{user}");
        } else {
            assert_eq!((&result["count"], &result["rows"][0]["skipped"]), (&json!(0), &json!("staff")));
        }
    }
}

#[actix_web::test]
async fn invitations_can_be_listed_and_ended() {
    let site = TestSite::start().await;
    let (mo, olga) = (site.staff("mo", "moderator").await, site.staff("olga", "owner").await);
    for number in 0..60 {
        let by = if number % 2 == 0 { &mo } else { &olga };
        by.post("/users/invitations/", &json!({ "max_uses": 2, "days": 1 + number % 3 })).await.expect(201);
    }
    let (rows, pages) = walk(&mo, "/admin/invitations/").await;
    assert_eq!((rows.len(), pages), (60, 2));
    let invitations_of_mo = walk(&mo, "/admin/invitations/?user=mo").await.0;
    assert_eq!(
        (invitations_of_mo.len(), &invitations_of_mo[0]["made_by"], &invitations_of_mo[0]["uses"]),
        (30, &json!("mo"), &json!(0))
    );
    // Invitations that were valid for one day have expired.
    site.advance_clock(TimeDelta::days(1));
    assert_eq!(walk(&mo, "/admin/invitations/?status=over").await.0.len(), 20);
    let open = walk(&mo, "/admin/invitations/?status=open").await.0;
    let selected: Vec<String> = [&open[0], &open[1], &rows[59]].map(|row| row["id"].to_string()).to_vec();
    let page = olga
        .page(&format!("/admin/act/?act=end_invitations&selected={}&selected={}", selected[0], selected[2]))
        .await
        .expect(200);
    page.expect_text("Accounts already created with them stay.").expect_text("1 selected item will be skipped");
    let invitation_of_olga = open.iter().find(|row| row["made_by"] == "olga").unwrap()["id"].to_string();
    let skipped = run_action(&mo, "end_invitations", &json!([invitation_of_olga])).await;
    assert_eq!((&skipped["count"], &skipped["rows"][0]["skipped"]), (&json!(0), &json!("staff")));
    let answer = run_action(&olga, "end_invitations", &json!(selected)).await;
    assert_eq!((answer["rows"].as_array().unwrap().len(), &answer["skipped_count"]), (2, &json!(1)));
    assert_eq!(walk(&mo, "/admin/invitations/?status=open").await.0.len(), 38);
    mo.page("/users/invitations/").await.expect_text("href=\"/admin/invitations/\"");
}

#[actix_web::test]
async fn every_bulk_action_rejects_invalid_selections() {
    let site = TestSite::start().await;
    let olga = site.staff("olga", "owner").await;
    // Actions on users list unknown keys as skipped users.
    let is_on_rows =
        |action: &&dyn RowAction| action.properties().lists.iter().all(|list| list.pattern != "/admin/users/");
    for action in ACTIONS.iter().copied().filter(is_on_rows) {
        let act = action.name();
        olga.get(&format!("/admin/act/?act={act}&selected=a%00b")).await.expect_problem(400, "malformed");
        let body = json!({ "act": act, "selected": ["a\u{0}b"], "reason": "x" });
        olga.post("/admin/act/", &body).await.expect_problem(400, "invalid");
        expect_nothing_changed(&olga, act, &json!(["1:2:3", ":", "/", "-1", "99999999999999999999", "zz"])).await;
    }
}

#[actix_web::test]
async fn users_with_failing_attempts_can_be_listed_and_paused() {
    let site = TestSite::start_with(&[("RATING_LIMITER", "off")], 1).await;
    let (mo, post) = (site.staff("mo", "moderator").await, site.post("ann").await);
    let (bob, cy) = (site.user("bob").await, site.user("cy").await);
    bob.rate(post, 1).await.expect(201);
    cy.rate(post, 1).await.expect(201);
    for (user, failures) in [(&cy, 2), (&bob, 3)] {
        for _ in 0..failures {
            user.rate(post, 2).await.expect_problem(409, "already_rated");
        }
    }
    let failing = "/admin/pauses/?status=failing";
    let rows = walk(&mo, failing).await.0;
    let shown: Vec<_> = rows.iter().map(|row| (row["user"].as_str().unwrap(), row["failures"].as_i64())).collect();
    assert_eq!(shown, [("bob", Some(3)), ("cy", Some(2))]);
    let page = mo.page(failing).await.expect(200).expect_text("data-label=\"Failed attempts\"><div>3</div>");
    let key = page.text.split("name=\"selected\" value=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    assert_eq!(run_action(&mo, "pause", &json!([key])).await["rows"][0]["label"], "bob");
    bob.rate(post, 2).await.expect_problem(429, "paused");
    cy.rate(post, 2).await.expect_problem(409, "already_rated");
    assert_eq!(walk(&mo, failing).await.0.len(), 1);
    assert_eq!(walk(&mo, "/admin/pauses/").await.0[0]["user"], "bob");
    assert_eq!(run_action(&mo, "lift_pauses", &json!([key])).await["rows"][0]["label"], "bob");
    bob.rate(post, 2).await.expect_problem(409, "already_rated");
    mo.page("/admin/pauses/?status=no").await.expect(400);
}

#[actix_web::test]
async fn pauses_can_be_listed_and_lifted_on_every_instance() {
    let site = TestSite::start_with(&[("ZOMBIE_PAUSE_BURST", "5"), ("RATING_LIMITER", "off")], 2).await;
    let (mo, post) = (site.staff("mo", "moderator").await, site.post("ann").await);
    let bob = site.user("bob").await;
    let other = bob.with_instance(site.instances[1]);
    bob.rate(post, 1).await.expect(201);
    while bob.rate(post, 2).await.status != 429 {}
    other.rate(post, 2).await.expect_problem(429, "paused");
    let rows = walk(&mo, "/admin/pauses/?user=bob").await.0;
    assert_eq!((rows.len(), &rows[0]["post"]), (1, &json!(post)));
    let page = mo.page("/admin/pauses/").await.expect(200);
    let key = page.text.split("name=\"selected\" value=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    assert!(key.ends_with(&format!(":{post}")), "{key}");
    assert_eq!(run_action(&mo, "lift_pauses", &json!([key])).await["rows"][0]["label"], "bob");
    bob.rate(post, 2).await.expect_problem(409, "already_rated");
    other.rate(post, 2).await.expect_problem(409, "already_rated");
    assert_eq!(walk(&mo, "/admin/pauses/").await.0.len(), 0);
}

/// Starts a site that sends mail, with the staff "ada" (admin) and "mo" (moderator).
async fn site_with_mail(dir: &tempfile::TempDir) -> (TestSite, Actor, Actor) {
    let url = format!("file:{}", dir.path().join("mail").display());
    let site = TestSite::start_with(&[("SMTP_URL", &url)], 1).await;
    let (ada, mo) = (site.staff("ada", "admin").await, site.staff("mo", "moderator").await);
    (site, ada, mo)
}

#[actix_web::test]
async fn mail_and_state_lists_need_the_admin_role() {
    let dir = reachable_tempdir();
    let (_site, ada, mo) = site_with_mail(&dir).await;
    for path in ["/admin/mails/", "/admin/limiter/states/"] {
        mo.get(path).await.expect_problem(403, "role_needed");
    }
    let (mails, _) = walk(&ada, "/admin/mails/").await;
    assert!(!mails.is_empty() && mails[0].get("body_text").is_none(), "{mails:?}");
    let sent = run_action(&ada, "send_mails", &json!([mails[0]["id"].to_string()])).await;
    assert_eq!(sent["skipped_count"], 0);
}

#[actix_web::test]
async fn deletion_of_mail_requires_the_password() {
    let dir = reachable_tempdir();
    let (site, ada, _mo) = site_with_mail(&dir).await;
    let id = walk(&ada, "/admin/mails/").await.0[0]["id"].to_string();
    // Re-authentication is required more than 15 minutes after the password was entered.
    site.advance_clock(TimeDelta::minutes(16));
    let page = ada.page(&format!("/admin/act/?act=drop_mails&selected={id}")).await.expect(200);
    page.expect_text("name=\"current_password\"").expect_text("This can’t be undone.");
    let deletion =
        |password: Value| json!({ "act": "drop_mails", "selected": [id], "reason": "x", "current_password": password });
    ada.post("/admin/act/", &deletion(Value::Null)).await.expect_problem(400, "invalid");
    ada.post("/admin/act/", &deletion(json!("wrong password here"))).await.expect_problem(400, "invalid");
    ada.post("/admin/act/", &deletion(json!(PASSWORD))).await.expect(200);
    assert_eq!(site.count(&format!("outbox where id = {id}")).await, 0);
}

#[actix_web::test]
async fn limiter_states_can_be_reset() {
    let site = TestSite::start().await;
    let (ada, guest) = (site.staff("ada", "admin").await, site.guest());
    let unknown_user = json!({ "username": "nobody_at_all", "password": "not this one" });
    while guest.post("/users/login/", &unknown_user).await.status != 429 {}
    let states = walk(&ada, "/admin/limiter/states/?key=login:").await.0;
    let keys: Vec<String> = states.iter().map(|row| format!("leaky_bucket/{}", row["key"].as_str().unwrap())).collect();
    let reset = run_action(&ada, "forget_states", &json!(keys)).await;
    assert_eq!(reset["rows"].as_array().unwrap().len(), keys.len());
    guest.post("/users/login/", &unknown_user).await.expect(401);
    let log = ada.get("/admin/log/?act=limiter.forget").await.json();
    assert!(log["results"][0]["details"]["before"].is_object(), "{log}");
}

#[actix_web::test]
async fn tags_and_flagged_links_are_listed() {
    let site = TestSite::start().await;
    let (mo, ann) = (site.staff("mo", "moderator").await, site.user("ann").await);
    for tags in [json!(["birds", "herons"]), json!(["birds"]), json!(["birds", "owls"])] {
        ann.post("/blogs/create/", &json!({ "title": "T", "content": "x", "tags": tags })).await.expect(201);
    }
    let tags = walk(&mo, "/admin/tags/").await.0;
    assert_eq!(tags[0], json!({ "tag": "birds", "posts": 3 }));
    assert_eq!(walk(&mo, "/admin/tags/?name=H").await.0, [json!({ "tag": "herons", "posts": 1 })]);
    assert_eq!(walk(&mo, "/admin/posts/?tag=birds").await.0.len(), 3);
    assert_eq!(walk(&mo, "/admin/links/").await.0.len(), 0);
    sqlx::query("update post_links set suspected = '{\"https://bad.example/\"}' where post_id = 1")
        .execute(&site.pool)
        .await
        .unwrap();
    let noted = site.count("post_links where suspected <> '{}'").await;
    assert_eq!(walk(&mo, "/admin/links/").await.0.len(), usize::try_from(noted).unwrap());
}

#[actix_web::test]
async fn audit_log_search_finds_old_entries() {
    let site = TestSite::start().await;
    let ada = site.staff("ada", "admin").await;
    // Inserts more audit log entries than the 5,000 that are searched without the text index. The oldest and some of
    // the newest entries match.
    sqlx::query(
        "insert into audit_log (at, act, details)
        select now(), case when n % 2 = 0 then 'user.block' else 'days.exclude' end,
            jsonb_build_object('reason', case when n <= 120 or n % 500 = 0 then 'A needle' else 'Hay' end)
        from generate_series(1, 21000) n",
    )
    .execute(&site.pool)
    .await
    .unwrap();
    let (rows, pages) = walk(&ada, "/admin/log/?words=NEEDLE").await;
    assert_eq!((rows.len(), pages), (162, 4));
    assert!(rows.is_sorted_by_key(|row| std::cmp::Reverse(row["id"].as_i64())));
    assert_eq!(walk(&ada, "/admin/log/?words=needle&act=days.exclude").await.0.len(), 60);
    assert_eq!(walk(&ada, "/admin/log/?words=haystack").await.0.len(), 0);
    let many = ada.get("/admin/log/?words=hay&act=days.exclude").await.expect(200).json();
    assert_eq!(many["results"].as_array().map(Vec::len), Some(50));
}

#[actix_web::test]
async fn lists_can_be_sorted_by_column() {
    let site = TestSite::start().await;
    let mo = site.staff("mo", "moderator").await;
    let posts = [site.post("ann").await, site.post("ben").await, site.post("cy").await];
    site.many_users(55).await;
    let ids = async |sort: &str| -> Vec<i64> {
        let rows = walk(&mo, &format!("/admin/posts/?sort={sort}")).await.0;
        rows.iter().map(|row| row["id"].as_i64().unwrap()).collect()
    };
    let [first, second, third] = posts;
    assert_eq!(ids("at").await, posts);
    assert_eq!(ids("-at").await, [third, second, first]);
    // There are more users than fit on one page, so that `walk` checks the links between pages.
    let names = async |sort: &str| -> Vec<String> {
        let (rows, pages) = walk(&mo, &format!("/admin/users/?sort={sort}")).await;
        assert_eq!(pages, 2);
        rows.iter().map(|row| row["username"].as_str().unwrap().to_owned()).collect()
    };
    let by_name = names("name").await;
    assert!(by_name.is_sorted() && by_name.len() == 59, "{by_name:?}");
    let downwards: Vec<_> = by_name.iter().rev().cloned().collect();
    assert_eq!(names("-name").await, downwards);
    let (newest, oldest) = (names("-joined").await, names("joined").await);
    assert_eq!(newest, oldest.into_iter().rev().collect::<Vec<_>>());
    let page = mo.page("/admin/users/?status=staff&sort=name").await.expect(200);
    page.expect_text("aria-sort=\"ascending\"><a href=\"/admin/users/?status=staff&#38;sort=-name\">User</a>")
        .expect_text("<input type=\"hidden\" name=\"sort\" value=\"name\">");
    for path in ["/admin/users/?sort=email", "/admin/tags/?sort=-tag"] {
        mo.get(path).await.expect_problem(400, "invalid");
        mo.page(path).await.expect(400).expect_text("class=\"side-menu\"");
    }
}

#[actix_web::test]
async fn filters_of_a_list_survive_a_bulk_action() {
    let site = TestSite::start().await;
    let mo = site.staff("mo", "moderator").await;
    let post = site.post("ann").await;
    let list = "/admin/posts/?author=ann&sort=at";
    mo.page(list).await.expect_text("name=\"list\" value=\"/admin/posts/?author=ann&#38;sort=at\"");
    let query = "list=/admin/posts/%3Fauthor%3Dann%26sort%3Dat";
    let confirm = mo.page(&format!("/admin/act/?act=unpublish&selected={post}&{query}")).await.expect(200);
    let confirm = confirm.expect_text("<a href=\"/admin/posts/?author=ann&#38;sort=at\">Cancel</a>");
    confirm.expect_text("action=\"/admin/act/?list=/admin/posts/");
    let fields = [("act", "unpublish"), ("selected", &*post.to_string()), ("reason", "For this test")];
    let answer = mo.submit(&format!("/admin/act/?{query}"), &fields).await.expect(303);
    assert_eq!(answer.header("location"), list);
    let nothing = mo.page(&format!("/admin/act/?act=publish&{query}")).await.expect(303);
    assert_eq!(nothing.header("location"), list);
    // A path outside of the list is ignored.
    for other in ["https://elsewhere.example/", "/blogs/", "//elsewhere.example/admin/posts/"] {
        let path = format!("/admin/act/?act=publish&selected={post}&list={other}");
        mo.page(&path).await.expect(200).expect_text("<a href=\"/admin/posts/\">Cancel</a>");
    }
}

#[actix_web::test]
async fn user_page_shows_the_account_and_its_activity() {
    let site = TestSite::start().await;
    let (ada, mo) = (site.staff("ada", "admin").await, site.staff("mo", "moderator").await);
    let (own, other) = (site.post("ann").await, site.post("ben").await);
    let ann = site.user("cy").await;
    ann.rate(own, 4).await.expect(201);
    ann.rate(other, 2).await.expect(201);
    let block = json!({ "selected": ["cy"], "act": "block", "reason": "Spam", "days": 3 });
    mo.post("/admin/act/", &block).await.expect(200);
    let account = ada.get("/admin/users/cy/").await.expect(200).json();
    assert_eq!((&account["username"], &account["blocked_reason"]), (&json!("cy"), &json!("Spam")));
    let email = account["email"].as_str().unwrap();
    let ratings = account["latest_ratings"].as_array().unwrap();
    assert_eq!(ratings.iter().map(|row| &row["rating"]).collect::<Vec<_>>(), [2, 4]);
    assert_eq!((&account["log"][0]["act"], account["sessions"].as_array().unwrap().len()), (&json!("user.block"), 1));
    assert_eq!(ada.get("/admin/users/ben/").await.json()["latest_posts"][0]["id"], other);
    let page = ada.page("/admin/users/cy/").await.expect(200).expect_text("Blocked until").expect_text(email);
    page.expect_text("<button class=\"second\" name=\"act\" value=\"unblock\">").expect_text("Blocked an account");
    // Moderators see neither the email address nor sessions and the audit log.
    let restricted = mo.get("/admin/users/cy/").await.expect(200).json();
    assert_eq!((&restricted["email"], restricted.get("sessions"), restricted.get("log")), (&Value::Null, None, None));
    mo.page("/admin/users/cy/").await.expect(200).expect_no_text(email).expect_no_text("Sign out everywhere");
    mo.page("/admin/users/").await.expect_text("<a href=\"/admin/users/cy/\"><bdi>cy</bdi></a>");
    mo.get("/admin/users/nobody/").await.expect_problem(404, "not_found");
    ann.get("/admin/users/ben/").await.expect_problem(404, "not_found");
}
