//! Slow and numerous clients: other clients are served, memory stays bounded, and excess clients get `Retry-After`.

use std::io::ErrorKind;
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
    // With loopback as a trusted proxy, all clients share one IP address without the limit of connections per client.
    let program = program.with("TRUSTED_PROXIES", "127.0.0.1");
    let running = program.start().await;
    (program, running)
}

/// Peak memory of a process in MiB, from `/proc`, which only Linux has.
fn peak_memory(running: &RunningProgram) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", running.pid())).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() / 1024
}

fn sockets(running: &RunningProgram) -> usize {
    let files = std::fs::read_dir(format!("/proc/{}/fd", running.pid())).unwrap();
    let links = files.filter_map(|file| std::fs::read_link(file.ok()?.path()).ok());
    links.filter(|link| link.to_string_lossy().starts_with("socket:")).count()
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
    let (_, most) = getrlimit(Resource::RLIMIT_NOFILE).unwrap();
    setrlimit(Resource::RLIMIT_NOFILE, most.min(4_096), most).unwrap();
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
    let told = join_all(heads.into_iter().map(rest)).await;
    assert!(told.iter().all(|answer| answer.is_empty() || answer.starts_with("HTTP/1.1 408")), "{told:?}");
    let security =
        ["content-security-policy: default-src 'none'", "x-frame-options: DENY", "x-content-type-options: nosniff"];
    let has_all = |answer: &String| security.iter().all(|header| answer.contains(header));
    assert!(told.iter().any(|answer| !answer.is_empty()) && told.iter().all(|told| told.is_empty() || has_all(told)));
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

/// Starts a site that may open 256 files. Loopback is a trusted proxy, so connections per client are not limited.
async fn small_site(dir: &tempfile::TempDir, lease: &DatabaseLease) -> (Program, RunningProgram) {
    let program = Program::new(dir.path()).with("DATABASE_URL", &lease.url).with("SECRET_KEY", SECRET);
    start_small(program.with("TRUSTED_PROXIES", "127.0.0.1")).await
}

async fn start_small(program: Program) -> (Program, RunningProgram) {
    let mut limited = std::process::Command::new("/bin/sh");
    limited.args(["-c", "ulimit -n 256; exec \"$0\"", env!("CARGO_BIN_EXE_evenkeel")]);
    let plain = program.command(&[]);
    limited
        .env_clear()
        .envs(plain.get_envs().filter_map(|(name, value)| Some((name, value?))))
        .current_dir(&program.dir);
    let running = program.spawn_command(limited);
    let guest = Actor::new(program.address);
    let patience = Instant::now() + Duration::from_mins(2);
    while guest.attempt(guest.request("GET", "/readyz")).await.is_none_or(|answer| answer.status != 200) {
        assert!(Instant::now() < patience, "{}", program.read("err"));
    }
    (program, running)
}

#[actix_web::test]
async fn longest_idle_connection_is_closed_when_file_descriptors_run_out() {
    let (dir, lease) = (reachable_tempdir(), DatabaseLease::take().await);
    let (program, _running) = small_site(&dir, &lease).await;
    let mut held = Vec::new();
    for _ in 0..700 {
        held.push(connect(&program, "").await);
    }
    for _ in 0..20 {
        read_as_told(&program).await;
    }
    drop(held);
    let log = program.read("err");
    assert!(!log.contains("Too many open files"), "{log}");
}

/// Opens a connection with this loopback address as its source, as if from another client.
async fn connect_from(program: &Program, address: [u8; 4], first: &str) -> TcpStream {
    let socket = tokio::net::TcpSocket::new_v4().unwrap();
    socket.bind((address, 0).into()).unwrap();
    let mut stream = socket.connect(program.address).await.unwrap();
    stream.write_all(first.as_bytes()).await.unwrap();
    stream
}

const SLOW_BODY: &str = "POST /users/login/ HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\n\
    Accept: text/html\r\nContent-Length: 100\r\n\r\nu";

#[cfg(target_os = "linux")]
#[actix_web::test]
async fn one_ip_address_gets_at_most_a_quarter_of_the_connections() {
    let (dir, lease) = (reachable_tempdir(), DatabaseLease::take().await);
    let program = Program::new(dir.path()).with("DATABASE_URL", &lease.url).with("SECRET_KEY", SECRET);
    let (program, running) = start_small(program).await;
    // The connections are opened one after another, because a connection that sends nothing for a second may be closed
    // without a response.
    let mut slow = Vec::new();
    for _ in 0..500 {
        slow.push(connect_from(&program, [127, 0, 0, 9], SLOW_BODY).await);
    }
    for _ in 0..20 {
        Actor::new(program.address).page("/blogs/").await.expect(200);
    }
    let told = join_all(slow.into_iter().map(rest)).await;
    let count = |start: &str| told.iter().filter(|answer| answer.starts_with(start)).count();
    let (late, surplus) = (count("HTTP/1.1 408"), count("HTTP/1.1 503"));
    // The limit per client is a quarter of 140 connections, rounded down for each of the two workers.
    assert!((30..=35).contains(&late) && late + surplus == told.len(), "{late} late, {surplus} surplus");
    // The last lines of the log are written at shutdown.
    running.signal(Signal::SIGTERM);
    let log = program.read("err");
    let refused = log.lines().filter(|line| line.contains("connections rejected"));
    let refused: Vec<&str> = refused.filter(|line| !line.contains("of_one_client=0")).collect();
    assert!((1..20).contains(&refused.len()), "{refused:?}");
}

#[cfg(target_os = "linux")]
#[actix_web::test]
async fn stalled_request_bodies_are_evicted() {
    let (dir, lease) = (reachable_tempdir(), DatabaseLease::take().await);
    let program = Program::new(dir.path()).with("DATABASE_URL", &lease.url).with("SECRET_KEY", SECRET);
    let (program, _running) = start_small(program).await;
    let slow = (0..200).map(|number: u8| connect_from(&program, [127, 0, 1, 1 + number % 20], SLOW_BODY));
    let slow = join_all(slow).await;
    for _ in 0..10 {
        read_as_told(&program).await;
    }
    for answer in join_all(slow.into_iter().map(rest)).await {
        assert!(answer.starts_with("HTTP/1.1 408") || answer.starts_with("HTTP/1.1 503"), "{answer}");
    }
}

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
async fn surplus_clients_get_retry_after_when_all_connections_are_busy() {
    let (dir, lease) = (reachable_tempdir(), DatabaseLease::take().await);
    let (program, _running) = small_site(&dir, &lease).await;
    let head =
        "POST /users/login/ HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n";
    let all: Vec<_> = join_all((0..300).map(|_| connect(&program, head))).await;
    let told = join_all(all.into_iter().map(rest)).await;
    let count = |start: &str| told.iter().filter(|answer| answer.starts_with(start)).count();
    let (late, surplus) = (count("HTTP/1.1 408"), count("HTTP/1.1 503"));
    assert!(late > 50 && surplus > 50 && late + surplus == told.len(), "{late} late, {surplus} surplus of 300");
    for answer in told {
        assert!(answer.contains("retry-after: 1") && answer.contains("application/problem+json"), "{answer}");
    }
    Actor::new(program.address).page("/blogs/").await.expect(200);
}

/// Sends `drops` twice a second until the server closes the connection. Returns the server's response.
async fn drip(program: &Program, first: &str, drops: &str) -> String {
    let (mut from, mut to) = connect(program, first).await.into_split();
    let mut answer = Vec::new();
    let dripping = async {
        let mut beat = tokio::time::interval(Duration::from_millis(500));
        while to.write_all(drops.as_bytes()).await.is_ok() {
            beat.tick().await;
        }
        std::future::pending::<()>().await;
    };
    let reading = timeout(Duration::from_mins(2), from.read_to_end(&mut answer));
    tokio::select! {
        closed = reading => drop(closed.unwrap_or_else(|_| panic!("held for ever: {first:?}"))),
        () = dripping => (),
    }
    String::from_utf8_lossy(&answer).into_owned()
}

/// Loads a page and, after a 503 response, retries once after `Retry-After`.
async fn read_as_told(program: &Program) {
    let first = Actor::new(program.address).page("/blogs/").await;
    if first.status == 503 {
        tokio::time::sleep(Duration::from_secs(first.retry_after().unsigned_abs())).await;
        Actor::new(program.address).page("/blogs/").await.expect(200);
    }
}

#[actix_web::test]
async fn dripping_clients_are_disconnected_and_others_are_served() {
    let (dir, lease) = (reachable_tempdir(), DatabaseLease::take().await);
    let (program, _running) = small_site(&dir, &lease).await;
    let get = "GET /blogs/ HTTP/1.1\r\nHost: localhost\r\n";
    let post = "POST /users/login/ HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
    let chunked = "Transfer-Encoding: chunked\r\n\r\n";
    let kinds = [
        ("a second head", format!("{get}\r\n{get}X-Slow: "), "a"),
        ("blank lines", format!("{get}\r\n"), "\r\n"),
        ("a body in chunks", format!("{post}{chunked}"), "1\r\na\r\n"),
        ("a body that nobody reads", format!("{get}{chunked}"), "1\r\na\r\n"),
    ];
    let crowd = kinds.iter().flat_map(|(kind, first, drop)| std::iter::repeat_n((*kind, first, *drop), 55));
    let program = &program;
    let crowd = crowd.map(|(kind, first, drop)| async move { (kind, drip(program, first, drop).await) });
    let dripping = join_all(crowd);
    let reading = async {
        for _ in 0..40 {
            read_as_told(program).await;
        }
    };
    let (told, ()) = futures_util::join!(dripping, reading);
    // Slow clients are disconnected by a timeout or in favor of other clients, and get a response in both cases.
    let ended = |answer: &str| answer.contains("HTTP/1.1 408") || answer.contains("HTTP/1.1 503");
    for kind in ["a second head", "a body in chunks"] {
        let told = told.iter().filter(|(of, answer)| *of == kind && ended(answer)).count();
        assert!(told > 0, "none of the clients that drip {kind} was told");
    }
    Actor::new(program.address).page("/blogs/").await.expect(200);
}

#[actix_web::test]
async fn clients_that_do_not_read_are_disconnected_with_bounded_memory() {
    let (dir, lease) = (reachable_tempdir(), DatabaseLease::take().await);
    let (program, running) = site(&dir, &lease).await;
    let ann = Actor::new(program.address);
    let body = json!({ "username": "ann", "email": "a@example.com", "password": "four grey herons wait" });
    ann.post("/users/register/", &body).await.expect(201);
    let post = ann.write("Long", &"\u{1f4dc}".repeat(65_000)).await;
    ann.page(&format!("/blogs/{post}/")).await.expect(200);
    let before = peak_memory(&running);
    let request = format!("GET /blogs/{post}/long/ HTTP/1.1\r\nHost: localhost\r\n\r\n").repeat(30);
    let (mut deaf, mut most) = (Vec::new(), 0);
    for count in 0..600 {
        let socket = tokio::net::TcpSocket::new_v4().unwrap();
        socket.set_recv_buffer_size(4_096).unwrap();
        let mut stream = socket.connect(program.address).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        deaf.push(stream);
        most = most.max(if count % 50 == 0 { sockets(&running) } else { 0 });
    }
    assert!(most > 100, "{most} sockets were open");
    // Open connections are counted on the server, because some clients see a reset and others an unread response.
    let hung_up = async {
        let patience = Instant::now() + Duration::from_mins(5);
        while sockets(&running) > 100 {
            assert!(Instant::now() < patience, "{} are held for ever", sockets(&running));
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    let reading = async {
        for _ in 0..20 {
            Actor::new(program.address).page("/healthz").await.expect(200);
        }
    };
    futures_util::join!(hung_up, reading);
    drop(deaf);
    let after = peak_memory(&running);
    println!("600 deaf clients: peak {before} MiB before, {after} MiB after");
    // Each client may have 0.3 MiB of pipelined requests. The shared buffers of all clients have 64 MiB.
    assert!(after <= before + 600 * 3 / 10 + 4 * 16, "{before} MiB before, {after} MiB after");
    ann.page(&format!("/blogs/{post}/")).await.expect(200);
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
    assert!(
        log.lines()
            .any(|line| line.contains("client sent an invalid HTTP request or none")
                && line.contains("client=127.0.0.1")),
        "{log}"
    );
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
        assert!(log.lines().any(|told| told.contains(line) && told.contains("user_id=1")), "{line} in {log}");
    }
    for act in ["ratings paused for user", "rating pauses lifted"] {
        assert!(log.lines().any(|line| line.contains(act) && line.contains("user_id=1")), "{act}");
    }
    assert!(
        log.lines().any(|line| line.contains("password changed") && line.contains("user_id=1") && line.contains("id="))
    );
}

#[actix_web::test]
async fn idle_connection_after_a_body_is_closed_without_another_response() {
    let (dir, lease) = (reachable_tempdir(), DatabaseLease::take().await);
    let program = Program::new(dir.path()).with("DATABASE_URL", &lease.url).with("SECRET_KEY", SECRET);
    let program = program.with("RATE_CLASSES", "on");
    let _running = program.start().await;
    // A connection is not idle while its response is streamed.
    let mut events = connect(&program, "GET /rate/classes/events/ HTTP/1.1\r\nHost: localhost\r\n\r\n").await;
    let mut sent = vec![0; 65_536];
    let length = events.read(&mut sent).await.unwrap();
    assert!(sent[..length].starts_with(b"HTTP/1.1 200"));
    let head = "Host: localhost\r\nAccept: application/json\r\nContent-Type: application/x-www-form-urlencoded\r\n";
    let form = "username=ann&password=wrong";
    let length = format!("{head}Content-Length: {}\r\n\r\n", form.len());
    let chunk = format!("{:x}\r\n{form}\r\n0\r\n\r\n", form.len());
    let requests = [
        (format!("POST /users/login/ HTTP/1.1\r\n{length}"), form.to_owned()),
        (format!("POST /users/login/ HTTP/1.1\r\n{head}Transfer-Encoding: chunked\r\n\r\n"), chunk.clone()),
        // The view of `GET /healthz` does not read the request body.
        (format!("GET /healthz HTTP/1.1\r\n{head}Transfer-Encoding: chunked\r\n\r\n"), chunk),
    ];
    let answers = requests.iter().map(async |(head, body)| {
        let mut stream = connect(&program, head).await;
        stream.write_all(body.as_bytes()).await.unwrap();
        rest(stream).await
    });
    for answer in join_all(answers).await {
        assert_eq!(answer.matches("HTTP/1.1 ").count(), 1, "{answer}");
    }
    let end = loop {
        match events.try_read(&mut sent) {
            Ok(0) => panic!("the stream has ended"),
            Ok(_) => {}
            Err(error) => break error,
        }
    };
    assert_eq!(end.kind(), ErrorKind::WouldBlock);
}
