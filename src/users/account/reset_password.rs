//! Password reset by email.

use actix_web::{Either, web};
use askama::Template;
use schemars::JsonSchema;
use serde::Serialize;
use sqlx::PgConnection;

use crate::audit_log::{Actor, AuditAction, NewEntry};
use crate::db::commit;
use crate::i18n::filters;
use crate::state::AppState;
use crate::users::error::AccountError;
use crate::users::mail_link::{PasswordResetLink, create_mail_link, is_mail_link_valid, verify_token};
use crate::users::models::MailRecipient;
use crate::users::{EmailAddress, Password, Username, emails, models, urls};
use crate::web::error::{AppError, LinkProblem};
use crate::web::request::body::Payload;
use crate::web::request::client::Client;
use crate::web::request::current_user::{RequestSource, UserId};
use crate::web::request::form_field::{Fields, FormInput, NonEmptyText};
use crate::web::request::query::Query;
use crate::web::response::form::Form;
use crate::web::response::layout::Layout;
use crate::web::response::view::{ActionResult, PageResponse, RejectedForm, handle_form};
use crate::web::state::CoreState;
use crate::{page, phrase};

#[derive(Template)]
#[template(path = "users/password_reset.html")]
pub struct PasswordResetPage {
    layout: Layout,
    form: Form,
    /// Token of the opened reset link; `None` on the form that requests a reset link.
    token: Option<String>,
    /// Username of the account, for password managers.
    username: Option<String>,
    is_on: bool,
}

page!(PasswordResetPage, form: Form);

#[derive(Debug)]
pub enum PasswordResetInput {
    ForUsername(Username),
    ForEmail(EmailAddress),
    /// Input that is neither a valid username nor a valid email address.
    NoMatch,
    NewPassword(Password),
}

impl FormInput for PasswordResetInput {
    fn read(fields: &mut Fields) -> Option<Self> {
        if let Some(Some(password)) = fields.take_optional::<Password>("new_password") {
            return Some(Self::NewPassword(password));
        }
        // The form has one field for usernames and email addresses, so `username` may contain an email address and vice
        // versa.
        let (username, email) =
            (fields.take_optional::<NonEmptyText>("username")?, fields.take_optional::<NonEmptyText>("email")?);
        let typed = match (username, email) {
            (Some(typed), None) | (None, Some(typed)) => typed.0.trim().to_owned(),
            (Some(_), Some(_)) => {
                fields.add_error("email", phrase!("invalid-username-or-email"));
                return None;
            }
            (None, None) => {
                fields.add_error("username", phrase!("invalid-missing"));
                return None;
            }
        };
        Some(if typed.contains('@') {
            EmailAddress::parse_lenient(&typed).map_or(Self::NoMatch, Self::ForEmail)
        } else {
            Username::parse_lenient(&typed).map_or(Self::NoMatch, Self::ForUsername)
        })
    }
}

pub async fn password_reset_form(
    layout: Layout,
    query: Query,
    state: web::Data<AppState>,
) -> Result<PageResponse<PasswordResetPage>, AppError> {
    let token = query.get("token")?;
    // The link is checked before the form is shown, so that nobody enters a new password for an invalid link.
    let username = match &token {
        Some(token) => Some(username_of_link(&state, token).await?),
        None => None,
    };
    let is_on = state.mail.is_enabled();
    Ok(PageResponse::new(PasswordResetPage { layout, form: Form::default(), token, username, is_on }))
}

async fn username_of_link(state: &CoreState, token: &str) -> Result<String, AppError> {
    let link = open_link(state, token).await?;
    Ok(models::find_account(&state.pool, link.user).await?.user.username)
}

