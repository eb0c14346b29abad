//! What every app's requests may use.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use sqlx::{PgConnection, PgPool};

use super::cache::pages::PageCache;
use super::error::AppError;
use super::metrics::responses::Answered;
use super::metrics::traffic::Traffic;
use super::request::upload::UploadPermits;
use super::response::sign_in_reason::Purposes;
use super::settings::Settings;
use crate::db::Availability;
use crate::db::clock::Clock;
use crate::db::commit;
use crate::mail::Outbox;
use crate::policy::Policy;
use crate::score::ScoreShown;
use crate::signing::Keys;

/// Shared by all workers of an instance.
#[derive(Clone, Debug)]
pub struct AppState {
    pub settings: Arc<Settings>,
    pub score_shown: ScoreShown,
    /// Who may come in, and who may publish.
    pub policy: Policy,
    pub pool: PgPool,
    /// For look-ups of many requests at once, by keys.
    pub lookup_pool: PgPool,
    pub clock: Clock,
    pub keys: Keys,
    pub availability: Availability,
    /// What guests were shown a moment ago.
    pub pages: Arc<PageCache>,
    pub purposes: Purposes,
    /// Who is sending files.
    pub uploads: UploadPermits,
    /// Where mail is left.
    pub mail: Outbox,
    /// What this instance has answered, hour by hour, and since it started.
    pub traffic: Arc<Traffic>,
    pub answered: Answered,
}

impl AppState {
    /// The time, where no transaction reads it.
    pub async fn now(&self) -> sqlx::Result<DateTime<Utc>> {
        self.clock.read(&mut *self.pool.acquire().await?).await
    }

    /// Runs `act` in a transaction, in a task of its own: whoever hangs up does not break it off.
    ///
    /// # Errors
    /// Those of `act`; then nothing is written.
    pub async fn in_one_transaction<T: Send + 'static>(
        &self,
        act: impl AsyncFnOnce(&mut PgConnection, &Self) -> Result<T, AppError> + 'static,
    ) -> Result<T, AppError> {
        let state = self.clone();
        let acting = actix_web::rt::spawn(async move {
            let mut transaction = state.pool.begin().await?;
            let done = act(&mut transaction, &state).await?;
            commit(transaction).await?;
            Ok(done)
        });
        acting.await.map_err(|panic| AppError::Internal(panic.to_string()))?
    }
}
