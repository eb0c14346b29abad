//! End-to-end benchmark of the site. Ratings and reads are compared with `pgbench` on plain SQL, and pages with nginx
//! serving the same bytes as a file. Only ratios within one run are meaningful.
//!
//! `cargo bench --bench site` takes about two minutes, not counting compilation. Options follow after `--`:
//!
//! - `--quick` takes less than one minute.
//! - `--json FILE` also writes the results to a file, such as `benches/baseline.json`, whose ratios are printed beside
//!   the measured ratios.
//! - `--growth 10000000` also adds that many ratings, users and posts (at most a million), compares requests before and
//!   after, and reports sequential scans of large tables.
//! - `--admin 1000000` measures only the admin area, of a site with a million posts and ten million ratings.
//! - `--partitions 16` measures only ratings, with ten million stored ratings in one table and in 16 partitions.
//! - `--peers DIR --python PROGRAM` compares only the site with BitPin-Blog and `WordPress`.
//! - `--shards` measures only ratings of one site, and of two sites with half of the clients each.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    clippy::print_stderr,
    missing_docs,
    reason = "a benchmark"
)]

mod admin;
mod baselines;
mod cpu;
mod growth;
mod load;
mod partitions;
mod peers;
mod shards;
#[path = "../../tests/site/support/mod.rs"]
#[allow(dead_code, unused_imports, reason = "the tests use the rest")]
mod support;
mod table;
mod workload;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use evenkeel::db::{Cluster, ClusterError, ClusterOptions};

use crate::baselines::{Nginx, PgBench, Wrk};
use crate::load::RequestFactory;
use crate::peers::Peers;
use crate::table::{Comparison, Table};
use crate::workload::{Dataset, Site};

/// Results of an earlier run, written with `--json`.
const EARLIER_RESULTS: &str = include_str!("../baseline.json");

/// Number of concurrent connections.
const CLIENTS: usize = 64;

/// Compare the site with plain `PostgreSQL` and nginx
#[derive(Parser)]
struct Arguments {
    /// Use fewer users and posts, and shorter measurements
    #[arg(long)]
    quick: bool,
    /// Seconds per measurement
    #[arg(long)]
    seconds: Option<u64>,
    /// Number of alternating rounds per comparison; the median is reported
    #[arg(long)]
    rounds: Option<usize>,
    /// Also write the results to FILE as JSON
    #[arg(long, value_name = "FILE", conflicts_with = "only")]
    json: Option<PathBuf>,
    /// Also compare the cost of requests before and after adding this many ratings, users and posts (at most a million
    /// posts)
    #[arg(long, conflicts_with = "only")]
    growth: Option<u64>,
    /// Measure only the admin area of a site with POSTS posts and ten times as many ratings, and write its query plans
    /// to a file
    #[arg(long, value_name = "POSTS", group = "only")]
    admin: Option<u64>,
    /// Measure only ratings, with RATINGS stored ratings in one table and in PARTITIONS partitions
    #[arg(long, value_name = "PARTITIONS", group = "only")]
    partitions: Option<u32>,
    /// Number of stored ratings for `--partitions`
    #[arg(long, value_name = "RATINGS", default_value_t = 10_000_000, requires = "partitions")]
    ratings: u64,
    /// Compare only the site with BitPin-Blog, whose checkout is in DIR, and with `WordPress`
    #[arg(long, value_name = "DIR", group = "only")]
    peers: Option<PathBuf>,
    /// Python with the packages django, djangorestframework, django-flags and gunicorn
    #[arg(long, value_name = "PROGRAM", default_value = "python3", requires = "peers")]
    python: PathBuf,
    /// Measure only ratings of one site, and of two sites with half of the clients each
    #[arg(long, group = "only")]
    shards: bool,
    /// Ignored; `cargo bench` passes this flag
    #[arg(long, hide = true)]
    bench: bool,
}

struct Plan {
    users: u64,
    posts: u64,
    rounds: usize,
    time: Duration,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let (users, posts, rounds, seconds) = if arguments.quick { (20_000, 300, 2, 1) } else { (60_000, 2_000, 3, 3) };
    // With `--growth`, all rounds rate one post. More users are needed, because a user can rate a post only once.
    let users = if arguments.growth.is_some() { 4 * users } else { users };
    let rounds = arguments.rounds.unwrap_or(rounds).max(1);
    let plan = Plan { users, posts, rounds, time: Duration::from_secs(arguments.seconds.unwrap_or(seconds).max(1)) };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let run = async {
        let folder = workload::folder()?;
        let text = if let Some(posts) = arguments.admin {
            admin::measure(folder.path(), posts, rounds).await?
        } else if let Some(partitions) = arguments.partitions {
            partitions::measure(&plan, folder.path(), arguments.ratings, partitions).await?
        } else if let Some(bitpin_blog) = arguments.peers {
            peers::measure(&plan, folder.path(), &Peers { bitpin_blog, python: arguments.python }).await?
        } else if arguments.shards {
            shards::measure(&plan, folder.path()).await?
        } else {
            return run(&plan, folder.path(), arguments.growth, arguments.json.as_deref()).await;
        };
        print!("{text}");
        Ok(())
    };
    match runtime.block_on(run) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}

