//! The private `PostgreSQL` server that makes `cargo run` enough.
//!
//! A cluster lives in one folder, is reachable through a unix socket only and by nobody but whoever started it, and runs
//! as long as any process uses it. Every user holds the write end of a FIFO; a small shell beside the server reads
//! from it. When the last holder is gone, returned, panicked or killed, the kernel closes the FIFO, the
//! shell sees its end and stops the server. That is reference counting across processes, for free.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{
    DirBuilderExt as _, FileTypeExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _, chown,
};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::sys::stat::Mode;
use nix::unistd::{Pid, User, geteuid, mkfifo};
use sha2::{Digest as _, Sha256};
use sqlx::postgres::PgConnectOptions;

/// Crash recovery of a large cluster may take its time; a healthy start takes milliseconds.
const START_DEADLINE: Duration = Duration::from_mins(2);

/// A server that was told to stop writes a checkpoint first.
const STOP_DEADLINE: Duration = Duration::from_secs(30);

/// A start that another one holds up is told so, and gives up after this long.
const LOCK_DEADLINE: Duration = Duration::from_mins(3);

/// A server that has just begun writes its number at once; a file without one is left over.
const UNREADABLE_DEADLINE: Duration = Duration::from_secs(1);

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
    /// Whether a commit survives a power cut. Only tests may do without; theirs may also create databases.
    pub durable: bool,
}

#[derive(Debug, thiserror::Error)]
pub enum ClusterError {
    #[error(
        "PostgreSQL is not installed. Install it with\n\n    {install}\n\nor set DATABASE_URL to a server that is running."
    )]
    NotInstalled { install: String },
    #[error(
        "The cluster in {dir} was made by PostgreSQL {version}, which is not installed. Install that version, on this \
         system perhaps with\n\n    {install}\n\nor set DATABASE_URL to a server that is running."
    )]
    WrongVersion { dir: String, version: String, install: String },
    #[error("root cannot run PostgreSQL, and there is neither a user `postgres` nor `nobody` to run it")]
    NoUser,
    #[error("another start holds {path} and does not come to an end")]
    Held { path: String },
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
            initialise(&dir, owner, &Programs::find(&dir.join("postgres"))?, options.durable)?;
        }
        let mut socket_dir = make_socket_dir(&dir, owner)?;
        let fifo = make_fifo(&dir, owner)?;
        // Open for reading too, or opening would wait for the shell. Not inherited by the server.
        let holder = OpenOptions::new().read(true).write(true).open(&fifo);
        let holder = holder.or_io(|| format!("cannot open {}", fifo.display()))?;
        // A server that was started with another TMPDIR listens where it said.
        if let PidFile::Of(running) = PidFile::read(&dir)
            && running.is_alive()
        {
            socket_dir = running.socket_dir;
        }
        let server = Server { dir, socket_dir, fifo, owner, durable: options.durable };
        server.run()?;
        drop(lock);
        Ok(Self { server, _holder: holder })
    }

    /// Starts the server again if it was killed, or if its socket is gone, as what cleans up temporary folders may do.
    /// Blocks. Returns whether it had to.
    ///
    /// # Errors
    /// As [`start`](Self::start).
    pub fn revive(&self) -> Result<bool, ClusterError> {
        if self.server.process_lives() && self.server.has_socket() {
            return Ok(false);
        }
        let _lock = lock(&self.server.dir)?;
        if !self.server.has_socket() {
            self.server.stop()?;
            make_private_dir(&self.server.socket_dir, self.server.owner)?;
        }
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

    /// The name that the operating system has for us: `PostgreSQL` asks it who connects.
    fn our_name() -> Option<String> {
        User::from_uid(geteuid()).ok().flatten().map(|user| user.name)
    }

    /// Lets this user, who is not us when we are root, into `path`, and nobody else.
    fn let_in(self, path: &Path, ours: u32, shared: u32) -> Result<(), ClusterError> {
        let metadata = fs::symlink_metadata(path).or_io(|| format!("cannot look at {}", path.display()))?;
        // What belongs to somebody else is theirs to close.
        if metadata.uid() != geteuid().as_raw() {
            return Ok(());
        }
        let mode = match self.other {
            Some((_, gid)) => {
                chown(path, None, Some(gid)).or_io(|| format!("cannot give {} to a group", path.display()))?;
                shared
            }
            None => ours,
        };
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).or_io(|| format!("cannot close {}", path.display()))
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
        let is_ours = !dir.exists() || ["postgres", "secret_key"].iter().any(|name| dir.join(name).exists());
        fs::create_dir_all(dir).or_io(|| format!("cannot make {}", dir.display()))?;
        // A folder that holds something else too stays as open as it is.
        if is_ours {
            owner.let_in(dir, 0o700, 0o710)?;
        }
        fs::canonicalize(dir).or_io(|| format!("cannot find {}", dir.display()))
    };
    let dir = make(&options.dir)?;
    if owner.can_enter(&dir) {
        return Ok(dir);
    }
    // Each of several folders that cannot be reached has its own.
    let fallback = make(&options.fallback_dir.join(format!("{:016x}", hash(&dir))))?;
    say(&format!(
        "PostgreSQL's user cannot reach {}: the database is in {} instead.",
        dir.display(),
        fallback.display()
    ));
    Ok(fallback)
}

