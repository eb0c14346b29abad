//! A start that takes long, a log that cannot be written, and what a site without one of its tasks does.

use std::os::fd::OwnedFd;
use std::process::Stdio;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use serde_json::json;
use sqlx::PgPool;
use tokio::time::sleep;

use crate::faults::{Fault, Proxy};
use crate::support::{Actor, Lease, PASSWORD, Program, SECRET, folder};

fn program(dir: &tempfile::TempDir, url: &str) -> Program {
    Program::new(dir.path()).with("DATABASE_URL", url).with("SECRET_KEY", SECRET).with("DRAIN_SECONDS", "0")
}

/// Asks until the program answers at all.
async fn answers(program: &Program) -> Actor {
    let guest = Actor::new(program.address);
    let patience = Instant::now() + Duration::from_mins(5);
    while guest.attempt(guest.request("GET", "/healthz")).await.is_none() {
        assert!(Instant::now() < patience, "{}", program.read("err"));
        sleep(Duration::from_millis(10)).await;
    }
    guest
}

async fn becomes_ready(program: &Program) {
    let guest = Actor::new(program.address);
    let patience = Instant::now() + Duration::from_mins(5);
    while guest.attempt(guest.request("GET", "/readyz")).await.is_none_or(|answer| answer.status != 200) {
        assert!(Instant::now() < patience, "{}", program.read("err"));
        sleep(Duration::from_millis(20)).await;
    }
}

async fn says(program: &Program, text: &str) {
    let patience = Instant::now() + Duration::from_mins(5);
    while !program.read("err").contains(text) {
        assert!(Instant::now() < patience, "no {text:?} in {}", program.read("err"));
        sleep(Duration::from_millis(20)).await;
    }
}

#[actix_web::test]
async fn a_database_that_is_not_there_yet_is_waited_for_in_the_open() {
    let (dir, lease) = (folder(), Lease::take().await);
    let proxy = Proxy::start(&lease.options).await;
    proxy.set(Fault::Refuse);
    let url = format!(
        "postgres://{}@{}/{}",
        lease.options.get_username(),
        proxy.address,
        lease.options.get_database().unwrap()
    );
    let program = program(&dir, &url);
    let _running = program.spawn();
    let guest = answers(&program).await;
    says(&program, "waiting for the database").await;
    assert_eq!(guest.page("/healthz").await.expect(200).text, "alive\n");
    let problem = guest.get("/blogs/").await.expect_problem(503, "starting");
    assert_eq!(problem.retry_after(), 2);
    assert!(problem.json()["detail"].as_str().unwrap().contains("waiting for its database"));
    for path in ["/", "/readyz", "/users/me/", "/nowhere/"] {
        let page = guest.page(path).await.expect(503).expect_text("The site is starting");
        assert!(page.header("content-security-policy").starts_with("default-src 'none'"));
    }
    guest.page("/static/style.css").await.expect(200);
    guest.submit("/users/login/", &[("username", "a"), ("password", "b")]).await.expect(503);
    proxy.set(Fault::None);
    becomes_ready(&program).await;
    guest.page("/").await.expect(200);
    // One that does not come is not waited for without end.
    proxy.set(Fault::Refuse);
    proxy.reset();
    let short = Program { ..self::program(&dir, &url) }.with("DATABASE_WAIT_SECONDS", "0");
    let (done, text) = tokio::task::spawn_blocking(move || short.run(&[])).await.unwrap();
    assert!(!done && text.contains("the database of DATABASE_URL cannot be reached"), "{text}");
}

