//! The private `PostgreSQL` server that makes `cargo run` enough.
//!
//! A cluster lives in one folder, is reachable through a unix socket only, and runs as long as any
//! process uses it. Every user holds the write end of a FIFO; a small shell beside the server reads
//! from it. When the last holder is gone, returned, panicked or killed, the kernel closes the FIFO, the
//! shell sees its end and stops the server. That is reference counting across processes, for free.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, FileTypeExt as _, MetadataExt as _, PermissionsExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use nix::sys::signal::kill;
use nix::sys::stat::Mode;
use nix::unistd::{Pid, User, geteuid, mkfifo};
use sha2::{Digest as _, Sha256};
use sqlx::postgres::PgConnectOptions;

/// Crash recovery of a large cluster may take its time; a healthy start takes milliseconds.
const START_DEADLINE: Duration = Duration::from_mins(2);

/// A server that was told to stop writes a checkpoint first.
const STOP_DEADLINE: Duration = Duration::from_secs(30);

/// The role and the database that the site uses. The role is no superuser.
const SITE: &str = "evenkeel";

/// A running cluster. It is stopped when the last process that holds one is gone.
#[derive(Debug)]
pub struct Cluster {
    server: Server,
    _holder: File,
}

/// Where a cluster is kept and how careful it is.
#[derive(Clone, Debug)]
pub struct ClusterOptions {
    /// The folder to use, made if it is missing.
    pub dir: PathBuf,
    /// Used instead where the server's user cannot reach `dir`, as below a private home of root.
    pub fallback_dir: PathBuf,
    /// Whether a commit survives a power cut. Only tests may do without.
    pub durable: bool,
}

