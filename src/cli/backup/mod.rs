//! `evenkeel backup`, `restore` and `upgrade-database`: the private database as a whole.
//!
//! A backup is a tar file. Its first entry, `evenkeel.json`, says what it is and what sums its tables have. Then come the
//! secret key and the pictures, where they are in the site's own folders, then `database.dump`, as `pg_dump` wrote it, and
//! last `sha256`, over all before it. Whoever has the file has the site.

mod checksums;
mod create;
mod manifest;
mod restore;
mod tools;
mod upgrade;

pub use self::create::backup;
pub use self::manifest::Belongings;
pub use self::restore::restore;
pub use self::upgrade::upgrade;
