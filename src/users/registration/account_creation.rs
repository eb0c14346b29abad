//! Account creation by registration, by a claim of an imported account, or as the first owner.

use actix_web::ResponseError as _;
use actix_web::http::StatusCode;
use chrono::TimeDelta;
use sqlx::PgConnection;

use super::models::{InvitationTerms, InvitedRole, redeem_invitation};
use super::unclaimed_accounts::claim_account;
use crate::audit_log::{Actor, AuditAction, NewEntry};
use crate::i18n::Locale;
use crate::phrase;
use crate::state::AppState;
use crate::users::mail_link::{AccountClaimLink, EmailConfirmationLink, create_mail_link};
use crate::users::models::{self, Credentials};
use crate::users::password::VerificationResult;
use crate::users::sessions::NewSessionId;
use crate::users::two_factor::models as second_factor;
use crate::users::{AccountServices, Device, EmailAddress, Password, Throttle, User, Username, emails};
use crate::web::error::AppError;
use crate::web::request::body::Payload;
use crate::web::request::client::Client;
use crate::web::request::current_user::CurrentUser;
use crate::web::request::form_field::{Field as _, Fields, FormInput};
use crate::web::state::CoreState;

#[derive(Clone, Debug)]
pub struct Registration {
    username: Username,
    email: EmailAddress,
    password: Password,
}

impl FormInput for Registration {
    fn read(fields: &mut Fields) -> Option<Self> {
        let (username, email, password) = (fields.take("username"), fields.take("email"), fields.take("password"));
        Some(Self { username: username?, email: email?, password: password? })
    }
}

/// Maximum age of an account to which a repeated registration request signs in.
const MAX_REPEAT_AGE: TimeDelta = TimeDelta::minutes(1);

#[derive(Clone, Debug)]
pub enum RegistrationGrant {
    /// Token and terms of the invitation; `None` if registration is open to everyone.
    Invitation(Option<String>, Option<InvitationTerms>),
    /// Claim of an imported account, with the username of the account.
    Claim(AccountClaimLink, String),
    Owner,
}

impl RegistrationGrant {
    pub fn claimed_username(&self) -> Option<&str> {
        if let Self::Claim(_, username) = self { Some(username) } else { None }
    }

    pub fn invitation_terms(&self) -> Option<&InvitationTerms> {
        if let Self::Invitation(_, terms) = self { terms.as_ref() } else { None }
    }
}

/// Checks the password strength even if another field is invalid, so that the form shows all errors at once.
pub async fn check_password_strength<T>(accounts: &AccountServices, client: Client, payload: &mut Payload<T>) {
    if !payload.is_valid()
        && let Ok(password) = Password::from_text(payload.submitted_value("password"))
        && let personal_words = [payload.submitted_value("username"), payload.submitted_value("email")]
        && let Ok(Some(weakness)) = accounts.hasher.find_weakness(client.into(), password, &personal_words).await
    {
        payload.add_error("password", weakness);
    }
}

/// If the form was sent twice, as with a double click, the second request signs in to the account that the first
/// request created. The returned boolean is true if a confirmation email was queued.
pub async fn create_account(
    state: &AppState,
    device: Device,
    registration: Registration,
    locale: Locale,
    old: Option<CurrentUser>,
    grant: Result<RegistrationGrant, AppError>,
) -> Result<(User, NewSessionId, bool), AppError> {
    let repeated = (device.clone(), registration.clone(), old.clone());
    let created = async {
        let grant = grant?;
        create_new_account(state, device, registration, locale, old, grant).await
    };
    match created.await {
        Ok(created) => Ok(created),
        // A rate limited request does not sign in to the account.
        Err(error) if error.status_code() == StatusCode::TOO_MANY_REQUESTS => Err(error),
        Err(error) => {
            let (device, registration, old) = repeated;
            sign_in_to_new_account(state, device, registration, old).await?.ok_or(error)
        }
    }
}

/// Signs in if the username, email address and password match an account created within `MAX_REPEAT_AGE`.
async fn sign_in_to_new_account(
    state: &AppState,
    device: Device,
    Registration { username, email, password }: Registration,
    old: Option<CurrentUser>,
) -> Result<Option<(User, NewSessionId, bool)>, AppError> {
    let Some(credentials) = models::find_credentials_by_skeleton(&state.pool, username.skeleton()).await? else {
        return Ok(None);
    };
    let is_same = credentials.user.username == username.as_str()
        && models::find_account(&state.pool, credentials.user.id).await?.email == email.as_str();
    if !is_same || state.now().await? - credentials.user.created_at >= MAX_REPEAT_AGE {
        return Ok(None);
    }
    state.accounts.throttle.count_sign_in(device.client, Some(username.skeleton()), Some(&username)).await?;
    if state.accounts.hasher.verify(device.client.into(), password, Some(&credentials.password_hash)).await?
        == VerificationResult::Wrong
    {
        return Ok(None);
    }
    let AccountServices { throttle, sessions, .. } = state.accounts.clone();
    let signing_in = state.transaction(async move |connection, _| {
        let (user, version) = (credentials.user, credentials.session_version);
        let is_locked = models::lock_account(connection, user.id, Some(version)).await?;
        if !is_locked || second_factor::is_enabled(&mut *connection, user.id).await? {
            return Ok(None);
        }
        throttle.record_successful_sign_in(connection, device.client, &username, user.id).await?;
        let begun = sessions.create_session(connection, user.id, version, old.as_ref(), &device).await?;
        Ok(Some((user, begun, false)))
    });
    signing_in.await
}