#[actix_web::test]
async fn a_migration_that_waits_for_a_lock_says_so_and_goes_on() {
    let (dir, lease) = (folder(), Lease::fresh().await);
    let pool = PgPool::connect_lazy_with(lease.options.clone());
    sqlx::raw_sql("drop schema public cascade; create schema public").execute(&pool).await.unwrap();
    evenkeel::database::MIGRATOR.run_to(5, &pool).await.unwrap();
    let mut holder = pool.begin().await.unwrap();
    sqlx::query("lock table blog_posts in access share mode").execute(&mut *holder).await.unwrap();
    let program = program(&dir, &lease.url);
    let _running = program.spawn();
    says(&program, "holds a lock that the update of the database needs").await;
    let guest = answers(&program).await;
    guest.page("/").await.expect(503).expect_text("It is waiting for a lock in the database");
    holder.rollback().await.unwrap();
    becomes_ready(&program).await;
}

#[actix_web::test]
async fn posts_from_before_are_filled_in_by_steps_that_go_on_where_a_killed_start_was() {
    let (dir, lease) = (folder(), Lease::fresh().await);
    let pool = PgPool::connect_lazy_with(lease.options.clone());
    sqlx::raw_sql("drop schema public cascade; create schema public").execute(&pool).await.unwrap();
    evenkeel::database::MIGRATOR.run_to(5, &pool).await.unwrap();
    let before = "insert into users (username, username_key, email, password_hash, created_at)
            select 'user' || n, 'user' || n, 'a@example.com', '!', 'epoch' from generate_series(1, 3) n;
        insert into blog_posts (author_id, title, content, created_at, updated_at, stars_4, stars_2)
            select 1, 'Title ' || n, 'needle' || n, timestamptz 'epoch' + make_interval(mins => n), 'epoch', 1, 1
            from generate_series(1, 2500) n;
        insert into rates (user_id, blog_id, rating, created_at, updated_at)
            select u, p, 6 - 2 * (u - 1), timestamptz '2026-01-01' + make_interval(hours => u), 'epoch'
            from generate_series(2, 3) u, generate_series(1, 2500) p";
    sqlx::raw_sql(before).execute(&pool).await.unwrap();
    // Killed in the middle of the second step: somebody holds one of its rows.
    evenkeel::database::MIGRATOR.run(&pool).await.unwrap();
    let mut holder = pool.begin().await.unwrap();
    let held = "insert into rating_history (blog_id, hour, rating_count, rating_sum)
        values (1500, '2026-01-01 02:00+00', 0, 0)";
    sqlx::query(held).execute(&mut *holder).await.unwrap();
    let program = program(&dir, &lease.url);
    let running = program.spawn();
    let reached = "select after from migration_steps where name = 'history of ratings'";
    let patience = Instant::now() + Duration::from_mins(5);
    while sqlx::query_scalar(reached).fetch_optional(&pool).await.unwrap() != Some(1_400_i64) {
        assert!(Instant::now() < patience, "{}", program.read("err"));
        sleep(Duration::from_millis(10)).await;
    }
    running.signal(Signal::SIGKILL);
    holder.rollback().await.unwrap();
    let _running = program.start().await;
    let wrong: i64 = sqlx::query_scalar(
        "select count(*) from blog_posts p where published_at <> created_at or published_at is null or (
            select count(*) = 2 and sum(admitted) = 2 and max(rating_count) = 2 and max(rating_sum) = 6
            from rating_history h where h.blog_id = p.id) is not true",
    )
    .fetch_one(&pool)
    .await
    .unwrap();
    assert_eq!(wrong, 0);
    let validated: bool =
        sqlx::query_scalar("select convalidated from pg_constraint where conname = 'published_has_time'")
            .fetch_one(&pool)
            .await
            .unwrap();
    assert!(validated);
    // In the background they are rendered and made to be found; until then they are there as they were.
    let guest = Actor::new(program.address);
    guest.page("/blogs/2500/title-2500/").await.expect(200).expect_text("needle2500");
    let patience = Instant::now() + Duration::from_mins(5);
    while guest.get("/blogs/?q=needle7").await.expect(200).json()["results"].as_array().unwrap().is_empty() {
        assert!(Instant::now() < patience);
        sleep(Duration::from_millis(50)).await;
    }
}

