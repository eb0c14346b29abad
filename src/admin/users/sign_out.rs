//! Bulk action that ends all sessions and revokes all API tokens of users.

use async_trait::async_trait;
use serde_json::json;

use super::accounts::{Account, find_accounts, rows_with_users};
use crate::access::Role;
use crate::admin::bulk_actions::action::{ActionContext, ActionProperties, ActionTarget, RowAction, SkipReason};
use crate::admin::urls;
use crate::audit_log::AuditAction;
use crate::users::models::end_sessions;
use crate::users::tokens::models::revoke_all;
use crate::web::error::AppError;

pub struct SignOut;

#[async_trait(?Send)]
impl RowAction for SignOut {
    fn properties(&self) -> ActionProperties {
        ActionProperties {
            lists: vec![urls::USERS],
            role: Role::Admin,
            reason_hint: None,
            ..ActionProperties::new("sign_out", AuditAction::EndSessions)
        }
    }

    async fn find_rows(&self, context: &mut ActionContext<'_>, keys: &[String]) -> Result<Vec<ActionTarget>, AppError> {
        let skip = |account: &Account| (account.credentials == 0).then_some(SkipReason::Already);
        Ok(find_accounts(context, keys, skip).await?)
    }

    async fn apply(&self, context: &mut ActionContext<'_>, rows: &mut [ActionTarget]) -> Result<(), AppError> {
        for (user, row) in rows_with_users(rows) {
            let sessions = end_sessions(&mut *context.connection, user).await?;
            let tokens = revoke_all(&mut *context.connection, user).await?;
            row.details = json!({ "sessions": sessions, "tokens": tokens });
        }
        Ok(())
    }
}
