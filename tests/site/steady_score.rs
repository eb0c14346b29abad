//! The steady score: all ratings count in the average, but a brigade does not move the score.

use chrono::TimeDelta;
use evenkeel_limiters::{RatingDays, SteadyScore, SteadyScoreState};
use serde_json::{Value, json};
use sqlx::PgPool;

use crate::support::{Actor, DatabaseLease, Program, SECRET, TestSite, another_instance, reachable_tempdir};

/// Settings of a site without rating limits.
pub const OPEN: &[(&str, &str)] = &[("RATING_LIMITER", "off"), ("RATING_EDIT_LIMIT", "off")];

pub fn near(value: &Value, expected: f64) -> bool {
    value.as_f64().is_some_and(|value| (value - expected).abs() < 1e-9)
}

/// Number of users who rate a post before a brigade does. A score is protected from brigades from 40 ratings on.
pub const ESTABLISHED: usize = 48;

/// Creates a post that two of the users rate each day.
pub async fn rated_for_days(site: &TestSite, readers: &[Actor], stars: i64) -> i64 {
    let post = site.post("ann").await;
    rate_for_days(site, post, readers, stars).await;
    post
}

/// Lets two of the users rate the post each day.
async fn rate_for_days(site: &TestSite, post: i64, readers: &[Actor], stars: i64) {
    for pair in readers.chunks(2) {
        site.advance_clock(TimeDelta::days(1));
        for reader in pair {
            reader.rate(post, stars).await.expect(201);
        }
    }
}

#[actix_web::test]
async fn blocked_ratings_are_shown_on_the_front_page_and_by_hour() {
    let site =
        TestSite::start_with(&[("LEAKY_BUCKET_CAPACITY", "5"), ("LEAKY_BUCKET_LEAK_PER_SECOND", "0.01")], 1).await;
    let post = site.post("ann").await;
    let readers = site.many_users(85).await;
    for reader in &readers[..45] {
        reader.rate(post, 5).await.expect(201);
        site.advance_clock(TimeDelta::hours(3));
    }
    let path = format!("/blogs/{post}/ratings/");
    let all_days = "<a href=\"?days=all\" aria-current=\"page\">All</a>";
    site.guest().page(&path).await.expect(200).expect_text(all_days);
    for reader in &readers[45..] {
        reader.rate(post, 1).await;
    }
    site.guest().page(&path).await.expect(200).expect_text("<a href=\"?days=1\" aria-current=\"page\">1 day</a>");
    site.guest().page(&format!("{path}?days=all")).await.expect(200).expect_text(all_days);
    assert_eq!(site.guest().get(&path).await.expect(200).json()["period"], "day");
    // The page links to the whole history as JSON.
    let download = site.guest().page(&format!("{path}?format=json")).await.expect(200);
    assert_eq!(download.json()["period"], "day");
    let front = site.guest().page("/").await.expect(200);
    front
        .expect_text("35 attempts to rate “")
        .expect_text("<dd>4.9 ★</dd>")
        .expect_text("<dd class=\"quiet\">3.1 ★</dd>");
    // A day later, the page shows the whole history again.
    site.advance_clock(TimeDelta::hours(25));
    site.guest().page(&path).await.expect(200).expect_text(all_days);
}

#[actix_web::test]
async fn refused_ratings_of_a_long_history_still_count() {
    let site = TestSite::start().await;
    let post = site.post("ann").await;
    // One refused rating is followed by 2,208 hours with ratings, more than the history reads.
    sqlx::query(
        "insert into rating_history (blog_id, hour, admitted, refused, changed, refused_changes, refused_1, refused_2,
            refused_3, refused_4, refused_5, rating_count, rating_sum)
        select $1, timestamptz '2025-01-01 00:00Z' + make_interval(hours => n), 1, (n = 0)::int, 1, 0, (n = 0)::int, 0, 0,
            0, 0, 1, 5
        from generate_series(0, 2208) n",
    )
    .bind(post)
    .execute(&site.pool)
    .await
    .unwrap();
    let history = site.guest().get(&format!("/blogs/{post}/ratings/")).await.expect(200).json();
    let last = history["periods"].as_array().unwrap().last().unwrap();
    assert_eq!((&last["average_rating"], &last["average_without_limiter"]), (&json!(5.0), &json!(3.0)));
}

