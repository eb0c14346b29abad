//! Directory of a cluster, locked against other processes.
//!
//! A replacement cluster is created in the subdirectory `successor`. When it is complete, the file `successor/complete`
//! is written and the directories are renamed; an interrupted replacement is finished by the next start. At any time,
//! the directory contains either the complete old cluster or the complete new one.

use std::fs::{self, File, OpenOptions};
use std::path::{Path, PathBuf};

use crate::binaries::{Binaries, cluster_version};
use crate::cluster::{Cluster, ClusterOptions};
use crate::cluster_files::{create_dir_or_fallback, create_fifo, create_socket_dir, has_cluster, lock_dir, sync};
use crate::error::{ClusterError, IoContext as _};
use crate::initialize::{UNFINISHED_DIR_PREFIX, initialize, unfinished_dir_name};
use crate::server;
use crate::server::{PidFile, Server};
use crate::server_user::ServerUser;

impl Cluster {
    /// Returns a handle to the cluster. Creates the cluster and starts the server if necessary. Blocks the thread.
    pub fn start(options: &ClusterOptions) -> Result<Self, ClusterError> {
        ClusterDir::lock(options)?.start_cluster()
    }
}

/// Locked directory of a cluster. Other processes wait until this value is dropped.
#[derive(Debug)]
pub struct ClusterDir {
    dir: PathBuf,
    owner: ServerUser,
    options: ClusterOptions,
    _lock: File,
}

impl ClusterDir {
    /// Locks the directory, creating it if necessary. Blocks while another process holds the lock.
    pub fn lock(options: &ClusterOptions) -> Result<Self, ClusterError> {
        let owner = ServerUser::detect()?;
        let dir = create_dir_or_fallback(&options.dir, &options.fallback_dir, owner)?;
        let lock = lock_dir(&dir)?;
        delete_leftovers(&dir);
        finish_replacement(&dir)?;
        Ok(Self { dir, owner, options: options.clone(), _lock: lock })
    }

    /// Locks the directory if it contains a cluster. Otherwise, returns `None` and creates nothing.
    pub fn lock_existing(options: &ClusterOptions) -> Result<Option<Self>, ClusterError> {
        if !has_cluster(&options.dir, &options.fallback_dir) {
            return Ok(None);
        }
        Ok(Some(Self::lock(options)?).filter(Self::has_cluster))
    }

    pub fn has_cluster(&self) -> bool {
        self.cluster().exists()
    }

    pub fn path(&self) -> &Path {
        &self.dir
    }

    fn cluster(&self) -> PathBuf {
        self.dir.join("postgres")
    }

    fn replacement_dir(&self) -> PathBuf {
        self.dir.join("successor")
    }

    /// Returns a handle to the cluster. Creates the cluster and starts the server if necessary. Blocks the thread.
    pub fn start_cluster(&self) -> Result<Cluster, ClusterError> {
        let Self { dir, owner, options, .. } = self;
        if !self.has_cluster() {
            let programs = Binaries::for_new_cluster(options.bin_dir.as_deref())?;
            initialize(dir, *owner, &programs, options.durable)?;
        }
        let mut socket_dir = create_socket_dir(dir, *owner)?;
        let fifo = create_fifo(dir, *owner)?;
        // The FIFO is opened for reading and writing, because opening a FIFO only for writing would block until the
        // shell reads. The server does not inherit the file descriptor.
        let holder = OpenOptions::new().read(true).write(true).open(&fifo);
        let holder = holder.or_io(|| format!("cannot open {}", fifo.display()))?;
        // The running server may have been started with another TMPDIR; its PID file contains its socket directory.
        if let PidFile::Valid(running) = PidFile::read_pid_file(dir)
            && running.is_alive()
        {
            socket_dir = running.socket_dir;
        }
        let (dir, programs) = (dir.clone(), options.bin_dir.clone());
        let server = Server { dir, programs, socket_dir, fifo, owner: *owner, durable: options.durable };
        server.ensure_running()?;
        Ok(Cluster { server, _holder: holder })
    }

    /// Creates and starts an empty cluster of the newest installed version, which can then replace the cluster in this
    /// directory.
    pub fn start_replacement_cluster(&self) -> Result<Cluster, ClusterError> {
        if let Some(backup) = self.backup_dir().filter(|backup| backup.exists()) {
            return Err(ClusterError::BackupExists { path: backup.display().to_string() });
        }
        // An interrupted upgrade may have left a replacement whose server is still running.
        server::stop(&self.replacement_dir())?;
        remove_dir(&self.replacement_dir())?;
        ClusterDir::lock(&ClusterOptions { dir: self.replacement_dir(), ..self.options.clone() })?.start_cluster()
    }

    /// Backup path of a replaced cluster. `None` if there is no cluster.
    fn backup_dir(&self) -> Option<PathBuf> {
        cluster_version(&self.cluster()).map(|version| self.dir.join(format!("postgres.{version}")))
    }