#[derive(Debug, thiserror::Error)]
pub enum ClusterError {
    #[error(
        "PostgreSQL is not installed. Install it with\n\n    {install}\n\nor set DATABASE_URL to a server that is running."
    )]
    NotInstalled { install: &'static str },
    #[error(
        "The cluster in {dir} was made by PostgreSQL {version}, which is not installed. Install that version, on this \
         system perhaps with\n\n    {install}\n\nor set DATABASE_URL to a server that is running."
    )]
    WrongVersion { dir: String, version: String, install: &'static str },
    #[error("root cannot run PostgreSQL, and there is neither a user `postgres` nor `nobody` to run it")]
    NoUser,
    #[error("{path} belongs to somebody else; remove it, or set TMPDIR to a folder of your own")]
    ForeignSocketDir { path: String },
    #[error("{action}: {source}")]
    Io { action: String, source: io::Error },
    #[error("{program} failed:\n{output}")]
    Failed { program: &'static str, output: String },
    #[error("PostgreSQL did not get ready within {} s; its log is {log}", START_DEADLINE.as_secs())]
    TooSlow { log: String },
}

impl Cluster {
    /// Joins the cluster if it is running, else starts it, else makes it first. Blocks.
    ///
    /// # Errors
    /// What is missing or failed, and what to do about it.
    pub fn start(options: &ClusterOptions) -> Result<Self, ClusterError> {
        let owner = Owner::choose()?;
        let dir = reachable_dir(options, owner)?;
        let lock = lock(&dir)?;
        if !dir.join("postgres").exists() {
            initialise(&dir, owner, &Programs::find(&dir.join("postgres"))?)?;
        }
        let mut socket_dir = make_socket_dir(&dir, owner)?;
        let fifo = make_fifo(&dir)?;
        // Open for reading too, or opening would wait for the shell. Not inherited by the server.
        let holder = OpenOptions::new().read(true).write(true).open(&fifo);
        let holder = holder.or_io(|| format!("cannot open {}", fifo.display()))?;
        // A server that was started with another TMPDIR listens where it said.
        if let Some(elsewhere) = PidFile::read(&dir).filter(PidFile::is_alive).map(|file| file.socket_dir) {
            socket_dir = elsewhere;
        }
        let server = Server { dir, socket_dir, fifo, owner, durable: options.durable };
        server.run()?;
        drop(lock);
        Ok(Self { server, _holder: holder })
    }

    /// Starts the server again if it was killed. Blocks. Returns whether it had to.
    ///
    /// # Errors
    /// As [`start`](Self::start).
    pub fn revive(&self) -> Result<bool, ClusterError> {
        if self.server.process_lives() {
            return Ok(false);
        }
        let _lock = lock(&self.server.dir)?;
        self.server.run().map(|()| true)
    }

    /// How to connect to the site's own database, as its own role.
    #[must_use]
    pub fn connect_options(&self) -> PgConnectOptions {
        self.connect_as(SITE).database(SITE)
    }

    /// The site's database as a URL, for programs that take one.
    #[must_use]
    pub fn url(&self, database: &str) -> String {
        format!("postgres://{SITE}@localhost/{database}?host={}", self.server.socket_dir.display())
    }

    /// A FIFO: whoever holds it open for writing keeps the server running.
    #[must_use]
    pub fn fifo(&self) -> &Path {
        &self.server.fifo
    }

    fn connect_as(&self, role: &str) -> PgConnectOptions {
        PgConnectOptions::new_without_pgpass().socket(&self.server.socket_dir).username(role)
    }
}

/// The user that the server runs as: ourselves, or somebody less powerful when we are root.
#[derive(Clone, Copy, Debug)]
struct Owner {
    other: Option<(u32, u32)>,
}

impl Owner {
    fn choose() -> Result<Self, ClusterError> {
        if !geteuid().is_root() {
            return Ok(Self { other: None });
        }
        let user = ["postgres", "nobody"].iter().find_map(|name| User::from_name(name).ok().flatten());
        let user = user.ok_or(ClusterError::NoUser)?;
        Ok(Self { other: Some((user.uid.as_raw(), user.gid.as_raw())) })
    }

    fn uid(self) -> u32 {
        self.other.map_or_else(|| geteuid().as_raw(), |(uid, _)| uid)
    }

    /// A command that runs as this user, away from our terminal and its Ctrl-C.
    fn command(self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.current_dir("/").stdin(Stdio::null()).process_group(0);
        if let Some((uid, gid)) = self.other {
            command.uid(uid).gid(gid);
        }
        command
    }

    fn own(self, path: &Path) -> Result<(), ClusterError> {
        match self.other {
            Some((uid, gid)) => {
                chown(path, Some(uid), Some(gid)).or_io(|| format!("cannot give away {}", path.display()))
            }
            None => Ok(()),
        }
    }

    fn can_enter(self, dir: &Path) -> bool {
        let entered = self.command(Path::new("/bin/sh")).args(["-c", "cd -- \"$1\"", "sh"]).arg(dir).output();
        self.other.is_none() || entered.is_ok_and(|output| output.status.success())
    }
}

fn reachable_dir(options: &ClusterOptions, owner: Owner) -> Result<PathBuf, ClusterError> {
    let make = |dir: &Path| {
        fs::create_dir_all(dir).or_io(|| format!("cannot make {}", dir.display()))?;
        fs::canonicalize(dir).or_io(|| format!("cannot find {}", dir.display()))
    };
    let dir = make(&options.dir)?;
    if owner.can_enter(&dir) {
        return Ok(dir);
    }
    // Each of several folders that cannot be reached has its own.
    let fallback = make(&options.fallback_dir.join(format!("{:016x}", hash(&dir))))?;
    eprintln!("PostgreSQL's user cannot reach {}: the database is in {} instead.", dir.display(), fallback.display());
    Ok(fallback)
}

/// The two programs of a `PostgreSQL` server package.
struct Programs {
    bin: PathBuf,
}

impl Programs {
    /// The version that made the cluster, or the newest where there is no cluster yet.
    fn find(cluster: &Path) -> Result<Self, ClusterError> {
        let made_by = fs::read_to_string(cluster.join("PG_VERSION")).ok().map(|text| text.trim().to_owned());
        let installed: Vec<(Vec<u32>, PathBuf)> = candidate_bins().iter().filter_map(|bin| versioned(bin)).collect();
        let found = match &made_by {
            Some(version) => installed.into_iter().find(|(found, _)| found.starts_with(&numbers(version))),
            None => installed.into_iter().max_by_key(|(version, _)| version.clone()),
        };
        match (found, made_by) {
            (Some((_, bin)), _) => Ok(Self { bin }),
            (None, None) => Err(ClusterError::NotInstalled { install: install_command() }),
            (None, Some(version)) => Err(ClusterError::WrongVersion {
                dir: cluster.display().to_string(),
                version,
                install: install_command(),
            }),
        }
    }
}

/// Where the packages of the systems we know put `initdb` and `postgres`.
fn candidate_bins() -> Vec<PathBuf> {
    let on_path = std::env::var_os("PATH").map(|path| std::env::split_paths(&path).collect::<Vec<_>>());
    let mut bins = on_path.unwrap_or_default();
    bins.push("/usr/libexec/postgresql".into());
    bins.push("/usr/libexec".into());
    for (parent, prefix, bin) in [
        ("/usr/lib/postgresql", "", "bin"),
        ("/usr/local/lib/postgresql", "", "bin"),
        ("/usr", "pgsql-", "bin"),
        ("/opt/homebrew/opt", "postgresql", "bin"),
        ("/usr/local/opt", "postgresql", "bin"),
        ("/Applications/Postgres.app/Contents/Versions", "", "bin"),
        ("/opt/local/lib", "postgresql", "bin"),
    ] {
        let entries = fs::read_dir(parent).into_iter().flatten().flatten();
        let named = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(prefix));
        bins.extend(named.map(|entry| entry.path().join(bin)));
    }
    bins
}

