//! Reports of posts, seen by reporters, authors and staff.

use chrono::TimeDelta;
use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::support::{Actor, PASSWORD, TestResponse, TestSite, reachable_tempdir};

fn what(explanation: &str) -> Value {
    json!({ "category": "harassment", "explanation": explanation })
}

async fn report(reader: &Actor, post: i64, explanation: &str) -> i64 {
    let path = format!("/blogs/{post}/report/");
    reader.post(&path, &what(explanation)).await.expect(201).json()["id"].as_i64().unwrap()
}

/// Submits a decision about a case, with the stage and version that the case has now.
async fn attempt(staff: &Actor, case: i64, ruling: &str, reason: &str) -> TestResponse {
    let path = format!("/admin/reports/{case}/");
    let seen = staff.get(&path).await.json();
    let decision = json!({ "ruling": ruling, "reason": reason, "seen": seen["stage"], "version": seen["version"] });
    staff.post(&path, &decision).await
}

async fn decide(staff: &Actor, case: i64, ruling: &str, reason: &str) {
    attempt(staff, case, ruling, reason).await.expect(200);
}

#[actix_web::test]
async fn report_is_decided_appealed_and_finally_decided() {
    let site = TestSite::start_with(&[], 2).await;
    let (mo, max) = (site.staff("mo", "moderator").await, site.staff("max", "moderator").await);
    let (ann, bob, eve) = (site.user("ann").await, site.user("bob").await, site.user("eve").await);
    let post = ann.write("Herons", "They <b>stand</b>.").await;
    let path = format!("/blogs/{post}/report/");
    bob.page(&format!("/blogs/{post}/herons/"))
        .await
        .expect_text(&format!("<a class=\"quiet\" href=\"{path}\" rel=\"nofollow\">"));
    ann.page(&format!("/blogs/{post}/herons/")).await.expect_no_text(&path);
    bob.page(&path).await.expect(200).expect_text("The author won’t be told who you are.");
    let repeated = bob.submit(&path, &[("explanation", "Rude <b>words</b>")]).await.expect(400);
    repeated.expect_text("Select a reason from the list.").expect_text("Rude &#60;b&#62;words&#60;/b&#62;</textarea>");
    let sent = bob.submit(&path, &[("category", "harassment"), ("explanation", "Rude <b>words</b>")]).await.expect(303);
    let case_path = sent.header("location").to_owned();
    bob.page(&case_path).await.expect(200).expect_text("We received your report").expect_text("No decision yet.");
    bob.page(&path).await.expect_redirect(&case_path);
    bob.post(&path, &what("Again")).await.expect_problem(409, "already_reported");
    ann.post(&path, &what("Mine")).await.expect_problem(400, "invalid");
    let case = report(&eve, post, "I agree").await;
    assert_eq!(case_path, format!("/reports/{case}/"));
    ann.get(&case_path).await.expect_problem(404, "not_found");
    mo.get(&case_path).await.expect_problem(404, "not_found");
    let queue = mo.get("/admin/reports/").await.expect(200).json();
    assert_eq!((&queue["results"][0]["reports"], &queue["results"][1]), (&json!(2), &Value::Null));
    mo.page("/admin/reports/").await.expect_text("data-label=\"Reports\"><div>2</div>").expect_text("Pending");
    let page = mo.page(&format!("/admin/reports/{case}/")).await.expect(200);
    page.expect_text("Rude &#60;b&#62;words&#60;/b&#62;").expect_text("<bdi>bob</bdi>").expect_text("I agree");

    let fields =
        [("ruling", "rules"), ("reason", "It calls people herons.\nThat hurts."), ("seen", "open"), ("version", "1")];
    mo.submit(&format!("/admin/reports/{case}/"), &fields).await.expect_redirect("/admin/reports/");
    mo.page("/admin/reports/").await.expect_text("“Herons” has been taken down.").expect_text("No results");
    max.submit(&format!("/admin/reports/{case}/"), &fields)
        .await
        .expect(409)
        .expect_text("This case has already been decided");
    for instance in &site.instances {
        site.guest().with_instance(*instance).get(&format!("/blogs/{post}/")).await.expect(404);
    }
    let page = ann.page(&case_path).await.expect(200).expect_text("Decision about your post");
    page.expect_text("It calls people herons.\nThat hurts.").expect_no_text("bob").expect_no_text("Rude");
    ann.page("/blogs/drafts/").await.expect_text("taken down by staff").expect_no_text("/publish/");
    ann.page(&format!("/blogs/{post}/herons/"))
        .await
        .expect_text("Staff took this post down")
        .expect_no_text("/publish/");
    ann.page("/reports/").await.expect_text("Your post").expect_text("breaks this site’s rules");
    ann.post(&format!("/blogs/{post}/publish/"), &json!({})).await.expect_problem(403, "withheld");
    let publish = json!({ "title": "Herons", "content": "Better.", "status": "published" });
    ann.post(&format!("/blogs/{post}/edit/"), &publish).await.expect_problem(403, "withheld");
    let later = json!({ "title": "Herons", "content": "Better.", "status": "draft", "publish_at": "2026-03-01T12:00" });
    ann.post(&format!("/blogs/{post}/edit/"), &later).await.expect_problem(403, "withheld");
    ann.post(&format!("/blogs/{post}/edit/"), &json!({ "title": "Herons", "content": "Better." })).await.expect(200);

    let appeal = |text: &str| json!({ "appeal": text });
    bob.post(&format!("{case_path}appeal/"), &appeal("More!")).await.expect_problem(409, "no_appeal");
    ann.submit(&format!("{case_path}appeal/"), &[("appeal", " ")])
        .await
        .expect(400)
        .expect_text("Explain why in a few sentences");
    ann.submit(&format!("{case_path}appeal/"), &[("appeal", "Herons are birds.")]).await.expect_redirect(&case_path);
    ann.page(&case_path).await.expect_text("Your appeal was submitted").expect_text("Herons are birds.");
    ann.post(&format!("{case_path}appeal/"), &appeal("And they stand")).await.expect_problem(409, "no_appeal");
    bob.page(&case_path).await.expect_text("The author has appealed.").expect_no_text("Herons are birds.");
    mo.page(&format!("/admin/reports/{case}/"))
        .await
        .expect_text("This appeal is against your own decision")
        .expect_no_text("name=\"ruling\"");
    attempt(&mo, case, "keep", "They are birds.").await.expect_problem(403, "not_your_case");
    // The case shows the reported text beside the current one. A decision is rejected if the post has changed since it
    // was read.
    let page = max.page(&format!("/admin/reports/{case}/")).await.expect_text("Herons are birds.");
    let page = page.expect_text("They &#60;b&#62;stand&#60;/b&#62;.</blockquote>").expect_text("Better.</blockquote>");
    page.expect_text("The decision is final");
    let seen = max.get(&format!("/admin/reports/{case}/")).await.json()["version"].clone();
    ann.post(&format!("/blogs/{post}/edit/"), &json!({ "title": "Buy", "content": "Pills" })).await.expect(200);
    let keep = json!({ "ruling": "keep", "reason": "They are birds.", "seen": "appealed", "version": seen });
    max.post(&format!("/admin/reports/{case}/"), &keep).await.expect_problem(409, "post_changed");
    ann.post(&format!("/blogs/{post}/edit/"), &json!({ "title": "Herons", "content": "Better." })).await.expect(200);
    decide(&max, case, "keep", "They are birds.").await;
    site.guest().get(&format!("/blogs/{post}/")).await.expect(200);
    for party in [&ann, &bob, &eve] {
        party.page(&case_path).await.expect_text("They are birds.").expect_text("This decision is final on this site.");
    }
    attempt(&max, case, "keep", "Again").await.expect_problem(409, "already_decided");
    let olga = site.staff("olga", "owner").await;
    let log = olga.get(&format!("/admin/log/?post={post}")).await.expect(200).json();
    let acts: Vec<_> = log["results"].as_array().unwrap().iter().map(|entry| entry["act"].as_str().unwrap()).collect();
    assert_eq!(acts, ["appeal.decide", "report.decide"]);
    assert_eq!(log["results"][0]["details"]["before"], "taken_down");
    assert_eq!(site.posts_with_wrong_totals().await, [0_i64; 0]);
}

