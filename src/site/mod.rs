//! An instance of the site: its parts, the order of its middleware, its start and its stop.

pub mod health;
pub mod metrics;
pub mod settings;
pub mod starting;
pub mod urls;

use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use actix_web::dev::{Server, ServerHandle};
use actix_web::middleware::{Compress, from_fn};
use actix_web::{App, web};
use anyhow::Context as _;
use sqlx::PgPool;
use sqlx::postgres::PgConnectOptions;
use tokio::signal::unix::{SignalKind, signal};
use tokio::task::JoinHandle;

use crate::blog_posts::rendering::{Renderer, render_old};
use crate::blog_posts::search::{self, Searcher};
use crate::database;
use crate::database::Availability;
use crate::database::clock::Clock;
use crate::database::limiter_states;
use crate::rate::{Gates, Pauses, RateWriter, pauses};
use crate::rate_classes::{self, RateClasses};
use crate::site::health::Readiness;
use crate::site::metrics::{Decisions, Sample, samples};
use crate::site::settings::{SecretKey, Settings};
use crate::users::models::fill_in_skeletons;
use crate::users::{Hasher, Throttle, session, throttle};
use crate::web::error::AppError;
use crate::web::state::{AppState, Keys};
use crate::web::{finish, server};

/// The writer works on one batch at a time; a second connection replaces one that broke off.
const WRITER_CONNECTIONS: u32 = 2;

/// What an instance needs of the database's connections besides those for reading: for writing, for searching, and to see
/// whether a database that was gone is back.
pub const OTHER_CONNECTIONS: u32 = WRITER_CONNECTIONS + search::CONNECTIONS + 1;

/// How often rows that have had their time are deleted.
const HOUSEKEEPING: Duration = Duration::from_hours(1);

/// Limiter states that one round of housekeeping deletes at the most, at once.
const SWEEP: i64 = 1_000;

/// Everything an instance is made of. Needs a tokio runtime.
pub struct Site {
    state: web::Data<AppState>,
    writer: web::Data<RateWriter>,
    pauses: web::Data<Pauses>,
    /// None where they are switched off.
    classes: Option<web::Data<RateClasses>>,
    writing: JoinHandle<()>,
    watching: JoinHandle<()>,
}

impl Site {
    /// Connects to nothing yet: connections are made when they are needed.
    ///
    /// # Errors
    /// When the system has no random numbers to give.
    pub fn new(
        settings: Settings,
        secret: &SecretKey,
        database: &PgConnectOptions,
        clock: Clock,
    ) -> anyhow::Result<Self> {
        let writer_pool = database::held_pool(database.clone(), WRITER_CONNECTIONS);
        let connections = settings.database_connections.saturating_sub(OTHER_CONNECTIONS).max(1);
        let Settings { rating_limiter, rating_limiter_on_edit, rating_edit_limit, .. } = settings;
        let gates = Gates::new(rating_limiter, rating_limiter_on_edit, rating_edit_limit)?;
        let (pool, keys) = (database::pool(database.clone(), connections), Keys::derive(secret));
        let decisions = Arc::<Decisions>::default();
        let pauses = Pauses::new(&settings, pool.clone(), clock.clone(), keys.clone());
        let pauses = web::Data::new(pauses);
        let (writer, writing) =
            RateWriter::start(writer_pool, clock.clone(), gates, pauses.clone().into_inner(), decisions.clone());
        let classes = settings.rate_classes.then(|| web::Data::new(RateClasses::new(&settings, clock.clone())));
        let state = AppState {
            settings,
            pool,
            clock,
            keys,
            hasher: Hasher::new()?,
            throttle: Throttle::new()?,
            renderer: Renderer::default(),
            searcher: Searcher::new(database.clone()),
            decisions,
            draining: Arc::default(),
            availability: Availability::default(),
            readiness: Readiness::default(),
        };
        let watching = tokio::spawn(state.availability.clone().watch(database.clone()));
        Ok(Self { state: web::Data::new(state), writer: web::Data::new(writer), pauses, classes, writing, watching })
    }

    #[must_use]
    pub fn pauses(&self) -> &web::Data<Pauses> {
        &self.pauses
    }

    /// None where they are switched off.
    #[must_use]
    pub fn classes(&self) -> Option<&web::Data<RateClasses>> {
        self.classes.as_ref()
    }

    /// What limiters decided since the start.
    #[must_use]
    pub fn samples(&self) -> Vec<Sample> {
        samples(&self.state.decisions, self.classes.as_deref().map(|classes| &**classes), &self.state.settings)
    }

    #[must_use]
    pub fn state(&self) -> &AppState {
        &self.state
    }

