//! Directories and files of a cluster, with permissions that exclude other users.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{
    DirBuilderExt as _, FileTypeExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _,
};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use nix::sys::stat::Mode;
use nix::unistd::{geteuid, mkfifo};
use sha2::{Digest as _, Sha256};

use crate::error::{ClusterError, IoContext as _};
use crate::server_user::ServerUser;

/// Maximum time to wait for the lock of another process that is starting the server.
const LOCK_DEADLINE: Duration = Duration::from_mins(3);

pub fn create_dir_or_fallback(wanted: &Path, fallback: &Path, owner: ServerUser) -> Result<PathBuf, ClusterError> {
    let make = |dir: &Path| {
        let is_ours = !dir.exists() || ["postgres", "secret_key"].iter().any(|name| dir.join(name).exists());
        fs::create_dir_all(dir).or_io(|| format!("cannot create the directory {}", dir.display()))?;
        // Permissions of an existing directory without a cluster are kept, because other programs may use the
        // directory.
        if is_ours {
            owner.grant_access(dir, 0o700, 0o710)?;
        }
        fs::canonicalize(dir).or_io(|| format!("cannot resolve the path {}", dir.display()))
    };
    let dir = make(wanted)?;
    if owner.can_traverse(&dir) {
        return Ok(dir);
    }
    // The subdirectory is named by the hash of `dir`, so that each data directory has its own fallback directory.
    let fallback = make(&fallback.join(format!("{:016x}", hash(&dir))))?;
    print_message(&format!(
        "The PostgreSQL user cannot access {}, so the database is in {} instead.",
        dir.display(),
        fallback.display()
    ));
    Ok(fallback)
}

/// True if the directory `wanted` or its fallback directory contains a cluster, or a replacement cluster that the next
/// start completes. Creates no directory.
pub fn has_cluster(wanted: &Path, fallback: &Path) -> bool {
    let Ok(dir) = fs::canonicalize(wanted) else { return false };
    let fallback = fallback.join(format!("{:016x}", hash(&dir)));
    [dir, fallback].iter().any(|dir| ["postgres", "successor"].iter().any(|name| dir.join(name).exists()))
}

fn print_message(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}

/// Maximum length of a socket directory's path, in bytes. A Unix socket path is limited to 107 bytes, and
/// `/.s.PGSQL.5432` takes 14 bytes.
const MAX_SOCKET_DIR_BYTES: usize = 90;

/// Creates the socket directory beside the cluster, where no cleanup of temporary files deletes it. If that path is too
/// long or the file system does not support sockets, creates a directory in the system's temporary directory instead,
/// named by the hash of `dir`.
pub fn create_socket_dir(dir: &Path, owner: ServerUser) -> Result<PathBuf, ClusterError> {
    let beside = dir.join("socket");
    if beside.as_os_str().len() <= MAX_SOCKET_DIR_BYTES {
        create_private_dir(&beside, owner)?;
        if supports_sockets(&beside) {
            return Ok(beside);
        }
    }
    let elsewhere = std::env::temp_dir().join(format!("evenkeel-{:016x}", hash(dir)));
    create_private_dir(&elsewhere, owner)?;
    Ok(elsewhere)
}

/// Tests whether `dir` supports Unix sockets by binding a socket there. Some file systems do not support sockets, such
/// as folders that a virtual machine shares with its host.
fn supports_sockets(dir: &Path) -> bool {
    let path = dir.join("try");
    let _ = fs::remove_file(&path);
    let can = std::os::unix::net::UnixListener::bind(&path).is_ok();
    let _ = fs::remove_file(&path);
    can
}

pub fn create_private_dir(path: &Path, owner: ServerUser) -> Result<(), ClusterError> {
    match fs::DirBuilder::new().mode(0o700).create(path) {
        Ok(()) => owner.take_ownership(path)?,
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => (),
        Err(source) => return Err(ClusterError::Io { action: format!("cannot create {}", path.display()), source }),
    }
    // Any user may create files in the temporary directory, so an existing directory is used only if it belongs to the
    // user who runs the server and other users have no access to it.
    let found = fs::symlink_metadata(path).or_io(|| format!("cannot read the metadata of {}", path.display()))?;
    if !found.is_dir() || found.uid() != owner.uid() || found.permissions().mode() & 0o077 != 0 {
        return Err(ClusterError::ForeignSocketDir { path: path.display().to_string() });
    }
    Ok(())
}

/// Hash of a path, used as a directory name. All processes compute the same hash, and so use the same directory.
fn hash(dir: &Path) -> u64 {
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&Sha256::digest(dir.as_os_str().as_encoded_bytes())[..8]);
    u64::from_be_bytes(bytes)
}

pub fn create_fifo(dir: &Path, owner: ServerUser) -> Result<PathBuf, ClusterError> {
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
        mkfifo(&fifo, mode).map_err(io::Error::from).or_io(|| format!("cannot create the FIFO {}", fifo.display()))?;
    }
    owner.grant_access(&fifo, 0o600, 0o600)?;
    Ok(fifo)
}

/// Flushes a file, or the entries of a directory, to disk.
pub fn sync(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

/// Acquires the lock that a process holds until the server is ready, so that only one of several processes starts the
/// server. Other users cannot access the lock file, so they cannot block a start.
pub fn lock_dir(dir: &Path) -> Result<File, ClusterError> {
    let path = dir.join("lock");
    let file = OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(&path);
    let file = file.or_io(|| format!("cannot open {}", path.display()))?;
    if file.metadata().is_ok_and(|found| found.uid() == geteuid().as_raw()) {
        let closed = fs::Permissions::from_mode(0o600);
        file.set_permissions(closed).or_io(|| format!("cannot set the mode of {}", path.display()))?;
    }
    let since = Instant::now();
    let mut reported = false;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(fs::TryLockError::Error(source)) => {
                return Err(ClusterError::Io { action: format!("cannot lock {}", path.display()), source });
            }
            Err(fs::TryLockError::WouldBlock) if since.elapsed() > LOCK_DEADLINE => {
                return Err(ClusterError::Locked { path: path.display().to_string() });
            }
            Err(fs::TryLockError::WouldBlock) => (),
        }
        if !reported && since.elapsed() > Duration::from_secs(2) {
            print_message(&format!(
                "Waiting for the lock {}, which is held by another process that starts or upgrades the database.",
                path.display()
            ));
            reported = true;
        }
        sleep(Duration::from_millis(20));
    }
}
