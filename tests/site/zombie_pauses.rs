//! Zombie pauses: ratings of a client whose attempts always fail are refused until a person lifts the pause.

use chrono::TimeDelta;
use futures_util::future::join_all;
use serde_json::json;

use crate::support::{Actor, TestResponse, TestSite, minutes};

/// Settings in which five failures in a row cause a pause. Other limits are off, and sessions last longer than the
/// weeks by which the tests advance the clock.
const SMALL: [(&str, &str); 5] = [
    ("ZOMBIE_PAUSE_BURST", "5"),
    ("RATING_LIMITER", "off"),
    ("SIGN_IN_THROTTLE", "off"),
    ("SESSION_IDLE_SECONDS", "31536000"),
    ("SESSION_ABSOLUTE_SECONDS", "31536000"),
];

/// Rates a post that the user has already rated. The first `count` attempts must not be paused. Returns the response to
/// the next attempt.
async fn hammer(actor: &Actor, post: i64, count: usize) -> TestResponse {
    for _ in 0..count {
        actor.rate(post, 1).await.expect_problem(409, "already_rated");
    }
    actor.rate(post, 1).await
}

/// Sends failing requests until the user's ratings of a post are paused. Returns the response that reports the pause,
/// and its unpause link.
async fn paused(actor: &Actor, post: i64) -> (TestResponse, String) {
    actor.rate(post, 4).await.expect(201);
    let answer = hammer(actor, post, 6).await.expect_problem(429, "paused");
    let link = link(&answer);
    (answer, link)
}

fn link(answer: &TestResponse) -> String {
    let url = answer.json()["unpause_url"].as_str().unwrap().to_owned();
    assert!(url.starts_with("http://127.0.0.1:8000/unpause/?token="), "{url}");
    url["http://127.0.0.1:8000".len()..].to_owned()
}

#[actix_web::test]
async fn defaults_pause_at_the_3602nd_failure_at_once() {
    let site = TestSite::start().await;
    let (post, ben) = (site.post("ann").await, site.user("ben").await);
    ben.rate(post, 4).await.expect(201);
    for _ in 0..36 {
        for answer in join_all((0..100).map(|_| ben.rate(post, 1))).await {
            answer.expect(409);
        }
    }
    let answer = hammer(&ben, post, 1).await.expect_problem(429, "paused");
    assert_eq!(answer.header("retry-after"), "");
    assert!(answer.json()["detail"].as_str().unwrap().contains("too many failed attempts"));
}

#[actix_web::test]
async fn pause_affects_only_its_user_and_post() {
    let site = TestSite::start_with(&SMALL, 1).await;
    let ann = site.user("ann").await;
    let (post, other) = (ann.write("1", "t").await, ann.write("2", "t").await);
    let (ben, cy) = (site.user("ben").await, site.user("cy").await);
    paused(&ben, post).await;
    // A pause does not apply to changes of an existing rating, and a change does not lift it.
    ben.change_rating(post, 2).await.expect(200);
    ben.change_rating(post, 4).await.expect(200);
    ben.rate(post, 1).await.expect_problem(429, "paused");
    ben.rate(other, 4).await.expect(201);
    cy.rate(post, 4).await.expect(201);
    ben.page(&format!("/blogs/{post}/")).await.expect(200);
    for _ in 0..6 {
        ann.rate(post, 5).await.expect_problem(403, "own_post");
    }
    ann.rate(post, 5).await.expect_problem(429, "paused");
    let page = ben.submit("/rate/", &[("blog", &post.to_string()), ("rating", "3")]).await.expect(429);
    page.expect_text("Your ratings of this post are paused")
        .expect_text("Your rating is still 4 ★.")
        .expect_text("href=\"http://127.0.0.1:8000/unpause/?token=");
}

