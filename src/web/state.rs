//! Database, clock, keys and settings of an instance, which every app needs and all workers share.

use std::sync::Arc;

use actix_web::{HttpRequest, web};
use chrono::{DateTime, Utc};
use sqlx::{PgConnection, PgPool};

use super::error::AppError;
use super::request::current_user::CurrentUser;
use super::response::sign_in_reason::SignInReasonResolver;
use super::settings::Settings;
use crate::db::clock::Clock;
use crate::db::{Availability, ReadServer, commit};
use crate::mail::Outbox;
use crate::page_cache::PageCache;
use crate::permits::Permits;
use crate::signing::Keys;
use crate::site::SiteSettings;

/// Part of [`AppState`](crate::state::AppState) without the services of apps.
#[derive(Clone, Debug)]
pub struct CoreState {
    pub settings: Arc<Settings>,
    /// Maximum size of all texts of one account, in bytes.
    pub text_quota_bytes: i64,
    pub pool: PgPool,
    pub lookup_pool: PgPool,
    pub read_server: Option<ReadServer>,
    pub clock: Clock,
    pub keys: Keys,
    pub availability: Availability,
    pub page_cache: Arc<PageCache>,
    pub sign_in_reasons: SignInReasonResolver,
    pub uploads: Permits,
    pub mail: Outbox,
}

impl CoreState {
    pub fn site(&self) -> Arc<SiteSettings> {
        self.settings.site.current()
    }

    /// Reads the clock of the database outside of a transaction.
    pub async fn now(&self) -> sqlx::Result<DateTime<Utc>> {
        self.clock.read(&mut *self.pool.acquire().await?).await
    }

    /// Read-only pool of `DATABASE_READ_URL` for anonymous visitors if reachable, otherwise the main pool.
    pub async fn read_pool(&self, reader: Option<&CurrentUser>) -> &PgPool {
        match &self.read_server {
            Some(server) if reader.is_none() && server.is_reachable().await => &server.pool,
            _ => &self.pool,
        }
    }

    /// Reports an error that the database may have caused, so that its availability is checked.
    pub fn report_error(&self, error: &AppError) {
        if let AppError::Unavailable(cause) = error {
            self.availability.report_failure(cause.as_ref());
        }
    }

    /// Runs the transaction in its own task, so that a client disconnect does not cancel the transaction.
    pub async fn transaction<T: Send + 'static>(
        &self,
        act: impl AsyncFnOnce(&mut PgConnection, &Self) -> Result<T, AppError> + 'static,
    ) -> Result<T, AppError> {
        self.transaction_then(act, |_, _| ()).await
    }

    /// Calls `after_commit` in the same task, for effects that must follow the commit even if the client disconnects,
    /// such as invalidating the page cache.
    pub async fn transaction_then<T: Send + 'static>(
        &self,
        act: impl AsyncFnOnce(&mut PgConnection, &Self) -> Result<T, AppError> + 'static,
        after_commit: impl FnOnce(&Self, &T) + 'static,
    ) -> Result<T, AppError> {
        let state = self.clone();
        let acting = actix_web::rt::spawn(async move {
            let mut transaction = state.pool.begin().await?;
            let done = act(&mut transaction, &state).await?;
            commit(transaction).await?;
            after_commit(&state, &done);
            Ok(done)
        });
        acting.await?
    }
}

impl Settings {
    /// Settings of the instance that received a request, also during start-up, when there is no [`CoreState`] yet.
    pub fn for_request(request: &HttpRequest) -> Option<&Self> {
        let state = request.app_data::<web::Data<CoreState>>().map(|state| &*state.settings);
        state.or_else(|| request.app_data::<web::Data<Self>>().map(|settings| &***settings))
    }
}
