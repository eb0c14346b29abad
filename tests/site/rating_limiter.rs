//! The rating limiter: refusals, retries, stored state, and notices of unusual rating activity.

use chrono::TimeDelta;
use serde_json::{Value, json};

use crate::support::{Actor, TestSite, minutes};

#[actix_web::test]
async fn twenty_first_rating_at_once_is_refused_and_admitted_later() {
    let site = TestSite::start().await;
    let (post, crowd) = (site.post("ann").await, site.many_users(22).await);
    for reader in &crowd[..20] {
        reader.rate(post, 1).await.expect(201);
    }
    let refused = crowd[20].rate(post, 1).await.expect_problem(429, "post_rate_limited");
    assert_eq!(refused.retry_after(), 1);
    crowd[20].rate(post, 1).await.expect(429);
    site.advance_clock(TimeDelta::seconds(refused.retry_after()));
    crowd[20].rate(post, 1).await.expect(201);
    assert_eq!(site.posts_with_wrong_totals().await, [0; 0]);
}

#[actix_web::test]
async fn retry_after_is_exact_to_the_millisecond() {
    let site = TestSite::start().await;
    let (post, crowd) = (site.post("ann").await, site.many_users(22).await);
    for reader in &crowd[..20] {
        reader.rate(post, 1).await.expect(201);
    }
    site.advance_clock(TimeDelta::milliseconds(99));
    crowd[20].rate(post, 1).await.expect(429);
    site.advance_clock(TimeDelta::milliseconds(1));
    crowd[20].rate(post, 1).await.expect(201);
    crowd[21].rate(post, 1).await.expect(429);
}

#[actix_web::test]
async fn refused_rating_shows_reason_and_wait_and_keeps_the_stars() {
    let site =
        TestSite::start_with(&[("LEAKY_BUCKET_CAPACITY", "1"), ("LEAKY_BUCKET_LEAK_PER_SECOND", "0.01")], 1).await;
    let (post, crowd) = (site.post("ann").await, site.many_users(2).await);
    crowd[0].rate(post, 1).await.expect(201);
    let page = crowd[1].submit("/rate/", &[("blog", &post.to_string()), ("rating", "4")]).await.expect(429);
    assert_eq!(page.retry_after(), 100);
    let message =
        "<strong>This post is getting many ratings right now.</strong> Your 4 ★ rating hasn’t been submitted yet.";
    let page =
        page.expect_text(message).expect_text("Try again in <span>100 seconds</span>.").expect_text("data-send-later");
    let page = page.expect_text("value=\"4\" required checked").expect_text("role=\"alert\"");
    assert!(page.text.find("id=\"rating\"") < page.text.find(message));
    let problem = crowd[1].rate(post, 4).await.expect_problem(429, "post_rate_limited").json();
    assert_eq!(problem["title"], "This post is getting many ratings right now");
}

#[actix_web::test]
async fn every_post_has_its_own_limiter_state() {
    let site = TestSite::start_with(&[("LEAKY_BUCKET_CAPACITY", "1")], 1).await;
    let ann = site.user("ann").await;
    let (first, second) = (ann.write("1", "t").await, ann.write("2", "t").await);
    let crowd = site.many_users(2).await;
    crowd[0].rate(first, 1).await.expect(201);
    crowd[1].rate(first, 1).await.expect(429);
    crowd[1].rate(second, 1).await.expect(201);
}