#[actix_web::test]
async fn brigade_moves_the_average_but_not_the_score() {
    let (site, post, readers, attackers) = site_with_established_post(50).await;
    let path = format!("/blogs/{post}/");
    let before = site.guest().get(&path).await.expect(200).json();
    assert_eq!((before["steady_rating"].as_f64(), before["steady_weight"].as_f64()), (Some(4.0), Some(48.0)));
    attack(&site, post, &attackers).await;
    let list = site.guest().get("/blogs/").await.expect(200).json();
    let listed = list["results"].as_array().unwrap().iter().find(|listed| listed["id"] == post).unwrap().clone();
    let stats = site.guest().get(&format!("/rate/get_blog_rating/{post}/")).await.expect(200).json();
    for shown in [site.guest().get(&path).await.json(), readers[0].get(&path).await.json(), listed, stats] {
        assert!(near(&shown["average_rating"], 242.0 / 98.0), "{shown}");
        assert_eq!((&shown["steady_rating"], &shown["steady_weight"]), (&json!(4.0), &json!(48.0)), "{shown}");
    }
    let unrated = readers[0].write("T", "t").await;
    let unrated = site.guest().get(&format!("/blogs/{unrated}/")).await.expect(200).json();
    assert_eq!((&unrated["steady_rating"], &unrated["steady_weight"]), (&Value::Null, &json!(0.0)));
    assert_eq!(site.posts_with_wrong_totals().await, [0; 0]);
}

#[actix_web::test]
async fn changed_rating_stays_on_the_day_on_which_it_was_first_given() {
    let site = TestSite::start_with(OPEN, 1).await;
    let readers = site.many_users(6).await;
    let post = rated_for_days(&site, &readers, 4).await;
    let days = "select array_to_string(stars, '') from score_days where blog_id = $1 and stars <> '{0, 0, 0, 0, 0}' order by day";
    let days = async || sqlx::query_scalar::<_, String>(days).bind(post).fetch_all(&site.pool).await.unwrap();
    let shown = async || {
        let post = readers[0].get(&format!("/blogs/{post}/")).await.expect(200).json();
        (post["steady_rating"].as_f64().unwrap(), post["steady_weight"].as_f64().unwrap())
    };
    assert_eq!(days().await, ["00020", "00020"]);
    readers[4].change_rating(post, 1).await.expect(200);
    assert_eq!((days().await, shown().await), (vec!["00020".to_owned(), "00020".to_owned()], (21.0 / 6.0, 6.0)));
    site.advance_clock(TimeDelta::days(1));
    readers[0].change_rating(post, 5).await.expect(200);
    assert_eq!((days().await, shown().await), (vec!["00011".to_owned(), "00020".to_owned()], (22.0 / 6.0, 6.0)));
    // The counts of a day are stored when the first rating of a later day arrives.
    site.advance_clock(TimeDelta::days(1));
    let late = site.user("late").await;
    late.rate(post, 2).await.expect(201);
    assert_eq!(days().await, ["00011", "00020", "10010"]);
    // A withdrawn rating counts on no day. A new rating by its user counts on the new day.
    late.withdraw_rating(post).await.expect(200);
    readers[2].withdraw_rating(post).await.expect(200);
    readers[3].withdraw_rating(post).await.expect(200);
    assert_eq!((days().await, shown().await), (vec!["00011".to_owned(), "10010".to_owned()], (14.0 / 4.0, 4.0)));
    assert_eq!(site.posts_with_wrong_totals().await, [0; 0]);
    late.rate(post, 2).await.expect(201);
    readers[0].withdraw_rating(post).await.expect(200);
    readers[0].rate(post, 1).await.expect(201);
    assert_eq!((days().await, shown().await), (vec!["00010".to_owned(), "10010".to_owned()], (12.0 / 5.0, 5.0)));
    assert_eq!(site.posts_with_wrong_totals().await, [0; 0]);
    sqlx::query("delete from blog_posts where id = $1").bind(post).execute(&site.pool).await.unwrap();
    assert_eq!((days().await.len(), site.posts_with_wrong_totals().await.len()), (0, 0));
}

