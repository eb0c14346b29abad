//! Benchmark of the admin area on a large site: response times, blocks read from the database, and query plans.

use std::fmt::Write as _;
use std::fs::{self, File, OpenOptions};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail, ensure};
use evenkeel::db::Cluster;
use sqlx::{Connection as _, PgConnection};

use crate::start;
use crate::table::median;
use crate::workload::{Dataset, Site};

/// Maximum acceptable response time of an admin page, in milliseconds.
const MAX_PAGE_MS: f64 = 100.0;

/// File to which the query plans are written.
const PLANS: &str = "target/admin-plans.txt";

/// Measured admin pages: each list without a filter, with a filter that matches many rows, and with one that matches
/// few.
const PAGES: &[&str] = &[
    "/admin/",
    "/admin/reports/",
    "/admin/reports/?status=decided",
    "/admin/reports/?status=all",
    "/admin/reports/?status=all&post=77",
    "/admin/reports/10/",
    "/admin/posts/",
    "/admin/posts/?author=user77",
    "/admin/posts/?author=user9999",
    "/admin/posts/?tag=tag3",
    "/admin/posts/?tag=tag199",
    "/admin/posts/?tag=nothing",
    "/admin/posts/?author=user77&tag=tag78",
    "/admin/posts/?status=taken_down",
    "/admin/posts/?status=unpublished",
    "/admin/ratings/?post=1",
    "/admin/ratings/?post=4321",
    "/admin/ratings/?user=user50",
    "/admin/ratings/?post=1&user=user50",
    "/admin/tags/",
    "/admin/links/",
    "/admin/pauses/",
    "/admin/pauses/?user=user77",
    "/admin/pauses/?post=78",
    "/admin/sessions/",
    "/admin/sessions/?user=user77",
    "/admin/limiter/",
    "/admin/limiter/states/",
    "/admin/limiter/states/?limiter=rate_class&key=key:99",
    "/admin/mails/",
    "/admin/mails/?status=failed",
    "/admin/users/",
    "/admin/users/?name=user999",
    "/admin/users/?status=blocked",
    "/admin/users/?status=leaving",
    "/admin/invitations/",
    "/users/invitations/",
    "/admin/log/",
    "/admin/log/?post=77",
    "/admin/log/?act=user.block",
    "/admin/log/?act=report.decide",
    // Searches of the audit log that match one entry, no entry, all entries, and (with an action filter) several
    // hundred entries.
    "/admin/log/?words=number+12345+of",
    "/admin/log/?words=nothing+like+that",
    "/admin/log/?words=reason",
    "/admin/log/?act=user.block&words=number+123",
    "/admin/log/?act=user.block&words=reason",
    "/admin/log/?act=report.decide&words=reason",
    "/admin/log/?actor=user3&words=zzz",
    "/admin/log/?actor=user9999&words=reason",
];

/// `PostgreSQL` settings that log the execution plan of every statement, with actual row counts and buffer usage.
const EXPLAIN: &str = "\nsession_preload_libraries = 'auto_explain'\nauto_explain.log_min_duration = 0\n\
    auto_explain.log_analyze = on\nauto_explain.log_timing = off\nauto_explain.log_buffers = on\n";

/// Maximum number of rows of a table for which a sequential scan is acceptable.
const SMALL_TABLE_ROWS: i64 = 10_000;

/// Fills a site with `posts` posts, requests each admin page, and reports pages slower than [`MAX_PAGE_MS`].
pub async fn measure(folder: &Path, posts: u64, rounds: usize) -> anyhow::Result<String> {
    let filled = fill(folder, posts).await?;
    let (pages, small) = {
        let cluster = start(folder)?;
        let site = start_idle_site(folder, &cluster).await?;
        let mut pages = Vec::new();
        for path in PAGES {
            let page = Page::measure(&site, &filled, (*path).to_owned(), rounds)?;
            let next = page.next.clone().map(|next| Page::measure(&site, &filled, next, rounds)).transpose()?;
            pages.push((page, next));
        }
        (pages, small_tables(&cluster).await?)
    };
    let explained = explain(folder, &filled, &pages, &small).await?;
    Ok(report(&pages, &explained))
}

