//! Fault injection tests: instances of the real program use a real database through a proxy that injects faults. The
//! responses that clients received are compared with the ratings in the database.
//!
//! Each test runs for seconds. `EVENKEEL_FAULT_ROUNDS=20` makes them longer.

mod instances;
mod proxy;

use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};
use evenkeel::db::{Cluster, ClusterOptions};
use evenkeel_limiters::{Event, LeakyBucket, LeakyBucketParams, LeakyBucketState, Limiter as _};
use futures_util::future::join_all;
use futures_util::join;
use nix::sys::signal::{Signal, kill};
use serde_json::json;
use sqlx::ConnectOptions as _;
use sqlx::postgres::PgConnectOptions;
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use tokio::time::sleep;

use self::instances::Fleet;
pub use self::proxy::{Fault, Proxy};
use crate::images::plain;
use crate::mail::server::{Server as MailServer, Tls};
use crate::support::{Actor, postmaster_pid, reachable_tempdir};

/// Maximum time to wait for an expected event, long enough for slow machines.
const PATIENCE: Duration = Duration::from_mins(5);

const OFF: [(&str, &str); 1] = [("RATING_LIMITER", "off")];

fn rounds(short: u32) -> u32 {
    std::env::var("EVENKEEL_FAULT_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(short)
}

/// Waits while the load generator keeps sending requests.
async fn for_a_while(milliseconds: u64) {
    sleep(Duration::from_millis(milliseconds)).await;
}

#[actix_web::test]
async fn three_instances_store_one_rating_for_concurrent_first_attempts() {
    let fleet = Fleet::start(3, &OFF).await;
    let post = fleet.posts(1).await[0];
    let reader = &fleet.crowd(1).await[0];
    let attempts = (0..100).map(|n| {
        let reader = reader.with_instance(fleet.address(n));
        async move { reader.rate_until_answered(post, 4).await }
    });
    let statuses = join_all(attempts).await;
    let count = |status| statuses.iter().filter(|given| **given == status).count();
    // If the response to the stored rating is lost, the retry gets 409, and no attempt gets 201.
    assert!(count(201) <= 1 && count(201) + count(409) == 100, "{statuses:?}");
    assert_eq!((fleet.site.count("rates").await, fleet.site.posts_with_wrong_totals().await), (1, vec![]));
}

#[actix_web::test]
async fn killed_instances_lose_no_acknowledged_rating() {
    let mut fleet = Fleet::start(2, &OFF).await;
    let (posts, crowd) = (fleet.posts(5).await, fleet.crowd(24).await);
    let load = fleet.load(&crowd, &posts);
    for _ in 0..rounds(3) {
        for_a_while(300).await;
        fleet.kill(0);
        for_a_while(100).await;
        fleet.restart(0).await;
    }
    fleet.settle(load).await;
}

#[actix_web::test]
async fn killed_instances_create_each_post_of_an_idempotency_key_once() {
    let mut fleet = Fleet::start(2, &[("RATE_CLASSES", "off")]).await;
    let (crowd, addresses) = (fleet.crowd(8).await, [fleet.address(0), fleet.address(1)]);
    let is_over = Rc::new(Cell::new(false));
    let writers = crowd.into_iter().enumerate().map(|(user, writer)| {
        let (is_over, pool) = (is_over.clone(), fleet.site.pool.clone());
        actix_web::rt::spawn(async move {
            let mut created = Vec::new();
            while !is_over.get() {
                let key = format!("{user}-{}", created.len());
                let body = json!({ "title": key, "content": "Its text." });
                let mut turn = 0;
                let is_acknowledged = loop {
                    turn += 1;
                    let writer = writer.with_instance(addresses[turn % 2]);
                    let request = writer.request("POST", "/blogs/create/").header("Idempotency-Key", &key).json(&body);
                    let answer = writer.attempt(request).await;
                    match answer.map(|answer| (answer.status.as_u16(), answer.text)) {
                        Some((201, _)) => break true,
                        // The instance was killed, before or after the post was saved.
                        Some((409, text)) if text.contains("response_lost") => break false,
                        Some((409, text)) if text.contains("request_in_progress") => {
                            // Ages the attempt by two minutes, after which its instance is assumed to be gone.
                            let age = "update idempotent_requests set started_at = started_at - interval '2 minutes'
                                where status is null";
                            sqlx::query(age).execute(&pool).await.unwrap();
                        }
                        None | Some((503, _)) => sleep(Duration::from_millis(20)).await,
                        Some(other) => panic!("{other:?}"),
                    }
                };
                created.push((key, is_acknowledged));
            }
            created
        })
    });
    let writers: Vec<_> = writers.collect();
    for _ in 0..rounds(4) {
        for_a_while(400).await;
        fleet.kill(0);
        for_a_while(100).await;
        fleet.restart(0).await;
    }
    is_over.set(true);
    let created: BTreeMap<String, bool> = join_all(writers).await.into_iter().flat_map(Result::unwrap).collect();
    let titles: Vec<String> =
        sqlx::query_scalar("select title from blog_posts order by title").fetch_all(&fleet.site.pool).await.unwrap();
    assert!(created.len() > 20, "{}", created.len());
    // Each acknowledged post exists once, and none exists twice.
    let unique: BTreeSet<&String> = titles.iter().collect();
    assert!(unique.len() == titles.len() && titles.iter().all(|title| created.contains_key(title)));
    assert!(created.iter().filter(|(_, is_acknowledged)| **is_acknowledged).all(|(key, _)| unique.contains(key)));
}

#[actix_web::test]
async fn killed_database_processes_lose_no_acknowledged_rating() {
    let dir = reachable_tempdir();
    let data = dir.path().join("data");
    let options = ClusterOptions { dir: data.clone(), fallback_dir: data.clone(), durable: true, bin_dir: None };
    let cluster = Cluster::start(&options).unwrap();
    let mut fleet = Fleet::on(&cluster.connect_options(), 2, &OFF).await;
    for (setting, expected) in [("fsync", "on"), ("synchronous_commit", "on"), ("full_page_writes", "on")] {
        let value: String =
            sqlx::query_scalar("select current_setting($1)").bind(setting).fetch_one(&fleet.site.pool).await.unwrap();
        assert_eq!(value, expected, "{setting}");
    }
    let (posts, crowd) = (fleet.posts(5).await, fleet.crowd(24).await);
    let load = fleet.load(&crowd, &posts);
    for _ in 0..rounds(2) {
        for_a_while(400).await;
        kill(postmaster_pid(&data), Signal::SIGKILL).unwrap();
        while !cluster.restart_if_down().unwrap() {}
        fleet.serves_again(PATIENCE).await;
    }
    fleet.settle(load).await;
}

#[actix_web::test]
async fn bucket_capacity_is_independent_of_the_number_of_instances() {
    for instances in 1..=3 {
        saturate(instances, false).await;
    }
}

#[actix_web::test]
async fn bucket_is_exact_while_connections_are_reset() {
    saturate(2, true).await;
}

/// Keeps the rating limiter saturated, because refused users retry. The admitted ratings are then replayed through a
/// separate bucket: all must fit, and its final level must equal the stored level. An excess rating would not fit, and
/// a missing rating or a lost leak would give another level.
async fn saturate(instances: usize, with_resets: bool) {
    // The leak is slow, so that even on the slowest machine some ratings are refused and admitted later.
    let params = LeakyBucketParams { capacity: 20, leak_amount: 2, leak_period_ms: 1_000, ..Default::default() };
    let settings = [("LEAKY_BUCKET_CAPACITY", "20"), ("LEAKY_BUCKET_LEAK_PER_SECOND", "2")];
    let fleet = Fleet::start(instances, &settings).await;
    let post = fleet.posts(1).await[0];
    let crowd = fleet.crowd(220).await;
    let [admitted, refused, resets_done] = [0; 3].map(std::cell::Cell::new);
    let patience = Instant::now() + PATIENCE;
    let is_over = || {
        let is_seen = admitted.get() >= 24 && refused.get() > 0 && (!with_resets || resets_done.get() >= 6);
        is_seen || Instant::now() > patience
    };
    let raters = join_all(crowd.iter().map(|reader| async {
        while !is_over() {
            match reader.rate(post, 1).await.status.as_u16() {
                429 => refused.set(refused.get() + 1),
                // The outcome of a 503 is unknown, so the user retries: a stored rating gives 409.
                503 => (),
                201 | 409 => return admitted.set(admitted.get() + 1),
                other => panic!("{other}"),
            }
        }
    }));
    // Each reset waits for a response after the previous reset, so that ratings make progress even on a slow machine.
    let answered = || admitted.get() + refused.get();
    let resets = async {
        let mut before = 0;
        while with_resets && !is_over() {
            for_a_while(200).await;
            if answered() > before {
                before = answered();
                fleet.proxy.reset();
                resets_done.set(resets_done.get() + 1);
            }
        }
    };
    join!(raters, resets);
    fleet.serves_again(PATIENCE).await;

    let times = sqlx::query_scalar("select created_at from rates order by created_at");
    let times: Vec<DateTime<Utc>> = times.fetch_all(&fleet.site.pool).await.unwrap();
    let (bucket, mut state) = (LeakyBucket::new(params).unwrap(), LeakyBucketState::default());
    for time in &times {
        let decision = bucket.check(&mut state, Event::at_unix_millis(time.timestamp_millis())).unwrap();
        assert!(decision.allowed, "{instances} instances admitted more than fits at {time}");
    }
    let stored: serde_json::Value = sqlx::query_scalar("select state from limiter_states where key like 'post:%'")
        .fetch_one(&fleet.site.pool)
        .await
        .unwrap();
    let stored = bucket.restore(stored).unwrap();
    // An event of cost 0 applies the leak up to the time of the last decision, which may have been a refusal.
    let _ = bucket.check(&mut state, Event::at_unix_millis(stored.last_ms).with_cost(0)).unwrap();
    assert_eq!(state, stored, "{instances} instances");
    assert!(times.len() > 20 && refused.get() > 0, "{} admitted, {} refused", times.len(), refused.get());
    assert_eq!(fleet.site.posts_with_wrong_totals().await, [0; 0]);
}

#[actix_web::test]
async fn site_responds_503_without_database_and_recovers() {
    let fleet = Fleet::start(1, &OFF).await;
    let post = fleet.posts(1).await[0];
    let reader = &fleet.crowd(1).await[0];
    fleet.proxy.set(Fault::Refuse);
    fleet.proxy.reset();
    let down = reader.rate(post, 5).await.expect_problem(503, "unavailable");
    assert!(down.retry_after() > 0);
    let page = reader.page("/").await.expect(503).expect_text("Temporarily unavailable");
    assert!(page.retry_after() > 0);
    reader.page("/healthz").await.expect(200);
    reader.page("/readyz").await.expect(503);
    reader.page("/static/style.css").await.expect(200);
    fleet.proxy.set(Fault::None);
    fleet.serves_again(PATIENCE).await;
    reader.rate(post, 5).await.expect(201);
}

#[actix_web::test]
async fn unavailable_database_is_retried_with_backoff_and_logged_once() {
    let fleet = Fleet::start(1, &OFF).await;
    let (post, crowd) = (fleet.posts(1).await[0], fleet.crowd(24).await);
    fleet.proxy.set(Fault::Refuse);
    fleet.proxy.reset();
    crowd[0].rate(post, 5).await.expect(503);
    let patience = Instant::now() + PATIENCE;
    while !fleet.log(0).contains("database unreachable") {
        assert!(Instant::now() < patience);
        crowd[0].page("/").await.expect(503);
    }
    let (before, begin, mut refused) = (fleet.proxy.attempts(), Instant::now(), 0);
    while refused <= 100 || begin.elapsed() < Duration::from_secs(2) {
        for answer in join_all(crowd.iter().map(|reader| reader.page("/"))).await {
            answer.expect(503);
            refused += 1;
        }
    }
    let attempts = fleet.proxy.attempts() - before;
    println!("{attempts} attempts to connect while {refused} requests were refused");
    // The availability probe makes at most four attempts in the first second, then one per second; background tasks
    // make a few.
    let max_attempts = 20 + 2 * begin.elapsed().as_secs();
    assert!(attempts < max_attempts, "{attempts} attempts, {refused} refused");
    assert_eq!(fleet.log(0).matches("database unreachable").count(), 1);
    fleet.proxy.set(Fault::None);
    fleet.serves_again(PATIENCE).await;
    crowd[0].rate(post, 5).await.expect(201);
}

#[actix_web::test]
async fn terminated_backends_cause_only_503() {
    let mut fleet = Fleet::start(2, &OFF).await;
    let (posts, crowd) = (fleet.posts(5).await, fleet.crowd(24).await);
    let load = fleet.load(&crowd, &posts);
    for round in 0..rounds(4) {
        for_a_while(250).await;
        match round % 3 {
            0 => fleet.terminate_backends().await,
            1 => fleet.proxy.reset(),
            _ => fleet.proxy.cut(),
        }
    }
    fleet.settle(load).await;
    fleet.serves_again(PATIENCE).await;
}

#[actix_web::test]
async fn commit_with_lost_response_is_not_counted_twice() {
    let mut fleet = Fleet::start(2, &OFF).await;
    let (posts, crowd) = (fleet.posts(3).await, fleet.crowd(12).await);
    let load = fleet.load(&crowd, &posts);
    for _ in 0..rounds(3) {
        fleet.proxy.swallow_commits(2);
        let patience = Instant::now() + PATIENCE;
        while fleet.proxy.commits_to_swallow() > 0 {
            assert!(Instant::now() < patience, "nobody commits");
            for_a_while(20).await;
        }
    }
    let history = fleet.settle(load).await;
    assert!(history.unknown > 0, "every answer was heard");
}

#[actix_web::test]
async fn unresponsive_database_ends_in_503_within_the_time_limit() {
    let fleet = Fleet::start(1, &OFF).await;
    let post = fleet.posts(1).await[0];
    let crowd = fleet.crowd(20).await;
    fleet.proxy.set(Fault::BlackHole);
    let requests = crowd.iter().enumerate().map(|(n, reader)| async move {
        let answer = if n % 2 == 0 { reader.rate(post, 3).await } else { reader.get("/blogs/").await };
        answer.expect_problem(503, "unavailable");
    });
    let alive = async { reader_is_served(&crowd[0]).await };
    join!(join_all(requests), alive);
    fleet.proxy.set(Fault::None);
    fleet.proxy.reset();
    fleet.serves_again(PATIENCE).await;
    assert_eq!(fleet.site.posts_with_wrong_totals().await, [0; 0]);
}

#[actix_web::test]
async fn requests_in_progress_get_a_response_when_the_database_hangs() {
    let fleet = Fleet::start(1, &OFF).await;
    fleet.posts(1).await;
    let crowd = fleet.crowd(12).await;
    let (served, refused) = (std::cell::Cell::new(0), std::cell::Cell::new(0));
    let is_open = std::cell::Cell::new(false);
    let readers = join_all(crowd.iter().map(|reader| async {
        let mut is_first = true;
        // A request that exceeds the timeout of the HTTP client fails the test.
        loop {
            let status = reader.get("/blogs/").await.status;
            if status == 200 && std::mem::take(&mut is_first) {
                served.set(served.get() + 1);
            }
            if status != 200 && is_open.get() {
                break;
            }
        }
        refused.set(refused.get() + 1);
    }));
    let hole = async {
        while served.get() < 12 {
            for_a_while(10).await;
        }
        fleet.proxy.set(Fault::BlackHole);
        is_open.set(true);
    };
    join!(readers, hole);
    assert_eq!(refused.get(), 12);
    fleet.proxy.set(Fault::None);
    fleet.proxy.reset();
    fleet.serves_again(PATIENCE).await;
}

#[actix_web::test]
async fn cancelled_batch_leaves_no_open_transaction() {
    let fleet = Fleet::start(1, &OFF).await;
    let post = fleet.posts(1).await[0];
    let reader = &fleet.crowd(1).await[0];
    // The first rating opens the connections, so that only BEGIN is delayed afterwards.
    reader.rate(post, 3).await.expect(201);
    fleet.proxy.set(Fault::SlowBegin(Duration::from_millis(3_500)));
    let delayed = reader.change_rating(post, 4);
    delayed.await.expect_problem(503, "unavailable");
    fleet.proxy.set(Fault::None);
    fleet.serves_again(PATIENCE).await;
    let log = fleet.log(0);
    assert!(log.contains("did not respond within 3 s") && !log.contains("are in use"), "{log}");
    let idle = "select count(*) from pg_stat_activity
        where datname = current_database() and state like 'idle in transaction%'";
    let patience = Instant::now() + PATIENCE;
    while sqlx::query_scalar::<_, i64>(idle).fetch_one(&fleet.site.pool).await.unwrap() > 0 {
        assert!(Instant::now() < patience, "a transaction is left behind");
    }
    reader.change_rating(post, 5).await.expect(200);
    let rating: i16 = sqlx::query_scalar("select rating from rates").fetch_one(&fleet.site.pool).await.unwrap();
    assert_eq!((rating, fleet.site.posts_with_wrong_totals().await), (5, vec![]));
}

async fn reader_is_served(reader: &crate::support::Actor) {
    reader.page("/healthz").await.expect(200);
}

#[actix_web::test]
async fn locked_table_ends_in_503_within_the_lock_timeout() {
    let fleet = Fleet::start(1, &OFF).await;
    let post = fleet.posts(1).await[0];
    let reader = &fleet.crowd(1).await[0];
    let mut holder = fleet.site.pool.begin().await.unwrap();
    sqlx::query("lock table blog_posts in access exclusive mode").execute(&mut *holder).await.unwrap();
    reader.get("/blogs/").await.expect_problem(503, "unavailable");
    reader.rate(post, 3).await.expect_problem(503, "unavailable");
    holder.rollback().await.unwrap();
    assert_eq!(reader.rate_until_answered(post, 3).await, 201);
}

#[actix_web::test]
async fn reset_connections_leave_nothing_behind() {
    let log_notices = ("RUST_LOG", "info,sqlx::postgres::notice=warn");
    let fleet = Fleet::start(1, &[OFF[0], log_notices]).await;
    let post = fleet.posts(1).await[0];
    let crowd = fleet.crowd(50).await;
    for wave in 0..rounds(4) {
        let storm = (0..500).map(|n| fleet.reset_after(&crowd[n % 50], post, (n as u64 * 37 + u64::from(wave)) % 20));
        join_all(storm).await;
    }
    let patience = Instant::now() + PATIENCE;
    let idle = "select count(*) from pg_stat_activity where datname = current_database()
        and state like 'idle in transaction%' and state_change < clock_timestamp() - interval '1 second'";
    loop {
        let stuck: i64 = sqlx::query_scalar(idle).fetch_one(&fleet.site.pool).await.unwrap();
        if stuck == 0 {
            break;
        }
        assert!(Instant::now() < patience, "{stuck} backends idle in transaction");
    }
    for reader in &crowd {
        let status = reader.rate_until_answered(post, 2).await;
        assert!([201, 409].contains(&status), "{status}");
    }
    let log = fleet.log(0);
    // Log messages of `PostgreSQL` and the site that would show that a connection was reused in the middle of a
    // transaction.
    for sign in
        ["transaction is aborted", "no transaction in progress", "already a transaction in progress", "panicked"]
    {
        assert!(!log.contains(sign), "{sign}: {log}");
    }
    assert_eq!((fleet.site.count("rates").await, fleet.site.posts_with_wrong_totals().await), (50, vec![]));
}

#[actix_web::test]
async fn deadlocks_and_serialization_failures_are_retried() {
    let mut fleet = Fleet::start(2, &OFF).await;
    let (posts, crowd) = (fleet.posts(4).await, fleet.crowd(16).await);
    let one_in_five = "create sequence failures;
        create function fail_sometimes() returns trigger language plpgsql as $$
        begin
            if nextval('failures') % 5 = 0 then
                raise exception 'injected' using errcode = '40001';
            end if;
            return null;
        end $$;
        create trigger fail_sometimes after insert or update on rates
            for each statement execute function fail_sometimes()";
    sqlx::raw_sql(one_in_five).execute(&fleet.site.pool).await.unwrap();
    let load = fleet.load(&crowd, &posts);
    for _ in 0..rounds(3) {
        // Locks rows in the opposite order of the rating writer, so that deadlocks occur.
        let mut other = fleet.site.pool.begin().await.unwrap();
        for post in posts.iter().rev() {
            let locked = sqlx::query("select from rating_totals where blog_id = $1 for update")
                .bind(post)
                .execute(&mut *other)
                .await;
            if locked.is_err() {
                break;
            }
            for_a_while(20).await;
        }
        let _ = other.rollback().await;
        for_a_while(200).await;
    }
    let history = fleet.settle(load).await;
    let injected: i64 =
        sqlx::query_scalar("select last_value from failures").fetch_one(&fleet.site.pool).await.unwrap();
    assert!(injected >= 10, "{injected} writes are too few to fail");
    assert_eq!((history.count_status(500), history.unknown), (0, 0), "{}\n{}", fleet.log(0), fleet.log(1));
}

#[actix_web::test]
async fn shutdown_under_load_completes_accepted_requests() {
    let mut fleet = Fleet::start(1, &[("RATING_LIMITER", "off"), ("DRAIN_SECONDS", "3")]).await;
    let (posts, crowd) = (fleet.posts(5).await, fleet.crowd(16).await);
    let load = fleet.load(&crowd, &posts);
    load.is_under_way().await;
    let pid = fleet.pid(0);
    kill(pid, Signal::SIGTERM).unwrap();
    let patience = Instant::now() + Duration::from_mins(2);
    while crowd[0].page("/readyz").await.status != 503 {
        assert!(Instant::now() < patience);
    }
    crowd[0].get("/blogs/").await.expect(200);
    let told_before = load.answered();
    while load.answered() == told_before {
        assert!(Instant::now() < patience, "nobody is served while draining");
        for_a_while(10).await;
    }
    load.stop();
    assert!(fleet.wait(0).await.success());
    let history = fleet.hold_against_the_database(load).await;
    assert_eq!(history.unknown, 0, "{history:?}");
}

#[actix_web::test]
async fn interrupted_migration_is_completed_once_by_later_instances() {
    let fleet = Fleet::start(0, &OFF).await;
    let pool = &fleet.site.pool;
    sqlx::raw_sql("drop schema public cascade; create schema public").execute(pool).await.unwrap();
    // An uncommitted table with the name that the second migration creates blocks the migration half-way.
    let mut holder = pool.begin().await.unwrap();
    sqlx::query("create table rates ()").execute(&mut *holder).await.unwrap();
    let first = fleet.program(&[]);
    let stuck = first.spawn();
    let waiting =
        "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
    let patience = Instant::now() + Duration::from_mins(2);
    while sqlx::query_scalar::<_, i64>(waiting).fetch_one(pool).await.unwrap() == 0 {
        assert!(Instant::now() < patience, "{}", first.read("err"));
        for_a_while(10).await;
    }
    stuck.signal(Signal::SIGKILL);
    holder.rollback().await.unwrap();
    let programs: Vec<_> = (0..8).map(|_| fleet.program(&[])).collect();
    let running = join_all(programs.iter().map(crate::support::Program::start)).await;
    let applied: i64 =
        sqlx::query_scalar("select count(*) from _sqlx_migrations where success").fetch_one(pool).await.unwrap();
    assert_eq!(usize::try_from(applied).unwrap(), evenkeel::db::MIGRATOR.iter().count());
    drop(running);

    sqlx::query("update _sqlx_migrations set checksum = '\\x00' where version = 1").execute(pool).await.unwrap();
    let program = fleet.program(&[]);
    let (succeeded, output) = tokio::task::spawn_blocking(move || program.run(&["migrate"])).await.unwrap();
    assert!(!succeeded && output.contains("cannot apply the migrations"), "{output}");
}

#[actix_web::test]
async fn account_deletion_keeps_all_counts() {
    let mut fleet = Fleet::start(2, &OFF).await;
    let (posts, crowd) = (fleet.posts(3).await, fleet.crowd(12).await);
    for (n, reader) in crowd.iter().enumerate() {
        for post in &posts {
            reader.rate(*post, i64::try_from(n % 5).unwrap() + 1).await.expect(201);
        }
    }
    let pool = &fleet.site.pool.clone();
    let totals = "select jsonb_agg(to_jsonb(t) order by blog_id) from rating_totals t where blog_id <= $1";
    let history = "select jsonb_agg(to_jsonb(h) order by blog_id, hour) from rating_hours h where blog_id <= $1";
    let seen = async || -> (serde_json::Value, serde_json::Value) {
        let read = |sql| sqlx::query_scalar(sql).bind(posts[2]).fetch_one(pool);
        (read(totals).await.unwrap(), read(history).await.unwrap())
    };
    let before = seen().await;
    // All users who rated are due for erasure, one of them with 40 posts. A row lock on one of the posts stops the
    // erasure half-way.
    fleet.kill(0);
    fleet.kill(1);
    let many = "insert into blog_posts (author_id, title, content, created_at, updated_at, published_at)
        select (select min(user_id) from rates), 'T', 't', 'epoch', 'epoch', 'epoch' from generate_series(1, 40)
        returning id";
    let many: Vec<i64> = sqlx::query_scalar(many).fetch_all(pool).await.unwrap();
    let mut holder = pool.begin().await.unwrap();
    sqlx::query("select from blog_posts where id = $1 for update").bind(many[20]).execute(&mut *holder).await.unwrap();
    let due = "update users set delete_at = 'epoch', delete_posts = true where username <> 'author'";
    sqlx::query(due).execute(pool).await.unwrap();
    let count = async |sql: &'static str| -> i64 { sqlx::query_scalar(sql).fetch_one(pool).await.unwrap() };
    let patience = Instant::now() + Duration::from_mins(2);
    fleet.restart(0).await;
    while count("select count(*) from blog_posts").await > 23 {
        for_a_while(10).await;
        assert!(Instant::now() < patience, "{}", fleet.log(0));
    }
    fleet.kill(0);
    holder.rollback().await.unwrap();
    assert!(count("select count(*) from users where delete_at is not null").await > 0);
    assert_eq!(fleet.site.posts_with_wrong_totals().await, [0; 0]);
    fleet.restart(0).await;
    fleet.restart(1).await;
    while count("select count(*) from users where delete_at is not null").await > 0 {
        for_a_while(10).await;
        assert!(Instant::now() < patience, "{}", fleet.log(0));
    }
    assert_eq!((seen().await, fleet.site.posts_with_wrong_totals().await), (before, vec![]));
    let former = count("select count(*) from users where erased_at is not null").await;
    assert_eq!((count("select count(*) from blog_posts").await, former), (3, 12));
}

#[actix_web::test]
async fn changes_are_visible_on_other_instances() {
    let fleet = Fleet::start(2, &OFF).await;
    let post = fleet.posts(1).await[0];
    for (n, reader) in fleet.crowd(20).await.iter().enumerate() {
        let (here, there) = (reader.with_instance(fleet.address(n)), reader.with_instance(fleet.address(n + 1)));
        here.rate(post, 4).await.expect(201);
        assert_eq!(there.get(&format!("/blogs/{post}/")).await.json()["my_rating"], 4);
        let stats = there.get(&format!("/rate/get_blog_rating/{post}/")).await.json();
        assert_eq!(stats["total_ratings"], n + 1);
        here.change_rating(post, 5).await.expect(200);
        assert_eq!(there.get(&format!("/rate/get_user_rating/{post}/")).await.json(), json!({ "user_rating": 5 }));
    }
}

#[actix_web::test]
async fn mail_is_sent_at_most_once_if_an_instance_is_killed() {
    let server = MailServer::start(Tls::None).await;
    let url = format!("smtp://{}", server.address);
    let settings = [("RATING_LIMITER", "off"), ("SMTP_URL", url.as_str()), ("MAIL_FROM", "blog@example.com")];
    let mut fleet = Fleet::start(2, &settings).await;
    let mails = 150 * rounds(2);
    let leave = "insert into outbox (kind, recipient, subject, body_text, body_html, created_at, expires_at, next_at)
        select 'test', 'reader' || n || '@example.com', 's', 't', 'h', now(), now() + interval '1 day', 'epoch'
        from generate_series(1, $1) n";
    sqlx::query(leave).bind(i32::try_from(mails).unwrap()).execute(&fleet.site.pool).await.unwrap();
    let count_delivered = || u32::try_from(server.books().taken.len()).unwrap();
    // Expires the delivery leases of the killed instances, and of instances that are still sending.
    let hurry = "update outbox set leased_until = 'epoch', next_at = 'epoch'";
    let (mut faults, patience) = (0, Instant::now() + PATIENCE);
    for round in 0..8 {
        let so_far = count_delivered();
        while count_delivered() < (so_far + 10).min(mails / 2) {
            for_a_while(1).await;
            assert!(Instant::now() < patience, "{} mails, {}", count_delivered(), fleet.log(0));
        }
        if round % 3 == 2 {
            fleet.terminate_backends().await;
            faults += 2;
        } else {
            fleet.kill(round % 2);
            fleet.restart(round % 2).await;
            faults += 1;
        }
        sqlx::query(hurry).execute(&fleet.site.pool).await.unwrap();
    }
    while fleet.site.count("outbox").await > 0 {
        for_a_while(50).await;
        assert!(Instant::now() < patience, "{} mails, {}", count_delivered(), fleet.log(0));
    }
    let mut readers: Vec<String> = server.taken().into_iter().map(|(to, _)| to).collect();
    let all = readers.len();
    readers.sort();
    readers.dedup();
    assert_eq!(readers.len(), all, "somebody got a mail twice");
    // A mail whose delivery is interrupted by a fault is not sent again. Each of 8 rounds interrupts at most 2
    // deliveries.
    println!("{all} of {mails} mails came, through {faults} faults");
    assert!(all >= usize::try_from(mails).unwrap() - 8 * 2, "{all} of {mails}");
}

#[actix_web::test]
async fn acknowledged_images_have_their_files_if_an_instance_is_killed() {
    let mut fleet = Fleet::start(2, &OFF).await;
    let crowd = fleet.crowd(4).await;
    // Each user uploads some images of their own and some that other users upload as well, alternating between
    // instances.
    let addresses = [fleet.address(0), fleet.address(1)];
    let senders = crowd.into_iter().zip(0_u32..).map(|(reader, who)| {
        actix_web::rt::spawn(async move {
            let mut acknowledged = Vec::new();
            for n in 0..12_u32 {
                let picture = plain(if n % 3 == 0 { n } else { 1_000 * (who + 1) + n });
                let sent = reader.with_instance(addresses[(who + n) as usize % 2]).attempt_image(picture).await;
                acknowledged
                    .extend(sent.filter(|answer| answer.status == 201).map(|answer| answer.json()["url"].clone()));
            }
            acknowledged
        })
    });
    let senders: Vec<_> = senders.collect();
    for round in 0..rounds(4) as usize {
        for_a_while(150).await;
        if round % 2 == 0 {
            fleet.kill(0);
            fleet.restart(0).await;
        } else {
            fleet.terminate_backends().await;
        }
    }
    let mut urls = Vec::new();
    for sender in senders {
        urls.extend(sender.await.unwrap().into_iter().map(|url| url.as_str().unwrap().to_owned()));
    }
    fleet.serves_again(PATIENCE).await;
    println!("{} pictures were acknowledged", urls.len());
    assert!(urls.len() >= 12, "{}", urls.len());
    let stored = sqlx::query_scalar::<_, String>("select '/images/' || name from images").fetch_all(&fleet.site.pool);
    urls.extend(stored.await.unwrap());
    for url in &urls {
        let answer = Actor::new(fleet.address(1)).get(url).await;
        assert_eq!(answer.status, 200, "{url}: {}", answer.text);
    }
}

#[actix_web::test]
async fn slow_database_causes_no_errors() {
    let mut fleet = Fleet::start(1, &OFF).await;
    let (posts, crowd) = (fleet.posts(2).await, fleet.crowd(8).await);
    fleet.proxy.set(Fault::Delay(Duration::from_millis(3)));
    let load = fleet.load(&crowd, &posts);
    for_a_while(1_000).await;
    let history = fleet.settle(load).await;
    assert!(history.unknown == 0 && history.count_status(201) > 0, "{history:?}");
}

/// Makes existing connections read-only and new ones writable, as after a failover behind a proxy that keeps
/// connections open.
async fn fail_over(data: &Path, options: &PgConnectOptions) {
    let mut old = options.connect().await.unwrap();
    // New connections use the setting of the database, which overrides that of the server.
    let new = format!("alter database {} set default_transaction_read_only = off", options.get_database().unwrap());
    sqlx::query(sqlx::AssertSqlSafe(new)).execute(&mut old).await.unwrap();
    let mut file = File::options().append(true).open(data.join("postgres/postgresql.auto.conf")).unwrap();
    file.write_all(b"\ndefault_transaction_read_only = on\n").unwrap();
    kill(postmaster_pid(data), Signal::SIGHUP).unwrap();
    let shown = "select current_setting('default_transaction_read_only')";
    let patience = Instant::now() + PATIENCE;
    while sqlx::query_scalar::<_, String>(shown).fetch_one(&mut old).await.unwrap() == "off" {
        assert!(Instant::now() < patience, "the server does not read its configuration");
    }
}

#[actix_web::test]
async fn writes_recover_after_a_failover_that_keeps_connections() {
    let dir = reachable_tempdir();
    let data = dir.path().join("data");
    let options = ClusterOptions { dir: data.clone(), fallback_dir: data.clone(), durable: true, bin_dir: None };
    let cluster = Cluster::start(&options).unwrap();
    let fleet = Fleet::on(&cluster.connect_options(), 2, &OFF).await;
    let (post, crowd) = (fleet.posts(1).await[0], fleet.crowd(4).await);
    for reader in &crowd {
        reader.rate(post, 3).await.expect(201);
    }
    fail_over(&data, &fleet.site.lease.options).await;
    // The instances must recover without a request to `/readyz`.
    let patience = Instant::now() + PATIENCE;
    for reader in &crowd {
        while reader.change_rating(post, 4).await.status != 200 {
            assert!(Instant::now() < patience, "{}", fleet.log(0));
        }
    }
    for (n, reader) in crowd.iter().enumerate() {
        let body = json!({ "title": format!("{n}"), "content": "t" });
        while reader.post("/blogs/create/", &body).await.status != 201 {
            assert!(Instant::now() < patience, "{}", fleet.log(0));
        }
    }
    assert_eq!(fleet.site.posts_with_wrong_totals().await, [0; 0]);
}

#[actix_web::test]
async fn hanging_commits_do_not_exhaust_connections() {
    // Requests can use one of the eight connections; the others are reserved for other tasks.
    let settings = [("RATING_LIMITER", "off"), ("DATABASE_CONNECTIONS", "8"), ("RATE_CLASSES", "off")];
    let fleet = Fleet::start(1, &settings).await;
    fleet.posts(1).await;
    let reader = &fleet.crowd(1).await[0];
    fleet.proxy.set(Fault::HoldCommits);
    let body = json!({ "title": "T", "content": "t" });
    reader.post("/blogs/create/", &body).await.expect_problem(503, "unavailable");
    let patience = Instant::now() + PATIENCE;
    while reader.get("/blogs/").await.status != 200 {
        assert!(Instant::now() < patience, "{}", fleet.log(0));
    }
    fleet.proxy.set(Fault::None);
    fleet.serves_again(PATIENCE).await;
}