/// Lets accounts rate again in one week: half of them change their rating, and the others withdraw it and rate again.
async fn rate_again(post: i64, accounts: &[Actor], week: usize) {
    for (number, account) in accounts.iter().enumerate() {
        if number % 2 == 0 {
            account.change_rating(post, 1 + i64::try_from(week).unwrap() % 2).await.expect(200);
        } else {
            account.withdraw_rating(post).await.expect(200);
            account.rate(post, 1).await.expect(201);
        }
    }
}

/// Ten accounts rate again every week for half a year. The honest ratings of these weeks count, and after the accounts
/// have withdrawn their ratings, the score is the score of a post that they never rated.
#[actix_web::test]
async fn accounts_that_rate_again_every_week_do_not_silence_others() {
    let site = TestSite::start_with(OPEN, 1).await;
    let readers = site.many_users(2 * 26 * 2 + ESTABLISHED + 10).await;
    let (established, others) = readers.split_at(ESTABLISHED);
    let (honest, attackers) = others.split_at(2 * 26 * 2);
    let attacked = rated_for_days(&site, established, 4).await;
    let undisturbed = site.post("bob").await;
    rate_for_days(&site, undisturbed, established, 4).await;
    let (honest_of_attacked, honest_of_undisturbed) = honest.split_at(2 * 26);
    for attacker in attackers {
        attacker.rate(attacked, 1).await.expect(201);
    }
    let shown = async |post: i64| site.guest().get(&format!("/blogs/{post}/")).await.expect(200).json();
    for week in 0..26_usize {
        site.advance_clock(TimeDelta::days(7));
        for number in [2 * week, 2 * week + 1] {
            honest_of_attacked[number].rate(attacked, 5).await.expect(201);
            honest_of_undisturbed[number].rate(undisturbed, 5).await.expect(201);
        }
        rate_again(attacked, attackers, week).await;
    }
    let pages = [shown(attacked).await, shown(undisturbed).await];
    let number = |post: &Value, name: &str| post[name].as_f64().unwrap();
    let difference = number(&pages[1], "steady_rating") - number(&pages[0], "steady_rating");
    assert!((0.0..0.1).contains(&difference), "{pages:?}");
    for attacker in attackers {
        attacker.withdraw_rating(attacked).await.expect(200);
    }
    let pages = [shown(attacked).await, shown(undisturbed).await];
    for name in ["steady_rating", "steady_weight"] {
        assert!(near(&pages[0][name], number(&pages[1], name)), "{name}: {pages:?}");
    }
    assert_eq!(site.posts_with_wrong_totals().await, [0; 0]);
}

#[actix_web::test]
async fn two_instances_match_the_reference_model() {
    let site = TestSite::start_with(OPEN, 2).await;
    let readers = site.many_users_at(24, &site.instances.clone()).await;
    let post = site.post("ann").await;
    let (rules, mut previous) = (SteadyScore::default(), 0);
    let mut days = RatingDays::default();
    let today = async || site.clock.now().unwrap().timestamp().div_euclid(86_400);
    for round in 0..4_usize {
        site.advance_clock(TimeDelta::days(1 + i64::try_from(round).unwrap() % 2));
        let day = today().await;
        // In each round, six users rate simultaneously on both instances. From the second round on, a user of the
        // previous round changes a rating.
        let new = (round * 6..round * 6 + 6).map(|reader| (reader, reader % 5 + 1));
        let rated = futures_util::future::join_all(new.clone().map(|(reader, stars)| {
            let readers = &readers;
            async move { readers[reader].rate(post, i64::try_from(stars).unwrap()).await.expect(201) }
        }));
        rated.await;
        for (_, stars) in new {
            days.add_rating(day, u8::try_from(stars).unwrap());
        }
        if round > 0 {
            let changed = (round - 1) * 6;
            let old = u8::try_from(changed % 5 + 1).unwrap();
            readers[changed].change_rating(post, i64::from(6 - old)).await.expect(200);
            days.change_rating(previous, old, Some(6 - old));
        }
        previous = day;
        let state = rules.compute_state(days.iter());
        let expected = rules.score(&state);
        let shown = readers[0].get(&format!("/blogs/{post}/")).await.expect(200).json();
        assert!(near(&shown["steady_rating"], expected.score.unwrap()), "round {round}: {shown} {expected:?}");
        assert!(near(&shown["steady_weight"], expected.weight), "round {round}: {shown} {expected:?}");
    }
    assert_eq!(site.posts_with_wrong_totals().await, [0; 0]);
}