#[actix_web::test]
async fn anonymous_report_is_accessible_only_by_its_link() {
    let site = TestSite::start().await;
    let mo = site.staff("mo", "moderator").await;
    let (guest, post) = (site.guest(), site.post("ann").await);
    let form = guest.page(&format!("/blogs/{post}/report/")).await.expect(200);
    form.expect_text("you’ll get a link");
    let fields = [("category", "illegal"), ("explanation", "Paragraph 1")];
    let sent = guest.submit(&format!("/blogs/{post}/report/"), &fields).await.expect(303);
    let link = sent.header("location").to_owned();
    assert!(link.starts_with("/reports/by_link/?token="), "{link}");
    guest.page(&link).await.expect(200).expect_text("Save the URL of this page").expect_text("Paragraph 1");
    guest.get("/reports/1/").await.expect(401);
    guest.get(&format!("{link}x")).await.expect_problem(400, "link_invalid");
    let case = guest.get(&link).await.json()["id"].as_i64().unwrap();
    decide(&mo, case, "keep", "Nothing in it").await;
    guest
        .page(&link)
        .await
        .expect_text("The post stays up.")
        .expect_text("Nothing in it")
        .expect_text("name=\"appeal\"");
    let appealed = guest.submit(&link, &[("appeal", "Look again")]).await.expect(303);
    assert_eq!(appealed.header("location"), link);
    guest.page(&link).await.expect_text("Look again").expect_no_text("name=\"appeal\"");
    let waits = mo.get("/admin/reports/").await.json();
    assert_eq!(waits["results"][0]["stage"], "appealed");
}

