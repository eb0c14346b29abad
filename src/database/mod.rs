//! The connection pool, the migrations and, where nothing else is configured, the server itself.

mod cluster;

use std::time::Duration;

use sqlx::migrate::{MigrateError, Migrator};
use sqlx::postgres::{PgConnectOptions, PgPool, PgPoolOptions};
use sqlx::{ConnectOptions as _, Connection as _};

pub use self::cluster::{Cluster, ClusterError, ClusterOptions};

/// The migrations in `migrations/`, inside the binary.
pub static MIGRATOR: Migrator = sqlx::migrate!();

/// How long a request waits for a connection. sqlx's own default is 30 s, longer than a browser's reader.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(2);

/// A pool whose sessions give up on their own: on a lock that is not released, on a statement that does
/// not end, on a transaction that nobody finishes.
#[must_use]
pub fn pool(options: PgConnectOptions, max_connections: u32) -> PgPool {
    pool_with_timeout(options, "5s", max_connections)
}

/// A pool whose statements may take so long, as `PostgreSQL` has it.
#[must_use]
pub fn pool_with_timeout(options: PgConnectOptions, statement_timeout: &str, max_connections: u32) -> PgPool {
    let options = options.application_name("evenkeel").options([
        // Longer than the second after which PostgreSQL looks for deadlocks; and twice fits the writer's
        // deadline: once for a batch, once for the post that holds it up.
        ("lock_timeout", "1500ms"),
        ("statement_timeout", statement_timeout),
        ("idle_in_transaction_session_timeout", "5s"),
    ]);
    PgPoolOptions::new().max_connections(max_connections).acquire_timeout(ACQUIRE_TIMEOUT).connect_lazy_with(options)
}

/// Applies the migrations that are missing. Instances that start together wait for each other.
///
/// # Errors
/// When the database cannot be reached, or knows migrations that this program does not.
pub async fn migrate(options: &PgConnectOptions) -> Result<(), MigrateError> {
    // A connection of its own: a migration may take longer than a request is allowed to.
    let mut connection = options.connect().await?;
    MIGRATOR.run(&mut connection).await?;
    connection.close().await?;
    Ok(())
}

/// Whether the database answers and has exactly the migrations of this program.
///
/// # Errors
/// When it cannot be asked.
pub async fn is_migrated(pool: &PgPool) -> sqlx::Result<bool> {
    let applied =
        sqlx::query_scalar!(r#"select version as "version!" from _sqlx_migrations where success order by version"#);
    let applied = match applied.fetch_all(pool).await {
        Err(sqlx::Error::Database(error)) if error.code().as_deref() == Some(UNDEFINED_TABLE) => Vec::new(),
        other => other?,
    };
    Ok(applied.iter().eq(MIGRATOR.iter().map(|migration| &migration.version)))
}

/// What a fresh database answers when asked for its migrations.
const UNDEFINED_TABLE: &str = "42P01";
