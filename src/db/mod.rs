//! Database connection pools, migrations, and the `PostgreSQL` server.

mod availability;
pub mod batched_lookup;
pub mod clock;
pub mod idempotency;
pub mod limiter_states;
mod migrations;
mod pools;
mod server;
pub mod settings;

use sqlx::postgres::PgConnection;

pub use self::availability::{
    Availability, describe_error, describe_error_chain, is_read_only_error, is_transient_error, timeout_error,
};
pub use self::migrations::{
    MIGRATOR, MigrationStatus, PROGRESS_INTERVAL, has_required_migrations, latest_migration, migrate,
    migration_statuses,
};
pub use self::pools::{MAX_SEARCHES, ReadServer, commit, create_lookup_pool, create_pool, is_outcome_unknown};
pub use self::server::{Database, NEWER_DATABASE_MESSAGE, rebuild_score_index, with_site_instructions};
pub use self::settings::Settings;
pub use evenkeel_embedded_postgres::{Cluster, ClusterDir, ClusterError, ClusterOptions};

/// Maximum number of connections for ordinary roles, shared by all instances and other programs.
pub async fn read_connection_limit(connection: &mut PgConnection) -> sqlx::Result<i64> {
    let most = sqlx::query_scalar!(
        r#"select current_setting('max_connections')::bigint - current_setting('superuser_reserved_connections')::bigint
            - coalesce(current_setting('reserved_connections', true)::bigint, 0) as "most!""#
    );
    most.fetch_one(connection).await
}
