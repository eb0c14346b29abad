//! Free disk space.

use std::path::Path;

/// Returns the number of bytes available to unprivileged programs on the disk that contains `folder`, or `None` if the
/// number cannot be determined.
pub fn free_bytes(folder: &Path) -> Option<i64> {
    let disk = nix::sys::statvfs::statvfs(folder).ok()?;
    i64::try_from(disk.blocks_available().saturating_mul(disk.fragment_size())).ok()
}
