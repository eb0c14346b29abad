//! Tests of the configuration files in `deploy/` with the real programs.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use evenkeel::db::clock::Clock;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use reqwest::{Certificate, Client, Method};
use serde_json::{Value, json};

use crate::support::{Actor, DatabaseLease, PASSWORD, Program, SECRET, TestSite, reachable_tempdir, until};

fn deploy(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("deploy").join(name)
}

pub fn read(name: &str) -> String {
    std::fs::read_to_string(deploy(name)).unwrap()
}

fn run(command: &mut Command) -> (bool, String) {
    let output = command.stdin(Stdio::null()).output().unwrap();
    (output.status.success(), String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
}

/// Background process that is stopped when the value is dropped.
pub struct Beside(Child);

impl Beside {
    pub fn start(command: &mut Command, log: &Path) -> Self {
        let log = std::fs::OpenOptions::new().create(true).append(true).open(log).unwrap();
        Self(command.stdin(Stdio::null()).stdout(log.try_clone().unwrap()).stderr(log).spawn().unwrap())
    }

    pub fn signal(&self, signal: Signal) {
        kill(Pid::from_raw(self.0.id().try_into().unwrap()), signal).unwrap();
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        let pid = Pid::from_raw(self.0.id().try_into().unwrap());
        let _ = kill(pid, Signal::SIGTERM);
        // A process that was stopped by SIGSTOP receives SIGTERM only after SIGCONT.
        let _ = kill(pid, Signal::SIGCONT);
        let _ = self.0.wait();
    }
}

/// Names of the site's metrics that a text contains, without suffixes such as `_total`.
fn figures(text: &str) -> Vec<String> {
    let is_part = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_';
    let words = text
        .split(|letter| !is_part(letter))
        .filter(|word| word.starts_with("evenkeel_") || word.starts_with("process_"));
    let base = |word: &str| {
        let endings = ["_total", "_bucket", "_sum", "_count", "_info"];
        endings.iter().find_map(|ending| word.strip_suffix(ending)).unwrap_or(word).to_owned()
    };
    let mut names: Vec<String> = words.map(base).collect();
    names.sort();
    names.dedup();
    names
}

/// `PromQL` expressions of a dashboard, after replacement of its variables.
fn asked_by(dashboard: &Value) -> Vec<String> {
    let panels = dashboard["panels"].as_array().unwrap().iter();
    let targets = panels.flat_map(|panel| panel["targets"].as_array().cloned().unwrap_or_default());
    targets
        .map(|target| target["expr"].as_str().unwrap().to_owned())
        .map(|expr| expr.replace("$job", "evenkeel").replace("$instance", ".*").replace("$__rate_interval", "1m"))
        .collect()
}

pub async fn prometheus_loads_the_alerts_and_dashboard_metrics() {
    let (done, told) = run(Command::new("promtool").args(["test", "rules"]).arg(deploy("prometheus/alerts_test.yml")));
    assert!(done, "{told}");
    let (dir, lease) = (reachable_tempdir(), DatabaseLease::take().await);
    let (there, prometheus) = (Program::new(dir.path()).address, Program::new(dir.path()).address);
    let program = Program::new(dir.path()).with("DATABASE_URL", &lease.url).with("METRICS_BIND", &there.to_string());
    let program = program.with("SMTP_URL", "file:mail").with("MAIL_FROM", "a@example.org");
    let running = program.start().await;
    // Some metrics appear only after their first event.
    let body = json!({ "username": "ann", "email": "a@example.org", "password": PASSWORD });
    Actor::new(program.address).post("/users/register/", &body).await.expect(201);
    let text = until("a mail that was sent", async || {
        let monitoring = Actor::new(there);
        let open_metrics = monitoring.request("GET", "/metrics").header("Accept", "application/openmetrics-text");
        let text = monitoring.send(open_metrics).await.expect(200).text;
        text.contains("evenkeel_mails_total{result=\"sent\"} 1").then_some(text)
    });
    let text = text.await;
    let plain = dir.path().join("metrics.txt");
    std::fs::write(&plain, Actor::new(there).get("/metrics").await.expect(200).text).unwrap();
    let metrics = std::fs::File::open(&plain).unwrap();
    let (done, complaints) = run(Command::new("promtool").args(["check", "metrics"]).stdin(metrics));
    assert!(done && complaints.is_empty(), "{complaints}");
    let told: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.split(' ').next()).collect();

    // Uses the example configuration with the metrics address of the test and a shorter scrape interval.
    let config = read("prometheus/prometheus.yml").replace("127.0.0.1:9464", &there.to_string()).replace("15s", "1s");
    std::fs::write(dir.path().join("prometheus.yml"), config).unwrap();
    std::fs::write(dir.path().join("alerts.yml"), read("prometheus/alerts.yml")).unwrap();
    let _prometheus = Beside::start(
        Command::new("prometheus")
            .arg(format!("--web.listen-address={prometheus}"))
            .arg(format!("--config.file={}", dir.path().join("prometheus.yml").display()))
            .arg(format!("--storage.tsdb.path={}", dir.path().join("tsdb").display())),
        &dir.path().join("prometheus.log"),
    );
    let server = Actor::new(prometheus);
    let ready = until("Prometheus", async || {
        let answer = server.attempt(server.request("GET", "/-/ready")).await?;
        (answer.status == 200).then_some(())
    });
    ready.await;
    let query = async |expr: &str| {
        let form = [("query", expr)];
        let answer = server.attempt(server.request("POST", "/api/v1/query").form(&form)).await?;
        Some(answer.json())
    };
    let one = until("a scrape", async || {
        let found = query("up{job=\"evenkeel\"}").await?;
        (found["data"]["result"][0]["value"][1] == "1").then_some(found)
    });
    one.await;
    let rules = until("the alerts", async || {
        let rules = server.attempt(server.request("GET", "/api/v1/rules")).await?.json();
        let all = rules["data"]["groups"][0]["rules"].as_array()?.clone();
        (!all.is_empty() && all.iter().all(|rule| rule["health"] != "unknown")).then_some(all)
    });
    let rules = rules.await;
    assert!(
        rules.len() >= 10 && rules.iter().all(|rule| rule["health"] == "ok" && rule["state"] == "inactive"),
        "{rules:?}"
    );

    let dashboard: Value = serde_json::from_str(&read("grafana/evenkeel.json")).unwrap();
    let asked = asked_by(&dashboard);
    assert!(asked.len() > 20);
    for expr in &asked {
        assert_eq!(query(expr).await.unwrap()["status"], "success", "{expr}");
    }
    let all = format!("{}\n{}", read("prometheus/alerts.yml"), asked.join("\n"));
    // Other tests check this metric, which requires a limiter store.
    let optional = ["evenkeel_limiter_store_up"];
    for name in figures(&all).iter().filter(|name| !optional.contains(&name.as_str())) {
        assert!(told.contains(&name.as_str()), "{name} is no figure of ours: {told:?}");
    }
    running.signal(Signal::SIGTERM);
}