#[actix_web::test]
async fn neither_rejected_ratings_nor_changes_are_charged() {
    let site = TestSite::start_with(&[("LEAKY_BUCKET_CAPACITY", "3")], 1).await;
    let ann = site.user("ann").await;
    let (post, crowd) = (ann.write("T", "t").await, site.many_users(5).await);
    crowd[0].rate(post, 1).await.expect(201);
    for _ in 0..5 {
        crowd[0].rate(post, 2).await.expect(409);
        crowd[0].change_rating(post, 1).await.expect(200);
        ann.rate(post, 5).await.expect(403);
    }
    crowd[0].change_rating(post, 2).await.expect(200);
    site.advance_clock(TimeDelta::hours(1));
    for reader in &crowd[..2] {
        reader.rate(post, 1).await;
    }
    crowd[0].change_rating(post, 3).await.expect(200);
    // A new rating after a withdrawal is not charged to the bucket.
    crowd[1].post(&format!("/rate/withdraw/{post}/"), &json!({})).await.expect(200);
    site.advance_clock(TimeDelta::days(1));
    for reader in &crowd[1..4] {
        reader.rate(post, 1).await.expect(201);
    }
    crowd[4].rate(post, 1).await.expect(201);
    site.user("eve").await.rate(post, 1).await.expect_problem(429, "post_rate_limited");
    // Changes are admitted while the post admits no new ratings.
    crowd[0].change_rating(post, 4).await.expect(200);
}

/// Limiters with settings that make each of them refuse a burst of a few ratings.
const LIMITERS: [[(&str, &str); 3]; 4] = [
    [("RATING_LIMITER", "leaky_bucket"), ("LEAKY_BUCKET_LEAK_PER_SECOND", "1"), ("LEAKY_BUCKET_CAPACITY", "20")],
    [("RATING_LIMITER", "ema"), ("EMA_WARMUP", "5"), ("EMA_ALPHA", "0.02")],
    [("RATING_LIMITER", "rate_class"), ("RATE_CLASS_WINDOW", "20"), ("RATE_CLASS_DISCONNECT", "3000")],
    [("RATING_LIMITER", "surge"), ("SURGE_LAUNCH", "20"), ("SURGE_CALM_FACTOR", "1")],
];

async fn limiter_state(site: &TestSite, post: i64) -> Value {
    let states = sqlx::query_scalar("select jsonb_object_agg(limiter, state) from limiter_states where key like $1");
    states.bind(format!("post:{post}:%")).fetch_one(&site.pool).await.unwrap()
}

#[actix_web::test]
async fn retries_of_one_account_do_not_affect_the_limiter_of_a_post() {
    for settings in LIMITERS {
        let (site, limiter) = (TestSite::start_with(&settings, 2).await, settings[0].1);
        let (post, crowd) = (site.post("ann").await, site.many_users(13).await);
        let attacker = site.user("mallory").await;
        attacker.rate(post, 1).await.expect(201);
        let after_one = limiter_state(&site, post).await;
        for attempt in 0..19_u32 {
            site.advance_clock(TimeDelta::milliseconds(25));
            let status =
                attacker.with_instance(site.instances[1]).change_rating(post, 1 + i64::from(attempt % 2)).await.status;
            assert!(status == 200 || status == 429, "{limiter}: {status}");
        }
        assert_eq!(limiter_state(&site, post).await, after_one, "{limiter}");
        for reader in &crowd {
            site.advance_clock(TimeDelta::seconds(10));
            let answer = reader.rate(post, 4).await;
            assert_eq!(answer.status, 201, "{limiter}: {}", answer.text);
        }
        assert_eq!(site.posts_with_wrong_totals().await, [0; 0]);
    }
}

#[actix_web::test]
async fn refused_user_is_counted_once_per_hour() {
    for settings in LIMITERS {
        let (site, limiter) = (TestSite::start_with(&settings, 2).await, settings[0].1);
        let (post, crowd) = (site.post("ann").await, site.many_users(40).await);
        for reader in &crowd[..10] {
            site.advance_clock(TimeDelta::seconds(20));
            reader.rate(post, 3).await.expect(201);
        }
        let mut burst = crowd[10..].iter();
        let refused = loop {
            let reader = burst.next().expect("one of the burst is refused");
            if reader.rate(post, 1).await.status == 429 {
                break reader;
            }
        };
        let after_one = limiter_state(&site, post).await;
        for retry in 0..30 {
            let answer = refused.with_instance(site.instances[retry % 2]).rate(post, 1).await;
            assert!((1..=3_600).contains(&answer.expect_problem(429, "post_rate_limited").retry_after()), "{limiter}");
        }
        assert_eq!(limiter_state(&site, post).await, after_one, "{limiter}");
        assert_eq!(site.count("refused_ratings").await, 1, "{limiter}");
        // Retries count again in the next clock hour. After a day without attempts, every limiter admits the user.
        site.advance_clock(TimeDelta::days(1));
        refused.rate(post, 1).await.expect(201);
        assert_eq!(site.posts_with_wrong_totals().await, [0; 0]);
    }
}