#[actix_web::test]
async fn many_reports_form_one_case_and_unpublish_nothing() {
    let site = TestSite::start_with(&[("SIGN_IN_THROTTLE", "off")], 2).await;
    let post = site.post("ann").await;
    let crowd = site.many_users_at(40, &site.instances).await;
    let path = format!("/blogs/{post}/report/");
    let body = what("Down with it");
    let sent = join_all(crowd.iter().flat_map(|reader| [reader.post(&path, &body), reader.post(&path, &body)])).await;
    let arrived = sent.iter().filter(|answer| answer.status == 201).count();
    assert_eq!((arrived, sent.iter().filter(|answer| answer.status == 409).count()), (40, 40));
    assert_eq!((site.count("report_cases").await, site.count("reports").await), (1, 40));
    site.guest().get(&format!("/blogs/{post}/")).await.expect(200);
    // A case holds at most 100 anonymous reports, and all reports of registered users.
    sqlx::query("insert into reports (case_id, category, explanation, reported_at) select id, 'spam', 'x', now() from report_cases, generate_series(1, 100)")
        .execute(&site.pool).await.unwrap();
    site.guest().post(&path, &body).await.expect_problem(409, "enough_reports");
    site.user("ben").await.post(&path, &body).await.expect(201);
}

#[actix_web::test]
async fn staff_do_not_see_drafts_of_reported_posts() {
    let site = TestSite::start().await;
    let (mo, ann, bob) = (site.staff("mo", "moderator").await, site.user("ann").await, site.user("bob").await);
    let post = ann.write("Herons", "They stand.").await;
    let case = report(&bob, post, "x").await;
    let path = format!("/admin/reports/{case}/");
    assert_eq!(mo.get(&path).await.expect(200).json()["present_text"], "They stand.");
    ann.post(&format!("/blogs/{post}/unpublish/"), &json!({})).await.expect(204);
    ann.post(&format!("/blogs/{post}/edit/"), &json!({ "title": "Secret", "content": "Zebra", "status": "draft" }))
        .await
        .expect(200);
    mo.get(&path).await.expect(200).expect_no_text("Zebra").expect_text("They stand.");
    mo.page(&path).await.expect(200).expect_no_text("Zebra");
}

