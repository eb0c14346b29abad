//! An instance of the site: its parts, the order of its middleware, its start and its stop.

use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use actix_http::{HttpService, KeepAlive};
use actix_service::{IntoServiceFactory as _, Service as _, ServiceFactoryExt as _, apply_fn_factory, map_config};
use actix_web::dev::{AppConfig, Server, ServerHandle};
use actix_web::middleware::{Compress, from_fn};
use actix_web::{App, web};
use anyhow::Context as _;
use futures_util::FutureExt as _;
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use sqlx::PgPool;
use sqlx::postgres::PgConnectOptions;
use tokio::signal::unix::{SignalKind, signal};
use tokio::task::JoinHandle;

use crate::blog_posts::rendering::{Renderer, render_old};
use crate::blog_posts::search::Searcher;
use crate::clock::Clock;
use crate::connection::{Connection, Connections};
use crate::limiters::stores::postgres;
use crate::metrics::{Decisions, Sample, samples};
use crate::rate::{Gates, Pauses, RateWriter, pauses};
use crate::rate_classes::{self, RateClasses};
use crate::settings::{SecretKey, Settings};
use crate::state::{AppState, Keys};
use crate::users::{Hasher, Throttle, session, throttle};
use crate::{database, middleware, urls};

/// Connections for everything but writing ratings.
const CONNECTIONS: u32 = 16;

/// The writer works on one batch at a time; a second connection replaces one that broke off.
const WRITER_CONNECTIONS: u32 = 2;

/// Clients that may be connected at once. Each may make us keep 300 KB of what it says ahead: 16 heads, and the
/// beginning of a body.
const MAX_CONNECTIONS: u64 = 2_048;

/// Bytes kept for clients that do not take them in. (In memory they are up to four times as much: buffers grow by
/// doubling, and the answer to a client's next request may be ready, too.)
const MAX_UNSENT: usize = 16 << 20;

/// Requests in flight may take this long when the site stops.
const STOP_SECONDS: u64 = 15;

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
        let writer_pool = database::pool(database.clone(), WRITER_CONNECTIONS);
        let Settings { rating_limiter, rating_limiter_on_edit, rating_edit_limit, .. } = settings;
        let gates = Gates::new(rating_limiter, rating_limiter_on_edit, rating_edit_limit)?;
        let (pool, keys) = (database::pool(database.clone(), CONNECTIONS), Keys::derive(secret));
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
        };
        Ok(Self { state: web::Data::new(state), writer: web::Data::new(writer), pauses, classes, writing })
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
                .wrap(from_fn(middleware::guard))
                .wrap(from_fn(middleware::finish))
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
        let builder = Server::build().workers(workers).shutdown_timeout(STOP_SECONDS).disable_signals();
        let stopping = builder.graceful_shutdown_signal();
        let share = max_connections() / workers.max(1);
        let unsent = MAX_UNSENT / workers.max(1);
        let proxies = self.state.settings.trusted_proxies.clone();
        let serve = move || {
            // Some are told to go while others come.
            let connections = Connections::new(share - share / 8, unsent, proxies.clone());
            let stopping = stopping.clone();
            let http = HttpService::build()
                .graceful_shutdown_signal(move || {
                    let stopping = stopping.clone();
                    async move { stopping.notified().await }
                })
                // What `connection` does covers these, and more.
                .keep_alive(KeepAlive::Os)
                .client_request_timeout(Duration::ZERO)
                .client_disconnect_timeout(Duration::from_secs(1))
                .on_connect_ext(|connection: &Connection, data| drop(data.insert(connection.link())))
                .h1(map_config(app().into_factory().map_err(|error| error.error_response()), |()| {
                    AppConfig::default()
                }));
            apply_fn_factory(http, move |stream, http| {
                connections.serve(stream, |connection, client| http.call((connection, client))).map(Ok)
            })
        };
        let server = builder.max_concurrent_connections(share).listen("http", listener, serve)?;
        Ok(server.run())
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
        if let Some(classes) = classes {
            rate_classes::sync::run(classes, pool).await;
        }
    }

    /// Deletes expired rows, now and every hour, until it is dropped.
    pub async fn keep_house(state: AppState) {
        tokio::join!(render_old(&state.pool, &state.renderer), Self::delete_expired(&state));
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

    /// Waits until the ratings that were accepted are written.
    ///
    /// # Errors
    /// When that takes too long.
    pub async fn finish(self) -> anyhow::Result<()> {
        drop(self.writer);
        drop(self.pauses);
        let written = tokio::time::timeout(Duration::from_secs(5), self.writing).await;
        self.state.pool.close().await;
        written.context("ratings were still waiting to be written")?.context("the writer panicked")
    }
}

/// How many clients may be connected: what the system lets us open, less what we need ourselves.
fn max_connections() -> usize {
    const OWN_FILES: u64 = 96;
    // As many as we may; where that is not allowed, as many as we have.
    let (soft, hard) = getrlimit(Resource::RLIMIT_NOFILE).unwrap_or((256, 256));
    let wanted = hard.min(MAX_CONNECTIONS + OWN_FILES);
    let files = if soft < wanted && setrlimit(Resource::RLIMIT_NOFILE, wanted, hard).is_ok() { wanted } else { soft };
    usize::try_from(files.saturating_sub(OWN_FILES).clamp(16, MAX_CONNECTIONS)).unwrap_or(16)
}

async fn tidy(state: &AppState) -> sqlx::Result<(u64, u64)> {
    let sessions = session::delete_expired(state).await?;
    throttle::forget(state).await?;
    pauses::sweep(state).await?;
    let mut connection = state.pool.acquire().await?;
    let mut states = 0;
    loop {
        let swept = postgres::sweep(&mut connection, &state.clock, SWEEP).await?;
        states += swept;
        if swept < SWEEP.unsigned_abs() {
            return Ok((sessions, states));
        }
    }
}