#[actix_web::test]
async fn rate_class_limiter_admits_again_after_its_penalty() {
    let site = TestSite::start_with(&[("RATING_LIMITER", "rate_class")], 1).await;
    let (post, crowd) = (site.post("ann").await, site.many_users(20).await);
    // Without delays between the ratings, the eighth rating is refused, and the fourteenth starts the penalty of 600
    // seconds.
    for (number, reader) in crowd[..16].iter().enumerate() {
        reader.rate(post, 1).await.expect(if number < 7 { 201 } else { 429 });
    }
    let refused = crowd[16].rate(post, 1).await.expect_problem(429, "post_rate_limited");
    assert_eq!(refused.retry_after(), 600);
    site.advance_clock(TimeDelta::seconds(599));
    crowd[17].rate(post, 1).await.expect(429);
    site.advance_clock(TimeDelta::seconds(1));
    crowd[16].rate(post, 1).await.expect(201);
    crowd[18].rate(post, 1).await.expect(201);
}

#[actix_web::test]
async fn limiter_change_or_reset_discards_states() {
    let site = TestSite::start_with(&[("RATING_LIMITER", "rate_class")], 1).await;
    let (post, crowd, admin) = (site.post("ann").await, site.many_users(60).await, site.staff("ada", "admin").await);
    let mut readers = crowd.iter();
    let close = async |readers: &mut std::slice::Iter<'_, Actor>| {
        while readers.next().unwrap().rate(post, 1).await.status == 201 {}
    };
    close(&mut readers).await;
    let choose = async |limiter: &str| {
        let seen = admin.get("/admin/limiter/").await.json()["chosen"]["id"].clone();
        let choice = json!({ "limiter": limiter, "reason": "A test", "seen": seen });
        admin.post("/admin/limiter/choose/", &choice).await.expect(201);
    };
    for limiter in ["rate_class", "leaky_bucket", "rate_class", "default"] {
        choose(limiter).await;
        readers.next().unwrap().rate(post, 4).await.expect(201);
        if limiter != "leaky_bucket" {
            close(&mut readers).await;
        }
    }
    let reset = json!({ "act": "reset_limiter", "selected": [post.to_string()], "reason": "A test" });
    let rows = admin.post("/admin/act/", &reset).await.expect(200).json();
    assert_eq!(rows["rows"].as_array().unwrap().len(), 1);
    readers.next().unwrap().rate(post, 4).await.expect(201);
    let log = admin.get("/admin/log/?act=limiter.forget").await.json();
    let before = log["results"][0]["details"]["before"].as_object().unwrap();
    assert!(before.keys().all(|key| key.starts_with(&format!("post:{post}:"))) && !before.is_empty(), "{log}");
    site.staff("mo", "moderator").await.post("/admin/act/", &reset).await.expect_problem(403, "role_needed");
    assert_eq!(site.posts_with_wrong_totals().await, [0; 0]);
}

#[actix_web::test]
async fn changes_can_be_exempt_from_the_limiter() {
    let site = TestSite::start_with(&[("LEAKY_BUCKET_CAPACITY", "1"), ("RATING_LIMITER_ON_EDIT", "false")], 1).await;
    let (post, crowd) = (site.post("ann").await, site.many_users(2).await);
    crowd[0].rate(post, 1).await.expect(201);
    crowd[0].change_rating(post, 2).await.expect(200);
    crowd[1].rate(post, 1).await.expect(429);
}

