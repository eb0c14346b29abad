//! Batched lookups by key, and their consistency on pages.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::time::Duration;

use evenkeel::db::Availability;
use evenkeel::db::batched_lookup::{BatchedLookup, LookupError, LookupQuery};
use futures_util::future::join_all;
use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};
use serde_json::json;
use sqlx::PgConnection;
use tokio::sync::{Mutex, Semaphore};

use crate::support::{Actor, TestSite};

/// Lookup query that finds numbers in the table `numbers`. Each query first waits for a permit.
struct Numbers {
    permits: Arc<Semaphore>,
    queried_keys: Arc<Mutex<Vec<HashSet<i64>>>>,
}

/// Keys for which the query fails (`BROKEN`) or panics (`PANICS`).
const BROKEN: i64 = -1;
const PANICS: i64 = -2;

impl LookupQuery<i64, i64> for Numbers {
    async fn find(&self, connection: &mut PgConnection, keys: Vec<i64>) -> sqlx::Result<HashMap<i64, i64>> {
        self.queried_keys.lock().await.push(keys.iter().copied().collect());
        self.permits.acquire().await.unwrap().forget();
        assert!(!keys.contains(&PANICS), "the key PANICS was looked up");
        let rows = "select id, value from numbers where id = any($1) and 1 / (1 + $2) > 0";
        let broken = i64::from(keys.contains(&BROKEN));
        let rows = sqlx::query_as::<_, (i64, i64)>(rows).bind(&keys).bind(-broken).fetch_all(connection).await?;
        Ok(rows.into_iter().collect())
    }
}

struct Fixture {
    site: TestSite,
    lookup: BatchedLookup<i64, i64>,
    permits: Arc<Semaphore>,
    queried_keys: Arc<Mutex<Vec<HashSet<i64>>>>,
}

impl Fixture {
    /// Creates the table `numbers` with the keys 0 to 9, each with value 0, and starts a lookup.
    async fn start(permits: usize) -> Self {
        let site = TestSite::start().await;
        // The table is not temporary, because several connections use it.
        let table = "drop table if exists numbers; create unlogged table numbers (id bigint primary key, value bigint);
            insert into numbers select id, 0 from generate_series(0, 9) id";
        sqlx::raw_sql(table).execute(&site.pool).await.unwrap();
        let (permits, queried_keys) = (Arc::new(Semaphore::new(permits)), Arc::default());
        let pool = evenkeel::db::create_lookup_pool(
            site.lease.options.clone(),
            1,
            &Availability::new(Duration::from_secs(10)),
        );
        let lookup =
            BatchedLookup::start(&pool, Numbers { permits: permits.clone(), queried_keys: Arc::clone(&queried_keys) });
        Self { site, lookup, permits, queried_keys }
    }

    async fn end(self) {
        sqlx::raw_sql("drop table numbers").execute(&self.site.pool).await.unwrap();
    }

    /// Waits until `count` queries have begun.
    async fn queries(&self, count: usize) {
        while self.queried_keys.lock().await.len() < count {
            tokio::task::yield_now().await;
        }
    }
}

#[actix_web::test]
async fn batched_lookup_equals_single_lookup() {
    let fixture = Fixture::start(Semaphore::MAX_PERMITS).await;
    // Values only increase, so a result must be at least the value committed before the lookup, and at most the value
    // of the last update begun before the result.
    let bounds: Vec<(AtomicI64, AtomicI64)> = (0..10).map(|_| (AtomicI64::new(0), AtomicI64::new(0))).collect();
    let is_over = AtomicUsize::new(0);
    let grow = async |seed: u64| {
        let mut random = StdRng::seed_from_u64(seed);
        for _ in 0..300 {
            let id = random.random_range(0..5) * 2 + seed;
            let (committed, started) = &bounds[usize::try_from(id).unwrap()];
            started.fetch_add(1, Ordering::SeqCst);
            let update = sqlx::query("update numbers set value = value + 1 where id = $1");
            update.bind(i64::try_from(id).unwrap()).execute(&fixture.site.pool).await.unwrap();
            committed.fetch_add(1, Ordering::SeqCst);
        }
        is_over.fetch_add(1, Ordering::SeqCst);
    };
    let read = async |seed: u64| {
        let (mut random, mut answers) = (StdRng::seed_from_u64(seed), 0);
        while is_over.load(Ordering::SeqCst) < 2 {
            let id = random.random_range(0..12_usize);
            let min = bounds.get(id).map(|(committed, _)| committed.load(Ordering::SeqCst));
            let answer = fixture.lookup.find(i64::try_from(id).unwrap()).await.unwrap();
            let max = bounds.get(id).map(|(_, started)| started.load(Ordering::SeqCst));
            // Keys 10 and 11 are not in the table.
            assert_eq!(answer.is_some(), id < 10);
            assert!(min <= answer && answer <= max, "{id}: {min:?} <= {answer:?} <= {max:?}");
            answers += 1;
        }
        answers
    };
    let (answers, ..) = futures_util::join!(join_all((10..42).map(read)), grow(0), grow(1));
    let queries = fixture.queried_keys.lock().await.len();
    assert!(queries < answers.iter().sum::<usize>(), "{queries} queries: no lookups were combined");
    fixture.end().await;
}

