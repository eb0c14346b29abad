//! Database server: the server of `DATABASE_URL`, or a private server started by this program.

use std::sync::Arc;
use std::time::{Duration, Instant};

use ::log::LevelFilter;
use anyhow::{Context as _, anyhow, bail, ensure};
use sqlx::migrate::MigrateError;
use sqlx::postgres::PgConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _, PgPool};

use super::availability::{describe_error_chain, is_transient_error};
use super::migrations::{build_score_index, has_required_migrations, migrate, migration_statuses};
use super::settings::Settings;
use crate::i18n::Phrase;
use crate::phrase;
use crate::score::DisplayedScore;
use evenkeel_embedded_postgres::{Cluster, ClusterDir, ClusterError, ClusterOptions};

/// Server that stores the site. A private server runs until this value is dropped.
pub struct Database {
    /// Options of the site's connections, possibly to a connection pooler; for commands, equal to `direct`.
    pub options: PgConnectOptions,
    /// Options without a connection pooler, for migrations, whose lock belongs to one session.
    direct: PgConnectOptions,
    cluster: Option<Arc<Cluster>>,
}

pub const NEWER_DATABASE_MESSAGE: &str =
    "the database has migrations of a newer version of Evenkeel; install that version";

impl Database {
    /// Retries while a configured server is unavailable. `tell` receives a message when the wait begins.
    pub async fn open_with_retry(settings: &Settings, tell: &dyn Fn(Phrase)) -> anyhow::Result<Self> {
        let (begin, mut pause, mut reported) = (Instant::now(), Duration::from_millis(100), None);
        loop {
            let error = match Self::connect_or_start(settings).await {
                Ok(mut database) => {
                    database.options =
                        database.options.log_slow_statements(LevelFilter::Warn, settings.slow_query_threshold);
                    return Ok(database);
                }
                Err(error) => error,
            };
            let is_transient =
                error.chain().find_map(|cause| cause.downcast_ref::<sqlx::Error>()).is_some_and(is_transient_error);
            let wait = settings.startup_timeout;
            if !is_transient || settings.server.is_none() || wait.is_zero() {
                return Err(error);
            }
            let left = wait.saturating_sub(begin.elapsed());
            if left.is_zero() {
                let waited =
                    format!("the database was unavailable for {} seconds (DATABASE_WAIT_SECONDS)", wait.as_secs());
                return Err(error.context(waited));
            }
            let cause = describe_error_chain(&error);
            if reported.as_ref() != Some(&cause) {
                tracing::warn!(error = cause, seconds = settings.startup_timeout.as_secs(), "waiting for the database");
                tell(phrase!("starting-waiting-database"));
                reported = Some(cause);
            }
            tokio::time::sleep(pause.min(left)).await;
            pause = (pause * 2).min(Duration::from_secs(2));
        }
    }

    /// Opens the database for a command. Slow statements are not logged, because commands process whole tables.
    pub async fn open(settings: &Settings) -> anyhow::Result<Self> {
        let mut database = Self::connect_or_start(settings).await?;
        database.options = database.direct.clone().log_slow_statements(LevelFilter::Off, settings.slow_query_threshold);
        Ok(database)
    }

    /// Returns an error if the private database does not exist, instead of creating a database.
    pub async fn open_existing(settings: &Settings) -> anyhow::Result<Self> {
        if settings.server.is_none() {
            let options = settings.private_cluster_options();
            let folder =
                tokio::task::spawn_blocking(move || ClusterDir::lock_existing(&options).map(|folder| folder.is_some()));
            ensure!(
                folder.await??,
                "there is no database in {}; create it with `evenkeel migrate`, or set DATA_DIR or DATABASE_URL to an \
                existing one",
                settings.data_dir.display()
            );
        }
        Self::open(settings).await
    }

    /// Returns an error if the database does not exist or if migrations are pending. Only `evenkeel migrate`, a
    /// starting site and commands that can create a database apply migrations.
    pub async fn open_migrated(settings: &Settings) -> anyhow::Result<Self> {
        let database = Self::open_existing(settings).await?;
        let mut connection = database.options.connect().await.context("cannot connect to the database")?;
        if !has_required_migrations(&mut connection).await? {
            let migrations = migration_statuses(&mut connection).await?;
            let is_newer = migrations.iter().any(|migration| migration.purpose.is_none());
            bail!(if is_newer {
                NEWER_DATABASE_MESSAGE
            } else {
                "the database has pending migrations; run `evenkeel migrate`"
            });
        }
        connection.close().await?;
        Ok(database)
    }

