//! Views to change and confirm the email address of an account.

use actix_session::Session;
use actix_web::web;
use askama::Template;
use sqlx::PgConnection;

use crate::audit_log::{Actor, AuditAction, NewEntry};
use crate::db::commit;
use crate::i18n::{Locale, filters};
use crate::state::AppState;
use crate::users::emails::Recipient;
use crate::users::error::AccountError;
use crate::users::mail_link::{EmailConfirmationLink, verify_token};
use crate::users::models::Account;
use crate::users::reauthentication::ReauthenticationInput;
use crate::users::two_factor::models::is_enabled;
use crate::users::{EmailAddress, emails, models, recovery, urls};
use crate::web::error::{AppError, LinkProblem};
use crate::web::request::body::{NoInput, Payload};
use crate::web::request::client::Client;
use crate::web::request::current_user::{CurrentUser, RequestSource};
use crate::web::request::form_field::{Fields, FormInput};
use crate::web::request::query::Query;
use crate::web::response::form::Form;
use crate::web::response::layout::Layout;
use crate::web::response::view::{ActionResult, FormResponse, PageResponse, handle_form};
use crate::web::routing::route::FRONT_PAGE;
use crate::web::state::CoreState;
use crate::{page, phrase};

#[derive(Template)]
#[template(path = "users/account.html")]
pub struct AccountPage {
    layout: Layout,
    form: Form,
    data: Account,
    is_on: bool,
    asks_code: bool,
}

page!(AccountPage, data: Account);

#[derive(Template)]
#[template(path = "users/confirm.html")]
pub struct ConfirmEmailPage {
    layout: Layout,
    data: Account,
    email: String,
    token: String,
}

page!(ConfirmEmailPage, data: Account);

#[derive(Debug)]
pub struct EmailChange {
    email: EmailAddress,
    again: ReauthenticationInput,
}

impl FormInput for EmailChange {
    fn read(fields: &mut Fields) -> Option<Self> {
        let (email, again) = (fields.take("email"), ReauthenticationInput::from_fields(fields, "current_password"));
        Some(Self { email: email?, again: again? })
    }
}

pub async fn account_form(
    user: CurrentUser,
    layout: Layout,
    state: web::Data<AppState>,
) -> Result<PageResponse<AccountPage>, AppError> {
    let data = models::find_account(&state.pool, user.id).await?;
    let form = Form::prefilled(&[("email", &data.email)]);
    let asks_code = is_enabled(&state.pool, user.id).await?;
    Ok(PageResponse::new(AccountPage { layout, form, data, is_on: state.mail.is_enabled(), asks_code }))
}

/// If the site sends email, the change takes effect when the link sent to the new email address is used.
pub async fn change_email(
    payload: Payload<EmailChange>,
    user: CurrentUser,
    layout: Layout,
    client: Client,
    session: Session,
    state: web::Data<AppState>,
) -> Result<FormResponse<Account, AccountPage>, AppError> {
    let locale = layout.locale;
    let change = async |EmailChange { email, again }: EmailChange| {
        let session_version = state.accounts.reauthenticate(&state, &user, client, "current_password", again).await?;
        let user = state.accounts.sessions.rotate_id(&session, &user).await?;
        let message = if state.mail.is_enabled() {
            state.accounts.throttle.count_confirmation_mail(client, user.id, email.as_str()).await?;
            let mut transaction = state.pool.begin().await?;
            let new_link = recovery::models::create_mail_link(&mut transaction, user.id, session_version).await?;
            let id = new_link.ok_or(AppError::NotSignedIn { next: None })?.id;
            let link = EmailConfirmationLink { user: user.id, id, email: email.as_str().to_owned() };
            enqueue_confirmation(&mut transaction, &state, &user.username, locale, &link).await?;
            commit(transaction).await?;
            phrase!("done-email-change-link-sent", email = email.as_str())
        } else {
            let mut transaction = state.pool.begin().await?;
            if !recovery::models::set_email(&mut transaction, user.id, session_version, email.as_str()).await? {
                return Err(AppError::NotSignedIn { next: None });
            }
            let entry = NewEntry::new(AuditAction::ChangeEmail).for_user(user.id);
            entry.insert(&user, &mut transaction, &state.clock).await?;
            commit(transaction).await?;
            phrase!("done-email-set", email = email.as_str())
        };
        state.mail.wake_delivery();
        let account = models::find_account(&state.pool, user.id).await?;
        Ok(ActionResult::new(account, urls::ACCOUNT.pattern).with_message(message))
    };
    let page = async |form: Form, _: &AppError| {
        let data = models::find_account(&state.pool, user.id).await.ok()?;
        let asks_code = is_enabled(&state.pool, user.id).await.ok()?;
        Some(AccountPage { layout, form, data, is_on: state.mail.is_enabled(), asks_code })
    };
    handle_form(payload, change, page).await
}

