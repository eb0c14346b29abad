//! Pauses hopeless clients, as Let's Encrypt does.
//!
//! A program that retries for ever what can only fail (a duplicate, its author's own post) costs a transaction each
//! time. Such failures are counted by reader and post where ratings are written ([`ZombiePause`]); after thousands
//! without a success the pair is paused. Its attempts are refused with a signed link, by which a person
//! lifts all pauses of the account.
//!
//! Each instance remembers the pauses it has met. For a few seconds it refuses such a pair without asking the database.
//! After that it asks with one plain query. Only a pair of which no pause is remembered opens a transaction.

mod link;
mod models;
mod recent;
pub mod views;

use std::sync::Arc;

use chrono::DateTime;
use sqlx::PgPool;

use self::link::UnpauseLink;
pub use self::models::Pause;
use self::recent::{Recent, RecentPauses};
use super::models::Pair;
use super::settings::Settings;
use super::urls;
use crate::blog_posts::PostId;
use crate::db::clock::Clock;
use crate::rate::error::RateError;
use crate::signing::Keys;
use crate::web;
use crate::web::error::AppError;
use crate::web::request::visitor::UserId;
use crate::web::state::AppState;
use evenkeel_limiters::ZombiePause;

/// What an instance needs to refuse paused pairs.
pub struct Pauses {
    enabled: bool,
    rules: ZombiePause,
    recent: RecentPauses,
    pool: PgPool,
    clock: Clock,
    keys: Keys,
    web: Arc<web::settings::Settings>,
}

impl Pauses {
    #[must_use]
    pub fn new(settings: &Settings, state: &AppState) -> Self {
        Self {
            enabled: settings.zombie_pause,
            rules: settings.zombie_pause_rules,
            recent: RecentPauses::default(),
            pool: state.pool.clone(),
            clock: state.clock.clone(),
            keys: state.keys.clone(),
            web: state.settings.clone(),
        }
    }

    /// The limiter that judges failures; `None` when pausing is switched off.
    #[must_use]
    pub fn limiter(&self) -> Option<&ZombiePause> {
        self.enabled.then_some(&self.rules)
    }

    /// Refuses a pair that is known to be paused, without a transaction.
    ///
    /// # Errors
    /// `paused`, or `unavailable`.
    pub async fn refuse_recent(&self, pair: Pair) -> Result<(), AppError> {
        match self.recent.find(pair, self.clock.local_micros()) {
            Recent::Nothing => Ok(()),
            Recent::Paused(pause) => Err(self.error(pair, pause)),
            Recent::WasPaused => {
                if let Some(pause) = models::pause_of(&self.pool, &self.clock, pair).await? {
                    return Err(self.remember_and_refuse(pair, pause));
                }
                self.recent.forget(pair);
                Ok(())
            }
        }
    }

    /// Remembers a pause that was found in force. Returns what its pair is told.
    #[must_use]
    pub fn remember_and_refuse(&self, pair: Pair, pause: Pause) -> AppError {
        self.recent.remember(pair, pause, self.clock.local_micros());
        self.error(pair, pause)
    }

    /// Forgets pauses that have been lifted, so that this instance does not refuse their pairs for some seconds more.
    pub fn forget_lifted(&self, user: UserId, posts: &[PostId]) {
        for post in posts {
            self.recent.forget(Pair { user, post: *post });
        }
    }

    fn error(&self, pair: Pair, pause: Pause) -> AppError {
        RateError::Paused { link: self.web.url(&self.path(pair, pause)) }.into()
    }

    /// Where a pause, and with it all others of its user, can be lifted.
    #[must_use]
    pub fn path(&self, pair: Pair, pause: Pause) -> String {
        let link = UnpauseLink { pair, paused_at_ms: pause.since_ms };
        let now = DateTime::from_timestamp_millis(pause.seen_ms).unwrap_or_default();
        format!("{}?token={}", urls::UNPAUSE.pattern, link.seal(&self.keys, now))
    }

    /// Deletes the rows that make no difference any more. Returns how many.
    pub async fn delete_expired(&self) -> sqlx::Result<u64> {
        models::delete_expired(&self.pool, &self.clock, &self.rules).await
    }
}
