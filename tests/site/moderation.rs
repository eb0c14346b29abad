//! Exclusion of days from a score by moderators, and the public log of these decisions.

use chrono::TimeDelta;
use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::steady_score::{OPEN, near, rated_for_days};
use crate::support::{Actor, TestSite};

async fn moderator(site: &TestSite) -> Actor {
    let moderator = site.user("mo").await;
    sqlx::query("update users set is_staff = true where username = 'mo'").execute(&site.pool).await.unwrap();
    moderator
}

async fn score(reader: &Actor, post: i64) -> Value {
    reader.get(&format!("/rate/get_blog_rating/{post}/")).await.expect(200).json()["steady_rating"].clone()
}

/// Creates a post with two ratings of four stars on each of six days, and two of one star on the seventh. All ratings
/// count, because they are the first ratings of the post.
async fn disputed_post(site: &TestSite) -> (i64, Vec<Actor>) {
    let readers = site.many_users(14).await;
    let post = rated_for_days(site, &readers[..12], 4).await;
    site.advance_clock(TimeDelta::days(1));
    for attacker in &readers[12..] {
        attacker.rate(post, 1).await.expect(201);
    }
    (post, readers)
}

/// Score of `disputed_post`.
const DISPUTED_SCORE: f64 = 50.0 / 14.0;

/// Excludes the day of the ratings of one star. The day has ended, and no rating has arrived since.
async fn exclude_disputed_day(site: &TestSite, moderator: &Actor, post: i64) -> Value {
    site.advance_clock(TimeDelta::days(1));
    let decision = json!({ "from": "2026-01-08", "reason": "Bought at example.com" });
    moderator.post(&format!("/blogs/{post}/ratings/exclude/"), &decision).await.expect(201).json()
}

async fn rating_history(site: &TestSite, post: i64) -> Value {
    site.guest().get(&format!("/blogs/{post}/ratings/")).await.expect(200).json()
}

#[actix_web::test]
async fn preview_of_an_exclusion_changes_nothing() {
    let site = TestSite::start_with(OPEN, 1).await;
    let (post, readers) = disputed_post(&site).await;
    let moderator = moderator(&site).await;
    assert!(near(&score(&readers[0], post).await, DISPUTED_SCORE));
    site.advance_clock(TimeDelta::days(1));
    let path = format!("/blogs/{post}/ratings/exclude/?from=2026-01-08");
    let preview = moderator.get(&path).await.expect(200).json();
    assert_eq!((&preview["days"], &preview["ratings"], &preview["score_after"]), (&json!(1), &json!(2), &json!(4.0)));
    assert!(near(&preview["score_before"], DISPUTED_SCORE), "{preview}");
    let ages = json!({ "under_a_day": 0, "under_a_week": 0, "under_a_month": 2, "under_a_year": 0, "older": 0 });
    assert_eq!(preview["account_ages"], ages);
    assert!(near(&score(&readers[0], post).await, DISPUTED_SCORE));
}

#[actix_web::test]
async fn exclusion_of_a_day_is_public_with_its_reason() {
    let site = TestSite::start_with(OPEN, 1).await;
    let (post, readers) = disputed_post(&site).await;
    let moderator = moderator(&site).await;
    let entry = exclude_disputed_day(&site, &moderator, post).await;
    assert_eq!((&entry["score_after"], &entry["by_author"]), (&json!(4.0), &json!(false)));
    assert_eq!(score(&readers[0], post).await, 4.0);
    assert_eq!(site.posts_with_wrong_totals().await, [0; 0]);
    let history = rating_history(&site, post).await;
    assert_eq!(history["moderations"], json!([entry]));
    let days = history["days"].as_array().unwrap();
    let total = |name: &str| days.iter().map(|day| day[name].as_f64().unwrap()).sum::<f64>();
    assert_eq!((total("weight"), total("weighted_sum"), total("ratings")), (12.0, 48.0, 14.0));
    assert_eq!((&days[6]["reason"], &days[6]["because"]), (&json!("excluded"), &json!("Bought at example.com")));
    let notice = "2 ratings are excluded from the score by staff.";
    site.advance_clock(TimeDelta::seconds(2));
    for reader in [site.guest(), readers[0].clone()] {
        reader.page(&format!("/blogs/{post}/a-post/")).await.expect(200).expect_text("4.0 ★ · 14").expect_text(notice);
        let page = reader.page(&format!("/blogs/{post}/ratings/")).await.expect(200);
        page.expect_text(
            "A moderator excluded 8 January 2026 from the score (2 ratings). Score before: 3.57 ★, after: 4.00 ★.",
        )
        .expect_text("Excluded by staff: <q dir=\"auto\">Bought at example.com</q>")
        .expect_text("<td data-label=\"Not counted\">–</td><td data-label=\"Excluded\">2.00</td>")
        .expect_no_text("Exclude days");
    }
}