pub async fn systemd_sandbox_has_a_low_exposure_score() {
    // The threshold is in tenths of the exposure level: 0 is fully sandboxed, 100 is exposed.
    let (done, told) = run(Command::new("systemd-analyze")
        .args(["security", "--offline=true", "--threshold=20", "--no-pager"])
        .arg(deploy("evenkeel@.service")));
    println!("{}", told.lines().last().unwrap_or_default());
    assert!(done, "{told}");
}

pub async fn caddy_serves_the_site_with_the_example_configuration() {
    let (dir, lease) = (reachable_tempdir(), DatabaseLease::take().await);
    let front = Program::new(dir.path()).address;
    let program = Program::new(dir.path()).with("DATABASE_URL", &lease.url).with("TRUSTED_PROXIES", "127.0.0.1");
    let running = program.start().await;
    let caddy = || {
        let mut command = Command::new("caddy");
        command.env("SITE", format!("http://{front}")).env("INSTANCES", program.address.to_string());
        command.env("HOME", dir.path()).env("XDG_DATA_HOME", dir.path()).env("XDG_CONFIG_HOME", dir.path());
        command
    };
    let config = format!("--config={}", deploy("Caddyfile").display());
    let (done, told) = run(caddy().args(["validate", "--adapter=caddyfile", &config]));
    assert!(done, "{told}");
    let _caddy = Beside::start(caddy().args(["run", "--adapter=caddyfile", &config]), &dir.path().join("caddy.log"));
    let guest = Actor::new(front);
    until("an answer", async || {
        let answer = guest.attempt(guest.request("GET", "/blogs/")).await?;
        (answer.status == 200).then_some(())
    })
    .await;
    // Caddy detects by its health check that an instance is shutting down.
    running.signal(Signal::SIGTERM);
    until("an answer without an instance", async || {
        let answer = guest.attempt(guest.request("GET", "/blogs/")).await?;
        (answer.status == 503 || answer.status == 502).then_some(())
    })
    .await;
}