/// Loads four posts. Post 1 has 12 ratings on six days and 50 ratings on a seventh day. Post 2 has 12 ratings on one
/// day. Post 3 has two ratings on one day, one of which was edited later. Post 4 has no ratings.
const LOAD_RATINGS: &str = "insert into users (username, username_key, email, password_hash, created_at)
        select 'user' || n, 'user' || n, 'a@example.com', '!', 'epoch' from generate_series(1, 100) n;
    insert into blog_posts (author_id, title, content, created_at, updated_at, published_at)
        select 100, 'Title ' || n, 'text', 'epoch', 'epoch', 'epoch' from generate_series(1, 4) n;
    insert into rates (blog_id, user_id, rating, created_at, updated_at)
        select 2, n, 3, at, at from generate_series(1, 12) n, (values (timestamptz '2026-01-01 12:00+00')) t (at)
        union all
        select 1, n, 4, at, at from generate_series(1, 12) n,
            lateral (values (timestamptz '2026-01-02 23:59:59+00' + make_interval(days => (n - 1) / 2))) t (at)
        union all
        select 1, n, 1, at, at from generate_series(13, 62) n, (values (timestamptz '2026-01-08 00:00+00')) t (at)
        union all
        select 3, 63, 5, at, at from (values (timestamptz '2026-01-09 00:00+00')) t (at)
        union all
        select 3, 64, 1, at, at + interval '1 day' from (values (timestamptz '2026-01-09 00:00+00')) t (at);
    update rating_totals t set stars_1 = s1, stars_3 = s3, stars_4 = s4, stars_5 = s5 from (
        select blog_id, count(*) filter (where rating = 1) s1, count(*) filter (where rating = 3) s3,
            count(*) filter (where rating = 4) s4, count(*) filter (where rating = 5) s5 from rates group by 1
    ) r where r.blog_id = t.blog_id";

#[actix_web::test]
async fn scores_are_computed_for_ratings_loaded_without_the_writer() {
    let (dir, lease) = (reachable_tempdir(), DatabaseLease::fresh().await);
    let pool = PgPool::connect_lazy_with(lease.options.clone());
    sqlx::raw_sql(LOAD_RATINGS).execute(&pool).await.unwrap();
    evenkeel::rate::recount::compute_missing_scores(&mut pool.acquire().await.unwrap()).await.unwrap();
    let program = Program::new(dir.path()).with("DATABASE_URL", &lease.url).with("SECRET_KEY", SECRET);
    let _running = program.start().await;
    let guest = Actor::new(program.address);
    let (rules, mut state) = (SteadyScore::default(), SteadyScoreState::default());
    let ratings = (0..12).map(|n| (20_455 + n / 2, 4)).chain((0..50).map(|_| (20_461, 1)));
    for (day, stars) in ratings {
        state = rules.add_rating(&state, day, stars).0;
    }
    let first = rules.score(&state);
    for (post, score, weight) in
        [(1, first.score, first.weight), (2, Some(3.0), 12.0), (3, Some(3.0), 2.0), (4, None, 0.0)]
    {
        let stats = guest.get(&format!("/rate/get_blog_rating/{post}/")).await.expect(200).json();
        let is_same = score.map_or(stats["steady_rating"].is_null(), |score| near(&stats["steady_rating"], score));
        assert!(is_same && near(&stats["steady_weight"], weight), "{post}: {stats} {score:?} {weight}");
    }
    let site = TestSite::start_on(lease, OPEN, 0, evenkeel::db::clock::Clock::Database);
    assert_eq!(site.posts_with_wrong_totals().await, [0; 0]);
    let uncounted = "select count(*) from rates where counted_on is null";
    assert_eq!(sqlx::query_scalar::<_, i64>(uncounted).fetch_one(&pool).await.unwrap(), 0);
}

