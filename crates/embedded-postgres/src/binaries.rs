//! Finds the installed `PostgreSQL` binaries, or the command that installs them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use nix::unistd::geteuid;

use crate::error::ClusterError;

pub struct Binaries {
    pub bin: PathBuf,
    version: Vec<u32>,
}

impl Binaries {
    /// Returns the `PostgreSQL` binaries in the directory `wanted` or, if it contains none, the newest installed
    /// version.
    pub fn for_new_cluster(wanted: Option<&Path>) -> Result<Self, ClusterError> {
        wanted.and_then(binaries_in).map_or_else(Self::newest, Ok)
    }

    pub fn newest() -> Result<Self, ClusterError> {
        let newest = installed().max_by_key(|programs| programs.version.clone());
        newest.ok_or_else(|| ClusterError::NotInstalled { install: install_command(None) })
    }

    /// Returns the binaries of the version that created the cluster, from `wanted` or from an installed package.
    pub fn for_cluster(cluster: &Path, wanted: Option<&Path>) -> Result<Self, ClusterError> {
        let made_by = cluster_version(cluster).unwrap_or_default();
        let found = wanted
            .and_then(binaries_in)
            .into_iter()
            .chain(installed())
            .find(|programs| programs.version.starts_with(&parse_version(&made_by)));
        found.ok_or_else(|| ClusterError::WrongVersion {
            dir: cluster.display().to_string(),
            install: install_command(Some(&made_by)),
            newest: Self::newest().ok().map(|newest| newest.major_version()),
            version: made_by,
        })
    }

    pub fn major_version(&self) -> String {
        match self.version[..] {
            [old @ ..=9, minor, ..] => format!("{old}.{minor}"),
            [major, ..] => major.to_string(),
            [] => String::new(),
        }
    }
}

/// Reads the major version of a cluster from its `PG_VERSION` file.
pub fn cluster_version(cluster: &Path) -> Option<String> {
    fs::read_to_string(cluster.join("PG_VERSION")).ok().map(|text| text.trim().to_owned())
}

fn installed() -> impl Iterator<Item = Binaries> {
    candidate_bins().into_iter().filter_map(|bin| binaries_in(&bin))
}

/// Directories that may contain `initdb` and `postgres`: entries of `PATH`, and installation directories of packages.
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

/// Returns the binaries in a directory, with symbolic links resolved to the directory of their package. Returns `None`
/// if the directory contains no binaries.
fn binaries_in(bin: &Path) -> Option<Binaries> {
    let initdb = fs::canonicalize(bin.join("initdb")).ok()?;
    let bin = initdb.parent()?.to_owned();
    let output = Command::new(bin.join("postgres")).arg("--version").output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let version = text.split_whitespace().find(|word| word.starts_with(|first: char| first.is_ascii_digit()))?;
    Some(Binaries { bin, version: parse_version(version) })
}

/// Splits a version number into integers, so that `9.6` compares as older than `15`.
fn parse_version(version: &str) -> Vec<u32> {
    version.split('.').map_while(|part| part.parse().ok()).collect()
}

/// Returns the command that installs the `PostgreSQL` server. `version` is the required major version, if any.
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
        () => format!("the server package of PostgreSQL {v}").trim_end().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_as_numbers() {
        assert!(parse_version("9.6") < parse_version("15.18"));
        assert!(parse_version("15.18").starts_with(&parse_version("15")));
        assert!(parse_version("9.6.24").starts_with(&parse_version("9.6")));
        assert_eq!(parse_version("17beta1"), Vec::<u32>::new());
        let major = |version: &str| Binaries { bin: PathBuf::new(), version: parse_version(version) }.major_version();
        assert_eq!(["9.6.24", "15.18", "18"].map(major), ["9.6", "15", "18"]);
    }
}