/// Instances on separate ports. A shell script starts and stops them in place of systemd.
struct Instances {
    dir: PathBuf,
    ports: Vec<u16>,
}

impl Instances {
    /// Starts instances of `program`. Restarted instances run the current version.
    fn start(dir: &Path, lease: &DatabaseLease, ports: &[u16], program: &Path) -> Self {
        let script = format!(
            r#"cd {dir}
            if [ -e $1.pid ]; then
                pid=$(cat $1.pid); kill -TERM $pid
                while [ -d /proc/$pid ] && ! grep -q '^State:.*Z' /proc/$pid/status; do sleep 0.05; done
            fi
            env -i PATH="$PATH" BIND=127.0.0.1:$1 DATABASE_URL='{url}' SECRET_KEY={SECRET} RATE_CLASSES=off SIGN_IN_THROTTLE=off \
                RATING_LIMITER=off RATING_EDIT_LIMIT=off TRUSTED_PROXIES=127.0.0.1 DATABASE_CONNECTIONS=8 RUST_LOG=warn \
                "${{FIRST_PROGRAM:-{program}}}" >>$1.log 2>&1 </dev/null &
            echo $! >$1.pid"#,
            dir = dir.display(),
            url = lease.url,
            program = env!("CARGO_BIN_EXE_evenkeel"),
        );
        std::fs::write(dir.join("restart.sh"), script).unwrap();
        for port in ports {
            let mut restart = Command::new("sh");
            restart.arg(dir.join("restart.sh")).arg(port.to_string()).env("FIRST_PROGRAM", program);
            let (done, told) = run(&mut restart);
            assert!(done, "{told}");
        }
        Self { dir: dir.to_owned(), ports: ports.to_vec() }
    }

    fn pids(&self) -> Vec<i32> {
        let pid = |port| std::fs::read_to_string(self.dir.join(format!("{port}.pid"))).unwrap().trim().parse().unwrap();
        self.ports.iter().map(pid).collect()
    }
}

impl Drop for Instances {
    fn drop(&mut self) {
        for pid in self.pids() {
            let _ = kill(Pid::from_raw(pid), Signal::SIGKILL);
        }
    }
}

/// Starts nginx with the example configuration, the ports of the test and a self-signed certificate.
fn nginx(dir: &Path, ports: &[u16], plain: u16, secure: u16) -> (Beside, Certificate) {
    let made = rcgen::generate_simple_self_signed(vec!["127.0.0.1".to_owned()]).unwrap();
    std::fs::write(dir.join("fullchain.pem"), made.cert.pem()).unwrap();
    std::fs::write(dir.join("privkey.pem"), made.signing_key.serialize_pem()).unwrap();
    // Marks the last instance as `down`, as after a failed restart. The next rolling restart enables the instance
    // again.
    let is_left_out = |port: &u16| if Some(port) == ports.last() { " down" } else { "" };
    let instances: Vec<_> =
        ports.iter().map(|port| format!("    server 127.0.0.1:{port}{};\n", is_left_out(port))).collect();
    let own = dir.display().to_string();
    let example = read("nginx.conf");
    let example: Vec<_> = example.lines().filter(|line| !line.contains("[::]")).collect();
    let example = (example.join("\n") + "\n")
        .replace("    server 127.0.0.1:8000;\n", &instances.concat())
        .replace("listen 80;", &format!("listen 127.0.0.1:{plain};"))
        .replace("listen 443 ", &format!("listen 127.0.0.1:{secure} "))
        .replace("/etc/letsencrypt/live/blog.example.com", &own)
        .replace("/var/log/nginx", &own);
    std::fs::write(dir.join("site.conf"), example).unwrap();
    (start_nginx(dir), Certificate::from_pem(made.cert.pem().as_bytes()).unwrap())
}

