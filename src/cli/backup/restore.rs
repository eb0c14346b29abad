//! `evenkeel restore`: restores a backup file.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

use anyhow::{Context as _, bail, ensure};
use sha2::{Digest as _, Sha256};

use super::archive_format::{
    CHECKSUM_ENTRY, DATABASE_DUMP_ENTRY, FORMAT_VERSION, HashingStream, IMAGES_ENTRY, METADATA_ENTRY, Metadata,
    SECRET_KEY_ENTRY, SiteLocations, hex,
};
use super::checksums;
use super::client_programs::PgClientPrograms;
use crate::cli::atomic_file::{AtomicFile, SyncedFile};
use crate::cli::progress;
use crate::db::{Cluster, ClusterDir, latest_migration};
use crate::images::settings::StorageLocation;
use crate::log::print_line;

/// Maximum size in bytes of the metadata and of the secret key.
const MAX_SMALL: u64 = 1 << 20;

/// Puts the restored database in place only after all its rows have been compared with the checksums of the backup.
pub async fn restore(site: SiteLocations<'_>, path: &Path) -> anyhow::Result<()> {
    site.require_private_database()?;
    let file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
    let progress = progress::byte_progress_bar("Reading", Some(file.metadata()?.len()));
    let mut archive = tar::Archive::new(progress.wrap_read(io::BufReader::with_capacity(1 << 20, file)));
    let mut entries = archive.entries()?;
    let (about, digest) = read_metadata(&mut entries, path)?;
    let folder = ClusterDir::lock(&site.database.private_cluster_options())?;
    ensure!(
        !folder.has_cluster(),
        "{} already contains a database; nothing was changed. Move that folder away, or restore into another DATA_DIR",
        folder.path().display()
    );
    let successor = folder.start_replacement_cluster()?;
    let mut reading = BackupReader::new(&site, &successor, digest);
    let read = reading.all(entries).with_context(|| format!("{} is truncated or damaged", path.display()));
    let BackupReader { key, images, created_folders, .. } = reading;
    let (count, mut files) = (images.len(), images);
    progress.set_message("Comparing");
    let restored: anyhow::Result<()> = async {
        read?;
        checksums::verify_copy(&successor, &about.tables, "evenkeel restore").await?;
        files.extend(write_key(&site, key.as_deref())?);
        files.iter_mut().try_for_each(SyncedFile::commit)
    }
    .await;
    progress.finish_and_clear();
    if let Err(error) = restored {
        folder.discard_replacement_cluster(successor)?;
        files.iter().for_each(SyncedFile::discard);
        created_folders.iter().rev().for_each(|folder| drop(std::fs::remove_dir(folder)));
        return Err(error.context("nothing was restored"));
    }
    folder.switch_to_replacement_cluster(None, successor)?;
    let rows = checksums::total_rows(&about.tables);
    print_line(format!("Restored {rows} rows and {count} images from the backup of {}.", about.taken_at));
    Ok(())
}

/// Returns the metadata, and the digest of the entries read so far.
fn read_metadata(entries: &mut tar::Entries<'_, impl Read>, path: &Path) -> anyhow::Result<(Metadata, Sha256)> {
    let mut digest = Sha256::new();
    let first = entries.next().and_then(Result::ok).filter(|entry| *entry.path_bytes() == *METADATA_ENTRY.as_bytes());
    let first = first.with_context(|| format!("{} is not a backup of Evenkeel", path.display()))?;
    let about = read_small_entry(first, METADATA_ENTRY, &mut digest)?;
    let about: Metadata =
        serde_json::from_slice(&about).with_context(|| format!("cannot read {METADATA_ENTRY} in the backup"))?;
    if about.form > FORMAT_VERSION || about.migration > latest_migration() {
        bail!(
            "the backup was made by Evenkeel {}, which is newer than this version; restore it with that version",
            about.program
        );
    }
    Ok((about, digest))
}

struct BackupReader<'a> {
    site: &'a SiteLocations<'a>,
    successor: &'a Cluster,
    digest: Sha256,
    key: Option<Vec<u8>>,
    /// Image files. They keep their temporary names until the restored rows have been verified.
    images: Vec<SyncedFile>,
    created_folders: Vec<PathBuf>,
    is_verified: bool,
}

impl<'a> BackupReader<'a> {
    fn new(site: &'a SiteLocations<'a>, successor: &'a Cluster, digest: Sha256) -> Self {
        Self { site, successor, digest, key: None, images: Vec::new(), created_folders: Vec::new(), is_verified: false }
    }

    fn all<R: Read>(&mut self, entries: tar::Entries<'_, R>) -> anyhow::Result<()> {
        for entry in entries {
            self.take(entry?)?;
        }
        ensure!(self.is_verified, "the checksum at the end of the backup is missing");
        Ok(())
    }