/// To whoever started the program, if they listen.
fn say(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
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
            (None, None) => Err(ClusterError::NotInstalled { install: install_command(None) }),
            (None, Some(version)) => Err(ClusterError::WrongVersion {
                dir: cluster.display().to_string(),
                install: install_command(Some(&version)),
                version,
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

/// The command that installs the server, of this major version where one is named.
fn install_command(version: Option<&str>) -> String {
    let has = |program: &str| {
        std::env::var_os("PATH").is_some_and(|path| std::env::split_paths(&path).any(|dir| dir.join(program).exists()))
    };
    let sudo = if geteuid().is_root() { "" } else { "sudo " };
    let v = version.unwrap_or_default();
    let any = version.is_none();
    match () {
        () if has("apt-get") && any => format!("{sudo}apt-get update && {sudo}apt-get install -y postgresql"),
        () if has("apt-get") => format!("{sudo}apt-get update && {sudo}apt-get install -y postgresql-{v}"),
        () if has("dnf") && any => format!("{sudo}dnf install -y postgresql-server"),
        () if has("dnf") => format!("{sudo}dnf install -y postgresql{v}-server"),
        () if has("apk") => format!("{sudo}apk add postgresql{v}"),
        () if has("pacman") && any => format!("{sudo}pacman -S --noconfirm postgresql"),
        () if has("pacman") => format!("{sudo}pacman -S --noconfirm postgresql-old-upgrade"),
        () if has("brew") && any => "brew install postgresql".to_owned(),
        () if has("brew") => format!("brew install postgresql@{v}"),
        () if has("zypper") => format!("{sudo}zypper install -y postgresql{v}-server"),
        () => format!("your system's package of the PostgreSQL server {v}").trim_end().to_owned(),
    }
}

/// Makes a cluster in a sibling folder, then renames it: an interrupted first start leaves no half of one.
fn initialise(dir: &Path, owner: Owner, programs: &Programs, durable: bool) -> Result<(), ClusterError> {
    let unfinished = dir.join("postgres.unfinished");
    if unfinished.exists() {
        fs::remove_dir_all(&unfinished).or_io(|| format!("cannot remove {}", unfinished.display()))?;
    }
    fs::DirBuilder::new().mode(0o700).create(&unfinished).or_io(|| format!("cannot make {}", unfinished.display()))?;
    owner.own(&unfinished)?;
    let initdb = |locale: &str| {
        let mut command = owner.command(&programs.bin.join("initdb"));
        command.args(["--username=postgres", "--auth=peer", "--encoding=UTF8", "--no-instructions", locale, "-D"]);
        command.arg(&unfinished).output().or_io(|| "cannot run initdb".to_owned())
    };
    // Not every system has C.UTF-8; the encoding is UTF-8 with either.
    let mut output = initdb("--locale=C.UTF-8")?;
    if !output.status.success() {
        output = initdb("--locale=C")?;
    }
    succeed("initdb", output)?;

    let may = if durable { "" } else { " createdb" };
    let sql = format!("create role {SITE} login{may}\ncreate database {SITE} owner {SITE}\n");
    single_user(&unfinished, owner, programs, &sql)?;
    let ready = dir.join("postgres");
    fs::rename(&unfinished, &ready).or_io(|| format!("cannot rename {}", unfinished.display()))
}

/// Runs statements, one a line, as the superuser of a cluster that is not running: nobody signs in as that otherwise.
fn single_user(cluster: &Path, owner: Owner, programs: &Programs, sql: &str) -> Result<(), ClusterError> {
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
    succeed("postgres --single", output)
}

fn succeed(program: &'static str, output: Output) -> Result<(), ClusterError> {
    let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).trim().to_owned();
    // Single-user mode ends with 0 whatever happened to its statements.
    if output.status.success() && !text.contains("ERROR:") && !text.contains("FATAL:") {
        return Ok(());
    }
    Err(ClusterError::Failed { program, output: text })
}

/// The path of a socket has to fit 107 bytes, of which its name takes 14.
const MOST_IN_SOCKET_DIR: usize = 90;

/// Beside the cluster, where nobody cleans up; or, if that path is too long or cannot hold one, in the system's temporary
/// folder, named after the cluster.
fn make_socket_dir(dir: &Path, owner: Owner) -> Result<PathBuf, ClusterError> {
    let beside = dir.join("socket");
    if beside.as_os_str().len() <= MOST_IN_SOCKET_DIR {
        make_private_dir(&beside, owner)?;
        if can_hold_sockets(&beside) {
            return Ok(beside);
        }
    }
    let elsewhere = std::env::temp_dir().join(format!("evenkeel-{:016x}", hash(dir)));
    make_private_dir(&elsewhere, owner)?;
    Ok(elsewhere)
}

/// Not every file system can: folders that are shared with another system, for example, may not.
fn can_hold_sockets(dir: &Path) -> bool {
    let path = dir.join("try");
    let _ = fs::remove_file(&path);
    let can = std::os::unix::net::UnixListener::bind(&path).is_ok();
    let _ = fs::remove_file(&path);
    can
}

fn make_private_dir(path: &Path, owner: Owner) -> Result<(), ClusterError> {
    match fs::DirBuilder::new().mode(0o700).create(path) {
        Ok(()) => owner.own(path)?,
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => (),
        Err(source) => return Err(ClusterError::Io { action: format!("cannot make {}", path.display()), source }),
    }
    // Everyone may write to the temporary folder: what is there already has to be ours and closed to others.
    let found = fs::symlink_metadata(path).or_io(|| format!("cannot look at {}", path.display()))?;
    if !found.is_dir() || found.uid() != owner.uid() || found.permissions().mode() & 0o077 != 0 {
        return Err(ClusterError::ForeignSocketDir { path: path.display().to_string() });
    }
    Ok(())
}

/// A short name for a folder, the same whoever asks.
fn hash(dir: &Path) -> u64 {
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&Sha256::digest(dir.as_os_str().as_encoded_bytes())[..8]);
    u64::from_be_bytes(bytes)
}

fn make_fifo(dir: &Path, owner: Owner) -> Result<PathBuf, ClusterError> {
    let fifo = dir.join("in_use");
    let is_there = match fs::symlink_metadata(&fifo) {
        Ok(found) if found.file_type().is_fifo() => true,
        Ok(_) => {
            fs::remove_file(&fifo).or_io(|| format!("cannot remove {}", fifo.display()))?;
            false
        }
        Err(_) => false,
    };
    if !is_there {
        let mode = Mode::from_bits_truncate(0o600);
        mkfifo(&fifo, mode).map_err(io::Error::from).or_io(|| format!("cannot make the FIFO {}", fifo.display()))?;
    }
    owner.let_in(&fifo, 0o600, 0o600)?;
    Ok(fifo)
}

/// Held until a server is ready: of several that start at once, one starts the server. Nobody else may hold it.
fn lock(dir: &Path) -> Result<File, ClusterError> {
    let path = dir.join("lock");
    let file = OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(&path);
    let file = file.or_io(|| format!("cannot open {}", path.display()))?;
    if file.metadata().is_ok_and(|found| found.uid() == geteuid().as_raw()) {
        let closed = fs::Permissions::from_mode(0o600);
        file.set_permissions(closed).or_io(|| format!("cannot close {}", path.display()))?;
    }
    let since = Instant::now();
    let mut told = false;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(fs::TryLockError::Error(source)) => {
                return Err(ClusterError::Io { action: format!("cannot lock {}", path.display()), source });
            }
            Err(fs::TryLockError::WouldBlock) if since.elapsed() > LOCK_DEADLINE => {
                return Err(ClusterError::Held { path: path.display().to_string() });
            }
            Err(fs::TryLockError::WouldBlock) => (),
        }
        if !told && since.elapsed() > Duration::from_secs(2) {
            say(&format!("Waiting for another start, which holds {}.", path.display()));
            told = true;
        }
        sleep(Duration::from_millis(20));
    }
}

