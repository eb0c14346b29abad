//! Concurrent ratings, through one instance and through several.

use evenkeel::blog_posts::PostId;
use evenkeel::db::clock::Clock;
use evenkeel::db::commit;
use evenkeel::rate::{RatingKey, RatingOperation, RatingWriter, Stars};
use evenkeel::state::AppState;
use evenkeel::web::error::AppError;
use evenkeel::web::request::current_user::UserId;
use evenkeel::web::state::CoreState;
use futures_util::future::{join_all, maybe_done};
use futures_util::poll;
use serde_json::json;
use sqlx::PgPool;
use sqlx::postgres::PgPoolOptions;
use tokio::sync::Barrier;
use tokio::task::{JoinHandle, yield_now};

use crate::support::{Actor, TestSite};

#[actix_web::test]
async fn concurrent_first_ratings_by_one_user_count_once() {
    let site = TestSite::start_with(&[("LEAKY_BUCKET_CAPACITY", "2")], 2).await;
    let (post, crowd) = (site.post("ann").await, site.many_users(3).await);
    let reader = &crowd[0];
    let attempts = (0..100).map(|number| {
        let reader = reader.with_instance(site.instances[number % 2]);
        async move { reader.rate(post, 4).await.status.as_u16() }
    });
    let statuses = join_all(attempts).await;
    assert_eq!(statuses.iter().filter(|status| **status == 201).count(), 1, "{statuses:?}");
    assert_eq!(statuses.iter().filter(|status| **status == 409).count(), 99, "{statuses:?}");
    assert_eq!(site.count("rates").await, 1);
    assert_eq!(site.posts_with_wrong_totals().await, [0; 0]);
    // The 100 attempts used one unit of the leaky bucket, so one of its two units is left.
    crowd[1].rate(post, 4).await.expect(201);
    crowd[2].rate(post, 5).await.expect(429);
}

#[actix_web::test]
async fn two_instances_admit_no_more_than_the_bucket_capacity() {
    let site = TestSite::start_with(&[], 2).await;
    let (post, crowd) = (site.post("ann").await, site.many_users(120).await);
    let statuses = join_all(crowd.iter().map(|reader| async { reader.rate(post, 1).await.status.as_u16() })).await;
    assert_eq!(statuses.iter().filter(|status| **status == 201).count(), 20, "{statuses:?}");
    assert_eq!(statuses.iter().filter(|status| **status == 429).count(), 100, "{statuses:?}");
    assert_eq!(site.posts_with_wrong_totals().await, [0; 0]);
}

#[actix_web::test]
async fn counters_equal_the_recount_under_concurrency() {
    let settings = [("RATING_LIMITER", "off"), ("RATING_EDIT_LIMIT", "off")];
    let site = TestSite::with_clock(&settings, 2, Clock::Database).await;
    let ann = site.user("ann").await;
    let mut posts = Vec::new();
    for _ in 0..4 {
        posts.push(ann.write("T", "t").await);
    }
    let doomed = posts[3];
    let crowd = site.many_users(32).await;
    let stories = crowd.iter().enumerate().map(|(number, reader)| {
        let (posts, instances) = (posts.clone(), site.instances.clone());
        async move {
            for turn in 0..12 {
                let reader = reader.with_instance(instances[(number + turn) % 2]);
                let (post, stars) = (posts[(number * 7 + turn) % 4], i64::try_from((number + turn) % 5).unwrap() + 1);
                let created = reader.rate(post, stars).await.status.as_u16();
                assert!([201, 404, 409].contains(&created), "{created}");
                let changed = reader.change_rating(post, 6 - stars).await.status.as_u16();
                assert!([200, 404].contains(&changed), "{changed}");
                if turn % 3 == 0 {
                    let withdrawn = reader.withdraw_rating(post).await.status.as_u16();
                    assert!([200, 404].contains(&withdrawn), "{withdrawn}");
                }
            }
        }
    });
    let deletion = async {
        for act in ["delete", "purge"] {
            ann.post(&format!("/blogs/{doomed}/{act}/"), &json!({})).await.expect(204);
        }
    };
    let watch = async {
        // The totals must match the ratings in every snapshot, not only at the end.
        for _ in 0..20 {
            assert_eq!(site.posts_with_wrong_totals().await, [0; 0]);
        }
    };
    futures_util::join!(join_all(stories), deletion, watch);
    assert_eq!(site.posts_with_wrong_totals().await, [0; 0]);
    let counts: Vec<i64> = sqlx::query_scalar("select rating_count from rating_totals order by blog_id")
        .fetch_all(&site.pool)
        .await
        .unwrap();
    assert!(counts.iter().all(|count| (1..=32).contains(count)), "{counts:?}");
}

