//! Server process of a cluster: status, start and stop.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::thread::sleep;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::binaries::Binaries;
use crate::error::{ClusterError, IoContext as _, STARTUP_TIMEOUT};
use crate::initialize::DATABASE_NAME;
use crate::server_user::ServerUser;

/// Time limit for stopping the server, which writes a checkpoint first.
const STOP_DEADLINE: Duration = Duration::from_secs(30);

/// Time after which an invalid PID file counts as stale. Until then, the file may belong to a server that has just
/// started and is writing its PID.
const INVALID_PID_FILE_GRACE: Duration = Duration::from_secs(1);

fn pid_file(dir: &Path) -> PathBuf {
    dir.join("postgres/postmaster.pid")
}

/// PID file (`postmaster.pid`) of a running server or a dead server.
pub enum PidFile {
    Absent,
    Invalid,
    /// The file could not be read, for example because too many files are open. The server may still be running.
    ReadFailed,
    Valid(RunningServer),
}

pub struct RunningServer {
    pid: i32,
    cluster: PathBuf,
    pub socket_dir: PathBuf,
    /// Status that the server reports, such as `starting`, `ready` or `stopping`.
    status: String,
}

impl PidFile {
    pub fn read_pid_file(dir: &Path) -> Self {
        match fs::read(pid_file(dir)) {
            Ok(bytes) => String::from_utf8(bytes)
                .ok()
                .and_then(|text| RunningServer::parse(dir, &text))
                .map_or(Self::Invalid, Self::Valid),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Self::Absent,
            Err(_) => Self::ReadFailed,
        }
    }
}

impl RunningServer {
    fn parse(dir: &Path, text: &str) -> Option<Self> {
        let mut lines = text.lines();
        let pid = lines.next()?.trim().parse().ok().filter(|pid| *pid > 0)?;
        let socket_dir = lines.nth(3).unwrap_or_default().trim().into();
        let status = lines.nth(2).unwrap_or_default().trim().to_owned();
        Some(Self { pid, cluster: dir.join("postgres"), socket_dir, status })
    }

    pub fn is_alive(&self) -> bool {
        kill(Pid::from_raw(self.pid), None).is_ok() && !self.is_reused_pid()
    }

    /// True if another process has reused the PID of a dead server, as is common in containers. A process whose working
    /// directory is not the directory of this cluster is a different program, or the server of another cluster.
    fn is_reused_pid(&self) -> bool {
        if let Ok(works_in) = fs::read_link(format!("/proc/{}/cwd", self.pid)) {
            // Resolves symbolic links, because the directory of a cluster may be a link to another disk.
            let cluster = fs::canonicalize(&self.cluster).unwrap_or_else(|_| self.cluster.clone());
            return works_in != cluster;
        }
        let name = fs::read_to_string(format!("/proc/{}/comm", self.pid));
        name.is_ok_and(|name| !name.starts_with("postgres") && !name.starts_with("postmaster"))
    }
}

#[derive(Debug)]
pub struct Server {
    pub dir: PathBuf,
    /// Directory with server binaries, which take precedence over installed ones.
    pub programs: Option<PathBuf>,
    pub socket_dir: PathBuf,
    pub fifo: PathBuf,
    pub owner: ServerUser,
    pub durable: bool,
}

impl Server {
    /// Starts the server unless it is running already. Returns when the server accepts connections.
    pub fn ensure_running(&self) -> Result<(), ClusterError> {
        let programs = self.binaries()?;
        let started = Instant::now();
        let mut child: Option<Child> = None;
        // A server in crash recovery is not stopped at the time limit, because recovery would begin again at the next
        // start.
        loop {
            // `is_starting` is read before the connection attempt, because the server may become ready between the two
            // checks.
            let is_starting = self.is_starting();
            if self.accepts_connections() {
                return Ok(());
            }
            if !is_starting && started.elapsed() >= STARTUP_TIMEOUT {
                return Err(ClusterError::Timeout { log: self.log().display().to_string() });
            }
            match &mut child {
                // A server that is stopping must exit before a new server is started. If the process neither exits nor
                // accepts connections, its PID may have been reused by another program. After a time limit, a server is
                // therefore started anyway, and PostgreSQL reports a conflict if there is one.
                None if self.may_be_running(started.elapsed()) => (),
                None => child = Some(self.spawn(&programs)?),
                Some(shell) => {
                    let ended = shell.try_wait().or_io(|| "cannot wait for the PostgreSQL process".to_owned())?;
                    if ended.is_some() {
                        return Err(ClusterError::Failed { program: "postgres", output: self.log_tail() });
                    }
                }
            }
            sleep(Duration::from_millis(10));
        }
    }

    pub fn binaries(&self) -> Result<Binaries, ClusterError> {
        Binaries::for_cluster(&self.dir.join("postgres"), self.programs.as_deref())
    }