#[actix_web::test]
async fn only_limiter_refusals_count_and_success_resets() {
    let site = TestSite::start_with(
        &[("ZOMBIE_PAUSE_BURST", "5"), ("LEAKY_BUCKET_CAPACITY", "1"), ("LEAKY_BUCKET_LEAK_PER_SECOND", "1")],
        1,
    )
    .await;
    let (post, ben, cy) = (site.post("ann").await, site.user("ben").await, site.user("cy").await);
    cy.rate(post, 1).await.expect(201);
    // Requests refused by the rating limiter, and requests for a missing post or rating, do not count as failures.
    for _ in 0..20 {
        ben.rate(post, 4).await.expect_problem(429, "post_rate_limited");
        ben.rate(999, 4).await.expect(404);
        ben.change_rating(post, 4).await.expect(404);
    }
    site.advance_clock(TimeDelta::seconds(1));
    ben.rate(post, 4).await.expect(201);
    assert_eq!(site.count("zombie_pauses").await, 0);
    for rating in [5, 3] {
        for _ in 0..5 {
            ben.rate(post, 1).await.expect(409);
        }
        // Resubmitting the current rating is a success as well, and resets the count.
        site.advance_clock(TimeDelta::seconds(1));
        ben.change_rating(post, rating).await.expect(200);
    }
    // An invalid limiter state in the database is a fault of the server and does not count against the client.
    sqlx::query("update limiter_states set state = '{}' where key like 'post:%'").execute(&site.pool).await.unwrap();
    let dan = site.user("dan").await;
    for _ in 0..10 {
        dan.rate(post, 1).await.expect(503);
    }
    assert_eq!(site.count("zombie_pauses").await, 1);
}

/// Checks that an override changes the number of failures before a pause for one user.
#[actix_web::test]
async fn overrides_change_the_pausing_limit_of_a_user() {
    let site = TestSite::start_with(&SMALL, 1).await;
    let (ada, post) = (site.staff("ada", "admin").await, site.post("ann").await);
    let limit = async |user: &str, allowance: &str| {
        let limit = json!({ "limit": "failed_ratings", "target": user, "allowance": allowance, "reason": "x" });
        ada.post("/admin/limits/", &limit).await
    };
    let (ben, cy, dan) = (site.user("ben").await, site.user("cy").await, site.user("dan").await);
    limit("cy", "2").await.expect(201);
    limit("dan", "exempt").await.expect(201);
    limit("192.0.2.0/24", "2").await.expect_problem(400, "invalid");
    for (user, failures) in [(&ben, 6), (&cy, 11)] {
        user.rate(post, 4).await.expect(201);
        hammer(user, post, failures).await.expect_problem(429, "paused");
    }
    dan.rate(post, 4).await.expect(201);
    hammer(&dan, post, 30).await.expect_problem(409, "already_rated");
}

#[actix_web::test]
async fn daily_failure_does_not_lead_to_a_pause() {
    let site = TestSite::start_with(&SMALL, 1).await;
    let (post, ben) = (site.post("ann").await, site.user("ben").await);
    ben.rate(post, 4).await.expect(201);
    for _ in 0..5 {
        ben.rate(post, 1).await.expect(409);
    }
    for _ in 0..10 {
        site.advance_clock(minutes(24 * 60));
        ben.rate(post, 1).await.expect(409);
    }
    ben.rate(post, 1).await.expect(409);
    ben.rate(post, 1).await.expect(429);
}

#[actix_web::test]
async fn unpause_link_lifts_all_pauses_and_grants_nothing_else() {
    let site = TestSite::start_with(&SMALL, 1).await;
    let ann = site.user("ann").await;
    let (post, other_post) = (ann.write("One <b>", "t").await, ann.write("Two", "t").await);
    let ben = site.user("ben").await;
    let (_, link) = paused(&ben, post).await;
    paused(&ben, other_post).await;
    let list = ben.get("/rate/paused/").await.expect(200).json();
    assert_eq!(
        (&list["count"], &list["results"][0]["blog"], &list["results"][1]["title"]),
        (&json!(2), &json!(other_post), &json!("One <b>"))
    );
    ben.page("/rate/paused/").await.expect_text("One &#60;b&#62;").expect_text("Lift all 2 pauses");

    let guest = site.guest();
    for _ in 0..3 {
        let page = guest.page(&link).await.expect(200).expect_text("Lift all 2 pauses").expect_text("<bdi>ben</bdi>");
        let page = page.expect_text("<li><bdi>One &#60;b&#62;</bdi> paused since").expect_text("<li><bdi>Two</bdi>");
        assert_eq!((page.header("referrer-policy"), page.header("cache-control")), ("no-referrer", "no-store"));
        assert_eq!(page.header("set-cookie"), "");
        let next = page.text.split("href=\"/users/login/?next=").nth(1).unwrap();
        assert!(next.starts_with("/\""), "the way to sign in carries no token");
    }
    ben.rate(post, 1).await.expect(429);

    // The page sends no referrer, so browsers may send the form with `Origin: null`.
    let button = guest.request("POST", &link).header("Accept", "text/html").header("Origin", "null");
    guest.send(button).await.expect_redirect("/");
    guest.page("/").await.expect_text("2 pauses lifted. You can rate these posts again.");
    guest.get("/users/me/").await.expect(401);
    ben.rate(post, 1).await.expect(409);
    ben.change_rating(other_post, 5).await.expect(200);
    ben.page("/rate/paused/").await.expect_text("None of your ratings are paused.");

    for answer in [guest.page(&link).await, guest.submit(&link, &[]).await] {
        answer.expect(410).expect_text("This pause is already over");
    }
    guest.get(&link).await.expect_problem(410, "link_used");
}

