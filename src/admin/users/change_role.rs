//! Bulk action that changes staff roles.

use async_trait::async_trait;
use serde_json::json;

use super::accounts::{Account, find_accounts, rows_with_users};
use crate::access::Role;
use crate::admin::bulk_actions::action::{
    ActionContext, ActionProperties, ActionTarget, ExtraField, RowAction, SkipReason,
};
use crate::admin::urls;
use crate::audit_log::AuditAction;
use crate::users::error::AccountError;
use crate::users::models::is_last_owner;
use crate::web::error::AppError;

pub struct ChangeRole;

#[async_trait(?Send)]
impl RowAction for ChangeRole {
    fn properties(&self) -> ActionProperties {
        ActionProperties {
            lists: vec![urls::USERS],
            role: Role::Owner,
            requires_reauthentication: true,
            extra_field: Some(ExtraField::Role),
            locks_staff: true,
            ..ActionProperties::new("role", AuditAction::ChangeRole)
        }
    }

    async fn find_rows(&self, context: &mut ActionContext<'_>, keys: &[String]) -> Result<Vec<ActionTarget>, AppError> {
        let input = context.input;
        let skip = |account: &Account| input.filter(|input| input.role == account.role).map(|_| SkipReason::Already);
        Ok(find_accounts(context, keys, skip).await?)
    }

    async fn apply(&self, context: &mut ActionContext<'_>, rows: &mut [ActionTarget]) -> Result<(), AppError> {
        let role = context.input.and_then(|input| input.role);
        for (user, row) in rows_with_users(rows) {
            if role != Some(Role::Owner) && is_last_owner(&mut *context.connection, &context.state.clock, user).await? {
                return Err(AccountError::LastOwner.into());
            }
            sqlx::query!(
                "update users set is_staff = $2, staff_role = $3 where id = $1",
                user.0,
                role.is_some(),
                role.unwrap_or(Role::Moderator).name(),
            )
            .execute(&mut *context.connection)
            .await?;
            row.details = json!({ "before": row.role.map(Role::name), "after": role.map(Role::name) });
        }
        Ok(())
    }
}
