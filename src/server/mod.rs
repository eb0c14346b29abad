//! Instance of the site: its parts and its middleware. The only module that depends on all apps.

mod endpoints;
mod health;
mod housekeeping;
pub mod metrics;
pub mod run;
pub mod settings;
mod starting;
mod urls;

use std::net::TcpListener;
use std::sync::Arc;

use actix_web::dev::Server;
use actix_web::middleware::{Compress, from_fn};
use actix_web::web::ServiceConfig;
use actix_web::{App, web};
use anyhow::Context as _;
use sqlx::PgPool;
use sqlx::postgres::PgConnectOptions;
use tokio::task::JoinHandle;

pub use self::endpoints::declare;
pub use self::health::Health;
use self::housekeeping::Housekeeping;
use self::metrics::{Figures, Sample, samples};
pub use self::settings::{Settings, UnknownVariable, unknown_variables};
use crate::admin::dashboard::DataFolder;
use crate::admin::dashboard::hours::Hours;
use crate::admin::limiter::ReplayPermit;
use crate::background::{BackOff, Background};
use crate::blog_posts::queries::Posts;
use crate::blog_posts::rendering::Renderer;
use crate::blog_posts::search::{self, Searcher};
use crate::blog_posts::sign_in_reason;
use crate::db;
use crate::db::Availability;
use crate::db::clock::Clock;
use crate::decisions::Decisions;
use crate::images::library::Library;
use crate::mail::Outbox;
use crate::mail::delivery::Delivery;
use crate::rate::{ActiveLimiters, Pauses, RateWriter, writer};
use crate::rate_classes::{RateClasses, charge_failures, limit};
use crate::safe_browsing::link_check::LinkCheck;
use crate::safe_browsing::threat_lists::SafeBrowsing;
use crate::signing::{Keys, SecretKey};
use crate::users::two_factor::models::rekey;
use crate::users::{Accounts, sessions};
use crate::web::cache::middleware::cached;
use crate::web::cache::pages::PageCache;
use crate::web::connection::server;
use crate::web::metrics::responses::Answered;
use crate::web::metrics::traffic::Traffic;
use crate::web::middleware::finish::finish;
use crate::web::middleware::origin_check::check_origin;
use crate::web::request::upload::UploadPermits;
use crate::web::response::sign_in_reason::Purposes;
use crate::web::routing::endpoint::not_found;
use crate::web::state::AppState;

/// Connections for batched lookups: one for sessions, one for posts.
const LOOKUPS: u32 = 2;

/// Connections of an instance besides those for requests: for the rating writer, batched lookups, search, and detecting
/// that the database is available again.
const OTHER_CONNECTIONS: u32 = writer::AT_ONCE + LOOKUPS + search::CONNECTIONS + 1;

/// Must be created inside a Tokio runtime.
pub struct Site {
    settings: Settings,
    state: web::Data<AppState>,
    accounts: web::Data<Accounts>,
    renderer: web::Data<Renderer>,
    library: web::Data<Library>,
    searcher: web::Data<Searcher>,
    posts: web::Data<Posts>,
    writer: web::Data<RateWriter>,
    writer_pool: PgPool,
    pauses: web::Data<Pauses>,
    gates: web::Data<ActiveLimiters>,
    /// `None` if rate classes are disabled.
    classes: Option<web::Data<RateClasses>>,
    health: web::Data<Health>,
    /// Safe Browsing client; `None` if links are not checked.
    links: Option<Arc<SafeBrowsing>>,
    /// Mail delivery; `None` if the site sends no mail.
    mail: Option<Arc<Delivery>>,
    decisions: Arc<Decisions>,
    hours: Arc<Hours>,
    /// Creation time, in microseconds since the Unix epoch.
    since_micros: i64,
    background: Background,
    writing: JoinHandle<()>,
    watching: JoinHandle<()>,
}

/// Wraps an app or a scope in middleware, listed in the order in which a request passes it. (In actix, the middleware
/// registered last runs first.)
macro_rules! wrap {
    ($inner:expr $(,)?) => { $inner };
    ($inner:expr, $first:expr $(, $next:expr)* $(,)?) => { wrap!($inner $(, $next)*).wrap($first) };
}

/// Safe Browsing client; `None` if links are not checked.
fn links(settings: &Settings, state: &AppState) -> anyhow::Result<Option<Arc<SafeBrowsing>>> {
    let Some(links) = settings.links.clone() else { return Ok(None) };
    Ok(Some(Arc::new(SafeBrowsing::new(links, state.pool.clone(), state.clock.clone())?)))
}