#[actix_web::test]
async fn client_that_fails_after_unpausing_is_paused_again_two_weeks_later() {
    let site = TestSite::start_with(&SMALL, 1).await;
    let (post, ben) = (site.post("ann").await, site.user("ben").await);
    let (_, link) = paused(&ben, post).await;
    ben.post(&link, &json!({})).await.expect(200);
    for _ in 0..20 {
        ben.rate(post, 1).await.expect_problem(409, "already_rated");
    }
    site.advance_clock(TimeDelta::days(14) - TimeDelta::seconds(1));
    hammer(&ben, post, 6).await.expect_problem(409, "already_rated");
    site.advance_clock(TimeDelta::seconds(1));
    hammer(&ben, post, 1).await.expect_problem(429, "paused");
    let counts = ["admitted", "refused"].map(|outcome| site.decision_count("pause", "zombie_pause", outcome));
    assert_eq!(counts, [7 + 20 + 6 + 1 + 1, 2]);
}

#[actix_web::test]
async fn old_unpause_link_does_not_lift_later_pauses() {
    let site = TestSite::start_with(&SMALL, 1).await;
    let (post, ben) = (site.post("ann").await, site.user("ben").await);
    let (_, first) = paused(&ben, post).await;
    assert_eq!(ben.post(&first, &json!({})).await.expect(200).json(), json!({ "unpaused": 1, "more": false }));
    // After an unpause, failures do not pause the user again for two weeks.
    site.advance_clock(minutes(14 * 24 * 60 - 1));
    for _ in 0..30 {
        ben.rate(post, 1).await.expect(409);
    }
    site.advance_clock(minutes(1));
    ben.rate(post, 1).await.expect(409);
    ben.rate(post, 1).await.expect_problem(429, "paused");
    // The error of an expired link differs from the error of a used link.
    ben.post(&first, &json!({})).await.expect_problem(410, "link_expired");
    site.advance_clock(minutes(-2));
    ben.post(&first, &json!({})).await.expect_problem(410, "link_used");
    ben.rate(post, 1).await.expect_problem(429, "paused");
}

#[actix_web::test]
async fn invalid_unpause_links_explain_the_error() {
    let site = TestSite::start_with(&SMALL, 1).await;
    let (post, ben, cy) = (site.post("ann").await, site.user("ben").await, site.user("cy").await);
    let (_, link) = paused(&ben, post).await;
    let cut = &link[..link.len() - 1];
    let guest = site.guest();
    for path in [cut, "/unpause/", "/unpause/?token=", "/unpause/?token=a.b.c", &format!("{link}&token=x")] {
        for answer in [guest.page(path).await, guest.submit(path, &[]).await] {
            assert_eq!(answer.header("referrer-policy"), "no-referrer");
            answer.expect(400);
        }
    }
    guest.page(cut).await.expect(400).expect_text("This link is incomplete");
    guest.get(cut).await.expect_problem(400, "link_invalid");
    for answer in [cy.page(&link).await, cy.submit(&link, &[]).await] {
        answer.expect(403).expect_text("This link is for another account");
    }
    cy.post(&link, &json!({})).await.expect_problem(403, "link_of_another");
    guest.submit(&link, &[("user", "2")]).await.expect(400);
    site.advance_clock(minutes(14 * 24 * 60));
    for answer in [guest.page(&link).await, guest.submit(&link, &[]).await] {
        answer.expect(410).expect_text("This link has expired");
    }
    ben.rate(post, 1).await.expect_problem(429, "paused");
    guest.get("/rate/paused/").await.expect(401);
}

