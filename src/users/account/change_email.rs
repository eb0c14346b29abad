//! Page of the account, and change of its email address.

use actix_session::Session;
use actix_web::web;
use askama::Template;
use sqlx::PgConnection;

use crate::audit_log::{AuditAction, NewEntry};
use crate::db::commit;
use crate::i18n::filters;
use crate::state::AppState;
use crate::users::mail_link::{EmailConfirmationLink, create_mail_link};
use crate::users::models::{Account, find_account};
use crate::users::reauthentication::ReauthenticationInput;
use crate::users::two_factor::models::is_enabled;
use crate::users::{EmailAddress, emails, urls};
use crate::web::error::AppError;
use crate::web::request::body::Payload;
use crate::web::request::client::Client;
use crate::web::request::current_user::{CurrentUser, UserId};
use crate::web::request::form_field::{Fields, FormInput};
use crate::web::response::form::Form;
use crate::web::response::layout::Layout;
use crate::web::response::view::{ActionResult, FormResponse, PageResponse, handle_form};
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

impl AccountPage {
    /// If `form` is `None`, the form contains the current email address.
    async fn new(state: &CoreState, user: UserId, layout: Layout, form: Option<Form>) -> Result<Self, AppError> {
        let data = find_account(&state.pool, user).await?;
        let form = form.unwrap_or_else(|| Form::prefilled(&[("email", &data.email)]));
        let asks_code = is_enabled(&state.pool, user).await?;
        Ok(Self { layout, form, data, is_on: state.mail.is_enabled(), asks_code })
    }
}

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
    Ok(PageResponse::new(AccountPage::new(&state, user.id, layout, None).await?))
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
            let new_link = create_mail_link(&mut transaction, user.id, session_version).await?;
            let id = new_link.ok_or(AppError::NotSignedIn { next: None })?.id;
            let link = EmailConfirmationLink { user: user.id, id, email: email.as_str().to_owned() };
            emails::enqueue_confirmation(&mut transaction, &state, &user.username, locale, &link).await?;
            commit(transaction).await?;
            phrase!("done-email-change-link-sent", email = email.as_str())
        } else {
            let mut transaction = state.pool.begin().await?;
            if !set_email(&mut transaction, user.id, session_version, email.as_str()).await? {
                return Err(AppError::NotSignedIn { next: None });
            }
            let entry = NewEntry::new(AuditAction::ChangeEmail).for_user(user.id);
            entry.insert(&user, &mut transaction, &state.clock).await?;
            commit(transaction).await?;
            phrase!("done-email-set", email = email.as_str())
        };
        state.mail.wake_delivery();
        let account = find_account(&state.pool, user.id).await?;
        Ok(ActionResult::new(account, urls::ACCOUNT.pattern).with_message(message))
    };
    let page = async |form, _: &AppError| AccountPage::new(&state, user.id, layout, Some(form)).await.ok();
    handle_form(payload, change, page).await
}

/// Returns false if the account was erased or its password was changed since `session_version` was read.
async fn set_email(
    connection: &mut PgConnection,
    UserId(id): UserId,
    session_version: i32,
    email: &str,
) -> sqlx::Result<bool> {
    let set = sqlx::query!(
        "update users set email = $3, email_confirmed_at = null, mailbox_key = null, mail_link_id = null
        where id = $1 and session_version = $2",
        id,
        session_version,
        email,
    );
    Ok(set.execute(connection).await?.rows_affected() == 1)
}
