//! Creation of a cluster with `initdb`.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::Path;
use std::process::{Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use crate::binaries::Binaries;
use crate::cluster_files::sync;
use crate::error::{ClusterError, IoContext as _};
use crate::server_user::ServerUser;

/// Name of the site's database and of its database role, which is not a superuser.
pub const DATABASE_NAME: &str = "evenkeel";

/// Prefix of directories that are being created or deleted. Each directory has a unique name, because an `initdb` whose
/// parent process was killed may still write into its directory.
pub const UNFINISHED_DIR_PREFIX: &str = "unfinished-";

pub fn unfinished_dir_name() -> String {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    format!("{UNFINISHED_DIR_PREFIX}{}-{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed))
}

/// Creates a cluster in a sibling directory and renames it, so that an interrupted start leaves no incomplete cluster.
pub fn initialize(dir: &Path, owner: ServerUser, programs: &Binaries, durable: bool) -> Result<(), ClusterError> {
    let unfinished = dir.join(unfinished_dir_name());
    fs::DirBuilder::new()
        .mode(0o700)
        .create(&unfinished)
        .or_io(|| format!("cannot create {}", unfinished.display()))?;
    owner.take_ownership(&unfinished)?;
    let initdb = |locale: &str| {
        let mut command = owner.command(&programs.bin.join("initdb"));
        command.args(["--username=postgres", "--auth=peer", "--encoding=UTF8", "--no-instructions", locale, "-D"]);
        command.arg(&unfinished).output().or_io(|| "cannot run initdb".to_owned())
    };
    // Uses the locale C if the system does not have C.UTF-8. The encoding is UTF-8 with either locale.
    let mut output = initdb("--locale=C.UTF-8")?;
    if !output.status.success() {
        output = initdb("--locale=C")?;
    }
    check_output("initdb", output)?;

    let may = if durable { "" } else { " createdb" };
    let sql =
        format!("create role {DATABASE_NAME} login{may}\ncreate database {DATABASE_NAME} owner {DATABASE_NAME}\n");
    run_in_single_user_mode(&unfinished, owner, programs, &sql)?;
    let ready = dir.join("postgres");
    fs::rename(&unfinished, &ready).and_then(|()| sync(dir)).or_io(|| format!("cannot rename {}", unfinished.display()))
}

/// Runs SQL statements, one on each line, as the superuser of a cluster that is not running. A running cluster accepts
/// no superuser logins.
fn run_in_single_user_mode(
    cluster: &Path,
    owner: ServerUser,
    programs: &Binaries,
    sql: &str,
) -> Result<(), ClusterError> {
    let mut command = owner.command(&programs.bin.join("postgres"));
    command.arg("--single").arg("-D").arg(cluster).arg("postgres");
    let mut single = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .or_io(|| "cannot run postgres --single".to_owned())?;
    if let Some(mut stdin) = single.stdin.take() {
        stdin.write_all(sql.as_bytes()).or_io(|| "cannot write to postgres --single".to_owned())?;
    }
    let output = single.wait_with_output().or_io(|| "cannot wait for postgres --single".to_owned())?;
    check_output("postgres --single", output)
}

fn check_output(program: &'static str, output: Output) -> Result<(), ClusterError> {
    let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).trim().to_owned();
    // Single-user mode exits with status 0 even if statements fail.
    if output.status.success() && !text.contains("ERROR:") && !text.contains("FATAL:") {
        return Ok(());
    }
    Err(ClusterError::Failed { program, output: text })
}
