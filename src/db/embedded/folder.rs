//! The folder of a cluster, while nobody else may start or replace it.
//!
//! A cluster that is to take the place of another is made beside it, in `successor`. When it is complete, the file
//! `successor/complete` says so, and the folders are renamed; where that is broken off, the next start goes on with it. So
//! there is the old cluster or the new one at any time, and never a part of one.

use std::fs::{self, File, OpenOptions};
use std::path::{Path, PathBuf};

use super::error::{ClusterError, OrIo as _};
use super::files::{lock, make_fifo, make_socket_dir, reachable_dir};
use super::initialise::{UNFINISHED, initialise, unfinished_name};
use super::programs::{Programs, made_by};
use super::running::{Cluster, ClusterOptions};
use super::server;
use super::server::{PidFile, Server};
use super::server_user::ServerUser;

impl Cluster {
    /// Joins the cluster if it is running; otherwise starts it, and makes it first if it does not exist. Blocks.
    ///
    /// # Errors
    /// They say what is missing or failed, and what to do about it.
    pub fn start(options: &ClusterOptions) -> Result<Self, ClusterError> {
        Folder::take(options)?.start()
    }
}

/// The folder of a cluster. Other processes wait as long as this is held.
#[derive(Debug)]
pub struct Folder {
    dir: PathBuf,
    owner: ServerUser,
    options: ClusterOptions,
    _lock: File,
}

impl Folder {
    /// Makes the folder if it is missing. Blocks while somebody else has it.
    ///
    /// # Errors
    /// If it cannot be made or used.
    pub fn take(options: &ClusterOptions) -> Result<Self, ClusterError> {
        let owner = ServerUser::choose()?;
        let dir = reachable_dir(&options.dir, &options.fallback_dir, owner)?;
        let lock = lock(&dir)?;
        sweep(&dir);
        replace(&dir)?;
        Ok(Self { dir, owner, options: options.clone(), _lock: lock })
    }

    /// As [`take`](Self::take), but `None` where there is no cluster: then nothing is created.
    ///
    /// # Errors
    /// As `take`.
    pub fn find(options: &ClusterOptions) -> Result<Option<Self>, ClusterError> {
        if !options.dir.exists() && !options.fallback_dir.exists() {
            return Ok(None);
        }
        Ok(Some(Self::take(options)?).filter(Self::has_cluster))
    }

    /// Whether there is a cluster.
    #[must_use]
    pub fn has_cluster(&self) -> bool {
        self.cluster().exists()
    }