#[actix_web::test]
async fn two_accounts_cannot_get_the_readers_of_a_post_refused() {
    for limiter in ["ema", "leaky_bucket,ema"] {
        let site = TestSite::start_with(&[("RATING_LIMITER", limiter)], 1).await;
        let (post, crowd) = (site.post("ann").await, site.many_users(42).await);
        let [eve, mallory, readers @ ..] = &crowd[..] else { panic!("42 users") };
        eve.rate(post, 1).await.expect(201);
        for reader in &readers[..16] {
            site.advance_clock(TimeDelta::hours(2));
            reader.rate(post, 4).await.expect(201);
        }
        // Right after each honest rating, one account changes its rating, and the other tries to rate.
        let mut refused = 0;
        for (index, reader) in readers[16..].iter().enumerate() {
            eve.change_rating(post, 1 + i64::try_from(index % 2).unwrap()).await.expect(200);
            site.advance_clock(TimeDelta::milliseconds(500));
            mallory.rate(post, 1).await;
            site.advance_clock(TimeDelta::hours(2));
            refused += u32::from(reader.rate(post, 4).await.status == 429);
        }
        assert!(refused <= 10, "{refused} of 24 readers refused by {limiter}");
    }
}

#[actix_web::test]
async fn the_first_gap_of_ema_original_begins_with_the_post() {
    let site = TestSite::start_with(&[("RATING_LIMITER", "ema_original")], 1).await;
    let (post, crowd) = (site.post("ann").await, site.many_users(21).await);
    let mut refused = 0;
    // The intervals are those of the rating test in BitPin-Blog.
    for (reader, gap_ms) in crowd.iter().zip([5_000; 15].into_iter().chain([50; 6])) {
        site.advance_clock(TimeDelta::milliseconds(gap_ms));
        refused += u32::from(reader.rate(post, 3).await.status == 429);
    }
    assert_eq!((refused, &limiter_state(&site, post).await["ema_original"]["count"]), (3, &json!(18)));
}

#[actix_web::test]
async fn ema_limiter_refuses_a_burst_after_regular_ratings() {
    let site = TestSite::start_with(&[("RATING_LIMITER", "ema")], 1).await;
    let (post, crowd) = (site.post("ann").await, site.many_users(22).await);
    for reader in &crowd[..15] {
        site.advance_clock(TimeDelta::seconds(5));
        reader.rate(post, 3).await.expect(201);
    }
    let mut refused = Vec::new();
    for reader in &crowd[15..21] {
        site.advance_clock(TimeDelta::milliseconds(50));
        let answer = reader.rate(post, 1).await;
        if answer.status == 429 {
            refused.push((reader, answer.expect_problem(429, "post_rate_limited").retry_after()));
        }
    }
    assert!(!refused.is_empty());
    let (reader, wait) = refused.pop().unwrap();
    site.advance_clock(TimeDelta::seconds(wait));
    reader.rate(post, 1).await.expect(201);
}

#[actix_web::test]
async fn two_limiters_together_must_both_admit_a_rating() {
    let settings = [("RATING_LIMITER", "leaky_bucket, ema"), ("LEAKY_BUCKET_CAPACITY", "5")];
    let site = TestSite::start_with(&settings, 1).await;
    let (regular, new, crowd) = (site.post("ann").await, site.post("ben").await, site.many_users(22).await);
    for reader in &crowd[..15] {
        site.advance_clock(TimeDelta::seconds(5));
        reader.rate(regular, 3).await.expect(201);
    }
    // `ema` refuses the burst. The leaky bucket is not charged: its level only falls.
    let mut before = limiter_state(&site, regular).await;
    let mut wait = None;
    for reader in &crowd[15..20] {
        site.advance_clock(TimeDelta::milliseconds(50));
        let answer = reader.rate(regular, 1).await;
        let after = limiter_state(&site, regular).await;
        if answer.status == 429 {
            wait = Some((reader, answer.expect_problem(429, "post_rate_limited").retry_after()));
            let level = |state: &Value| state["leaky_bucket"]["level_q"].as_i64().unwrap();
            assert!(level(&after) <= level(&before), "{before} {after}");
            assert_ne!(before["ema"], after["ema"]);
        }
        before = after;
    }
    let (reader, wait) = wait.expect("a refused rating");
    site.advance_clock(TimeDelta::seconds(wait));
    reader.rate(regular, 1).await.expect(201);
    // The sixth rating of a new post at once is refused by the leaky bucket.
    for reader in &crowd[..5] {
        reader.rate(new, 1).await.expect(201);
    }
    let before = limiter_state(&site, new).await;
    crowd[5].rate(new, 1).await.expect_problem(429, "post_rate_limited");
    assert_eq!(before["ema"], limiter_state(&site, new).await["ema"]);
    assert_eq!(site.posts_with_wrong_totals().await, [0; 0]);
}

