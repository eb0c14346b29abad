//! Database settings: server, number of connections and time limits.

use std::path::PathBuf;
use std::str::FromStr as _;
use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgSslMode};

use crate::config::{Env, InvalidSetting, is_loopback_host};
use evenkeel_embedded_postgres::ClusterOptions;

#[derive(Clone, Debug)]
pub struct Settings {
    /// Server of `DATABASE_URL`; `None` for a private server in `data_dir`.
    pub server: Option<PgConnectOptions>,
    /// Server for migrations and commands, if `server` is a connection pooler.
    pub direct: Option<PgConnectOptions>,
    /// Standby server for pages of anonymous visitors.
    pub read: Option<PgConnectOptions>,
    pub data_dir: PathBuf,
    pub max_connections: u32,
    pub startup_timeout: Duration,
    /// Maximum time that a request waits for a connection, before it gets a 503 response.
    pub acquire_timeout: Duration,
    pub slow_query_threshold: Duration,
}

impl Settings {
    pub fn from_env(env: &Env) -> Result<Self, InvalidSetting> {
        let url = |variable: &str| env.get(variable)?.map(|url| parse_url(variable, url)).transpose();
        let (server, direct, read) = (url("DATABASE_URL")?, url("DATABASE_DIRECT_URL")?, url("DATABASE_READ_URL")?);
        for (variable, is_set) in [("DATABASE_DIRECT_URL", direct.is_some()), ("DATABASE_READ_URL", read.is_some())] {
            if server.is_none() && is_set {
                return Err(InvalidSetting::new(variable, "requires DATABASE_URL"));
            }
        }
        Ok(Self {
            server,
            direct,
            read,
            data_dir: env.get("DATA_DIR")?.unwrap_or("./data").into(),
            max_connections: env.get_integer("DATABASE_CONNECTIONS", 16, 8..=1_000, "connections")?,
            acquire_timeout: env.get_seconds("DATABASE_TIMEOUT_SECONDS", 2, 1..=60)?,
            slow_query_threshold: env.get_milliseconds("SLOW_QUERY_MS", 250, 1..=60_000)?,
            startup_timeout: env.get_seconds("DATABASE_WAIT_SECONDS", 60, 0..=3_600)?,
        })
    }

    pub fn private_cluster_options(&self) -> ClusterOptions {
        ClusterOptions {
            dir: self.data_dir.clone(),
            fallback_dir: "/var/lib/evenkeel".into(),
            durable: true,
            bin_dir: None,
        }
    }
}

fn parse_url(variable: &str, url: &str) -> Result<PgConnectOptions, InvalidSetting> {
    // The error messages omit the value, because it contains a password.
    if !url.starts_with("postgres://") && !url.starts_with("postgresql://") {
        return Err(InvalidSetting::new(variable, "must begin with postgres://"));
    }
    PgConnectOptions::from_str(url).map_err(|_| {
        InvalidSetting::new(variable, "must be a PostgreSQL URL such as postgres://USER:PASSWORD@HOST/NAME")
    })
}

/// True if the server is on another machine and its certificate is not verified.
pub fn can_be_intercepted(server: &PgConnectOptions) -> bool {
    let is_here = is_loopback_host(server.get_host()) || server.get_socket().is_some();
    !is_here && !matches!(server.get_ssl_mode(), PgSslMode::VerifyFull | PgSslMode::VerifyCa)
}