    /// The folder on disk, in which there is room for a successor or not.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.dir
    }

    fn cluster(&self) -> PathBuf {
        self.dir.join("postgres")
    }

    fn successor_dir(&self) -> PathBuf {
        self.dir.join("successor")
    }

    /// Joins the cluster if it is running; otherwise starts it, and makes it first if it does not exist. Blocks.
    ///
    /// # Errors
    /// They say what is missing or failed, and what to do about it.
    pub fn start(&self) -> Result<Cluster, ClusterError> {
        let Self { dir, owner, options, .. } = self;
        if !self.has_cluster() {
            let programs = Programs::for_new(options.programs.as_deref())?;
            initialise(dir, *owner, &programs, options.durable)?;
        }
        let mut socket_dir = make_socket_dir(dir, *owner)?;
        let fifo = make_fifo(dir, *owner)?;
        // Open for reading, too: with writing alone, `open` would wait until the shell reads. The server does not
        // inherit it.
        let holder = OpenOptions::new().read(true).write(true).open(&fifo);
        let holder = holder.or_io(|| format!("cannot open {}", fifo.display()))?;
        // The running server may have been started with another TMPDIR: its pid file says where it listens.
        if let PidFile::Names(running) = PidFile::read(dir)
            && running.is_alive()
        {
            socket_dir = running.socket_dir;
        }
        let (dir, programs) = (dir.clone(), options.programs.clone());
        let server = Server { dir, programs, socket_dir, fifo, owner: *owner, durable: options.durable };
        server.run()?;
        Ok(Cluster { server, _holder: holder })
    }

    /// Makes and starts an empty cluster of the newest version that is installed, which may take the place of this one.
    ///
    /// # Errors
    /// As [`start`](Self::start), and where the old cluster could not be kept.
    pub fn start_successor(&self) -> Result<Cluster, ClusterError> {
        if let Some(kept) = self.kept().filter(|kept| kept.exists()) {
            return Err(ClusterError::KeptAlready { path: kept.display().to_string() });
        }
        // One that was begun before, whose server may not have noticed yet that nobody needs it.
        server::stop(&self.successor_dir())?;
        remove(&self.successor_dir())?;
        Folder::take(&ClusterOptions { dir: self.successor_dir(), ..self.options.clone() })?.start()
    }

    /// Where the cluster is kept when another one takes its place. None where there is no cluster.
    fn kept(&self) -> Option<PathBuf> {
        made_by(&self.cluster()).map(|version| self.dir.join(format!("postgres.{version}")))
    }

    /// Gives a successor up, with all that is in it.
    ///
    /// # Errors
    /// If its server does not stop, or its folder cannot be removed.
    pub fn abandon(&self, successor: Cluster) -> Result<(), ClusterError> {
        server::stop(&successor.server.dir)?;
        drop(successor);
        remove(&self.successor_dir())
    }

    /// Stops both clusters and lets the successor take the place of the old one. Returns where that is kept.
    ///
    /// # Errors
    /// If a server does not stop, or the folders cannot be renamed.
    pub fn succeed(self, old: Option<Cluster>, successor: Cluster) -> Result<Option<PathBuf>, ClusterError> {
        for cluster in old.into_iter().chain([successor]) {
            server::stop(&cluster.server.dir)?;
        }
        let kept = self.kept();
        let complete = self.successor_dir().join("complete");
        let name = kept.as_ref().and_then(|kept| kept.file_name()).unwrap_or_default();
        let written = fs::write(&complete, name.as_encoded_bytes());
        written.and_then(|()| sync(&complete)).or_io(|| format!("cannot write {}", complete.display()))?;
        replace(&self.dir)?;
        Ok(kept)
    }
}

/// Puts a complete successor in its place. Each step can be broken off, and is then done the next time.
fn replace(dir: &Path) -> Result<(), ClusterError> {
    let (successor, cluster) = (dir.join("successor"), dir.join("postgres"));
    let Ok(kept) = fs::read_to_string(successor.join("complete")) else { return Ok(()) };
    let rename = |from: &Path, to: &Path| {
        fs::rename(from, to).and_then(|()| sync(dir)).or_io(|| format!("cannot rename {}", from.display()))
    };
    if successor.join("postgres").exists() {
        if cluster.exists() {
            rename(&cluster, &dir.join(kept))?;
        }
        rename(&successor.join("postgres"), &cluster)?;
    }
    remove(&successor)
}

fn sync(path: &Path) -> std::io::Result<()> {
    File::open(path)?.sync_all()
}

/// Deletes what earlier starts have left. What cannot be deleted yet is deleted by the next start.
fn sweep(dir: &Path) {
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(UNFINISHED) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Removes a folder, if it is there. It is renamed first, so that a process that still writes into it delays nothing.
fn remove(dir: &Path) -> Result<(), ClusterError> {
    let gone = dir.with_file_name(unfinished_name());
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

    /// What is in a folder: names and, of clusters, whose they are.
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
    fn a_successor_takes_the_place_however_often_that_is_broken_off() {
        // How far an earlier process had come: what is there then.
        type Left = fn(&Path);
        let stages: [Left; 4] = [
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
            replace(dir.path()).unwrap();
            replace(dir.path()).unwrap();
            let expected: &[&str] =
                if is_complete { &["postgres.14: old", "postgres: new"] } else { &["postgres: old", "successor"] };
            assert_eq!(look(dir.path()), expected, "stage {stage}");
        }
    }
}
