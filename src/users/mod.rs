//! Accounts: register, sign in, sign out, change the password, confirm an e-mail address.

mod account;
mod approval;
pub mod deletion;
mod device;
mod devices;
mod django_hash;
pub mod endpoints;
mod invitations;
mod language;
mod mail_link;
pub mod mails;
pub mod models;
pub mod names;
pub mod owner;
pub mod password;
mod password_reset;
mod profile;
mod queue;
mod registration;
pub mod second_factor;
pub mod session;
pub mod settings;
mod sign_in;
pub mod staff;
pub mod throttle;
pub mod urls;
mod views;

use std::sync::Arc;

use sqlx::PgPool;

pub use self::device::Device;
pub use self::models::{Email, User};
pub use self::names::Username;
use self::password::Verified;
pub use self::password::{Hasher, Password};
pub use self::session::Sessions;
pub use self::settings::Settings;
pub use self::throttle::Throttle;
use crate::decisions::Decisions;
use crate::phrase;
use crate::web::error::AppError;
use crate::web::state::AppState;
use crate::web::visitor::{CurrentUser, UserId};

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
            hasher: Hasher::new()?,
            throttle: Throttle::new(settings.throttle, state, decisions)?,
            sessions: Sessions::new(settings, state),
        })
    }

    /// Checks the password of a user who is signed in. Returns the version that their sessions have begun under.
    ///
    /// # Errors
    /// `invalid` for another password than theirs, which is said of `field`; `sign_in_limited` for too many.
    pub async fn confirm(
        &self,
        pool: &PgPool,
        user: UserId,
        (field, password): (&str, Option<Password>),
    ) -> Result<i32, AppError> {
        let wrong = || AppError::field(field, phrase!("invalid-current-password"));
        let (stored, session_version) = models::password(pool, user).await?;
        let password = password.ok_or_else(wrong)?;
        self.throttle.confirm_password(user).await?;
        match self.hasher.verify(password, Some(&stored)).await? {
            Verified::Wrong => Err(wrong()),
            Verified::Right | Verified::RightButWeak => Ok(session_version),
        }
    }

    /// Makes sure that whoever does something dangerous gave their password a moment ago, or gives it now as
    /// `current_password`.
    ///
    /// # Errors
    /// As [`confirm`](Self::confirm).
    pub async fn look_twice(
        &self,
        state: &AppState,
        user: &CurrentUser,
        password: Option<Password>,
    ) -> Result<(), AppError> {
        if user.is_confirmed {
            return Ok(());
        }
        if password.is_none() {
            return Err(AppError::field("current_password", phrase!("invalid-look-twice")));
        }
        self.confirm(&state.pool, user.id, ("current_password", password)).await?;
        self.sessions.note_confirmed(user).await?;
        Ok(())
    }

    /// Deletes sessions, and networks known from sign-ins, that are of no use any more. Returns how many sessions.
    pub async fn delete_expired(&self) -> sqlx::Result<u64> {
        self.throttle.delete_expired().await?;
        self.sessions.delete_expired().await
    }
}