#[actix_web::test]
async fn restored_day_counts_with_its_changed_ratings() {
    let site = TestSite::start_with(OPEN, 1).await;
    let (post, readers) = disputed_post(&site).await;
    let moderator = moderator(&site).await;
    exclude_disputed_day(&site, &moderator, post).await;
    // A changed rating stays on its day, which is excluded.
    readers[12].change_rating(post, 5).await.expect(200);
    assert_eq!(score(&readers[0], post).await, 4.0);
    assert_eq!(site.posts_with_wrong_totals().await, [0; 0]);
    let restoration = json!({ "from": "2026-01-01", "to": "2026-01-08", "reason": "They were real" });
    let entry = moderator.post(&format!("/blogs/{post}/ratings/restore/"), &restoration).await.expect(201).json();
    assert_eq!((&entry["days"], &entry["ratings"]), (&json!(1), &json!(2)));
    assert!(near(&score(&readers[0], post).await, 54.0 / 14.0));
    assert_eq!(site.posts_with_wrong_totals().await, [0; 0]);
    let history = rating_history(&site, post).await;
    assert_eq!((history["moderations"].as_array().unwrap().len(), &history["days"][6]["because"]), (2, &Value::Null));
    assert_eq!(history["moderations"][0]["reason"], "They were real");
}

#[actix_web::test]
async fn hours_before_a_decision_keep_their_score() {
    let site = TestSite::start_with(OPEN, 1).await;
    let (post, readers) = disputed_post(&site).await;
    let moderator = moderator(&site).await;
    let hours = async || {
        let history = site.guest().get(&format!("/blogs/{post}/ratings/?days=1")).await.expect(200).json();
        let hours = history["periods"].as_array().unwrap().iter();
        hours.map(|hour| (hour["admitted"].clone(), hour["steady_rating"].clone())).collect::<Vec<_>>()
    };
    site.advance_clock(TimeDelta::days(2));
    readers[0].change_rating(post, 5).await.expect(200);
    let before = score(&readers[0], post).await;
    site.advance_clock(TimeDelta::hours(1));
    let decision = json!({ "from": "2026-01-08", "reason": "Bought at example.com" });
    moderator.post(&format!("/blogs/{post}/ratings/exclude/"), &decision).await.expect(201);
    assert_ne!(score(&readers[0], post).await, before);
    assert_eq!(hours().await, [(json!(1), before.clone())]);
    site.advance_clock(TimeDelta::hours(1));
    for reader in &readers[1..3] {
        reader.change_rating(post, 5).await.expect(200);
    }
    assert_eq!(hours().await, [(json!(1), before), (json!(2), score(&readers[0], post).await)]);
}

