//! The connection pool, the migrations and, where nothing else is configured, the server itself.

mod availability;
pub mod clock;
mod cluster;
pub mod limiter_states;
mod migrations;
mod server;
pub mod settings;

use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgConnection, PgPool, PgPoolOptions};

pub use self::availability::{Availability, chain, describe, is_passing};
pub use self::cluster::{Cluster, ClusterError, ClusterOptions};
pub use self::migrations::{MIGRATOR, is_migrated, migrate};
pub use self::server::Database;
pub use self::settings::Settings;

/// How long a request waits for a connection. sqlx's own default is 30 s, longer than a browser's reader.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(2);

/// Connections that are not used for so long are given back: other instances may need them.
const IDLE_TIMEOUT: Duration = Duration::from_mins(1);

/// Connections are made anew after so long: a setting of the database, or another server behind its address, is not noticed
/// by those that there are.
const LIFETIME: Duration = Duration::from_mins(1);

/// A pool whose sessions give up on their own: on a lock that is not released, on a statement that does
/// not end, on a transaction that nobody finishes.
#[must_use]
pub fn pool(options: PgConnectOptions, max_connections: u32) -> PgPool {
    pool_with_timeout(options, "5s", max_connections)
}

/// A pool whose statements may take so long, as `PostgreSQL` has it.
#[must_use]
pub fn pool_with_timeout(options: PgConnectOptions, statement_timeout: &str, max_connections: u32) -> PgPool {
    pool_options(max_connections).connect_lazy_with(with_timeouts(options, statement_timeout))
}

/// Connections that the server has for ordinary roles, all instances and everybody else together.
///
/// # Errors
/// When it cannot be asked.
pub async fn most_connections(connection: &mut PgConnection) -> sqlx::Result<i64> {
    let most = sqlx::query_scalar!(
        r#"select current_setting('max_connections')::bigint - current_setting('superuser_reserved_connections')::bigint
            - coalesce(current_setting('reserved_connections', true)::bigint, 0) as "most!""#
    );
    most.fetch_one(connection).await
}

/// A pool that opens a connection at once and keeps it: whoever else may take the server's connections, there is one.
#[must_use]
pub fn held_pool(options: PgConnectOptions, max_connections: u32) -> PgPool {
    let pool = pool_options(max_connections).min_connections(1).idle_timeout(None).max_lifetime(None);
    pool.connect_lazy_with(with_timeouts(options, "5s"))
}

fn pool_options(max_connections: u32) -> PgPoolOptions {
    PgPoolOptions::new()
        .max_connections(max_connections)
        .acquire_timeout(ACQUIRE_TIMEOUT)
        .idle_timeout(IDLE_TIMEOUT)
        .max_lifetime(LIFETIME)
}

fn with_timeouts(options: PgConnectOptions, statement_timeout: &str) -> PgConnectOptions {
    options.application_name("evenkeel").options([
        // Longer than the second after which PostgreSQL looks for deadlocks; and twice fits the writer's
        // deadline: once for a batch, once for the post that holds it up.
        ("lock_timeout", "1500ms"),
        ("statement_timeout", statement_timeout),
        ("idle_in_transaction_session_timeout", "5s"),
    ])
}
