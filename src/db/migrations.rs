//! Database migrations, applied at start-up by one instance. Meanwhile, requests get the error 503 `starting`.

use std::collections::BTreeMap;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use chrono::{DateTime, Utc};
use sqlx::migrate::{MigrateError, Migrator};
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{ConnectOptions as _, Connection as _};
use tokio::time::{Instant, sleep};

use crate::i18n::Phrase;
use crate::phrase;
use crate::score::DisplayedScore;

/// Locking by sqlx is disabled, because [`migrate`] takes its own lock.
pub static MIGRATOR: LazyLock<Migrator> = LazyLock::new(|| {
    let mut migrator = sqlx::migrate!();
    migrator.set_locking(false);
    migrator
});

pub fn latest_migration() -> i64 {
    MIGRATOR.iter().map(|migration| migration.version).max().unwrap_or(0)
}

pub const PROGRESS_INTERVAL: Duration = Duration::from_secs(5);
const MIGRATION_LOCK_KEY: i64 = 0x6576_656e_6b65_656c;

/// Maximum wait for a lock, after which the blocking sessions are logged and the migration is retried.
const LOCK_TIMEOUT: &str = "3s";

const LOCK_NOT_AVAILABLE: &str = "55P03";

/// `tell` receives progress messages for the log and for waiting visitors.
pub async fn migrate(options: &PgConnectOptions, tell: &(dyn Fn(Phrase) + Sync)) -> Result<(), MigrateError> {
    let mut connection = connect_and_lock(options, tell).await?;
    if !is_current(&mut connection).await? {
        apply_all(&mut connection, tell).await?;
    }
    connection.close().await?;
    Ok(())
}

/// True if no migration is pending. Only reads, because the database role may lack DDL privileges.
async fn is_current(connection: &mut PgConnection) -> sqlx::Result<bool> {
    if !relation_exists(connection, "_sqlx_migrations").await? {
        return Ok(false);
    }
    let rows = sqlx::query!("select version, checksum from _sqlx_migrations where success order by version");
    let applied = rows.fetch_all(connection).await?.into_iter().map(|row| (row.version, row.checksum));
    Ok(applied.eq(MIGRATOR.iter().map(|migration| (migration.version, migration.checksum.to_vec()))))
}

async fn apply_all(connection: &mut PgConnection, tell: &(dyn Fn(Phrase) + Sync)) -> Result<(), MigrateError> {
    let all = MIGRATOR.iter().count();
    // Migrations of an empty database finish quickly, so progress is reported only for the last one.
    let is_new = !relation_exists(connection, "_sqlx_migrations").await?;
    for (number, migration) in MIGRATOR.iter().enumerate() {
        let reported = AtomicBool::new(false);
        let begin = || {
            if !reported.swap(true, Ordering::Relaxed) && (!is_new || number + 1 == all) {
                tell(phrase!("starting-updating", number = number + 1, all = all));
            }
        };
        while let Err(error) = apply_up_to(connection, migration.version, &begin).await {
            report_lock_timeout(connection, error, tell).await?;
        }
    }
    Ok(())
}

/// Builds the index of the displayed score, and drops the other index, which would add a write to every rating.
pub async fn build_score_index(
    options: &PgConnectOptions,
    shown: DisplayedScore,
    tell: &(dyn Fn(Phrase) + Sync),
) -> Result<(), MigrateError> {
    let mut connection = connect_and_lock(options, tell).await?;
    while let Err(error) = replace_score_index(&mut connection, shown).await {
        report_lock_timeout(&mut connection, error.into(), tell).await?;
    }
    connection.close().await?;
    Ok(())
}

async fn connect_and_lock(options: &PgConnectOptions, tell: &(dyn Fn(Phrase) + Sync)) -> sqlx::Result<PgConnection> {
    // The connection does not belong to the pool, because a migration may exceed the time limits of a request.
    let options = options
        .clone()
        .application_name("evenkeel migrate")
        .options([("lock_timeout", LOCK_TIMEOUT), ("client_min_messages", "warning")]);
    let mut connection = options.disable_statement_logging().connect().await?;
    acquire_migration_lock(&mut connection, tell).await?;
    Ok(connection)
}

