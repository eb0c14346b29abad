//! `evenkeel showmigrations` and `evenkeel migrate --plan`: lists of applied and pending migrations.

use anyhow::bail;
use sqlx::ConnectOptions as _;

use crate::db::{Database, MigrationStatus, Settings, migration_statuses};
use crate::log::print_line;

pub async fn show_migrations(settings: &Settings) -> anyhow::Result<()> {
    for MigrationStatus { name, applied_at, purpose: what } in read_statuses(settings).await? {
        let mark = if applied_at.is_some() { 'X' } else { ' ' };
        let unknown = if what.is_none() { " (applied by a newer version of Evenkeel)" } else { "" };
        print_line(format!("[{mark}] {name}{unknown}"));
    }
    Ok(())
}

pub async fn show_plan(settings: &Settings, check: bool) -> anyhow::Result<()> {
    let missing: Vec<MigrationStatus> =
        read_statuses(settings).await?.into_iter().filter(|one| one.applied_at.is_none()).collect();
    match missing.len() {
        0 => print_line("No pending migrations."),
        1 => print_line("1 migration would be applied:"),
        count => print_line(format!("{count} migrations would be applied:")),
    }
    for MigrationStatus { name, purpose: what, .. } in &missing {
        print_line(format!("{name}: {}", what.as_deref().unwrap_or_default()));
    }
    if check && !missing.is_empty() {
        bail!("the database has pending migrations; run `evenkeel migrate` to apply them");
    }
    Ok(())
}

async fn read_statuses(settings: &Settings) -> anyhow::Result<Vec<MigrationStatus>> {
    let database = Database::open_existing(settings).await?;
    Ok(migration_statuses(&mut database.options.connect().await?).await?)
}
