//! Bulk action that resets warning levels to 0.

use async_trait::async_trait;

use super::accounts::{Account, find_accounts, find_accounts_and_own, rows_with_users};
use crate::access::Role;
use crate::admin::bulk_actions::action::{ActionContext, ActionProperties, ActionTarget, RowAction, SkipReason};
use crate::admin::urls;
use crate::audit_log::AuditAction;
use crate::custom_limits::warnings;
use crate::web::error::AppError;

pub struct ResetWarning;

#[async_trait(?Send)]
impl RowAction for ResetWarning {
    fn properties(&self) -> ActionProperties {
        ActionProperties {
            lists: vec![urls::USERS],
            reason_hint: None,
            ..ActionProperties::new("reset_warning", AuditAction::ResetWarning)
        }
    }

    async fn find_rows(&self, context: &mut ActionContext<'_>, keys: &[String]) -> Result<Vec<ActionTarget>, AppError> {
        let skip = |account: &Account| (!account.is_warned).then_some(SkipReason::Already);
        // Owners may reset their own level, because a site may have only one owner.
        Ok(if context.by.has_role(Role::Owner) {
            find_accounts_and_own(context, keys, skip).await?
        } else {
            find_accounts(context, keys, skip).await?
        })
    }

    async fn apply(&self, context: &mut ActionContext<'_>, rows: &mut [ActionTarget]) -> Result<(), AppError> {
        for (user, _) in rows_with_users(rows) {
            warnings::reset(&mut *context.connection, user).await?;
        }
        Ok(())
    }
}
