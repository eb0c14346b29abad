//! Asking again who somebody is, before what nobody else may do in their name.

use actix_session::Session;
use sqlx::PgPool;

use crate::db::commit;
use crate::phrase;
use crate::users::password::Verified;
use crate::users::two_factor::models::{is_on, verify};
use crate::users::{Accounts, Password, Username, mails, models};
use crate::web::error::AppError;
use crate::web::request::client::Client;
use crate::web::request::field::{Fields, Input, Optional, Typed};
use crate::web::request::visitor::{CurrentUser, UserId};
use crate::web::state::AppState;

/// What shows who asks: the password and, with a second factor, a code.
#[derive(Debug)]
pub struct Again {
    password: Option<Password>,
    code: Option<String>,
}

impl Again {
    /// The password is in a field of this name.
    #[must_use]
    pub fn take(fields: &mut Fields, password: &str) -> Option<Self> {
        let (password, code) = (fields.take::<Typed>(password), fields.take_if_there::<Optional<Typed>>("code"));
        let code = code?.and_then(|Optional(code)| code).map(|Typed(code)| code);
        Some(Self { password: Password::of_somebody(&password?.0), code })
    }
}

impl Input for Again {
    fn read(fields: &mut Fields) -> Option<Self> {
        Self::take(fields, "current_password")
    }
}

/// What is said of a code that is not right.
#[must_use]
pub fn wrong_code() -> AppError {
    AppError::field("code", phrase!("invalid-code"))
}

impl Accounts {
    /// Makes sure that whoever changes how an account is signed in to is who they are: by the password and, where a second
    /// factor is on, a code. Returns the version that their sessions have begun under.
    ///
    /// # Errors
    /// As [`confirm`](Self::confirm); `invalid` for a code that is missing or wrong.
    pub async fn again(
        &self,
        state: &AppState,
        user: &CurrentUser,
        client: Client,
        field: &str,
        again: Again,
    ) -> Result<i32, AppError> {
        let session_version = self.confirm(&state.pool, user.id, field, again.password).await?;
        if is_on(&state.pool, user.id).await? {
            let code = again.code.ok_or_else(|| AppError::field("code", phrase!("invalid-code-needed")))?;
            self.count_code(client, user).await?;
            let mut transaction = state.pool.begin().await?;
            if verify(&mut transaction, state, user.id, &code).await?.is_none() {
                transaction.rollback().await?;
                tracing::info!(user_id = user.id.0, "wrong two-factor code");
                self.notify_of_wrong_code(state, user.id).await;
                return Err(wrong_code());
            }
            commit(transaction).await?;
        }
        Ok(session_version)
    }

    /// Notifies the owner of an account by mail that somebody who knows the password entered several wrong codes. A failure is
    /// logged: the answer to the code stays the same.
    pub async fn notify_of_wrong_code(&self, state: &AppState, user: UserId) {
        let notify = async {
            let mut transaction = state.pool.begin().await?;
            if self.throttle.notifies_of_wrong_code(&mut transaction, user).await? {
                mails::leave(&mut transaction, state, user, mails::wrong_codes).await?;
            }
            commit(transaction).await?;
            state.mail.send_now();
            Ok::<(), AppError>(())
        };
        if let Err(error) = notify.await {
            error.log();
        }
    }

    /// Counts a code of a second factor, before it is looked at.
    ///
    /// # Errors
    /// `sign_in_limited`
    pub async fn count_code(&self, client: Client, user: &CurrentUser) -> Result<(), AppError> {
        let username = Username::of_somebody(&user.username).map_err(|error| AppError::Internal(error.to_string()))?;
        self.throttle.second_factor(client, &username).await
    }

    /// Checks the password of a user who is signed in. Returns the version that their sessions have begun under.
    ///
    /// # Errors
    /// `invalid` for another password than theirs, which is said of `field`; `sign_in_limited` for too many.
    pub async fn confirm(
        &self,
        pool: &PgPool,
        user: UserId,
        field: &str,
        password: Option<Password>,
    ) -> Result<i32, AppError> {
        let wrong = || {
            tracing::info!(user_id = user.0, "re-authentication failed");
            AppError::field(field, phrase!("invalid-current-password"))
        };
        let (stored, session_version) = models::password(pool, user).await?;
        let password = password.ok_or_else(wrong)?;
        self.throttle.confirm_password(user).await?;
        match self.hasher.verify(password, Some(&stored)).await? {
            Verified::Wrong => Err(wrong()),
            Verified::Right | Verified::RightButWeak => Ok(session_version),
        }
    }

    /// Makes sure that whoever does something dangerous gave their password a moment ago, or gives it now as
    /// `current_password`. Returns the user, whose session has another id then.
    ///
    /// # Errors
    /// As [`confirm`](Self::confirm).
    pub async fn look_twice(
        &self,
        state: &AppState,
        session: &Session,
        user: &CurrentUser,
        password: Option<Password>,
    ) -> Result<CurrentUser, AppError> {
        if user.is_confirmed {
            return Ok(user.clone());
        }
        if password.is_none() {
            return Err(AppError::field("current_password", phrase!("invalid-look-twice")));
        }
        self.confirm(&state.pool, user.id, "current_password", password).await?;
        self.sessions.renew(session, user).await
    }
}