#[actix_web::test]
async fn surge_limiter_refuses_a_brigade_and_admits_usual_ratings() {
    let mut admitted = Vec::new();
    for stars in [1, 4] {
        let site = TestSite::start_with(&[("RATING_LIMITER", "surge"), ("SURGE_LAUNCH", "0")], 1).await;
        let (post, crowd) = (site.post("ann").await, site.many_users(80).await);
        for reader in &crowd[..20] {
            site.advance_clock(TimeDelta::hours(1));
            reader.rate(post, 4).await.expect(201);
        }
        let (mut count, mut refused) = (0, Vec::new());
        for reader in &crowd[20..] {
            site.advance_clock(TimeDelta::seconds(2));
            let answer = reader.rate(post, stars).await;
            if answer.status == 201 {
                count += 1;
            } else {
                refused.push((reader, answer.expect_problem(429, "post_rate_limited").retry_after()));
            }
        }
        admitted.push(count);
        assert_eq!(refused.is_empty(), stars == 4);
        if let Some((reader, wait)) = refused.pop() {
            site.advance_clock(TimeDelta::seconds(wait));
            reader.rate(post, stars).await.expect(201);
        }
        assert_eq!(site.posts_with_wrong_totals().await, [0; 0]);
    }
    assert!(admitted[0] <= 10 && admitted[1] == 60, "{admitted:?}");
}

#[actix_web::test]
async fn without_limiter_all_ratings_are_admitted() {
    let site = TestSite::start_with(&[("SIGN_IN_THROTTLE", "off"), ("RATING_LIMITER", "off")], 1).await;
    let (post, crowd) = (site.post("ann").await, site.many_users(40).await);
    for reader in &crowd {
        reader.rate(post, 5).await.expect(201);
    }
    assert_eq!(site.count("limiter_states where key like 'post:%'").await, 0);
}

#[actix_web::test]
async fn limiter_state_survives_restart_and_parameter_change() {
    let site = TestSite::start_with(&[("SIGN_IN_THROTTLE", "off")], 1).await;
    let (post, crowd) = (site.post("ann").await, site.many_users(22).await);
    for reader in &crowd[..20] {
        reader.rate(post, 1).await.expect(201);
    }
    let before = limiter_state(&site, post).await;
    assert_eq!(before["leaky_bucket"]["leak_period_ms"], 1_000);
    let (other, _) = crate::support::another_instance(&site, &[("RATING_LIMITER", "ema")]);
    crowd[20].with_instance(other).rate(post, 2).await.expect(201);
    let both = limiter_state(&site, post).await;
    assert_eq!(both["leaky_bucket"], before["leaky_bucket"]);
    assert!(both["ema"].is_object(), "{both}");
    let (restarted, _) = crate::support::another_instance(
        &site,
        &[("LEAKY_BUCKET_CAPACITY", "21"), ("LEAKY_BUCKET_LEAK_PER_SECOND", "0.001")],
    );
    crowd[21].with_instance(restarted).rate(post, 1).await.expect(201);
}

