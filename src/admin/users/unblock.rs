//! Bulk action that ends blocks of accounts.

use async_trait::async_trait;

use super::accounts::{Account, find_accounts, rows_with_users};
use crate::admin::bulk_actions::action::{ActionContext, ActionProperties, ActionTarget, RowAction, SkipReason};
use crate::admin::urls;
use crate::audit_log::AuditAction;
use crate::phrase;
use crate::users::emails;
use crate::web::error::AppError;
use crate::web::state::CoreState;

pub struct Unblock;

#[async_trait(?Send)]
impl RowAction for Unblock {
    fn properties(&self) -> ActionProperties {
        ActionProperties {
            lists: vec![urls::USERS],
            inverse: Some("block"),
            reason_hint: None,
            ..ActionProperties::new("unblock", AuditAction::UnblockUser)
        }
    }

    async fn find_rows(&self, context: &mut ActionContext<'_>, keys: &[String]) -> Result<Vec<ActionTarget>, AppError> {
        let skip = |account: &Account| (!account.is_blocked).then_some(SkipReason::Already);
        Ok(find_accounts(context, keys, skip).await?)
    }

    async fn apply(&self, context: &mut ActionContext<'_>, rows: &mut [ActionTarget]) -> Result<(), AppError> {
        for (user, _) in rows_with_users(rows) {
            sqlx::query!(
                "update users set blocked_at = null, blocked_reason = null, blocked_until = null where id = $1",
                user.0
            )
            .execute(&mut *context.connection)
            .await?;
            let phrase = phrase!("mail-unblocked");
            emails::enqueue(&mut *context.connection, context.state, user, "unblocked", phrase, None).await?;
        }
        Ok(())
    }

    fn after_commit(&self, state: &CoreState) {
        state.mail.wake_delivery();
    }
}