/// The author could otherwise report the post anonymously and use up the appeal of the reporters.
#[actix_web::test]
async fn anonymous_reporters_cannot_appeal_for_registered_ones() {
    let site = TestSite::start().await;
    let (mo, eve, post) = (site.staff("mo", "moderator").await, site.user("eve").await, site.post("ann").await);
    let fields = [("category", "illegal"), ("explanation", "Paragraph 1")];
    let sent = site.guest().submit(&format!("/blogs/{post}/report/"), &fields).await.expect(303);
    let link = sent.header("location").to_owned();
    let case = report(&eve, post, "x").await;
    decide(&mo, case, "keep", "Nothing in it").await;
    site.guest().page(&link).await.expect(200).expect_no_text("name=\"appeal\"");
    site.guest().post(&link, &json!({ "appeal": "The moderator is right" })).await.expect_problem(409, "no_appeal");
    eve.post(&format!("/reports/{case}/appeal/"), &json!({ "appeal": "Look again" })).await.expect(200);
}

#[actix_web::test]
async fn reports_are_rate_limited() {
    let site = TestSite::start().await;
    let (ann, bob) = (site.user("ann").await, site.user("bob").await);
    for _ in 0..5 {
        let post = ann.write("Herons", "They stand.").await;
        report(&bob, post, "x").await;
    }
    let post = ann.write("Owls", "They fly.").await;
    let refused =
        bob.submit(&format!("/blogs/{post}/report/"), &[("category", "spam"), ("explanation", "Words")]).await;
    refused.expect(429).expect_text("Too many reports").expect_text("Words</textarea>");
    bob.post(&format!("/blogs/{post}/report/"), &what("x")).await.expect_problem(429, "reports_limited");
    // Anonymous visitors from the same network have a limit of their own.
    report(&site.guest(), post, "x").await;
    site.advance_clock(TimeDelta::minutes(10));
    report(&bob, post, "x").await;
}

