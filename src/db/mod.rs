//! The database: its server, which is a private one unless another is configured, its migrations and connection pools.

mod availability;
pub mod clock;
mod commit;
mod embedded;
pub mod limiter_states;
pub mod lookup;
mod migrations;
mod server;
pub mod settings;

use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgConnection, PgPool, PgPoolOptions};

pub use self::availability::{Availability, chain, describe, is_passing, no_answer};
pub use self::commit::commit;
pub use self::embedded::{Cluster, ClusterError, ClusterOptions, Folder};
pub use self::migrations::{MIGRATOR, MigrationStatus, TELL_EVERY, is_migrated, latest_migration, migrate, standing};
pub use self::server::Database;
pub use self::settings::Settings;

/// Connections that are not used for so long are given back: other instances may need them.
const IDLE_TIMEOUT: Duration = Duration::from_mins(1);

/// Connections are replaced after this long. Otherwise they would not notice that a setting of the database has
/// changed, or that there is another server behind its address.
const LIFETIME: Duration = Duration::from_mins(1);

/// A pool whose sessions give up on their own: on a lock that is not released, on a statement that does
/// not end, on a transaction that nobody finishes.
#[must_use]
pub fn pool(options: PgConnectOptions, max_connections: u32, availability: &Availability) -> PgPool {
    pool_with_timeout(options, "5s", max_connections, availability)
}

/// A pool whose statements may take as long as `statement_timeout`, which is written as for `PostgreSQL`: `5s`.
#[must_use]
pub fn pool_with_timeout(
    options: PgConnectOptions,
    statement_timeout: &str,
    max_connections: u32,
    availability: &Availability,
) -> PgPool {
    pool_options(max_connections, availability).connect_lazy_with(with_timeouts(options, statement_timeout))
}

/// How many connections the server has for ordinary roles: for all instances and all other programs together.
pub async fn most_connections(connection: &mut PgConnection) -> sqlx::Result<i64> {
    let most = sqlx::query_scalar!(
        r#"select current_setting('max_connections')::bigint - current_setting('superuser_reserved_connections')::bigint
            - coalesce(current_setting('reserved_connections', true)::bigint, 0) as "most!""#
    );
    most.fetch_one(connection).await
}

/// A pool for a few statements that find all their rows by keys. It keeps at least one connection open, so that there is one
/// even if other programs use up the server's.
#[must_use]
pub fn pool_by_keys(options: PgConnectOptions, max_connections: u32, availability: &Availability) -> PgPool {
    let pool = pool_options(max_connections, availability).min_connections(1).idle_timeout(None);
    let options = with_timeouts(options, "5s").options([
        // Planned once, whatever the number of keys: planning takes longer than looking a few up.
        ("plan_cache_mode", "force_generic_plan"),
        // A plan is kept while its tables grow. One that scans a table is good for a small table only.
        ("enable_seqscan", "off"),
        // PostgreSQL takes an unavoidable scan for so costly that it compiles the statement: 200 ms for 45 rows.
        ("jit", "off"),
    ]);
    pool.connect_lazy_with(options)
}

fn pool_options(max_connections: u32, availability: &Availability) -> PgPoolOptions {
    let (acquired, released) = (availability.clone(), availability.clone());
    PgPoolOptions::new()
        .before_acquire(move |_, about| Box::pin(std::future::ready(Ok(!acquired.is_outdated(about.age)))))
        .after_release(move |connection, about| {
            let released = released.clone();
            Box::pin(async move { released.may_be_kept(connection, about.age).await })
        })
        .max_connections(max_connections)
        .acquire_timeout(availability.timeout())
        .idle_timeout(IDLE_TIMEOUT)
        .max_lifetime(LIFETIME)
}

fn with_timeouts(options: PgConnectOptions, statement_timeout: &str) -> PgConnectOptions {
    options.application_name("evenkeel").options([
        // Longer than 1 s, after which PostgreSQL looks for deadlocks. And the writer's deadline has room for two such
        // waits: one for a batch, one for the post that holds it up.
        ("lock_timeout", "1500ms"),
        ("statement_timeout", statement_timeout),
        ("idle_in_transaction_session_timeout", "5s"),
    ])
}
