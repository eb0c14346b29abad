//! Sign-in with username and password, and a two-factor code if enabled.

use actix_session::Session;
use actix_web::web;
use askama::Template;
use serde::{Deserialize, Serialize};
use sqlx::{PgConnection, PgPool};

use crate::i18n::filters;
use crate::state::AppState;
use crate::users::email_address::{EmailAddress, mailbox_key};
use crate::users::error::AccountError;
use crate::users::mail_link::{TokenPayload, sign_token, verify_token};
use crate::users::models::{self, Credentials};
use crate::users::password::VerificationResult;
use crate::users::sessions::{NewSessionId, set_session_cookie};
use crate::users::two_factor::models::{self as second_factor, UsedCode};
use crate::users::{AccountServices, Device, Password, User, Username, emails};
use crate::web::error::AppError;
use crate::web::request::body::Payload;
use crate::web::request::client::Client;
use crate::web::request::current_user::{CurrentUser, UserId};
use crate::web::request::form_field::{Fields, FormInput, NonEmptyText};
use crate::web::response::form::Form;
use crate::web::response::layout::Layout;
use crate::web::response::sign_in_reason::SignInReason;
use crate::web::response::view::{ActionResult, FormResponse, PageResponse, handle_form};
use crate::web::state::CoreState;
use crate::{page, phrase};

#[derive(Template)]
#[template(path = "users/login.html")]
pub struct LoginPage {
    layout: Layout,
    form: Form,
    /// Action after sign-in, named in the heading of the page.
    purpose: Option<SignInReason>,
    proof: Option<String>,
}

page!(LoginPage, form: Form);

