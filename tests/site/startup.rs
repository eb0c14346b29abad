//! Slow start-up, failing log output and failing background tasks.

use std::os::fd::OwnedFd;
use std::process::Stdio;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use serde_json::json;
use sqlx::{AssertSqlSafe, ConnectOptions as _, PgPool};
use tokio::time::sleep;

use crate::faults::{Fault, Proxy};
use crate::support::{Actor, DatabaseLease, PASSWORD, Program, SECRET, reachable_tempdir};

fn program(dir: &tempfile::TempDir, url: &str) -> Program {
    Program::new(dir.path()).with("DATABASE_URL", url).with("SECRET_KEY", SECRET).with("DRAIN_SECONDS", "0")
}

/// Waits until the server responds, with any status.
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
async fn startup_page_is_served_until_the_database_is_available() {
    let (dir, lease) = (reachable_tempdir(), DatabaseLease::take().await);
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
    assert!(problem.json()["detail"].as_str().unwrap().contains("waiting for the database"));
    for path in ["/", "/readyz", "/users/me/", "/nowhere/"] {
        let page = guest.page(path).await.expect(503).expect_text("The site is starting");
        assert!(page.header("content-security-policy").starts_with("default-src 'none'"));
    }
    guest.page("/static/style.css").await.expect(200);
    guest.submit("/users/login/", &[("username", "a"), ("password", "b")]).await.expect(503);
    proxy.set(Fault::None);
    becomes_ready(&program).await;
    guest.page("/").await.expect(200);
    // The wait for the database ends after `DATABASE_WAIT_SECONDS`.
    proxy.set(Fault::Refuse);
    proxy.reset();
    let short = Program { ..self::program(&dir, &url) }.with("DATABASE_WAIT_SECONDS", "0");
    let (succeeded, output) = tokio::task::spawn_blocking(move || short.run(&[])).await.unwrap();
    assert!(!succeeded && output.contains("cannot connect to the database in DATABASE_URL"), "{output}");
}

#[actix_web::test]
async fn migration_waiting_for_a_lock_is_reported_and_completes() {
    let (dir, lease) = (reachable_tempdir(), DatabaseLease::fresh().await);
    let pool = PgPool::connect_lazy_with(lease.options.clone());
    sqlx::raw_sql("drop schema public cascade; create schema public").execute(&pool).await.unwrap();
    evenkeel::db::MIGRATOR.run_to(1, &pool).await.unwrap();
    let mut holder = pool.begin().await.unwrap();
    sqlx::query("lock table users in row exclusive mode").execute(&mut *holder).await.unwrap();
    let program = program(&dir, &lease.url);
    let _running = program.spawn();
    says(&program, "migration is waiting for a lock").await;
    let guest = answers(&program).await;
    guest.page("/").await.expect(503).expect_text("waiting for a database lock");
    holder.rollback().await.unwrap();
    becomes_ready(&program).await;
}

#[actix_web::test]
async fn interrupted_index_creation_is_repeated() {
    let (dir, lease) = (reachable_tempdir(), DatabaseLease::fresh().await);
    let pool = PgPool::connect_lazy_with(lease.options.clone());
    let is_valid = async || {
        let valid = "select indisvalid from pg_index where indexrelid = to_regclass('rating_totals_steady_top')";
        sqlx::query_scalar::<_, bool>(valid).fetch_optional(&pool).await.unwrap()
    };
    // Creating an index concurrently waits for older transactions, here for longer than the lock timeout.
    let mut reader = pool.begin().await.unwrap();
    sqlx::query("lock table rating_totals in row exclusive mode").execute(&mut *reader).await.unwrap();
    let mut builder = pool.acquire().await.unwrap();
    for statement in [
        "set lock_timeout = '1ms'",
        "drop index if exists rating_totals_steady_top",
        "create index concurrently rating_totals_steady_top on rating_totals (blog_id)",
    ] {
        let _ = sqlx::query(statement).execute(&mut *builder).await;
    }
    builder.close().await.unwrap();
    reader.rollback().await.unwrap();
    assert_eq!(is_valid().await, Some(false));
    program(&dir, &lease.url).start().await.signal(Signal::SIGTERM);
    assert_eq!(is_valid().await, Some(true));
}