/// Checks that the cases of reporters whose reports led to takedowns can be listed first, and that several cases can be
/// decided at once, except those in which the staff member is involved and those whose posts were changed.
#[actix_web::test]
async fn cases_are_ordered_by_standing_and_decided_together() {
    let site = TestSite::start().await;
    let (mo, ann) = (site.staff("mo", "moderator").await, site.user("ann").await);
    let (good, bad, guest) = (site.user("good").await, site.user("bad").await, site.guest());
    let mut posts = Vec::new();
    for title in ["One", "Two", "Three", "Four", "Five", "Six"] {
        posts.push(ann.write(title, "They stand.").await);
    }
    let first = report(&good, posts[0], "x").await;
    decide(&mo, first, "rules", "spam").await;
    let second = report(&bad, posts[1], "x").await;
    decide(&mo, second, "keep", "fine").await;
    let by_guest = report(&guest, posts[2], "x").await;
    let by_bad = report(&bad, posts[3], "x").await;
    let by_good = report(&good, posts[4], "x").await;
    let by_staff = report(&mo, posts[5], "x").await;
    let list = async |sort: &str| {
        let cases = mo.get(&format!("/admin/reports/?sort={sort}")).await.expect(200).json();
        let ids = |case: &Value| (case["id"].as_i64().unwrap(), case["weight"].as_f64().unwrap());
        cases["results"].as_array().unwrap().iter().map(ids).collect::<Vec<_>>()
    };
    let expected = [(by_good, 2.0 / 3.0), (by_staff, 0.5), (by_bad, 1.0 / 3.0), (by_guest, 0.1)];
    assert_eq!(list("-weight").await, expected);
    assert_eq!(list("weight").await, expected.iter().rev().copied().collect::<Vec<_>>());
    ann.post(&format!("/blogs/{}/edit/", posts[3]), &json!({ "title": "Four", "content": "Changed", "version": 1 }))
        .await
        .expect(200);
    let selected = [by_good, by_staff, by_bad, by_guest];
    let input = json!({ "act": "take_down_posts", "selected": selected, "reason": "Advertising" });
    let decided = mo.post("/admin/act/", &input).await.expect(200).json();
    let skipped: Vec<_> = decided["rows"].as_array().unwrap().iter().map(|row| row["skipped"].clone()).collect();
    assert_eq!(decided["count"], 2, "{decided}");
    assert_eq!(skipped.iter().filter(|reason| **reason == "involved").count(), 1, "{decided}");
    assert_eq!(skipped.iter().filter(|reason| **reason == "changed").count(), 1, "{decided}");
    for (post, status) in [(posts[2], 404), (posts[3], 200), (posts[4], 404), (posts[5], 200)] {
        guest.get(&format!("/blogs/{post}/")).await.expect(status);
    }
    let seen = good.get(&format!("/reports/{by_good}/")).await.expect(200).json();
    assert_eq!(
        (&seen["decision"]["ruling"], &seen["decision"]["reason"]),
        (&json!("taken_down"), &json!("Advertising"))
    );
    let log = site.staff("ada", "admin").await.get("/admin/log/?act=report.decide").await.expect(200).json();
    let entry = log["results"].as_array().unwrap().iter().find(|entry| entry["details"]["case"] == by_good).unwrap();
    assert_eq!(
        (&entry["details"]["after"], &entry["details"]["reason"]),
        (&json!("taken_down"), &json!("Advertising"))
    );
    // In a browser, decided cases have no checkbox.
    let page = mo.page("/admin/reports/?status=all").await.expect(200);
    page.expect_text("Take down posts")
        .expect_text(&format!("value=\"{by_staff}\""))
        .expect_no_text(&format!("value=\"{by_good}\""));
}

#[actix_web::test]
async fn staff_cannot_decide_their_own_cases() {
    let site = TestSite::start().await;
    let (mo, max, olga) =
        (site.staff("mo", "moderator").await, site.staff("max", "admin").await, site.staff("olga", "owner").await);
    let post = mo.write("Mine", "Text.").await;
    let case = report(&max, post, "Look").await;
    let path = format!("/admin/reports/{case}/");
    let decision = json!({ "ruling": "law", "reason": "Paragraph 1", "seen": "open", "version": 1 });
    for concerned in [&mo, &max] {
        concerned.post(&path, &decision).await.expect_problem(403, "not_your_case");
    }
    // Staff cannot see who reported their own posts.
    mo.get(&path).await.expect_problem(403, "not_your_case");
    max.page(&path).await.expect_text("You reported this post");
    olga.post(&path, &decision).await.expect(200);
    mo.post(&format!("/blogs/{post}/publish/"), &json!({})).await.expect_problem(403, "withheld");
    // Staff can revise a decision until the author or a reporter appeals. The restored post keeps its publication time.
    let before = site.count("blog_posts where withheld_by is not null and published_at is null").await;
    decide(&olga, case, "keep", "Paragraph 2 allows it").await;
    assert_eq!((before, site.count("blog_posts where withheld_by is null and status = 'published'").await), (1, 1));
    site.advance_clock(TimeDelta::days(184));
    for (staff, name) in [(&max, "max"), (&olga, "olga")] {
        staff.post("/users/login/", &json!({ "username": name, "password": PASSWORD })).await.expect(200);
    }
    max.post(&format!("/reports/{case}/appeal/"), &json!({ "appeal": "No" })).await.expect_problem(409, "no_appeal");
    let unseen = json!({ "ruling": "keep", "reason": "x" });
    for wrong in [unseen, json!({ "ruling": "burn", "reason": "x", "seen": "decided", "version": 3 })] {
        olga.post(&path, &wrong).await.expect_problem(400, "invalid");
    }
}