fn pid_file(dir: &Path) -> PathBuf {
    dir.join("postgres/postmaster.pid")
}

/// What a server says of itself, or a dead one has left behind.
enum PidFile {
    Absent,
    /// Empty or garbage.
    Unreadable,
    /// Nobody is dead because we may not look, as when too many files are open.
    Unknown,
    Of(Running),
}

struct Running {
    pid: i32,
    cluster: PathBuf,
    socket_dir: PathBuf,
    ready: bool,
}

impl PidFile {
    fn read(dir: &Path) -> Self {
        match fs::read(pid_file(dir)) {
            Ok(bytes) => String::from_utf8(bytes)
                .ok()
                .and_then(|text| Running::parse(dir, &text))
                .map_or(Self::Unreadable, Self::Of),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Self::Absent,
            Err(_) => Self::Unknown,
        }
    }
}

impl Running {
    fn parse(dir: &Path, text: &str) -> Option<Self> {
        let mut lines = text.lines();
        let pid = lines.next()?.trim().parse().ok().filter(|pid| *pid > 0)?;
        let socket_dir = lines.nth(3).unwrap_or_default().trim().into();
        let ready = lines.nth(2).is_some_and(|line| line.trim() == "ready");
        Some(Self { pid, cluster: dir.join("postgres"), socket_dir, ready })
    }

