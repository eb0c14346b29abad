//! `evenkeel backup`, `restore` and `upgrade-database`: commands for the private database.
//!
//! A backup is a tar file with these entries: `evenkeel.json` with metadata and table checksums, the secret key and the
//! image files if the site stores them in its own folders, `database.dump` made by `pg_dump`, and finally `sha256`, the
//! digest of all other entries. The file gives full access to the site.

mod archive_format;
mod checksums;
mod client_programs;
mod create;
mod restore;
mod upgrade_database;

pub use self::archive_format::SiteLocations;
pub use self::create::backup;
pub use self::restore::restore;
pub use self::upgrade_database::upgrade_database;
