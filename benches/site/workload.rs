//! Measured site: its server process, users and posts, and requests to it.

use std::cell::Cell;
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use actix_web::cookie::{Cookie, CookieJar};
use anyhow::{Context as _, ensure};
use evenkeel::db::migrate;
use evenkeel::signing::{Keys, SecretKey};
use sqlx::postgres::PgConnectOptions;
use sqlx::{Connection as _, PgConnection};

use crate::baselines::{free_address, wait_for};
use crate::cpu;
use crate::load::{self, Measurement, RequestFactory, run_load};

const SECRET: &str = "only for a benchmark, 32 bytes and more";

/// Number of hot posts: posts that receive all ratings of one measurement. Random ratings never choose a hot post.
pub const HOT_POSTS: u64 = 16;

/// Temporary folder that the database server's user can access, even if the benchmark runs as root.
pub fn folder() -> anyhow::Result<tempfile::TempDir> {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir()?;
    std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o755))?;
    Ok(folder)
}

pub struct Site {
    process: Child,
    pub address: SocketAddr,
    pub ready_after: Duration,
}

impl Site {
    /// Starts the site with rate limits that are never reached, so that the benchmark measures admitted ratings only.
    pub fn start(folder: &Path, database_url: &str) -> anyhow::Result<Self> {
        Self::start_with(folder, database_url, &[])
    }

    /// Starts the site with additional environment variables.
    pub fn start_with(folder: &Path, database_url: &str, settings: &[(&str, &str)]) -> anyhow::Result<Self> {
        let address = free_address()?;
        let mut command = Command::new(env!("CARGO_BIN_EXE_evenkeel"));
        command.current_dir(folder).env("BIND", address.to_string()).env("DATABASE_URL", database_url);
        for (name, value) in [
            ("SECRET_KEY", SECRET),
            ("RUST_LOG", "error"),
            ("RATE_CLASSES", "off"),
            ("SIGN_IN_THROTTLE", "off"),
            ("RATING_EDIT_LIMIT", "off"),
            ("RATING_LIMITER", "leaky_bucket"),
            ("LEAKY_BUCKET_CAPACITY", "1000000000"),
            ("LEAKY_BUCKET_LEAK_PER_SECOND", "1000000"),
        ] {
            command.env(name, value);
        }
        command.envs(settings.iter().copied());
        let begun = Instant::now();
        let process = command.stdout(Stdio::null()).spawn()?;
        let mut site = Self { process, address, ready_after: Duration::ZERO };
        wait_for(address)?;
        while !matches!(site.ask("/readyz", None), Ok((200, _))) {
            let ended = site.process.try_wait()?;
            ensure!(ended.is_none() && begun.elapsed() < Duration::from_mins(1), "the site does not start: {ended:?}");
            std::thread::sleep(Duration::from_millis(5));
        }
        site.ready_after = begun.elapsed();
        Ok(site)
    }

    pub fn page_of(&self, post: u64) -> anyhow::Result<String> {
        let (status, text) = self.ask(&format!("/blogs/{post}/"), None)?;
        let text = String::from_utf8_lossy(&text).to_lowercase();
        let location = text.lines().find_map(|line| line.strip_prefix("location: "));
        Ok(location.with_context(|| format!("post {post} was answered with {status}"))?.trim().to_owned())
    }

    pub fn fetch(&self, path: &str) -> anyhow::Result<Vec<u8>> {
        self.fetch_as(path, None)
    }

    /// Returns the body of a page for the user of the session `cookie`.
    pub fn fetch_as(&self, path: &str, cookie: Option<&str>) -> anyhow::Result<Vec<u8>> {
        let (status, text) = self.ask(path, cookie)?;
        let body = text.windows(4).position(|bytes| bytes == b"\r\n\r\n").context("no end of the head")? + 4;
        ensure!(status == 200, "{path} was answered with {status}");
        Ok(text[body..].to_vec())
    }

    fn ask(&self, path: &str, cookie: Option<&str>) -> anyhow::Result<(u16, Vec<u8>)> {
        use std::io::{Read as _, Write as _};
        let mut stream = std::net::TcpStream::connect(self.address)?;
        let cookie = cookie.map(|cookie| format!("Cookie: {cookie}\r\n")).unwrap_or_default();
        let head = format!("Host: localhost\r\nAccept: text/html\r\n{cookie}Connection: close");
        write!(stream, "GET {path} HTTP/1.1\r\n{head}\r\n\r\n")?;
        let mut text = Vec::new();
        stream.read_to_end(&mut text)?;
        let status = String::from_utf8_lossy(&text).split(' ').nth(1).context("no status")?.parse()?;
        Ok((status, text))
    }

