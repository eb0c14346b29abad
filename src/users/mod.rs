//! Accounts: register, sign in, sign out, change the password, confirm an e-mail address.

pub mod deletion;
pub mod endpoints;
pub mod error;
pub mod mails;
pub mod models;
pub mod password;
mod profile;
pub(crate) mod recovery;
pub mod registration;
pub mod sessions;
pub mod settings;
mod sign_in;
pub mod staff;
pub mod two_factor;
pub mod urls;
mod views;

use std::sync::Arc;

pub use self::models::{Email, User};
pub use self::password::{Hasher, Password};
pub use self::registration::username::Username;
pub use self::sessions::Sessions;
pub use self::sessions::device::Device;
pub use self::settings::Settings;
pub use self::sign_in::throttle::Throttle;
use crate::decisions::Decisions;
use crate::web::state::AppState;

/// What accounts need of an instance.
#[derive(Clone, Debug)]
pub struct Accounts {
    pub hasher: Hasher,
    pub throttle: Throttle,
    pub sessions: Sessions,
}

impl Accounts {
    /// # Errors
    /// When the system has no random numbers to give.
    pub fn new(settings: Settings, state: &AppState, decisions: Arc<Decisions>) -> anyhow::Result<Self> {
        Ok(Self {
            hasher: Hasher::new()?.of_site(&state.settings.site.name),
            throttle: Throttle::new(settings.throttle, state, decisions)?,
            sessions: Sessions::new(settings, state),
        })
    }

    /// Deletes sessions, and networks known from sign-ins, that are of no use any more. Returns how many sessions.
    pub async fn delete_expired(&self) -> sqlx::Result<u64> {
        self.throttle.delete_expired().await?;
        self.sessions.delete_expired().await
    }
}