#[actix_web::test]
async fn restored_draft_stays_a_draft_and_deleted_posts_need_no_decision() {
    let site = TestSite::start().await;
    let (mo, ann, bob) = (site.staff("mo", "moderator").await, site.user("ann").await, site.user("bob").await);
    let [post, other] = [ann.write("One", "1").await, ann.write("Two", "2").await];
    let case = report(&bob, post, "x").await;
    ann.post(&format!("/blogs/{post}/unpublish/"), &json!({})).await.expect(204);
    decide(&mo, case, "rules", "Not here").await;
    decide(&mo, case, "keep", "All right").await;
    assert_eq!(site.count("blog_posts where status = 'draft' and withheld_by is null").await, 1);
    ann.post(&format!("/blogs/{post}/publish/"), &json!({})).await.expect(200);
    let case = report(&bob, other, "x").await;
    ann.post(&format!("/blogs/{other}/delete/"), &json!({})).await.expect(204);
    bob.page(&format!("/reports/{case}/")).await.expect_text("The post was deleted before a decision was made.");
    let waits = mo.get("/admin/reports/").await.json();
    assert_eq!(waits["results"].as_array().unwrap().len(), 0);
    let decision = json!({ "ruling": "keep", "reason": "x", "seen": "open", "version": 1 });
    mo.post(&format!("/admin/reports/{case}/"), &decision).await.expect_problem(409, "already_decided");
}

#[actix_web::test]
async fn two_cases_of_one_post_show_consistent_states() {
    let site = TestSite::start().await;
    let (mo, max) = (site.staff("mo", "moderator").await, site.staff("max", "moderator").await);
    let (bob, cy) = (site.user("bob").await, site.user("cy").await);
    let post = site.post("ann").await;
    let first = report(&bob, post, "x").await;
    decide(&mo, first, "keep", "All right").await;
    bob.post(&format!("/reports/{first}/appeal/"), &json!({ "appeal": "No" })).await.expect(200);
    let second = report(&cy, post, "y").await;
    decide(&mo, second, "rules", "Not so").await;
    decide(&max, first, "keep", "Still all right").await;
    bob.page(&format!("/reports/{first}/")).await.expect_text("it’s still taken down because of another decision");
    assert_eq!(site.count("blog_posts where status = 'draft' and withheld_by is not null").await, 1);
    decide(&max, second, "keep", "All right after all").await;
    bob.page(&format!("/reports/{first}/")).await.expect_text("The post stays up.").expect_no_text("still taken down");
    assert_eq!(site.count("blog_posts where status = 'published'").await, 1);
}

#[actix_web::test]
async fn draft_that_two_cases_took_down_stays_a_draft() {
    let site = TestSite::start().await;
    let (mo, ann) = (site.staff("mo", "moderator").await, site.user("ann").await);
    let (bob, cy) = (site.user("bob").await, site.user("cy").await);
    let post = ann.write("T", "t").await;
    let first = report(&bob, post, "x").await;
    decide(&mo, first, "keep", "All right").await;
    let second = report(&cy, post, "y").await;
    ann.post(&format!("/blogs/{post}/unpublish/"), &json!({})).await.expect(204);
    decide(&mo, second, "rules", "Not so").await;
    decide(&mo, first, "rules", "Not so either").await;
    decide(&mo, second, "keep", "All right after all").await;
    decide(&mo, first, "keep", "This, too").await;
    assert_eq!(site.count("blog_posts where status = 'draft' and withheld_by is null").await, 1);
}

