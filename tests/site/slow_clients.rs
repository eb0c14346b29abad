//! Slow and numerous clients: other clients are served, and memory stays bounded.

use std::time::{Duration, Instant};

use futures_util::future::join_all;
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use nix::sys::signal::Signal;
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::support::{Actor, DatabaseLease, Program, RunningProgram, SECRET, reachable_tempdir};

async fn site(dir: &tempfile::TempDir, lease: &DatabaseLease) -> (Program, RunningProgram) {
    let program = Program::new(dir.path()).with("DATABASE_URL", &lease.url).with("SECRET_KEY", SECRET);
    let running = program.start().await;
    (program, running)
}

/// Peak memory of a process in MiB, from `/proc`, which only Linux has.
fn peak_memory(running: &RunningProgram) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", running.pid())).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() / 1024
}

async fn connect(program: &Program, first: &str) -> TcpStream {
    let mut stream = TcpStream::connect(program.address).await.unwrap();
    stream.write_all(first.as_bytes()).await.unwrap();
    stream
}

/// Reads until the server closes the connection.
async fn rest(mut stream: TcpStream) -> String {
    let mut answer = Vec::new();
    timeout(Duration::from_mins(2), stream.read_to_end(&mut answer)).await.expect("held for ever").unwrap_or_default();
    String::from_utf8_lossy(&answer).into_owned()
}

#[actix_web::test]
async fn slow_and_idle_clients_time_out_and_others_are_served() {
    let (dir, lease) = (reachable_tempdir(), DatabaseLease::take().await);
    let (program, _running) = site(&dir, &lease).await;
    let (_, max) = getrlimit(Resource::RLIMIT_NOFILE).unwrap();
    setrlimit(Resource::RLIMIT_NOFILE, max.min(4_096), max).unwrap();
    let form = "Host: localhost\r\nAccept: application/json\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\nu";
    let mut heads = Vec::new();
    let mut bodies = Vec::new();
    let mut idle = Vec::new();
    for _ in 0..100 {
        heads.push(connect(&program, "GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ").await);
        for path in ["/users/login/", "/users/logout/", "/rate/"] {
            bodies.push(connect(&program, &format!("POST {path} HTTP/1.1\r\n{form}")).await);
        }
    }
    for _ in 0..1_000 {
        idle.push(connect(&program, "").await);
    }
    let guest = Actor::new(program.address);
    for _ in 0..20 {
        guest.page("/blogs/").await.expect(200);
    }
    let answers = join_all(heads.into_iter().map(rest)).await;
    assert!(answers.iter().all(|answer| answer.is_empty() || answer.starts_with("HTTP/1.1 408")), "{answers:?}");
    for answer in join_all(bodies.into_iter().map(rest)).await {
        // Anonymous visitors may get 401 before their body is complete.
        assert!(answer.starts_with("HTTP/1.1 408") || answer.starts_with("HTTP/1.1 401"), "{answer}");
        assert!(
            answer.starts_with("HTTP/1.1 401") || (answer.contains("retry-after: 1") && answer.contains("\"timeout\"")),
            "{answer}"
        );
    }
    join_all(idle.into_iter().map(rest)).await;
    guest.page("/blogs/").await.expect(200);
}

const SLOW_BODY: &str = "POST /users/login/ HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\n\
    Accept: text/html\r\nContent-Length: 100\r\n\r\nu";

#[actix_web::test]
async fn limited_client_is_refused_before_its_body_arrives() {
    let (dir, lease) = (reachable_tempdir(), DatabaseLease::take().await);
    let program = Program::new(dir.path()).with("DATABASE_URL", &lease.url).with("SECRET_KEY", SECRET);
    let program =
        program.with("RATE_CLASSES", "on").with("RATE_CLASS_ACCOUNT_ADDRESS", "1,30000,20000,15000,10000,0,0");
    let program = Program { variables: program.variables.into_iter().skip(1).collect(), ..program };
    let _running = program.start().await;
    rest(connect(&program, &SLOW_BODY.replace("Content-Length: 100", "Content-Length: 1\r\nConnection: close")).await)
        .await;
    let json = SLOW_BODY.replace("x-www-form-urlencoded", "json").replace("text/html", "application/json");
    let limited = join_all((0..100).map(|_| connect(&program, SLOW_BODY))).await;
    let as_json = join_all((0..100).map(|_| connect(&program, &json))).await;
    for answer in join_all(limited.into_iter().chain(as_json).map(rest)).await {
        assert!(answer.starts_with("HTTP/1.1 429") && answer.contains("connection: close"), "{answer}");
    }
    // A rate limited form whose body arrives immediately is shown again with its values.
    let form = [("username", "rita"), ("password", "four grey herons wait")];
    Actor::new(program.address).submit("/users/login/", &form).await.expect(429).expect_text("value=\"rita\"");
}

