//! Maintenance commands: migrations, expired sessions, and the recount of ratings on a running site.

use chrono::TimeDelta;
use serde_json::json;
use sqlx::{AssertSqlSafe, PgPool};

use crate::support::{DatabaseLease, Program, TestSite, reachable_tempdir};

fn program(dir: &tempfile::TempDir, url: &str) -> Program {
    Program::new(dir.path()).with("DATABASE_URL", url).with("RUST_LOG", "warn")
}

#[actix_web::test]
async fn lists_applied_and_pending_migrations() {
    let (dir, lease) = (reachable_tempdir(), DatabaseLease::fresh().await);
    let pool = PgPool::connect_lazy_with(lease.options.clone());
    sqlx::raw_sql("drop schema public cascade; create schema public").execute(&pool).await.unwrap();
    let program = program(&dir, &lease.url);
    let (succeeded, shown) = program.run(&["showmigrations"]);
    assert!(succeeded && shown.starts_with("[ ] 0001_users\n") && !shown.contains("[X]"), "{shown}");
    evenkeel::db::MIGRATOR.run_to(8, &pool).await.unwrap();
    let (_, shown) = program.run(&["showmigrations"]);
    assert!(shown.contains("[X] 0008_safe_browsing\n[ ] 0009_mail\n"), "{shown}");
    for command in [&["limiter"][..], &["links"], &["replay", "--database"], &["check_ratings"]] {
        let (succeeded, output) = program.run(command);
        assert!(
            !succeeded && output.contains("the database has pending migrations; run `evenkeel migrate`"),
            "{output}"
        );
    }
    let (succeeded, planned) = program.run(&["migrate", "--plan"]);
    let pending = shown.lines().filter(|line| line.starts_with("[ ]")).count();
    assert!(
        succeeded
            && planned.starts_with(&format!("{pending} migrations would be applied:\n0009_mail: Outgoing mail.\n")),
        "{planned}"
    );
    let (succeeded, output) = program.run(&["migrate", "--check"]);
    assert!(!succeeded && output.contains("run `evenkeel migrate` to apply them"), "{output}");
    assert_eq!(program.run(&["showmigrations"]).1, shown, "`migrate --check` applied migrations");
    assert!(program.run(&["migrate"]).0);
    assert!(!program.run(&["showmigrations"]).1.contains("[ ]"));
    assert_eq!(program.run(&["migrate", "--check"]), (true, "No pending migrations.\n".to_owned()));
    // A newer version of the program has applied migration 9999.
    let newer = "insert into _sqlx_migrations (version, description, success, checksum, execution_time)
        values (9999, 'from later', true, '', 0)";
    sqlx::query(newer).execute(&pool).await.unwrap();
    let (_, shown) = program.run(&["showmigrations"]);
    assert!(shown.ends_with("[X] 9999_from_later (applied by a newer version of Evenkeel)\n"), "{shown}");
}

#[test]
fn import_without_changes_creates_no_database() {
    let (data, posts) = (reachable_tempdir(), reachable_tempdir());
    let program = Program::new(data.path());
    let posts = posts.path().to_str().unwrap();
    let (succeeded, output) = program.run(&["import", posts, "--author", "ann", "--dry-run"]);
    assert!(!succeeded && output.contains("there is no database in"), "{output}");
    assert!(!data.path().join("data/postgres").exists());
}

#[actix_web::test]
async fn commands_have_no_time_limits() {
    let (dir, lease) = (reachable_tempdir(), DatabaseLease::fresh().await);
    let pool = PgPool::connect_lazy_with(lease.options.clone());
    let name = lease.options.get_database().unwrap();
    let limit =
        format!("drop schema public cascade; create schema public; alter database {name} set statement_timeout = 1");
    sqlx::raw_sql(AssertSqlSafe(limit)).execute(&pool).await.unwrap();
    let program = program(&dir, &lease.url);
    for command in ["migrate", "check_ratings"] {
        let (succeeded, output) = program.run(&[command]);
        assert!(succeeded, "{command}: {output}");
    }
}

