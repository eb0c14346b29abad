//! Programs with which the site is compared: `pgbench`, nginx and `wrk`.

use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use evenkeel::db::Cluster;
use sqlx::{Connection as _, PgConnection};

use crate::CLIENTS;
use crate::load::Measurement;

/// `pgbench` script that rates the same post in every transaction.
pub const RATE_ONE: &str =
    "\\set reader random(1, 9000000000)\nselect baseline.rate(:reader::bigint, 1, 4::smallint);\n";
/// `pgbench` script that rates a random post.
pub const RATE_ANY: &str = "\\set reader random(1, 9000000000)\n\\set post random(1, :posts)\n\
    select baseline.rate(:reader::bigint, :post::bigint, 4::smallint);\n";
/// `pgbench` script that reads a random post.
pub const READ: &str = "\\set post random(1, :posts)\nselect * from baseline.posts where id = :post;\n";

/// Schema and function for `pgbench` that do the work of the site in plain SQL. The tables store posts with counters, a
/// leaky bucket per post, and ratings; one function call writes each rating.
const SCHEMA: &str = "
    create schema baseline;
    create table baseline.posts (
        id bigint primary key, title text not null, content text not null, rating_count bigint not null default 0,
        rating_sum bigint not null default 0, average_rating double precision not null default 0
    );
    create table baseline.buckets (
        post_id bigint primary key references baseline.posts, level double precision not null, leaked_at timestamptz not null
    );
    create table baseline.ratings (
        id bigint generated always as identity primary key, reader_id bigint not null,
        post_id bigint not null references baseline.posts, stars smallint not null,
        rated_at timestamptz not null default now(), unique (reader_id, post_id)
    );
    create function baseline.rate(reader bigint, post bigint, stars smallint) returns boolean language plpgsql as $$
    declare
        capacity constant double precision := 1e9;
        bucket baseline.buckets;
        poured double precision;
    begin
        select * into bucket from baseline.buckets where post_id = post for update;
        poured := greatest(0, bucket.level - extract(epoch from clock_timestamp() - bucket.leaked_at) * capacity) + 1;
        if poured > capacity then
            return false;
        end if;
        insert into baseline.ratings (reader_id, post_id, stars) values (reader, post, stars) on conflict do nothing;
        if not found then
            return false;
        end if;
        update baseline.buckets set level = poured, leaked_at = clock_timestamp() where post_id = post;
        update baseline.posts set rating_count = rating_count + 1, rating_sum = rating_sum + stars,
            average_rating = (rating_sum + stars)::double precision / (rating_count + 1) where id = post;
        return true;
    end $$;
";

/// Load generator `pgbench`, which is part of `PostgreSQL`.
pub struct PgBench {
    program: PathBuf,
    socket: String,
    folder: PathBuf,
    posts: u64,
    time: Duration,
}

impl PgBench {
    /// Creates the schema [`SCHEMA`] in the database of the site, and fills it.
    pub async fn prepare(cluster: &Cluster, folder: &Path, posts: u64, time: Duration) -> anyhow::Result<Self> {
        let program = cluster.bin_dir()?.join("pgbench");
        ensure!(program.exists(), "{} is missing: install what comes with PostgreSQL's server", program.display());
        let options = cluster.connect_options();
        let mut connection = PgConnection::connect_with(&options).await?;
        sqlx::raw_sql(SCHEMA).execute(&mut connection).await?;
        for fill in [
            "insert into baseline.posts (id, title, content) select n, 't' || n, repeat('some words ', 250) from generate_series(1, $1) n",
            "insert into baseline.buckets select id, 0, now() from baseline.posts where id <= $1",
        ] {
            sqlx::query(fill).bind(i64::try_from(posts)?).execute(&mut connection).await?;
        }
        let socket = options.get_socket().context("the database has no socket")?.display().to_string();
        Ok(Self { program, socket, folder: folder.to_owned(), posts, time })
    }