#[actix_web::test]
async fn only_the_displayed_score_has_a_list_index() {
    let (dir, lease) = (reachable_tempdir(), DatabaseLease::fresh().await);
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
    // An interrupted `create index concurrently` leaves an invalid index.
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

/// Starts a site with the given standard output and standard error, sends requests to the site, and stops it.
async fn use_with_log(stdout: Stdio, stderr: Stdio) {
    let (dir, lease) = (reachable_tempdir(), DatabaseLease::take().await);
    let program = program(&dir, &lease.url).with("RUST_LOG", "debug");
    let mut command = program.command(&[]);
    let mut child = command.stdout(stdout).stderr(stderr).spawn().unwrap();
    let pid = nix::unistd::Pid::from_raw(child.id().try_into().unwrap());
    becomes_ready(&program).await;
    let ann = Actor::new(program.address);
    let body = json!({ "username": "ann", "email": "a@example.com", "password": PASSWORD });
    ann.post("/users/register/", &body).await.expect(201);
    let post = ann.write("T", "t").await;
    // The requests log more lines than the pipe and the queue of the log hold.
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
async fn full_log_disk_does_not_affect_requests() {
    let full = || Stdio::from(std::fs::File::options().write(true).open("/dev/full").unwrap());
    use_with_log(full(), full()).await;
}

#[actix_web::test]
async fn closed_log_pipe_does_not_affect_requests() {
    let closed = || {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        Stdio::from(OwnedFd::from(writer))
    };
    use_with_log(closed(), closed()).await;
}

#[actix_web::test]
async fn blocked_log_pipe_does_not_affect_requests() {
    let (_out, out) = std::io::pipe().unwrap();
    let (_err, err) = std::io::pipe().unwrap();
    use_with_log(OwnedFd::from(out).into(), OwnedFd::from(err).into()).await;
}

#[actix_web::test]
async fn database_role_without_create_privilege_can_serve() {
    let (dir, lease) = (reachable_tempdir(), DatabaseLease::fresh().await);
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
async fn failing_background_task_is_reported_until_it_recovers() {
    let (dir, lease) = (reachable_tempdir(), DatabaseLease::take().await);
    let metrics = Program::new(dir.path()).address;
    let program = program(&dir, &lease.url).with("RATE_CLASSES", "on").with("METRICS_BIND", &metrics.to_string());
    let running = program.start().await;
    let (guest, monitoring) = (Actor::new(program.address), Actor::new(metrics));
    let pool = sqlx::PgPool::connect_lazy_with(lease.options.clone());
    // The value `infinity` is never written by the site, and decoding it panics.
    let broken = "insert into limiter_states (limiter, key, state, updated_at, expires_at, shared_at)
        values ('rate_class', 'browse:user:7', '{}', now(), 'infinity', 'infinity')";
    sqlx::query(broken).execute(&pool).await.unwrap();
    says(&program, "background task failed; restarting").await;
    let patience = Instant::now() + Duration::from_mins(5);
    while guest.is_site_ready().await {
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

#[actix_web::test]
async fn databases_in_other_encodings_are_refused() {
    let (dir, lease) = (reachable_tempdir(), DatabaseLease::take().await);
    let mut connection = lease.options.connect().await.unwrap();
    let name = format!("ascii_{}", std::process::id());
    let create = format!("create database {name} encoding 'SQL_ASCII' locale 'C' template template0");
    sqlx::raw_sql(AssertSqlSafe(create)).execute(&mut connection).await.unwrap();
    let url = lease.url.replace(&format!("/{}?", lease.options.get_database().unwrap()), &format!("/{name}?"));
    for command in ["migrate", "check"] {
        let (is_done, text) = program(&dir, &url).run(&[command]);
        assert!(!is_done && text.contains("encoding SQL_ASCII, but UTF8 is required"), "{text}");
    }
    sqlx::raw_sql(AssertSqlSafe(format!("drop database {name}"))).execute(&mut connection).await.unwrap();
}
