//! Benchmark of replicas: CPU time of the database servers for the requests of anonymous visitors, with and without two
//! replicas.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use anyhow::Context as _;
use evenkeel::blog_posts::post_path;
use sqlx::ConnectOptions as _;

use crate::Plan;
use crate::cpu::process_tree_micros;
use crate::load::{RequestFactory, get_request};
use crate::support::{PostgresServer, database_tempdir, give_to_database_user, until};
use crate::table::median;
use crate::workload::{Dataset, Site, requests_per_second};

/// Result of one round, with the CPU time per response of the primary and of each replica, in microseconds.
struct Round {
    per_second: f64,
    primary: f64,
    replica: f64,
}

/// Measures each kind of request in alternating rounds, at an instance without replicas and at one with two.
pub async fn measure(plan: &Plan) -> anyhow::Result<String> {
    let folder = database_tempdir();
    let primary = PostgresServer::primary(folder.path()).await;
    let filled = Dataset::create_users(&primary.options(), 2).await?;
    let [first, second] = [standby(folder.path(), "1", &primary).await?, standby(folder.path(), "2", &primary).await?];
    let without = Site::start(folder.path(), &primary.url())?;
    let urls = format!("{},{}", first.url(), second.url());
    let with = Site::start_with(folder.path(), &primary.url(), &[("DATABASE_REPLICA_URL", &urls)])?;
    // So many posts that the page cache, which keeps pages for a second, does not help.
    filled.create_posts(&without, 10 * plan.posts).await?;
    finish_pending_work(&primary, [&first, &second]).await;
    let mut text = "\n| request | replicas | requests per second | CPU time of the primary (µs) | CPU time of each replica (µs) |\n\
                    |---|---:|---:|---:|---:|\n"
        .to_owned();
    for (name, make) in requests(&primary).await? {
        // The first of these rounds does not count, because it includes the opening of connections.
        let mut rounds: [Vec<Round>; 2] = Default::default();
        for _ in 0..=plan.rounds {
            for (site, rounds) in [&without, &with].into_iter().zip(&mut rounds) {
                let before = [cpu_time(&primary)?, cpu_time(&first)? + cpu_time(&second)?];
                let per_second = requests_per_second(site, plan.time, &make)?;
                let after = [cpu_time(&primary)?, cpu_time(&first)? + cpu_time(&second)?];
                let requests = per_second * plan.time.as_secs_f64();
                let [primary, replicas] = [0, 1].map(|server| (after[server] - before[server]) / requests);
                rounds.push(Round { per_second, primary, replica: replicas / 2.0 });
            }
        }
        for (replicas, rounds) in [0, 2].into_iter().zip(rounds) {
            let column = |of: fn(&Round) -> f64| median(rounds[1..].iter().map(of).collect());
            let speed = column(|round| round.per_second);
            let (primary, replica) = (column(|round| round.primary), column(|round| round.replica));
            writeln!(text, "| {name} | {replicas} | {speed:.0} | {primary:.0} | {replica:.0} |")?;
        }
    }
    Ok(text)
}

/// Does the work that the servers would otherwise do during the measurement.
async fn finish_pending_work(primary: &PostgresServer, standbys: [&PostgresServer; 2]) {
    for statement in ["vacuum analyze", "checkpoint"] {
        primary.execute(statement).await;
    }
    let position = primary.count("select (pg_current_wal_lsn() - '0/0')::bigint").await;
    for standby in standbys {
        let replayed = "select (pg_last_wal_replay_lsn() - '0/0')::bigint";
        until("a standby that has caught up", async || (standby.count(replayed).await >= position).then_some(())).await;
    }
}

async fn standby(folder: &Path, name: &str, primary: &PostgresServer) -> anyhow::Result<PostgresServer> {
    let own = folder.join(name);
    std::fs::create_dir(&own)?;
    give_to_database_user(&own);
    Ok(PostgresServer::standby(&own, primary).await)
}

/// CPU time of a database server so far, in microseconds.
fn cpu_time(server: &PostgresServer) -> anyhow::Result<f64> {
    process_tree_micros(server.process()).context("no /proc here")
}

/// Requests of anonymous visitors, each with a name. Successive requests differ, so that few responses come from the
/// page cache.
async fn requests(primary: &PostgresServer) -> anyhow::Result<[(&'static str, RequestFactory); 3]> {
    let mut connection = primary.options().connect().await?;
    let posts = sqlx::query_as("select id, title from blog_posts order by id").fetch_all(&mut connection).await?;
    let posts: Arc<[(i64, String)]> = posts.into();
    let of_a_post = |accept, path: fn(&(i64, String)) -> String| -> RequestFactory {
        let posts = Arc::clone(&posts);
        Arc::new(move |number| {
            get_request(accept, &path(&posts[usize::try_from(number).unwrap() * 7919 % posts.len()]))
        })
    };
    let list = |number| {
        let [hour, minute, second] = [number / 3_600 % 24, number / 60 % 60, number % 60];
        format!("/blogs/?since=2020-01-01T{hour:02}:{minute:02}:{second:02}Z")
    };
    Ok([
        ("post as JSON", of_a_post("application/json", |(id, _)| format!("/blogs/{id}/"))),
        ("page of a post", of_a_post("text/html", |(id, title)| post_path(*id, title, None))),
        ("list of posts", Arc::new(move |number| get_request("text/html", &list(number)))),
    ])
}