/// Starts a separate `RatingWriter` with the settings of the site. The handle completes when the writer has ended.
fn start_writer(site: &TestSite, pool: PgPool) -> (RatingWriter, JoinHandle<()>) {
    let state = &site.site().state;
    let core = CoreState { clock: Clock::Database, ..CoreState::clone(&state.core) };
    let AppState { active_limiters, pauses, decisions, background, .. } = &***state;
    RatingWriter::start(&core, pool, active_limiters, pauses, decisions, background)
}

/// Submits ratings at the same moment to a separate `RatingWriter`, without HTTP.
async fn batch(site: &TestSite, submissions: Vec<(RatingOperation, i64, i64)>) -> Vec<Result<(), &'static str>> {
    let (writer, writing) = start_writer(site, site.pool.clone());
    let start = Barrier::new(submissions.len());
    let tasks = submissions.into_iter().map(async |(act, user, blog)| {
        start.wait().await;
        let outcome = writer.submit(act, RatingKey { user: UserId(user), post: PostId(blog) }).await;
        outcome.map(|_| ()).map_err(|error| error.error_text().code)
    });
    let outcomes = join_all(tasks).await;
    writer.close();
    writing.await.unwrap();
    outcomes
}

#[actix_web::test]
async fn ratings_beyond_the_queue_are_refused_as_busy() {
    let site = TestSite::start().await;
    let post = site.post("ann").await;
    let (writer, writing) = start_writer(&site, site.pool.clone());
    let stars = Stars::new(3).unwrap();
    // The writer runs on this thread, so that it takes no request out of the queue until all have been submitted.
    let requests = (1_000..6_000).map(|user| RatingKey { user: UserId(user), post: PostId(post) });
    let outcomes = join_all(requests.map(|pair| writer.submit(RatingOperation::Change(stars), pair))).await;
    let errors: Vec<AppError> = outcomes.into_iter().map(Result::unwrap_err).collect();
    let count = |code| errors.iter().filter(|error| error.error_text().code == code).count();
    // The users do not exist, so that the queued requests fail, too, but not as busy.
    assert_eq!((count("unavailable"), count("busy")), (4_096, 904));
    assert!(errors.iter().all(|error| error.error_text().code != "busy" || error.retry_after() == Some(1)));
    drop(writer);
    writing.await.unwrap();
}

#[actix_web::test]
async fn ratings_that_wait_for_a_locked_post_count_as_queued() {
    let site = TestSite::start().await;
    let post = site.post("ann").await;
    let (writer, writing) = start_writer(&site, site.pool.clone());
    let stars = Stars::new(3).unwrap();
    let mut holder = site.pool.begin().await.unwrap();
    sqlx::query("select from rating_totals for update").execute(&mut *holder).await.unwrap();
    let submit =
        |user| writer.submit(RatingOperation::Change(stars), RatingKey { user: UserId(user), post: PostId(post) });
    let mut first = Box::pin(submit(1_000));
    assert!(poll!(&mut first).is_pending());
    site.wait_for_blocked_statement().await;
    let mut others: Vec<_> = (2_000..8_000).map(|user| Box::pin(maybe_done(submit(user)))).collect();
    for some in others.chunks_mut(500) {
        for other in some {
            let _ = poll!(other);
        }
        // The writer runs on this thread, and takes the requests out of its channel.
        yield_now().await;
    }
    let refused = others.iter_mut().filter_map(|other| other.as_mut().take_output());
    let refused: Vec<&str> = refused.map(|outcome| outcome.unwrap_err().error_text().code).collect();
    assert_eq!(refused, vec!["busy"; 6_000 - 4_096]);
    holder.rollback().await.unwrap();
    assert_ne!(first.await.unwrap_err().error_text().code, "busy");
    drop(others);
    drop(writer);
    writing.await.unwrap();
}

#[actix_web::test]
async fn concurrent_requests_for_one_rating_are_answered_in_order() {
    let site = TestSite::start_with(&[("RATING_LIMITER", "off"), ("RATING_EDIT_LIMIT", "off")], 1).await;
    let post = site.post("ann").await;
    site.many_users(2).await;
    let [three, five] = [3, 5].map(|stars| Stars::new(stars).unwrap());
    // Ann is user 1. The other users are 2 and 3.
    let operations = [
        RatingOperation::Withdraw,
        RatingOperation::Create(three),
        RatingOperation::Change(five),
        RatingOperation::Withdraw,
        RatingOperation::Withdraw,
        RatingOperation::Create(five),
    ];
    let (writer, writing) = start_writer(&site, site.pool.clone());
    // `join_all` polls the requests in order, so that they are queued in order.
    let outcomes = join_all(operations.iter().flat_map(|operation| {
        [2, 3].map(|user| writer.submit(*operation, RatingKey { user: UserId(user), post: PostId(post) }))
    }));
    let outcomes: Vec<Result<i16, &str>> = outcomes
        .await
        .into_iter()
        .map(|outcome| outcome.map(|rating| rating.rating.get()).map_err(|error| error.error_text().code))
        .collect();
    let each = [Err("not_rated"), Ok(3), Ok(5), Ok(5), Err("not_rated"), Ok(5)];
    assert_eq!(outcomes, each.into_iter().flat_map(|outcome| [outcome; 2]).collect::<Vec<_>>());
    drop(writer);
    writing.await.unwrap();
    assert_eq!(site.count("rates").await, 2);
    assert_eq!(site.posts_with_wrong_totals().await, [0; 0]);
}

