//! Instance of the site, assembled from all apps and the middleware. No other module depends on all of the apps.

mod endpoints;
mod health;
mod housekeeping;
mod http_server;
pub mod metrics;
mod middleware;
pub mod run;
pub mod settings;
mod startup;
mod urls;

use std::net::TcpListener;

use actix_web::dev::Server;
use actix_web::middleware::{Compress, from_fn};
use actix_web::{App, web};
use anyhow::Context as _;
use sqlx::postgres::PgConnectOptions;
use tokio::task::JoinHandle;

pub use self::endpoints::declare_routes;
pub use self::health::Health;
pub use self::housekeeping::Housekeeping;
pub use self::metrics::{DecisionSample, MetricSources, collect_limiter_decision_samples};
use self::middleware::cors::{check_preflight, cors};
use self::middleware::finalize_response::finalize_response;
use self::middleware::idempotency::handle_idempotency_key;
use self::middleware::origin_check::check_origin;
use self::middleware::page_cache::serve_from_page_cache;
pub use self::settings::{Settings, UnknownVariable, find_unknown_variables};
use crate::admin::navigation::count_open_items;
use crate::background_tasks::Backoff;
use crate::db::clock::Clock;
use crate::rate_classes::{count_failed_session_lookups, limit_anonymous_requests, limit_authenticated_requests};
use crate::signing::SecretKey;
use crate::state::AppState;
use crate::users::sessions;
use crate::users::two_factor::models::rekey;
use crate::web::routing::endpoint::not_found;
use crate::web::state::CoreState;

/// `Site::new` must be called inside a Tokio runtime, because it starts tasks.
pub struct Site {
    pub state: web::Data<AppState>,
    writing: JoinHandle<()>,
    watching: JoinHandle<()>,
}

/// Lists middleware in the order in which a request passes it. (In actix, the middleware registered last runs first.)
macro_rules! wrap {
    ($inner:expr $(,)?) => { $inner };
    ($inner:expr, $first:expr $(, $next:expr)* $(,)?) => { wrap!($inner $(, $next)*).wrap($first) };
}

impl Site {
    pub fn new(
        settings: Settings,
        secret: &SecretKey,
        database: &PgConnectOptions,
        clock: &Clock,
    ) -> anyhow::Result<Self> {
        endpoints::declare_routes();
        let (state, writing) = AppState::new(settings, secret, database, clock)?;
        let (availability, options) = (state.availability.clone(), database.clone());
        let reconnect = move || availability.clone().reconnect_on_failure(options.clone());
        let watching = state.background.start("watch_database", Backoff::FAST_RESTARTS, reconnect);
        Ok(Self { watching, writing, state: web::Data::new(state) })
    }

    /// Re-encrypts two-factor secrets that were stored with a previous `SECRET_KEY`.
    pub async fn rekey_totp_secrets(&self) -> anyhow::Result<()> {
        let CoreState { pool, keys, .. } = &**self.state.core;
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

    pub fn housekeeping(&self) -> Housekeeping {
        Housekeeping { state: self.state.clone() }
    }

    pub fn create_server(&self, listener: TcpListener, workers: usize) -> std::io::Result<Server> {
        let state = self.state.clone();
        let app = move || {
            let pages = wrap![
                web::scope(""),
                from_fn(count_failed_session_lookups),
                state.accounts.sessions.middleware(),
                from_fn(sessions::load_user),
                from_fn(limit_authenticated_requests),
                from_fn(sessions::check_permissions),
                from_fn(count_open_items),
                from_fn(handle_idempotency_key),
            ];
            let pages = pages.configure(endpoints::configure_session_endpoints).default_service(web::to(not_found));
            let app = wrap![
                App::new(),
                from_fn(check_preflight),
                cors(&state.settings.cors_origins),
                Compress::default(),
                from_fn(finalize_response),
                from_fn(check_origin),
                from_fn(limit_anonymous_requests),
                from_fn(serve_from_page_cache),
                // Compression runs inside the page cache, so that each page is compressed once for all requests.
                Compress::default(),
            ];
            // Middleware of `web` reads `CoreState`, because `web` does not depend on the apps.
            app.app_data(state.clone())
                .app_data(state.core.clone())
                .configure(endpoints::configure_sessionless_endpoints)
                .service(pages)
                // Handles requests without a path, such as `OPTIONS *`.
                .default_service(web::to(not_found))
        };
        http_server::serve(listener, workers, app)
    }

    /// Waits for accepted ratings and for the email that is being sent, then aborts the background tasks.
    pub async fn shut_down(self, tasks: Vec<JoinHandle<()>>) -> anyhow::Result<()> {
        self.watching.abort();
        self.state.writer.close();
        let stopping_mail = async {
            if let Some(mail) = &self.state.mail_delivery {
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