    fn take<R: Read>(&mut self, entry: tar::Entry<'_, R>) -> anyhow::Result<()> {
        ensure!(!self.is_verified, "the backup has data after its checksum");
        let name = entry.path().context("the backup has an entry with an invalid name")?.to_string_lossy().into_owned();
        match name.as_str() {
            SECRET_KEY_ENTRY => {
                let key = read_small_entry(entry, SECRET_KEY_ENTRY, &mut self.digest)?;
                check_key_matches(self.site, &key)?;
                self.key = Some(key);
            }
            DATABASE_DUMP_ENTRY => {
                self.digest.update(DATABASE_DUMP_ENTRY);
                let (restoring, mut database) =
                    PgClientPrograms::find(self.successor)?.start_restore(self.successor)?;
                let copied = io::copy(&mut HashingStream { inner: entry, digest: &mut self.digest }, &mut database);
                drop(database);
                restoring.wait()?;
                copied.context("cannot restore the database")?;
            }
            CHECKSUM_ENTRY => {
                let expected = hex(&self.digest.clone().finalize());
                let mut checksum = String::new();
                entry.take(MAX_SMALL).read_to_string(&mut checksum)?;
                ensure!(checksum == expected, "the content of the backup does not match its checksum");
                self.is_verified = true;
            }
            _ => {
                let inside = name.strip_prefix(IMAGES_ENTRY).and_then(|rest| rest.strip_prefix('/'));
                let inside = inside.with_context(|| format!("the backup has an unknown entry {name}"))?;
                self.digest.update(&name);
                self.write_image(Path::new(inside), entry)?;
            }
        }
        Ok(())
    }

    fn write_image(&mut self, inside: &Path, entry: impl Read) -> anyhow::Result<()> {
        ensure!(
            inside.components().all(|part| matches!(part, Component::Normal(_))),
            "the path of the image {} is outside of the image folder",
            inside.display()
        );
        let StorageLocation::Folder(folder) = self.site.images else {
            bail!("the backup contains images, but IMAGE_STORE is not a folder; set IMAGE_STORE to a folder")
        };
        let path: PathBuf = folder.join(inside);
        let parent = path.parent().unwrap_or(folder);
        let missing = parent.ancestors().take_while(|folder| !folder.exists());
        self.created_folders.extend(missing.map(Path::to_owned).collect::<Vec<_>>().into_iter().rev());
        std::fs::create_dir_all(parent).with_context(|| format!("cannot create the folder {}", parent.display()))?;
        let file = AtomicFile::create(&path)?;
        let copied = io::copy(&mut HashingStream { inner: entry, digest: &mut self.digest }, &mut &file.file);
        // An incomplete copy is recorded as well, so that a failed restore deletes it.
        self.images.push(file.sync()?);
        copied.with_context(|| format!("cannot write {}", path.display())).map(drop)
    }
}

fn read_small_entry(entry: impl Read, name: &str, digest: &mut Sha256) -> anyhow::Result<Vec<u8>> {
    digest.update(name);
    let mut content = Vec::new();
    HashingStream { inner: entry.take(MAX_SMALL), digest }.read_to_end(&mut content)?;
    Ok(content)
}

/// Writes the secret key under a temporary name, unless `SECRET_KEY` is set or the folder already has this key.
fn write_key(site: &SiteLocations<'_>, key: Option<&[u8]>) -> anyhow::Result<Option<SyncedFile>> {
    use io::Write as _;
    let key = match (key, site.key_is_set) {
        (Some(key), false) => key,
        (Some(_), true) => {
            print_line(
                "The secret key of the backup was not restored, because SECRET_KEY is set. Restored sessions and two-factor \
                secrets are valid only if SECRET_KEY or SECRET_KEY_FALLBACKS contains the key of the backup.",
            );
            return Ok(None);
        }
        (None, _) => {
            print_line(
                "The backup contains no secret key. Restored sessions and two-factor secrets are valid only if SECRET_KEY or \
                SECRET_KEY_FALLBACKS contains the key of the site that was backed up.",
            );
            return Ok(None);
        }
    };
    check_key_matches(site, key)?;
    let path = site.secret_key_path();
    if path.exists() {
        return Ok(None);
    }
    let file = AtomicFile::create(&path)?;
    (&file.file).write_all(key).with_context(|| format!("cannot write {}", path.display()))?;
    file.sync().map(Some)
}

fn check_key_matches(site: &SiteLocations<'_>, key: &[u8]) -> anyhow::Result<()> {
    let path = site.secret_key_path();
    let is_other = !site.key_is_set && std::fs::read(&path).is_ok_and(|there| there != key);
    ensure!(!is_other, "{} differs from the secret key in the backup; move this file away first", path.display());
    Ok(())
}