    pub fn measure_cpu_time(&self, time: Duration, measure: impl FnOnce() -> Measurement) -> Measurement {
        cpu::measure_cpu_time(self.process.id(), time, measure)
    }

    /// Peak memory of the site's process, in MB.
    pub fn peak_memory_mb(&self) -> anyhow::Result<f64> {
        peak_memory_mb(self.process.id())
    }
}

/// Peak memory of a process (`VmHWM` of `/proc`), in MB.
pub fn peak_memory_mb(process: u32) -> anyhow::Result<f64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).context("no /proc here")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).context("no peak")?;
    Ok(line.trim().trim_end_matches(" kB").parse::<f64>()? / 1024.0)
}

impl Drop for Site {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Database with signed-in users and posts.
pub struct Dataset {
    pub database: PgConnectOptions,
    cookies: Arc<[String]>,
    /// Number of posts, not counting the [`HOT_POSTS`].
    posts: Cell<u64>,
    /// ID of the hot post that the latest measurement rated.
    hot: Cell<u64>,
    /// Sequence number of the next rating by [`spread_ratings`](Self::spread_ratings).
    spread: Arc<AtomicU64>,
}

impl Dataset {
    /// Inserts `users` users with sessions into the database. The first user is the author of all posts.
    pub async fn create_users(database: &PgConnectOptions, users: u64) -> anyhow::Result<Self> {
        migrate(database, &|_| ()).await?;
        let mut connection = PgConnection::connect_with(database).await?;
        for sql in [
            "insert into users (username, username_key, email, password_hash, created_at)
            select 'reader' || n, 'reader' || n, 'reader@example.org', '!', now() from generate_series(1, $1) n order by n",
            "insert into sessions (token_hash, user_id, state, created_at, seen_at, expires_at)
            select sha256(convert_to(to_char(n, 'FM0000000000000000'), 'utf8')), u.id, '{\"session_version\": 1}',
                now(), now(), now() + interval '1 day'
            from generate_series(1, $1) n join users u on u.username_key = 'reader' || n",
        ] {
            sqlx::query(sql).bind(i64::try_from(users)?).execute(&mut connection).await?;
        }
        sqlx::raw_sql("vacuum analyze").execute(&mut connection).await?;
        let keys = Keys::derive(&SecretKey::from_text(SECRET).map_err(anyhow::Error::msg)?);
        let cookie = |reader: u64| {
            let mut jar = CookieJar::new();
            jar.signed_mut(&keys.session_key()).add(Cookie::new("session", format!("{reader:016}")));
            jar.get("session").map(|cookie| cookie.encoded().to_string()).unwrap_or_default()
        };
        Ok(Self {
            database: database.clone(),
            cookies: (1..=users).map(cookie).collect(),
            posts: Cell::new(0),
            hot: Cell::new(0),
            spread: Arc::default(),
        })
    }

    /// Counts posts that were added by SQL, so that [`spread_ratings`](Self::spread_ratings) rates them, too.
    pub fn add_posts(&self, count: u64) {
        self.posts.set(self.posts.get() + count);
    }

    pub fn first_cookie(&self) -> Option<&str> {
        self.cookies.first().map(String::as_str)
    }

    /// Publishes `posts` posts of typical length and the hot posts, by HTTP requests to the site.
    pub async fn create_posts(&self, site: &Site, posts: u64) -> anyhow::Result<()> {
        let author = self.cookies[0].clone();
        let wanted = posts + HOT_POSTS;
        let text = (0..400).map(|n: u64| format!("word{}", n * n % 977)).collect::<Vec<_>>();
        let text = text.chunks(80).map(|words| words.join(" ")).collect::<Vec<_>>().join("\\n\\n");
        let make: RequestFactory = Arc::new(move |number| {
            let body = format!("{{\"title\": \"Post number {number}\", \"content\": \"{text}\"}}");
            post("/blogs/create/", &author, &body)
        });
        let mut connection = PgConnection::connect_with(&self.database).await?;
        loop {
            let count: i64 = sqlx::query_scalar("select count(*) from blog_posts").fetch_one(&mut connection).await?;
            if count.cast_unsigned() >= wanted {
                break;
            }
            let measured = run_load(site.address, 8, Duration::from_millis(500), &make);
            ensure!(measured.failed == 0, "a post was answered with {:?}", measured.failed_with);
        }
        sqlx::raw_sql("vacuum analyze").execute(&mut connection).await?;
        self.posts.set(posts);
        Ok(())
    }