async fn create_new_account(
    state: &AppState,
    device: Device,
    registration: Registration,
    locale: Locale,
    old: Option<CurrentUser>,
    grant: RegistrationGrant,
) -> Result<(User, NewSessionId, bool), AppError> {
    let Registration { username, email, password } = registration;
    let client = device.client;
    if let Some(name) = grant.claimed_username()
        && username.as_str() != name
    {
        return Err(AppError::invalid_field("username", phrase!("invalid-claim-name", name = name)));
    }
    if !matches!(grant, RegistrationGrant::Owner) {
        state.accounts.throttle.count_registration(client).await?;
    }
    let words = [username.as_str(), email.as_str()];
    let hash = state.accounts.hasher.hash_new_password(client.into(), "password", password, &words).await?;
    // The account and its session are written in one transaction. If only the account were written before a failure,
    // its username would be taken when the user tries again.
    let AccountServices { throttle, sessions, .. } = state.accounts.clone();
    state
        .transaction(async move |connection, state| {
            throttle.count_new_account(connection, client).await?;
            let created = write(connection, state, &grant, &username, &email, &hash).await?;
            models::set_language(connection, created.user.id, locale.language).await?;
            throttle.record_successful_sign_in(connection, client, &username, created.user.id).await?;
            let is_mailed = mail_first_link(connection, state, &throttle, client, &created, &email, locale).await?;
            let begun = sessions
                .create_session(connection, created.user.id, created.session_version, old.as_ref(), &device)
                .await?;
            Ok((created.user, begun, is_mailed))
        })
        .await
}

async fn write(
    connection: &mut PgConnection,
    state: &CoreState,
    grant: &RegistrationGrant,
    username: &Username,
    email: &EmailAddress,
    hash: &str,
) -> Result<Credentials, AppError> {
    match grant {
        RegistrationGrant::Owner => {
            models::ensure_no_staff(connection).await?;
            let created = models::create(connection, &state.clock, username, email, hash, true).await?;
            sqlx::query!(
                "insert into owner_claims (user_id, claimed_at) values ($1, coalesce($2, clock_timestamp()))",
                created.user.id.0,
                state.clock.now(),
            )
            .execute(&mut *connection)
            .await?;
            let actor = Actor { id: Some(created.user.id), ..Actor::default() };
            let entry = NewEntry::new(AuditAction::MakeStaff).for_user(created.user.id);
            entry.insert(actor, connection, &state.clock).await?;
            Ok(created)
        }
        RegistrationGrant::Invitation(token, _) => {
            let invitation = redeem_invitation(connection, state, token.as_deref()).await?;
            let created = models::create(connection, &state.clock, username, email, hash, false).await?;
            if let Some((id, role)) = invitation {
                let set = sqlx::query!(
                    "update users set invitation_id = $2, is_approved = $3, is_staff = $4 where id = $1",
                    created.user.id.0,
                    id,
                    role == InvitedRole::Author,
                    role == InvitedRole::Moderator,
                );
                set.execute(connection).await?;
            }
            Ok(created)
        }
        RegistrationGrant::Claim(link, _) => claim_account(connection, link, email, hash).await,
    }
}

/// Returns false if the site sends no email or a rate limit is reached. The user can request another link later.
async fn mail_first_link(
    connection: &mut PgConnection,
    state: &CoreState,
    throttle: &Throttle,
    client: Client,
    created: &Credentials,
    email: &EmailAddress,
    locale: Locale,
) -> Result<bool, AppError> {
    if !state.mail.is_enabled() || !throttle.count_first_confirmation_mail(connection, client, email.as_str()).await? {
        return Ok(false);
    }
    let user = created.user.id;
    let new_link = create_mail_link(connection, user, created.session_version).await?.ok_or(AppError::NotFound)?;
    let link = EmailConfirmationLink { user, id: new_link.id, email: new_link.email };
    emails::enqueue_confirmation(connection, state, &created.user.username, locale, &link).await?;
    Ok(true)
}
