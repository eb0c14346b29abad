//! Child processes of `pg_dump` and `pg_restore`.

use std::io::Read as _;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread::JoinHandle;

use anyhow::{Context as _, ensure};
use indicatif::ProgressBar;

use crate::db::Cluster;

pub struct PgClientPrograms {
    bin: PathBuf,
}

pub struct RunningProgram {
    name: &'static str,
    child: Child,
    stderr: JoinHandle<String>,
}

impl PgClientPrograms {
    /// Finds the programs of the server's version, or of the newest installed version, which supports older servers.
    pub fn find(cluster: &Cluster) -> anyhow::Result<Self> {
        let is_complete = |bin: &PathBuf| ["pg_dump", "pg_restore"].iter().all(|name| bin.join(name).exists());
        let bin_dir = [cluster.bin_dir()?, Cluster::newest_bin_dir()?].into_iter().find(is_complete);
        let bin =
            bin_dir.context("pg_dump and pg_restore are not installed; install the client programs of PostgreSQL")?;
        Ok(Self { bin })
    }

    /// Dumps the state of the exported `snapshot`, or the current state without a snapshot.
    pub fn start_dump(
        &self,
        cluster: &Cluster,
        snapshot: Option<&str>,
    ) -> anyhow::Result<(RunningProgram, ChildStdout)> {
        let mut command = self.command("pg_dump", cluster);
        command.args(["--format=custom", "--compress=3"]).args(snapshot.map(|id| format!("--snapshot={id}")));
        let mut working = RunningProgram::start("pg_dump", command.stdin(Stdio::null()).stdout(Stdio::piped()))?;
        let written = working.child.stdout.take().context("cannot read the output of pg_dump")?;
        Ok((working, written))
    }

    /// Restores the output of [`start_dump`](Self::start_dump) into the empty database of a cluster.
    pub fn start_restore(&self, cluster: &Cluster) -> anyhow::Result<(RunningProgram, ChildStdin)> {
        let mut command = self.command("pg_restore", cluster);
        command.args(["--exit-on-error", "--no-owner", "--no-privileges"]);
        let mut working = RunningProgram::start("pg_restore", command.stdin(Stdio::piped()).stdout(Stdio::null()))?;
        let read = working.child.stdin.take().context("cannot write to the input of pg_restore")?;
        Ok((working, read))
    }

    fn command(&self, name: &str, cluster: &Cluster) -> Command {
        let mut command = Command::new(self.bin.join(name));
        // Clears the environment, because variables such as `PGOPTIONS` would affect `pg_dump` and `pg_restore`.
        command.env_clear().env("LC_ALL", "C").arg("--dbname").arg(cluster.database_url("evenkeel"));
        command
    }
}

impl RunningProgram {
    fn start(name: &'static str, command: &mut Command) -> anyhow::Result<Self> {
        let mut child = command.stderr(Stdio::piped()).spawn().with_context(|| format!("cannot run {name}"))?;
        let mut errors = child.stderr.take().context("cannot read the standard error of the program")?;
        // A separate thread reads standard error, because the child process would block on a full pipe.
        let stderr_reader = std::thread::spawn(move || {
            let mut text = Vec::new();
            let _ = errors.read_to_end(&mut text);
            String::from_utf8_lossy(&text).trim().to_owned()
        });
        Ok(Self { name, child, stderr: stderr_reader })
    }

    pub fn wait(mut self) -> anyhow::Result<()> {
        let ended = self.child.wait()?;
        let stderr_reader = self.stderr.join().unwrap_or_default();
        ensure!(ended.success(), "{} failed ({ended}): {stderr_reader}", self.name);
        Ok(())
    }
}

pub fn copy_database(from: &Cluster, to: &Cluster, progress: &ProgressBar) -> anyhow::Result<()> {
    let tools = PgClientPrograms::find(to)?;
    let (dumping, written) = tools.start_dump(from, None)?;
    let (restoring, mut read) = tools.start_restore(to)?;
    let copied = std::io::copy(&mut progress.wrap_read(written), &mut read);
    drop(read);
    let (dumped, restored) = (dumping.wait(), restoring.wait());
    // If copying failed, ignores the error of `pg_dump`, which fails only because `pg_restore` stopped reading.
    if copied.is_ok() {
        dumped?;
    }
    restored?;
    copied?;
    Ok(())
}