/// Starts a site with a post that `ESTABLISHED` users rated with four stars, two on each day. Returns these users, and
/// `others` users who have not rated the post.
async fn site_with_established_post(others: usize) -> (TestSite, i64, Vec<Actor>, Vec<Actor>) {
    let site = TestSite::start_with(OPEN, 1).await;
    let mut readers = site.many_users(ESTABLISHED + others).await;
    let post = rated_for_days(&site, &readers[..ESTABLISHED], 4).await;
    let others = readers.split_off(ESTABLISHED);
    (site, post, readers, others)
}

/// Lets users of a brigade rate the post with one star on the next day, which is 26 January after 48 ratings.
async fn attack(site: &TestSite, post: i64, attackers: &[Actor]) {
    site.advance_clock(TimeDelta::days(1));
    for attacker in attackers {
        attacker.rate(post, 1).await.expect(201);
    }
    site.advance_clock(TimeDelta::seconds(2));
}

const SURGE_NOTICE: &str = "50 ratings don’t count because unusually many arrived that differ from the earlier ones.";

#[actix_web::test]
async fn page_says_if_the_score_is_not_protected_yet() {
    let site = TestSite::start_with(OPEN, 1).await;
    let readers = site.many_users(ESTABLISHED).await;
    let post = rated_for_days(&site, &readers[..12], 4).await;
    let path = format!("/blogs/{post}/a-post/");
    let notice = "The score isn’t protected from manipulation until the post has 40 ratings";
    site.guest().page(&path).await.expect(200).expect_text("4.0 ★ · 12 ratings").expect_text(notice);
    rate_for_days(&site, post, &readers[12..], 4).await;
    site.advance_clock(TimeDelta::seconds(2));
    let page = site.guest().page(&path).await.expect(200);
    page.expect_text("4.0 ★ · 48 ratings").expect_no_text(notice).expect_text("All 48 ratings count in the score");
}

#[actix_web::test]
async fn pages_explain_which_ratings_the_score_excludes() {
    let (site, post, readers, others) = site_with_established_post(71).await;
    let path = format!("/blogs/{post}/a-post/");
    attack(&site, post, &others[..50]).await;
    let page = site.guest().page(&path).await.expect(200);
    let page = page.expect_text("4.0 ★ · 98 ratings").expect_text("Score protected: 48 of 98 ratings count");
    let page = page.expect_text(SURGE_NOTICE).expect_text("The average of all ratings is 2.5 ★.");
    page.expect_text("\"ratingValue\":4.0");
    let history = site.guest().page(&format!("/blogs/{post}/ratings/")).await.expect(200);
    let surge =
        "50 of 50 ratings from 26 January 2026 don’t count: more arrived than usual, and their average of 1.0 ★";
    let history = history.expect_text("<dt>Score</dt><dd class=\"value\">4.0 ★</dd>").expect_text(surge);
    let history = history.expect_text("<dt>Ratings</dt><dd class=\"value\">98</dd>");
    assert!(history.text.find("<figure class=\"chart") < history.text.find(surge), "the chart comes first");
    let history = history.expect_text("<dt>Held back</dt>").expect_text("<dt>Excluded</dt>");
    history.expect_text("<rect class=\"without-weight\"").expect_text("Mostly held back, not counted or excluded");
    let range = site.guest().page(&format!("/blogs/{post}/ratings/?days=7")).await.expect(200);
    range.expect_text("<a href=\"?days=7\" aria-current=\"page\">7 days</a>").expect_text(">25 January 2026");
    site.guest().get(&format!("/blogs/{post}/ratings/?days=0")).await.expect_problem(400, "invalid");
    site.advance_clock(TimeDelta::days(1));
    others[50].rate(post, 4).await.expect(201);
    readers[0].page(&path).await.expect(200).expect_text("4.0 ★ · 99 ratings").expect_text(SURGE_NOTICE);
    site.advance_clock(TimeDelta::days(7));
    for attacker in &others[51..] {
        attacker.rate(post, 1).await.expect(201);
    }
    let page = readers[0].page(&path).await.expect(200);
    page.expect_text("70 ratings don’t count").expect_text("\"ratingValue\":4.0");
    assert_eq!(site.posts_with_wrong_totals().await, [0; 0]);
    assert_published_periods_add_up(&readers[0], post).await;
}

