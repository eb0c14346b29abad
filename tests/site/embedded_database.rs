//! Private `PostgreSQL` server: file permissions, access, and recovery after failures.

use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;
use std::time::{Duration, Instant};

use evenkeel::db::{Cluster, ClusterOptions};
use nix::sys::signal::Signal;
use sqlx::{ConnectOptions as _, Connection as _};
use tokio::time::sleep;

use crate::support::{Actor, Program, postmaster_pid, reachable_tempdir, wait_for_exit};

fn options(dir: &tempfile::TempDir) -> ClusterOptions {
    let data = dir.path().join("data");
    ClusterOptions { dir: data.clone(), fallback_dir: data, durable: true, bin_dir: None }
}

async fn works(cluster: &Cluster) {
    let mut connection = cluster.connect_options().connect().await.unwrap();
    assert_eq!(sqlx::query_scalar::<_, i32>("select 1").fetch_one(&mut connection).await.unwrap(), 1);
    connection.close().await.unwrap();
}

fn mode(path: &Path) -> u32 {
    std::fs::symlink_metadata(path).unwrap().permissions().mode() & 0o777
}

#[actix_web::test]
async fn embedded_database_is_private_to_its_user() {
    let dir = reachable_tempdir();
    let cluster = Cluster::start(&options(&dir)).unwrap();
    let data = dir.path().join("data");
    let as_root = nix::unistd::geteuid().is_root();
    // If the tests run as root, the server runs as another user, who may traverse the directory but not list it.
    assert_eq!(mode(&data), if as_root { 0o710 } else { 0o700 });
    for entry in std::fs::read_dir(&data).unwrap().map(|entry| entry.unwrap().path()) {
        let expected = if entry.is_dir() { 0o700 } else { 0o600 };
        assert_eq!(mode(&entry), expected, "{}", entry.display());
    }
    assert_eq!(cluster.connect_options().get_socket().unwrap(), &data.join("socket"));
    let mut connection = cluster.connect_options().connect().await.unwrap();
    let may: (bool, bool) = sqlx::query_as("select rolcreatedb, rolsuper from pg_roles where rolname = current_user")
        .fetch_one(&mut connection)
        .await
        .unwrap();
    assert_eq!(may, (false, false));
    for other in ["postgres", "nobody"] {
        assert!(cluster.connect_options().username(other).connect().await.is_err(), "{other}");
    }
    // Other processes of the operating system user that runs the database server cannot connect.
    if as_root {
        let owner = std::fs::metadata(data.join("postgres")).unwrap();
        let psql = std::process::Command::new("psql")
            .args(["-h", data.join("socket").to_str().unwrap(), "-U", "evenkeel", "-d", "evenkeel", "-c", "select 1"])
            .env("LC_ALL", "C")
            .uid_and_gid(owner.uid(), owner.gid())
            .output();
        if let Ok(output) = psql {
            assert!(!output.status.success(), "{output:?}");
        }
    }
}

trait AsUser {
    fn uid_and_gid(&mut self, uid: u32, gid: u32) -> &mut Self;
}

impl AsUser for std::process::Command {
    fn uid_and_gid(&mut self, uid: u32, gid: u32) -> &mut Self {
        use std::os::unix::process::CommandExt as _;
        self.uid(uid).gid(gid)
    }
}

#[actix_web::test]
async fn deleted_socket_is_recreated() {
    let dir = reachable_tempdir();
    let cluster = Cluster::start(&options(&dir)).unwrap();
    works(&cluster).await;
    let data = dir.path().join("data");
    let before = postmaster_pid(&data);
    std::fs::remove_dir_all(data.join("socket")).unwrap();
    assert!(cluster.restart_if_down().unwrap());
    works(&cluster).await;
    assert_ne!(postmaster_pid(&data), before);
    assert!(!cluster.restart_if_down().unwrap());
}

#[actix_web::test]
async fn leftovers_of_a_crashed_server_are_cleaned_up() {
    let dir = reachable_tempdir();
    let data = dir.path().join("data");
    let cluster = Cluster::start(&options(&dir)).unwrap();
    let pid_file = data.join("postgres/postmaster.pid");
    let pid = std::fs::read_to_string(&pid_file).unwrap();
    let server = postmaster_pid(&data);
    drop(cluster);
    wait_for_exit(server).await;
    let other = reachable_tempdir();
    let foreign = Cluster::start(&options(&other)).unwrap();
    let foreign_pid = postmaster_pid(&other.path().join("data"));
    let (_, rest) = pid.split_once('\n').unwrap();
    let foreign_file = std::fs::read(other.path().join("data/postgres/postmaster.pid")).unwrap();
    let of_another = format!("{foreign_pid}\n{rest}").into_bytes();
    for left in [Vec::new(), b"garbage".to_vec(), vec![0xff, 0xfe], b"-1\n".to_vec(), of_another, foreign_file] {
        std::fs::write(&pid_file, &left).unwrap();
        let begin = Instant::now();
        let cluster = Cluster::start(&options(&dir)).unwrap();
        works(&cluster).await;
        println!("{:?} with {:?}", begin.elapsed(), String::from_utf8_lossy(&left));
        let server = postmaster_pid(&data);
        drop(cluster);
        wait_for_exit(server).await;
    }
    works(&foreign).await;
}