/// Logs the blocking sessions after a lock timeout, so that the caller can retry. Returns other errors.
async fn report_lock_timeout(
    connection: &mut PgConnection,
    error: MigrateError,
    tell: &(dyn Fn(Phrase) + Sync),
) -> Result<(), MigrateError> {
    if !is_lock_timeout(&error) {
        return Err(error);
    }
    tell(phrase!("starting-waiting-lock"));
    log_blocking_sessions(connection).await;
    Ok(())
}

async fn acquire_migration_lock(connection: &mut PgConnection, tell: &(dyn Fn(Phrase) + Sync)) -> sqlx::Result<()> {
    let mut reported: Option<Instant> = None;
    loop {
        let acquired = sqlx::query_scalar!(r#"select pg_try_advisory_lock($1) as "turn!""#, MIGRATION_LOCK_KEY);
        if acquired.fetch_one(&mut *connection).await? {
            return Ok(());
        }
        if reported.is_none_or(|reported| reported.elapsed() >= PROGRESS_INTERVAL) {
            tell(phrase!("starting-waiting-instance"));
            reported = Some(Instant::now());
        }
        sleep(Duration::from_millis(100)).await;
    }
}

async fn relation_exists(connection: &mut PgConnection, name: &str) -> sqlx::Result<bool> {
    sqlx::query_scalar!(r#"select to_regclass($1) is not null as "has!""#, name).fetch_one(connection).await
}

/// Applies the migrations up to `version`. Calls `begin` if `version` itself is pending.
async fn apply_up_to(
    connection: &mut PgConnection,
    version: i64,
    begin: &(dyn Fn() + Sync),
) -> Result<(), MigrateError> {
    let is_applied = relation_exists(connection, "_sqlx_migrations").await?
        && sqlx::query_scalar!(
            r#"select exists (select from _sqlx_migrations where version = $1) as "applied!""#,
            version
        )
        .fetch_one(&mut *connection)
        .await?;
    if !is_applied {
        begin();
    }
    // Applied versions are passed to sqlx as well, which verifies their checksums.
    MIGRATOR.run_to(version, &mut *connection).await
}

async fn replace_score_index(connection: &mut PgConnection, shown: DisplayedScore) -> sqlx::Result<()> {
    const STEADY: (&str, &str) = ("rating_totals_steady_top", "drop index concurrently rating_totals_steady_top");
    const AVERAGE: (&str, &str) = ("rating_totals_top", "drop index concurrently rating_totals_top");
    let ((index, drop), create, (other, drop_other)) = match shown {
        DisplayedScore::Steady => (
            STEADY,
            "create index concurrently rating_totals_steady_top on rating_totals (steady_top desc, blog_id desc)",
            AVERAGE,
        ),
        DisplayedScore::Average => (
            AVERAGE,
            "create index concurrently rating_totals_top on rating_totals (top_score desc, blog_id desc)",
            STEADY,
        ),
    };
    // Detects an invalid index, which an interrupted `create index concurrently` leaves behind.
    let unfinished = sqlx::query_scalar!(
        r#"select exists (
                select from pg_index where indexrelid = to_regclass($1) and not indisvalid
            ) as "unfinished!""#,
        index,
    );
    if unfinished.fetch_one(&mut *connection).await? {
        sqlx::raw_sql(drop).execute(&mut *connection).await?;
    }
    if !relation_exists(connection, index).await? {
        sqlx::raw_sql(create).execute(&mut *connection).await?;
    }
    if relation_exists(connection, other).await? {
        sqlx::raw_sql(drop_other).execute(connection).await?;
    }
    Ok(())
}

fn is_lock_timeout(error: &MigrateError) -> bool {
    let (MigrateError::Execute(error) | MigrateError::ExecuteMigration(error, _)) = error else { return false };
    error.as_database_error().and_then(sqlx::error::DatabaseError::code).as_deref() == Some(LOCK_NOT_AVAILABLE)
}

async fn log_blocking_sessions(connection: &mut PgConnection) {
    let holders = sqlx::query!(
        r#"select distinct a.pid as "pid!", a.application_name as "application!", coalesce(a.state, '?') as "state!",
            coalesce(extract(epoch from statement_timestamp() - a.xact_start), 0)::float8 as "seconds!"
        from pg_locks l join pg_class c on c.oid = l.relation join pg_stat_activity a on a.pid = l.pid
        where l.granted and l.pid <> pg_backend_pid() and c.relnamespace = current_schema()::regnamespace
            and a.datname = current_database()
        limit 10"#
    );
    for holder in holders.fetch_all(connection).await.unwrap_or_default() {
        tracing::warn!(
            pid = holder.pid,
            application = holder.application,
            state = holder.state,
            seconds = holder.seconds.round(),
            "migration is waiting for a lock held by another session"
        );
    }
}

/// True even if a newer version has applied more migrations, which keep everything that this version uses.
pub async fn has_required_migrations(connection: &mut PgConnection) -> sqlx::Result<bool> {
    let applied = applied_migrations(connection).await?;
    Ok(MIGRATOR.iter().all(|migration| applied.contains_key(&migration.version)))
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MigrationStatus {
    pub name: String,
    /// Time at which the migration was applied; `None` if the migration is pending.
    pub applied_at: Option<DateTime<Utc>>,
    /// First sentence of the comment in the migration file. `None` if the migration is unknown to this binary.
    pub purpose: Option<String>,
}

/// Status of each migration of this binary, and of each migration that a newer version has applied.
pub async fn migration_statuses(connection: &mut PgConnection) -> sqlx::Result<Vec<MigrationStatus>> {
    let mut applied = applied_migrations(connection).await?;
    let own_statuses = MIGRATOR.iter().map(|migration| MigrationStatus {
        name: file_stem(migration.version, &migration.description),
        applied_at: applied.remove(&migration.version).map(|(_, at)| at),
        purpose: Some(purpose(migration.sql.as_str())),
    });
    let mut all: Vec<MigrationStatus> = own_statuses.collect();
    let unknown = applied.into_iter();
    let unknown = unknown.map(|(version, (description, at))| (file_stem(version, &description), Some(at)));
    all.extend(unknown.map(|(name, applied_at)| MigrationStatus { name, applied_at, purpose: None }));
    Ok(all)
}

fn file_stem(version: i64, description: &str) -> String {
    format!("{version:04}_{}", description.replace(' ', "_"))
}

fn purpose(sql: &str) -> String {
    let lines = sql.lines().map_while(|line| line.strip_prefix("--")).map(str::trim);
    let text = lines.filter(|line| *line != "no-transaction").collect::<Vec<_>>().join(" ");
    text.split_once(". ").map_or_else(|| text.clone(), |(first, _)| format!("{first}."))
}

async fn applied_migrations(connection: &mut PgConnection) -> sqlx::Result<BTreeMap<i64, (String, DateTime<Utc>)>> {
    let applied = sqlx::query!(
        r#"select version as "version!", description as "description!", installed_on as "at!"
        from _sqlx_migrations where success"#
    );
    match applied.fetch_all(connection).await {
        Err(sqlx::Error::Database(error)) if error.code().as_deref() == Some(UNDEFINED_TABLE) => Ok(BTreeMap::new()),
        applied => Ok(applied?.into_iter().map(|row| (row.version, (row.description, row.at))).collect()),
    }
}

/// SQLSTATE `undefined_table`: an empty database has no table `_sqlx_migrations`.
const UNDEFINED_TABLE: &str = "42P01";