    pub fn run(&self, script: &str) -> Measurement {
        let file = self.folder.join("script.sql");
        std::fs::write(&file, script).unwrap();
        let clients = CLIENTS.to_string();
        let output = Command::new(&self.program)
            .args(["--no-vacuum", "--protocol=prepared", "--jobs=2", "--client", &clients, "--username=evenkeel"])
            .args(["--host", &self.socket, "--time", &self.time.as_secs().to_string()])
            .args(["--define", &format!("posts={}", self.posts), "--file"])
            .arg(&file)
            .arg("evenkeel")
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        let rate = text.lines().find_map(|line| line.strip_prefix("tps = ")?.split(' ').next()?.parse().ok());
        let complaint = || format!("pgbench failed: {}", String::from_utf8_lossy(&output.stderr));
        Measurement {
            per_second: rate.unwrap_or_else(|| panic!("{}", complaint())),
            latency: None,
            failed: 0,
            failed_with: None,
            spent: None,
        }
    }
}

/// Server process, which is stopped when this value is dropped.
pub struct Server(Child);

impl Server {
    pub fn start(command: &mut Command) -> anyhow::Result<Self> {
        Ok(Self(command.stdin(Stdio::null()).stdout(Stdio::null()).spawn()?))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // SIGTERM lets a server stop its worker processes, which would survive SIGKILL.
        let pid = nix::unistd::Pid::from_raw(self.0.id().try_into().unwrap());
        let _ = nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGTERM);
        let _ = self.0.wait();
    }
}

/// nginx with one site.
pub struct Nginx {
    pub address: SocketAddr,
    _server: Server,
}

impl Nginx {
    /// Serves `page` as the static file `/page.html`. Returns `None` if nginx is not installed.
    pub fn start(folder: &Path, page: &[u8]) -> anyhow::Result<Option<Self>> {
        std::fs::write(folder.join("page.html"), page)?;
        Self::start_with(folder, &format!("root {};", folder.display()))
    }

    /// Starts nginx with the directives `site` in its `server` block. Returns `None` if nginx is not installed.
    pub fn start_with(folder: &Path, site: &str) -> anyhow::Result<Option<Self>> {
        let Some(program) = find("nginx") else { return Ok(None) };
        let address = free_address()?;
        let user = if nix::unistd::geteuid().is_root() { "user root;" } else { "" };
        let (folder, file) = (folder.display(), folder.join("nginx.conf"));
        let text = format!(
            "{user} worker_processes 2; daemon off; pid {folder}/nginx.pid; error_log {folder}/nginx.log;
            events {{ worker_connections 1024; }}
            http {{ access_log off; keepalive_requests 100000000; server {{ listen {address}; {site} }} }}"
        );
        std::fs::write(&file, text)?;
        let server = Server::start(Command::new(program).arg("-c").arg(file).stderr(Stdio::null()))?;
        wait_for(address)?;
        Ok(Some(Self { address, _server: server }))
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }
}

/// Load generator `wrk`. A comparison of its results with those of the built-in HTTP client shows the overhead of the
/// latter.
pub struct Wrk(PathBuf);

impl Wrk {
    /// Returns `None` if `wrk` is not installed.
    pub fn find() -> Option<Self> {
        find("wrk").map(Self)
    }

    pub fn run(&self, url: &str, clients: usize, time: Duration) -> Measurement {
        let mut command = Command::new(&self.0);
        command.args(["-t2", &format!("-c{clients}"), &format!("-d{}s", time.as_secs()), url]);
        let output = command.output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        let rate = text.lines().find_map(|line| line.trim().strip_prefix("Requests/sec:")?.trim().parse().ok());
        Measurement { per_second: rate.unwrap_or(f64::NAN), latency: None, failed: 0, failed_with: None, spent: None }
    }
}

pub fn find(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain(["/usr/sbin".into(), "/usr/local/sbin".into()]);
    folders.map(|folder| folder.join(program)).find(|program| program.exists())
}

pub fn free_address() -> anyhow::Result<SocketAddr> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?)
}

/// Waits until a server accepts connections, at most 30 seconds.
pub fn wait_for(address: SocketAddr) -> anyhow::Result<()> {
    let patience = Instant::now() + Duration::from_secs(30);
    while TcpStream::connect(address).is_err() {
        ensure!(Instant::now() < patience, "nobody listens at {address}");
        std::thread::sleep(Duration::from_millis(5));
    }
    Ok(())
}