    fn spawn(&self, programs: &Binaries) -> Result<Child, ClusterError> {
        // PostgreSQL refuses to start if another process has reused the PID in a stale PID file. Deleting the file is
        // safe, because the caller holds the lock.
        let left_over = match PidFile::read_pid_file(&self.dir) {
            PidFile::Invalid => true,
            PidFile::Valid(running) => running.is_reused_pid(),
            PidFile::Absent | PidFile::ReadFailed => false,
        };
        if left_over {
            let stale = pid_file(&self.dir);
            fs::remove_file(&stale).or_io(|| format!("cannot remove {}", stale.display()))?;
        }
        self.write_access_rules()?;
        let log = OpenOptions::new().create(true).append(true).mode(0o600).open(self.log());
        let log = log.or_io(|| format!("cannot open {}", self.log().display()))?;
        let log_too = log.try_clone().or_io(|| "cannot duplicate the handle of the log file".to_owned())?;
        // The FIFO is opened here instead of in the shell. If all writers of the FIFO were killed before the shell
        // opened it, the shell would block forever.
        let fifo = File::open(&self.fifo).or_io(|| format!("cannot open {}", self.fifo.display()))?;
        // SIGINT is sent every second, because a server that is starting ignores it. The last `kill` ends the watcher
        // if the server was killed: the watcher must not signal another process that reuses the server's PID.
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

    /// Restricts connections to the user who started the cluster and to root, who could read the files anyway. Peer
    /// authentication lets the operating system identify the user.
    fn write_access_rules(&self) -> Result<(), ClusterError> {
        const FILE_HEADER: &str =
            "# Written at each start: only root and the user who starts this cluster may connect.\n";
        let cluster = self.dir.join("postgres");
        let hba = cluster.join("pg_hba.conf");
        let mut names = vec!["root".to_owned()];
        names.extend(ServerUser::current_user_name().filter(|name| name != "root"));
        let idents: String =
            names.iter().map(|name| format!("ours \"{name}\" {DATABASE_NAME}\n")).collect::<Vec<_>>().concat();
        for (path, text) in [
            (hba, format!("{FILE_HEADER}local all {DATABASE_NAME} peer map=ours\n")),
            (cluster.join("pg_ident.conf"), format!("{FILE_HEADER}{idents}")),
        ] {
            // Each file is written under a temporary name and renamed, so that a server never reads a partial file.
            let unfinished = path.with_extension("unfinished");
            // The directory belongs to the user of the server, who could otherwise make root write to the target of a
            // link. `create_new` and `take_ownership` do not follow links.
            let _ = fs::remove_file(&unfinished);
            OpenOptions::new()
                .write(true)
                .create_new(true)
                .mode(0o600)
                .open(&unfinished)
                .and_then(|mut file| file.write_all(text.as_bytes()))
                .or_io(|| format!("cannot write {}", unfinished.display()))?;
            self.owner.take_ownership(&unfinished)?;
            fs::rename(&unfinished, &path).or_io(|| format!("cannot rename {}", unfinished.display()))?;
        }
        Ok(())
    }

    fn socket(&self) -> PathBuf {
        self.socket_dir.join(".s.PGSQL.5432")
    }

    pub fn has_socket(&self) -> bool {
        self.socket().try_exists().unwrap_or(true)
    }

    /// True if the server reports that it is ready and its socket accepts connections.
    fn accepts_connections(&self) -> bool {
        let says_ready = matches!(PidFile::read_pid_file(&self.dir), PidFile::Valid(running) if running.status == "ready" && running.is_alive());
        says_ready && std::os::unix::net::UnixStream::connect(self.socket()).is_ok()
    }

    pub fn is_process_alive(&self) -> bool {
        match PidFile::read_pid_file(&self.dir) {
            PidFile::Valid(running) => running.is_alive(),
            PidFile::Absent => false,
            PidFile::Invalid | PidFile::ReadFailed => true,
        }
    }

    fn is_starting(&self) -> bool {
        let PidFile::Valid(running) = PidFile::read_pid_file(&self.dir) else { return false };
        running.status == "starting"
    }

    /// True if a server may still be starting or stopping, so that no other server may be started. `waited` is the time
    /// since the first check.
    fn may_be_running(&self, waited: Duration) -> bool {
        match PidFile::read_pid_file(&self.dir) {
            PidFile::Valid(running) => running.is_alive() && waited < STOP_DEADLINE,
            PidFile::Invalid => waited < INVALID_PID_FILE_GRACE,
            PidFile::ReadFailed => waited < STOP_DEADLINE,
            PidFile::Absent => false,
        }
    }

    fn log(&self) -> PathBuf {
        log(&self.dir)
    }

    fn log_tail(&self) -> String {
        let text = fs::read_to_string(self.log()).unwrap_or_default();
        let lines: Vec<&str> = text.lines().collect();
        lines[lines.len().saturating_sub(10)..].join("\n")
    }
}

fn log(dir: &Path) -> PathBuf {
    dir.join("postgres.log")
}

/// Stops the server of a directory, if one is running, and waits until it has exited.
pub fn stop(dir: &Path) -> Result<(), ClusterError> {
    let begun = Instant::now();
    while let PidFile::Valid(running) = PidFile::read_pid_file(dir) {
        if !running.is_alive() {
            break;
        }
        if begun.elapsed() > STOP_DEADLINE {
            return Err(ClusterError::Timeout { log: log(dir).display().to_string() });
        }
        // SIGINT is sent repeatedly, because a server that is starting ignores it.
        let _ = kill(Pid::from_raw(running.pid), Signal::SIGINT);
        sleep(Duration::from_millis(50));
    }
    Ok(())
}