/// Starts nginx with the configuration of the site in `site.conf`.
fn start_nginx(dir: &Path) -> Beside {
    let own = dir.display();
    let user = if nix::unistd::geteuid().is_root() { "user root;" } else { "" };
    let main = format!(
        "{user} daemon off; worker_processes 2; pid {own}/nginx.pid; error_log {own}/nginx.err warn;\n\
        events {{ worker_connections 512; }}\n\
        http {{ client_body_temp_path {own}/body; proxy_temp_path {own}/proxy; fastcgi_temp_path {own}/f; uwsgi_temp_path {own}/u;\n\
        scgi_temp_path {own}/s; include {own}/site.conf; }}\n"
    );
    std::fs::write(dir.join("nginx.conf"), main).unwrap();
    Beside::start(Command::new("nginx").arg("-c").arg(dir.join("nginx.conf")), &dir.join("nginx.out"))
}

/// Starts nginx in front of `instances` with the example configuration, without TLS.
pub fn nginx_without_tls(dir: &Path, instances: &[SocketAddr], address: SocketAddr) -> Beside {
    let servers: Vec<String> = instances.iter().map(|instance| format!("    server {instance};\n")).collect();
    let example = read("nginx.conf");
    let (begin, redirect) = example.split_once("server {\n    listen 80;").unwrap();
    let (_, https) = redirect.split_once("\n}\n").unwrap();
    let lines = https.lines().filter(|line| !line.contains("[::]") && !line.trim_start().starts_with("ssl_"));
    let site = format!("{begin}{}\n", lines.collect::<Vec<_>>().join("\n"))
        .replace("    server 127.0.0.1:8000;\n", &servers.concat())
        .replace("listen 443 ssl http2;", &format!("listen {address};"))
        .replace("/var/log/nginx", &dir.display().to_string());
    std::fs::write(dir.join("site.conf"), site).unwrap();
    start_nginx(dir)
}