fn state(settings: &Settings, secret: &SecretKey, database: &PgConnectOptions, clock: &Clock) -> AppState {
    let connections = settings.database.connections.saturating_sub(OTHER_CONNECTIONS).max(1);
    let availability = Availability::new(settings.database.timeout);
    AppState {
        settings: Arc::new(settings.web.clone()),
        score_shown: settings.score_shown,
        policy: settings.policy,
        pool: db::pool(database.clone(), connections, &availability),
        lookup_pool: db::pool_by_keys(database.clone(), LOOKUPS, &availability),
        clock: clock.clone(),
        keys: Keys::derive(secret).with_fallbacks(&settings.secret_key_fallbacks),
        availability,
        pages: Arc::new(PageCache::new(clock.clone())),
        purposes: Purposes(sign_in_reason::of),
        uploads: UploadPermits::default(),
        mail: Outbox::new(settings.mail.is_some()),
        traffic: Arc::new(Traffic::new(clock.clone())),
        answered: Answered::default(),
    }
}

fn rate_classes(settings: &Settings, clock: Clock) -> Option<web::Data<RateClasses>> {
    settings.rate_classes.enabled.then(|| web::Data::new(RateClasses::new(&settings.rate_classes, clock)))
}

/// Mail delivery; `None` if the site sends no mail.
fn delivery(settings: &Settings, state: &AppState) -> Option<Arc<Delivery>> {
    let settings = settings.mail.clone()?;
    Some(Arc::new(Delivery::new(settings, state.mail.clone(), state.pool.clone(), state.clock.clone())))
}

fn watch(state: &AppState, database: &PgConnectOptions, background: &Background) -> JoinHandle<()> {
    let (availability, options) = (state.availability.clone(), database.clone());
    background.start("watch_database", BackOff::FAST, move || availability.clone().watch(options.clone()))
}

impl Site {
    /// Creates the parts. Database connections are opened when they are needed.
    ///
    /// # Errors
    /// If the system has no random numbers, or the image store cannot be opened.
    pub fn new(
        settings: Settings,
        secret: &SecretKey,
        database: &PgConnectOptions,
        clock: Clock,
    ) -> anyhow::Result<Self> {
        endpoints::declare();
        let (background, since_micros) = (Background::default(), clock.local_micros());
        let state = state(&settings, secret, database, &clock);
        let decisions = Arc::<Decisions>::default();
        let accounts = Accounts::new(settings.users, &state, decisions.clone())?;
        let (gates, pauses) = (ActiveLimiters::new(&settings.rate)?, Pauses::new(&settings.rate, &state));
        let (gates, pauses) = (Arc::new(gates), Arc::new(pauses));
        let writer_pool = db::pool_by_keys(database.clone(), writer::AT_ONCE, &state.availability);
        let (writer, writing) = RateWriter::start(
            writer_pool.clone(),
            clock.clone(),
            gates.clone(),
            pauses.clone(),
            decisions.clone(),
            &background,
        );
        let links = links(&settings, &state)?;
        Ok(Self {
            renderer: web::Data::new(Renderer::new(LinkCheck::new(links.clone(), &state))),
            library: web::Data::new(Library::new(&settings.images, &state)?),
            mail: delivery(&settings, &state),
            links,
            searcher: web::Data::new(Searcher::new(database.clone(), &state.availability)),
            accounts: web::Data::new(accounts),
            posts: web::Data::new(Posts::new(&state.lookup_pool, &state.availability)),
            since_micros,
            hours: Arc::new(Hours::new(state.traffic.clone(), decisions.clone())),
            writer: web::Data::new(writer),
            writer_pool,
            pauses: web::Data::from(pauses),
            gates: web::Data::from(gates),
            classes: rate_classes(&settings, clock),
            health: web::Data::new(Health::new(background.clone())),
            decisions,
            writing,
            watching: watch(&state, database, &background),
            background,
            state: web::Data::new(state),
            settings,
        })
    }

    /// Converts two-factor secrets of a previous `SECRET_KEY` to the current one, after a key rotation.
    pub async fn adopt_key(&self) -> anyhow::Result<()> {
        let AppState { pool, keys, .. } = &**self.state;
        let rekeyed = rekey(pool, keys).await?;
        if rekeyed.kept_anew > 0 {
            tracing::info!(second_factors = rekeyed.kept_anew, "two-factor secrets re-encoded for SECRET_KEY");
        }
        if rekeyed.unknown > 0 {
            tracing::warn!(
                second_factors = rekeyed.unknown,
                "were made with a key that is neither SECRET_KEY nor one of SECRET_KEY_FALLBACKS: codes of their apps are \
                refused"
            );
        }
        Ok(())
    }

    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    #[must_use]
    pub fn state(&self) -> &AppState {
        &self.state
    }

    #[must_use]
    pub fn background(&self) -> &Background {
        &self.background
    }

    #[must_use]
    pub fn renderer(&self) -> &Renderer {
        &self.renderer
    }