    /// Returns requests that rate one hot post, each as a different user. Each call returns requests for another hot
    /// post, because a user can rate a post only once.
    pub fn hot_ratings(&self) -> RequestFactory {
        self.hot.set(self.hot.get() + 1);
        rating_requests(self, self.hot.get())
    }

    /// Returns requests that rate posts from the whole site. The users take turns.
    pub fn spread_ratings(&self) -> RequestFactory {
        let (cookies, posts, next) = (self.cookies.clone(), self.posts.get(), self.spread.clone());
        Arc::new(move |_| {
            let number = next.fetch_add(1, Ordering::Relaxed);
            // `turn` increases when all users have rated a post, so that each user then rates a different post.
            let turn = number / (cookies.len() as u64 - 1);
            rating(&cookies, 1 + HOT_POSTS + (number * 7919 + turn) % posts, number)
        })
    }

    /// Returns requests that read posts from the whole site as JSON. The users take turns.
    pub fn json_reads(&self) -> RequestFactory {
        let posts = self.posts.get();
        reading(self, move |number| format!("/blogs/{}/", 1 + HOT_POSTS + number * 7919 % posts), "application/json")
    }

    /// Checks that the stored totals of all posts equal the totals of their ratings.
    pub async fn check_totals(&self) -> anyhow::Result<()> {
        let mut connection = PgConnection::connect_with(&self.database).await?;
        let wrong: i64 = sqlx::query_scalar(
            "select count(*) from rating_totals t join
                (select blog_id, count(*) as count, sum(rating) as sum from rates group by blog_id) r using (blog_id)
            where (t.rating_count, t.rating_sum) <> (r.count, r.sum)",
        )
        .fetch_one(&mut connection)
        .await?;
        ensure!(wrong == 0, "the totals of {wrong} posts are wrong");
        Ok(())
    }
}

/// Returns requests that rate one post, each as a different user.
pub fn rating_requests(filled: &Dataset, post: u64) -> RequestFactory {
    let (cookies, next) = (filled.cookies.clone(), AtomicU64::new(0));
    Arc::new(move |_| rating(&cookies, post, next.fetch_add(1, Ordering::Relaxed)))
}

/// Returns rating request number `number`. The users take turns, except the first user, who wrote the posts.
fn rating(cookies: &[String], blog: u64, number: u64) -> String {
    let reader = 1 + number % (cookies.len() as u64 - 1);
    post("/rate/", cookie(cookies, reader), &format!("{{\"blog\": {blog}, \"rating\": {}}}", 1 + number % 5))
}

/// Returns requests that read one post as JSON. The users take turns.
pub fn json_requests(filled: &Dataset, post: u64) -> RequestFactory {
    reading(filled, move |_| format!("/blogs/{post}/"), "application/json")
}

/// Returns requests that read one page. The users take turns.
pub fn page_requests(filled: &Dataset, path: &str) -> RequestFactory {
    let path = path.to_owned();
    reading(filled, move |_| path.clone(), "text/html")
}

fn reading(
    filled: &Dataset,
    path: impl Fn(u64) -> String + Send + Sync + 'static,
    accept: &'static str,
) -> RequestFactory {
    let cookies = filled.cookies.clone();
    Arc::new(move |number| {
        let (path, cookie) = (path(number), cookie(&cookies, number));
        format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nAccept: {accept}\r\nCookie: {cookie}\r\n\r\n")
    })
}

fn cookie(cookies: &[String], reader: u64) -> &str {
    &cookies[usize::try_from(reader).unwrap_or_default() % cookies.len()]
}

fn post(path: &str, cookie: &str, body: &str) -> String {
    format!(
        "POST {path} HTTP/1.1\r\nHost: localhost\r\nAccept: application/json\r\nContent-Type: application/json\r\n\
        Cookie: {cookie}\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// Sends requests for `time`. Returns the number of successful responses per second.
pub fn requests_per_second(site: &Site, time: Duration, make: &RequestFactory) -> anyhow::Result<f64> {
    let measured = load::run_load(site.address, crate::CLIENTS, time, make);
    ensure!(
        measured.failed == 0,
        "{} answers were no success, one of them {:?}",
        measured.failed,
        measured.failed_with
    );
    Ok(measured.per_second)
}