#[actix_web::test]
async fn score_periods_are_published_as_json_csv_and_table() {
    let (site, post, readers, others) = site_with_established_post(71).await;
    attack(&site, post, &others[..50]).await;
    site.advance_clock(TimeDelta::days(1));
    others[50].rate(post, 4).await.expect(201);
    site.advance_clock(TimeDelta::days(6));
    attack(&site, post, &others[51..]).await;
    let path = format!("/blogs/{post}/ratings/");
    let days = readers[0].get(&path).await.expect(200).json()["days"].as_array().unwrap().clone();
    let attacked = days.iter().find(|day| day["day"] == "2026-01-26").unwrap();
    assert_eq!(
        (&attacked["until"], &attacked["reason"], &attacked["surge"]),
        (&json!("2026-01-26"), &json!("surge"), &json!(50.0))
    );
    let csv = readers[0].page(&format!("{path}?format=csv")).await.expect(200);
    assert_eq!(csv.header("content-type"), "text/csv; charset=utf-8");
    let header =
        "\u{feff}day,until,ratings,average,weight,weighted_sum,held_back,limited,surge,excluded,reason,because";
    assert_eq!(csv.text.lines().next(), Some(header));
    assert!(csv.text.contains("\n2026-01-26,2026-01-26,50,1.0,0.0,0.0,0.0,0.0,50.0,0.0,surge,\n"), "{}", csv.text);
    readers[0].get(&format!("{path}?format=xml")).await.expect_problem(400, "invalid");
    let page = readers[0].page(&path).await.expect(200);
    page.expect_text("Score breakdown")
        .expect_text("More ratings than usual, with an average far from the previous score");
}

/// Fields of a score period, or of a user's own rating, that add up to its number of ratings.
const PARTS: [&str; 5] = ["weight", "held_back", "limited", "surge", "excluded"];

/// Asserts that the score can be recomputed from the published periods and that each rating is in one of the periods.
async fn assert_published_periods_add_up(reader: &Actor, post: i64) {
    let days = reader.get(&format!("/blogs/{post}/ratings/")).await.expect(200).json()["days"].clone();
    let days = days.as_array().unwrap();
    let total = |name: &str| days.iter().map(|day| day[name].as_f64().unwrap()).sum::<f64>();
    let shown = reader.get(&format!("/blogs/{post}/")).await.expect(200).json();
    let near = |value: &Value, expected: f64| value.as_f64().is_some_and(|value| (value - expected).abs() < 1e-6);
    assert!(near(&shown["steady_rating"], total("weighted_sum") / total("weight")), "{shown} {days:?}");
    assert!(near(&shown["steady_weight"], total("weight")), "{shown} {days:?}");
    assert!(near(&shown["rating_count"], total("ratings")), "{shown} {days:?}");
    let all: f64 = PARTS.iter().map(|part| total(part)).sum();
    assert!(near(&shown["rating_count"], all), "{shown} {days:?}");
}

