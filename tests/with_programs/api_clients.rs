//! Clients generated from the description of the API, and random requests to all of its operations.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::support::{Actor, DatabaseLease, PASSWORD, Program, RunningProgram, reachable_tempdir};

/// Path of a Python program or npm package that the tests use.
pub fn tool(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("target/tools").join(name)
}

fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/with_programs/clients").join(name)
}

/// Runs a program. Panics with the output of the program if it fails.
fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let told = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert!(output.status.success(), "{command:?}\n{told}");
    told
}

/// Site that limits each post to one rating per second.
struct Site {
    dir: tempfile::TempDir,
    address: SocketAddr,
    url: String,
    program: Program,
    _running: RunningProgram,
    _lease: DatabaseLease,
}

impl Site {
    async fn start() -> Self {
        let (dir, lease) = (reachable_tempdir(), DatabaseLease::take().await);
        let program = Program::new(dir.path()).with("DATABASE_URL", &lease.url).with("SIGN_IN_THROTTLE", "off");
        // Mail stays in the outbox, because no SMTP server listens on port 9.
        let program = program.with("SMTP_URL", "smtp://127.0.0.1:9").with("MAIL_FROM", "site@example.com");
        let program = program.with("EVENKEEL_SUPERUSER_PASSWORD", PASSWORD);
        let program = program.with("LEAKY_BUCKET_CAPACITY", "1").with("LEAKY_BUCKET_LEAK_PER_SECOND", "1");
        let running = program.start().await;
        Self {
            dir,
            address: program.address,
            url: format!("http://{}", program.address),
            program,
            _running: running,
            _lease: lease,
        }
    }

    /// Runs an `evenkeel` command, and returns its output.
    fn run(&self, arguments: &[&str]) -> String {
        let (done, told) = self.program.run(arguments);
        assert!(done, "{arguments:?}: {told}");
        told
    }

    /// Downloads the description of the API, and returns its path.
    async fn schema(&self) -> PathBuf {
        let path = self.dir.path().join("schema.json");
        std::fs::write(&path, Actor::new(self.address).get("/api/schema/").await.expect(200).text).unwrap();
        path
    }
}

pub async fn python_client_publishes_and_rates() {
    let site = Site::start().await;
    let client = site.dir.path().join("evenkeel_client");
    let mut generator = Command::new(tool("python/bin/openapi-python-client"));
    generator.args(["generate", "--meta=none", "--path"]).arg(site.schema().await).arg("--output-path").arg(&client);
    run(&mut generator);
    let mut python = Command::new(tool("python/bin/python"));
    let told = run(python.env("PYTHONPATH", site.dir.path()).arg(source("client.py")).arg(&site.url));
    assert_eq!(told.trim(), "ok");
}

pub async fn typescript_client_publishes_and_rates() {
    let site = Site::start().await;
    let dir = site.dir.path();
    std::os::unix::fs::symlink(tool("node_modules"), dir.join("node_modules")).unwrap();
    std::fs::write(dir.join("package.json"), r#"{"type": "module"}"#).unwrap();
    std::fs::copy(source("client.ts"), dir.join("client.ts")).unwrap();
    let program = |name: &str| {
        let mut command = Command::new(tool("node_modules/.bin").join(name));
        command.current_dir(dir);
        command
    };
    run(program("openapi-typescript").arg(site.schema().await).args(["--output", "schema.d.ts"]));
    let options = ["--strict", "--target", "es2023", "--module", "nodenext", "--types", "node"];
    run(program("tsc").args(options).arg("client.ts"));
    let told = run(Command::new("node").current_dir(dir).args(["client.js", &site.url]));
    assert_eq!(told.trim(), "ok");
}

pub async fn random_requests_get_the_described_responses() {
    let site = Site::start().await;
    site.run(&["createsuperuser", "--noinput", "--username", "ada", "--email", "ada@example.com"]);
    let scopes = ["read", "rate", "write", "account", "admin"].map(|scope| format!("--scope={scope}"));
    let mut arguments = vec!["token", "create", "--name=random", "ada"];
    arguments.extend(scopes.iter().map(String::as_str));
    let told = site.run(&arguments);
    let token = told.split_whitespace().find(|word| word.starts_with("ek_")).unwrap();
    let author = Actor::with_token(site.address, token);
    let post = author.write("Herons", "They **stand**.").await;
    author.post(&format!("/blogs/{post}/publish/"), &json!({})).await.expect(200);
    let mut schemathesis = Command::new(tool("python/bin/schemathesis"));
    let config = source("schemathesis.toml");
    schemathesis.current_dir(site.dir.path()).arg("--config-file").arg(config).args([
        "run",
        "--max-examples=10",
        "--seed=1",
    ]);
    schemathesis.args(["--header", "Accept: application/json", "--header", &format!("Authorization: Bearer {token}")]);
    let schema = site.schema().await;
    // The headers `Idempotency-Key` and `If-Match` are removed: Schemathesis reuses keys for different requests, which
    // the site rejects with 422, and sends an empty `If-Match` despite the pattern.
    let mut description: Value = serde_json::from_slice(&std::fs::read(&schema).unwrap()).unwrap();
    for operation in description["paths"].as_object_mut().unwrap().values_mut() {
        if let Some(Value::Array(parameters)) = operation.pointer_mut("/post/parameters") {
            parameters.retain(|parameter| parameter["name"] != "Idempotency-Key" && parameter["name"] != "If-Match");
        }
    }
    std::fs::write(&schema, description.to_string()).unwrap();
    let told = run(schemathesis.arg("--url").arg(&site.url).arg(schema));
    println!("{}", told.lines().last().unwrap_or_default());
}