/// If the environment variable `PREVIOUS_PROGRAM` is the path of an earlier version, the instances are upgraded from
/// it.
pub async fn rolling_restart_behind_nginx_fails_no_request() {
    let previous = std::env::var_os("PREVIOUS_PROGRAM").map(|path| std::fs::canonicalize(path).unwrap());
    let (dir, lease) = (reachable_tempdir(), DatabaseLease::fresh().await);
    let pool = sqlx::PgPool::connect_lazy_with(lease.options.clone());
    if previous.is_some() {
        // The earlier version applies its own migrations.
        sqlx::raw_sql("drop schema public cascade; create schema public").execute(&pool).await.unwrap();
    }
    let program = previous.unwrap_or_else(|| env!("CARGO_BIN_EXE_evenkeel").into());
    let free = || Program::new(dir.path()).address.port();
    let (ports, plain, secure) = ([free(), free(), free()], free(), free());
    let instances = Instances::start(dir.path(), &lease, &ports, &program);
    let before = instances.pids();
    let (_nginx, certificate) = nginx(dir.path(), &ports, plain, secure);
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client =
        Client::builder().tls_certs_only([certificate]).pool_max_idle_per_host(0).timeout(Duration::from_mins(5));
    let client = client.redirect(reqwest::redirect::Policy::none()).build().unwrap();
    let base = format!("https://127.0.0.1:{secure}");
    until("all instances", async || {
        for port in ports {
            let guest = Actor::new(([127, 0, 0, 1], port).into());
            if !guest.is_site_ready().await {
                return None;
            }
        }
        client.get(format!("{base}/blogs/")).send().await.ok()?.error_for_status().ok()
    })
    .await;
    let run_by = |pids: &[i32], program: &Path| {
        let program = std::fs::canonicalize(program).unwrap();
        pids.iter().all(|pid| std::fs::read_link(format!("/proc/{pid}/exe")).unwrap() == program)
    };
    assert!(run_by(&before, &program));
    let led = client.get(format!("http://127.0.0.1:{plain}/blogs/?q=x")).send().await.unwrap();
    assert_eq!(
        (led.status().as_u16(), led.headers()["location"].to_str().unwrap()),
        (308, "https://127.0.0.1/blogs/?q=x")
    );

    let send = async |method: Method, path: &str, cookie: &str, body: Option<&Value>| {
        let request = client
            .request(method, format!("{base}{path}"))
            .header("cookie", cookie)
            .header("accept", "application/json");
        let request = if let Some(body) = body { request.json(body) } else { request };
        request.send().await
    };
    let mut people = Vec::new();
    for name in ["ann", "bob", "eve", "kim"] {
        let body = json!({ "username": name, "email": "a@example.org", "password": PASSWORD });
        let answer = send(Method::POST, "/users/register/", "", Some(&body)).await.unwrap();
        assert_eq!(answer.status(), 201, "{}", answer.text().await.unwrap());
        let cookie = answer.headers()["set-cookie"].to_str().unwrap().split(';').next().unwrap().to_owned();
        people.push(cookie);
    }
    let post = json!({ "title": "Herons", "content": "They stand." });
    let post = send(Method::POST, "/blogs/create/", &people[0], Some(&post))
        .await
        .unwrap()
        .json::<Value>()
        .await
        .unwrap()["id"]
        .clone();
    for reader in &people[1..] {
        let rating = json!({ "blog": post, "rating": 3 });
        assert_eq!(send(Method::POST, "/rate/", reader, Some(&rating)).await.unwrap().status(), 201);
    }

    let is_done = Arc::new(AtomicBool::new(false));
    let busy = people[1..].iter().map(|reader| {
        let (is_done, post, send) = (is_done.clone(), post.clone(), &send);
        async move {
            let (mut count, mut written, mut failed) = (0, 0, Vec::new());
            while !is_done.load(Ordering::Relaxed) {
                count += 1;
                let change = json!({ "rating": 1 + count % 5 });
                let text = json!({ "title": format!("Post {count}"), "content": "Text" });
                let rate = format!("/rate/edit_user_rating/{post}/");
                let (method, path, body, good) = match count % 3 {
                    0 => (Method::GET, "/blogs/", None, 200),
                    1 => (Method::POST, rate.as_str(), Some(&change), 200),
                    _ => (Method::POST, "/blogs/create/", Some(&text), 201),
                };
                match send(method.clone(), path, reader, body).await {
                    Ok(answer) if answer.status() == good => written += i64::from(good == 201),
                    Ok(answer) => failed.push(format!("{method} {path}: {}", answer.status())),
                    Err(error) => failed.push(format!("{method} {path}: {error:?}")),
                }
            }
            (count, written, failed)
        }
    });
    let restart = {
        let mut command = Command::new(deploy("rolling-restart.sh"));
        command.args(ports.map(|port| port.to_string())).env("NGINX_FILE", dir.path().join("site.conf"));
        command.env("NGINX_COMMAND", format!("nginx -c {}", dir.path().join("nginx.conf").display()));
        command.env("RESTART", format!("sh {} ", dir.path().join("restart.sh").display()));
        let is_done = is_done.clone();
        async move {
            let told = actix_web::rt::task::spawn_blocking(move || run(&mut command)).await.unwrap();
            is_done.store(true, Ordering::Relaxed);
            told
        }
    };
    let (all, (done, told)) = tokio::join!(futures_util::future::join_all(busy), restart);
    assert!(done, "{told}");
    let after = instances.pids();
    assert!(before.iter().zip(&after).all(|(before, after)| before != after), "{before:?} {after:?}");
    assert!(run_by(&after, Path::new(env!("CARGO_BIN_EXE_evenkeel"))));
    assert!(!std::fs::read_to_string(dir.path().join("site.conf")).unwrap().contains(" down;"));
    let failed: Vec<String> = all.iter().flat_map(|(.., failed)| failed.clone()).collect();
    let (requests, written): (i64, i64) = (all.iter().map(|one| one.0).sum(), all.iter().map(|one| one.1).sum());
    println!("{requests} requests while three instances restarted: {} failed\n{told}", failed.len());
    assert!(failed.is_empty() && requests > 100, "{requests} requests: {failed:#?}");
    // Checks that no request was executed twice.
    let stored: i64 = sqlx::query_scalar("select count(*) from blog_posts").fetch_one(&pool).await.unwrap();
    assert_eq!(stored, written + 1);
    let site = TestSite::start_on(lease, &[], 0, Clock::Database);
    assert_eq!(site.posts_with_wrong_totals().await, [0; 0]);
}
