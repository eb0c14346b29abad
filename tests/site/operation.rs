//! Operation of a site: settings, startup, crashes, shutdown.

use std::collections::BTreeMap;
use std::net::TcpListener;
use std::path::Path;
use std::time::{Duration, Instant};

use evenkeel::cli::seed_demo::seed;
use evenkeel::config::Env;
use evenkeel::server::Settings;
use evenkeel_limiters::AnyLimiter;
use std::os::unix::fs::PermissionsExt as _;

use nix::sys::signal::{Signal, kill};
use serde_json::json;
use sqlx::PgConnection;

use crate::support::{
    Actor, DatabaseLease, PASSWORD, Program, TestSite, postmaster_pid, reachable_tempdir, wait_for_exit,
};

#[test]
fn env_example_lists_every_setting_with_its_default() {
    let empty = Env::default();
    let default = Settings::from_env(&empty).unwrap();
    let mut sample = BTreeMap::new();
    for line in include_str!("../../.env.sample").lines().filter(|line| !line.starts_with("# ")) {
        let Some((name, value)) = line.trim_start_matches('#').split_once('=') else { continue };
        assert!(empty.accessed_variable_names().iter().any(|read| read == name), "nobody reads {name}");
        assert!(sample.insert(name, value).is_none(), "{name} twice");
    }
    for name in empty.accessed_variable_names() {
        assert!(sample.contains_key(name.as_str()), "the sample lacks {name}");
    }
    let sampled = Settings::from_env(&sample.into_iter().collect()).unwrap();
    assert_eq!(format!("{sampled:?}"), format!("{default:?}"));
    // Limiter parameters are documented only in `.env.sample`, so they are not required in
    // docs/reference/configuration.md.
    let is_parameter = |name: &str| {
        AnyLimiter::NAMES.iter().any(|limiter| name.starts_with(&format!("{}_", limiter.to_ascii_uppercase())))
    };
    let reference = include_str!("../../docs/reference/configuration.md");
    for name in empty.accessed_variable_names().iter().filter(|name| !is_parameter(name)) {
        assert!(reference.contains(&format!("`{name}`")), "docs/reference/configuration.md lacks {name}");
    }
}