#[derive(Debug, JsonSchema, Serialize)]
#[serde(rename_all = "snake_case")]
enum ResetStep {
    /// If the account exists, a mail with a link has been sent.
    Accepted,
    /// The password has been changed.
    Changed,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct ResetStatus {
    status: ResetStep,
}

/// Status 200 after the password was changed, 202 after a reset email was requested.
type PasswordResetResponse =
    Either<Either<ActionResult<ResetStatus>, ActionResult<ResetStatus, 202>>, RejectedForm<PasswordResetPage>>;

/// Neither the response nor its timing reveals if an account exists.
pub async fn reset_password(
    payload: Payload<PasswordResetInput>,
    client: Client,
    origin: RequestSource,
    layout: Layout,
    query: Query,
    state: web::Data<AppState>,
) -> Result<PasswordResetResponse, AppError> {
    let token = query.get("token")?;
    let is_on = state.mail.is_enabled();
    let act = async |reset: PasswordResetInput| match (&token, reset) {
        (Some(token), PasswordResetInput::NewPassword(password)) => {
            set_password(&state, token, password, origin).await?;
            let message = phrase!("done-password-reset");
            let data = ResetStatus { status: ResetStep::Changed };
            Ok(Either::Left(ActionResult::new(data, urls::LOGIN.pattern).with_message(message)))
        }
        (None, PasswordResetInput::NewPassword(_)) => Err(AccountError::MailLink(LinkProblem::Invalid).into()),
        (Some(_), _) => Err(AppError::invalid_field("new_password", phrase!("invalid-missing"))),
        (None, _) if !is_on => Err(AccountError::NoMail.into()),
        (None, request) => {
            state.accounts.throttle.count_password_reset(client).await?;
            // The email is queued in a separate task, because the time that it takes would reveal if an account exists.
            let state = state.clone();
            actix_web::rt::spawn(async move {
                if let Err(error) = send(&state, client, &request).await {
                    error.log();
                }
            });
            let message = phrase!("done-password-reset-requested");
            let data = ResetStatus { status: ResetStep::Accepted };
            Ok(Either::Right(ActionResult::new(data, urls::LOGIN.pattern).with_message(message)))
        }
    };
    let page = async |form: Form, error: &AppError| {
        if matches!(error.downcast_ref(), Some(AccountError::MailLink(_))) {
            return None;
        }
        let username = match &token {
            Some(token) => username_of_link(&state, token).await.ok(),
            None => None,
        };
        Some(PasswordResetPage { layout, form, token: token.clone(), username, is_on })
    };
    handle_form(payload, act, page).await
}

async fn send(state: &AppState, client: Client, request: &PasswordResetInput) -> Result<(), AppError> {
    let recipients: Vec<MailRecipient> = match request {
        PasswordResetInput::ForUsername(username) => {
            models::find_mail_recipient_by_username(&state.pool, username).await?
        }
        PasswordResetInput::ForEmail(email) => models::find_mail_recipients_by_email(&state.pool, email).await?,
        PasswordResetInput::NoMatch | PasswordResetInput::NewPassword(_) => Vec::new(),
    };
    let Some(first) = recipients.first() else { return Ok(()) };
    // Accounts with the same email address count once. A new link invalidates earlier links, so limits come first.
    if let Err(error) = state.accounts.throttle.count_password_reset_mail(client, &first.email).await {
        tracing::info!(user_id = first.id, %error, "password reset mail not sent");
        return Ok(());
    }
    for MailRecipient { id, username, email, session_version, language, time_zone, .. } in recipients {
        let user = UserId(id);
        let mut transaction = state.pool.begin().await?;
        let new_link = create_mail_link(&mut transaction, user, session_version).await?;
        // If the email address or the password changed after the account was found, nothing is sent.
        let Some(new_link) = new_link.filter(|link| link.is_confirmed && link.email == email) else { continue };
        let link = PasswordResetLink { user, id: new_link.id, email: new_link.email };
        let to = emails::Recipient::new(state, username, email, language, time_zone);
        emails::enqueue_password_reset(&mut transaction, state, &to, &link).await?;
        commit(transaction).await?;
        state.mail.wake_delivery();
        tracing::info!(user_id = id, "password reset requested");
    }
    Ok(())
}

/// Returns `AccountError::MailLink` if the link is invalid, expired or already used.
async fn open_link(state: &CoreState, token: &str) -> Result<PasswordResetLink, AppError> {
    let link: PasswordResetLink =
        verify_token(token, &state.keys, state.now().await?).map_err(AccountError::MailLink)?;
    let is_valid = is_mail_link_valid(&state.pool, link.user, link.id, Some(&link.email)).await?;
    if is_valid { Ok(link) } else { Err(AccountError::MailLink(LinkProblem::Used).into()) }
}

async fn set_password(
    state: &AppState,
    token: &str,
    password: Password,
    origin: RequestSource,
) -> Result<(), AppError> {
    let link = open_link(state, token).await?;
    let account = models::find_account(&state.pool, link.user).await?;
    let words = [account.user.username.as_str(), &account.email];
    let hash = state.accounts.hasher.hash_new_password(link.user.into(), "new_password", password, &words).await?;
    let mut transaction = state.pool.begin().await?;
    if !replace_password(&mut transaction, &link, &hash).await? {
        return Err(AccountError::MailLink(LinkProblem::Used).into());
    }
    emails::enqueue_password_changed(&mut transaction, state, link.user).await?;
    let actor = Actor { id: Some(link.user), from: origin };
    NewEntry::new(AuditAction::ResetPassword).for_user(link.user).insert(actor, &mut transaction, &state.clock).await?;
    commit(transaction).await?;
    state.mail.wake_delivery();
    tracing::info!(user_id = link.user.0, "password reset completed");
    Ok(())
}

/// Ends all sessions and revokes all API tokens. Returns false if the link is invalid, or if its email address is not
/// the confirmed email address of the account.
async fn replace_password(connection: &mut PgConnection, link: &PasswordResetLink, hash: &str) -> sqlx::Result<bool> {
    if !models::lock_account_for_update(connection, link.user, None).await? {
        return Ok(false);
    }
    let reset = sqlx::query_scalar!(
        "with changed as (
            update users set password_hash = $4, session_version = session_version + 1, mail_link_id = null
            where id = $1 and mail_link_id = $2 and email = $3 and email_confirmed_at is not null
            returning id
        ), ended as (
            delete from sessions where user_id in (select id from changed)
        ), revoked as (
            delete from api_tokens where user_id in (select id from changed)
        )
        select id from changed",
        link.user.0,
        link.id,
        link.email,
        hash,
    );
    Ok(reset.fetch_optional(connection).await?.is_some())
}
