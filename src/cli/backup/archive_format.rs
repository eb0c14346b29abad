//! Format of a backup file: entry names, metadata and format version.

use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::bail;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::checksums::Checksums;
use crate::db;
use crate::images::settings::StorageLocation;
use crate::signing::SecretKey;

pub const METADATA_ENTRY: &str = "evenkeel.json";
pub const SECRET_KEY_ENTRY: &str = "secret_key";
pub const IMAGES_ENTRY: &str = "images";
pub const DATABASE_DUMP_ENTRY: &str = "database.dump";
pub const CHECKSUM_ENTRY: &str = "sha256";
/// Version of the backup file format. `restore` rejects backups with a newer version.
pub const FORMAT_VERSION: u32 = 1;

#[derive(Debug, Serialize, Deserialize)]
pub struct Metadata {
    pub form: u32,
    pub program: String,
    pub postgresql: String,
    pub migration: i64,
    pub taken_at: String,
    pub tables: Checksums,
}

#[derive(Clone, Debug)]
pub struct SiteLocations<'a> {
    pub database: &'a db::Settings,
    pub images: &'a StorageLocation,
    pub key_is_set: bool,
}

impl SiteLocations<'_> {
    pub fn require_private_database(&self) -> anyhow::Result<()> {
        if self.database.server.is_some() {
            bail!(
                "DATABASE_URL is set, and this command works only with a private database; use the tools of PostgreSQL \
                (such as pg_dump) or of your database provider"
            );
        }
        Ok(())
    }

    pub fn secret_key_path(&self) -> PathBuf {
        SecretKey::file_path(&self.database.data_dir)
    }
}

pub struct HashingStream<'a, T> {
    pub inner: T,
    pub digest: &'a mut Sha256,
}

impl<T: Write> Write for HashingStream<'_, T> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.inner.write(bytes)?;
        self.digest.update(&bytes[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl<T: io::Read> io::Read for HashingStream<'_, T> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(bytes)?;
        self.digest.update(&bytes[..count]);
        Ok(count)
    }
}

pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat()
}