    /// The HTTP server. It runs when awaited, and stops by its handle.
    ///
    /// # Errors
    /// When `listener` cannot be used.
    pub fn server(&self, listener: TcpListener, workers: usize) -> std::io::Result<Server> {
        let (state, writer, classes) = (self.state.clone(), self.writer.clone(), self.classes.clone());
        let pauses = self.pauses.clone();
        let app = move || {
            let classes = classes.clone();
            App::new()
                .configure(move |config| {
                    if let Some(classes) = classes {
                        config.app_data(classes);
                    }
                })
                .app_data(state.clone())
                .app_data(writer.clone())
                .app_data(pauses.clone())
                .wrap(from_fn(finish::guard))
                .wrap(from_fn(finish::finish))
                .wrap(Compress::default())
                .configure(urls::configure_outside)
                .service(
                    web::scope("")
                        .wrap(from_fn(rate_classes::limit))
                        .wrap(from_fn(session::identify))
                        .wrap(session::middleware(&state))
                        .wrap(from_fn(rate_classes::charge_failures))
                        .configure(urls::configure_pages)
                        .default_service(web::to(urls::not_found)),
                )
                // What is no path, as in `OPTIONS *`.
                .default_service(web::to(urls::not_found))
        };
        server::serve(listener, workers, &self.state.settings.trusted_proxies, app)
    }

    /// Stops the server when the process is told to: at once on SIGINT (somebody pressed Ctrl-C), after a
    /// while on SIGTERM, so that balancers see `/readyz` turn 503 before connections are refused. Requests in
    /// flight are finished; a second signal does not wait for them.
    ///
    /// # Errors
    /// When the process cannot listen for signals.
    pub async fn stop_on_signals(
        state: AppState,
        classes: Option<web::Data<RateClasses>>,
        server: ServerHandle,
    ) -> std::io::Result<()> {
        let mut terminate = signal(SignalKind::terminate())?;
        let mut interrupt = signal(SignalKind::interrupt())?;
        tokio::select! {
            _ = interrupt.recv() => (),
            _ = terminate.recv() => {
                state.draining.store(true, Ordering::Relaxed);
                tracing::info!(seconds = state.settings.drain.as_secs(), "stopping soon");
                tokio::select! {
                    () = tokio::time::sleep(state.settings.drain) => (),
                    _ = interrupt.recv() => (),
                    _ = terminate.recv() => (),
                }
            }
        }
        // They would go on for minutes.
        if let Some(classes) = classes {
            classes.close_streams();
        }
        tokio::select! {
            () = server.stop(true) => (),
            _ = interrupt.recv() => server.stop(false).await,
            _ = terminate.recv() => server.stop(false).await,
        }
        Ok(())
    }

    /// Writes rate classes behind, and picks up those of other instances, until it is dropped.
    pub async fn share_classes(classes: Option<web::Data<RateClasses>>, pool: PgPool) {
        match classes {
            Some(classes) => rate_classes::sync::run(classes, pool).await,
            None => std::future::pending().await,
        }
    }

    /// Deletes expired rows, now and every hour, until it is dropped.
    pub async fn keep_house(state: AppState) {
        tokio::join!(
            render_old(&state.pool, &state.renderer),
            Self::fill_in_skeletons(&state),
            Self::delete_expired(&state)
        );
    }

    /// Until it is done.
    async fn fill_in_skeletons(state: &AppState) {
        loop {
            match fill_in_skeletons(&state.pool).await {
                Ok(0) => return,
                Ok(names) => return tracing::warn!(names, "accounts look like others: `evenkeel check` names them"),
                Err(error) => AppError::from(error).log(),
            }
            tokio::time::sleep(Duration::from_secs(5)).await;
        }
    }

    async fn delete_expired(state: &AppState) {
        loop {
            match tidy(state).await {
                Ok((sessions, states)) => tracing::info!(sessions, limiter_states = states, "expired rows deleted"),
                Err(error) => tracing::error!(%error, "expired rows not deleted"),
            }
            tokio::time::sleep(HOUSEKEEPING).await;
        }
    }

    /// The end of the task that writes ratings, which should not come while the site runs.
    pub async fn writer_ended(&mut self) -> anyhow::Error {
        match (&mut self.writing).await {
            Ok(()) => anyhow::anyhow!("the writer of ratings ended"),
            Err(panic) => anyhow::anyhow!("the writer of ratings panicked: {panic}"),
        }
    }

    /// Waits until the ratings that were accepted are written.
    ///
    /// # Errors
    /// When that takes too long.
    pub async fn finish(self) -> anyhow::Result<()> {
        self.watching.abort();
        drop(self.writer);
        drop(self.pauses);
        let written = tokio::time::timeout(Duration::from_secs(5), self.writing).await;
        self.state.pool.close().await;
        written.context("ratings were still waiting to be written")?.context("the writer panicked")
    }
}

async fn tidy(state: &AppState) -> sqlx::Result<(u64, u64)> {
    let sessions = session::delete_expired(state).await?;
    throttle::forget(state).await?;
    pauses::sweep(state).await?;
    let mut connection = state.pool.acquire().await?;
    let mut states = 0;
    loop {
        let swept = limiter_states::sweep(&mut connection, &state.clock, SWEEP).await?;
        states += swept;
        if swept < SWEEP.unsigned_abs() {
            return Ok((sessions, states));
        }
    }
}