#[actix_web::test]
async fn cluster_can_be_a_link_but_files_that_are_links_are_not_followed() {
    let (dir, disk) = (reachable_tempdir(), reachable_tempdir());
    let data = dir.path().join("data");
    let cluster = Cluster::start(&options(&dir)).unwrap();
    let server = postmaster_pid(&data);
    drop(cluster);
    wait_for_exit(server).await;
    let (moved, target) = (disk.path().join("postgres"), disk.path().join("target"));
    std::fs::rename(data.join("postgres"), &moved).unwrap();
    std::os::unix::fs::symlink(&moved, data.join("postgres")).unwrap();
    std::fs::write(&target, "kept").unwrap();
    std::os::unix::fs::symlink(&target, moved.join("pg_hba.unfinished")).unwrap();
    let cluster = Cluster::start(&options(&dir)).unwrap();
    works(&cluster).await;
    assert!(!cluster.restart_if_down().unwrap());
    assert_eq!(std::fs::read_to_string(&target).unwrap(), "kept");
}

#[actix_web::test]
async fn startup_reports_that_it_waits_for_another_process() {
    let dir = reachable_tempdir();
    drop(Cluster::start(&options(&dir)).unwrap());
    let lock = std::fs::File::options().write(true).open(dir.path().join("data/lock")).unwrap();
    lock.lock().unwrap();
    let program = Program::new(dir.path());
    let mut running = program.spawn();
    let patience = Instant::now() + Duration::from_mins(2);
    while !program.read("err").contains("Waiting for the lock") {
        assert!(Instant::now() < patience, "{}", program.read("err"));
        sleep(Duration::from_millis(20)).await;
    }
    lock.unlock().unwrap();
    let guest = Actor::new(program.address);
    while !guest.is_site_ready().await {
        assert!(running.child.try_wait().unwrap().is_none() && Instant::now() < patience, "{}", program.read("err"));
        sleep(Duration::from_millis(20)).await;
    }
    let server = postmaster_pid(&dir.path().join("data"));
    running.signal(Signal::SIGKILL);
    wait_for_exit(server).await;
}

#[actix_web::test]
async fn embedded_server_stops_when_its_last_site_is_killed() {
    let dir = reachable_tempdir();
    let data = dir.path().join("data");
    drop(Cluster::start(&options(&dir)).unwrap());
    for milliseconds in (0..60).step_by(4) {
        let running = Program::new(dir.path()).spawn();
        sleep(Duration::from_millis(milliseconds)).await;
        running.signal(Signal::SIGKILL);
    }
    let patience = Instant::now() + Duration::from_mins(2);
    // A database server that is still starting detects that its site was killed only after its start-up is complete.
    while data.join("postgres/postmaster.pid").exists() || servers_in(&data) > 0 {
        assert!(Instant::now() < patience, "{} servers are still there", servers_in(&data));
        sleep(Duration::from_millis(50)).await;
    }
}

/// Number of processes whose working directory is the data directory of this cluster. Always 0 on systems without
/// /proc, where the test relies on the PID file of the server.
fn servers_in(data: &Path) -> usize {
    let cluster = data.join("postgres");
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    processes.filter(|process| std::fs::read_link(process.path().join("cwd")).is_ok_and(|cwd| cwd == cluster)).count()
}

#[actix_web::test]
async fn killed_first_start_does_not_delay_the_next_start() {
    for moment in ["global/pg_control", "base/1/1259", "base/5/PG_VERSION"] {
        let dir = reachable_tempdir();
        let data = dir.path().join("data");
        let is_reached = || {
            let entries = std::fs::read_dir(&data).into_iter().flatten().flatten();
            entries.map(|entry| entry.path()).any(|path| path.join(moment).exists())
        };
        let program = Program::new(dir.path());
        let running = program.spawn();
        while !is_reached() {
            std::thread::yield_now();
        }
        running.signal(Signal::SIGKILL);
        program.start().await.signal(Signal::SIGKILL);
    }
}
