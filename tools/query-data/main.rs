//! Generates or checks `.sqlx`, the data with which sqlx checks queries at compile time without a database.
//!
//! ```text
//! cargo run -p query-data             # regenerate after a change of a query or a migration
//! cargo run -p query-data -- --check  # fail if the committed data is out of date
//! ```
//!
//! Starts a private `PostgreSQL`, applies the migrations, and compiles the site against it. Does not link to the crate
//! of the site, which does not compile while the data is out of date.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, reason = "a developer's tool may panic")]
#![allow(clippy::disallowed_methods, reason = "the modification time of a file is not the time of the site")]

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use evenkeel_embedded_postgres::{Cluster, ClusterOptions};
use sqlx::{ConnectOptions as _, Connection as _};

type Queries = BTreeMap<String, String>;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).canonicalize().unwrap();
    let scratch = tempfile::tempdir().unwrap();
    let options = ClusterOptions {
        dir: scratch.path().join("cluster"),
        fallback_dir: std::env::temp_dir().join("evenkeel-query-data"),
        durable: false,
        bin_dir: None,
    };
    let cluster = Cluster::start(&options).unwrap_or_else(|error| panic!("{error}"));
    let mut connection = cluster.connect_options().connect().await.unwrap();
    // Migrations are read at run time, because the macro `migrate!` does not notice files that were added after
    // compilation.
    let migrations = sqlx::migrate::Migrator::new(root.join("migrations")).await.unwrap();
    migrations.run(&mut connection).await.unwrap();
    connection.close().await.unwrap();

    let generated = generate(&root, &scratch.path().join("queries"), &cluster.database_url("evenkeel"));
    let committed = root.join(".sqlx");
    if std::env::args().any(|argument| argument == "--check") {
        check(&generated, &read(&committed));
    } else {
        write(&generated, &committed);
    }
}

/// Compiles the site against the database, so that sqlx writes the data of each query to `folder`.
fn generate(root: &Path, folder: &Path, database_url: &str) -> Queries {
    std::fs::create_dir(folder).unwrap();
    // sqlx writes query data only while a macro is expanded. A new modification time makes cargo compile the site
    // again.
    let source = std::fs::File::options().append(true).open(root.join("src/lib.rs")).unwrap();
    source.set_modified(std::time::SystemTime::now()).unwrap();
    // `--examples` enables the features of dev-dependencies, so that the dependencies that clippy has compiled are
    // reused.
    let mut command = Command::new(env!("CARGO"));
    // Removes variables that `cargo run` has set. Build scripts that read them would run again, and dependent crates
    // would be compiled again, both here and in the next command.
    for (name, _) in std::env::vars() {
        if name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_") || name.starts_with("CARGO_BIN_") {
            command.env_remove(name);
        }
    }
    let compiled = command
        .args(["check", "--quiet", "--workspace", "--lib", "--examples"])
        .current_dir(root)
        .env("SQLX_OFFLINE", "false")
        .env("SQLX_OFFLINE_DIR", folder)
        .env("DATABASE_URL", database_url)
        .status()
        .unwrap();
    assert!(compiled.success(), "the site does not compile against its migrations");
    let generated = read(folder);
    assert!(!generated.is_empty(), "sqlx wrote no query data");
    generated
}

fn check(generated: &Queries, committed: &Queries) {
    let outdated: Vec<&String> =
        committed.iter().filter(|(name, text)| generated.get(*name) != Some(text)).map(|(name, _)| name).collect();
    let missing: Vec<&String> = generated.keys().filter(|name| !committed.contains_key(*name)).collect();
    if !outdated.is_empty() || !missing.is_empty() {
        println!(".sqlx is out of date (run `cargo run -p query-data`): outdated {outdated:?}, missing {missing:?}");
        std::process::exit(1);
    }
}

fn write(generated: &Queries, folder: &Path) {
    let _ = std::fs::remove_dir_all(folder);
    std::fs::create_dir(folder).unwrap();
    for (name, text) in generated {
        std::fs::write(folder.join(name), text).unwrap();
    }
    println!("wrote the data of {} queries to .sqlx", generated.len());
}

fn read(folder: &Path) -> Queries {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    entries
        .map(|entry| (entry.file_name().into_string().unwrap(), std::fs::read_to_string(entry.path()).unwrap()))
        .collect()
}