#[actix_web::test]
async fn post_that_two_cases_took_down_raises_the_warning_level_once() {
    let site = TestSite::start().await;
    let (mo, ann) = (site.staff("mo", "moderator").await, site.user("ann").await);
    let (bob, cy) = (site.user("bob").await, site.user("cy").await);
    let level = async || {
        let level = sqlx::query_scalar("select coalesce(round(sum(level)), 0)::bigint from warning_levels");
        level.fetch_one(&site.pool).await.unwrap()
    };
    let post = ann.write("T", "t").await;
    let first = report(&bob, post, "x").await;
    decide(&mo, first, "keep", "All right").await;
    let second = report(&cy, post, "y").await;
    decide(&mo, second, "rules", "Not so").await;
    let raised: i64 = level().await;
    assert_ne!(raised, 0);
    decide(&mo, first, "rules", "Not so either").await;
    assert_eq!(level().await, raised);
    decide(&mo, first, "keep", "All right after all").await;
    assert_eq!(level().await, raised);
    decide(&mo, second, "keep", "This, too").await;
    assert_eq!(level().await, 0);
}

#[actix_web::test]
async fn report_of_a_taken_down_post_opens_no_case() {
    let site = TestSite::start_with(&[("SIGN_IN_THROTTLE", "off")], 2).await;
    let mo = site.staff("mo", "moderator").await;
    let readers = site.many_users_at(4, &site.instances).await;
    for round in 0..5 {
        let post = site.post(&format!("author_{round}")).await;
        let case = report(&site.guest(), post, "x").await;
        let path = format!("/blogs/{post}/report/");
        let (body, reports) = (what("y"), readers.iter());
        let reports = join_all(reports.map(|reader| reader.post(&path, &body)));
        let (decided, _) = futures_util::future::join(attempt(&mo, case, "rules", "Not so"), reports).await;
        decided.expect(200);
        let open = format!("report_cases where blog_id = {post} and decided_at is null");
        assert_eq!(site.count(&open).await, 0, "round {round}");
    }
}

#[actix_web::test]
async fn reporter_sees_only_own_explanation() {
    let site = TestSite::start().await;
    let (mo, bob, eve) = (site.staff("mo", "moderator").await, site.user("bob").await, site.user("eve").await);
    let post = site.post("ann").await;
    let case = report(&bob, post, "Said by bob").await;
    report(&eve, post, "Said by eve").await;
    decide(&mo, case, "keep", "All right").await;
    let path = format!("/reports/{case}/");
    bob.post(&format!("{path}appeal/"), &json!({ "appeal": "Bob appeals" })).await.expect(200);
    bob.page(&path).await.expect_text("Bob appeals").expect_text("Said by bob").expect_no_text("Said by eve");
    let eves = eve.page(&path).await.expect_text("Someone else who reported this post has appealed.");
    eves.expect_text("Said by eve").expect_no_text("Bob appeals").expect_no_text("Said by bob");
    mo.page(&format!("/admin/reports/{case}/")).await.expect_text("Bob appeals");
}

