//! Files that are written under a temporary name and renamed when complete.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};

/// File that only its owner can read, because it may contain password hashes.
pub struct AtomicFile {
    pub file: File,
    path: PathBuf,
    temporary_path: PathBuf,
}

impl AtomicFile {
    pub fn create(path: &Path) -> anyhow::Result<Self> {
        // Resolves a symbolic link, so that its target is replaced and the link is kept.
        let path = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let is_other = std::fs::metadata(&path).is_ok_and(|metadata| !metadata.is_file());
        ensure!(!is_other, "{} exists and is not a regular file; choose another path", path.display());
        let temporary_path = path.with_added_extension("unfinished");
        let file = open(&temporary_path).with_context(|| format!("cannot write {}", path.display()))?;
        Ok(Self { file, path, temporary_path })
    }

    pub fn sync(self) -> anyhow::Result<SyncedFile> {
        let synced = self.file.sync_all();
        let written = SyncedFile { path: self.path, temporary_path: self.temporary_path, is_new: false };
        if synced.is_err() {
            written.discard();
        }
        synced.with_context(|| format!("cannot write {}", written.path.display()))?;
        Ok(written)
    }

    pub fn commit(self) -> anyhow::Result<()> {
        self.sync()?.commit()
    }
}

/// Complete file on disk, still under its temporary name.
pub struct SyncedFile {
    path: PathBuf,
    temporary_path: PathBuf,
    /// True if the file has its final name and did not replace an existing file.
    is_new: bool,
}

impl SyncedFile {
    pub fn commit(&mut self) -> anyhow::Result<()> {
        let is_new = !self.path.exists();
        let cannot_write = || format!("cannot write {}", self.path.display());
        std::fs::rename(&self.temporary_path, &self.path).with_context(cannot_write)?;
        self.is_new = is_new;
        // A rename is durable only after its directory is synced.
        let dir = self.path.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
        File::open(dir).and_then(|dir| dir.sync_all()).with_context(cannot_write)
    }

    /// Deletes the file, unless it has replaced an existing file.
    pub fn discard(&self) {
        let _ = std::fs::remove_file(&self.temporary_path);
        if self.is_new {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

fn open(path: &Path) -> io::Result<File> {
    // A file that an interrupted run left behind may have other permissions, so it is deleted first.
    if let Err(error) = std::fs::remove_file(path)
        && error.kind() != io::ErrorKind::NotFound
    {
        return Err(error);
    }
    OpenOptions::new().write(true).read(true).create_new(true).mode(0o600).open(path)
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    #[test]
    fn keeps_symlinks_and_rejects_special_files() {
        let dir = tempfile::tempdir().unwrap();
        let (there, link) = (dir.path().join("there"), dir.path().join("link"));
        std::fs::write(&there, "before").unwrap();
        std::os::unix::fs::symlink(&there, &link).unwrap();
        let mut file = AtomicFile::create(&link).unwrap();
        file.file.write_all(b"after").unwrap();
        assert_eq!(std::fs::read_to_string(&link).unwrap(), "before");
        file.commit().unwrap();
        assert_eq!(std::fs::read_to_string(&there).unwrap(), "after");
        assert!(link.is_symlink());
        for other in [dir.path(), Path::new("/dev/null")] {
            assert!(AtomicFile::create(other).is_err_and(|error| error.to_string().contains("is not a regular file")));
        }
    }
}
