//! Database settings: server, number of connections and time limits.

use std::path::PathBuf;
use std::str::FromStr as _;
use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgSslMode};

use super::embedded::ClusterOptions;
use crate::config::{Env, InvalidSetting, is_loopback_host};

#[derive(Clone, Debug)]
pub struct Settings {
    /// Configured `PostgreSQL` server, or `None` for a private server in `data_dir`.
    pub server: Option<PgConnectOptions>,
    pub data_dir: PathBuf,
    pub max_connections: u32,
    /// Maximum time to wait at start-up for a database that is unavailable.
    pub startup_timeout: Duration,
    /// Time limit for acquiring a pooled connection. A request that exceeds it gets a 503 response.
    pub acquire_timeout: Duration,
    pub slow_query_threshold: Duration,
}

impl Settings {
    pub fn from_env(env: &Env) -> Result<Self, InvalidSetting> {
        let url = env.get("DATABASE_URL")?;
        if url.is_some_and(|url| !url.starts_with("postgres://") && !url.starts_with("postgresql://")) {
            // The error message omits the value, because it contains a password.
            return Err(InvalidSetting::new("DATABASE_URL", "must begin with postgres://"));
        }
        let server = url.map(PgConnectOptions::from_str).transpose().map_err(|_| {
            InvalidSetting::new("DATABASE_URL", "must be a PostgreSQL URL such as postgres://USER:PASSWORD@HOST/NAME")
        })?;
        Ok(Self {
            server,
            data_dir: env.get("DATA_DIR")?.unwrap_or("./data").into(),
            max_connections: env.get_integer("DATABASE_CONNECTIONS", 16, 8..=1_000, "connections")?,
            acquire_timeout: env.get_seconds("DATABASE_TIMEOUT_SECONDS", 2, 1..=60)?,
            slow_query_threshold: env.get_milliseconds("SLOW_QUERY_MS", 250, 1..=60_000)?,
            startup_timeout: env.get_seconds("DATABASE_WAIT_SECONDS", 60, 0..=3_600)?,
        })
    }

    /// True if an attacker could read or redirect the database traffic, because the server is on another machine and
    /// its certificate is not verified.
    #[must_use]
    pub fn uses_unencrypted_connection(&self) -> bool {
        let Some(server) = &self.server else { return false };
        let is_here = is_loopback_host(server.get_host()) || server.get_socket().is_some();
        !is_here && !matches!(server.get_ssl_mode(), PgSslMode::VerifyFull | PgSslMode::VerifyCa)
    }

    #[must_use]
    pub fn private_cluster_options(&self) -> ClusterOptions {
        ClusterOptions {
            dir: self.data_dir.clone(),
            fallback_dir: "/var/lib/evenkeel".into(),
            durable: true,
            bin_dir: None,
        }
    }
}
