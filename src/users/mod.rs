//! User accounts: registration, sign-in, sessions, two-factor authentication, profiles and deletion.

mod account;
pub mod email_address;
pub mod emails;
pub mod endpoints;
pub mod error;
pub(crate) mod mail_link;
pub mod models;
pub mod password;
pub mod rating_eligibility;
pub(crate) mod reauthentication;
pub mod registration;
mod security;
pub mod sessions;
pub mod settings;
pub mod throttle;
pub mod tokens;
pub mod two_factor;
pub mod urls;
pub mod username;

use std::sync::Arc;

pub use self::email_address::EmailAddress;
pub use self::models::User;
pub use self::password::{Password, PasswordHasher};
pub use self::sessions::PgSessionStore;
pub use self::sessions::device::Device;
pub use self::settings::Settings;
pub use self::throttle::Throttle;
pub use self::tokens::TokenStore;
pub use self::username::Username;
use crate::custom_limits::CustomLimits;
use crate::limiter_decisions::DecisionCounters;
use crate::web::state::CoreState;

#[derive(Clone)]
pub struct AccountServices {
    pub hasher: PasswordHasher,
    pub throttle: Throttle,
    pub sessions: PgSessionStore,
    pub tokens: TokenStore,
}

impl AccountServices {
    pub fn new(
        settings: Settings,
        state: &CoreState,
        decisions: Arc<DecisionCounters>,
        custom_limits: Arc<CustomLimits>,
    ) -> anyhow::Result<Self> {
        Ok(Self {
            hasher: PasswordHasher::new()?.with_site(state.settings.site.clone()),
            throttle: Throttle::new(settings.throttle, state, decisions, custom_limits)?,
            sessions: PgSessionStore::new(settings, state),
            tokens: TokenStore::new(settings, state),
        })
    }

    /// Returns the number of deleted sessions.
    pub async fn delete_expired(&self) -> sqlx::Result<u64> {
        self.throttle.delete_expired().await?;
        self.tokens.delete_expired().await?;
        self.sessions.delete_expired().await
    }
}
