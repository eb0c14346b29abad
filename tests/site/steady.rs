//! The steady score: everybody counts in the average, and a crowd does not move the score.

use chrono::TimeDelta;
use evenkeel::limiters::{Account, SteadyDay, SteadyScore, SteadyScoreState};
use serde_json::{Value, json};
use sqlx::PgPool;

use crate::support::{Actor, Lease, Program, SECRET, TestSite, another_instance, folder};

/// A site that lets everybody rate as often as they like.
pub const OPEN: &[(&str, &str)] = &[("RATING_LIMITER", "off"), ("RATING_EDIT_LIMIT", "off")];

pub fn near(value: &Value, expected: f64) -> bool {
    value.as_f64().is_some_and(|value| (value - expected).abs() < 1e-9)
}

/// A post that `readers` know, who had rated another one before, and rate it by twos on as many days as that takes.
pub async fn rated_for_days(site: &TestSite, readers: &[Actor], stars: i64) -> i64 {
    let other = site.post("zoe").await;
    for reader in readers {
        reader.rate(other, 3).await.expect(201);
    }
    let post = site.post("ann").await;
    for pair in readers.chunks(2) {
        site.wait(TimeDelta::days(1));
        for reader in pair {
            reader.rate(post, stars).await.expect(201);
        }
    }
    post
}

#[actix_web::test]
async fn a_crowd_moves_the_average_and_not_the_score_and_nobody_is_refused() {
    let site = TestSite::with(OPEN, 1).await;
    let readers = site.crowd(62).await;
    let post = rated_for_days(&site, &readers[..12], 4).await;
    let path = format!("/blogs/{post}/");
    let before = site.guest().get(&path).await.expect(200).json();
    assert_eq!((before["steady_rating"].as_f64(), before["steady_weight"].as_f64()), (Some(4.0), Some(12.0)));
    site.wait(TimeDelta::days(1));
    for stranger in &readers[12..] {
        stranger.rate(post, 1).await.expect(201);
    }
    site.wait(TimeDelta::seconds(2));
    let list = site.guest().get("/blogs/").await.expect(200).json();
    let of_list = list["results"].as_array().unwrap().iter().find(|listed| listed["id"] == post).unwrap().clone();
    let stats = site.guest().get(&format!("/rate/get_blog_rating/{post}/")).await.expect(200).json();
    for shown in [site.guest().get(&path).await.json(), readers[0].get(&path).await.json(), of_list, stats] {
        assert!(near(&shown["average_rating"], 98.0 / 62.0), "{shown}");
        assert_eq!((&shown["steady_rating"], &shown["steady_weight"]), (&json!(4.0), &json!(12.0)), "{shown}");
    }
    // Of a post that nobody has rated there is none to show.
    let unrated = readers[0].write("T", "t").await;
    let unrated = site.guest().get(&format!("/blogs/{unrated}/")).await.expect(200).json();
    assert_eq!((&unrated["steady_rating"], &unrated["steady_weight"]), (&Value::Null, &json!(0.0)));
    assert_eq!(site.drifted().await, [0; 0]);
}