#[actix_web::test]
async fn ratings_that_differ_are_held_back_and_count_if_they_continue() {
    let site = TestSite::start_with(OPEN, 1).await;
    let readers = site.many_users(ESTABLISHED + 140).await;
    let (established, others) = readers.split_at(ESTABLISHED);
    let post = rated_for_days(&site, established, 5).await;
    let path = format!("/blogs/{post}/a-post/");
    for (number, pair) in others.chunks(2).enumerate() {
        site.advance_clock(TimeDelta::days(1));
        for reader in pair {
            reader.rate(post, 1).await.expect(201);
        }
        if number == 6 {
            let page = readers[0].page(&path).await.expect(200);
            page.expect_text("5.0 ★ · 62 ratings").expect_text("14 ratings are held back");
        }
    }
    assert_published_periods_add_up(&readers[0], post).await;
    let shown = readers[0].get(&format!("/blogs/{post}/")).await.expect(200).json();
    assert!(shown["steady_rating"].as_f64().unwrap() < 4.0, "{shown}");
    // The contributions of all users' ratings add up to the score.
    let (mut weight, mut stars) = (0.0, 0.0);
    for reader in &readers {
        let mine = reader.get(&format!("/blogs/{post}/ratings/")).await.expect(200).json()["mine"].clone();
        let part = |name: &str| mine[name].as_f64().unwrap();
        assert!((PARTS.iter().map(|name| part(name)).sum::<f64>() - 1.0).abs() < 1e-6, "{mine}");
        assert_eq!(mine["reason"].is_null(), part("weight") > 0.999, "{mine}");
        weight += part("weight");
        stars += part("weight") * part("rating");
    }
    assert!((shown["steady_weight"].as_f64().unwrap() - weight).abs() < 1e-6, "{shown} {weight}");
    assert!((shown["steady_rating"].as_f64().unwrap() - stars / weight).abs() < 1e-6, "{shown}");
    assert_eq!(site.posts_with_wrong_totals().await, [0; 0]);
}

#[actix_web::test]
async fn page_tells_users_how_much_their_rating_counts() {
    let (site, post, readers, others) = site_with_established_post(71).await;
    let path = format!("/blogs/{post}/a-post/");
    let own_page = async |reader: &Actor| reader.page(&path).await.expect(200);
    own_page(&readers[0]).await.expect_text("You rated this post 4 stars. Your rating counts in full in the score.");
    site.guest().page(&path).await.expect(200).expect_no_text("Your rating");
    // A day has more ratings than usual, all with the stars of the earlier ratings.
    site.advance_clock(TimeDelta::days(1));
    for reader in &others[..20] {
        reader.rate(post, 4).await.expect(201);
    }
    let page = own_page(&others[0]).await;
    let page = page.expect_text("of your rating counts in the score because this post got more ratings than usual.");
    page.expect_text(
        "How much of your rating counts can still change until the end of 26 January 2026. In the average, your rating counts in full.",
    );
    // A brigade rates on the next day. The page right after a rating explains the score like the page of a later visit.
    site.advance_clock(TimeDelta::days(1));
    for reader in &others[20..] {
        reader.rate(post, 1).await.expect(201);
    }
    let surge = "Your rating doesn’t count in the score because this post got unusually many ratings";
    let late = site.user("late").await;
    let answer = late.submit("/rate/", &[("blog", &post.to_string()), ("rating", "1")]).await;
    answer.expect(303);
    late.page(&format!("/blogs/{post}/"))
        .await
        .expect(200)
        .expect_text("Thanks! You rated this post 1 star.")
        .expect_text(surge);
    own_page(&others[20]).await.expect_text(surge);
    assert_page_and_csv_agree(&site, post).await;
}