#[actix_web::test]
async fn a_database_that_the_older_migrations_made_is_taken_over() {
    let (dir, lease) = (folder(), Lease::fresh().await);
    let pool = PgPool::connect_lazy_with(lease.options.clone());
    sqlx::raw_sql("drop schema public cascade; create schema public").execute(&pool).await.unwrap();
    evenkeel::database::MIGRATOR.run_to(7, &pool).await.unwrap();
    // As they were: the text that is searched was a generated column.
    let older = "alter table blog_posts drop column search, drop constraint published_has_time;
        alter table blog_posts add column search tsvector not null generated always as (
            setweight(to_tsvector('english', search_fold(title)), 'A') || to_tsvector('english', search_fold(content))
        ) stored, add constraint published_has_time check ((status = 'published') = (published_at is not null));
        create index blog_posts_search on blog_posts using gin (search);
        update _sqlx_migrations set checksum = decode(
            '31b123729df74f7c8f8e0dc9f545f0cf32e4b61b9c0551039327fab665bf93c389bddff800608c2e2c4a5739f23b5a89',
            'hex') where version = 6;
        update _sqlx_migrations set checksum = decode(
            '7e0ce4af1333151a9dcdf013b224ec92860ba8fe53879560634aaa2e07dab84aa5fda23ae12db2c9d280eb4b0e21acd0',
            'hex') where version = 7;
        insert into users (username, username_key, email, password_hash, created_at)
            values ('ann', 'ann', 'a@example.com', '!', 'epoch');
        insert into blog_posts (author_id, title, content, created_at, updated_at, published_at, rendered_by)
            values (1, 'T', 'an old needle', 'epoch', 'epoch', 'epoch', 1)";
    sqlx::raw_sql(older).execute(&pool).await.unwrap();
    let program = program(&dir, &lease.url);
    let _running = program.start().await;
    let guest = Actor::new(program.address);
    assert_eq!(guest.get("/blogs/?q=needle").await.expect(200).json()["results"][0]["id"], 1);
    let body = json!({ "username": "ben", "email": "b@example.com", "password": PASSWORD });
    guest.post("/users/register/", &body).await.expect(201);
    guest.write("T", "a new needle").await;
    assert_eq!(guest.get("/blogs/?q=needle").await.json()["results"].as_array().unwrap().len(), 2);
}

