//! Instance of the site, assembled from all apps and the middleware. No other module depends on all of the apps.

mod endpoints;
mod health;
mod housekeeping;
pub mod metrics;
pub mod run;
pub mod settings;
mod startup;
mod urls;

use std::net::TcpListener;
use std::sync::Arc;

use ::log::LevelFilter;
use actix_web::dev::Server;
use actix_web::middleware::{Compress, from_fn};
use actix_web::web::ServiceConfig;
use actix_web::{App, web};
use anyhow::Context as _;
use sqlx::postgres::PgConnectOptions;
use sqlx::{ConnectOptions as _, PgPool};
use tokio::task::JoinHandle;

pub use self::endpoints::declare_routes;
pub use self::health::Health;
use self::housekeeping::Housekeeping;
use self::metrics::{DecisionSample, MetricSources, collect_limiter_decision_samples};
pub use self::settings::{Settings, UnknownVariable, find_unknown_variables};
use crate::admin::dashboard::DataDir;
use crate::admin::dashboard::hourly_stats::HourlyStatsCollector;
use crate::admin::navigation::count_open_items;
use crate::background_tasks::{BackgroundTasks, Backoff};
use crate::blog_posts::rendering::Renderer;
use crate::blog_posts::search::Searcher;
use crate::blog_posts::sign_in_reason;
use crate::blog_posts::stored_post::PostLoader;
use crate::db;
use crate::db::clock::Clock;
use crate::db::{Availability, ReadServer, create_lookup_pool};
use crate::images::image_library::ImageLibrary;
use crate::limit_overrides::LimitOverrides;
use crate::limiter_decisions::DecisionCounters;
use crate::mail::Outbox;
use crate::mail::delivery::DeliveryTask;
use crate::rate::{ActiveLimiterCache, RatingWriter, ZombiePauses, writer};
use crate::rate_classes::{
    RateClasses, count_failed_session_lookups, limit_anonymous_requests, limit_authenticated_requests,
};
use crate::safe_browsing::link_check::LinkChecker;
use crate::safe_browsing::threat_lists::SafeBrowsing;
use crate::signing::{Keys, SecretKey};
use crate::users::two_factor::models::rekey;
use crate::users::{AccountServices, sessions};
use crate::web::cache::middleware::serve_from_page_cache;
use crate::web::cache::page_cache::PageCache;
use crate::web::http_server;
use crate::web::metrics::responses::ResponseMetrics;
use crate::web::metrics::traffic::Traffic;
use crate::web::middleware::cors::cors;
use crate::web::middleware::finalize_response::finalize_response;
use crate::web::middleware::idempotency::handle_idempotency_key;
use crate::web::middleware::origin_check::check_origin;
use crate::web::request::upload::upload_permits;
use crate::web::response::sign_in_reason::SignInReasonResolver;
use crate::web::routing::endpoint::not_found;
use crate::web::state::AppState;
use crate::webhooks::delivery::WebhookSender;

/// Number of database connections for batched lookups: one each for sessions, API tokens and posts.
const LOOKUP_CONNECTIONS: u32 = 3;

/// Number of database connections that an instance needs in addition to those for requests: connections for the rating
/// writer, batched lookups and search, and one to detect that the database is available again.
const OTHER_CONNECTIONS: u32 = writer::MAX_BATCHES_IN_PROGRESS + LOOKUP_CONNECTIONS + db::MAX_SEARCHES + 1;

/// Instance of the site. Must be created inside a Tokio runtime.
pub struct Site {
    settings: Settings,
    state: web::Data<AppState>,
    accounts: web::Data<AccountServices>,
    renderer: web::Data<Renderer>,
    library: web::Data<ImageLibrary>,
    searcher: web::Data<Searcher>,
    posts: web::Data<PostLoader>,
    writer: web::Data<RatingWriter>,
    writer_pool: PgPool,
    pauses: web::Data<ZombiePauses>,
    active_limiters: web::Data<ActiveLimiterCache>,
    /// Rate classes; `None` if they are disabled.
    classes: Option<web::Data<RateClasses>>,
    limit_overrides: web::Data<LimitOverrides>,
    health: web::Data<Health>,
    /// Safe Browsing client; `None` if links are not checked.
    safe_browsing: Option<Arc<SafeBrowsing>>,
    /// Email delivery; `None` if the site sends no emails.
    mail: Option<Arc<DeliveryTask>>,
    webhooks: web::Data<WebhookSender>,
    decisions: Arc<DecisionCounters>,
    hours: Arc<HourlyStatsCollector>,
    /// Creation time of the instance, in microseconds since the Unix epoch.
    started_at_micros: i64,
    background: BackgroundTasks,
    writing: JoinHandle<()>,
    watching: JoinHandle<()>,
}

