//! Operating system user that runs the server and owns its files.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown, lchown};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use nix::unistd::{User, geteuid};

use crate::error::{ClusterError, IoContext as _};

/// User who runs the server: the current user or, if the current user is root, another user, because `PostgreSQL`
/// refuses to run as root.
#[derive(Clone, Copy, Debug)]
pub struct ServerUser {
    other: Option<(u32, u32)>,
}

impl ServerUser {
    pub fn detect() -> Result<Self, ClusterError> {
        if !geteuid().is_root() {
            return Ok(Self { other: None });
        }
        let user = ["postgres", "nobody"].iter().find_map(|name| User::from_name(name).ok().flatten());
        let user = user.ok_or(ClusterError::NoServerUser)?;
        Ok(Self { other: Some((user.uid.as_raw(), user.gid.as_raw())) })
    }

    pub fn uid(self) -> u32 {
        self.other.map_or_else(|| geteuid().as_raw(), |(uid, _)| uid)
    }

    /// Builds a command that runs as this user and in its own process group, so that Ctrl-C in the terminal does not
    /// stop the command.
    pub fn command(self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.current_dir("/").stdin(Stdio::null()).process_group(0);
        if let Some((uid, gid)) = self.other {
            command.uid(uid).gid(gid);
        }
        command
    }

    /// Name of the current user. The server accepts connections only from this user and root (peer authentication).
    pub fn current_user_name() -> Option<String> {
        User::from_uid(geteuid()).ok().flatten().map(|user| user.name)
    }

    /// Restricts access to `path` to this user. `ours` is the file mode if this user is the current user. If the current
    /// user is root, `shared` is the file mode, and the group of this user gets access.
    pub fn grant_access(self, path: &Path, ours: u32, shared: u32) -> Result<(), ClusterError> {
        let metadata =
            fs::symlink_metadata(path).or_io(|| format!("cannot read the metadata of {}", path.display()))?;
        // The owner and permissions of another user's files are not changed.
        if metadata.uid() != geteuid().as_raw() {
            return Ok(());
        }
        let mode = match self.other {
            Some((_, gid)) => {
                chown(path, None, Some(gid)).or_io(|| format!("cannot change the group of {}", path.display()))?;
                shared
            }
            None => ours,
        };
        fs::set_permissions(path, fs::Permissions::from_mode(mode))
            .or_io(|| format!("cannot set the mode of {}", path.display()))
    }

    /// Changes the owner of a file or directory to this user. Does not follow symbolic links.
    pub fn take_ownership(self, path: &Path) -> Result<(), ClusterError> {
        match self.other {
            Some((uid, gid)) => {
                lchown(path, Some(uid), Some(gid)).or_io(|| format!("cannot change the owner of {}", path.display()))
            }
            None => Ok(()),
        }
    }

    pub fn can_traverse(self, dir: &Path) -> bool {
        if self.other.is_none() {
            return true;
        }
        let entered = self.command(Path::new("/bin/sh")).args(["-c", "cd -- \"$1\"", "sh"]).arg(dir).output();
        entered.is_ok_and(|output| output.status.success())
    }
}