#[actix_web::test]
async fn invalid_item_of_a_batch_fails_alone() {
    let site = TestSite::fresh(&[], 1).await;
    let ann = site.user("ann").await;
    let (remaining_post, deleted_post) = (ann.write("1", "t").await, ann.write("2", "t").await);
    site.many_users(4).await;
    ann.post(&format!("/blogs/{deleted_post}/delete/"), &json!({})).await.expect(204);
    // Ann is user 1, the others are users 2 to 5. A rating by user 3 fails the insert of a whole batch.
    let broken = "create function refuse_user() returns trigger language plpgsql as $$ begin
            if new.user_id = 3 then raise exception 'refused' using errcode = '23514'; end if; return new; end $$;
        create trigger refuse_user before insert on rates for each row execute function refuse_user()";
    sqlx::raw_sql(broken).execute(&site.pool).await.unwrap();
    let nobody = 999;
    let create = |user, blog| (RatingOperation::Create(Stars::new(3).unwrap()), user, blog);
    let submissions = [
        (2, remaining_post),
        (4, deleted_post),
        (3, remaining_post),
        (nobody, remaining_post),
        (1, remaining_post),
        (5, remaining_post),
    ];
    let outcomes = batch(&site, submissions.map(|(user, blog)| create(user, blog)).to_vec()).await;
    let failed = Err("unavailable");
    assert_eq!(outcomes, [Ok(()), Err("not_found"), failed, failed, Err("own_post"), Ok(())]);
    assert_eq!(site.count("rates").await, 2);
    assert_eq!(site.posts_with_wrong_totals().await, [0; 0]);
}

/// Submits ratings while another transaction holds `lock`. The `lock_timeout` of an hour makes the test fail if the
/// writer waits for the lock instead of skipping the row.
async fn rate_while_locked(site: &TestSite, lock: &str, submissions: &[(i64, i64)]) -> Vec<Result<(), &'static str>> {
    let options = site.lease.options.clone().options([("lock_timeout", "1h")]);
    let pool = PgPoolOptions::new().max_connections(2).connect_lazy_with(options);
    let (writer, _writing) = start_writer(site, pool);
    let mut holder = site.pool.begin().await.unwrap();
    sqlx::query(sqlx::AssertSqlSafe(lock.to_owned())).execute(&mut *holder).await.unwrap();
    let stars = Stars::new(3).unwrap();
    let rate = |(user, post): (i64, i64)| {
        writer.submit(RatingOperation::Create(stars), RatingKey { user: UserId(user), post: PostId(post) })
    };
    let outcomes = join_all(submissions.iter().map(|submission| rate(*submission))).await;
    holder.rollback().await.unwrap();
    outcomes.into_iter().map(|outcome| outcome.map(|_| ()).map_err(|error| error.error_text().code)).collect()
}

#[actix_web::test]
async fn locked_user_does_not_delay_other_ratings_of_the_post() {
    let site = TestSite::start_with(&[("RATING_LIMITER", "off")], 1).await;
    let post = site.post("ann").await;
    let crowd = site.many_users(3).await;
    // Ann is user 1, the others are users 2, 3 and 4.
    let lock = "select from users where id = 2 for update";
    let outcomes = rate_while_locked(&site, lock, &[(2, post), (3, post), (4, post)]).await;
    assert_eq!(outcomes, [Err("unavailable"), Ok(()), Ok(())]);
    crowd[0].rate(post, 5).await.expect(201);
    assert_eq!(site.posts_with_wrong_totals().await, [0; 0]);
}

