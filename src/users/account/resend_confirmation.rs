//! View that sends the link for confirming an email address again.

use actix_web::web;

use crate::db::commit;
use crate::i18n::Locale;
use crate::phrase;
use crate::state::AppState;
use crate::users::error::AccountError;
use crate::users::mail_link::{EmailConfirmationLink, create_mail_link};
use crate::users::models::{Account, find_account, find_password_hash};
use crate::users::{emails, urls};
use crate::web::error::AppError;
use crate::web::request::body::NoInput;
use crate::web::request::client::Client;
use crate::web::request::current_user::CurrentUser;
use crate::web::response::view::ActionResult;

pub async fn resend_confirmation(
    _: NoInput,
    user: CurrentUser,
    locale: Locale,
    client: Client,
    state: web::Data<AppState>,
) -> Result<ActionResult<Account, 202>, AppError> {
    let account = find_account(&state.pool, user.id).await?;
    if !state.mail.is_enabled() {
        return Err(AccountError::NoMail.into());
    }
    let message = if account.email_confirmed {
        phrase!("done-email-already-confirmed", email = account.email.as_str())
    } else {
        state.accounts.throttle.count_confirmation_mail(client, user.id, &account.email).await?;
        let (_, session_version) = find_password_hash(&state.pool, user.id).await?;
        let mut transaction = state.pool.begin().await?;
        let new_link = create_mail_link(&mut transaction, user.id, session_version).await?;
        // No email is sent if the email address was changed after the rate limit was checked.
        let new_link = new_link.filter(|link| link.email == account.email && !link.is_confirmed);
        let new_link = new_link.ok_or(AppError::Conflict)?;
        let link = EmailConfirmationLink { user: user.id, id: new_link.id, email: new_link.email };
        emails::enqueue_confirmation(&mut transaction, &state, &user.username, locale, &link).await?;
        commit(transaction).await?;
        state.mail.wake_delivery();
        phrase!("done-confirmation-link-sent", email = account.email.as_str())
    };
    Ok(ActionResult::new(account, urls::ACCOUNT.pattern).with_message(message))
}
