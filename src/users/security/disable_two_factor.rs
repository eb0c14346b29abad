//! View that disables two-factor authentication.

use actix_session::Session;
use actix_web::web;

use super::set_up_two_factor::TwoFactorPage;
use crate::audit_log::{AuditAction, NewEntry};
use crate::db::commit;
use crate::phrase;
use crate::state::AppState;
use crate::users::models::lock_account;
use crate::users::reauthentication::ReauthenticationInput;
use crate::users::sessions::end_other_sessions;
use crate::users::two_factor::models::{self, TwoFactorStatus};
use crate::users::{emails, urls};
use crate::web::error::AppError;
use crate::web::request::body::Payload;
use crate::web::request::client::Client;
use crate::web::request::current_user::CurrentUser;
use crate::web::response::layout::Layout;
use crate::web::response::view::{ActionResult, FormResponse, handle_form};

pub async fn disable_two_factor(
    payload: Payload<ReauthenticationInput>,
    user: CurrentUser,
    layout: Layout,
    client: Client,
    session: Session,
    state: web::Data<AppState>,
) -> Result<FormResponse<TwoFactorStatus, TwoFactorPage>, AppError> {
    let act = async |again: ReauthenticationInput| {
        state.accounts.reauthenticate(&state, &user, client, "current_password", again).await?;
        let user = state.accounts.sessions.rotate_id(&session, &user).await?;
        let mut transaction = state.pool.begin().await?;
        if !lock_account(&mut transaction, user.id, None).await? {
            return Err(AppError::NotSignedIn { next: None });
        }
        if !models::disable(&mut transaction, user.id).await? {
            return Err(AppError::invalid_field("current_password", phrase!("invalid-two-factor-off")));
        }
        end_other_sessions(&mut transaction, &user).await?;
        let phrase = phrase!("mail-two-factor-off");
        emails::enqueue_security_notice(&mut transaction, &state, user.id, "second_factor_off", phrase).await?;
        let entry = NewEntry::new(AuditAction::TurnOffSecondFactor).for_user(user.id);
        entry.insert(&user, &mut transaction, &state.clock).await?;
        commit(transaction).await?;
        state.mail.wake_delivery();
        tracing::info!(user_id = user.id.0, "two-factor authentication disabled");
        let standing = models::find_two_factor_status(&state.pool, user.id).await?;
        let message = phrase!("done-two-factor-off");
        Ok(ActionResult::new(standing, urls::SECOND_FACTOR.pattern).with_message(message))
    };
    let page = async |form, _: &AppError| TwoFactorPage::new(&state, layout, form, &user, None).await.ok();
    handle_form(payload, act, page).await
}
