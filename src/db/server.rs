//! The database server: the one that the settings name, or else a private one that we start.

use std::sync::Arc;
use std::time::{Duration, Instant};

use ::log::LevelFilter;
use anyhow::{Context as _, ensure};
use sqlx::postgres::PgConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _};

use super::availability::{chain, is_passing};
use super::embedded::{Cluster, ClusterOptions, Folder};
use super::migrations::{migrate, order_lists_by};
use super::settings::Settings;
use crate::i18n::Phrase;
use crate::phrase;
use crate::score::ScoreShown;

/// The configured server, or the private one, which runs as long as this is held.
pub struct Database {
    pub options: PgConnectOptions,
    cluster: Option<Arc<Cluster>>,
}

impl Database {
    /// Like [`open`](Self::open), but waits for a configured server that is not there yet. `tell` is told that it
    /// waits.
    ///
    /// # Errors
    /// If the server is still not there after `settings.wait`, or fails in a way that waiting does not mend.
    pub async fn wait_for(settings: &Settings, tell: &dyn Fn(Phrase)) -> anyhow::Result<Self> {
        let (begin, mut pause, mut told) = (Instant::now(), Duration::from_millis(100), None);
        loop {
            let error = match Self::open(settings).await {
                Ok(mut database) => {
                    database.options = database.options.log_slow_statements(LevelFilter::Warn, settings.slow);
                    return Ok(database);
                }
                Err(error) => error,
            };
            let passing = error.chain().find_map(|cause| cause.downcast_ref::<sqlx::Error>()).is_some_and(is_passing);
            let wait = settings.wait;
            if !passing || settings.server.is_none() || wait.is_zero() {
                return Err(error);
            }
            let left = wait.saturating_sub(begin.elapsed());
            if left.is_zero() {
                let waited = format!("{} seconds were waited for it (DATABASE_WAIT_SECONDS)", wait.as_secs());
                return Err(error.context(waited));
            }
            let cause = chain(&error);
            if told.as_ref() != Some(&cause) {
                tracing::warn!(error = cause, seconds = settings.wait.as_secs(), "waiting for the database");
                tell(phrase!("starting-waiting-database"));
                told = Some(cause);
            }
            tokio::time::sleep(pause.min(left)).await;
            pause = (pause * 2).min(Duration::from_secs(2));
        }
    }

    /// Reaches the configured server, or starts the private one. That a statement takes long is told of a site, not of
    /// commands, which go through all rows.
    ///
    /// # Errors
    /// When it cannot be reached or started.
    pub async fn open(settings: &Settings) -> anyhow::Result<Self> {
        let mut database = Self::reach(settings).await?;
        database.options = database.options.log_slow_statements(LevelFilter::Off, settings.slow);
        Ok(database)
    }

    /// As [`open`](Self::open), for commands that look at a site or change what is there: creates no private database.
    ///
    /// # Errors
    /// Where there is no private database, and as `open`.
    pub async fn open_existing(settings: &Settings) -> anyhow::Result<Self> {
        if settings.server.is_none() {
            let options = settings.private_cluster();
            let folder = tokio::task::spawn_blocking(move || Folder::find(&options).map(|folder| folder.is_some()));
            ensure!(
                folder.await??,
                "there is no database in {} yet: `evenkeel` or `evenkeel migrate` creates it (or set DATA_DIR or \
                DATABASE_URL)",
                settings.data_dir.display()
            );
        }
        Self::open(settings).await
    }

    async fn reach(settings: &Settings) -> anyhow::Result<Self> {
        if let Some(options) = &settings.server {
            connect(options).await.context("the database of DATABASE_URL cannot be reached")?;
            return Ok(Self { options: options.clone(), cluster: None });
        }
        let options = settings.private_cluster();
        let first = Self::start(options.clone()).await?;
        if connect(&first.options).await.is_ok() {
            return Ok(first);
        }
        // Its last user may have left just as we came. Then the server is stopping, and we have to start it again.
        drop(first);
        let second = Self::start(options).await?;
        connect(&second.options).await.context("the private PostgreSQL cannot be reached")?;
        Ok(second)
    }

    async fn start(options: ClusterOptions) -> anyhow::Result<Self> {
        let cluster = tokio::task::spawn_blocking(move || Cluster::start(&options)).await??;
        Ok(Self { options: cluster.connect_options(), cluster: Some(Arc::new(cluster)) })
    }

    /// The private server. None where the settings name another.
    #[must_use]
    pub fn cluster(&self) -> Option<&Cluster> {
        self.cluster.as_deref()
    }

    /// What there is to do where a newer `PostgreSQL` is installed than that of the private server.
    #[must_use]
    pub fn upgrade(&self) -> Option<String> {
        let (ours, newest) = self.cluster()?.versions().ok()?;
        (ours != newest).then(|| {
            format!(
                "the database is of PostgreSQL {ours}, and {newest} is installed: with the site stopped, \
                `evenkeel upgrade-database` moves it, and keeps the old one"
            )
        })
    }

    /// Starts the private server again whenever it was killed.
    pub async fn keep_running(&self) -> std::convert::Infallible {
        loop {
            tokio::time::sleep(Duration::from_secs(1)).await;
            let Some(cluster) = self.cluster.clone() else { continue };
            match tokio::task::spawn_blocking(move || cluster.revive()).await {
                Ok(Ok(false)) | Err(_) => (),
                Ok(Ok(true)) => tracing::warn!("private PostgreSQL restarted"),
                Ok(Err(error)) => tracing::error!(%error, "private PostgreSQL cannot be restarted"),
            }
        }
    }

    /// Applies the migrations that are missing. `tell` is told what is being done.
    ///
    /// # Errors
    /// If one of them cannot be applied.
    pub async fn migrate(&self, tell: &(dyn Fn(Phrase) + Sync)) -> anyhow::Result<()> {
        migrate(&self.options, tell).await.context("migrating")
    }

    /// Makes the index that lists by rating need.
    pub async fn order_lists_by(&self, shown: ScoreShown, tell: &(dyn Fn(Phrase) + Sync)) -> anyhow::Result<()> {
        order_lists_by(&self.options, shown, tell).await.context("making the index of the best rated")
    }
}

async fn connect(options: &PgConnectOptions) -> sqlx::Result<()> {
    options.connect().await?.close().await
}
