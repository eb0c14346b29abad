//! Ratings that wait in a line, where the operator has chosen that over refusing them.

use std::time::{Duration, Instant};

use chrono::{DateTime, TimeDelta, Utc};
use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::support::{Actor, TestSite, another_instance};

/// Two ratings of a post at once, then one a second.
const HOLD: &[(&str, &str)] = &[
    ("RATING_OVERFLOW", "hold"),
    ("LEAKY_BUCKET_CAPACITY", "2"),
    ("LEAKY_BUCKET_LEAK_PER_SECOND", "1"),
    ("RATING_EDIT_LIMIT", "off"),
];

async fn stats(reader: &Actor, post: i64) -> (i64, f64) {
    let stats = reader.get(&format!("/rate/get_blog_rating/{post}/")).await.expect(200).json();
    (stats["total_ratings"].as_i64().unwrap(), stats["average_rating"].as_f64().unwrap())
}

async fn waiting(reader: &Actor, post: i64) -> Value {
    reader.get(&format!("/rate/get_user_rating/{post}/")).await.expect(200).json()["waiting"].clone()
}

/// Until so many are counted, which the site does in the background.
pub async fn counted(reader: &Actor, post: i64, count: i64) {
    let patience = Instant::now() + Duration::from_mins(2);
    while stats(reader, post).await.0 != count {
        assert!(Instant::now() < patience, "{:?}", stats(reader, post).await);
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[actix_web::test]
async fn what_a_gate_would_refuse_waits_and_is_counted_in_order() {
    let site = TestSite::with(HOLD, 1).await;
    let post = site.post("ann").await;
    let readers = site.crowd(7).await;
    for reader in &readers[..2] {
        reader.rate(post, 5).await.expect(201);
    }
    for (place, reader) in (1..).zip(&readers[2..5]) {
        let held = reader.rate(post, 1).await.expect(202).json();
        assert_eq!((&held["place"], &held["rating"], held["id"].is_null()), (&json!(place), &json!(1), true), "{held}");
        assert_eq!(held["status"], "held");
        let counted_after: DateTime<Utc> = held["counted_after"].as_str().unwrap().parse().unwrap();
        assert_eq!((counted_after - site.clock.now().unwrap()).num_milliseconds(), place * 1_000, "{held}");
    }
    assert_eq!(stats(&readers[0], post).await, (2, 5.0));
    assert_eq!(waiting(&readers[3], post).await, json!({ "rating": 1, "place": 2 }));
    let page = readers[3].page(&format!("/blogs/{post}/a-post/")).await.expect(200);
    page.expect_text("Your 1 ★ waits to be counted: number 2 in line.").expect_text("Take it back");
    readers[5].page(&format!("/blogs/{post}/a-post/")).await.expect(200).expect_no_text("in line");
    // Other stars keep the place, whichever way they are sent. Who has gone leaves room.
    assert_eq!(readers[3].change_rating(post, 4).await.expect(202).json()["place"], 2);
    assert_eq!(readers[3].rate(post, 3).await.expect(202).json()["place"], 2);
    let back = format!("/rate/take_back/{post}/");
    readers[2].post(&back, &json!({})).await.expect(204);
    readers[2].post(&back, &json!({})).await.expect_problem(404, "not_found");
    readers[2].get(&format!("/rate/get_user_rating/{post}/")).await.expect(404);
    assert_eq!(waiting(&readers[3], post).await, json!({ "rating": 3, "place": 1 }));
    // Nobody overtakes: when there is room for one, that is the first, and who comes then waits.
    site.wait(TimeDelta::seconds(1));
    assert_eq!(readers[5].rate(post, 2).await.expect(202).json()["place"], 2);
    assert_eq!(stats(&readers[0], post).await, (3, 13.0 / 3.0));
    readers[3].get(&format!("/rate/get_user_rating/{post}/")).await.expect(200).expect_no_text("waiting");
    readers[3].post(&back, &json!({})).await.expect_problem(409, "already_counted");
    // A change waits, too; whoever wants the old stars back need not.
    assert_eq!(readers[0].change_rating(post, 1).await.expect(202).json()["place"], 3);
    assert_eq!(readers[0].get(&format!("/rate/get_user_rating/{post}/")).await.json()["user_rating"], 5);
    readers[0].change_rating(post, 5).await.expect(200);
    let told = readers[6].submit("/rate/", &[("blog", &post.to_string()), ("rating", "5")]).await;
    told.expect_redirect(&format!("/blogs/{post}/"));
    // Nobody has to come for the rest.
    for count in [5, 6] {
        site.wait(TimeDelta::seconds(60));
        counted(&readers[0], post, count).await;
    }
    assert_eq!((site.count("waiting_ratings").await, site.drifted().await), (0, vec![]));
    let history = readers[0].get(&format!("/blogs/{post}/ratings/")).await.expect(200).json();
    assert_eq!((&history["periods"][0]["admitted"], &history["periods"][0]["refused"]), (&json!(6), &json!(0)));
}

#[actix_web::test]
async fn lines_outlive_the_site_and_the_setting() {
    let site = TestSite::with(HOLD, 1).await;
    let post = site.post("ann").await;
    let readers = site.crowd(4).await;
    for (reader, status) in readers.iter().zip([201, 201, 202, 202]) {
        reader.rate(post, 4).await.expect(status);
    }
    // As an instance writes it where nothing waits, which knows no lines: it is later, and stays.
    site.wait(TimeDelta::milliseconds(1));
    let elsewhere = "with counted as (
            insert into rates (user_id, blog_id, rating, created_at, updated_at)
            select user_id, blog_id, 1, $1, $1 from waiting_ratings order by id desc limit 1 returning blog_id
        ) update rating_totals set stars_1 = stars_1 + 1 where blog_id in (select * from counted)";
    sqlx::query(elsewhere).bind(site.clock.now()).execute(&site.pool).await.unwrap();
    let (refusing, _running) = another_instance(&site, &[]);
    site.wait(TimeDelta::seconds(60));
    counted(&Actor::new(refusing), post, 4).await;
    let patience = Instant::now() + Duration::from_mins(2);
    while site.count("waiting_ratings").await > 0 {
        assert!(Instant::now() < patience);
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(readers[3].get(&format!("/rate/get_user_rating/{post}/")).await.expect(200).json()["user_rating"], 1);
    assert_eq!((site.count("waiting_ratings").await, site.drifted().await), (0, vec![]));
}

#[actix_web::test]
async fn a_line_is_no_way_around_the_limits_of_changes() {
    let limits = [("RATING_EDIT_LIMIT", "on"), ("RATING_LIMITER_ON_EDIT", "true")];
    let site = TestSite::with(&[&HOLD[..3], &limits].concat(), 1).await;
    let post = site.post("ann").await;
    let readers = site.crowd(4).await;
    for (reader, status) in readers.iter().zip([201, 201, 202, 202]) {
        reader.rate(post, 4).await.expect(status);
    }
    // One that waits is changed three times, as one that is counted; and so is one that was counted before the line stood.
    for reader in [&readers[0], &readers[3]] {
        for stars in [1, 2, 3] {
            reader.change_rating(post, stars).await.expect(202);
        }
        reader.change_rating(post, 5).await.expect_problem(429, "edit_limited");
    }
    assert_eq!(waiting(&readers[3], post).await, json!({ "rating": 3, "place": 2 }));
    // Where changes need not pass the gate, they need not wait.
    let (free, _running) = another_instance(&site, &[HOLD, &[("RATING_LIMITER_ON_EDIT", "false")]].concat());
    readers[1].at(free).change_rating(post, 1).await.expect(200);
    assert_eq!(site.drifted().await, [0; 0]);
}

#[actix_web::test]
async fn lines_have_an_end_for_each_reader_and_each_post() {
    let site = TestSite::with(HOLD, 1).await;
    let ann = site.user("ann").await;
    let readers = site.crowd(4).await;
    let mut posts = Vec::new();
    for _ in 0..21 {
        let post = ann.write("T", "t").await;
        for reader in &readers[..2] {
            reader.rate(post, 3).await.expect(201);
        }
        posts.push(post);
    }
    for post in &posts[..20] {
        readers[2].rate(*post, 3).await.expect(202);
    }
    readers[2].rate(posts[20], 3).await.expect_problem(429, "post_rate_limited");
    let full = "with made as (
            insert into users (username, username_key, email, password_hash, created_at)
            select 'w' || n, 'w' || n, 'a@example.com', '!', 'epoch' from generate_series(1, 10000) n returning id
        ) insert into waiting_ratings (user_id, blog_id, rating, chosen_at) select id, $1, 3, 'epoch' from made";
    sqlx::query(full).bind(posts[20]).execute(&site.pool).await.unwrap();
    let refused = readers[3].rate(posts[20], 3).await.expect_problem(429, "post_rate_limited");
    // The wait is hours; clients are told an hour at most.
    assert_eq!(refused.retry_after(), 3_600);
    assert_eq!(site.drifted().await, [0; 0]);
}

#[actix_web::test]
async fn every_rating_of_a_crowd_at_two_instances_is_counted_once_and_in_order() {
    let site = TestSite::with(HOLD, 2).await;
    let post = site.post("ann").await;
    let readers = site.crowd(60).await;
    let told = join_all(readers.iter().zip(1..).map(|(reader, n)| reader.rate(post, n % 5 + 1))).await;
    let waiting = told.iter().filter(|answer| answer.status == 202).count();
    assert!(told.iter().all(|answer| [201, 202].contains(&answer.status.as_u16())) && waiting == 58);
    let line = "select array_agg(user_id order by id) from waiting_ratings";
    let line: Vec<i64> = sqlx::query_scalar(line).fetch_one(&site.pool).await.unwrap();
    // Some change their minds, one more takes it back, while the line moves.
    let mut counted_so_far = 2;
    while counted_so_far < 60 {
        site.wait(TimeDelta::seconds(7));
        let changes = join_all(readers[50..].iter().map(|reader| reader.rate(post, 2))).await;
        assert!(changes.iter().all(|answer| [202, 409].contains(&answer.status.as_u16())), "{changes:?}");
        counted_so_far = (counted_so_far + 2).min(60);
        let patience = Instant::now() + Duration::from_mins(2);
        while stats(&readers[0], post).await.0 < counted_so_far {
            assert!(Instant::now() < patience, "{counted_so_far}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
    // Those that are counted together have the same time.
    let times = "select array_agg(r.created_at order by line.number)
        from unnest($1::bigint[]) with ordinality as line (user_id, number) join rates r using (user_id)";
    let times: Vec<chrono::DateTime<chrono::Utc>> =
        sqlx::query_scalar(times).bind(&line).fetch_one(&site.pool).await.unwrap();
    assert!(times.len() == 58 && times.is_sorted() && times[0] < times[57], "{times:?}");
    assert_eq!((site.count("waiting_ratings").await, site.count("rates").await), (0, 60));
    assert_eq!(site.drifted().await, [0; 0]);
}

#[actix_web::test]
async fn a_rating_of_an_erased_account_leaves_the_line() {
    let site = TestSite::with(HOLD, 1).await;
    let post = site.post("ann").await;
    let readers = site.crowd(5).await;
    for (reader, status) in readers.iter().zip([201, 201, 202, 202]) {
        reader.rate(post, 5).await.expect(status);
    }
    let id = readers[2].get("/users/me/").await.json()["id"].as_i64().unwrap();
    sqlx::query("update users set erased_at = now() where id = $1").bind(id).execute(&site.pool).await.unwrap();
    site.wait(TimeDelta::seconds(1));
    assert_eq!(readers[4].rate(post, 5).await.expect(202).json()["place"], 1);
    assert_eq!((stats(&readers[0], post).await.0, site.count("waiting_ratings").await), (3, 1));
}
