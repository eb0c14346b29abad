//! `evenkeel showmigrations` and `evenkeel migrate --plan`: lists of applied and pending migrations.

use anyhow::bail;
use sqlx::ConnectOptions as _;

use crate::db::{Database, MigrationStatus, Settings, standing};
use crate::log::say;

/// Lists all migrations and marks the applied ones with `[X]`.
pub async fn show(settings: &Settings) -> anyhow::Result<()> {
    for MigrationStatus { name, applied_at, what } in look(settings).await? {
        let mark = if applied_at.is_some() { 'X' } else { ' ' };
        let unknown = if what.is_none() { " (of a later program)" } else { "" };
        say(format!("[{mark}] {name}{unknown}"));
    }
    Ok(())
}

/// Lists pending migrations with their descriptions.
///
/// # Errors
/// If `check` is set and a migration is pending.
pub async fn plan(settings: &Settings, check: bool) -> anyhow::Result<()> {
    let missing: Vec<MigrationStatus> =
        look(settings).await?.into_iter().filter(|one| one.applied_at.is_none()).collect();
    match missing.len() {
        0 => say("The database has all migrations."),
        1 => say("1 migration would be applied:"),
        count => say(format!("{count} migrations would be applied:")),
    }
    for MigrationStatus { name, what, .. } in &missing {
        say(format!("{name}: {}", what.as_deref().unwrap_or_default()));
    }
    if check && !missing.is_empty() {
        bail!("the database does not have all migrations: `evenkeel migrate` applies them");
    }
    Ok(())
}

async fn look(settings: &Settings) -> anyhow::Result<Vec<MigrationStatus>> {
    let database = Database::open_existing(settings).await?;
    Ok(standing(&mut database.options.connect().await?).await?)
}