impl LoginPage {
    async fn new(state: &CoreState, layout: Layout, form: Form, proof: Option<String>) -> Self {
        let purpose = (state.sign_in_reasons.0)(state.pool.clone(), layout.here.clone()).await;
        Self { layout, form, purpose, proof }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct PasswordProof {
    user: UserId,
    session_version: i32,
}

impl TokenPayload for PasswordProof {
    const PURPOSE: &str = "password known";
    const LIFETIME: chrono::TimeDelta = chrono::TimeDelta::minutes(5);
}

/// `password` is `None`, and treated as wrong, if no account can have the submitted password.
#[derive(Debug)]
pub enum LoginInput {
    Password {
        /// Username, or confirmed email address.
        name: String,
        password: Option<Password>,
        /// Two-factor code, which API clients may send together with the password.
        code: Option<String>,
    },
    Code {
        proof: String,
        code: String,
    },
}

impl FormInput for LoginInput {
    fn read(fields: &mut Fields) -> Option<Self> {
        let (proof, code) =
            (fields.take_undocumented::<NonEmptyText>("proof"), fields.take_optional::<NonEmptyText>("code"));
        if let Some(Some(NonEmptyText(proof))) = proof {
            let Some(Some(NonEmptyText(code))) = code else {
                fields.add_error("code", phrase!("invalid-missing"));
                return None;
            };
            return Some(Self::Code { proof, code });
        }
        let (username, password) = (fields.take::<NonEmptyText>("username"), fields.take::<NonEmptyText>("password"));
        let (NonEmptyText(name), password) = (username?, Password::parse_lenient(&password?.0));
        let code = code?.map(|NonEmptyText(code)| code);
        Some(Self::Password { name, password, code })
    }
}

pub async fn login_form(layout: Layout, state: web::Data<AppState>) -> PageResponse<LoginPage> {
    PageResponse::new(LoginPage::new(&state, layout, Form::default(), None).await)
}

pub async fn login(
    payload: Payload<LoginInput>,
    device: Device,
    old: Option<CurrentUser>,
    layout: Layout,
    session: Session,
    state: web::Data<AppState>,
) -> Result<FormResponse<User, LoginPage>, AppError> {
    let next = layout.here.clone();
    let login = async |login| {
        let (credentials, code) = match login {
            LoginInput::Password { name, password, code } => {
                (check_password(&state, device.client, &name, password).await?, code)
            }
            LoginInput::Code { proof, code } => (check_password_proof(&state, &proof).await?, Some(code)),
        };
        let id = credentials.user.id;
        let begun = begin(&state, device.clone(), credentials, code, old).await;
        if matches!(begun.as_ref().map_err(AppError::downcast_ref), Err(Some(AccountError::WrongCode))) {
            state.accounts.notify_of_wrong_code(&state, id).await;
        }
        let (user, begun, factor) = begun?;
        set_session_cookie(&session, begun)?;
        state.mail.wake_delivery();
        tracing::info!(user_id = user.id.0, factor, "signed in");
        let message = phrase!("done-welcome-back", name = user.username.as_str());
        Ok(ActionResult::new(user, next).with_message(message))
    };
    let page = async |form: Form, error: &AppError| {
        let (form, proof) = match error.downcast_ref() {
            // `SecondFactorNeeded` is not shown as an error: the next step asks for the two-factor code.
            Some(AccountError::SecondFactorNeeded { proof }) => (Form::default(), Some(proof.clone())),
            Some(AccountError::SignInAgain) => (form, None),
            _ => {
                let proof = Some(form.value("proof").to_owned()).filter(|proof| !proof.is_empty());
                (form, proof)
            }
        };
        Some(LoginPage::new(&state, layout, form, proof).await)
    };
    handle_form(payload, login, page).await
}

/// Resolves a username or confirmed email address to a username. Also returns the key of the sign-in rate limit.
async fn find_username(pool: &PgPool, name: &str) -> sqlx::Result<(Option<Username>, Option<String>)> {
    let typed = Username::parse_lenient(name).ok();
    let Some(email) = EmailAddress::parse_lenient(name) else {
        let key = typed.as_ref().map(|username| username.skeleton().to_owned());
        return Ok((typed, key));
    };
    let mailbox = mailbox_key(email.as_str());
    let owner = sqlx::query_scalar!(
        "select username from users where mailbox_key = $1 and email_confirmed_at is not null and erased_at is null",
        mailbox,
    );
    let owner = owner.fetch_optional(pool).await?;
    Ok((owner.and_then(|username| Username::parse_lenient(&username).ok()).or(typed), Some(mailbox)))
}

/// An unknown username and a wrong password take the same time and get the same response.
async fn check_password(
    state: &AppState,
    client: Client,
    name: &str,
    password: Option<Password>,
) -> Result<Credentials, AppError> {
    let (username, key) = find_username(&state.pool, name).await?;
    state.accounts.throttle.count_sign_in(client, key.as_deref(), username.as_ref()).await?;
    let skeleton = username.as_ref().map_or("", Username::skeleton);
    let credentials = models::find_credentials_by_skeleton(&state.pool, skeleton).await?;
    let stored = credentials.as_ref().map(|credentials| credentials.password_hash.as_str());
    // A password of impossible length is replaced and verified anyway, so that the response takes the same time.
    let (password, possible) = match password {
        Some(password) => (password, true),
        None => (Password::unusable(), false),
    };
    let verified = state.accounts.hasher.verify(client.into(), password.clone(), stored).await?;
    let Some(credentials) = credentials.filter(|_| possible && verified != VerificationResult::Wrong) else {
        // The log contains a fingerprint of the username, because users may type their password into the wrong field.
        let account = username.map(|username| state.keys.fingerprint(username.key()));
        tracing::info!(account, "sign-in failed");
        return Err(AccountError::WrongCredentials.into());
    };
    if verified == VerificationResult::CorrectButWeak {
        let hash = state.accounts.hasher.rehash(client.into(), password).await?;
        models::replace_password_hash(&state.pool, credentials.user.id, &credentials.password_hash, &hash).await?;
    }
    Ok(credentials)
}

async fn check_password_proof(state: &CoreState, proof: &str) -> Result<Credentials, AppError> {
    let now = state.now().await?;
    let proof: PasswordProof = verify_token(proof, &state.keys, now).map_err(|_| AccountError::SignInAgain)?;
    let credentials = models::find_credentials_by_id(&state.pool, proof.user).await?;
    // If the password was changed after the token was issued, the new password must be entered.
    let current = credentials.filter(|credentials| credentials.session_version == proof.session_version);
    Ok(current.ok_or(AccountError::SignInAgain)?)
}

/// Starts a session. The returned string is the last authentication factor, for the log.
async fn begin(
    state: &AppState,
    device: Device,
    credentials: Credentials,
    code: Option<String>,
    old: Option<CurrentUser>,
) -> Result<(User, NewSessionId, &'static str), AppError> {
    let username =
        Username::parse_lenient(&credentials.user.username).map_err(|error| AppError::Internal(error.to_string()))?;
    let needs_code = second_factor::is_enabled(&state.pool, credentials.user.id).await?;
    let code = match code {
        _ if !needs_code => None,
        None => {
            let now = state.now().await?;
            let proof = PasswordProof { user: credentials.user.id, session_version: credentials.session_version };
            return Err(AccountError::SecondFactorNeeded { proof: sign_token(&proof, &state.keys, now) }.into());
        }
        // Codes that are sent together with the password count towards the same limit as codes in a separate step.
        Some(code) => {
            state.accounts.throttle.count_two_factor_attempt(device.client, &username).await?;
            Some(code)
        }
    };
    let AccountServices { throttle, sessions, .. } = state.accounts.clone();
    let client = device.client;
    state
        .transaction(async move |connection, state| {
            if !models::lock_account(connection, credentials.user.id, Some(credentials.session_version)).await? {
                return Err(AccountError::SignInAgain.into());
            }
            let factor = match code {
                // Restarts the sign-in if two-factor authentication was enabled in the meantime.
                None if second_factor::is_enabled(&mut *connection, credentials.user.id).await? => {
                    return Err(AccountError::SignInAgain.into());
                }
                None => "password",
                Some(code) => use_code(connection, state, credentials.user.id, &code).await?,
            };
            throttle.record_successful_sign_in(connection, client, &username, credentials.user.id).await?;
            let begun = sessions
                .create_session(connection, credentials.user.id, credentials.session_version, old.as_ref(), &device)
                .await?;
            Ok((credentials.user, begun, factor))
        })
        .await
}

/// Returns the kind of the two-factor code (`app` or `recovery code`) for the log.
async fn use_code(
    connection: &mut PgConnection,
    state: &CoreState,
    user: UserId,
    code: &str,
) -> Result<&'static str, AppError> {
    match second_factor::verify_and_use_code(connection, state, user, code).await? {
        Some(UsedCode::App) => Ok("app"),
        Some(UsedCode::Recovery { left }) => {
            let phrase = phrase!("mail-recovery-code-used", left = left);
            emails::enqueue_security_notice(connection, state, user, "recovery_code_used", phrase).await?;
            Ok("recovery code")
        }
        None => {
            tracing::info!(user_id = user.0, "wrong two-factor code");
            Err(AccountError::WrongCode.into())
        }
    }
}
