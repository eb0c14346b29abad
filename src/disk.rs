//! The disk that a folder is on.

use std::path::Path;

/// Bytes that are free for programs without privileges.
#[must_use]
pub fn free(folder: &Path) -> Option<i64> {
    let disk = nix::sys::statvfs::statvfs(folder).ok()?;
    i64::try_from(disk.blocks_available().saturating_mul(disk.fragment_size())).ok()
}