    pub fn discard_replacement_cluster(&self, successor: Cluster) -> Result<(), ClusterError> {
        server::stop(&successor.server.dir)?;
        drop(successor);
        remove_dir(&self.replacement_dir())
    }

    /// Stops both clusters, and replaces the old cluster with the new one. Returns the path of the old cluster's
    /// backup.
    pub fn switch_to_replacement_cluster(
        self,
        old: Option<Cluster>,
        successor: Cluster,
    ) -> Result<Option<PathBuf>, ClusterError> {
        for cluster in old.into_iter().chain([successor]) {
            server::stop(&cluster.server.dir)?;
        }
        let backup = self.backup_dir();
        let (complete, unfinished) =
            (self.replacement_dir().join("complete"), self.replacement_dir().join("unfinished"));
        let name = backup.as_ref().and_then(|backup| backup.file_name()).unwrap_or_default();
        // The file `complete` is created by a rename, because a full disk or a power failure can leave an empty file.
        fs::write(&unfinished, name.as_encoded_bytes())
            .and_then(|()| sync(&unfinished))
            .and_then(|()| fs::rename(&unfinished, &complete))
            .and_then(|()| sync(&self.replacement_dir()))
            .or_io(|| format!("cannot write {}", complete.display()))?;
        finish_replacement(&self.dir)?;
        Ok(backup)
    }
}

/// Moves a complete replacement cluster into place. If the process is interrupted, the next call completes the move.
fn finish_replacement(dir: &Path) -> Result<(), ClusterError> {
    let (successor, cluster) = (dir.join("successor"), dir.join("postgres"));
    let Ok(backup) = fs::read_to_string(successor.join("complete")) else { return Ok(()) };
    let rename = |from: &Path, to: &Path| {
        fs::rename(from, to).and_then(|()| sync(dir)).or_io(|| format!("cannot rename {}", from.display()))
    };
    if successor.join("postgres").exists() {
        if cluster.exists() {
            rename(&cluster, &dir.join(backup))?;
        }
        rename(&successor.join("postgres"), &cluster)?;
    }
    remove_dir(&successor)
}

/// Deletes unfinished directories of interrupted starts. Failures are ignored, because the next start tries again.
fn delete_leftovers(dir: &Path) {
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(UNFINISHED_DIR_PREFIX) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Removes a directory if it exists. Renames it first, so that a process that still writes into it cannot delay the
/// removal.
fn remove_dir(dir: &Path) -> Result<(), ClusterError> {
    let gone = dir.with_file_name(unfinished_dir_name());
    match fs::rename(dir, &gone) {
        Ok(()) => {
            let _ = fs::remove_dir_all(&gone);
            Ok(())
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(source) => Err(ClusterError::Io { action: format!("cannot remove {}", dir.display()), source }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(dir: &Path) -> Vec<String> {
        let entries = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path());
        let mut found: Vec<String> = entries
            .map(|path| {
                let name = path.file_name().unwrap().to_string_lossy().into_owned();
                fs::read_to_string(path.join("whose")).map_or(name.clone(), |whose| format!("{name}: {whose}"))
            })
            .collect();
        found.sort();
        found
    }

    fn cluster(path: &Path, whose: &str) {
        fs::create_dir_all(path).unwrap();
        fs::write(path.join("whose"), whose).unwrap();
    }

    #[test]
    fn interrupted_replacement_is_resumed() {
        // Simulates an interrupted upgrade of a cluster directory.
        type SimulateInterruption = fn(&Path);
        let stages: [SimulateInterruption; 4] = [
            |dir| {
                cluster(&dir.join("postgres"), "old");
                cluster(&dir.join("successor/postgres"), "new");
            },
            |dir| {
                cluster(&dir.join("postgres.14"), "old");
                cluster(&dir.join("successor/postgres"), "new");
            },
            |dir| {
                cluster(&dir.join("postgres.14"), "old");
                cluster(&dir.join("postgres"), "new");
                fs::create_dir(dir.join("successor")).unwrap();
            },
            |dir| {
                cluster(&dir.join("postgres"), "old");
                cluster(&dir.join("successor/postgres"), "half");
            },
        ];
        for (stage, left) in stages.into_iter().enumerate() {
            let dir = tempfile::tempdir().unwrap();
            left(dir.path());
            let is_complete = stage < 3;
            if is_complete {
                fs::write(dir.path().join("successor/complete"), "postgres.14").unwrap();
            }
            finish_replacement(dir.path()).unwrap();
            finish_replacement(dir.path()).unwrap();
            let expected: &[&str] =
                if is_complete { &["postgres.14: old", "postgres: new"] } else { &["postgres: old", "successor"] };
            assert_eq!(look(dir.path()), expected, "stage {stage}");
        }
    }
}
