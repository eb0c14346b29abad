//! Cancellation of a scheduled deletion of the account.

use actix_web::web;

use crate::audit_log::{AuditAction, NewEntry};
use crate::db::commit;
use crate::phrase;
use crate::state::AppState;
use crate::users::error::AccountError;
use crate::users::models::{self, Account};
use crate::users::urls;
use crate::web::error::AppError;
use crate::web::request::body::NoInput;
use crate::web::request::current_user::CurrentUser;
use crate::web::response::view::ActionResult;

pub async fn cancel_deletion(
    _: NoInput,
    user: CurrentUser,
    state: web::Data<AppState>,
) -> Result<ActionResult<Account>, AppError> {
    let was_cancelled = sqlx::query!(
        "update users set delete_at = null, delete_posts = null
        where id = $1 and delete_at > coalesce($2, clock_timestamp())",
        user.id.0,
        state.clock.now(),
    );
    let mut transaction = state.pool.begin().await?;
    let was_cancelled = was_cancelled.execute(&mut *transaction).await?.rows_affected() == 1;
    if was_cancelled {
        let entry = NewEntry::new(AuditAction::CancelDeletion).for_user(user.id);
        entry.insert(&user, &mut transaction, &state.clock).await?;
    }
    commit(transaction).await?;
    let account = models::find_account(&state.pool, user.id).await?;
    let message = match account.delete_at {
        Some(_) => return Err(AccountError::GracePeriodOver.into()),
        None if was_cancelled => phrase!("done-deletion-cancelled"),
        None => phrase!("done-no-deletion-scheduled"),
    };
    if was_cancelled {
        tracing::info!(user_id = user.id.0, "account deletion cancelled");
    }
    Ok(ActionResult::new(account, urls::ACCOUNT.pattern).with_message(message))
}
