//! `pg_dump` and `pg_restore`, which come with `PostgreSQL`.

use std::io::Read as _;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread::JoinHandle;

use anyhow::{Context as _, ensure};
use indicatif::ProgressBar;

use crate::db::Cluster;

/// The programs of one version.
pub struct Tools {
    bin: PathBuf,
}

/// One of the programs at work.
pub struct Working {
    name: &'static str,
    child: Child,
    said: JoinHandle<String>,
}

impl Tools {
    /// Those that belong to a server; where it has none, the newest, which work with older servers, too.
    pub fn of(cluster: &Cluster) -> anyhow::Result<Self> {
        let is_complete = |bin: &PathBuf| ["pg_dump", "pg_restore"].iter().all(|name| bin.join(name).exists());
        let found = [cluster.programs()?, Cluster::newest_programs()?].into_iter().find(is_complete);
        let bin =
            found.context("pg_dump and pg_restore are missing: install the client programs of PostgreSQL, too")?;
        Ok(Self { bin })
    }

    /// Writes the site's database of a cluster, as it was when `snapshot` was taken, or as it is now.
    pub fn dump(&self, cluster: &Cluster, snapshot: Option<&str>) -> anyhow::Result<(Working, ChildStdout)> {
        let mut command = self.command("pg_dump", cluster);
        command.args(["--format=custom", "--compress=3"]).args(snapshot.map(|id| format!("--snapshot={id}")));
        let mut working = Working::start("pg_dump", command.stdin(Stdio::null()).stdout(Stdio::piped()))?;
        let written = working.child.stdout.take().context("pg_dump has no output")?;
        Ok((working, written))
    }

    /// Reads what `dump` wrote into the empty database of a cluster.
    pub fn restore(&self, cluster: &Cluster) -> anyhow::Result<(Working, ChildStdin)> {
        let mut command = self.command("pg_restore", cluster);
        command.args(["--exit-on-error", "--no-owner", "--no-privileges"]);
        let mut working = Working::start("pg_restore", command.stdin(Stdio::piped()).stdout(Stdio::null()))?;
        let read = working.child.stdin.take().context("pg_restore has no input")?;
        Ok((working, read))
    }

    fn command(&self, name: &str, cluster: &Cluster) -> Command {
        let mut command = Command::new(self.bin.join(name));
        // PGOPTIONS and the like are not meant for these.
        command.env_clear().env("LC_ALL", "C").arg("--dbname").arg(cluster.url("evenkeel"));
        command
    }
}

impl Working {
    fn start(name: &'static str, command: &mut Command) -> anyhow::Result<Self> {
        let mut child = command.stderr(Stdio::piped()).spawn().with_context(|| format!("cannot run {name}"))?;
        let mut errors = child.stderr.take().context("no standard error")?;
        // Read beside the work: a full pipe would hold it up.
        let said = std::thread::spawn(move || {
            let mut text = Vec::new();
            let _ = errors.read_to_end(&mut text);
            String::from_utf8_lossy(&text).trim().to_owned()
        });
        Ok(Self { name, child, said })
    }

    /// Waits for its end.
    ///
    /// # Errors
    /// What it said, if it failed.
    pub fn finish(mut self) -> anyhow::Result<()> {
        let ended = self.child.wait()?;
        let said = self.said.join().unwrap_or_default();
        ensure!(ended.success(), "{} failed ({ended}): {said}", self.name);
        Ok(())
    }
}

/// Copies the site's database from one cluster to another, which may be newer.
pub fn copy(from: &Cluster, to: &Cluster, progress: &ProgressBar) -> anyhow::Result<()> {
    let tools = Tools::of(to)?;
    let (dumping, written) = tools.dump(from, None)?;
    let (restoring, mut read) = tools.restore(to)?;
    let copied = std::io::copy(&mut progress.wrap_read(written), &mut read);
    drop(read);
    let (dumped, restored) = (dumping.finish(), restoring.finish());
    // The one that failed first says why: if nothing more could be written to the second, that was it.
    if copied.is_ok() {
        dumped?;
    }
    restored?;
    copied?;
    Ok(())
}