#[actix_web::test]
async fn staff_pause_and_unpause_users_by_command() {
    let site = TestSite::start_with(&[("RATING_LIMITER", "off")], 1).await;
    let (paused_post, other_post) = (site.post("ann").await, site.post("cy").await);
    let ben = site.user("ben").await;
    let dir = reachable_tempdir();
    let program = program(&dir, &site.lease.url);
    let run = |arguments: &[&str]| program.run(arguments);
    let post = paused_post.to_string();
    let pause = ["pause", "ben", &post, "--reason", "a test"];
    let dry_run = run(&[&pause[..], &["--dry-run"]].concat());
    let pair = format!("ben: post {post} (A post)\n");
    assert_eq!(dry_run, (true, format!("{pair}Dry run: 1 pair of user and post would be paused.\n")));
    assert_eq!(run(&pause), (true, format!("{pair}1 pair of user and post paused.\n")));
    let skipped = format!(
        "{pair}0 pairs of user and post paused; 1 skipped: already paused, unpaused less than 14 days \
        ago (use --force), or deleted.\n"
    );
    assert_eq!(run(&pause), (true, skipped));
    // The running site refuses the next attempt. The link in the response lifts the pause.
    let refused = ben.rate(paused_post, 3).await.expect_problem(429, "paused").json();
    let link = refused["unpause_url"].as_str().unwrap()["http://127.0.0.1:8000".len()..].to_owned();
    ben.rate(other_post, 4).await.expect(201);
    ben.post(&link, &json!({})).await.expect(200);
    ben.rate(paused_post, 3).await.expect(201);
    assert_eq!(run(&[&pause[..], &["--force"]].concat()), (true, format!("{pair}1 pair of user and post paused.\n")));
    let unpaused = format!("{pair}1 pair of user and post unpaused.\n");
    assert_eq!(run(&["unpause", "ben", &post, "--reason", "fixed"]), (true, unpaused));
    let ada = site.staff("ada", "admin").await;
    ada.page("/admin/log/?act=pause.set").await.expect(200).expect_text("a test").expect_text("ben");
    let (succeeded, output) = program.with("ZOMBIE_PAUSE", "off").run(&pause);
    assert!(!succeeded && output.contains("pauses have no effect, because ZOMBIE_PAUSE is off"), "{output}");
}

/// Without a post, a command pauses a user for all posts with failed attempts.
#[actix_web::test]
async fn users_of_a_file_are_paused() {
    let site = TestSite::start_with(&[("RATING_LIMITER", "off")], 1).await;
    let (first, second) = (site.post("ann").await, site.post("cy").await);
    let (ben, eve) = (site.user("ben").await, site.user("eve").await);
    let dir = reachable_tempdir();
    let program = program(&dir, &site.lease.url);
    let run = |arguments: &[&str]| program.run(arguments);
    ben.rate(first, 3).await.expect(201);
    eve.rate(second, 1).await.expect(201);
    eve.rate(second, 1).await.expect_problem(409, "already_rated");
    // The clock of the command is the clock of the database, which is ahead of the clock of the test.
    let recent = "update zombie_pauses set tat_ns = extract(epoch from now() + interval '1 day') * 1000000000
        where paused_at is null";
    sqlx::query(recent).execute(&site.pool).await.unwrap();
    let list = dir.path().join("users.txt");
    std::fs::write(&list, format!("# broken clients\neve\n\nben {first}\n")).unwrap();
    let pause = ["pause", "--file", list.to_str().unwrap(), "--reason", "a test"];
    let (succeeded, output) = run(&[&pause[..], &["--dry-run"]].concat());
    assert!(succeeded && output.ends_with("2 pairs of user and post would be paused.\n"), "{output}");
    let (succeeded, output) = run(&[&pause[..], &["--force"]].concat());
    assert!(succeeded && output.ends_with("2 pairs of user and post paused.\n"), "{output}");
    eve.rate(second, 1).await.expect_problem(429, "paused");
    ben.rate(first, 4).await.expect_problem(429, "paused");
    let unpaused = format!("eve: post {second} (A post)\n1 pair of user and post unpaused.\n");
    assert_eq!(run(&["unpause", "eve", "--reason", "fixed"]), (true, unpaused));
    site.advance_clock(TimeDelta::seconds(5));
    eve.rate(second, 1).await.expect_problem(409, "already_rated");
    // An invalid line is reported, and the other lines are applied.
    std::fs::write(&list, format!("nobody\nann {first}\nann x\n")).unwrap();
    let (succeeded, output) = run(&pause);
    let problems = ["line 1: no user named \"nobody\"", "line 3: \"x\" is not the id"];
    assert!(!succeeded && problems.iter().all(|problem| output.contains(problem)), "{output}");
    assert!(output.contains("1 pair of user and post paused.\n"), "{output}");
    assert!(output.ends_with("lines that were not applied: 2\n"), "{output}");
    assert!(run(&["unpause", "ann", &first.to_string(), "--reason", "x"]).0);
}