#[actix_web::test]
async fn the_totals_of_ratings_are_exact_after_they_have_moved_to_a_table_of_their_own() {
    let (dir, lease) = (folder(), Lease::fresh().await);
    let pool = PgPool::connect_lazy_with(lease.options.clone());
    sqlx::raw_sql("drop schema public cascade; create schema public").execute(&pool).await.unwrap();
    evenkeel::database::MIGRATOR.run_to(8, &pool).await.unwrap();
    let before = "insert into users (username, username_key, email, password_hash, created_at)
            select 'user' || n, 'user' || n, 'a@example.com', '!', 'epoch' from generate_series(1, 40) n;
        insert into blog_posts (author_id, title, content, status, created_at, updated_at, published_at)
            select 1, 'Title ' || n, 'text', case when n % 10 = 0 then 'draft' else 'published' end, 'epoch', 'epoch',
                case when n % 10 > 0 then timestamptz 'epoch' end from generate_series(1, 300) n;
        insert into rates (user_id, blog_id, rating, created_at, updated_at)
            select u.id, p.id, 1 + (u.id * p.id) % 5, 'epoch', 'epoch' from users u, blog_posts p
            where p.status = 'published' and u.id > 1 and u.id % (p.id % 13 + 1) = 0;
        update blog_posts p set stars_1 = s1, stars_2 = s2, stars_3 = s3, stars_4 = s4, stars_5 = s5 from (
            select blog_id, count(*) filter (where rating = 1) s1, count(*) filter (where rating = 2) s2,
                count(*) filter (where rating = 3) s3, count(*) filter (where rating = 4) s4,
                count(*) filter (where rating = 5) s5 from rates group by 1) by where p.id = by.blog_id;
        insert into limiter_states (limiter, key, state, updated_at, expires_at) values
            ('rate_class', 'browse:user:7', '{}', '2026-01-01', 'infinity'), ('ema', 'post:1', '{}', 'epoch', 'infinity');
        create table before as select id, stars_1, stars_2, stars_3, stars_4, stars_5, rating_count, rating_sum,
            average_rating, top_score, status from blog_posts";
    sqlx::raw_sql(before).execute(&pool).await.unwrap();
    evenkeel::database::MIGRATOR.run_to(10, &pool).await.unwrap();
    let exact = "select count(*) from before b join rating_totals t on t.blog_id = b.id
        where (t.stars_1, t.stars_2, t.stars_3, t.stars_4, t.stars_5, t.rating_count, t.rating_sum, t.average_rating)
            = (b.stars_1, b.stars_2, b.stars_3, b.stars_4, b.stars_5, b.rating_count, b.rating_sum, b.average_rating)
            and abs(t.top_score - b.top_score) <= 0.005000001";
    // All that are published, those without a rating among them; and no draft.
    assert_eq!(sqlx::query_scalar::<_, i64>(exact).fetch_one(&pool).await.unwrap(), 270);
    let all = "select count(*) from rating_totals";
    assert_eq!(sqlx::query_scalar::<_, i64>(all).fetch_one(&pool).await.unwrap(), 270);
    let shared = "select key from limiter_states where shared_at is not null";
    assert_eq!(sqlx::query_scalar::<_, String>(shared).fetch_all(&pool).await.unwrap(), ["browse:user:7"]);
    let _running = program(&dir, &lease.url).start().await;
    let gates = "select gates::text from rating_totals where gates <> '{}'";
    assert_eq!(sqlx::query_scalar::<_, String>(gates).fetch_all(&pool).await.unwrap(), ["{\"ema\": {}}"]);
    let left = "select key from limiter_states";
    assert_eq!(sqlx::query_scalar::<_, String>(left).fetch_all(&pool).await.unwrap(), ["browse:user:7"]);
    let unchecked = "select count(*) from pg_constraint where not convalidated";
    assert_eq!(sqlx::query_scalar::<_, i64>(unchecked).fetch_one(&pool).await.unwrap(), 0);
    // A draft has its totals from the moment it is published; a post that is deleted takes them along.
    let later = "update blog_posts set status = 'published', published_at = 'epoch' where id = 10;
        delete from blog_posts where id = 11";
    sqlx::raw_sql(later).execute(&pool).await.unwrap();
    let there = "select array_agg(blog_id) from rating_totals where blog_id between 10 and 11";
    assert_eq!(sqlx::query_scalar::<_, Vec<i64>>(there).fetch_one(&pool).await.unwrap(), [10]);
}

#[actix_web::test]
async fn an_index_whose_building_was_broken_off_is_built_anew() {
    let (dir, lease) = (folder(), Lease::fresh().await);
    let pool = PgPool::connect_lazy_with(lease.options.clone());
    let valid = "select indisvalid from pg_index where indexrelid = to_regclass($1)";
    let is_valid =
        async |index: &str| sqlx::query_scalar::<_, bool>(valid).bind(index).fetch_optional(&pool).await.unwrap();
    // The migration before, the index that the next one builds, where it ends, and on which table.
    for (before, index, in_the_end, table, create) in [
        (
            8,
            "rates_by_pair",
            "unique_user_blog_rating",
            "rates",
            "unique index concurrently rates_by_pair on rates (id)",
        ),
        (40, "audit_log_words", "audit_log_words", "audit_log", "index concurrently audit_log_words on audit_log (id)"),
    ] {
        sqlx::raw_sql("drop schema public cascade; create schema public").execute(&pool).await.unwrap();
        evenkeel::database::MIGRATOR.run_to(before, &pool).await.unwrap();
        // Whoever had begun before it is waited for, and here for too long.
        let lock = format!("lock table {table} in row exclusive mode");
        let mut reader = pool.begin().await.unwrap();
        sqlx::query(sqlx::AssertSqlSafe(lock)).execute(&mut *reader).await.unwrap();
        let mut builder = pool.acquire().await.unwrap();
        for statement in ["set lock_timeout = '1ms'".to_owned(), format!("create {create}")] {
            let _ = sqlx::query(sqlx::AssertSqlSafe(statement)).execute(&mut *builder).await;
        }
        builder.close().await.unwrap();
        reader.rollback().await.unwrap();
        assert_eq!(is_valid(index).await, Some(false), "{index}");
        program(&dir, &lease.url).start().await.signal(Signal::SIGTERM);
        assert_eq!(is_valid(in_the_end).await, Some(true), "{index}");
    }
}