/// Wraps an app or a scope in middleware, listed in the order in which a request passes it. (In actix, the middleware
/// registered last runs first.)
macro_rules! wrap {
    ($inner:expr $(,)?) => { $inner };
    ($inner:expr, $first:expr $(, $next:expr)* $(,)?) => { wrap!($inner $(, $next)*).wrap($first) };
}

/// Creates the Safe Browsing client; `None` if links are not checked.
fn safe_browsing(settings: &Settings, state: &AppState) -> anyhow::Result<Option<Arc<SafeBrowsing>>> {
    let Some(links) = settings.safe_browsing.clone() else { return Ok(None) };
    Ok(Some(Arc::new(SafeBrowsing::new(links, state.pool.clone(), state.clock.clone())?)))
}

fn state(settings: &Settings, secret: &SecretKey, database: &PgConnectOptions, clock: &Clock) -> AppState {
    let connections = settings.database.max_connections.saturating_sub(OTHER_CONNECTIONS).max(1);
    let availability = Availability::new(settings.database.acquire_timeout);
    let log_slow = |server: &PgConnectOptions| {
        server.clone().log_slow_statements(LevelFilter::Warn, settings.database.slow_query_threshold)
    };
    let timeout = settings.database.acquire_timeout;
    let read = settings.database.read.as_ref().map(log_slow);
    AppState {
        settings: Arc::new(settings.web.clone()),
        score_shown: settings.score_shown,
        policy: settings.policy,
        pool: db::create_pool(database.clone(), connections, &availability),
        lookup_pool: create_lookup_pool(database.clone(), LOOKUP_CONNECTIONS, &availability),
        read_server: read.map(|options| ReadServer::new(options, connections, timeout)),
        clock: clock.clone(),
        keys: Keys::derive(secret).with_fallbacks(&settings.secret_key_fallbacks),
        availability,
        page_cache: Arc::new(PageCache::new(clock.clone())),
        sign_in_reasons: SignInReasonResolver(sign_in_reason::sign_in_reason),
        uploads: upload_permits(),
        mail: Outbox::new(settings.mail.is_some()),
        traffic: Arc::new(Traffic::new(clock.clone())),
        response_metrics: ResponseMetrics::default(),
    }
}

fn rating_limits(
    settings: &Settings,
    state: &AppState,
) -> anyhow::Result<(Arc<ActiveLimiterCache>, Arc<ZombiePauses>)> {
    let active_limiters = Arc::new(ActiveLimiterCache::new(&settings.rate)?);
    Ok((active_limiters, Arc::new(ZombiePauses::new(&settings.rate, state))))
}

fn rate_classes(settings: &Settings, overrides: Arc<LimitOverrides>, clock: Clock) -> Option<web::Data<RateClasses>> {
    let classes = || web::Data::new(RateClasses::new(&settings.rate_classes, overrides, clock));
    settings.rate_classes.enabled.then(classes)
}

/// Creates the email delivery task; `None` if the site sends no emails.
fn delivery(settings: &Settings, state: &AppState) -> Option<Arc<DeliveryTask>> {
    let settings = settings.mail.clone()?;
    Some(Arc::new(DeliveryTask::new(settings, state.mail.clone(), state.pool.clone(), state.clock.clone())))
}

/// Starts the task that watches the database server.
fn watch(state: &AppState, database: &PgConnectOptions, background: &BackgroundTasks) -> JoinHandle<()> {
    let (availability, options) = (state.availability.clone(), database.clone());
    let reconnect = move || availability.clone().reconnect_on_failure(options.clone());
    background.start("watch_database", Backoff::FAST, reconnect)
}

fn start_writer(
    state: &AppState,
    pool: &PgPool,
    limiters: &Arc<ActiveLimiterCache>,
    pauses: &Arc<ZombiePauses>,
    decisions: &Arc<DecisionCounters>,
    background: &BackgroundTasks,
) -> (RatingWriter, JoinHandle<()>) {
    let (availability, clock) = (state.availability.clone(), state.clock.clone());
    let (limiters, pauses, decisions) = (limiters.clone(), pauses.clone(), decisions.clone());
    RatingWriter::start(pool.clone(), availability, clock, limiters, pauses, decisions, background)
}