#[actix_web::test]
async fn author_who_loses_by_an_appeal_may_appeal_once() {
    let dir = reachable_tempdir();
    let url = format!("file:{}", dir.path().join("mail").display());
    let site = TestSite::start_with(&[("SMTP_URL", &url)], 1).await;
    let (mo, max) = (site.staff("mo", "moderator").await, site.staff("max", "moderator").await);
    let ada = site.staff("ada", "admin").await;
    let (ann, bob, eve) = (site.user("ann").await, site.user("bob").await, site.user("eve").await);
    let post = ann.write("Herons", "They stand.").await;
    let case = report(&bob, post, "Said by bob").await;
    report(&eve, post, "Said by eve").await;
    let (path, staffs) = (format!("/reports/{case}/"), format!("/admin/reports/{case}/"));
    let appeal = |text: &str| json!({ "appeal": text });
    sqlx::query("update users set email_confirmed_at = created_at").execute(&site.pool).await.unwrap();
    let last_mail = async |kind: &str| -> String {
        let last = sqlx::query_scalar("select body_text from outbox where kind = $1 order by id desc limit 1");
        last.bind(kind).fetch_one(&site.pool).await.unwrap()
    };
    decide(&mo, case, "keep", "All right").await;
    bob.post(&format!("{path}appeal/"), &appeal("Bob appeals")).await.expect(200);
    decide(&max, case, "rules", "They do more").await;
    // Reporters can appeal once per case. The author has not appealed yet, and so can appeal the new decision.
    assert!(last_mail("post_decided").await.contains("You can appeal once"));
    bob.page(&path).await.expect_text("The author can appeal this decision until").expect_no_text("final on this site");
    bob.post(&format!("{path}appeal/"), &appeal("More")).await.expect_problem(409, "no_appeal");
    let anns = ann.page(&path).await.expect_text("name=\"appeal\"").expect_text("They do more");
    let anns = anns.expect_text("You can edit it, but you can’t publish it.");
    anns.expect_text("All right").expect_no_text("Bob appeals");
    ann.submit(&format!("{path}appeal/"), &[("appeal", "Ann appeals")]).await.expect_redirect(&path);
    let refused = ann.submit(&format!("{path}appeal/"), &[("appeal", "And one thing more")]).await.expect(409);
    refused.expect_text("Appeal not submitted").expect_text("And one thing more");
    let anns = ann.page(&path).await.expect_text("Earlier decision").expect_text("Ann appeals");
    anns.expect_text("All right").expect_text("They do more").expect_no_text("Bob appeals");
    bob.page(&path)
        .await
        .expect_text("Bob appeals")
        .expect_text("You have appealed.")
        .expect_no_text("Ann appeals")
        .expect_no_text("Said by eve");
    eve.page(&path)
        .await
        .expect_text("Someone else who reported this post has appealed.")
        .expect_no_text("Bob appeals")
        .expect_no_text("Ann appeals");
    let page = ada.page(&staffs).await.expect_text("Bob appeals").expect_text("Ann appeals").expect_text("All right");
    page.expect_text("They do more").expect_text("name=\"ruling\"");
    for (party, theirs, others) in [(&ann, "Ann appeals", "Bob appeals"), (&bob, "Bob appeals", "Ann appeals")] {
        let reports = &party.download_export().await["reports.json"];
        assert!(reports.contains(theirs) && !reports.contains(others), "{reports}");
    }
    // Staff who decided the case before cannot decide the second appeal. Its decision is final for both sides.
    for judge in [&mo, &max] {
        attempt(judge, case, "keep", "x").await.expect_problem(403, "not_your_case");
    }
    decide(&ada, case, "keep", "They only stand").await;
    site.guest().get(&format!("/blogs/{post}/")).await.expect(200);
    assert!(last_mail("post_decided").await.contains("The case was reviewed again"));
    assert!(last_mail("report_decided").await.contains("had been taken down"));
    for party in [&ann, &bob, &eve] {
        party.page(&path).await.expect_text("The post is published again.");
        party.page(&path).await.expect_text("They only stand").expect_text("This decision is final on this site.");
        party.post(&format!("{path}appeal/"), &appeal("More")).await.expect_problem(409, "no_appeal");
    }
}

#[actix_web::test]
async fn expired_cases_are_deleted_unless_they_keep_a_post_down() {
    let site = TestSite::start().await;
    let (mo, bob) = (site.staff("mo", "moderator").await, site.user("bob").await);
    let [kept, down] = [site.post("ann").await, site.post("ben").await];
    let cases = [report(&bob, kept, "x").await, report(&bob, down, "x").await];
    decide(&mo, cases[0], "keep", "x").await;
    decide(&mo, cases[1], "rules", "x").await;
    site.advance_clock(TimeDelta::days(364));
    site.site().housekeeping().delete_expired_rows().await.unwrap();
    assert_eq!(site.count("report_cases").await, 2);
    site.advance_clock(TimeDelta::days(2));
    site.site().housekeeping().delete_expired_rows().await.unwrap();
    assert_eq!((site.count("report_cases").await, site.count("reports").await), (1, 1));
}
