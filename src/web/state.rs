//! What every app's requests may use.

use std::sync::Arc;

use sqlx::PgPool;

use super::page_cache::PageCache;
use super::purpose::Purposes;
use super::settings::Settings;
use crate::database::Availability;
use crate::database::clock::Clock;
use crate::keys::Keys;
use crate::mail::Outbox;
use crate::score::ScoreShown;

/// Shared by all workers of an instance.
#[derive(Clone, Debug)]
pub struct AppState {
    pub settings: Arc<Settings>,
    pub score_shown: ScoreShown,
    pub pool: PgPool,
    /// For look-ups of many requests at once, by keys.
    pub lookup_pool: PgPool,
    pub clock: Clock,
    pub keys: Keys,
    pub availability: Availability,
    /// What guests were shown a moment ago.
    pub pages: Arc<PageCache>,
    pub purposes: Purposes,
    /// Where mail is left.
    pub mail: Outbox,
}
