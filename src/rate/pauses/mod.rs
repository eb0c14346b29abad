//! Pausing of hopeless clients, as Let's Encrypt does it.
//!
//! A program that retries for ever what can only fail (a duplicate, its author's own post) costs a transaction each
//! time. Such failures are counted by reader and post where ratings are written ([`ZombiePause`]); after thousands
//! without a success the pair is paused. Its attempts are refused with a signed link, by which a person
//! lifts all pauses of the account.
//!
//! Each instance remembers the pauses it has met. For a few seconds it refuses without asking anybody; after
//! that it asks with one plain query. Only a pair that is not known here opens a transaction.

mod link;
mod models;
mod recent;
pub mod views;

use std::sync::Arc;

use chrono::DateTime;
use sqlx::PgPool;

use self::link::Link;
pub use self::models::Pause;
use self::recent::{Recent, RecentPauses};
use super::models::Pair;
use super::settings::Settings;
use super::urls;
use crate::blog_posts::PostId;
use crate::database::clock::Clock;
use crate::keys::Keys;
use crate::limiters::ZombiePause;
use crate::web;
use crate::web::error::AppError;
use crate::web::state::AppState;
use crate::web::visitor::UserId;

/// The pauses of an instance.
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

    /// What judges failures; none where nobody is paused.
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
                    return Err(self.refuse(pair, pause));
                }
                self.recent.forget(pair);
                Ok(())
            }
        }
    }

    /// Remembers a pause that was found in force. Returns what its pair is told.
    #[must_use]
    pub fn refuse(&self, pair: Pair, pause: Pause) -> AppError {
        self.recent.remember(pair, pause, self.clock.local_micros());
        self.error(pair, pause)
    }

    /// They are lifted: on this instance nobody has to wait until that is known.
    pub fn lifted(&self, user: UserId, posts: &[PostId]) {
        for post in posts {
            self.recent.forget(Pair { user, post: *post });
        }
    }

    fn error(&self, pair: Pair, pause: Pause) -> AppError {
        AppError::Paused { link: self.web.url(&self.path(pair, pause)) }
    }

    /// Where a pause, and with it all others of its user, can be lifted.
    #[must_use]
    pub fn path(&self, pair: Pair, pause: Pause) -> String {
        let link = Link { pair, paused_at_ms: pause.since_ms };
        let now = DateTime::from_timestamp_millis(pause.seen_ms).unwrap_or_default();
        format!("{}?token={}", urls::UNPAUSE.pattern, link.seal(&self.keys, now))
    }

    /// Deletes the rows that are as good as none. Returns how many.
    ///
    /// # Errors
    /// When the database cannot be asked.
    pub async fn delete_expired(&self) -> sqlx::Result<u64> {
        models::delete_expired(&self.pool, &self.clock, &self.rules).await
    }
}