/// Asserts that the page of the post names the same numbers as its CSV file, for each reason.
async fn assert_page_and_csv_agree(site: &TestSite, post: i64) {
    site.advance_clock(TimeDelta::seconds(2));
    let csv = site.guest().page(&format!("/blogs/{post}/ratings/?format=csv")).await.expect(200).text;
    let mut rows = csv::Reader::from_reader(csv.as_bytes());
    let columns = rows.headers().unwrap().clone();
    let mut sums = std::collections::HashMap::<String, f64>::new();
    for row in rows.records() {
        for (name, value) in columns.iter().zip(&row.unwrap()) {
            *sums.entry(name.to_owned()).or_default() += value.parse().unwrap_or(0.0);
        }
    }
    let page = site.guest().page(&format!("/blogs/{post}/a-post/")).await.expect(200);
    let mut named = 0.0;
    for (part, words) in [
        ("limited", "ratings don’t count because more arrived than usual"),
        ("surge", "ratings don’t count because unusually many arrived"),
        ("excluded", "ratings are excluded from the score by staff"),
    ] {
        let count: f64 =
            page.text.split(words).next().unwrap().rsplit(['>', ' ']).nth(1).unwrap().parse().unwrap_or(0.0);
        let count = if page.text.contains(words) { count } else { 0.0 };
        assert!((count - sums[part]).abs() < 1.0, "{part}: {count} {}", sums[part]);
        named += count;
    }
    let counted = format!("Score protected: {} of {} ratings count", sums["ratings"] - named, sums["ratings"]);
    page.expect_text(&counted);
}

#[actix_web::test]
async fn single_account_does_not_decide_the_score_of_a_new_post() {
    let site = TestSite::start_with(OPEN, 1).await;
    let readers = site.many_users(41).await;
    let (other, post) = (site.post("zoe").await, site.post("ann").await);
    readers[40].rate(other, 3).await.expect(201);
    site.advance_clock(TimeDelta::days(2));
    for reader in &readers[..40] {
        reader.rate(post, 5).await.expect(201);
    }
    let score = async || {
        let shown = readers[0].get(&format!("/blogs/{post}/")).await.expect(200).json();
        shown["steady_rating"].as_f64().unwrap()
    };
    readers[40].rate(post, 1).await.expect(201);
    assert!(score().await >= 4.9, "{}", score().await);
    site.advance_clock(TimeDelta::days(1));
    readers[40].change_rating(post, 2).await.expect(200);
    readers[40].change_rating(post, 1).await.expect(200);
    assert!(score().await >= 4.9, "{}", score().await);
}

#[actix_web::test]
async fn setting_selects_the_displayed_score_and_list_order() {
    let site = TestSite::start_with(OPEN, 1).await;
    let readers = site.many_users(ESTABLISHED + 50).await;
    let attacked = rated_for_days(&site, &readers[..ESTABLISHED], 4).await;
    let praised = site.post("bob").await;
    rate_for_days(&site, praised, &readers[..ESTABLISHED], 3).await;
    site.advance_clock(TimeDelta::days(4));
    for attacker in &readers[ESTABLISHED..] {
        attacker.rate(attacked, 1).await.expect(201);
        attacker.rate(praised, 5).await.expect(201);
    }
    let average = another_instance(&site, &[("SCORE_SHOWN", "average"), ("RATING_LIMITER", "off")]);
    let best = async |guest: Actor| {
        let page = guest.page("/blogs/?order=top").await.expect(200);
        let list = guest.get("/blogs/?order=top").await.expect(200).json();
        let search_results = guest.get("/blogs/?q=post&order=top").await.expect(200).json();
        let ids = |list: &Value| {
            list["results"].as_array().unwrap().iter().map(|post| post["id"].as_i64().unwrap()).collect::<Vec<_>>()
        };
        (page, ids(&list), ids(&search_results))
    };
    let (page, list, search_results) = best(site.guest()).await;
    page.expect_text("4.0 ★ · 98 ratings").expect_text("3.0 ★ · 98 ratings");
    assert_eq!((list[0], search_results[0]), (attacked, attacked));
    let (page, list, search_results) = best(Actor::new(average.0)).await;
    page.expect_text("2.5 ★ · 98 ratings").expect_text("4.0 ★ · 98 ratings");
    assert_eq!((list[0], *list.last().unwrap(), *search_results.last().unwrap()), (praised, attacked, attacked));
    Actor::new(average.0).page(&format!("/blogs/{attacked}/a-post/")).await.expect_text("\"ratingValue\":2.5");
}