#[actix_web::test]
async fn locked_post_fails_alone_at_any_position_of_a_batch() {
    let site = TestSite::start().await;
    let ann = site.user("ann").await;
    let mut posts = Vec::new();
    for _ in 0..3 {
        posts.push(ann.write("T", "t").await);
    }
    site.many_users(9).await;
    // With a short lock timeout, enough of the batch's time is left for the other posts, even on a slow machine.
    let options = site.lease.options.clone().options([("lock_timeout", "100ms")]);
    let pool = PgPoolOptions::new().max_connections(2).connect_lazy_with(options);
    let (writer, _writing) = start_writer(&site, pool);
    let stars = Stars::new(3).unwrap();
    for (turn, locked) in posts.iter().enumerate() {
        let mut holder = site.pool.begin().await.unwrap();
        sqlx::query("select from rating_totals where blog_id = $1 for update")
            .bind(locked)
            .execute(&mut *holder)
            .await
            .unwrap();
        // Ann is user 1, so the other users start at 2.
        let reader = i64::try_from(2 + turn).unwrap();
        let rate = |post: i64| {
            writer.submit(RatingOperation::Create(stars), RatingKey { user: UserId(reader), post: PostId(post) })
        };
        for (post, outcome) in posts.iter().zip(join_all(posts.iter().map(|post| rate(*post))).await) {
            let outcome = outcome.map(|_| ()).map_err(|error| error.error_text().code);
            assert_eq!(
                outcome,
                if post == locked { Err("unavailable") } else { Ok(()) },
                "{post} while {locked} is locked"
            );
        }
        holder.rollback().await.unwrap();
        rate(*locked).await.unwrap();
    }
    assert_eq!(site.posts_with_wrong_totals().await, [0; 0]);
}

#[actix_web::test]
async fn locked_post_does_not_delay_other_posts() {
    let site = TestSite::start_with(&[("RATING_LIMITER", "off")], 1).await;
    let ann = site.user("ann").await;
    let (locked_post, other_post) = (ann.write("1", "t").await, ann.write("2", "t").await);
    let readers = site.many_users(3).await;
    let mut holder = site.pool.begin().await.unwrap();
    let hold = sqlx::query("select from rating_totals where blog_id = $1 for update").bind(locked_post);
    hold.execute(&mut *holder).await.unwrap();
    let first = tokio::spawn(rate(&readers[0], locked_post, 3));
    site.wait_for_blocked_statement().await;
    let second = tokio::spawn(rate(&readers[1], locked_post, 4));
    readers[2].rate(other_post, 5).await.expect(201);
    assert!(!second.is_finished());
    readers[2].change_rating(other_post, 1).await.expect(200);
    holder.rollback().await.unwrap();
    // On a slow machine the two ratings may time out with 503. A rating is counted if and only if its status is 201.
    let outcomes = [first.await.unwrap(), second.await.unwrap()];
    assert!(outcomes.iter().all(|status| [201, 503].contains(status)), "{outcomes:?}");
    let counted = outcomes.iter().filter(|status| **status == 201).count();
    assert_eq!(
        (site.count("rates").await, site.posts_with_wrong_totals().await),
        (1 + i64::try_from(counted).unwrap(), Vec::new())
    );
}

#[actix_web::test]
async fn post_can_be_deleted_while_it_is_rated() {
    let site = TestSite::start().await;
    let ann = site.user("ann").await;
    let post = ann.write("T", "t").await;
    site.many_users(1).await[0].rate(post, 4).await.expect(201);
    // Locks rows in the order of the rating writer: totals first, then ratings.
    let mut writer = site.pool.begin().await.unwrap();
    sqlx::query("select from rating_totals for no key update").execute(&mut *writer).await.unwrap();
    let deletion = tokio::spawn({
        let mo = site.staff("mo", "moderator").await;
        async move { mo.post(&format!("/blogs/{post}/delete/"), &json!({})).await.status }
    });
    site.wait_for_blocked_statement().await;
    sqlx::query("update rates set updated_at = 'epoch'").execute(&mut *writer).await.unwrap();
    commit(writer).await.unwrap();
    assert_eq!(deletion.await.unwrap(), 204);
    assert_eq!(site.count("blog_posts").await, 0);
    assert_eq!((site.count("rating_totals").await, site.count("rates").await), (0, 0));
}

fn rate(reader: &Actor, post: i64, stars: i64) -> impl Future<Output = u16> + use<> {
    let reader = reader.clone();
    async move { reader.rate(post, stars).await.status.as_u16() }
}

#[actix_web::test]
async fn client_that_disconnects_breaks_nothing() {
    let site = TestSite::start_with(&[("RATING_LIMITER", "off")], 1).await;
    let (post, crowd) = (site.post("ann").await, site.many_users(40).await);
    let hasty = crowd.iter().enumerate().map(|(number, reader)| async move {
        let patience = std::time::Duration::from_micros(200 * u64::try_from(number).unwrap());
        let _ = tokio::time::timeout(patience, reader.rate(post, 5)).await;
    });
    join_all(hasty).await;
    // Users who disconnected early retry. The status is 409 if the first attempt was stored.
    for reader in &crowd {
        let status = reader.rate(post, 5).await.status.as_u16();
        assert!([201, 409].contains(&status), "{status}");
    }
    assert_eq!((site.count("rates").await, site.posts_with_wrong_totals().await), (40, Vec::new()));
}