#[actix_web::test]
async fn concurrent_failures_on_two_instances_are_all_counted() {
    let site = TestSite::start_with(&[("ZOMBIE_PAUSE_BURST", "50"), ("SIGN_IN_THROTTLE", "off")], 2).await;
    let (post, ben) = (site.post("ann").await, site.user("ben").await);
    ben.rate(post, 4).await.expect(201);
    let attempts = (0..100).map(|number| {
        let ben = ben.with_instance(site.instances[number % 2]);
        async move { ben.rate(post, 1).await.status.as_u16() }
    });
    let statuses = join_all(attempts).await;
    let count = |status: u16| statuses.iter().filter(|seen| **seen == status).count();
    assert_eq!((count(409), count(429)), (51, 49));
}

/// Pauses the ratings of user 2 for `count` new posts of user 1.
async fn pause_many(site: &TestSite, count: i32) {
    let posts = "insert into blog_posts (author_id, title, content, created_at, updated_at, published_at)
        select 1, 'T', 't', 'epoch', 'epoch', 'epoch' from generate_series(1, $1)";
    sqlx::query(posts).bind(count).execute(&site.pool).await.unwrap();
    // Otherwise the check of the foreign key may scan all posts for each row, with a plan for a small table.
    sqlx::query("analyze blog_posts").execute(&site.pool).await.unwrap();
    let pauses = "insert into zombie_pauses (user_id, blog_id, paused_at)
        select 2, id, '2026-01-01 12:00' from blog_posts order by id desc limit $1";
    sqlx::query(pauses).bind(count).execute(&site.pool).await.unwrap();
}

#[actix_web::test]
async fn pauses_are_lifted_in_batches_and_expired_rows_deleted() {
    let site = TestSite::start_with(&SMALL, 1).await;
    let (post, ben) = (site.post("ann").await, site.user("ben").await);
    let (_, link) = paused(&ben, post).await;
    pause_many(&site, 50_000).await;
    assert_eq!(ben.post(&link, &json!({})).await.expect(200).json(), json!({ "unpaused": 50_000, "more": true }));
    ben.get("/rate/paused/").await.expect_text("\"count\":1,");
    assert_eq!(ben.post(&link, &json!({})).await.expect(200).json(), json!({ "unpaused": 1, "more": false }));
    let pauses = site.pauses();
    let swept = || pauses.delete_expired();
    assert_eq!(swept().await.unwrap(), 0);
    site.advance_clock(minutes(14 * 24 * 60));
    assert_eq!(swept().await.unwrap(), 50_001);
}

#[actix_web::test]
async fn concurrent_unpause_links_of_one_account_do_not_block_each_other() {
    let site = TestSite::start_with(&SMALL, 2).await;
    let (post, ben) = (site.post("ann").await, site.user("ben").await);
    let (_, first) = paused(&ben, post).await;
    for _ in 0..5 {
        pause_many(&site, 400).await;
        sqlx::query("update zombie_pauses set unpaused_at = null").execute(&site.pool).await.unwrap();
        let list = ben.get("/rate/paused/").await.expect(200);
        let last = link(&list);
        let posts = [&first, &last, &first, &last].map(|link| {
            let guest = site.guest().with_instance(site.instances[usize::from(link == &last)]);
            async move { guest.post(link, &json!({})).await }
        });
        let answers = join_all(posts).await;
        let lifted: i64 = answers.iter().filter_map(|answer| answer.json()["unpaused"].as_i64()).sum();
        assert!(answers.iter().all(|answer| [200, 410].contains(&answer.status.as_u16())), "{answers:?}");
        assert_eq!(lifted % 400, 1, "each once");
    }
}

#[actix_web::test]
async fn unpausing_without_pauses_succeeds() {
    let site = TestSite::start_with(&SMALL, 1).await;
    let (post, ben) = (site.post("ann").await, site.user("ben").await);
    let (_, link) = paused(&ben, post).await;
    let (address, _instance) = crate::support::another_instance(&site, &[("ZOMBIE_PAUSE", "off")]);
    let there = ben.with_instance(address);
    there.change_rating(post, 1).await.expect(200);
    there.get("/rate/paused/").await.expect_text("\"count\":1,");
    there.post(&link, &json!({})).await.expect(200);
    ben.get("/rate/paused/").await.expect_text("\"count\":0,");
}