#[actix_web::test]
async fn waiting_lookups_are_batched_and_deduplicated() {
    let fixture = Fixture::start(0).await;
    // A query must be running before the other lookups begin, so that the other lookups wait and are combined.
    let first = tokio::spawn(find(&fixture.lookup, 9));
    fixture.queries(1).await;
    let others: Vec<_> = (0..100).map(|number| tokio::spawn(find(&fixture.lookup, number % 5))).collect();
    tokio::task::yield_now().await;
    fixture.permits.add_permits(1_000);
    for answer in join_all(others.into_iter().chain([first])).await {
        assert_eq!(answer.unwrap().unwrap(), Some(0));
    }
    let queried_keys = fixture.queried_keys.lock().await.clone();
    assert_eq!(queried_keys[1..], [(0..5).collect::<HashSet<i64>>()], "{queried_keys:?}");
    fixture.end().await;
}

#[actix_web::test]
async fn failed_query_affects_only_its_own_lookups() {
    let fixture = Fixture::start(Semaphore::MAX_PERMITS).await;
    for _ in 0..3 {
        assert!(matches!(fixture.lookup.find(BROKEN).await, Err(LookupError::Database(_))));
        assert!(matches!(fixture.lookup.find(PANICS).await, Err(LookupError::Aborted)));
        assert_eq!(fixture.lookup.find(7).await.unwrap(), Some(0));
        // Terminates all connections of the site, including those of the lookup.
        let end = "select pg_terminate_backend(pid) from pg_stat_activity
            where datname = current_database() and application_name = 'evenkeel'";
        sqlx::query(end).execute(&fixture.site.pool).await.unwrap();
        assert_eq!(fixture.lookup.find(7).await.unwrap(), Some(0));
    }
    fixture.end().await;
}

#[actix_web::test]
async fn hanging_query_does_not_delay_later_lookups() {
    let fixture = Fixture::start(0).await;
    let silent = fixture.lookup.find(7).await;
    assert!(matches!(silent, Err(LookupError::Database(_))), "{silent:?}");
    fixture.permits.add_permits(1);
    assert_eq!(fixture.lookup.find(7).await.unwrap(), Some(0));
    fixture.end().await;
}

#[actix_web::test]
async fn lookups_beyond_the_queue_capacity_fail_immediately() {
    let fixture = Fixture::start(0).await;
    let tasks: Vec<_> = (0..6_000).map(|number| tokio::spawn(find(&fixture.lookup, number % 10))).collect();
    // The query cannot finish without a permit, so every lookup stays in the queue or in the running query.
    fixture.queries(1).await;
    fixture.permits.add_permits(1_000);
    let (mut answered, mut refused) = (0, 0);
    for task in tasks {
        match task.await.unwrap() {
            Ok(value) => {
                assert_eq!(value, Some(0));
                answered += 1;
            }
            Err(LookupError::QueueFull) => refused += 1,
            Err(error) => panic!("{error}"),
        }
    }
    assert!(answered >= 4_096 && refused > 0, "{answered} answered, {refused} refused");
    fixture.end().await;
}

#[actix_web::test]
async fn ended_session_is_invalid_for_all_later_lookups() {
    let site = TestSite::start_with(&[("RATE_CLASSES", "off")], 2).await;
    let readers = site.many_users(10).await;
    let ask = async |reader: &Actor, number: usize| {
        reader.with_instance(site.instances[number % 2]).get("/blogs/drafts/").await.status
    };
    for (number, leaving) in readers.iter().enumerate() {
        // The other users send requests continuously, so that a query is always running.
        let others = join_all(readers[number + 1..].iter().map(|reader| async move {
            for turn in 0..8 {
                assert_eq!(ask(reader, turn).await, 200);
            }
        }));
        let leave = async {
            assert_eq!(ask(leaving, 0).await, 200);
            leaving.post("/users/logout/", &json!({})).await.expect(204);
            let statuses = join_all((0..16).map(|turn| ask(leaving, turn))).await;
            assert!(statuses.iter().all(|status| *status == 401), "{statuses:?}");
        };
        futures_util::join!(others, leave);
    }
}

