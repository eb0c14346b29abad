//! Re-authentication before sensitive actions.

use actix_session::Session;
use sqlx::PgPool;

use crate::db::commit;
use crate::phrase;
use crate::users::password::VerificationResult;
use crate::users::two_factor::models::{is_enabled, verify_and_use_code};
use crate::users::{AccountServices, Password, Username, emails, models};
use crate::web::error::AppError;
use crate::web::request::client::Client;
use crate::web::request::current_user::{CurrentUser, UserId};
use crate::web::request::form_field::{Fields, FormInput, NonEmptyText, OptionalField};
use crate::web::state::CoreState;

#[derive(Debug)]
pub struct ReauthenticationInput {
    password: Option<Password>,
    code: Option<String>,
}

impl ReauthenticationInput {
    pub fn from_fields(fields: &mut Fields, password: &str) -> Option<Self> {
        let (password, code) =
            (fields.take::<NonEmptyText>(password), fields.take_optional::<OptionalField<NonEmptyText>>("code"));
        let code = code?.and_then(|OptionalField(code)| code).map(|NonEmptyText(code)| code);
        Some(Self { password: Password::parse_lenient(&password?.0), code })
    }
}

impl FormInput for ReauthenticationInput {
    fn read(fields: &mut Fields) -> Option<Self> {
        Self::from_fields(fields, "current_password")
    }
}

pub fn wrong_code_error() -> AppError {
    AppError::invalid_field("code", phrase!("invalid-code"))
}

impl AccountServices {
    /// Checks the password, and the code if two-factor authentication is enabled. Returns the session version.
    pub async fn reauthenticate(
        &self,
        state: &CoreState,
        user: &CurrentUser,
        client: Client,
        field: &str,
        again: ReauthenticationInput,
    ) -> Result<i32, AppError> {
        let session_version = self.check_password(&state.pool, user.id, field, again.password).await?;
        if is_enabled(&state.pool, user.id).await? {
            let code = again.code.ok_or_else(|| AppError::invalid_field("code", phrase!("invalid-code-needed")))?;
            self.count_code_attempt(client, user).await?;
            let mut transaction = state.pool.begin().await?;
            if verify_and_use_code(&mut transaction, state, user.id, &code).await?.is_none() {
                transaction.rollback().await?;
                tracing::info!(user_id = user.id.0, "wrong two-factor code");
                self.notify_of_wrong_code(state, user.id).await;
                return Err(wrong_code_error());
            }
            commit(transaction).await?;
        }
        Ok(session_version)
    }

    /// Errors are only logged, so that the response to a wrong code does not change.
    pub async fn notify_of_wrong_code(&self, state: &CoreState, user: UserId) {
        let notify = async {
            let mut transaction = state.pool.begin().await?;
            if self.throttle.count_wrong_code(&mut transaction, user).await? {
                let phrase = phrase!("mail-wrong-codes");
                emails::enqueue_security_notice(&mut transaction, state, user, "wrong_codes", phrase).await?;
            }
            commit(transaction).await?;
            state.mail.wake_delivery();
            Ok::<(), AppError>(())
        };
        if let Err(error) = notify.await {
            error.log();
        }
    }

    /// Must be called before a two-factor code is verified.
    pub async fn count_code_attempt(&self, client: Client, user: &CurrentUser) -> Result<(), AppError> {
        let username =
            Username::parse_lenient(&user.username).map_err(|error| AppError::Internal(error.to_string()))?;
        self.throttle.count_two_factor_attempt(client, &username).await
    }

    /// Returns the session version of the user. Errors belong to the form field `field`.
    pub async fn check_password(
        &self,
        pool: &PgPool,
        user: UserId,
        field: &str,
        password: Option<Password>,
    ) -> Result<i32, AppError> {
        let wrong = || {
            tracing::info!(user_id = user.0, "re-authentication failed");
            AppError::invalid_field(field, phrase!("invalid-current-password"))
        };
        let (stored, session_version) = models::find_password_hash(pool, user).await?;
        let password = password.ok_or_else(wrong)?;
        self.throttle.count_password_check(user).await?;
        match self.hasher.verify(user.into(), password, Some(&stored)).await? {
            VerificationResult::Wrong => Err(wrong()),
            VerificationResult::Correct | VerificationResult::CorrectButWeak => Ok(session_version),
        }
    }

    /// Accepts a user who entered the password recently. Otherwise checks `password`, and changes the session id.
    pub async fn require_recent_password(
        &self,
        state: &CoreState,
        session: &Session,
        user: &CurrentUser,
        password: Option<Password>,
    ) -> Result<CurrentUser, AppError> {
        if user.scopes.is_some() {
            return Err(AppError::SessionNeeded);
        }
        if user.is_confirmed {
            return Ok(user.clone());
        }
        if password.is_none() {
            return Err(AppError::invalid_field("current_password", phrase!("invalid-password-needed")));
        }
        self.check_password(&state.pool, user.id, "current_password", password).await?;
        self.sessions.rotate_id(session, user).await
    }
}