    #[must_use]
    pub fn library(&self) -> &Library {
        &self.library
    }

    #[must_use]
    pub fn accounts(&self) -> &Accounts {
        &self.accounts
    }

    #[must_use]
    pub fn pauses(&self) -> &web::Data<Pauses> {
        &self.pauses
    }

    /// `None` if rate classes are disabled.
    #[must_use]
    pub fn classes(&self) -> Option<&web::Data<RateClasses>> {
        self.classes.as_ref()
    }

    /// Returns a function that reads the counters of limiter decisions since start-up.
    pub fn samples(&self) -> impl Fn() -> Vec<Sample> + Send + Sync + 'static {
        let (decisions, classes, gates) = (self.decisions.clone(), self.classes.clone(), self.gates.clone());
        move || samples(&decisions, classes.as_deref().map(|classes| &**classes), gates.latest().of_site())
    }

    #[must_use]
    pub fn figures(&self) -> Figures {
        Figures {
            state: self.state.clone(),
            accounts: self.accounts.clone(),
            searcher: self.searcher.clone(),
            writer_pool: self.writer_pool.clone(),
            writer: self.writer.metrics(),
            mail: self.mail.clone(),
            samples: Box::new(self.samples()),
            data_dir: self.settings.database.data_dir.clone(),
            since_micros: self.since_micros,
            background: self.background.clone(),
        }
    }

    #[must_use]
    pub fn housekeeping(&self) -> Housekeeping {
        Housekeeping {
            state: self.state.clone(),
            accounts: self.accounts.clone(),
            renderer: self.renderer.clone(),
            pauses: self.pauses.clone(),
            library: self.library.clone(),
            audit_log: self.settings.audit_log,
            hours: self.hours.clone(),
            links: self.links.clone(),
            mail: self.mail.clone(),
            samples: Arc::new(self.samples()),
        }
    }

    fn parts(&self) -> impl Fn(&mut ServiceConfig) + Clone + Send + 'static {
        let (state, accounts, health) = (self.state.clone(), self.accounts.clone(), self.health.clone());
        let (renderer, searcher, posts) = (self.renderer.clone(), self.searcher.clone(), self.posts.clone());
        let (writer, pauses, library) = (self.writer.clone(), self.pauses.clone(), self.library.clone());
        let (settings, classes) = (web::Data::from(self.state.settings.clone()), self.classes.clone());
        let (gates, rating) = (self.gates.clone(), web::Data::new(self.settings.rate.clone()));
        let replay_permit = web::Data::<ReplayPermit>::default();
        let folder = web::Data::new(DataFolder(self.settings.database.data_dir.clone()));
        move |config| {
            config.app_data(settings.clone()).app_data(state.clone()).app_data(accounts.clone());
            config.app_data(renderer.clone()).app_data(searcher.clone()).app_data(posts.clone());
            config.app_data(writer.clone()).app_data(pauses.clone()).app_data(library.clone());
            config.app_data(folder.clone()).app_data(replay_permit.clone());
            config.app_data(health.clone()).app_data(gates.clone()).app_data(rating.clone());
            if let Some(classes) = &classes {
                config.app_data(classes.clone());
            }
        }
    }

    /// Creates the HTTP server, which runs while it is awaited and is stopped by its handle.
    pub fn server(&self, listener: TcpListener, workers: usize) -> std::io::Result<Server> {
        let (parts, accounts) = (self.parts(), self.accounts.clone());
        let app = move || {
            let pages = wrap![
                web::scope(""),
                from_fn(charge_failures),
                accounts.sessions.middleware(),
                from_fn(sessions::identify),
                from_fn(limit),
                from_fn(sessions::allow),
                from_fn(cached),
                // Inside the page cache, so that responses are cached in compressed form.
                Compress::default(),
            ];
            let pages = pages.configure(endpoints::configure_pages).default_service(web::to(not_found));
            wrap![App::new(), Compress::default(), from_fn(finish), from_fn(check_origin)]
                .configure(parts.clone())
                .configure(endpoints::configure_outside)
                .service(pages)
                // Handles requests without a path, such as `OPTIONS *`.
                .default_service(web::to(not_found))
        };
        let web = &self.settings.web;
        server::serve(listener, workers, &web.trusted_proxies, web.production, app)
    }

    /// Waits until all accepted ratings are written.
    ///
    /// # Errors
    /// If that takes more than 5 seconds, or the rating writer has panicked.
    pub async fn shut_down(self) -> anyhow::Result<()> {
        self.watching.abort();
        drop(self.writer);
        let written = tokio::time::timeout(std::time::Duration::from_secs(5), self.writing).await;
        self.state.pool.close().await;
        written.context("ratings were still waiting to be written")?.context("the writer panicked")
    }
}
