//! Compares one site that serves all clients with two sites (shards) on the same machine, each with its own database and
//! half of the clients. No proxy distributes the ratings by post.

use std::fmt::Write as _;
use std::path::Path;
use std::thread;

use anyhow::Context as _;
use evenkeel::db::Cluster;

use crate::load::{Measurement, run_load};
use crate::table::median;
use crate::workload::{Dataset, Site};
use crate::{CLIENTS, Plan, start};

/// Site with its own database.
struct Shard {
    filled: Dataset,
    site: Site,
    _cluster: Cluster,
}

impl Shard {
    async fn start(plan: &Plan, folder: &Path) -> anyhow::Result<Self> {
        std::fs::create_dir(folder)?;
        let cluster = start(folder)?;
        let filled = Dataset::create_users(&cluster.connect_options(), plan.users).await?;
        let site = Site::start(folder, &cluster.database_url("evenkeel"))?;
        filled.create_posts(&site, plan.posts).await?;
        Ok(Self { filled, site, _cluster: cluster })
    }
}

/// Measures ratings of many posts in alternating rounds, at one site with all clients, and at two sites with half of the
/// clients each.
pub async fn measure(plan: &Plan, folder: &Path) -> anyhow::Result<String> {
    let shards = [Shard::start(plan, &folder.join("1")).await?, Shard::start(plan, &folder.join("2")).await?];
    let rate = |shards: &[Shard]| -> anyhow::Result<f64> {
        let clients = CLIENTS / shards.len();
        let loads: Vec<thread::JoinHandle<Measurement>> = shards
            .iter()
            .map(|Shard { filled, site, .. }| {
                let (address, time, make) = (site.address, plan.time, filled.spread_ratings());
                thread::spawn(move || run_load(address, clients, time, &make))
            })
            .collect();
        let measured = loads.into_iter().map(|load| load.join().unwrap());
        measured.map(|load| (load.failed == 0).then_some(load.per_second).context("ratings failed")).sum()
    };
    let (mut one, mut two) = (Vec::new(), Vec::new());
    // The first round does not count, because it includes the opening of connections.
    for _ in 0..=plan.rounds {
        one.push(rate(&shards[..1])?);
        two.push(rate(&shards)?);
    }
    let [one, two] = [one, two].map(|rounds| median(rounds[1..].to_vec()));
    let mut text = "\n| databases | ratings per second, together | ratio |\n|---:|---:|---:|\n".to_owned();
    writeln!(text, "| 1 | {one:.0} | |\n| 2 | {two:.0} | {:.2} |", two / one)?;
    for Shard { filled, .. } in &shards {
        filled.check_totals().await?;
    }
    writeln!(text, "\nThe totals of all posts equal a recount of the ratings.")?;
    Ok(text)
}
