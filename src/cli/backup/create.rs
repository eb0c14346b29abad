//! `evenkeel backup`: writes a backup file.

use std::fs::File;
use std::io;
use std::path::Path;

use anyhow::Context as _;
use indicatif::ProgressBar;
use sha2::{Digest as _, Sha256};
use sqlx::{Connection as _, PgConnection};

use super::archive_format::{
    CHECKSUM_ENTRY, DATABASE_DUMP_ENTRY, FORMAT_VERSION, HashingStream, IMAGES_ENTRY, METADATA_ENTRY, Metadata,
    SECRET_KEY_ENTRY, SiteLocations, hex,
};
use super::checksums;
use super::client_programs::PgClientPrograms;
use crate::cli::atomic_file::AtomicFile;
use crate::cli::progress;
use crate::db::{Cluster, Database};
use crate::i18n::format_size;
use crate::images::settings::StorageLocation;
use crate::log::print_line;

/// Writes a consistent snapshot of the site into a file while the site runs.
pub async fn backup(site: SiteLocations<'_>, path: &Path) -> anyhow::Result<()> {
    site.require_private_database()?;
    let database = Database::open_existing(site.database).await?;
    let cluster = database.cluster().context("the database is not a private database")?;
    let file = AtomicFile::create(path)?;
    let mut connection = checksums::connect_for_checksums(&database.options, "evenkeel backup").await?;
    // `pg_dump` and the checksums use the same exported snapshot, so that they cover the same rows.
    sqlx::raw_sql("begin isolation level repeatable read, read only").execute(&mut connection).await?;
    let snapshot: String = sqlx::query_scalar("select pg_export_snapshot()").fetch_one(&mut connection).await?;
    let about = read_metadata(&mut connection).await?;
    let rows = checksums::total_rows(&about.tables);
    let progress = progress::byte_progress_bar("Writing", None);
    let images = write(&file.file, &about, &site, cluster, &snapshot, &progress)?;
    progress.finish_and_clear();
    connection.close().await?;
    let bytes = i64::try_from(file.file.metadata()?.len())?;
    file.commit()?;
    print_line(format!(
        "Wrote {} with {rows} rows and {images} image files ({}). The file gives full access to the site: store it \
            like a password.",
        path.display(),
        format_size(bytes)
    ));
    Ok(())
}

async fn read_metadata(connection: &mut PgConnection) -> anyhow::Result<Metadata> {
    let (postgresql, taken_at) =
        sqlx::query_as("select current_setting('server_version'), to_char(now(), 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')")
            .fetch_one(&mut *connection)
            .await?;
    let migration = sqlx::query_scalar("select coalesce(max(version), 0) from _sqlx_migrations")
        .fetch_one(&mut *connection)
        .await
        .context("the database has no tables yet; start the site or run `evenkeel migrate` first")?;
    Ok(Metadata {
        form: FORMAT_VERSION,
        program: env!("CARGO_PKG_VERSION").to_owned(),
        postgresql,
        migration,
        taken_at,
        tables: checksums::compute_checksums(connection).await?,
    })
}

/// Writes the entries of the backup, and returns the number of image files.
fn write(
    file: &File,
    about: &Metadata,
    site: &SiteLocations<'_>,
    cluster: &Cluster,
    snapshot: &str,
    progress: &ProgressBar,
) -> anyhow::Result<u64> {
    let mut entries = BackupWriter { tar: tar::Builder::new(file), digest: Sha256::new(), progress };
    entries.add(METADATA_ENTRY, serde_json::to_vec_pretty(about)?.as_slice())?;
    if site.key_is_set {
        print_line(
            "The backup does not contain SECRET_KEY, because it is set in the environment. Store SECRET_KEY separately: \
            without it, a restored site loses all sessions and two-factor secrets.",
        );
    } else if site.secret_key_path().exists() {
        entries.add(SECRET_KEY_ENTRY, File::open(site.secret_key_path())?)?;
    }
    // The backup may omit images that are deleted after the snapshot was taken. This is acceptable, because the site
    // deletes only unused images and images that their owners remove.
    let images = match site.images {
        StorageLocation::Folder(folder) if folder.exists() => entries.add_folder(folder, IMAGES_ENTRY)?,
        StorageLocation::Folder(_) => 0,
        StorageLocation::S3(bucket) => {
            print_line(format!("The backup does not contain the images in the bucket {}.", bucket.name));
            0
        }
    };
    let (dumping, written) = PgClientPrograms::find(cluster)?.start_dump(cluster, Some(snapshot))?;
    entries.add(DATABASE_DUMP_ENTRY, written)?;
    dumping.wait()?;
    let digest = hex(&entries.digest.clone().finalize());
    entries.add(CHECKSUM_ENTRY, digest.as_bytes())?;
    entries.tar.finish()?;
    Ok(images)
}

struct BackupWriter<'a> {
    tar: tar::Builder<&'a File>,
    /// SHA-256 hash of the names and contents of all entries written so far.
    digest: Sha256,
    progress: &'a ProgressBar,
}

impl BackupWriter<'_> {
    /// Adds an entry whose length is not known in advance.
    fn add(&mut self, name: &str, content: impl io::Read) -> anyhow::Result<()> {
        let mut header = tar::Header::new_gnu();
        header.set_mode(0o600);
        header.set_entry_type(tar::EntryType::Regular);
        self.digest.update(name);
        let mut entry = HashingStream { inner: self.tar.append_writer(&mut header, name)?, digest: &mut self.digest };
        let copied = io::copy(&mut self.progress.wrap_read(content), &mut entry);
        let finished = entry.inner.finish();
        copied.and(finished).with_context(|| format!("cannot write {name} to the backup"))
    }

    fn add_folder(&mut self, folder: &Path, name: &str) -> anyhow::Result<u64> {
        let mut count = 0;
        let entries = std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
        for entry in entries {
            let entry = entry?;
            let Some(name) = entry.file_name().to_str().map(|file| format!("{name}/{file}")) else { continue };
            if entry.file_type()?.is_dir() {
                count += self.add_folder(&entry.path(), &name)?;
                continue;
            }
            match File::open(entry.path()) {
                Ok(file) => self.add(&name, file)?,
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(error).with_context(|| format!("cannot read {}", entry.path().display())),
            }
            count += 1;
        }
        Ok(count)
    }
}