#[actix_web::test]
async fn invalid_moderation_names_its_field() {
    let site = TestSite::start_with(OPEN, 1).await;
    let (post, readers) = disputed_post(&site).await;
    let (moderator, path) = (moderator(&site).await, |action: &str| format!("/blogs/{post}/ratings/{action}/"));
    let decision = |from: &str, to: &str| json!({ "from": from, "to": to, "reason": "x" });
    let valid = decision("2026-01-02", "2026-01-02");
    readers[0].post(&path("exclude"), &valid).await.expect_problem(403, "staff_only");
    readers[0].get(&path("restore")).await.expect_problem(403, "staff_only");
    site.guest().post(&path("restore"), &valid).await.expect_problem(401, "not_signed_in");
    for (action, decision, field) in [
        ("exclude", json!({ "from": "2026-01-02" }), "reason"),
        ("exclude", json!({ "from": "2026-01-02", "reason": " " }), "reason"),
        ("restore", json!({ "reason": "x" }), "from"),
        ("exclude", json!({ "from": "2026-01-02", "reason": "x", "action": "exclude" }), "action"),
        ("exclude", decision("2026-02-30", "2026-03-01"), "from"),
        ("restore", decision("2026-01-03", "2026-01-02"), "to"),
        // The current day has not ended.
        ("exclude", decision("2026-01-02", "2026-01-08"), "to"),
        // No rating counts in December.
        ("exclude", decision("2025-12-01", "2025-12-31"), "from"),
        // No day is excluded yet.
        ("restore", decision("2026-01-02", "2026-01-07"), "from"),
    ] {
        let problem = moderator.post(&path(action), &decision).await.expect_problem(400, "invalid").json();
        let fields: Vec<&String> = problem["errors"].as_object().unwrap().keys().collect();
        assert_eq!(fields, [field], "{action} {decision}");
    }
    moderator.get(&format!("{}?from=tomorrow", path("exclude"))).await.expect_problem(400, "invalid");
    moderator.get("/blogs/999/ratings/exclude/").await.expect_problem(404, "not_found");
    assert_eq!((site.count("moderations").await, site.posts_with_wrong_totals().await), (0, vec![]));
}

#[actix_web::test]
async fn exclusion_form_shows_the_affected_ratings() {
    let site = TestSite::start_with(OPEN, 1).await;
    let (post, _readers) = disputed_post(&site).await;
    let (moderator, path) = (moderator(&site).await, format!("/blogs/{post}/ratings/exclude/"));
    let history = moderator.page(&format!("/blogs/{post}/ratings/")).await.expect(200);
    history.expect_text(&format!("<a href=\"{path}\">Exclude days</a>"));
    moderator.page(&path).await.expect(200).expect_no_text("would be excluded");
    let invalid = moderator.page(&format!("{path}?from=2025-12-01")).await.expect(400);
    invalid.expect_text("value=\"2025-12-01\"");
    let form = moderator.page(&format!("{path}?from=2026-01-02&to=2026-01-03")).await.expect(200);
    form.expect_text("2 January 2026 to 3 January 2026 (2 days with ratings): 4 ratings would be excluded.");
    let fields = [("from", "2026-01-02"), ("to", "2026-01-03")];
    let refused = moderator.submit(&path, &[&fields[..], &[("reason", "")]].concat()).await.expect(400);
    refused
        .expect_text("Enter a reason.")
        .expect_text("4 ratings would be excluded")
        .expect_text("value=\"2026-01-03\"");
    let saved = moderator.submit(&path, &[&fields[..], &[("reason", "<b>a test</b>")]].concat()).await;
    saved.expect_redirect(&format!("/blogs/{post}/ratings/#moderations"));
    moderator.page(&format!("/blogs/{post}/ratings/")).await.expect_text("&#60;b&#62;a test&#60;/b&#62;");
}

#[actix_web::test]
async fn post_has_no_score_while_all_days_are_excluded() {
    let site = TestSite::start_with(OPEN, 1).await;
    let (post, readers) = disputed_post(&site).await;
    let moderator = moderator(&site).await;
    site.advance_clock(TimeDelta::days(1));
    let decision = json!({ "from": "2026-01-02", "to": "2026-01-08", "reason": "All of it" });
    let path = |action: &str| format!("/blogs/{post}/ratings/{action}/");
    let entry = moderator.post(&path("exclude"), &decision).await.expect(201).json();
    assert_eq!((&entry["days"], &entry["score_after"]), (&json!(7), &Value::Null));
    moderator.post(&path("exclude"), &decision).await.expect_problem(400, "invalid");
    site.advance_clock(TimeDelta::seconds(2));
    let page = site.guest().page(&format!("/blogs/{post}/")).await.expect(200);
    page.expect_text("No score · 14 ratings").expect_text("14 ratings are excluded from the score by staff.");
    site.guest().page(&format!("/blogs/{post}/")).await.expect_no_text("aggregateRating");
    // The reason shown for a day is the reason of its latest exclusion.
    let third_of_january = |reason: &str| json!({ "from": "2026-01-03", "reason": reason });
    moderator.post(&path("restore"), &third_of_january("A mistake")).await.expect(201);
    moderator.post(&path("exclude"), &third_of_january("Another reason")).await.expect(201);
    let days = rating_history(&site, post).await["days"].clone();
    assert_eq!((&days[0]["because"], &days[1]["because"]), (&json!("All of it"), &json!("Another reason")));
    let page = readers[0].page(&format!("/blogs/{post}/")).await.expect(200);
    page.expect_text("Reason given for the latest excluded day, 8 January 2026: “All of it”.");
}