/// The folder with its links resolved (they lead to one package's programs) and what version is in it.
fn versioned(bin: &Path) -> Option<(Vec<u32>, PathBuf)> {
    let initdb = fs::canonicalize(bin.join("initdb")).ok()?;
    let bin = initdb.parent()?.to_owned();
    let output = Command::new(bin.join("postgres")).arg("--version").output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let version = text.split_whitespace().find(|word| word.starts_with(|first: char| first.is_ascii_digit()))?;
    Some((numbers(version), bin))
}

/// `9.6` is older than `15`: versions are compared as numbers.
fn numbers(version: &str) -> Vec<u32> {
    version.split('.').map_while(|part| part.parse().ok()).collect()
}

fn install_command() -> &'static str {
    let root = geteuid().is_root();
    let has = |program: &str| {
        std::env::var_os("PATH").is_some_and(|path| std::env::split_paths(&path).any(|dir| dir.join(program).exists()))
    };
    match (root, has) {
        (true, has) if has("apt-get") => "apt-get update && apt-get install -y postgresql",
        (false, has) if has("apt-get") => "sudo apt-get update && sudo apt-get install -y postgresql",
        (true, has) if has("dnf") => "dnf install -y postgresql-server",
        (false, has) if has("dnf") => "sudo dnf install -y postgresql-server",
        (true, has) if has("apk") => "apk add postgresql",
        (false, has) if has("apk") => "sudo apk add postgresql",
        (true, has) if has("pacman") => "pacman -S --noconfirm postgresql",
        (false, has) if has("pacman") => "sudo pacman -S --noconfirm postgresql",
        (_, has) if has("brew") => "brew install postgresql",
        (true, has) if has("zypper") => "zypper install -y postgresql-server",
        (false, has) if has("zypper") => "sudo zypper install -y postgresql-server",
        _ => "your system's package of the PostgreSQL server",
    }
}

/// Makes a cluster in a sibling folder, then renames it: an interrupted first start leaves no half of one.
fn initialise(dir: &Path, owner: Owner, programs: &Programs) -> Result<(), ClusterError> {
    let unfinished = dir.join("postgres.unfinished");
    if unfinished.exists() {
        fs::remove_dir_all(&unfinished).or_io(|| format!("cannot remove {}", unfinished.display()))?;
    }
    fs::DirBuilder::new().mode(0o700).create(&unfinished).or_io(|| format!("cannot make {}", unfinished.display()))?;
    owner.own(&unfinished)?;
    let initdb = |locale: &str| {
        let mut command = owner.command(&programs.bin.join("initdb"));
        command.args(["--username=postgres", "--auth=trust", "--encoding=UTF8", "--no-instructions", locale, "-D"]);
        command.arg(&unfinished).output().or_io(|| "cannot run initdb".to_owned())
    };
    // Not every system has C.UTF-8; the encoding is UTF-8 with either.
    let mut output = initdb("--locale=C.UTF-8")?;
    if !output.status.success() {
        output = initdb("--locale=C")?;
    }
    succeed("initdb", output)?;

    // The first role and database need no server either: single-user mode runs one statement a line.
    let mut command = owner.command(&programs.bin.join("postgres"));
    command.arg("--single").arg("-D").arg(&unfinished).arg("postgres");
    let mut single = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .or_io(|| "cannot run postgres --single".to_owned())?;
    if let Some(mut stdin) = single.stdin.take() {
        let sql = format!("create role {SITE} login createdb\ncreate database {SITE} owner {SITE}\n");
        stdin.write_all(sql.as_bytes()).or_io(|| "cannot write to postgres --single".to_owned())?;
    }
    let output = single.wait_with_output().or_io(|| "cannot wait for postgres --single".to_owned())?;
    succeed("postgres --single", output)?;
    let ready = dir.join("postgres");
    fs::rename(&unfinished, &ready).or_io(|| format!("cannot rename {}", unfinished.display()))
}

