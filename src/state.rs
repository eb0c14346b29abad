//! State of a server instance: settings, database pools, caches, and the services of all apps.

use std::ops::Deref;
use std::sync::Arc;

use actix_web::web;
use log::LevelFilter;
use sqlx::postgres::PgConnectOptions;
use sqlx::{ConnectOptions as _, PgPool};
use tokio::task::JoinHandle;

use crate::admin::dashboard::hourly_stats::HourlyStatsCollector;
use crate::background_tasks::BackgroundTasks;
use crate::blog_posts::models::PostLoader;
use crate::blog_posts::post_cache::PostCache;
use crate::blog_posts::rendering::Renderer;
use crate::blog_posts::search::Searcher;
use crate::blog_posts::show_post;
use crate::custom_limits::CustomLimits;
use crate::db::clock::Clock;
use crate::db::{self, Availability, ReadServer, create_lookup_pool};
use crate::images::image_library::ImageLibrary;
use crate::limiter_decisions::DecisionCounters;
use crate::mail::Outbox;
use crate::mail::delivery::DeliveryTask;
use crate::page_cache::PageCache;
use crate::rate::{ActiveLimiterCache, RatingWriter, ZombiePauses, writer};
use crate::rate_classes::RateClasses;
use crate::safe_browsing::link_check::LinkChecker;
use crate::safe_browsing::threat_lists::SafeBrowsing;
use crate::server::metrics::ResponseMetrics;
use crate::server::{Health, Settings};
use crate::signing::{Keys, SecretKey};
use crate::users::AccountServices;
use crate::web::request::upload::upload_permits;
use crate::web::response::sign_in_reason::SignInReasonResolver;
use crate::web::state::CoreState;
use crate::webhooks::delivery::WebhookSender;

/// Number of database connections for batched lookups: one each for sessions, API tokens and posts.
const LOOKUP_CONNECTIONS: u32 = 3;

/// Number of database connections that an instance needs in addition to those for requests: connections for the rating
/// writer, batched lookups and search, and one to detect that the database is available again.
const OTHER_CONNECTIONS: u32 = writer::MAX_BATCHES_IN_PROGRESS + LOOKUP_CONNECTIONS + db::MAX_SEARCHES + 1;

pub struct AppState {
    pub core: web::Data<CoreState>,
    pub all_settings: Settings,
    pub accounts: AccountServices,
    pub renderer: Renderer,
    pub images: ImageLibrary,
    pub searcher: Searcher,
    pub posts: PostLoader,
    pub post_cache: PostCache,
    pub writer: RatingWriter,
    pub writer_pool: PgPool,
    pub pauses: Arc<ZombiePauses>,
    pub active_limiters: Arc<ActiveLimiterCache>,
    pub rate_classes: Option<Arc<RateClasses>>,
    pub custom_limits: Arc<CustomLimits>,
    pub webhooks: WebhookSender,
    pub safe_browsing: Option<Arc<SafeBrowsing>>,
    pub mail_delivery: Option<DeliveryTask>,
    pub decisions: Arc<DecisionCounters>,
    pub hourly_stats: HourlyStatsCollector,
    pub response_metrics: ResponseMetrics,
    pub health: Health,
    pub background: BackgroundTasks,
    pub started_at_micros: i64,
}

impl Deref for AppState {
    type Target = CoreState;

    fn deref(&self) -> &CoreState {
        &self.core
    }
}

impl AppState {
    /// Returns the state and the task of the rating writer. Opens no database connection yet.
    pub fn new(
        settings: Settings,
        secret: &SecretKey,
        database: &PgConnectOptions,
        clock: &Clock,
    ) -> anyhow::Result<(Self, JoinHandle<()>)> {
        let (background, started_at_micros) = (BackgroundTasks::default(), clock.local_micros());
        let core = core_state(&settings, secret, database, clock);
        let safe_browsing = settings.safe_browsing.clone();
        let safe_browsing = safe_browsing.map(|links| SafeBrowsing::new(links, core.pool.clone(), clock.clone()));
        let safe_browsing = safe_browsing.transpose()?.map(Arc::new);
        let (decisions, custom_limits) = (Arc::<DecisionCounters>::default(), Arc::<CustomLimits>::default());
        let active_limiters = Arc::new(ActiveLimiterCache::new(&settings.rate)?);
        let pauses = Arc::new(ZombiePauses::new(&settings.rate, &core, custom_limits.clone()));
        let writer_pool = create_lookup_pool(database.clone(), writer::MAX_BATCHES_IN_PROGRESS, &core.availability);
        let (writer, writing) =
            RatingWriter::start(&core, writer_pool.clone(), &active_limiters, &pauses, &decisions, &background);
        let delivery = |settings| DeliveryTask::new(settings, core.mail.clone(), core.pool.clone(), clock.clone());
        let classes = || Arc::new(RateClasses::new(&settings.rate_classes, custom_limits.clone(), clock.clone()));
        let state = Self {
            accounts: AccountServices::new(settings.users, &core, decisions.clone(), custom_limits.clone())?,
            renderer: Renderer::new(LinkChecker::new(safe_browsing.clone())),
            images: ImageLibrary::new(&settings.images, &core)?,
            searcher: Searcher::new(database, &core.availability),
            posts: PostLoader::new(&core),
            post_cache: PostCache::new(&core.page_cache),
            writer,
            writer_pool,
            pauses,
            active_limiters,
            rate_classes: settings.rate_classes.enabled.then(classes),
            custom_limits,
            webhooks: WebhookSender::new(&settings.webhooks, core.pool.clone(), clock.clone()),
            safe_browsing,
            mail_delivery: settings.mail.clone().map(delivery),
            hourly_stats: HourlyStatsCollector::new(clock.clone(), decisions.clone()),
            decisions,
            response_metrics: ResponseMetrics::default(),
            health: Health::new(background.clone()),
            background,
            started_at_micros,
            all_settings: settings,
            core: web::Data::new(core),
        };
        Ok((state, writing))
    }
}

fn core_state(settings: &Settings, secret: &SecretKey, database: &PgConnectOptions, clock: &Clock) -> CoreState {
    let connections = settings.database.max_connections.saturating_sub(OTHER_CONNECTIONS).max(1);
    let timeout = settings.database.acquire_timeout;
    let availability = Availability::new(timeout);
    let log_slow = |server: &PgConnectOptions| {
        server.clone().log_slow_statements(LevelFilter::Warn, settings.database.slow_query_threshold)
    };
    let read = settings.database.read.as_ref().map(log_slow);
    CoreState {
        settings: Arc::new(settings.web.clone()),
        text_quota_bytes: settings.text_quota_bytes,
        pool: db::create_pool(database.clone(), connections, &availability),
        lookup_pool: create_lookup_pool(database.clone(), LOOKUP_CONNECTIONS, &availability),
        read_server: read.map(|options| ReadServer::new(options, connections, timeout)),
        clock: clock.clone(),
        keys: Keys::derive(secret).with_fallbacks(&settings.secret_key_fallbacks),
        availability,
        page_cache: Arc::new(PageCache::new(clock.clone())),
        sign_in_reasons: SignInReasonResolver(show_post::sign_in_reason),
        uploads: upload_permits(),
        mail: Outbox::new(settings.mail.is_some()),
    }
}