async fn fill(folder: &Path, posts: u64) -> anyhow::Result<Dataset> {
    ensure!(posts >= 100_000, "an admin area of fewer than 100,000 posts says little");
    let begun = Instant::now();
    let cluster = start(folder)?;
    let filled = Dataset::create_users(&cluster.connect_options(), 1).await?;
    let mut connection = PgConnection::connect_with(&cluster.connect_options()).await?;
    for (name, value) in
        [("admin.posts", posts.to_string()), ("admin.rendered_by", evenkeel_markdown::RENDERING_VERSION.to_string())]
    {
        sqlx::query("select set_config($1, $2, false)").bind(name).bind(value).execute(&mut connection).await?;
    }
    sqlx::raw_sql(include_str!("admin.sql")).execute(&mut connection).await?;
    sqlx::raw_sql("vacuum analyze").execute(&mut connection).await?;
    let ratings: i64 = sqlx::query_scalar("select count(*) from rates").fetch_one(&mut connection).await?;
    println!("{posts} posts and {ratings} ratings in {:.0} s", begun.elapsed().as_secs_f64());
    Ok(filled)
}

/// Starts the server and waits until its start-up tasks have finished. The Safe Browsing URL is unreachable, so that no
/// link check changes the data during the measurement.
async fn start_idle_site(folder: &Path, cluster: &Cluster) -> anyhow::Result<Site> {
    let links = [("SAFE_BROWSING_KEY", "none"), ("SAFE_BROWSING_URL", "http://127.0.0.1:9/")];
    let site = Site::start_with(folder, &cluster.database_url("evenkeel"), &links)?;
    let mut connection = PgConnection::connect_with(&cluster.connect_options()).await?;
    let busy = "select count(*) from pg_stat_activity where state <> 'idle' and pid <> pg_backend_pid()
        and backend_type = 'client backend'";
    let begun = Instant::now();
    let mut quiet = 0;
    while quiet < 20 {
        ensure!(begun.elapsed() < Duration::from_mins(5), "the site does not come to rest");
        let busy: i64 = sqlx::query_scalar(busy).fetch_one(&mut connection).await?;
        quiet = if busy == 0 { quiet + 1 } else { 0 };
        std::thread::sleep(Duration::from_millis(100));
    }
    Ok(site)
}

/// Names of the tables with at most [`SMALL_TABLE_ROWS`] rows.
async fn small_tables(cluster: &Cluster) -> anyhow::Result<Vec<String>> {
    let mut connection = PgConnection::connect_with(&cluster.connect_options()).await?;
    let small = "select relname::text from pg_stat_user_tables where n_live_tup <= $1";
    Ok(sqlx::query_scalar(small).bind(SMALL_TABLE_ROWS).fetch_all(&mut connection).await?)
}

/// Admin page with its response times in milliseconds, one for each round.
struct Page {
    path: String,
    next: Option<String>,
    times: Vec<f64>,
}

impl Page {
    fn measure(site: &Site, filled: &Dataset, path: String, rounds: usize) -> anyhow::Result<Self> {
        let mut times = Vec::new();
        let mut next = None;
        for _ in 0..rounds {
            let begun = Instant::now();
            let body = site.fetch_as(&path, filled.first_cookie())?;
            times.push(begun.elapsed().as_secs_f64() * 1000.0);
            next = next_page(&String::from_utf8_lossy(&body));
        }
        Ok(Self { path, next, times })
    }

    fn slowest(&self) -> f64 {
        self.times.iter().copied().fold(0.0, f64::max)
    }
}

/// Extracts the URL of the next page from the pagination of a list page.
fn next_page(page: &str) -> Option<String> {
    let (_, rest) = page.split_once("<a rel=\"next\" href=\"")?;
    rest.split_once('"').map(|(path, _)| path.replace("&amp;", "&").replace("&#38;", "&"))
}

/// Database work for one page, from the logged query plans.
struct DatabaseWork {
    /// Blocks of 8 kB read from shared buffers or disk.
    blocks: u64,
    scans: Vec<String>,
}

