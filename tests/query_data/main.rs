//! sqlx checks queries at compile time against `.sqlx`. This keeps that data true to the queries and to the
//! migrations, and needs no part of the site, which may not compile while the data is stale:
//!
//! ```text
//! cargo test --no-default-features --test query_data -- --ignored                      # fails when stale
//! SQLX_PREPARE=true cargo test --no-default-features --test query_data -- --ignored    # writes it anew
//! ```

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on has failed")]

#[path = "../../src/database/cluster/mod.rs"]
#[allow(dead_code, unreachable_pub, unused_imports, reason = "only what this test needs")]
mod cluster;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use cluster::{Cluster, ClusterOptions};
use sqlx::{ConnectOptions as _, Connection as _};

#[tokio::test]
#[ignore = "compiles the crate once more; `.ci/run` runs it"]
async fn committed_query_data_is_fresh() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let scratch = tempfile::tempdir().unwrap();
    let options = ClusterOptions {
        dir: scratch.path().join("cluster"),
        fallback_dir: std::env::temp_dir().join("evenkeel-query-data"),
        durable: false,
        programs: None,
    };
    let cluster = Cluster::start(&options).unwrap_or_else(|error| panic!("{error}"));
    let mut connection = cluster.connect_options().connect().await.unwrap();
    sqlx::migrate!().run(&mut connection).await.unwrap();
    connection.close().await.unwrap();

    let written = scratch.path().join("queries");
    std::fs::create_dir(&written).unwrap();
    // An argument that is new each time: nothing is taken for checked that was checked against other data.
    let check = Command::new(env!("CARGO"))
        .args(["rustc", "--quiet", "--lib", "--profile", "check", "--", "--cfg"])
        .arg(format!("query_data_{}", std::process::id()))
        .arg("-Aunexpected_cfgs")
        .current_dir(root)
        .env("SQLX_OFFLINE", "false")
        .env("SQLX_OFFLINE_DIR", &written)
        .env("DATABASE_URL", cluster.url("evenkeel"))
        .status()
        .unwrap();
    assert!(check.success(), "the site does not compile against its own migrations");

    let committed = root.join(".sqlx");
    if std::env::var_os("SQLX_PREPARE").is_some() {
        let _ = std::fs::remove_dir_all(&committed);
        std::fs::create_dir(&committed).unwrap();
        for (name, text) in files(&written) {
            std::fs::write(committed.join(name), text).unwrap();
        }
    }
    let (fresh, committed) = (files(&written), files(&committed));
    let stale: Vec<&String> =
        committed.iter().filter(|(name, text)| fresh.get(*name) != Some(text)).map(|(name, _)| name).collect();
    let missing: Vec<&String> = fresh.keys().filter(|name| !committed.contains_key(*name)).collect();
    assert!(!fresh.is_empty() && stale.is_empty() && missing.is_empty(), "stale: {stale:?}, missing: {missing:?}");
}

fn files(dir: &Path) -> BTreeMap<String, String> {
    let entries = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap());
    entries
        .map(|entry| (entry.file_name().into_string().unwrap(), std::fs::read_to_string(entry.path()).unwrap()))
        .collect()
}