fn succeed(program: &'static str, output: Output) -> Result<(), ClusterError> {
    let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).trim().to_owned();
    // Single-user mode ends with 0 whatever happened to its statements.
    if output.status.success() && !text.contains("ERROR:") && !text.contains("FATAL:") {
        return Ok(());
    }
    Err(ClusterError::Failed { program, output: text })
}

/// In the system's temporary folder, as a socket's path has to fit 107 bytes; named after the cluster.
fn make_socket_dir(dir: &Path, owner: Owner) -> Result<PathBuf, ClusterError> {
    let path = std::env::temp_dir().join(format!("evenkeel-{:016x}", hash(dir)));
    match fs::DirBuilder::new().mode(0o700).create(&path) {
        Ok(()) => owner.own(&path)?,
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => (),
        Err(source) => return Err(ClusterError::Io { action: format!("cannot make {}", path.display()), source }),
    }
    // Everyone may write to the temporary folder: what is there already has to be ours and closed to others.
    let found = fs::symlink_metadata(&path).or_io(|| format!("cannot look at {}", path.display()))?;
    if !found.is_dir() || found.uid() != owner.uid() || found.permissions().mode() & 0o077 != 0 {
        return Err(ClusterError::ForeignSocketDir { path: path.display().to_string() });
    }
    Ok(path)
}

/// A short name for a folder, the same whoever asks.
fn hash(dir: &Path) -> u64 {
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&Sha256::digest(dir.as_os_str().as_encoded_bytes())[..8]);
    u64::from_be_bytes(bytes)
}

fn make_fifo(dir: &Path) -> Result<PathBuf, ClusterError> {
    let fifo = dir.join("in_use");
    match fs::symlink_metadata(&fifo) {
        Ok(found) if found.file_type().is_fifo() => return Ok(fifo),
        Ok(_) => fs::remove_file(&fifo).or_io(|| format!("cannot remove {}", fifo.display()))?,
        Err(_) => (),
    }
    // The shell that reads from it runs as another user when we are root.
    let mode = Mode::from_bits_truncate(0o644);
    mkfifo(&fifo, mode).map_err(io::Error::from).or_io(|| format!("cannot make the FIFO {}", fifo.display()))?;
    Ok(fifo)
}

/// Held until a server is ready: of several that start at once, one starts the server.
fn lock(dir: &Path) -> Result<File, ClusterError> {
    let path = dir.join("lock");
    let file = OpenOptions::new().create(true).truncate(false).write(true).open(&path);
    let file = file.or_io(|| format!("cannot open {}", path.display()))?;
    file.lock().or_io(|| format!("cannot lock {}", path.display()))?;
    Ok(file)
}

fn pid_file(dir: &Path) -> PathBuf {
    dir.join("postgres/postmaster.pid")
}

/// What a running server says of itself. A dead one may have left it behind.
struct PidFile {
    pid: i32,
    socket_dir: PathBuf,
    ready: bool,
}

impl PidFile {
    fn read(dir: &Path) -> Option<Self> {
        let text = fs::read_to_string(pid_file(dir)).ok()?;
        let mut lines = text.lines();
        let pid = lines.next()?.trim().parse().ok()?;
        let socket_dir = lines.nth(3).unwrap_or_default().trim().into();
        let ready = lines.nth(2).is_some_and(|line| line.trim() == "ready");
        Some(Self { pid, socket_dir, ready })
    }

    fn is_alive(&self) -> bool {
        kill(Pid::from_raw(self.pid), None).is_ok() && !self.is_stranger()
    }

    /// Whether a dead server's number belongs to another program by now, as it easily happens in containers.
    fn is_stranger(&self) -> bool {
        let name = fs::read_to_string(format!("/proc/{}/comm", self.pid));
        name.is_ok_and(|name| !name.starts_with("postgres") && !name.starts_with("postmaster"))
    }
}

#[derive(Debug)]
struct Server {
    dir: PathBuf,
    socket_dir: PathBuf,
    fifo: PathBuf,
    owner: Owner,
    durable: bool,
}