pub async fn enqueue_confirmation(
    connection: &mut PgConnection,
    state: &CoreState,
    username: &str,
    locale: Locale,
    link: &EmailConfirmationLink,
) -> Result<(), AppError> {
    let now = state.clock.read(connection).await?;
    let to = Recipient { username: username.to_owned(), email: link.email.clone(), locale };
    let mail = emails::confirmation_email(state, now, &to, link)?;
    Ok(state.mail.enqueue(connection, &state.clock, &mail).await?)
}

/// A `GET` request changes nothing, because programs that scan email also follow links.
pub async fn confirm_email_form(
    layout: Layout,
    query: Query,
    state: web::Data<AppState>,
) -> Result<PageResponse<ConfirmEmailPage>, AppError> {
    let (link, token) = link(&query, &state).await?;
    let data = account_of_link(&state, &link).await?;
    Ok(PageResponse::new(ConfirmEmailPage { layout, data, email: link.email, token }))
}

pub async fn confirm_email(
    _: NoInput,
    user: Option<CurrentUser>,
    origin: RequestSource,
    query: Query,
    state: web::Data<AppState>,
) -> Result<ActionResult<Account>, AppError> {
    let (link, _) = link(&query, &state).await?;
    let before = account_of_link(&state, &link).await?;
    let mut transaction = state.pool.begin().await?;
    let now = state.clock.read(&mut transaction).await?;
    let is_set = recovery::models::confirm_email(&mut transaction, link.user, link.id, &link.email, now).await;
    // Reveals no account, because only the mailbox owner receives the link.
    let is_set = is_set.map_err(|error| match error.as_database_error().and_then(|error| error.constraint()) {
        Some("users_by_mailbox") => AccountError::EmailInUse.into(),
        _ => AppError::from(error),
    })?;
    if !is_set {
        return Err(AccountError::MailLink(LinkProblem::Used).into());
    }
    if before.email != link.email {
        let actor = Actor { id: Some(link.user), from: origin };
        let entry = NewEntry::new(AuditAction::ChangeEmail).for_user(link.user);
        entry.insert(actor, &mut transaction, &state.clock).await?;
    }
    // The previous confirmed email address is notified, in case another person has taken over the account.
    if before.email_confirmed && before.email != link.email && state.mail.is_enabled() {
        let to = Recipient::new(
            &state,
            before.user.username,
            before.email,
            before.profile.language,
            before.profile.time_zone,
        );
        let mail = emails::email_address_changed_email(&state, &to, &link.email)?;
        state.mail.enqueue(&mut transaction, &state.clock, &mail).await?;
    }
    commit(transaction).await?;
    state.mail.wake_delivery();
    tracing::info!(user_id = link.user.0, "email address confirmed");
    let account = models::find_account(&state.pool, link.user).await?;
    let message = phrase!("done-email-confirmed", email = account.email.as_str());
    let next = if user.is_some_and(|user| user.id == link.user) { urls::ACCOUNT.pattern } else { FRONT_PAGE };
    Ok(ActionResult::new(account, next).with_message(message))
}

pub async fn resend_confirmation(
    _: NoInput,
    user: CurrentUser,
    locale: Locale,
    client: Client,
    state: web::Data<AppState>,
) -> Result<ActionResult<Account, 202>, AppError> {
    let account = models::find_account(&state.pool, user.id).await?;
    if !state.mail.is_enabled() {
        return Err(AccountError::NoMail.into());
    }
    let message = if account.email_confirmed {
        phrase!("done-email-already-confirmed", email = account.email.as_str())
    } else {
        state.accounts.throttle.count_confirmation_mail(client, user.id, &account.email).await?;
        let (_, session_version) = models::find_password_hash(&state.pool, user.id).await?;
        let mut transaction = state.pool.begin().await?;
        let new_link = recovery::models::create_mail_link(&mut transaction, user.id, session_version).await?;
        // No email is sent if the email address was changed after the rate limit was checked.
        let new_link = new_link.filter(|link| link.email == account.email && !link.is_confirmed);
        let new_link = new_link.ok_or(AppError::Conflict)?;
        let link = EmailConfirmationLink { user: user.id, id: new_link.id, email: new_link.email };
        enqueue_confirmation(&mut transaction, &state, &user.username, locale, &link).await?;
        commit(transaction).await?;
        state.mail.wake_delivery();
        phrase!("done-confirmation-link-sent", email = account.email.as_str())
    };
    Ok(ActionResult::new(account, urls::ACCOUNT.pattern).with_message(message))
}

async fn link(query: &Query, state: &CoreState) -> Result<(EmailConfirmationLink, String), AppError> {
    let token = query.get("token")?.ok_or(AccountError::MailLink(LinkProblem::Invalid))?;
    let now = state.now().await?;
    Ok((verify_token(&token, &state.keys, now).map_err(AccountError::MailLink)?, token))
}

async fn account_of_link(state: &CoreState, link: &EmailConfirmationLink) -> Result<Account, AppError> {
    if !recovery::models::is_mail_link_valid(&state.pool, link.user, link.id, None).await? {
        return Err(AccountError::MailLink(LinkProblem::Used).into());
    }
    models::find_account(&state.pool, link.user).await
}