    fn is_alive(&self) -> bool {
        kill(Pid::from_raw(self.pid), None).is_ok() && !self.is_stranger()
    }

    /// Whether a dead server's number belongs to somebody else by now, as it easily happens in containers: to another
    /// program, or to the server of another cluster. A server works in the folder of its cluster.
    fn is_stranger(&self) -> bool {
        if let Ok(works_in) = fs::read_link(format!("/proc/{}/cwd", self.pid)) {
            return works_in != self.cluster;
        }
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
                None if self.may_live(started.elapsed()) => (),
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
        // PostgreSQL itself would take what is left over for a living server, and not start. The lock is ours.
        let left_over = match PidFile::read(&self.dir) {
            PidFile::Unreadable => true,
            PidFile::Of(running) => running.is_stranger(),
            PidFile::Absent | PidFile::Unknown => false,
        };
        if left_over {
            let stale = pid_file(&self.dir);
            fs::remove_file(&stale).or_io(|| format!("cannot remove {}", stale.display()))?;
        }
        self.close_to_others(programs)?;
        let log = OpenOptions::new().create(true).append(true).mode(0o600).open(self.log());
        let log = log.or_io(|| format!("cannot write {}", self.log().display()))?;
        let log_too = log.try_clone().or_io(|| "cannot share the log".to_owned())?;
        // Opened here: were the shell to open it, and its last holder killed before, it would wait for ever.
        let fifo = File::open(&self.fifo).or_io(|| format!("cannot open {}", self.fifo.display()))?;
        // It is told more than once: while it starts it does not hear. The last kill: a server that was killed leaves
        // nobody behind who would signal its number.
        let script = r#"exec 3<&0; "$@" 3<&- </dev/null & server=$!
            (trap '[ -z "$reader" ] || kill "$reader"; exit' TERM; cat <&3 & reader=$!; exec 3<&-; wait "$reader"; reader=
                while kill -INT "$server"; do sleep 1; done) 2>/dev/null & watcher=$!
            exec 3<&- </dev/null; wait "$server"; kill "$watcher" 2>/dev/null"#;
        let mut command = self.owner.command(Path::new("/bin/sh"));
        command.args(["-c", script, "sh"]).arg(programs.bin.join("postgres"));
        command.arg("-D").arg(self.dir.join("postgres")).arg("-k").arg(&self.socket_dir);
        command.args(["-c", "listen_addresses=", "-c", "unix_socket_permissions=0700"]);
        if !self.durable {
            command.args(["-c", "fsync=off", "-c", "synchronous_commit=off", "-c", "full_page_writes=off"]);
            command.args(["-c", "max_connections=300"]);
        }
        command.stdin(fifo).stdout(log).stderr(log_too).spawn().or_io(|| "cannot start PostgreSQL".to_owned())
    }