#[actix_web::test]
async fn a_changed_rating_leaves_its_day_and_arrives_today() {
    let site = TestSite::with(OPEN, 1).await;
    let readers = site.crowd(6).await;
    let post = rated_for_days(&site, &readers, 4).await;
    let days = "select known_count::int || '/' || known_sum from post_days where blog_id = $1 order by day";
    let days = async || sqlx::query_scalar::<_, String>(days).bind(post).fetch_all(&site.pool).await.unwrap();
    let shown = async || {
        let post = readers[0].get(&format!("/blogs/{post}/")).await.expect(200).json();
        (post["steady_rating"].as_f64().unwrap(), post["steady_weight"].as_f64().unwrap())
    };
    assert_eq!(days().await, ["2/8", "2/8"]);
    // The day is not over yet: nothing but its numbers changes.
    readers[4].change_rating(post, 1).await.expect(200);
    assert_eq!((days().await, shown().await), (vec!["2/8".to_owned(), "2/8".to_owned()], (21.0 / 6.0, 6.0)));
    site.wait(TimeDelta::days(1));
    readers[0].change_rating(post, 5).await.expect(200);
    assert_eq!((days().await, shown().await), (["1/4", "2/8", "2/5"].map(str::to_owned).to_vec(), (22.0 / 6.0, 6.0)));
    // The same stars again are no change.
    site.wait(TimeDelta::days(1));
    readers[1].change_rating(post, 4).await.expect(200);
    assert_eq!(days().await.len(), 3);
    assert_eq!(site.drifted().await, [0; 0]);
    // With the post its days are gone.
    sqlx::query("delete from blog_posts where id = $1").bind(post).execute(&site.pool).await.unwrap();
    assert_eq!((days().await.len(), site.drifted().await.len()), (0, 0));
}

#[actix_web::test]
async fn what_the_program_before_has_changed_is_taken_back_as_it_was_counted() {
    let site = TestSite::with(OPEN, 1).await;
    let readers = site.crowd(4).await;
    let post = rated_for_days(&site, &readers, 2).await;
    // It knows the totals and the rating, and nothing of days.
    let five = "with changed as (
            update rates set rating = 5 where blog_id = $1 and user_id = (select min(user_id) from rates) returning blog_id
        ) update rating_totals set stars_2 = stars_2 - 1, stars_5 = stars_5 + 1 where blog_id in (select * from changed)";
    sqlx::query(five).bind(post).execute(&site.pool).await.unwrap();
    site.wait(TimeDelta::days(1));
    readers[0].change_rating(post, 4).await.expect(200);
    let shown = readers[0].get(&format!("/blogs/{post}/")).await.expect(200).json();
    assert_eq!((&shown["average_rating"], &shown["steady_rating"]), (&json!(2.5), &json!(2.5)), "{shown}");
    assert_eq!(site.drifted().await, [0; 0]);
}

#[actix_web::test]
async fn two_instances_count_what_the_model_counts_whatever_the_order() {
    let site = TestSite::with(OPEN, 2).await;
    let readers = site.crowd_at(24, &site.instances.clone()).await;
    let (post, other) = (site.post("ann").await, site.post("zoe").await);
    for reader in &readers[..8] {
        reader.rate(other, 3).await.expect(201);
    }
    let (rules, mut state, mut over) = (SteadyScore::default(), SteadyScoreState::default(), Vec::<SteadyDay>::new());
    let today = async || site.clock.now().unwrap().timestamp().div_euclid(86_400);
    let account = |reader: usize| if reader < 8 { Account::Known } else { Account::Fresh };
    for round in 0..4_usize {
        site.wait(TimeDelta::days(1 + i64::try_from(round).unwrap() % 2));
        let day = today().await;
        // All at once, at both: six new readers, and from the second round on two changes of ratings of the round before.
        let new = (round * 6..round * 6 + 6).map(|reader| (reader, reader % 5 + 1));
        let rated = futures_util::future::join_all(new.clone().map(|(reader, stars)| {
            let readers = &readers;
            async move { readers[reader].rate(post, i64::try_from(stars).unwrap()).await.expect(201) }
        }));
        rated.await;
        for (reader, stars) in new {
            let (next, ended) = rules.rate(&state, day, u8::try_from(stars).unwrap(), account(reader));
            state = next;
            over.extend(ended);
        }
        if round > 0 {
            let changed = (round - 1) * 6;
            let old = u8::try_from(changed % 5 + 1).unwrap();
            readers[changed].change_rating(post, i64::from(6 - old)).await.expect(200);
            if old != 6 - old {
                let last = over.last_mut().unwrap();
                (state, *last) = rules.take_back_from(&state, last, old, account(changed));
                (state, _) = rules.rate(&state, day, 6 - old, account(changed));
            }
        }
        let shown = rules.score(&state);
        let found = readers[0].get(&format!("/blogs/{post}/")).await.expect(200).json();
        assert!(near(&found["steady_rating"], shown.score.unwrap()), "round {round}: {found} {shown:?}");
        assert!(near(&found["steady_weight"], shown.weight), "round {round}: {found} {shown:?}");
    }
    assert_eq!(site.drifted().await, [0; 0]);
}