#[actix_web::test]
async fn lists_have_an_index_of_the_score_that_is_shown_and_ratings_do_not_pay_for_two() {
    let (dir, lease) = (folder(), Lease::fresh().await);
    let pool = PgPool::connect_lazy_with(lease.options.clone());
    let indexes = "select relname::text from pg_index join pg_class on oid = indexrelid
        where indrelid = 'rating_totals'::regclass and not indisprimary and indisvalid";
    let indexes = async || sqlx::query_scalar::<_, String>(indexes).fetch_all(&pool).await.unwrap();
    for (shown, index) in [
        ("steady", "rating_totals_steady_top"),
        ("average", "rating_totals_top"),
        ("steady", "rating_totals_steady_top"),
    ] {
        program(&dir, &lease.url).with("SCORE_SHOWN", shown).start().await.signal(Signal::SIGTERM);
        assert_eq!(indexes().await, [index]);
    }
    // One that was broken off is no index.
    let mut reader = pool.begin().await.unwrap();
    sqlx::query("lock table rating_totals in row exclusive mode").execute(&mut *reader).await.unwrap();
    let mut builder = pool.acquire().await.unwrap();
    for statement in [
        "set lock_timeout = '1ms'",
        "create index concurrently rating_totals_top on rating_totals (top_score, blog_id)",
    ] {
        let _ = sqlx::query(sqlx::AssertSqlSafe(statement)).execute(&mut *builder).await;
    }
    reader.rollback().await.unwrap();
    let _running = program(&dir, &lease.url).with("SCORE_SHOWN", "average").start().await;
    assert_eq!(indexes().await, ["rating_totals_top"]);
}

/// Runs a site whose standard output and error lead there, and uses it.
async fn use_with_log(stdout: Stdio, stderr: Stdio) {
    let (dir, lease) = (folder(), Lease::take().await);
    let program = program(&dir, &lease.url).with("RUST_LOG", "debug");
    let mut command = program.command(&[]);
    let mut child = command.stdout(stdout).stderr(stderr).spawn().unwrap();
    let pid = nix::unistd::Pid::from_raw(child.id().try_into().unwrap());
    becomes_ready(&program).await;
    let ann = Actor::new(program.address);
    let body = json!({ "username": "ann", "email": "a@example.com", "password": PASSWORD });
    ann.post("/users/register/", &body).await.expect(201);
    let post = ann.write("T", "t").await;
    // More lines than a pipe holds, or than wait for it.
    for _ in 0..400 {
        ann.page(&format!("/blogs/{post}/")).await.expect(200);
    }
    ann.rate(post, 5).await.expect_problem(403, "own_post");
    ann.page("/readyz").await.expect(200);
    kill(pid, Signal::SIGTERM).unwrap();
    let patience = Instant::now() + Duration::from_mins(5);
    while child.try_wait().unwrap().is_none() {
        if Instant::now() > patience {
            child.kill().unwrap();
            panic!("SIGTERM was not heard");
        }
        sleep(Duration::from_millis(20)).await;
    }
    assert!(child.wait().unwrap().success());
}

