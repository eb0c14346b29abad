//! Replacement of the recovery codes.

use actix_session::Session;
use actix_web::web;

use super::set_up_two_factor::{RecoveryCodesResponse, TwoFactorPage};
use crate::audit_log::{AuditAction, NewEntry};
use crate::db::commit;
use crate::phrase;
use crate::state::AppState;
use crate::users::models::lock_account;
use crate::users::reauthentication::ReauthenticationInput;
use crate::users::sessions::end_other_sessions;
use crate::users::two_factor::models;
use crate::web::error::AppError;
use crate::web::request::body::Payload;
use crate::web::request::client::Client;
use crate::web::request::current_user::CurrentUser;
use crate::web::response::form::Form;
use crate::web::response::layout::Layout;
use crate::web::response::view::{PageResponse, handle_form};

/// Requires the same re-authentication as disabling two-factor authentication, because a recovery code is sufficient to
/// disable it.
pub async fn replace_recovery_codes(
    payload: Payload<ReauthenticationInput>,
    user: CurrentUser,
    layout: Layout,
    client: Client,
    session: Session,
    state: web::Data<AppState>,
) -> Result<RecoveryCodesResponse, AppError> {
    let new_page = layout.clone();
    let act = async |again: ReauthenticationInput| {
        state.accounts.reauthenticate(&state, &user, client, "current_password", again).await?;
        let user = state.accounts.sessions.rotate_id(&session, &user).await?;
        if !models::is_enabled(&state.pool, user.id).await? {
            return Err(AppError::invalid_field("current_password", phrase!("invalid-two-factor-off")));
        }
        let mut transaction = state.pool.begin().await?;
        if !lock_account(&mut transaction, user.id, None).await? {
            return Err(AppError::NotSignedIn { next: None });
        }
        let codes = models::replace_recovery_codes(&mut transaction, user.id).await?;
        end_other_sessions(&mut transaction, &user).await?;
        let entry = NewEntry::new(AuditAction::RenewRecoveryCodes).for_user(user.id);
        entry.insert(&user, &mut transaction, &state.clock).await?;
        commit(transaction).await?;
        tracing::info!(user_id = user.id.0, "recovery codes replaced");
        let page = TwoFactorPage::new(&state, new_page, Form::default(), &user, Some(codes)).await?;
        Ok(PageResponse::new(page))
    };
    let page = async |form, _: &AppError| TwoFactorPage::new(&state, layout, form, &user, None).await.ok();
    handle_form(payload, act, page).await
}
