//! Approval of authors by staff, if the publishing policy requires it.

use actix_web::web;
use schemars::JsonSchema;
use serde::Serialize;

use crate::audit_log::{AuditAction, NewEntry};
use crate::db::commit;
use crate::phrase;
use crate::state::AppState;
use crate::users::models::find_by_username;
use crate::users::{User, Username, emails, models};
use crate::web::error::AppError;
use crate::web::request::body::Payload;
use crate::web::request::current_user::CurrentUser;
use crate::web::request::form_field::{Fields, FormInput, YesOrNo};
use crate::web::response::view::ActionResult;
use crate::web::state::CoreState;

#[derive(Clone, Copy, Debug)]
pub struct ApprovalInput {
    approved: bool,
}

impl FormInput for ApprovalInput {
    fn read(fields: &mut Fields) -> Option<Self> {
        fields.take("approved").map(|YesOrNo(approved)| Self { approved })
    }
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Approval {
    username: String,
    approved: bool,
}

/// Published posts stay published if the approval is withdrawn.
pub async fn approve_author(
    payload: Payload<ApprovalInput>,
    staff: CurrentUser,
    username: web::Path<String>,
    state: web::Data<AppState>,
) -> Result<ActionResult<Approval>, AppError> {
    let ApprovalInput { approved } = payload.into_result()?;
    staff.require_staff()?;
    let username = Username::parse_lenient(&username).map_err(|_| AppError::NotFound)?;
    let user = find_by_username(&state.pool, &username).await?;
    if !state.site().policy.publishing.has_authors() {
        return Err(AppError::invalid_field("approved", phrase!("invalid-approval-unused")));
    }
    if models::find_publishing_approval(&state.pool, user.id).await?.is_none() {
        return Err(AppError::invalid_field("approved", phrase!("invalid-approval-staff")));
    }
    set_approved(&state, &staff, &user, approved).await?;
    tracing::info!(user_id = user.id.0, by = staff.id.0, approved, "author approval changed");
    let message = if approved {
        phrase!("done-approved", name = user.username.as_str())
    } else {
        phrase!("done-not-approved", name = user.username.as_str())
    };
    let path = user.path();
    Ok(ActionResult::new(Approval { username: user.username, approved }, path).with_message(message))
}

async fn set_approved(state: &CoreState, staff: &CurrentUser, user: &User, approved: bool) -> Result<(), AppError> {
    let mut transaction = state.pool.begin().await?;
    let changed =
        sqlx::query!("update users set is_approved = $2 where id = $1 and is_approved <> $2", user.id.0, approved);
    if changed.execute(&mut *transaction).await?.rows_affected() == 0 {
        return Ok(());
    }
    let act = if approved {
        let path = user.path();
        emails::enqueue(&mut transaction, state, user.id, "approved", phrase!("mail-approved"), Some(&path)).await?;
        AuditAction::ApproveAuthor
    } else {
        // Clears the publication time of scheduled drafts. Otherwise they would be published automatically when the
        // user is approved again.
        sqlx::query!(
            "update blog_posts set publish_at = null
            where author_id = $1 and status = 'draft' and publish_at is not null",
            user.id.0
        )
        .execute(&mut *transaction)
        .await?;
        AuditAction::DisapproveAuthor
    };
    NewEntry::new(act).for_user(user.id).insert(staff, &mut transaction, &state.clock).await?;
    commit(transaction).await?;
    state.mail.wake_delivery();
    Ok(())
}
