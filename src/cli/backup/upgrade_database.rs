//! `evenkeel upgrade-database`: moves the private database to a newer `PostgreSQL` version.

use anyhow::{Context as _, bail, ensure};
use sqlx::{Connection as _, PgConnection};

use super::archive_format::SiteLocations;
use super::checksums::{self, Checksums};
use super::client_programs;
use crate::cli::progress;
use crate::db::{Cluster, ClusterDir, with_site_instructions};
use crate::i18n::format_size;
use crate::log::print_line;

/// Keeps the old database. Restoring also rebuilds all indexes on text columns, which is necessary if the new operating
/// system libraries sort text differently.
pub async fn upgrade_database(site: SiteLocations<'_>) -> anyhow::Result<()> {
    site.require_private_database()?;
    let folder = ClusterDir::lock_existing(&site.database.private_cluster_options())?;
    let folder = folder
        .with_context(|| format!("there is no database in {}; check DATA_DIR", site.database.data_dir.display()))?;
    let old = folder.start_cluster().map_err(with_site_instructions)?;
    let (from, to) = old.current_and_newest_version()?;
    if from == to {
        print_line(format!(
            "The database already uses PostgreSQL {from}, the newest installed version. Nothing was changed."
        ));
        return Ok(());
    }
    let mut connection = checksums::connect_for_checksums(&old.connect_options(), "evenkeel upgrade-database").await?;
    check_not_in_use(&mut connection).await?;
    check_disk_space(&mut connection, &folder).await?;
    let before = checksums::compute_checksums(&mut connection).await?;
    connection.close().await?;
    let successor = folder.start_replacement_cluster()?;
    if let Err(error) = copy(&old, &successor, &before).await {
        folder.discard_replacement_cluster(successor)?;
        return Err(error.context("the upgrade failed, and the old database was kept"));
    }
    let backup =
        folder.switch_to_replacement_cluster(Some(old), successor)?.context("the old database was not kept")?;
    print_line(format!(
        "Upgraded the database to PostgreSQL {to}. All {} rows are identical to those in the old database.",
        checksums::total_rows(&before)
    ));
    print_line(format!(
        "The old database is in {}. Delete this folder once the site works. To go back to the old database, stop the site, \
        wait until postgres/postmaster.pid is gone, move the folder postgres away, and rename the old folder to postgres.",
        backup.display()
    ));
    Ok(())
}

async fn copy(old: &Cluster, successor: &Cluster, before: &Checksums) -> anyhow::Result<()> {
    let progress = progress::byte_progress_bar("Copying", None);
    client_programs::copy_database(old, successor, &progress)?;
    progress.finish_and_clear();
    checksums::verify_copy(successor, before, "evenkeel upgrade-database").await
}

async fn check_not_in_use(connection: &mut PgConnection) -> anyhow::Result<()> {
    let others = sqlx::query_scalar!(
        r#"select count(*) as "others!" from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'"#
    );
    let others = others.fetch_one(connection).await?;
    ensure!(others == 0, "the site or another command is using this database; stop it first. Nothing was changed");
    Ok(())
}

/// Checks that the disk has room for a copy of the database, and for the same amount of WAL.
async fn check_disk_space(connection: &mut PgConnection, folder: &ClusterDir) -> anyhow::Result<()> {
    let bytes = sqlx::query_scalar!(r#"select pg_database_size(current_database()) as "bytes!""#);
    let needed = bytes.fetch_one(connection).await?.saturating_mul(2);
    if let Some(free) = crate::disk_space::free_bytes(folder.path()).filter(|free| *free < needed) {
        bail!(
            "not enough disk space: the copy may need {}, but {} has only {} left. Nothing was changed",
            format_size(needed),
            folder.path().display(),
            format_size(free)
        );
    }
    Ok(())
}