    async fn connect_or_start(settings: &Settings) -> anyhow::Result<Self> {
        if let Some(options) = &settings.server {
            let direct = without_timeouts(settings.direct.as_ref().unwrap_or(options).clone());
            let mut name = "DATABASE_URL";
            if settings.direct.is_some() {
                connect(options).await.context("cannot connect to the database in DATABASE_URL")?;
                name = "DATABASE_DIRECT_URL";
            }
            connect(&direct).await.with_context(|| format!("cannot connect to the database in {name}"))?;
            return Ok(Self { options: options.clone(), direct, cluster: None });
        }
        let options = settings.private_cluster_options();
        let first = Self::start(options.clone()).await?;
        if connect(&first.options).await.is_ok() {
            return Ok(first);
        }
        // Starts the private server again, because the last process that used the server may have just stopped it.
        drop(first);
        let second = Self::start(options).await?;
        connect(&second.options).await.context("cannot connect to the private PostgreSQL server")?;
        Ok(second)
    }

    async fn start(options: ClusterOptions) -> anyhow::Result<Self> {
        let cluster =
            tokio::task::spawn_blocking(move || Cluster::start(&options)).await?.map_err(with_site_instructions)?;
        let options = cluster.connect_options();
        Ok(Self { direct: options.clone(), options, cluster: Some(Arc::new(cluster)) })
    }

    /// Private server; `None` if the site uses the server of `DATABASE_URL`.
    pub fn cluster(&self) -> Option<&Cluster> {
        self.cluster.as_deref()
    }

    pub fn upgrade_hint(&self) -> Option<String> {
        let (ours, newest) = self.cluster()?.current_and_newest_version().ok()?;
        (ours != newest).then(|| {
            format!(
                "the private database uses PostgreSQL {ours}, and PostgreSQL {newest} is installed; to move the \
                database, stop the site and run `evenkeel upgrade-database`, which keeps the old database"
            )
        })
    }

    pub async fn supervise_private_server(&self) -> std::convert::Infallible {
        loop {
            tokio::time::sleep(Duration::from_secs(1)).await;
            let Some(cluster) = self.cluster.clone() else { continue };
            match tokio::task::spawn_blocking(move || cluster.restart_if_down()).await {
                Ok(Ok(false)) | Err(_) => (),
                Ok(Ok(true)) => tracing::warn!("private PostgreSQL server restarted"),
                Ok(Err(error)) => tracing::error!(%error, "private PostgreSQL server cannot be restarted"),
            }
        }
    }

    pub async fn migrate(&self, tell: &(dyn Fn(Phrase) + Sync)) -> anyhow::Result<()> {
        migrate(&self.direct, tell).await.map_err(|error| match error {
            MigrateError::VersionMissing(_) => anyhow!(NEWER_DATABASE_MESSAGE),
            error => anyhow::Error::new(error).context("cannot apply the migrations"),
        })
    }

    pub async fn build_score_index(&self, shown: DisplayedScore, tell: &(dyn Fn(Phrase) + Sync)) -> anyhow::Result<()> {
        build_score_index(&self.direct, shown, tell).await.context("cannot create the index for lists sorted by rating")
    }
}

/// Builds the index of the displayed score while the site runs, on a separate connection.
pub async fn rebuild_score_index(settings: &Settings, pool: &PgPool, shown: DisplayedScore) -> anyhow::Result<()> {
    let options = settings.direct.clone().unwrap_or_else(|| (*pool.connect_options()).clone());
    Ok(build_score_index(&without_timeouts(options), shown, &|_| ()).await?)
}

/// Disables the time limits of the database role, because migrations and commands process whole tables.
fn without_timeouts(options: PgConnectOptions) -> PgConnectOptions {
    options.options([("statement_timeout", "0"), ("lock_timeout", "0"), ("idle_in_transaction_session_timeout", "0")])
}

pub const MIN_MAJOR_VERSION: u32 = 14;

async fn connect(options: &PgConnectOptions) -> anyhow::Result<()> {
    let mut connection = options.connect().await?;
    let server = sqlx::query!(
        r#"select current_setting('server_version_num')::int / 10000 as "version!", getdatabaseencoding() as "encoding!",
            current_database() as "database!""#
    );
    let server = server.fetch_one(&mut connection).await?;
    connection.close().await?;
    ensure!(
        server.version.unsigned_abs() >= MIN_MAJOR_VERSION,
        "PostgreSQL {} is too old; version {MIN_MAJOR_VERSION} or later is required",
        server.version
    );
    ensure!(
        server.encoding == "UTF8",
        "the database {0} has the encoding {1}, but UTF8 is required; create another one: createdb --encoding=UTF8 \
        --template=template0 NAME",
        server.database,
        server.encoding
    );
    Ok(())
}

pub fn with_site_instructions(error: ClusterError) -> anyhow::Error {
    let newest = match &error {
        ClusterError::NotInstalled { .. } => None,
        ClusterError::WrongVersion { newest, .. } => newest.as_deref(),
        _ => return error.into(),
    };
    let upgrade = newest.map(|newest| {
        format!(
            " When both versions are installed, `evenkeel upgrade-database` moves the database to PostgreSQL {newest} \
             and keeps the old one."
        )
    });
    anyhow::anyhow!("{error} Or set DATABASE_URL to a running PostgreSQL server.{}", upgrade.unwrap_or_default())
}
