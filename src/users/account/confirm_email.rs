//! Confirmation of an email address with a link that was sent to this address.

use actix_web::web;
use askama::Template;
use chrono::{DateTime, Utc};
use sqlx::PgConnection;

use crate::audit_log::{Actor, AuditAction, NewEntry};
use crate::db::commit;
use crate::i18n::filters;
use crate::page;
use crate::phrase;
use crate::state::AppState;
use crate::users::email_address::mailbox_key;
use crate::users::emails::{self, Recipient};
use crate::users::error::AccountError;
use crate::users::mail_link::{EmailConfirmationLink, is_mail_link_valid, verify_token};
use crate::users::models::{Account, find_account};
use crate::users::urls;
use crate::web::error::{AppError, LinkProblem};
use crate::web::request::body::NoInput;
use crate::web::request::current_user::{CurrentUser, RequestSource};
use crate::web::request::query::Query;
use crate::web::response::layout::Layout;
use crate::web::response::view::{ActionResult, PageResponse};
use crate::web::routing::route::FRONT_PAGE;
use crate::web::state::CoreState;

#[derive(Template)]
#[template(path = "users/confirm.html")]
pub struct ConfirmEmailPage {
    layout: Layout,
    data: Account,
    email: String,
    token: String,
}

page!(ConfirmEmailPage, data: Account);

/// A `GET` request changes nothing, because programs that scan email also follow links.
pub async fn confirm_email_form(
    layout: Layout,
    query: Query,
    state: web::Data<AppState>,
) -> Result<PageResponse<ConfirmEmailPage>, AppError> {
    let token = query.get("token")?.unwrap_or_default();
    let (link, data) = open_link(&state, &token).await?;
    Ok(PageResponse::new(ConfirmEmailPage { layout, data, email: link.email, token }))
}

pub async fn confirm_email(
    _: NoInput,
    user: Option<CurrentUser>,
    origin: RequestSource,
    query: Query,
    state: web::Data<AppState>,
) -> Result<ActionResult<Account>, AppError> {
    let (link, before) = open_link(&state, &query.get("token")?.unwrap_or_default()).await?;
    let mut transaction = state.pool.begin().await?;
    let now = state.clock.read(&mut transaction).await?;
    set_confirmed(&mut transaction, &link, now).await?;
    if before.email != link.email {
        let actor = Actor { id: Some(link.user), from: origin };
        let entry = NewEntry::new(AuditAction::ChangeEmail).for_user(link.user);
        entry.insert(actor, &mut transaction, &state.clock).await?;
    }
    // The previous confirmed email address is notified, in case another person has taken over the account.
    if before.email_confirmed && before.email != link.email && state.mail.is_enabled() {
        let Account { user, email, profile, .. } = before;
        let to = Recipient::new(&state, user.username, email, profile.language, profile.time_zone);
        let mail = emails::email_address_changed_email(&state, &to, &link.email)?;
        state.mail.enqueue(&mut transaction, &state.clock, &mail).await?;
    }
    commit(transaction).await?;
    state.mail.wake_delivery();
    tracing::info!(user_id = link.user.0, "email address confirmed");
    let account = find_account(&state.pool, link.user).await?;
    let message = phrase!("done-email-confirmed", email = account.email.as_str());
    let next = if user.is_some_and(|user| user.id == link.user) { urls::ACCOUNT.pattern } else { FRONT_PAGE };
    Ok(ActionResult::new(account, next).with_message(message))
}

async fn open_link(state: &CoreState, token: &str) -> Result<(EmailConfirmationLink, Account), AppError> {
    let link: EmailConfirmationLink =
        verify_token(token, &state.keys, state.now().await?).map_err(AccountError::MailLink)?;
    if !is_mail_link_valid(&state.pool, link.user, link.id, None).await? {
        return Err(AccountError::MailLink(LinkProblem::Used).into());
    }
    let account = find_account(&state.pool, link.user).await?;
    Ok((link, account))
}

/// Confirms the email address of the link, and invalidates the link.
async fn set_confirmed(
    connection: &mut PgConnection,
    link: &EmailConfirmationLink,
    confirmed_at: DateTime<Utc>,
) -> Result<(), AppError> {
    let confirmed = sqlx::query!(
        "update users set email = $3, email_confirmed_at = $4, mailbox_key = $5, mail_link_id = null
        where id = $1 and mail_link_id = $2",
        link.user.0,
        link.id,
        link.email,
        confirmed_at,
        mailbox_key(&link.email),
    );
    match confirmed.execute(connection).await {
        Ok(done) if done.rows_affected() == 1 => Ok(()),
        Ok(_) => Err(AccountError::MailLink(LinkProblem::Used).into()),
        // Another account has confirmed an address of the same mailbox. The error reveals no account, because only the
        // mailbox owner receives the link.
        Err(error) => match error.as_database_error().and_then(|error| error.constraint()) {
            Some("users_by_mailbox") => Err(AccountError::EmailInUse.into()),
            _ => Err(error.into()),
        },
    }
}
