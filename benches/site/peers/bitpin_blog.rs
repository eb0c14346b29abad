//! BitPin-Blog with gunicorn and `SQLite`, the database of its settings.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::{POSTS, Peers, run};
use crate::baselines::{Server, free_address, wait_for};
use crate::load::RequestFactory;

/// Number of users, each of whom rates a post once.
const USERS: u64 = 4_000;

/// Settings of BitPin-Blog, without its limiters and without debugging.
const SETTINGS: &str = "
from bitpin_blog.settings import *
DEBUG = False
ALLOWED_HOSTS = ['*']
FLAGS = {name: [{'condition': 'boolean', 'value': False}] for name in FLAGS}
";

/// Token for both the CSRF cookie and the CSRF header, which Django only compares.
const CSRF_TOKEN: &str = "abcdefghijklmnopqrstuvwxyz012345";

pub struct BitPinBlog {
    pub address: SocketAddr,
    python: PathBuf,
    dir: PathBuf,
    sessions: Arc<[String]>,
    _server: Server,
}

impl BitPinBlog {
    pub fn start(folder: &Path, peers: &Peers) -> anyhow::Result<Self> {
        let dir = folder.join("bitpin_blog");
        run(Command::new("cp").arg("-r").arg(peers.bitpin_blog.join("bitpin_blog")).arg(&dir))?;
        std::fs::write(dir.join("benchmark_settings.py"), SETTINGS)?;
        let arguments = [USERS, POSTS].map(|number| number.to_string());
        // A relative path of Python is made absolute, because the current directory changes.
        let is_path = peers.python.components().count() > 1;
        let python = if is_path { std::path::absolute(&peers.python)? } else { peers.python.clone() };
        let sessions = script(&python, &dir, &arguments)?;
        let address = free_address()?;
        let mut gunicorn = Command::new(&python);
        gunicorn.args(["-m", "gunicorn", "--workers=4", "--worker-class=gthread", "--threads=4", "--keep-alive=60"]);
        gunicorn.args(["--log-level=critical", "--bind", &address.to_string(), "bitpin_blog.wsgi"]);
        let server = Server::start(gunicorn.current_dir(&dir).env("DJANGO_SETTINGS_MODULE", "benchmark_settings"))?;
        wait_for(address)?;
        let sessions = sessions.lines().map(str::to_owned).collect();
        Ok(Self { address, python, dir, sessions, _server: server })
    }

    /// Requests that rate the posts that `post` returns. The users take turns.
    pub fn ratings(&self, post: fn(u64) -> u64) -> RequestFactory {
        let (sessions, next) = (Arc::clone(&self.sessions), AtomicU64::new(0));
        Arc::new(move |_| {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let body = format!("{{\"blog\": {}, \"rating\": {}}}", post(number), 1 + number % 5);
            format!(
                "POST /rate/ HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
                X-CSRFToken: {CSRF_TOKEN}\r\nCookie: csrftoken={CSRF_TOKEN}; sessionid={}\r\n\
                Content-Length: {}\r\n\r\n{body}",
                session(&sessions, number),
                body.len()
            )
        })
    }

    /// Requests of signed-in users for posts, because BitPin-Blog returns errors to anonymous visitors.
    pub fn pages(&self) -> RequestFactory {
        let sessions = Arc::clone(&self.sessions);
        Arc::new(move |number| {
            let (post, session) = (1 + number % POSTS, session(&sessions, number));
            format!("GET /blogs/{post}/ HTTP/1.1\r\nHost: localhost\r\nCookie: sessionid={session}\r\n\r\n")
        })
    }

    /// Largest difference between a stored average and the average of the ratings, in stars.
    pub fn average_error(&self) -> anyhow::Result<f64> {
        Ok(script(&self.python, &self.dir, &["check".to_owned()])?.trim().parse()?)
    }
}

fn session(sessions: &[String], number: u64) -> &str {
    &sessions[usize::try_from(number).unwrap() % sessions.len()]
}

/// Runs `bitpin_blog.py`.
fn script(python: &Path, dir: &Path, arguments: &[String]) -> anyhow::Result<String> {
    let mut command = Command::new(python);
    command.args(["-c", include_str!("bitpin_blog.py")]).args(arguments).current_dir(dir);
    run(command.env("DJANGO_SETTINGS_MODULE", "benchmark_settings"))
}
