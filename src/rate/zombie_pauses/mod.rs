//! Zombie pauses: users whose ratings keep failing are paused, as in Boulder, the server of Let's Encrypt.
//!
//! A script that retries a rating that can only fail (a duplicate, the author's own post) costs a transaction each
//! time. After thousands of failures, further attempts are refused, with a signed link that lifts all pauses of the
//! account.

pub(super) mod list_paused_posts;
pub mod models;
pub(super) mod unpause;

use std::sync::Arc;

use chrono::DateTime;
use sqlx::PgPool;

pub use self::models::Pause;
use self::unpause::UnpauseLink;
use super::models::RatingKey;
use super::settings::Settings;
use super::urls;
use crate::custom_limits::{CustomLimits, LimitName};
use crate::db::clock::Clock;
use crate::rate::error::RateError;
use crate::signing::Keys;
use crate::web;
use crate::web::error::AppError;
use crate::web::request::current_user::UserId;
use crate::web::state::CoreState;
use evenkeel_limiters::{ZombiePause, ZombiePauseParams};

pub struct ZombiePauses {
    enabled: bool,
    rules: ZombiePause,
    pool: PgPool,
    clock: Clock,
    keys: Keys,
    custom_limits: Arc<CustomLimits>,
    web: Arc<web::settings::Settings>,
}

impl ZombiePauses {
    pub fn new(settings: &Settings, state: &CoreState, custom_limits: Arc<CustomLimits>) -> Self {
        Self {
            enabled: settings.zombie_pause,
            rules: settings.zombie_pause_rules,
            pool: state.pool.clone(),
            clock: state.clock.clone(),
            keys: state.keys.clone(),
            custom_limits,
            web: state.settings.clone(),
        }
    }

    pub fn default_limiter(&self) -> &ZombiePause {
        &self.rules
    }

    pub fn is_enabled(&self) -> bool {
        self.enabled
    }

    /// Limiter of failed attempts; `None` if a custom limit exempts the user.
    pub fn limiter_for(&self, user: UserId) -> Option<ZombiePause> {
        let Some(allowance) = self.custom_limits.find_for_user(LimitName::FailedRatings, user) else {
            return Some(self.rules);
        };
        self.custom_limits.count_use(LimitName::FailedRatings);
        let (params, factor) = (*self.rules.params(), allowance.factor()?);
        #[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "the numbers are small")]
        let scale = |count: i64| ((count as f64 * factor).round() as i64).max(1);
        let scaled = ZombiePauseParams { burst: scale(params.burst), count: scale(params.count), ..params };
        Some(ZombiePause::new(scaled).unwrap_or(self.rules))
    }

    pub fn error(&self, pair: RatingKey, pause: Pause) -> AppError {
        RateError::Paused { link: self.web.absolute_url(&self.unpause_path(pair, pause)) }.into()
    }

    /// Path of a signed link that lifts the pause, and all other pauses of the user.
    pub fn unpause_path(&self, pair: RatingKey, pause: Pause) -> String {
        let link = UnpauseLink { pair, paused_at_ms: pause.since_ms };
        let now = DateTime::from_timestamp_millis(pause.read_at_ms).unwrap_or_default();
        format!("{}?token={}", urls::UNPAUSE.pattern, link.sign(&self.keys, now))
    }

    pub async fn delete_expired(&self) -> sqlx::Result<u64> {
        models::delete_expired(&self.pool, &self.clock, &self.rules).await
    }
}