#[actix_web::test]
async fn unreadable_limiter_state_is_replaced_and_still_limits() {
    let site = TestSite::start().await;
    let ann = site.user("ann").await;
    let (broken, sound) = (ann.write("1", "t").await, ann.write("2", "t").await);
    let crowd = site.many_users(2).await;
    crowd[0].rate(broken, 1).await.expect(201);
    let unreadable = r#"update limiter_states set state = '{"level_q": "full"}' where key = $1"#;
    sqlx::query(unreadable).bind(format!("post:{broken}:leaky_bucket")).execute(&site.pool).await.unwrap();
    assert_eq!(crowd[1].rate(broken, 1).await.expect_problem(503, "unavailable").retry_after(), 5);
    crowd[1].rate(sound, 1).await.expect(201);
    crowd[0].rate(broken, 1).await.expect(409);
    assert_eq!(site.count("rates").await, 2);
}

#[actix_web::test]
async fn expired_limiter_states_are_deleted() {
    let site = TestSite::start_with(&[("SIGN_IN_THROTTLE", "off")], 1).await;
    let ann = site.user("ann").await;
    let ben = site.user("ben").await;
    for _ in 0..3 {
        let post = ann.write("T", "t").await;
        ben.rate(post, 1).await.expect(201);
        // The limit on changes of a rating has a separate state for each user and post.
        ben.change_rating(post, 2).await.expect(200);
    }
    assert_eq!(site.count("limiter_states").await, 6);
    let mut connection = site.pool.acquire().await.unwrap();
    assert_eq!(evenkeel::db::limiter_states::delete_expired(&mut connection, &site.clock, 10).await.unwrap(), 0);
    site.advance_clock(TimeDelta::days(31));
    assert_eq!(evenkeel::db::limiter_states::delete_expired(&mut connection, &site.clock, 10).await.unwrap(), 6);
}

#[actix_web::test]
async fn ratings_of_a_deleted_post_are_deleted() {
    let site = TestSite::start().await;
    let (ann, ben) = (site.user("ann").await, site.user("ben").await);
    for title in ["1", "2"] {
        let post = ann.write(title, "t").await;
        ben.rate(post, 1).await.expect(201);
    }
    for act in ["delete", "purge"] {
        ann.post(&format!("/blogs/1/{act}/"), &json!({})).await.expect(204);
    }
    assert_eq!((site.count("rating_totals").await, site.count("rates").await), (1, 1));
}

#[actix_web::test]
async fn database_clock_jumps_neither_admit_more_nor_block_users() {
    let site = TestSite::start().await;
    let (post, crowd) = (site.post("ann").await, site.many_users(64).await);
    for reader in &crowd[..20] {
        reader.rate(post, 1).await.expect(201);
    }
    // The clock is set back by 10 minutes: the bucket keeps its level, and leaks from the new time on.
    site.advance_clock(minutes(-10));
    crowd[20].rate(post, 1).await.expect(429);
    site.advance_clock(TimeDelta::seconds(2));
    for reader in &crowd[20..40] {
        reader.rate(post, 1).await.expect(201);
    }
    crowd[40].rate(post, 1).await.expect(429);
    // The clock is set forward by 10 minutes: the bucket empties, and admits no more ratings than its capacity.
    site.advance_clock(minutes(10));
    for reader in &crowd[40..60] {
        reader.rate(post, 1).await.expect(201);
    }
    crowd[60].rate(post, 1).await.expect(429);
    // The clock is set back by 30 seconds, as after a time correction: a client that waits for `Retry-After` is
    // admitted.
    site.advance_clock(TimeDelta::seconds(-30));
    assert_eq!(crowd[60].rate(post, 1).await.expect(429).retry_after(), 1);
    site.advance_clock(TimeDelta::seconds(1));
    crowd[60].rate(post, 1).await.expect(201);
    crowd[0].get("/users/me/").await.expect(200);
    assert_eq!(site.posts_with_wrong_totals().await, [0; 0]);
}

