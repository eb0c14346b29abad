//! Files that are whole or not there.

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;

/// A file that is being written, for its owner's eyes only: password hashes may be in it. It has another name until it is
/// whole, and a file that had its name stays until then.
pub struct WholeFile {
    pub file: File,
    path: PathBuf,
    unfinished: OsString,
}

impl WholeFile {
    /// # Errors
    /// If it cannot be made.
    pub fn create(path: &Path) -> anyhow::Result<Self> {
        let mut unfinished = path.as_os_str().to_owned();
        unfinished.push(".unfinished");
        let opened = open(Path::new(&unfinished)).with_context(|| format!("cannot write {}", path.display()))?;
        Ok(Self { file: opened, path: path.to_owned(), unfinished })
    }

    /// Gives it its name. It is on the disk then.
    ///
    /// # Errors
    /// If that cannot be.
    pub fn finish(self) -> anyhow::Result<()> {
        let named = self.file.sync_all().and_then(|()| std::fs::rename(&self.unfinished, &self.path));
        named.with_context(|| format!("cannot write {}", self.path.display()))
    }
}

fn open(path: &Path) -> io::Result<File> {
    // What was begun before may be somebody's who can read it.
    if let Err(error) = std::fs::remove_file(path)
        && error.kind() != io::ErrorKind::NotFound
    {
        return Err(error);
    }
    OpenOptions::new().write(true).read(true).create_new(true).mode(0o600).open(path)
}