impl Site {
    /// Creates an instance of the site. Database connections are opened when they are needed.
    pub fn new(
        settings: Settings,
        secret: &SecretKey,
        database: &PgConnectOptions,
        clock: Clock,
    ) -> anyhow::Result<Self> {
        endpoints::declare_routes();
        let (background, started_at_micros) = (BackgroundTasks::default(), clock.local_micros());
        let state = web::Data::new(state(&settings, secret, database, &clock));
        let links = safe_browsing(&settings, &state)?;
        let webhooks = WebhookSender::new(&settings.webhooks, state.pool.clone(), clock.clone());
        let (decisions, overrides) = (Arc::<DecisionCounters>::default(), Arc::<LimitOverrides>::default());
        let accounts = AccountServices::new(settings.users, &state, decisions.clone(), overrides.clone())?;
        let (active_limiters, pauses) = rating_limits(&settings, &state)?;
        let writer_pool = create_lookup_pool(database.clone(), writer::MAX_BATCHES_IN_PROGRESS, &state.availability);
        let (writer, writing) = start_writer(&state, &writer_pool, &active_limiters, &pauses, &decisions, &background);
        Ok(Self {
            renderer: web::Data::new(Renderer::new(LinkChecker::new(links.clone(), &state))),
            library: web::Data::new(ImageLibrary::new(&settings.images, &state)?),
            mail: delivery(&settings, &state),
            webhooks: web::Data::new(webhooks),
            safe_browsing: links,
            searcher: web::Data::new(Searcher::new(database, &state.availability)),
            posts: web::Data::new(PostLoader::new(&state)),
            accounts: web::Data::new(accounts),
            started_at_micros,
            hours: Arc::new(HourlyStatsCollector::new(state.traffic.clone(), decisions.clone())),
            writer: web::Data::new(writer),
            writer_pool,
            pauses: web::Data::from(pauses),
            active_limiters: web::Data::from(active_limiters),
            classes: rate_classes(&settings, overrides.clone(), clock),
            limit_overrides: web::Data::from(overrides),
            health: web::Data::new(Health::new(background.clone())),
            decisions,
            writing,
            watching: watch(&state, database, &background),
            background,
            state,
            settings,
        })
    }

    /// Re-encrypts two-factor secrets that were stored with a previous `SECRET_KEY`, using the current key. Called
    /// after a key rotation.
    pub async fn rekey_totp_secrets(&self) -> anyhow::Result<()> {
        let AppState { pool, keys, .. } = &**self.state;
        let rekeyed = rekey(pool, keys).await?;
        if rekeyed.rekeyed > 0 {
            tracing::info!(
                second_factors = rekeyed.rekeyed,
                "two-factor secrets re-encrypted with the current SECRET_KEY"
            );
        }
        if rekeyed.unknown > 0 {
            tracing::warn!(
                second_factors = rekeyed.unknown,
                "two-factor secrets of some users cannot be decrypted with SECRET_KEY or SECRET_KEY_FALLBACKS; their codes are rejected"
            );
        }
        Ok(())
    }

    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    pub fn state(&self) -> &AppState {
        &self.state
    }

    pub fn background_tasks(&self) -> &BackgroundTasks {
        &self.background
    }

    pub fn renderer(&self) -> &Renderer {
        &self.renderer
    }

    pub fn image_library(&self) -> &ImageLibrary {
        &self.library
    }

    pub fn accounts(&self) -> &AccountServices {
        &self.accounts
    }

    pub fn zombie_pauses(&self) -> &web::Data<ZombiePauses> {
        &self.pauses
    }

    /// Rate classes of this instance; `None` if they are disabled.
    pub fn rate_classes(&self) -> Option<&web::Data<RateClasses>> {
        self.classes.as_ref()
    }

    /// Limit overrides as known to this instance.
    pub fn limit_overrides(&self) -> &web::Data<LimitOverrides> {
        &self.limit_overrides
    }