#[actix_web::test]
async fn edits_of_a_rating_are_limited() {
    let site = TestSite::start().await;
    let (post, ben) = (site.post("ann").await, site.user("ben").await);
    ben.rate(post, 1).await.expect(201);
    for rating in [2, 3, 4] {
        ben.change_rating(post, rating).await.expect(200);
    }
    ben.change_rating(post, 4).await.expect(200);
    let limited = ben.change_rating(post, 5).await;
    assert_eq!(limited.expect_problem(429, "edit_limited").retry_after(), 600);
    assert_eq!(ben.get(&format!("/rate/get_user_rating/{post}/")).await.json()["user_rating"], 4);
    let page = ben.submit(&format!("/rate/edit_user_rating/{post}/"), &[("rating", "5")]).await.expect(429);
    page.expect_text("Your rating is still 4 ★. The change to 5 ★ hasn’t been saved")
        .expect_text("data-send-later=\"5\"");
    site.advance_clock(TimeDelta::seconds(599));
    ben.change_rating(post, 5).await.expect(429);
    site.advance_clock(TimeDelta::seconds(1));
    ben.change_rating(post, 5).await.expect(200);
}

/// Settings of a leaky bucket that admits two ratings in a row. `RATING_EDIT_LIMIT` is off, so that only the bucket
/// refuses changes.
const TWO_AT_ONCE: &[(&str, &str)] = &[("LEAKY_BUCKET_CAPACITY", "2"), ("RATING_EDIT_LIMIT", "off")];

#[actix_web::test]
async fn unusual_activity_notice_appears_and_disappears() {
    for stars in [1, 5] {
        let site = TestSite::start_with(TWO_AT_ONCE, 1).await;
        let (post, crowd) = (site.post("ann").await, site.many_users(19).await);
        let (path, guest) = (format!("/blogs/{post}/"), site.guest());
        for (reader, stars) in crowd[..7].iter().zip([3, 3, 3, 3, 3, 3, 3]) {
            reader.rate(post, stars).await.expect(201);
            site.advance_clock(TimeDelta::minutes(30));
        }
        let page = guest.page(&path).await.expect(200);
        page.expect_no_text("Unusual rating activity").expect_text("<td>100%</td>");
        for reader in &crowd[7..9] {
            reader.rate(post, stars).await.expect(201);
        }
        for (number, reader) in crowd[9..].iter().enumerate() {
            guest.page(&path).await.expect_no_text("Unusual rating activity");
            assert_eq!(reader.rate(post, stars).await.expect(429).json()["code"], "post_rate_limited", "{number}");
        }
        site.advance_clock(TimeDelta::seconds(2));
        let page = guest.page(&path).await.expect(200);
        let page = page
            .expect_text(
                "Unusual rating activity since <time datetime=\"2026-01-01T15:00:00Z\">1 January 2026 at 15:00 UTC",
            )
            .expect_text("10 rating attempts have been blocked since then and don’t affect the score.");
        page.expect_text(&format!("href=\"/blogs/{post}/ratings/\""));
        let history = guest.get(&format!("/blogs/{post}/ratings/")).await.expect(200).json();
        assert_eq!(history["period"], "hour");
        let last = history["periods"].as_array().unwrap().last().unwrap();
        let refused = last[format!("refused_{stars}")].as_i64();
        assert_eq!((last["admitted"].as_i64(), last["refused"].as_i64(), refused), (Some(3), Some(10), Some(10)));
        // Average without the rating limiter: 7 ratings of 3 stars, and 12 of `stars`, of which 2 were admitted and 10
        // refused.
        let without_limiter = f64::from(21 + 12 * i32::try_from(stars).unwrap()) / 19.0;
        assert!((last["average_without_limiter"].as_f64().unwrap() - without_limiter).abs() < 1e-9, "{last}");
        let page = guest.page(&format!("/blogs/{post}/ratings/")).await.expect(200);
        page.expect_text("<rect class=\"refused").expect_text("blocked 10 rating attempts in the hour starting");
        site.advance_clock(TimeDelta::hours(3));
        guest.page(&path).await.expect(200).expect_no_text("Unusual rating activity");
    }
}