#[actix_web::test]
async fn site_starts_without_configuration_and_keeps_its_data() {
    let dir = reachable_tempdir();
    let program = Program::new(dir.path());
    let site = program.start().await;
    let out = program.read("out");
    let mut lines = out.lines();
    assert_eq!(lines.next().unwrap(), format!("Evenkeel is running at http://{}", program.address));
    // The output is no terminal, so the link is in a file that only this user can read.
    let path = dir.path().join("data/owner-link.txt");
    assert!(lines.next().unwrap().ends_with("is in ./data/owner-link.txt"), "{out}");
    let link = std::fs::read_to_string(&path).unwrap();
    assert!(link.starts_with(&format!("http://{}/users/owner/?code=", program.address)), "{link}");
    assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    assert!(lines.next().unwrap().contains("seed_demo"), "{out}");

    let superuser = Program {
        variables: vec![
            ("EVENKEEL_SUPERUSER_USERNAME", "root".to_owned()),
            ("EVENKEEL_SUPERUSER_EMAIL", "root@example.com".to_owned()),
            ("EVENKEEL_SUPERUSER_PASSWORD", PASSWORD.to_owned()),
        ],
        ..Program::new(dir.path())
    };
    assert_eq!(
        superuser.run(&["createsuperuser", "--noinput"]),
        (true, "Created superuser root, who can edit and delete all posts.\n".to_owned())
    );
    let (succeeded, text) = superuser.run(&["createsuperuser", "--noinput"]);
    assert!(!succeeded && text.contains("This name is already taken"), "{text}");
    let (succeeded, text) = program.run(&["seed_demo"]);
    assert!(
        succeeded
            && text.contains("Created 45 demo posts with ")
            && text.contains("Sign in as demo with the password "),
        "{text}"
    );
    let (succeeded, text) = program.run(&["seed_demo"]);
    assert!(!succeeded && text.contains("--force"), "{text}");
    assert!(program.run(&["check"]).0);
    let (fit, text) = program.run(&["check", "--deploy"]);
    assert!(!fit && text.contains("PRODUCTION is not true"), "{text}");
    let nowhere = Program::new(dir.path())
        .with("IMAGE_STORE", "s3://pictures")
        .with("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
        .with("AWS_ACCESS_KEY_ID", "id")
        .with("AWS_SECRET_ACCESS_KEY", "canary-secret");
    let (fit, text) = nowhere.run(&["check"]);
    assert!(!fit && text.contains("images cannot be stored (IMAGE_STORE): ") && !text.contains("canary"), "{text}");

    let root = Actor::new(program.address);
    root.post("/users/login/", &json!({ "username": "root", "password": PASSWORD })).await.expect(200);
    root.rate(1, 5).await.expect(201);
    let stats = root.get("/rate/get_blog_rating/1/").await.expect(200).text;

    // After SIGKILL, the database server notices that its site is gone and stops.
    let server = postmaster_pid(&dir.path().join("data"));
    let pid_file = dir.path().join("data/postgres/postmaster.pid");
    let left_behind = std::fs::read_to_string(&pid_file).unwrap();
    site.signal(Signal::SIGKILL);
    wait_for_exit(server).await;
    // The PID file names a process that is alive but is not the database server, as after a container restart.
    let (_, rest) = left_behind.split_once('\n').unwrap();
    std::fs::write(&pid_file, format!("{}\n{rest}", std::process::id())).unwrap();
    let site = program.start().await;
    // A command finds the database server although its `TMPDIR` differs.
    let other_dir = reachable_tempdir();
    let (succeeded, text) = Program::new(dir.path()).with("TMPDIR", other_dir.path().to_str().unwrap()).run(&["check"]);
    assert!(succeeded, "{text}");
    assert_eq!(root.get("/rate/get_blog_rating/1/").await.expect(200).text, stats);
    root.get("/users/me/").await.expect(200);

    // After the database server is killed under a running site, requests fail with 503 until the site restarts the
    // server.
    kill(postmaster_pid(&dir.path().join("data")), Signal::SIGKILL).unwrap();
    let patience = Instant::now() + Duration::from_mins(2);
    loop {
        let answer = root.get("/rate/get_blog_rating/1/").await;
        if answer.status == 200 {
            assert_eq!(answer.text, stats);
            break;
        }
        answer.expect_problem(503, "unavailable");
        assert!(Instant::now() < patience, "{}", program.read("err"));
        tokio::time::sleep(Duration::from_millis(20)).await;
    }

    let server = postmaster_pid(&dir.path().join("data"));
    assert!(site.signal(Signal::SIGTERM).success());
    wait_for_exit(server).await;
}

#[actix_web::test]
async fn demo_data_has_content_and_working_logins() {
    let site = TestSite::start().await;
    let hasher = &site.site().state.accounts.hasher;
    let mut connection = site.pool.acquire().await.unwrap();
    let images = &site.site().state.images.store;
    let settings = &site.site().state.all_settings.rate;
    let seed = async |connection: &mut PgConnection, force| {
        seed(connection, &site.clock, hasher, images, settings, force).await
    };
    let seeded = seed(&mut connection, false).await.unwrap();
    assert!(seeded.posts == 45 && seeded.ratings > 2_000, "{seeded:?}");
    assert!(seed(&mut connection, false).await.is_err());
    // The brigade has accounts of its own, so that a comparison of limiters does not replace honest ratings.
    let rated_twice = "select count(*) from refused_ratings join rates using (blog_id, user_id)";
    assert_eq!(sqlx::query_scalar::<_, i64>(rated_twice).fetch_one(&site.pool).await.unwrap(), 0);
    assert_eq!(site.count("images").await, 23);
    assert_eq!(site.posts_with_wrong_totals().await, [0; 0]);
    let login = json!({ "username": seeded.username, "password": seeded.password });
    let demo = site.guest();
    demo.post("/users/login/", &login).await.expect(200);
    let second = seed(&mut connection, true).await.unwrap();
    assert_eq!((second.posts, second.username.as_str(), site.count("blog_posts").await), (45, "demo2", 94));
    // The second demo uses the cover images of the first demo.
    assert_eq!(site.count("image_uses").await, 46);
    assert_eq!(site.posts_with_wrong_totals().await, [0; 0]);
    let uncounted = "select count(*) from rates left join rating_totals using (blog_id)
        where counted_on is null or steady_rating is null";
    assert_eq!(sqlx::query_scalar::<_, i64>(uncounted).fetch_one(&site.pool).await.unwrap(), 0);
    for path in ["/blogs/?order=top", "/users/maryam/", "/blogs/40/"] {
        demo.page(path).await.expect(200);
    }
}

#[actix_web::test]
async fn dashboard_of_a_running_site_agrees_with_itself_after_demo_data() {
    let site = TestSite::start().await;
    let state = &site.site().state;
    let mo = site.staff("mo", "moderator").await;
    mo.page("/blogs/").await.expect(200);
    state.hourly_stats.flush(&site.pool, &state.clock).await.unwrap();
    let mut connection = site.pool.acquire().await.unwrap();
    let (hasher, images, settings) = (&state.accounts.hasher, &state.images.store, &state.all_settings.rate);
    seed(&mut connection, &site.clock, hasher, images, settings, false).await.unwrap();
    let dashboard = mo.get("/admin/").await.expect(200).json();
    let hours = dashboard["hours"].as_array().unwrap();
    let blocked: i64 = hours.iter().map(|hour| hour["refused"].as_i64().unwrap()).sum();
    let most_refused = &dashboard["most_refused"][0];
    assert_eq!(most_refused["refused"], blocked);
    let path = format!("/blogs/{}/", most_refused["post"]);
    mo.page(&path).await.expect(200).expect_text("3,861 rating attempts have been blocked since then");
    mo.page("/admin/").await.expect(200).expect_text("3,861 rating attempts blocked in the last 24 hours.");
}

#[actix_web::test]
async fn concurrent_starts_migrate_an_empty_database_once() {
    let lease = DatabaseLease::take().await;
    let mut connection = sqlx::ConnectOptions::connect(&lease.options).await.unwrap();
    sqlx::raw_sql("drop schema public cascade; create schema public").execute(&mut connection).await.unwrap();
    let dir = reachable_tempdir();
    let programs: Vec<Program> = (0..8).map(|_| Program::new(dir.path()).with("DATABASE_URL", &lease.url)).collect();
    let running = futures_util::future::join_all(programs.iter().map(Program::start)).await;
    let applied: i64 = sqlx::query_scalar("select count(*) from _sqlx_migrations where success")
        .fetch_one(&mut connection)
        .await
        .unwrap();
    assert_eq!(usize::try_from(applied).unwrap(), evenkeel::db::MIGRATOR.iter().count());
    assert!(!dir.path().join("data/postgres").exists(), "a server of its own beside DATABASE_URL");
    drop(running);
}

#[test]
fn invalid_settings_are_reported_in_one_line() {
    let dir = reachable_tempdir();
    let run = |variables: &[(&'static str, &str)], arguments: &[&str]| {
        let program =
            variables.iter().fold(Program::new(dir.path()), |program, (name, value)| program.with(name, value));
        let (succeeded, text) = program.run(arguments);
        assert!(!succeeded, "{text}");
        text
    };
    assert_eq!(run(&[("EMA_ALPHA", "much")], &[]), "evenkeel: EMA_ALPHA is \"much\" but must be a number\n");
    assert_eq!(run(&[("DATABASE_URL", "mysql://x")], &[]), "evenkeel: DATABASE_URL must begin with postgres://\n");
    let secret = run(&[("DATABASE_URL", "postgres://a:hunter2@127.0.0.1:1/x")], &["check"]);
    assert!(
        secret.contains("cannot connect to the database in DATABASE_URL") && !secret.contains("hunter2"),
        "{secret}"
    );
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let busy = Program { address: listener.local_addr().unwrap(), ..Program::new(dir.path()) };
    let (succeeded, text) = busy.run(&[]);
    assert!(!succeeded && text.contains("cannot listen on") && text.contains("(BIND)"), "{text}");
    assert!(!dir.path().join("data").exists(), "something was made all the same");
    let bare = Program::new(dir.path()).with("PATH", "/nonexistent");
    let (succeeded, text) = bare.run(&["migrate"]);
    let installed_elsewhere = Path::new("/usr/lib/postgresql").exists();
    assert!(succeeded || text.contains("PostgreSQL is not installed") || installed_elsewhere, "{text}");
}

#[actix_web::test]
async fn demo_data_is_refused_in_production() {
    let (dir, lease) = (reachable_tempdir(), DatabaseLease::take().await);
    let program = Program::new(dir.path()).with("DATABASE_URL", &lease.url).with("PRODUCTION", "true");
    let program = program
        .with("RATE_CLASSES", "on")
        .with("SECRET_KEY", "q8Zr1fWm5Yt0KcXv7LsD3hPj9BnG2uEa")
        .with("ALLOWED_HOSTS", "example.com");
    let (succeeded, output) = program.with("PUBLIC_URL", "https://example.com").run(&["seed_demo"]);
    assert!(!succeeded && output.contains("PRODUCTION is true"), "{output}");
    let pool = sqlx::PgPool::connect_lazy_with(lease.options.clone());
    let users: i64 = sqlx::query_scalar("select count(*) from users").fetch_one(&pool).await.unwrap();
    assert_eq!(users, 0);
}

#[actix_web::test]
async fn unknown_settings_are_reported_with_a_suggestion() {
    let (dir, lease) = (reachable_tempdir(), DatabaseLease::take().await);
    std::fs::write(dir.path().join(".env"), "# mine\nHERONS=secret\n").unwrap();
    let program = Program::new(dir.path()).with("DATABASE_URL", &lease.url).with("RATING_LIMITTER", "surge");
    let program = program.with("SURGE_ZZ", "4").with("PUBLC_URL", "x").with("SESSION_MANAGER", "local");
    let (succeeded, output) = program.run(&["check"]);
    assert!(succeeded && output.contains("No problems found"), "{output}");
    for line in [
        "Warning: RATING_LIMITTER is not a setting; did you mean RATING_LIMITER?",
        "Warning: SURGE_ZZ is not a setting; did you mean SURGE_Z?",
        "Warning: PUBLC_URL is not a setting; did you mean PUBLIC_URL?",
        "Warning: HERONS is not a setting\n",
    ] {
        assert!(output.contains(line), "{line} in {output}");
    }
    assert!(!output.contains("SESSION_MANAGER") && !output.contains("secret"), "{output}");
    let (_, output) = program.run(&["check", "--deploy"]);
    assert!(output.contains("- RATING_LIMITTER is not a setting"), "{output}");
    std::fs::write(dir.path().join(".env"), "SITE_NAME=A\n\nsecret\n").unwrap();
    assert_eq!(
        program.run(&["check"]),
        (
            false,
            "evenkeel: line 3 of .env is not of the form NAME=value; values with spaces must be quoted\n".to_owned()
        )
    );
}

#[test]
fn read_only_commands_create_no_database() {
    for command in [
        &["check"][..],
        &["changepassword", "ann"],
        &["removesecondfactor", "ann"],
        &["clearsessions"],
        &["check_ratings"],
        &["showmigrations"],
        &["migrate", "--plan"],
        &["backup", "x.tar"],
        &["links"],
        &["replay", "--database"],
        &["upgrade-database"],
        &["createsuperuser", "--noinput", "--username", "ann", "--email", "ann@example.com"],
        &["seed_demo"],
        &["import", "."],
    ] {
        let dir = reachable_tempdir();
        let (succeeded, output) = Program::new(dir.path()).run(command);
        assert!(!succeeded && output.contains("there is no database in "), "{command:?}: {output}");
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0, "{command:?}");
    }
}