    /// Lets in whoever started the cluster, and root, who could anyway: the operating system says who connects. Clusters
    /// that an older program has made trusted every process of their user, with a role that may create databases.
    fn close_to_others(&self, programs: &Programs) -> Result<(), ClusterError> {
        const WRITTEN: &str = "# Written at each start: only whoever starts this cluster may connect.\n";
        let cluster = self.dir.join("postgres");
        let hba = cluster.join("pg_hba.conf");
        let is_older = fs::read_to_string(&hba)
            .is_ok_and(|text| text.lines().any(|line| line.starts_with("local") && line.ends_with("trust")));
        if is_older && self.durable {
            single_user(&cluster, self.owner, programs, &format!("alter role {SITE} nocreatedb\n"))?;
        }
        let mut names = vec!["root".to_owned()];
        names.extend(Owner::our_name().filter(|name| name != "root"));
        let idents: String = names.iter().map(|name| format!("ours \"{name}\" {SITE}\n")).collect::<Vec<_>>().concat();
        for (path, text) in [
            (hba, format!("{WRITTEN}local all {SITE} peer map=ours\n")),
            (cluster.join("pg_ident.conf"), format!("{WRITTEN}{idents}")),
        ] {
            // Whole under another name first: a server may be reading it.
            let unfinished = path.with_extension("unfinished");
            fs::write(&unfinished, text).or_io(|| format!("cannot write {}", unfinished.display()))?;
            fs::set_permissions(&unfinished, fs::Permissions::from_mode(0o600))
                .or_io(|| format!("cannot close {}", unfinished.display()))?;
            self.owner.own(&unfinished)?;
            fs::rename(&unfinished, &path).or_io(|| format!("cannot rename {}", unfinished.display()))?;
        }
        Ok(())
    }

    /// Stops a server that nobody can reach.
    fn stop(&self) -> Result<(), ClusterError> {
        let begun = Instant::now();
        while let PidFile::Of(running) = PidFile::read(&self.dir) {
            if !running.is_alive() {
                break;
            }
            if begun.elapsed() > STOP_DEADLINE {
                return Err(ClusterError::TooSlow { log: self.log().display().to_string() });
            }
            // Again and again: one that is starting does not hear it.
            let _ = kill(Pid::from_raw(running.pid), Signal::SIGINT);
            sleep(Duration::from_millis(50));
        }
        Ok(())
    }

    fn socket(&self) -> PathBuf {
        self.socket_dir.join(".s.PGSQL.5432")
    }

    fn has_socket(&self) -> bool {
        self.socket().try_exists().unwrap_or(true)
    }

    /// The server says that it is ready, and something listens on its socket.
    fn answers(&self) -> bool {
        let says_ready =
            matches!(PidFile::read(&self.dir), PidFile::Of(running) if running.ready && running.is_alive());
        says_ready && std::os::unix::net::UnixStream::connect(self.socket()).is_ok()
    }

    fn process_lives(&self) -> bool {
        match PidFile::read(&self.dir) {
            PidFile::Of(running) => running.is_alive(),
            PidFile::Absent => false,
            PidFile::Unreadable | PidFile::Unknown => true,
        }
    }

    /// Whether a server may be starting or stopping, so that one should not be started now.
    fn may_live(&self, waited: Duration) -> bool {
        match PidFile::read(&self.dir) {
            PidFile::Of(running) => running.is_alive() && waited < STOP_DEADLINE,
            PidFile::Unreadable => waited < UNREADABLE_DEADLINE,
            PidFile::Unknown => waited < STOP_DEADLINE,
            PidFile::Absent => false,
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
