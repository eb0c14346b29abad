//! View that ends an invitation link.

use actix_web::web;
use serde_json::json;

use super::models::InvitationId;
use crate::audit_log::{AuditAction, NewEntry};
use crate::db::commit;
use crate::phrase;
use crate::state::AppState;
use crate::users::urls;
use crate::web::error::AppError;
use crate::web::request::body::NoInput;
use crate::web::request::current_user::CurrentUser;
use crate::web::response::view::EmptyResult;

/// Accounts that were created with the invitation are not affected.
pub async fn end_invitation(
    _: NoInput,
    user: CurrentUser,
    InvitationId(id): InvitationId,
    state: web::Data<AppState>,
) -> Result<EmptyResult, AppError> {
    user.require_staff()?;
    let ended = sqlx::query!(
        "update invitations set expires_at = least(expires_at, coalesce($2, clock_timestamp())) where id = $1",
        id,
        state.clock.now(),
    );
    let mut transaction = state.pool.begin().await?;
    if ended.execute(&mut *transaction).await?.rows_affected() == 0 {
        return Err(AppError::NotFound);
    }
    let entry = NewEntry::new(AuditAction::EndInvitation).with_details(json!({ "invitation": id }));
    entry.insert(&user, &mut transaction, &state.clock).await?;
    commit(transaction).await?;
    tracing::info!(user_id = user.id.0, invitation_id = id, "invitation revoked");
    Ok(EmptyResult::no_content(urls::INVITATIONS.pattern).with_message(phrase!("done-invitation-revoked")))
}
