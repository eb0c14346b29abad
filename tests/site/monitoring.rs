//! Metrics, logs and traces of a running site.

use std::time::{Duration, Instant};

use nix::sys::signal::Signal;
use serde_json::{Value, json};

use crate::support::{Actor, DatabaseLease, PASSWORD, Program, reachable_tempdir};

fn program(dir: &tempfile::TempDir, lease: &DatabaseLease) -> Program {
    Program::new(dir.path()).with("DATABASE_URL", &lease.url)
}

async fn register(program: &Program, name: &str) -> Actor {
    let actor = Actor::new(program.address);
    let body = json!({ "username": name, "email": "a@example.org", "password": PASSWORD });
    actor.post("/users/register/", &body).await.expect(201);
    actor
}

/// Value of a metric in the Prometheus text format. `name` includes its labels.
fn figure(text: &str, name: &str) -> f64 {
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    line.unwrap_or_else(|| panic!("{name} is not in\n{text}")).parse().unwrap()
}

#[actix_web::test]
async fn metrics_are_served_on_their_own_address() {
    let (dir, lease) = (reachable_tempdir(), DatabaseLease::take().await);
    let there = Program::new(dir.path()).address;
    let program = program(&dir, &lease).with("METRICS_BIND", &there.to_string());
    let running = program.start().await;
    let (ann, bob) = (register(&program, "ann").await, register(&program, "bob").await);
    let post = ann.write("Herons", "They stand.").await;
    bob.rate(post, 4).await.expect(201);
    bob.rate(post, 5).await.expect(409);
    let guest = Actor::new(program.address);
    for _ in 0..3 {
        guest.page("/blogs/").await.expect(200);
    }
    // Paths and methods invented by clients do not become metric labels.
    guest.get("/made/up/by/a/client/").await.expect(404);
    guest.send(guest.request("BREW", "/blogs/")).await.expect(405);
    guest.get("/metrics").await.expect(404);

    let monitoring = Actor::new(there);
    for (host, status) in [("evil.example", 400), ("localhost:1", 200), ("192.0.2.7:9464", 200), ("[::1]:9464", 200)] {
        monitoring.send(monitoring.request("GET", "/metrics").header("Host", host)).await.expect(status);
    }
    let plain = monitoring.get("/metrics").await.expect(200);
    assert_eq!(plain.header("content-type"), "text/plain; version=0.0.4; charset=utf-8");
    let plain = plain.expect_text("# TYPE evenkeel_password_hashes_total counter\n");
    plain.expect_text("# TYPE evenkeel_build_info gauge\n").expect_no_text("# EOF");
    let open_metrics = monitoring.request("GET", "/metrics").header("Accept", "application/openmetrics-text");
    let answer = monitoring.send(open_metrics).await.expect(200);
    assert_eq!(answer.header("content-type"), "application/openmetrics-text; version=1.0.0; charset=utf-8");
    let text = &answer.text;
    for (name, value) in [
        (r#"evenkeel_http_requests_total{method="POST",route="/rate/",status="201"}"#, 1.0),
        (r#"evenkeel_http_requests_total{method="POST",route="/rate/",status="409"}"#, 1.0),
        (r#"evenkeel_http_requests_total{method="GET",route="none",status="404"}"#, 2.0),
        (r#"evenkeel_http_requests_total{method="other",route="/blogs/",status="405"}"#, 1.0),
        (r#"evenkeel_http_request_duration_seconds_count{method="POST",route="/rate/"}"#, 2.0),
        (r#"evenkeel_limiter_decisions_total{class="post",limiter="leaky_bucket",outcome="admitted"}"#, 1.0),
        ("evenkeel_rating_batch_size_sum", 2.0),
        ("evenkeel_rating_batch_duration_seconds_count", 2.0),
        ("evenkeel_ratings_queued", 0.0),
        (r#"evenkeel_database_connections_max{pool="ratings"}"#, 2.0),
        ("evenkeel_password_hashes_total", 2.0),
        ("evenkeel_database_up", 1.0),
        (r#"evenkeel_pending{kind="mails"}"#, 0.0),
        (r#"evenkeel_permits{work="searching",state="used"}"#, 0.0),
    ] {
        assert!((figure(text, name) - value).abs() < f64::EPSILON, "{name} is not {value} in\n{text}");
    }
    let looks = ["hit", "miss"]
        .map(|result| figure(text, &format!("evenkeel_page_cache_requests_total{{result=\"{result}\"}}")));
    assert!(looks[0] + looks[1] >= 3.0, "{looks:?}");
    assert!(figure(text, "process_resident_memory_bytes") > 1e6 && figure(text, "process_start_time_seconds") > 1e9);
    assert!(text.contains("evenkeel_build_info{version=\"") && !text.contains("made/up"));
    assert_eq!((text.matches("# EOF").count(), text.ends_with("# EOF\n")), (1, true));
    monitoring.get("/").await.expect(404);
    monitoring.send(monitoring.request("HEAD", "/metrics")).await.expect(200);
    running.signal(Signal::SIGTERM);
}

#[actix_web::test]
async fn metrics_count_pauses_and_failures_during_grace() {
    let (dir, lease) = (reachable_tempdir(), DatabaseLease::take().await);
    let there = Program::new(dir.path()).address;
    let program = program(&dir, &lease).with("METRICS_BIND", &there.to_string()).with("ZOMBIE_PAUSE_BURST", "5");
    let _running = program.start().await;
    let (ann, bob) = (register(&program, "ann").await, register(&program, "bob").await);
    let post = ann.write("Herons", "They stand.").await;
    let monitoring = Actor::new(there);
    let counted = async || {
        let text = monitoring.get("/metrics").await.expect(200).text;
        ["paused", "grace", "repaused"]
            .map(|action| figure(&text, &format!("evenkeel_zombie_pauses_total{{action=\"{action}\"}}")).to_string())
    };
    assert_eq!(counted().await, ["0", "0", "0"]);
    bob.rate(post, 4).await.expect(201);
    for _ in 0..6 {
        bob.rate(post, 4).await.expect(409);
    }
    let url = bob.rate(post, 4).await.expect_problem(429, "paused").json()["unpause_url"].as_str().unwrap().to_owned();
    assert_eq!(counted().await, ["1", "0", "0"]);
    bob.post(&url[url.find("/unpause/").unwrap()..], &json!({})).await.expect(200);
    bob.rate(post, 4).await.expect(409);
    assert_eq!(counted().await, ["1", "1", "0"]);
}

#[actix_web::test]
async fn metrics_are_available_without_database() {
    let dir = reachable_tempdir();
    let there = Program::new(dir.path()).address;
    let program = Program::new(dir.path()).with("METRICS_BIND", &there.to_string());
    let running = program.start().await;
    let monitoring = Actor::new(there);
    let up = async || figure(&monitoring.get("/metrics").await.expect(200).text, "evenkeel_database_up");
    assert!((up().await - 1.0).abs() < f64::EPSILON);
    // The data directory is moved away, so that the site cannot restart the database server.
    let cluster = dir.path().join("data/postgres");
    std::fs::rename(&cluster, cluster.with_extension("away")).unwrap();
    let pid = std::fs::read_to_string(cluster.with_extension("away").join("postmaster.pid")).unwrap();
    let pid = nix::unistd::Pid::from_raw(pid.lines().next().unwrap().parse().unwrap());
    nix::sys::signal::kill(pid, Signal::SIGKILL).unwrap();
    while up().await > 0.0 {
        tokio::task::yield_now().await;
    }
    running.signal(Signal::SIGKILL);
}

#[actix_web::test]
async fn json_log_lines_have_request_ids() {
    let (dir, lease) = (reachable_tempdir(), DatabaseLease::take().await);
    let logging = program(&dir, &lease).with("LOG_FORMAT", "json");
    let request_line = async |program: &Program| {
        let running = program.start().await;
        let guest = Actor::new(program.address);
        let request = guest.request("GET", "/blogs/?q=secret");
        let id = guest.send(request).await.expect(200).header("x-request-id").to_owned();
        running.signal(Signal::SIGTERM);
        let lines: Vec<Value> =
            program.read("err").lines().map(|line| serde_json::from_str(line).expect(line)).collect();
        lines
            .into_iter()
            .find(|line| line["message"] == "request completed" && line["span"]["id"] == id.as_str())
            .unwrap()
    };
    let line = request_line(&logging).await;
    assert_eq!((&line["method"], &line["path"], &line["status"]), (&json!("GET"), &json!("/blogs/"), &json!(200)));
    assert_eq!(line["level"], "INFO");
    // Messages for the operator are also JSON, and do not depend on `RUST_LOG`.
    let quiet = program(&dir, &lease).with("LOG_FORMAT", "json").with("RUST_LOG", "off");
    quiet.start().await.signal(Signal::SIGTERM);
    let messages: Vec<Value> = quiet.read("out").lines().map(|line| serde_json::from_str(line).expect(line)).collect();
    assert!(
        messages.iter().any(|line| line["message"].as_str().unwrap().starts_with("This site has no owner yet")),
        "{messages:?}"
    );
    let (started, output) = program(&dir, &lease).with("LOG_FORMAT", "json").with("IMAGE_STORE", "x").run(&[]);
    let output: Value = serde_json::from_str(output.lines().last().unwrap()).expect(&output);
    assert!(!started && output["message"].as_str().unwrap().contains("IMAGE_STORE"), "{output}");
    assert!(line["timestamp"].is_string() && !line.to_string().contains("secret"));

    let (started, output) = program(&dir, &lease).with("LOG_FORMAT", "xml").run(&["check"]);
    assert!(!started && output.contains("LOG_FORMAT is \"xml\" but must be text or json"), "{output}");
}

#[actix_web::test]
async fn slow_statements_are_logged_without_values() {
    let (dir, lease) = (reachable_tempdir(), DatabaseLease::fresh().await);
    let program = program(&dir, &lease).with("SLOW_QUERY_MS", "1");
    let running = program.start().await;
    register(&program, "somebody").await;
    running.signal(Signal::SIGTERM);
    let log = program.read("err");
    assert!(log.contains("slow statement") && log.contains("elapsed="), "{log}");
    assert!(!log.contains(PASSWORD) && !log.contains("somebody"), "{log}");
}

#[actix_web::test]
async fn container_health_check_detects_a_stopped_site() {
    let (dir, lease) = (reachable_tempdir(), DatabaseLease::take().await);
    let program = program(&dir, &lease);
    let dockerfile = include_str!("../../deploy/Dockerfile");
    let check = dockerfile.lines().find_map(|line| line.trim().strip_prefix("CMD ")).unwrap();
    let check: Vec<String> = serde_json::from_str(check).unwrap();
    let healthy = || {
        let script = check[2].replace("/8000", &format!("/{}", program.address.port()));
        let mut command = std::process::Command::new(&check[0]);
        command.arg(&check[1]).arg(script).stderr(std::process::Stdio::null()).status().unwrap().success()
    };
    assert!(!healthy());
    let running = program.start().await;
    assert!(healthy());
    running.signal(Signal::SIGKILL);
    assert!(!healthy());
}

#[actix_web::test]
async fn log_has_rate_limited_clients_and_mail_failures() {
    let (dir, lease) = (reachable_tempdir(), DatabaseLease::take().await);
    // The mail server is unavailable: nothing listens on port 1.
    let program = program(&dir, &lease).with("SMTP_URL", "smtp://127.0.0.1:1").with("MAIL_FROM", "a@example.org");
    let running = program.start().await;
    let (ann, bob) = (register(&program, "ann").await, register(&program, "bob").await);
    let post = ann.write("Herons", "They stand.").await;
    bob.get(&format!("/blogs/{post}/edit/")).await.expect_problem(403, "forbidden");
    bob.get("/admin/log/").await.expect_problem(404, "not_found");
    let patience = Instant::now() + Duration::from_mins(2);
    while !program.read("err").contains("mail server unavailable") {
        assert!(Instant::now() < patience, "{}", program.read("err"));
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    running.signal(Signal::SIGTERM);
    let log = program.read("err");
    for parts in [
        ["path=\"/blogs/1/edit/\"", "status=403", "code=\"forbidden\"", "user_id=2"],
        ["path=\"/admin/log/\"", "status=404", "code=\"not_found\"", "user_id=2"],
        ["mail server unavailable", "WARN", "error=", "onnection"],
    ] {
        assert!(log.lines().any(|line| parts.iter().all(|part| line.contains(part))), "{parts:?} in {log}");
    }
}