#[actix_web::test]
async fn own_changes_are_visible_immediately_on_every_instance() {
    let site =
        TestSite::start_with(&[("RATE_CLASSES", "off"), ("RATING_LIMITER", "off"), ("RATING_EDIT_LIMIT", "off")], 2)
            .await;
    let (ann, readers) = (site.user("ann").await, site.many_users(4).await);
    let mut random = StdRng::seed_from_u64(1);
    let mut posts: Vec<i64> = Vec::new();
    for number in 0..60 {
        let here = site.instances[random.random_range(0..2)];
        let post = if posts.is_empty() { 0 } else { posts[random.random_range(0..posts.len())] };
        match random.random_range(0..6) {
            _ if posts.len() < 3 => posts.push(ann.with_instance(here).write(&format!("Post {number}"), "t").await),
            0 => drop(ann.with_instance(here).post(&format!("/blogs/{post}/delete/"), &json!({})).await.expect(204)),
            1 => {
                let change = json!({ "title": format!("Changed {number}"), "content": format!("text {number}") });
                ann.with_instance(here).post(&format!("/blogs/{post}/edit/"), &change).await.expect(200);
            }
            act => {
                let (reader, stars) = (&readers[random.random_range(0..4)].with_instance(here), 1 + act % 5);
                if reader.rate(post, stars).await.status == 409 {
                    reader.change_rating(post, stars).await.expect(200);
                }
            }
        }
        posts = sqlx::query_scalar("select id from blog_posts where deleted_at is null order by id")
            .fetch_all(&site.pool)
            .await
            .unwrap();
        // All users request posts concurrently on both instances, so that lookups are combined.
        let requests = (0..24_usize).map(|number| {
            let (reader, post) = (number % 4, posts.get(number / 4 % 3).copied().unwrap_or(post));
            let actor = readers[reader].with_instance(site.instances[number / 12]);
            async move { (reader, post, actor.get(&format!("/blogs/{post}/")).await) }
        });
        for (reader, post, answer) in join_all(requests).await {
            let stored = "select p.title, p.content, t.rating_count, t.average_rating, r.rating from blog_posts p
                join rating_totals t on t.blog_id = p.id join users u on u.username = $2
                left join rates r on r.blog_id = p.id and r.user_id = u.id where p.id = $1 and p.deleted_at is null";
            let stored = sqlx::query_as::<_, (String, String, i64, f64, Option<i16>)>(stored);
            let stored = stored.bind(post).bind(format!("crowd_{reader}")).fetch_optional(&site.pool).await.unwrap();
            let Some((title, content, count, average, rating)) = stored else {
                answer.expect(404);
                continue;
            };
            let shown = answer.expect(200).json();
            assert_eq!((&shown["title"], &shown["content"]), (&json!(title), &json!(content)), "{number}");
            assert_eq!(
                (&shown["rating_count"], &shown["average_rating"]),
                (&json!(count), &json!(average)),
                "{number}"
            );
            assert_eq!(shown["my_rating"], json!(rating), "{number}");
        }
    }
}

#[actix_web::test]
async fn post_that_changes_during_a_lookup_is_found() {
    let site = TestSite::start_with(&[("RATE_CLASSES", "off")], 1).await;
    let ann = site.user("ann").await;
    let post = ann.write("Post", "text").await;
    let is_done = AtomicUsize::new(0);
    let change = async {
        while is_done.load(Ordering::Relaxed) == 0 {
            let change = sqlx::query("update blog_posts set title = 'Post' where id = $1").bind(post);
            change.execute(&site.pool).await.unwrap();
        }
    };
    let read = async {
        for _ in 0..500 {
            ann.get(&format!("/blogs/{post}/")).await.expect(200);
        }
        is_done.store(1, Ordering::Relaxed);
    };
    tokio::join!(change, read);
}

fn find(lookup: &BatchedLookup<i64, i64>, key: i64) -> impl Future<Output = Result<Option<i64>, LookupError>> + use<> {
    let lookup = lookup.clone();
    async move { lookup.find(key).await }
}
