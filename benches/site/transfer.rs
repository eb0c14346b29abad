//! Benchmark of dump, load, backup and restore of a large site: time and peak memory of each command.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use sha2::{Digest as _, Sha256};
use sqlx::{Connection as _, PgConnection};

use crate::start;
use crate::workload::peak_memory_mb;

const RATINGS_PER_POST: u64 = 5_000;

/// Statements that create `$1` posts with `$2` ratings each. No user rates a post twice.
const FILL_SQL: [&str; 3] = [
    "insert into users (username, username_key, email, password_hash, created_at)
    select 'reader_' || n, 'reader_' || n, 'r@example.org', '!', '2026-01-01' from generate_series(1, 20 * $2::bigint) n
    where $1::bigint > 0",
    "insert into blog_posts (author_id, title, content, created_at, updated_at, status, published_at)
    select 1 + n % 100, 'Post ' || n, 'Text of post ' || n, '2026-01-01', '2026-01-01', 'published', '2026-01-01'
    from generate_series(1, $1::bigint) n where $2::bigint > 0",
    "insert into rates (user_id, blog_id, rating, created_at, updated_at)
    select 1 + (20 * n + id % 20), id, 1 + (n * id) % 5, at, at from blog_posts, generate_series(0, $2::bigint - 1) n,
        lateral (select timestamptz '2026-01-02' + (n * 7919 + id) % 20000000 * interval '1 second') as times (at)
    where $1::bigint > 0",
];

/// Fills a site with `ratings` ratings, dumps the site, loads the dump into a second site, and compares the dumps of
/// the two sites. Then copies the second site to a third site with backup and restore.
pub async fn measure(folder: &Path, ratings: u64) -> anyhow::Result<()> {
    let (here, there, third) = (folder.join("here"), folder.join("there"), folder.join("third"));
    for site in [&here, &there, &third] {
        fs::create_dir(site)?;
        fs::set_permissions(site, fs::Permissions::from_mode(0o755))?;
    }
    fill(&here, ratings.div_ceil(RATINGS_PER_POST)).await?;
    let (dump, again, backup) = (folder.join("dump.json"), folder.join("again.json"), folder.join("backup.tar"));
    let path = |path: &Path| path.display().to_string();
    run(&here, &["check_ratings", "--fix"])?;
    run(&here, &["dumpdata", "--output", &path(&dump)])?;
    run(&there, &["loaddata", &path(&dump)])?;
    run(&there, &["dumpdata", "--output", &path(&again)])?;
    run(&there, &["backup", &path(&backup)])?;
    run(&third, &["restore", &path(&backup)])?;
    for (file, what) in [(&dump, "The dump"), (&backup, "The backup")] {
        println!("{what} has {} MB.", fs::metadata(file)?.len() / 1_000_000);
    }
    ensure!(digest(&dump)? == digest(&again)?, "the dump of what was loaded is another one");
    println!("The dump of what was loaded is the same, byte for byte.");
    Ok(())
}

async fn fill(site: &Path, posts: u64) -> anyhow::Result<()> {
    let begun = Instant::now();
    run(site, &["migrate"])?;
    let cluster = start(site)?;
    let mut connection = PgConnection::connect_with(&cluster.connect_options()).await?;
    sqlx::raw_sql("set synchronous_commit = off; set statement_timeout = 0").execute(&mut connection).await?;
    for statement in FILL_SQL {
        let (posts, each) = (i64::try_from(posts)?, i64::try_from(RATINGS_PER_POST)?);
        sqlx::query(statement).bind(posts).bind(each).execute(&mut connection).await?;
    }
    sqlx::raw_sql("vacuum analyze").execute(&mut connection).await?;
    connection.close().await?;
    println!("{posts} posts with {RATINGS_PER_POST} ratings each, in {:.0} s", begun.elapsed().as_secs_f64());
    Ok(())
}

/// Runs an `evenkeel` command with `site` as its data directory, and prints the duration and peak memory of the
/// command.
fn run(site: &Path, arguments: &[&str]) -> anyhow::Result<()> {
    let begun = Instant::now();
    let mut command = Command::new(env!("CARGO_BIN_EXE_evenkeel"));
    command.args(arguments).env("DATA_DIR", site).env("RUST_LOG", "error").stdout(Stdio::null());
    let mut running = command.current_dir(site).spawn().context("evenkeel")?;
    let mut peak = 0.0;
    let done = loop {
        // Peak memory only grows, so the last value read before the process ends is the peak of the whole run.
        peak = peak_memory_mb(running.id()).unwrap_or(peak);
        match running.try_wait()? {
            Some(done) => break done,
            None => std::thread::sleep(Duration::from_millis(20)),
        }
    };
    ensure!(done.success(), "evenkeel {} failed", arguments[0]);
    println!("{:13} {:5.0} s, {peak:.0} MB", arguments[0], begun.elapsed().as_secs_f64());
    Ok(())
}

fn digest(file: &Path) -> anyhow::Result<Vec<u8>> {
    let mut hasher = Sha256::new();
    io::copy(&mut File::open(file)?, &mut DigestWriter(&mut hasher))?;
    Ok(hasher.finalize().to_vec())
}

struct DigestWriter<'a>(&'a mut Sha256);

impl io::Write for DigestWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