#[cfg(target_os = "linux")]
#[actix_web::test]
async fn a_log_on_a_full_disk_hurts_nobody() {
    let full = || Stdio::from(std::fs::File::options().write(true).open("/dev/full").unwrap());
    use_with_log(full(), full()).await;
}

#[actix_web::test]
async fn a_log_whose_reader_is_gone_hurts_nobody() {
    let closed = || {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        Stdio::from(OwnedFd::from(writer))
    };
    use_with_log(closed(), closed()).await;
}

#[actix_web::test]
async fn a_log_whose_reader_sleeps_hurts_nobody() {
    let (_out, out) = std::io::pipe().unwrap();
    let (_err, err) = std::io::pipe().unwrap();
    use_with_log(OwnedFd::from(out).into(), OwnedFd::from(err).into()).await;
}

#[actix_web::test]
async fn a_role_that_may_make_nothing_serves_what_was_migrated() {
    let (dir, lease) = (folder(), Lease::fresh().await);
    let program = Program::new(dir.path()).with("DATABASE_URL", &lease.url).with("SECRET_KEY", SECRET);
    assert!(program.run(&["migrate"]).0);
    let pool = PgPool::connect_lazy_with(lease.options.clone());
    let revoke = "revoke create on schema public from public, pg_database_owner, current_user";
    sqlx::raw_sql(revoke).execute(&pool).await.unwrap();
    sqlx::raw_sql("create table refused (id int)").execute(&pool).await.unwrap_err();
    let running = program.start().await;
    let (ann, bob) = (Actor::new(program.address), Actor::new(program.address));
    for (actor, name) in [(&ann, "ann"), (&bob, "bob")] {
        let body = json!({ "username": name, "email": "a@example.org", "password": PASSWORD });
        actor.post("/users/register/", &body).await.expect(201);
    }
    let post = ann.write("Herons", "stand").await;
    bob.rate(post, 4).await.expect(201);
    bob.page("/blogs/?order=top").await.expect(200).expect_text("Herons");
    drop(running);
    sqlx::raw_sql("grant create on schema public to current_user").execute(&pool).await.unwrap();
}

#[actix_web::test]
async fn a_failing_background_task_ends_nothing_and_is_reported_until_it_runs_again() {
    let (dir, lease) = (folder(), Lease::take().await);
    let metrics = Program::new(dir.path()).address;
    let program = program(&dir, &lease.url).with("RATE_CLASSES", "on").with("METRICS_BIND", &metrics.to_string());
    let running = program.start().await;
    let (guest, monitoring) = (Actor::new(program.address), Actor::new(metrics));
    let pool = sqlx::PgPool::connect_lazy_with(lease.options.clone());
    // A time that no version of the program writes: reading it panics.
    let broken = "insert into limiter_states (limiter, key, state, updated_at, expires_at, shared_at)
        values ('rate_class', 'browse:user:7', '{}', now(), 'infinity', 'infinity')";
    sqlx::query(broken).execute(&pool).await.unwrap();
    says(&program, "background task failed; restarting").await;
    let patience = Instant::now() + Duration::from_mins(5);
    while guest.is_told_ready().await {
        assert!(Instant::now() < patience, "{}", program.read("err"));
        sleep(Duration::from_millis(20)).await;
    }
    guest.page("/healthz").await.expect(200);
    guest.page("/blogs/").await.expect(200);
    let text = monitoring.get("/metrics").await.expect(200).text;
    let failed = "evenkeel_background_task_failures_total{task=\"share_rate_classes\"} ";
    assert!(text.contains(failed) && !text.contains(&format!("{failed}0")), "{text}");
    assert!(text.contains("evenkeel_background_task_failures_total{task=\"check_links\"} 0"), "{text}");
    sqlx::query("delete from limiter_states where shared_at = 'infinity'").execute(&pool).await.unwrap();
    becomes_ready(&program).await;
    assert!(running.signal(Signal::SIGTERM).success());
}
