//! Free disk space.

use std::path::Path;

/// Bytes available to unprivileged programs; `None` if unknown.
pub fn free_bytes(folder: &Path) -> Option<i64> {
    let disk = nix::sys::statvfs::statvfs(folder).ok()?;
    i64::try_from(disk.blocks_available().saturating_mul(disk.fragment_size())).ok()
}