#[actix_web::test]
async fn ratings_of_before_are_counted_day_by_day_when_the_site_is_updated() {
    let (dir, lease) = (folder(), Lease::fresh().await);
    let pool = PgPool::connect_lazy_with(lease.options.clone());
    sqlx::raw_sql("drop schema public cascade; create schema public").execute(&pool).await.unwrap();
    evenkeel::database::MIGRATOR.run_to(11, &pool).await.unwrap();
    // Post 1 is rated by twelve on six days, who had rated post 2 before, and then by fifty others on one day. Post 3 has
    // two ratings of one day, one of them changed since, and post 4 none.
    let before = "insert into users (username, username_key, email, password_hash, created_at)
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
    sqlx::raw_sql(before).execute(&pool).await.unwrap();
    let program = Program::new(dir.path()).with("DATABASE_URL", &lease.url).with("SECRET_KEY", SECRET);
    let _running = program.start().await;
    let guest = Actor::new(program.address);
    for (post, score, weight) in
        [(1, json!(4.0), json!(12.0)), (3, json!(3.0), json!(2.0)), (4, json!(null), json!(0.0))]
    {
        let shown = guest.get(&format!("/rate/get_blog_rating/{post}/")).await.expect(200).json();
        assert_eq!((&shown["steady_rating"], &shown["steady_weight"]), (&score, &weight), "{post}: {shown}");
    }
    let site = TestSite::on(lease, OPEN, 0, evenkeel::database::clock::Clock::Database);
    assert_eq!(site.drifted().await, [0; 0]);
    let uncounted = "select count(*) from rates where counted_on is null or fresh is null";
    assert_eq!(sqlx::query_scalar::<_, i64>(uncounted).fetch_one(&pool).await.unwrap(), 0);
}