    /// Returns a function that reads the counters of limiter decisions since start-up.
    pub fn decision_sampler(&self) -> impl Fn() -> Vec<DecisionSample> + Send + Sync + 'static {
        let (decisions, classes, active_limiters) =
            (self.decisions.clone(), self.classes.clone(), self.active_limiters.clone());
        move || {
            collect_limiter_decision_samples(
                &decisions,
                classes.as_deref().map(|classes| &**classes),
                active_limiters.cached_limiters().site_limiter(),
            )
        }
    }

    pub fn metric_sources(&self) -> MetricSources {
        MetricSources {
            state: self.state.clone(),
            accounts: self.accounts.clone(),
            searcher: self.searcher.clone(),
            writer_pool: self.writer_pool.clone(),
            writer: self.writer.metrics(),
            limit_overrides: self.limit_overrides.clone(),
            mail: self.mail.clone(),
            webhooks: self.webhooks.clone(),
            classes: self.classes.clone(),
            samples: Box::new(self.decision_sampler()),
            data_dir: self.settings.database.data_dir.clone(),
            since_micros: self.started_at_micros,
            background: self.background.clone(),
        }
    }

    pub fn housekeeping_tasks(&self) -> Housekeeping {
        Housekeeping {
            state: self.state.clone(),
            accounts: self.accounts.clone(),
            renderer: self.renderer.clone(),
            pauses: self.pauses.clone(),
            library: self.library.clone(),
            audit_log: self.settings.audit_log,
            hours: self.hours.clone(),
            safe_browsing: self.safe_browsing.clone(),
            mail: self.mail.clone(),
            webhooks: self.webhooks.clone(),
            samples: Arc::new(self.decision_sampler()),
            limit_overrides: self.limit_overrides.clone(),
        }
    }

    fn shared_app_data(&self) -> impl Fn(&mut ServiceConfig) + Clone + Send + 'static {
        let (state, accounts, health) = (self.state.clone(), self.accounts.clone(), self.health.clone());
        let (renderer, searcher, posts) = (self.renderer.clone(), self.searcher.clone(), self.posts.clone());
        let (writer, pauses, library) = (self.writer.clone(), self.pauses.clone(), self.library.clone());
        let (settings, classes) = (web::Data::from(self.state.settings.clone()), self.classes.clone());
        let (active_limiters, rating) = (self.active_limiters.clone(), web::Data::new(self.settings.rate.clone()));
        let tokens = web::Data::new(self.accounts.tokens.clone());
        let (overrides, webhooks) = (self.limit_overrides.clone(), self.webhooks.clone());
        let folder = web::Data::new(DataDir(self.settings.database.data_dir.clone()));
        move |config| {
            config.app_data(settings.clone()).app_data(state.clone()).app_data(accounts.clone());
            config.app_data(tokens.clone());
            config.app_data(renderer.clone()).app_data(searcher.clone()).app_data(posts.clone());
            config.app_data(writer.clone()).app_data(pauses.clone()).app_data(library.clone());
            config.app_data(folder.clone());
            config.app_data(health.clone()).app_data(active_limiters.clone()).app_data(rating.clone());
            config.app_data(overrides.clone()).app_data(webhooks.clone());
            if let Some(classes) = &classes {
                config.app_data(classes.clone());
            }
        }
    }

    /// Creates the HTTP server. The server runs while the returned future is awaited, and its handle can stop it.
    pub fn create_server(&self, listener: TcpListener, workers: usize) -> std::io::Result<Server> {
        let (parts, accounts) = (self.shared_app_data(), self.accounts.clone());
        let origins = self.settings.web.cors_origins.clone();
        let app = move || {
            let pages = wrap![
                web::scope(""),
                from_fn(count_failed_session_lookups),
                accounts.sessions.middleware(),
                from_fn(sessions::load_user),
                from_fn(limit_authenticated_requests),
                from_fn(sessions::check_permissions),
                from_fn(count_open_items),
                from_fn(handle_idempotency_key),
            ];
            let pages = pages.configure(endpoints::configure_session_endpoints).default_service(web::to(not_found));
            let app = wrap![
                App::new(),
                cors(&origins),
                Compress::default(),
                from_fn(finalize_response),
                from_fn(check_origin),
                from_fn(limit_anonymous_requests),
                from_fn(serve_from_page_cache),
                // Inside the page cache, so that each page is compressed once, and not for every request.
                Compress::default(),
            ];
            app.configure(parts.clone())
                .configure(endpoints::configure_sessionless_endpoints)
                .service(pages)
                // Handles requests without a path, such as `OPTIONS *`.
                .default_service(web::to(not_found))
        };
        http_server::serve(listener, workers, app)
    }

    /// Waits until all accepted ratings are written and the email that is being sent is complete, then aborts the
    /// background tasks.
    pub async fn shut_down(self, tasks: Vec<JoinHandle<()>>) -> anyhow::Result<()> {
        self.watching.abort();
        drop(self.writer);
        let stopping_mail = async {
            if let Some(mail) = &self.mail {
                mail.stop().await;
            }
        };
        let writing = tokio::time::timeout(std::time::Duration::from_secs(5), self.writing);
        let (written, ()) = tokio::join!(writing, stopping_mail);
        tasks.iter().for_each(JoinHandle::abort);
        self.state.pool.close().await;
        written.context("queued ratings were not written within 5 seconds")?.context("the rating writer panicked")
    }
}