#[actix_web::test]
async fn rejects_invalid_pauses() {
    let site = TestSite::start().await;
    let post = site.post("ann").await.to_string();
    let dir = reachable_tempdir();
    let program = program(&dir, &site.lease.url);
    let list = dir.path().join("users.txt");
    std::fs::write(&list, "ann x\n").unwrap();
    let file = list.to_str().unwrap();
    for (arguments, error) in [
        (&["pause", "nobody", "--reason", "x"][..], "no user named \"nobody\""),
        (&["pause", "ann", "999", "--reason", "x"], "post 999 does not exist"),
        (&["pause", "ann", "--reason", "x"], "ann: no failed attempts are recorded"),
        (&["unpause", "ann", "--reason", "x"], "ann: no ratings are paused"),
        (&["pause", "ann", &post], "--reason"),
        (&["pause", "--reason", "x"], "USER"),
        (&["pause", "--file", file, "--reason", "x"], "line 1: \"x\" is not the id of a post"),
        (&["pause", "--file", "missing", "--reason", "x"], "cannot read missing"),
    ] {
        let (succeeded, output) = program.run(arguments);
        assert!(!succeeded && output.contains(error), "{output}");
    }
}

#[actix_web::test]
async fn limiter_overrides_are_set_shown_and_undone() {
    let site = TestSite::start_with(&[("RATING_LIMITER", "off")], 1).await;
    let (post, crowd) = (site.post("ann").await, site.many_users(3).await);
    let dir = reachable_tempdir();
    let program = program(&dir, &site.lease.url).with("RATING_LIMITER", "off");
    let run = |arguments: &[&str]| program.run(arguments);
    let default = (true, "Rating limiter of the site: off (from RATING_LIMITER)\n".to_owned());
    assert_eq!(run(&["limiter"]), default);
    let parameters = ["--param", "capacity=1", "--param", "leak_amount=1", "--param", "leak_period_ms=1000000"];
    let set = [&["limiter", "set", "leaky_bucket", "--reason", "a test"][..], &parameters].concat();
    let (succeeded, shown) = run(&set);
    let start = "Rating limiter of the site: leaky_bucket (capacity=1, leak_amount=1, leak_period_ms=1000000), set on ";
    let end = ", reason: a test; it overrides RATING_LIMITER (off)\n";
    assert!(succeeded && shown.starts_with(start) && shown.ends_with(end), "{shown}");
    // The running site uses the new limiter.
    crowd[0].rate(post, 4).await.expect(201);
    crowd[1].rate(post, 4).await.expect_problem(429, "post_rate_limited");
    let (succeeded, report) = run(&["check"]);
    assert!(succeeded && report.contains(start), "{report}");
    let (succeeded, output) = run(&["limiter", "set", "off", "--post", &post.to_string(), "--reason", "contest"]);
    assert!(succeeded && output.ends_with(&format!("post {post} (A post): off, reason: contest\n")), "{output}");
    crowd[1].rate(post, 4).await.expect(201);
    assert!(run(&["limiter", "undo", "--post", &post.to_string()]).0);
    crowd[2].rate(post, 4).await.expect(429);
    assert_eq!(run(&["limiter", "undo"]), default);
    crowd[2].rate(post, 4).await.expect(201);
    let ada = site.staff("ada", "admin").await;
    ada.page("/admin/log/?act=limiter.choose").await.expect(200).expect_text("a test");
}