/// Enables `auto_explain` for new database connections.
async fn enable_auto_explain(folder: &Path, cluster: &Cluster) -> anyhow::Result<()> {
    let folder = folder.join("postgres");
    let mut settings = OpenOptions::new().append(true).open(folder.join("postgresql.auto.conf"))?;
    settings.write_all(EXPLAIN.as_bytes())?;
    // Sends SIGHUP, because the database role may not call `pg_reload_conf`.
    let pid = fs::read_to_string(folder.join("postmaster.pid"))?;
    let pid = pid.lines().next().context("no process id")?;
    ensure!(Command::new("kill").args(["-HUP", pid]).status()?.success(), "the server has no signal");
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(10) {
        let mut connection = PgConnection::connect_with(&cluster.connect_options()).await?;
        let loaded = "select current_setting('auto_explain.log_min_duration', true) = '0'";
        if sqlx::query_scalar::<_, Option<bool>>(loaded).fetch_one(&mut connection).await? == Some(true) {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    bail!("the server does not load auto_explain, which comes with PostgreSQL's own extensions")
}

/// Requests each page once more while `PostgreSQL` logs the query plans. The plans are written to [`PLANS`].
async fn explain(
    folder: &Path,
    filled: &Dataset,
    pages: &[(Page, Option<Page>)],
    small: &[String],
) -> anyhow::Result<Vec<DatabaseWork>> {
    let cluster = start(folder)?;
    enable_auto_explain(folder, &cluster).await?;
    let site = start_idle_site(folder, &cluster).await?;
    let mut log = File::open(folder.join("postgres.log"))?;
    let (mut all, mut explained) = (String::new(), Vec::new());
    for page in pages.iter().flat_map(|(page, next)| std::iter::once(page).chain(next)) {
        log.seek(SeekFrom::End(0))?;
        site.fetch_as(&page.path, filled.first_cookie())?;
        let mut text = String::new();
        log.read_to_string(&mut text)?;
        write!(all, "== {}\n\n{text}\n", page.path)?;
        let plans = text.split("plan:\n").skip(1);
        let scans = text.lines().filter_map(|line| line.split_once("Seq Scan on ")?.1.split(' ').next());
        let scans = scans.filter(|table| !small.iter().any(|small| small == table));
        explained.push(DatabaseWork { blocks: plans.map(blocks).sum(), scans: scans.map(str::to_owned).collect() });
    }
    fs::write(PLANS, all).with_context(|| format!("cannot write {PLANS}"))?;
    Ok(explained)
}

/// Number of blocks that a statement read. The root node of a plan includes the blocks of its child nodes.
fn blocks(plan: &str) -> u64 {
    let line = plan.lines().find_map(|line| line.trim().strip_prefix("Buffers: shared ")).unwrap_or_default();
    let counts = line.split_whitespace().filter_map(|part| part.split_once('='));
    counts.filter(|(name, _)| ["hit", "read"].contains(name)).filter_map(|(_, count)| count.parse::<u64>().ok()).sum()
}

fn report(pages: &[(Page, Option<Page>)], explained: &[DatabaseWork]) -> String {
    let mut text =
        "\n| page | first, ms | median | slowest | blocks | sequential scans |\n|---|---:|---:|---:|---:|---|\n"
            .to_owned();
    let mut slow = Vec::new();
    let all = pages.iter().flat_map(|(page, next)| {
        let next = next.as_ref().map(|next| (format!("{}, next page", page.path), next));
        std::iter::once((page.path.clone(), page)).chain(next)
    });
    for ((name, page), explained) in all.zip(explained) {
        let (first, middle, slowest) = (page.times[0], median(page.times.clone()), page.slowest());
        let DatabaseWork { blocks, scans } = explained;
        let _ =
            writeln!(text, "| {name} | {first:.0} | {middle:.0} | {slowest:.0} | {blocks} | {} |", scans.join(", "));
        slow.extend((slowest > MAX_PAGE_MS).then_some(name));
    }
    let slow = if slow.is_empty() { "none".to_owned() } else { slow.join(", ") };
    let _ = writeln!(
        text,
        "\nPages that took more than {MAX_PAGE_MS:.0} ms at any time: {slow}.\nTheir plans are in {PLANS}."
    );
    text
}