#[actix_web::test]
async fn concurrent_sign_ins_use_bounded_memory() {
    let (dir, lease) = (reachable_tempdir(), DatabaseLease::take().await);
    // Without the sign-in throttle, only the semaphore of the password hasher limits memory.
    let program = Program::new(dir.path())
        .with("DATABASE_URL", &lease.url)
        .with("SECRET_KEY", SECRET)
        .with("SIGN_IN_THROTTLE", "off");
    let running = program.start().await;
    let guest = Actor::new(program.address);
    let body = json!({ "username": "ann", "email": "a@example.com", "password": "four grey herons wait" });
    guest.post("/users/register/", &body).await.expect(201);
    guest.page("/blogs/").await.expect(200);
    let before = peak_memory(&running);
    let calm = slowest_pages(&guest).await;
    let login = json!({ "username": "ann", "password": "seven wet paper boats" });
    let flood = join_all((0..500).map(|_| async {
        let answer = Actor::new(program.address).post("/users/login/", &login).await;
        let status = answer.status.as_u16();
        assert!(status == 401 || (status == 503 && (1..=2).contains(&answer.retry_after())), "{}", answer.text);
        status
    }));
    let (statuses, flooded) = futures_util::join!(flood, slowest_pages(&guest));
    let peak = peak_memory(&running);
    let evaluated = statuses.iter().filter(|status| **status == 401).count();
    println!(
        "{evaluated} of 500 evaluated; peak {before} MiB before, {peak} MiB after; slowest of 200 pages {calm:?}, then {flooded:?}"
    );
    // The password hasher computes at most four hashes at a time, each with 19 MiB of memory.
    assert!(peak <= before + 4 * 19 + 64, "{before} MiB before, {peak} MiB after");
    assert!(evaluated > 0);
    guest.post("/users/login/", &json!({ "username": "ann", "password": "four grey herons wait" })).await.expect(200);
}

#[actix_web::test]
async fn previews_of_hostile_texts_use_bounded_memory() {
    let (dir, lease) = (reachable_tempdir(), DatabaseLease::take().await);
    let program = Program::new(dir.path()).with("DATABASE_URL", &lease.url).with("SECRET_KEY", SECRET);
    let running = program.start().await;
    let ann = Actor::new(program.address);
    let body = json!({ "username": "ann", "email": "a@example.com", "password": "four grey herons wait" });
    ann.post("/users/register/", &body).await.expect(201);
    let hostile = json!({ "content": format!("[^a]: b\n\n{}", "[^a]".repeat(65_000)) });
    ann.post("/blogs/preview/", &json!({ "content": "```rust\nfn a() {}\n```" })).await.expect(200);
    let before = peak_memory(&running);
    let answers = join_all((0..15).map(|_| ann.post("/blogs/preview/", &hostile))).await;
    let peak = peak_memory(&running);
    let shown = answers.iter().filter(|answer| answer.status == 200).count();
    println!("{shown} of 15 shown; peak {before} MiB before, {peak} MiB after");
    for answer in answers {
        match answer.status.as_u16() {
            200 => assert!(answer.json()["notice"].is_string() && answer.text.len() < 400_000, "{}", answer.text.len()),
            _ => drop(answer.expect_problem(503, "busy")),
        }
    }
    // At most four texts are rendered at a time, each with 32 MiB of memory. The rest is for request and response
    // bodies.
    assert!(shown > 0 && peak <= before + 4 * 32 + 15 * 3, "{before} MiB before, {peak} MiB after");
}