#[actix_web::test]
async fn rejects_invalid_limiter_overrides() {
    let site = TestSite::start().await;
    let dir = reachable_tempdir();
    let program = program(&dir, &site.lease.url).with("RATING_LIMITER", "off");
    let run = |arguments: &[&str]| program.run(arguments);
    for (arguments, error) in [
        (&["limiter", "undo"][..], "there is no limiter override to undo"),
        (&["limiter", "undo", "--post", "7"], "there is no limiter override to undo"),
        (&["limiter", "set", "off", "--post", "7", "--reason", "x"], "post 7 does not exist or is not published"),
        (
            &["limiter", "set", "sieve", "--reason", "x"],
            "use default, leaky_bucket, ema, ema_original, rate_class, surge or off, or the pair leaky_bucket,ema or",
        ),
        (
            &["limiter", "set", "surge", "--param", "floor=-1", "--reason", "x"],
            "floor: This value isn’t allowed for “Always",
        ),
        (
            &["limiter", "set", "surge", "--param", "flor=1", "--reason", "x"],
            "surge has no parameter flor; its parameters are ",
        ),
        (&["limiter", "set", "off", "--param", "floor=1", "--reason", "x"], "off has no parameters"),
        (&["limiter", "set", "surge", "--reason", " "], "--reason: "),
        (&["limiter", "set", "surge"], "--reason"),
    ] {
        let (succeeded, output) = run(arguments);
        assert!(!succeeded && output.contains(error), "{arguments:?}: {output}");
    }
    let default = "Rating limiter of the site: off (from RATING_LIMITER)\n";
    assert_eq!(run(&["limiter"]), (true, default.to_owned()));
}

#[actix_web::test]
async fn deletes_only_expired_sessions() {
    let (dir, lease) = (reachable_tempdir(), DatabaseLease::take().await);
    let pool = PgPool::connect_lazy_with(lease.options.clone());
    let fill = "insert into users (username, username_key, email, password_hash, created_at)
            values ('ann', 'ann', 'a@example.org', '!', now());
        insert into sessions (token_hash, user_id, state, created_at, seen_at, expires_at)
        select sha256(n::text::bytea), u.id, '{}', now(), now() - case when n = 1 then interval '15 days' else interval '0' end,
            now() + case when n = 2 then interval '-1 second' else interval '1 day' end
        from users u, generate_series(1, 5) n";
    sqlx::raw_sql(fill).execute(&pool).await.unwrap();
    let program = program(&dir, &lease.url);
    assert_eq!(program.run(&["clearsessions"]), (true, "Deleted 2 expired sessions.\n".to_owned()));
    assert_eq!(program.run(&["clearsessions"]), (true, "No expired sessions.\n".to_owned()));
    let count: i64 = sqlx::query_scalar("select count(*) from sessions").fetch_one(&pool).await.unwrap();
    assert_eq!(count, 3);
}

/// Makes the stored totals of three posts incorrect, as manual changes to the tables could.
async fn corrupt_totals(site: &TestSite, posts: &[i64]) {
    for (post, change) in posts.iter().zip([
        "update rating_totals set stars_5 = stars_5 + 3, stars_1 = 0 where blog_id = $1",
        "delete from score_days where blog_id = $1 and day = (select max(day) from score_days)",
        "update rating_totals set steady.usual = 0 where blog_id = $1",
    ]) {
        sqlx::query(AssertSqlSafe(change)).bind(post).execute(&site.pool).await.unwrap();
    }
}