impl Server {
    /// Returns when a server answers, ours or one that was running.
    fn run(&self) -> Result<(), ClusterError> {
        let programs = Programs::find(&self.dir.join("postgres"))?;
        let started = Instant::now();
        let mut child: Option<Child> = None;
        while started.elapsed() < START_DEADLINE {
            if self.answers() {
                return Ok(());
            }
            match &mut child {
                // A server that is stopping has to be gone first. One that neither stops nor answers may be
                // a stranger with the number of a dead server: then PostgreSQL itself is to say so.
                None if self.process_lives() && started.elapsed() < STOP_DEADLINE => (),
                None => child = Some(self.spawn(&programs)?),
                Some(shell) => {
                    let ended = shell.try_wait().or_io(|| "cannot wait for PostgreSQL".to_owned())?;
                    if ended.is_some() {
                        return Err(ClusterError::Failed { program: "postgres", output: self.end_of_log() });
                    }
                }
            }
            sleep(Duration::from_millis(10));
        }
        Err(ClusterError::TooSlow { log: self.log().display().to_string() })
    }

    fn spawn(&self, programs: &Programs) -> Result<Child, ClusterError> {
        // PostgreSQL itself would take a stranger for a living server, and not start. The lock is ours.
        if PidFile::read(&self.dir).is_some_and(|file| file.is_stranger()) {
            let stale = pid_file(&self.dir);
            fs::remove_file(&stale).or_io(|| format!("cannot remove {}", stale.display()))?;
        }
        let log = OpenOptions::new().create(true).append(true).open(self.log());
        let log = log.or_io(|| format!("cannot write {}", self.log().display()))?;
        let log_too = log.try_clone().or_io(|| "cannot share the log".to_owned())?;
        // The last kill: a server that was killed leaves nobody behind who would signal its number.
        let script = r#"fifo=$1; shift; "$@" & server=$!
            (trap 'kill "$reader"; exit' TERM; cat "$fifo" & reader=$!; wait "$reader"; kill -INT "$server") & watcher=$!
            wait "$server"; kill "$watcher" 2>/dev/null"#;
        let mut command = self.owner.command(Path::new("/bin/sh"));
        command.args(["-c", script, "sh"]).arg(&self.fifo).arg(programs.bin.join("postgres"));
        command.arg("-D").arg(self.dir.join("postgres")).arg("-k").arg(&self.socket_dir);
        command.args(["-c", "listen_addresses=", "-c", "unix_socket_permissions=0700"]);
        if !self.durable {
            command.args(["-c", "fsync=off", "-c", "synchronous_commit=off", "-c", "full_page_writes=off"]);
            command.args(["-c", "max_connections=300"]);
        }
        command.stdout(log).stderr(log_too).spawn().or_io(|| "cannot start PostgreSQL".to_owned())
    }

    /// The server says that it is ready, and something listens on its socket.
    fn answers(&self) -> bool {
        let socket = self.socket_dir.join(".s.PGSQL.5432");
        let says_ready = PidFile::read(&self.dir).is_some_and(|file| file.ready && file.is_alive());
        says_ready && std::os::unix::net::UnixStream::connect(socket).is_ok()
    }

    fn process_lives(&self) -> bool {
        match PidFile::read(&self.dir) {
            Some(file) => file.is_alive(),
            // Nobody is dead because we may not look, as when too many files are open.
            None => pid_file(&self.dir).try_exists().unwrap_or(true),
        }
    }

    fn log(&self) -> PathBuf {
        self.dir.join("postgres.log")
    }

    fn end_of_log(&self) -> String {
        let text = fs::read_to_string(self.log()).unwrap_or_default();
        let lines: Vec<&str> = text.lines().collect();
        lines[lines.len().saturating_sub(10)..].join("\n")
    }
}

trait OrIo<T> {
    /// Says what was being done when an input or output error came.
    fn or_io(self, action: impl FnOnce() -> String) -> Result<T, ClusterError>;
}

impl<T> OrIo<T> for io::Result<T> {
    fn or_io(self, action: impl FnOnce() -> String) -> Result<T, ClusterError> {
        self.map_err(|source| ClusterError::Io { action: action(), source })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_as_numbers() {
        assert!(numbers("9.6") < numbers("15.18"));
        assert!(numbers("15.18").starts_with(&numbers("15")));
        assert!(numbers("9.6.24").starts_with(&numbers("9.6")));
        assert_eq!(numbers("17beta1"), Vec::<u32>::new());
    }
}