/// Duration of the slowest of 200 page loads.
async fn slowest_pages(guest: &Actor) -> Duration {
    let mut slowest = Duration::ZERO;
    for _ in 0..200 {
        let begin = Instant::now();
        guest.page("/blogs/").await.expect(200);
        slowest = slowest.max(begin.elapsed());
    }
    slowest
}

#[actix_web::test]
async fn log_contains_no_secrets_and_no_forged_lines() {
    let (dir, lease) = (reachable_tempdir(), DatabaseLease::take().await);
    let program =
        Program::new(dir.path()).with("DATABASE_URL", &lease.url).with("SECRET_KEY", SECRET).with("RUST_LOG", "debug");
    let program = program.with("ZOMBIE_PAUSE_BURST", "1");
    let running = program.start().await;
    let ann = Actor::new(program.address);
    let (password, other) = ("canary in the coal mine", "canary out of the mine");
    let body = json!({ "username": "ann", "email": "budgerigar@example.com", "password": password });
    let registered = ann.post("/users/register/", &body).await.expect(201);
    let token = registered.header("set-cookie").split(['=', ';']).nth(1).unwrap().to_owned();
    ann.post("/users/login/", &json!({ "username": "ann", "password": "canary in the wrong mine" })).await.expect(401);
    ann.post("/users/password_change/", &json!({ "old_password": "canary", "new_password": other })).await.expect(400);
    ann.post("/users/password_change/", &json!({ "old_password": password, "new_password": other })).await.expect(200);
    ann.post("/users/login/", &json!({ "username": "ann", "password": other })).await.expect(200);
    ann.page("/users/login/?next=/canary-in-a-query/").await.expect(200);
    ann.page("/nowhere/%0aFORGED%0d%0a%1b[31mFORGED").await.expect(404);
    ann.send(ann.request("GET", "/").header("User-Agent", "FORGED").header("Cookie", "session=canary")).await;
    let post = ann.write("Mine", "t").await;
    ann.rate(post, 5).await.expect(403);
    ann.rate(post, 5).await.expect(403);
    let paused = ann.rate(post, 5).await.expect(429).json();
    let link = format!("/unpause/{}", paused["unpause_url"].as_str().unwrap().split("/unpause/").nth(1).unwrap());
    ann.page(&format!("{link}x")).await.expect(400);
    ann.page_without_redirect(&link.replace("/?", "?")).await.expect(308);
    ann.page(&link).await.expect(200);
    ann.post(&link, &json!({})).await.expect(200);
    let odd = rest(connect(&program, "OPTIONS * HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").await).await;
    assert!(odd.starts_with("HTTP/1.1 404") && odd.contains("content-security-policy"), "{odd}");
    let mad = rest(connect(&program, "\u{1b}[31mFORGED\r\n\r\n").await).await;
    assert!(mad.starts_with("HTTP/1.1 400"), "{mad}");
    // The last lines of the log are written at shutdown.
    running.signal(Signal::SIGTERM);
    let log = program.read("err") + &program.read("out");
    let unpause = link.split('=').nth(1).unwrap();
    for secret in ["canary", "budgerigar", &token, unpause, SECRET] {
        assert!(!log.contains(secret), "{secret} in {log}");
    }
    assert!(!log.contains("\nFORGED") && !log.contains("\u{1b}[31mFORGED"), "{log}");
    let failed = log.lines().find(|line| line.contains("status=401")).unwrap();
    for part in ["id=", "client=127.0.0.1", "code=\"wrong_credentials\"", "path=\"/users/login/\"", "Z  INFO"] {
        assert!(failed.contains(part), "{part} in {failed}");
    }
    // A failed sign-in is logged with a fingerprint instead of the username, because users may type a password there.
    let tried = log.lines().find(|line| line.contains("sign-in failed")).unwrap();
    assert!(tried.contains("account=") && !tried.contains("ann"), "{tried}");
    for line in ["re-authentication failed", "factor=\"password\""] {
        assert!(log.lines().any(|logged| logged.contains(line) && logged.contains("user_id=1")), "{line} in {log}");
    }
    for act in ["ratings paused for user", "rating pauses lifted"] {
        assert!(log.lines().any(|line| line.contains(act) && line.contains("user_id=1")), "{act}");
    }
    assert!(
        log.lines().any(|line| line.contains("password changed") && line.contains("user_id=1") && line.contains("id="))
    );
}