#[actix_web::test]
async fn recounts_ratings_and_fixes_incorrect_totals() {
    let site = TestSite::start_with(&[("RATING_LIMITER", "off")], 1).await;
    let (dir, mo) = (reachable_tempdir(), site.staff("mo", "moderator").await);
    let mut posts = Vec::new();
    for name in ["ann", "bob", "cid", "dan"] {
        posts.push(site.post(name).await);
    }
    let readers = site.many_users(32).await;
    for (number, reader) in readers[..12].iter().enumerate() {
        for post in &posts {
            reader.rate(*post, 1 + i64::try_from(number).unwrap() % 5).await.expect(201);
        }
        site.advance_clock(TimeDelta::days(i64::from(number % 3 == 2)));
    }
    let exclusion = json!({ "from": "2026-01-02", "to": "2026-01-02", "reason": "Bought" });
    mo.post(&format!("/blogs/{}/ratings/exclude/", posts[1]), &exclusion).await.expect(201);
    let program = program(&dir, &site.lease.url);
    let correct = "Checked 4 posts with 48 ratings.\nAll rating totals and scores are correct.\n";
    assert_eq!(program.run(&["check_ratings"]), (true, correct.to_owned()));
    let before = stored_totals(&site).await;
    corrupt_totals(&site, &posts).await;
    expect_three_incorrect_posts(&program, &posts);
    let (succeeded, output) = program.run(&["check_ratings", "--fix"]);
    assert!(succeeded && output.ends_with("posts with incorrect values: 3.\n"), "{output}");
    assert_eq!(stored_totals(&site).await, before, "the excluded day is included");
    corrupt_totals(&site, &posts).await;
    let fixing = tokio::task::spawn_blocking(move || program.run(&["check_ratings", "--fix"]));
    for reader in &readers[12..] {
        for post in &posts {
            reader.rate(*post, 5).await.expect(201);
        }
    }
    let (succeeded, output) = fixing.await.unwrap();
    assert!(succeeded, "{output}");
    assert_eq!((site.posts_with_wrong_totals().await, site.count("rates").await), (vec![], 48 + 80));
}

#[track_caller]
fn expect_three_incorrect_posts(program: &Program, posts: &[i64]) {
    let (succeeded, output) = program.run(&["check_ratings"]);
    let end = "scores: 3; run `evenkeel check_ratings --fix` to recompute them\n";
    assert!(!succeeded && output.ends_with(end), "{output}");
    let stored = format!("Post {}: the stored totals show 12 ratings with an average of ", posts[0]);
    let actual = ", but the post has 12 ratings with an average of 2.75";
    assert!(output.contains(&stored) && output.contains(actual), "{output}");
    assert!(output.contains(&format!("Post {}: the stored steady score differs", posts[1])), "{output}");
    assert!(!output.contains(&format!("Post {}:", posts[3])), "{output}");
}

/// Stored totals, scores and ratings by day of every post.
async fn stored_totals(site: &TestSite) -> Vec<String> {
    let totals =
        "select concat_ws(' ', blog_id, stars_1, stars_2, stars_3, stars_4, stars_5, round(steady_rating::numeric, 9),
            round(steady_weight::numeric, 9), 
            (select array_agg(d.* order by day) from score_days d where d.blog_id = t.blog_id))
        from rating_totals t order by blog_id";
    sqlx::query_scalar(totals).fetch_all(&site.pool).await.unwrap()
}

#[cfg(target_os = "linux")]
#[actix_web::test]
async fn commands_fail_if_their_output_cannot_be_written() {
    let (dir, lease) = (reachable_tempdir(), DatabaseLease::take().await);
    let program = Program::new(dir.path()).with("DATABASE_URL", &lease.url);
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let output = program.command(&["showmigrations"]).stdout(full).output().unwrap();
    assert!(!output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("cannot write to standard output"));
}