#[actix_web::test]
async fn blocked_attempts_are_the_same_number_on_the_post_in_its_history_and_on_the_dashboard() {
    let site = TestSite::start_with(TWO_AT_ONCE, 1).await;
    let mo = site.staff("mo", "moderator").await;
    let (post, crowd) = (site.post("ann").await, site.many_users(19).await);
    for reader in &crowd[..7] {
        reader.rate(post, 4).await.expect(201);
        site.advance_clock(TimeDelta::minutes(30));
    }
    for reader in &crowd[7..9] {
        reader.rate(post, 1).await.expect(201);
    }
    // Ten users try three times each.
    for reader in crowd[9..].iter().cycle().take(30) {
        reader.rate(post, 1).await.expect(429);
    }
    site.advance_clock(TimeDelta::seconds(2));
    mo.page(&format!("/blogs/{post}/")).await.expect(200).expect_text("30 rating attempts have been blocked");
    mo.page(&format!("/blogs/{post}/ratings/")).await.expect(200).expect_text("blocked 30 rating attempts in the hour");
    mo.page("/admin/").await.expect(200).expect_text("30 rating attempts blocked in the last 24 hours.");
    // 24 hours are the current hour and the 23 hours before it, on every page.
    site.advance_clock(TimeDelta::minutes(24 * 60 - 10));
    let history = mo.get(&format!("/blogs/{post}/ratings/?days=1")).await.expect(200).json();
    assert_eq!((&history["periods"], &mo.get("/admin/").await.json()["most_refused"]), (&json!([]), &json!([])));
}

#[actix_web::test]
async fn single_user_does_not_cause_an_unusual_activity_notice() {
    let settings = [TWO_AT_ONCE, &[("RATING_LIMITER_ON_EDIT", "true")]].concat();
    let site = TestSite::start_with(&settings, 1).await;
    let (post, readers) = (site.post("ann").await, site.many_users(3).await);
    let path = format!("/blogs/{post}/");
    for reader in &readers[..2] {
        reader.rate(post, 5).await.expect(201);
    }
    // One user keeps retrying a refused rating, another keeps changing an existing rating.
    for _ in 0..30 {
        readers[2].rate(post, 1).await.expect(429);
        readers[0].change_rating(post, 1).await.expect(429);
    }
    site.advance_clock(TimeDelta::seconds(2));
    site.guest().page(&path).await.expect(200).expect_no_text("Unusual rating activity");
    let history = site.guest().get(&format!("/blogs/{post}/ratings/")).await.expect(200).json();
    let hour = &history["periods"][0];
    let counts = ["refused", "refused_changes", "refused_1", "changed"].map(|name| hour[name].as_i64().unwrap());
    assert_eq!(counts, [60, 30, 1, 0]);
    site.advance_clock(TimeDelta::seconds(1));
    readers[0].change_rating(post, 1).await.expect(200);
    let history = site.guest().get(&format!("/blogs/{post}/ratings/")).await.expect(200).json();
    assert_eq!((&history["periods"][0]["admitted"], &history["periods"][0]["changed"]), (&3.into(), &1.into()));
    let csv = site.guest().page(&format!("/blogs/{post}/ratings/?format=csv&of=periods")).await.expect(200);
    // Browsers cannot set the `Accept` header for a link, so the query parameter `format=json` selects JSON as well.
    let json_page = site.guest().page(&format!("/blogs/{post}/ratings/?format=json")).await.expect(200);
    assert_eq!(json_page.json(), history);
    let begin = "\u{feff}from,admitted,refused,changed,refused_changes,refused_1,refused_2,refused_3,refused_4,refused_5,\
        rating_count,average_rating,average_without_limiter,steady_rating\n2026-01-01T12:00:00Z,3,60,1,30,1,0,0,0,0,2,3.0,";
    assert!(csv.text.starts_with(begin), "{}", csv.text);
}