#[actix_web::test]
async fn moderation_log_cannot_be_changed_and_is_deleted_with_its_post() {
    let site = TestSite::start_with(OPEN, 1).await;
    let (post, _readers) = disputed_post(&site).await;
    let moderator = moderator(&site).await;
    exclude_disputed_day(&site, &moderator, post).await;
    for change in ["update moderations set reason = 'another'", "delete from moderations"] {
        let refused = sqlx::query(change).execute(&site.pool).await.unwrap_err().to_string();
        assert!(refused.contains("a decision of moderators cannot be changed"), "{refused}");
    }
    moderator.post(&format!("/blogs/{post}/delete/"), &json!({})).await.expect(204);
    assert_eq!(site.count("moderations").await, 0);
}

#[actix_web::test]
async fn concurrent_moderation_and_ratings_stay_exact() {
    let site = TestSite::start_with(OPEN, 2).await;
    let readers = site.many_users(60).await;
    let post = rated_for_days(&site, &readers[..12], 4).await;
    let moderator = moderator(&site).await;
    let path = |action: &str| format!("/blogs/{post}/ratings/{action}/");
    site.advance_clock(TimeDelta::days(1));
    let deciding = async {
        for round in 0..12 {
            let action = if round % 2 == 0 { "exclude" } else { "restore" };
            let decision = json!({ "from": "2026-01-02", "to": "2026-01-05", "reason": "A round" });
            moderator.with_instance(site.instances[round % 2]).post(&path(action), &decision).await.expect(201);
        }
    };
    let rating = join_all(readers[12..].iter().zip(1..).map(|(reader, n)| async move {
        reader.rate(post, n % 5 + 1).await.expect(201);
    }));
    let changing = join_all(readers[..7].iter().map(|reader| async move {
        reader.change_rating(post, 2).await.expect(200);
    }));
    // Ratings of the excluded and restored days are changed at the same time.
    futures_util::join!(deciding, rating, changing);
    assert_eq!(site.posts_with_wrong_totals().await, [0; 0]);
    assert_eq!((site.count("rates").await, site.count("moderations").await), (60, 12));
}

#[actix_web::test]
async fn a_score_is_recomputed_as_if_excluded_ratings_had_not_been_given() {
    let site = TestSite::start_with(OPEN, 1).await;
    let readers = site.many_users(150).await;
    let post = site.post("ann").await;
    // A brigade rates the post on the first day, then four users rate it each day.
    for attacker in &readers[..60] {
        attacker.rate(post, 1).await.expect(201);
    }
    for users in readers[60..104].chunks(4) {
        site.advance_clock(TimeDelta::days(1));
        for user in users {
            user.rate(post, 5).await.expect(201);
        }
    }
    site.advance_clock(TimeDelta::days(1));
    let moderator = moderator(&site).await;
    let decision = json!({ "from": "2026-01-01", "reason": "Bought" });
    let entry = moderator.post(&format!("/blogs/{post}/ratings/exclude/"), &decision).await.expect(201).json();
    assert_eq!((&entry["ratings"], &entry["score_after"]), (&json!(60), &json!(5.0)));
    assert_eq!(site.posts_with_wrong_totals().await, [0; 0]);
    let stats = site.guest().get(&format!("/rate/get_blog_rating/{post}/")).await.expect(200).json();
    assert!(stats["steady_weight"].as_f64().unwrap() > 40.0, "{stats}");
    // The post's score is protected against a second brigade, although its first ratings are excluded.
    site.advance_clock(TimeDelta::days(3));
    for attacker in &readers[104..] {
        attacker.rate(post, 1).await.expect(201);
    }
    assert!(score(&readers[0], post).await.as_f64().unwrap() > 4.8);
    assert_eq!(site.posts_with_wrong_totals().await, [0; 0]);
}