#[actix_web::test]
async fn people_are_told_what_the_score_leaves_out() {
    let site = TestSite::with(OPEN, 1).await;
    let readers = site.crowd(83).await;
    let post = rated_for_days(&site, &readers[..12], 4).await;
    let path = format!("/blogs/{post}/a-post/");
    let apart = "not in this score";
    site.guest().page(&path).await.expect(200).expect_text("4.0 ★ · 12 ratings").expect_no_text(apart);
    site.wait(TimeDelta::days(1));
    for stranger in &readers[12..62] {
        stranger.rate(post, 1).await.expect(201);
    }
    site.wait(TimeDelta::seconds(2));
    let told = "On 8 January 2026, 50 ratings came at once, of another mind than those before. They count in the average \
        of 1.6 ★, not in this score.";
    let page = site.guest().page(&path).await.expect(200);
    page.expect_text("4.0 ★ · 62 ratings").expect_text(told).expect_text("\"ratingValue\":4.0");
    // The chart says it, too, and shades the day.
    let history = site.guest().page(&format!("/blogs/{post}/ratings/")).await.expect(200);
    let left_out =
        "On 8 January 2026, 50 ratings came at once, of another mind than those before (1.0 ★): they are left out";
    let history = history.expect_text("Shown 4.0 ★ · Average of all 1.6 ★ · 62 ratings").expect_text(left_out);
    history.expect_text("<rect class=\"left-out\"").expect_text("Day left out of the score");
    // The same when the day is over, and of two such days.
    site.wait(TimeDelta::days(1));
    readers[62].rate(post, 4).await.expect(201);
    readers[0].page(&path).await.expect(200).expect_text("4.0 ★ · 63 ratings").expect_text(told);
    site.wait(TimeDelta::days(1));
    for stranger in &readers[63..] {
        stranger.rate(post, 1).await.expect(201);
    }
    let twice = "On 2 days until 10 January 2026, 70 ratings came at once";
    readers[0].page(&path).await.expect(200).expect_text(twice).expect_text("\"ratingValue\":4.0");
    assert_eq!(site.drifted().await, [0; 0]);
    // Whoever wants to can add the score up.
    let over_time = format!("/blogs/{post}/ratings/");
    let days = readers[0].get(&over_time).await.expect(200).json()["days"].as_array().unwrap().clone();
    let total = |name: &str| days.iter().map(|day| day[name].as_f64().unwrap()).sum::<f64>();
    let shown = readers[0].get(&format!("/blogs/{post}/")).await.expect(200).json();
    assert!(near(&shown["steady_rating"], total("weighted_sum") / total("weight")), "{shown} {days:?}");
    assert!(near(&shown["steady_weight"], total("weight")) && near(&shown["rating_count"], total("ratings")));
    assert_eq!(
        (&days[6]["day"], &days[6]["reason"], &days[6]["left_out"]),
        (&json!("2026-01-08"), &json!("odd"), &json!(50))
    );
    assert_eq!((&days[0]["reason"], &days[0]["left_out"], days.len()), (&Value::Null, &json!(0), 9));
    let csv = readers[0].page(&format!("{over_time}?format=csv")).await.expect(200);
    assert_eq!(csv.header("content-type"), "text/csv; charset=utf-8");
    let lines: Vec<&str> = csv.text.lines().collect();
    assert_eq!(
        (lines[0], lines[7]),
        ("day,ratings,average,weight,weighted_sum,left_out,reason,because", "2026-01-08,50,1.0,0.0,0.0,50,odd,")
    );
    readers[0].get(&format!("{over_time}?format=xml")).await.expect_problem(400, "invalid");
    let page = readers[0].page(&over_time).await.expect(200);
    page.expect_text("The days of the score").expect_text("8 January 2026").expect_text("many, and of another mind");
}

#[actix_web::test]
async fn an_operator_chooses_which_score_is_shown_and_orders_lists() {
    let site = TestSite::with(OPEN, 1).await;
    let readers = site.crowd(64).await;
    let attacked = rated_for_days(&site, &readers[..12], 4).await;
    let praised = site.user("bob").await.write("Praised", "t").await;
    readers[62].rate(praised, 3).await.expect(201);
    site.wait(TimeDelta::days(1));
    for stranger in &readers[12..62] {
        stranger.rate(attacked, 1).await.expect(201);
        stranger.rate(praised, 5).await.expect(201);
    }
    let average = another_instance(&site, &[("SCORE_SHOWN", "average"), ("RATING_LIMITER", "off")]);
    let best = async |guest: Actor| {
        let page = guest.page("/blogs/?order=top").await.expect(200);
        let list = guest.get("/blogs/?order=top").await.expect(200).json();
        let found = guest.get("/blogs/?q=post&order=top").await.expect(200).json();
        let ids = |list: &Value| {
            list["results"].as_array().unwrap().iter().map(|post| post["id"].as_i64().unwrap()).collect::<Vec<_>>()
        };
        (page, ids(&list), ids(&found))
    };
    let (page, list, found) = best(site.guest()).await;
    page.expect_text("4.0 ★ · 62 ratings").expect_text("4.3 ★ · 51 ratings");
    assert_eq!((list[0], found[0]), (attacked, attacked));
    let (page, list, found) = best(Actor::new(average.0)).await;
    page.expect_text("1.6 ★ · 62 ratings").expect_text("5.0 ★ · 51 ratings");
    assert_eq!((list[0], *list.last().unwrap(), *found.last().unwrap()), (praised, attacked, attacked));
    Actor::new(average.0).page(&format!("/blogs/{attacked}/a-post/")).await.expect_text("\"ratingValue\":1.6");
}