async fn run(plan: &Plan, folder: &Path, growth: Option<u64>, json: Option<&Path>) -> anyhow::Result<()> {
    let cluster = start(folder)?;
    let filled = Dataset::create_users(&cluster.connect_options(), plan.users).await?;
    let pgbench = PgBench::prepare(&cluster, folder, plan.posts, plan.time).await?;
    let site = Site::start(folder, &cluster.database_url("evenkeel"))?;
    println!("ready after {} ms (with a running database)", site.ready_after.as_millis());
    filled.create_posts(&site, plan.posts).await?;
    let mut table = measure(plan, &site, &filled, &pgbench, folder).await?;
    table.earlier_ratios = earlier_ratios()?;
    table.note(format!("Peak memory of the site: {:.0} MB.", site.peak_memory_mb()?));
    filled.check_totals().await?;
    table.note("The totals of all posts equal a recount of the ratings.".to_owned());
    print!("{table}");
    if let Some(path) = json {
        std::fs::write(path, format!("{:#}\n", table.to_json()))?;
    }
    drop((site, cluster));
    if let Some(added) = growth {
        print!("{}", growth::measure(plan, folder, &filled, added).await?);
    }
    Ok(())
}

fn earlier_ratios() -> serde_json::Result<BTreeMap<String, f64>> {
    #[derive(serde::Deserialize)]
    struct Row {
        name: String,
        ratio: Option<f64>,
    }
    let rows: Vec<Row> = serde_json::from_str(EARLIER_RESULTS)?;
    Ok(rows.into_iter().filter_map(|row| Some((row.name, row.ratio?))).collect())
}

/// Measures nginx with this benchmark and with wrk, which shows the overhead of the benchmark client.
fn compare_clients(plan: &Plan, nginx: Option<&Nginx>, table: &mut Table) {
    match (nginx, Wrk::find()) {
        (Some(nginx), Some(wrk)) => {
            let theirs = || Some(wrk.run(&nginx.url("/page.html"), CLIENTS, plan.time));
            let ours = || load::run_load(nginx.address, CLIENTS, plan.time, &load::get("/page.html"));
            table.rows.push(Comparison::measure(
                "(nginx, measured by this benchmark)",
                "nginx, measured by wrk",
                plan.rounds,
                theirs,
                ours,
            ));
        }
        (None, _) => table.note("nginx is not installed, so the pages have no baseline.".to_owned()),
        (_, None) => table.note("wrk is not installed, so the benchmark client was not compared with it.".to_owned()),
    }
}

fn start(folder: &Path) -> Result<Cluster, ClusterError> {
    Cluster::start(&ClusterOptions {
        dir: folder.to_owned(),
        fallback_dir: folder.to_owned(),
        durable: true,
        bin_dir: None,
    })
}

async fn measure(
    plan: &Plan,
    site: &Site,
    filled: &Dataset,
    pgbench: &PgBench,
    folder: &Path,
) -> anyhow::Result<Table> {
    let page = site.page_of(1)?;
    let nginx = Nginx::start(folder, &site.fetch(&page)?)?;
    let mut table = Table::default();
    let mut compare_with_pgbench = |name: &str, script: &'static str, make: &dyn Fn() -> RequestFactory| {
        table.rows.push(Comparison::measure(
            name,
            "pgbench",
            plan.rounds,
            || Some(pgbench.run(script)),
            || site.measure_cpu_time(plan.time, || load::run_load(site.address, CLIENTS, plan.time, &make())),
        ));
    };
    compare_with_pgbench("rating, all clients rate the same post", baselines::RATE_ONE, &|| filled.hot_ratings());
    compare_with_pgbench("rating, the clients rate many posts", baselines::RATE_ANY, &|| filled.spread_ratings());
    compare_with_pgbench("post as JSON, signed-in user", baselines::READ, &|| filled.json_reads());
    let pages = [("page of a post, anonymous visitor", page.as_str()), ("list of posts, anonymous visitor", "/blogs/")];
    for (name, path) in pages {
        let theirs =
            || nginx.as_ref().map(|nginx| load::run_load(nginx.address, CLIENTS, plan.time, &load::get("/page.html")));
        let ours =
            || site.measure_cpu_time(plan.time, || load::run_load(site.address, CLIENTS, plan.time, &load::get(path)));
        table.rows.push(Comparison::measure(name, "nginx", plan.rounds, theirs, ours));
    }
    compare_clients(plan, nginx.as_ref(), &mut table);
    Ok(table)
}
