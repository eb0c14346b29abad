//! Bulk action that removes passwords, ends all sessions, and emails links for choosing new passwords.

use async_trait::async_trait;

use super::accounts::{Account, find_accounts, rows_with_users};
use crate::access::Role;
use crate::admin::bulk_actions::action::{ActionContext, ActionProperties, ActionTarget, RowAction, SkipReason};
use crate::admin::urls;
use crate::audit_log::AuditAction;
use crate::users::emails;
use crate::users::mail_link::{PasswordResetLink, create_mail_link};
use crate::web::error::AppError;
use crate::web::state::CoreState;

pub struct ResetPassword;

#[async_trait(?Send)]
impl RowAction for ResetPassword {
    fn properties(&self) -> ActionProperties {
        ActionProperties {
            lists: vec![urls::USERS],
            role: Role::Admin,
            requires_reauthentication: true,
            reason_hint: None,
            ..ActionProperties::new("reset_password", AuditAction::TakePassword)
        }
    }

    async fn find_rows(&self, context: &mut ActionContext<'_>, keys: &[String]) -> Result<Vec<ActionTarget>, AppError> {
        let skip = |account: &Account| (!account.is_reachable).then_some(SkipReason::Unreachable);
        Ok(find_accounts(context, keys, skip).await?)
    }

    async fn apply(&self, context: &mut ActionContext<'_>, rows: &mut [ActionTarget]) -> Result<(), AppError> {
        let state = context.state;
        for (user, _) in rows_with_users(rows) {
            let version = sqlx::query_scalar!(
                "with ended as (delete from sessions where user_id = $1),
                    revoked as (delete from api_tokens where user_id = $1)
                update users set password_hash = '!', session_version = session_version + 1 where id = $1
                returning session_version",
                user.0,
            );
            // The email link is created later, because changing `session_version` invalidates an existing email link.
            let version = version.fetch_one(&mut *context.connection).await?;
            let mail = create_mail_link(&mut *context.connection, user, version).await?.ok_or(AppError::NotFound)?;
            let link = PasswordResetLink { user, id: mail.id, email: mail.email };
            emails::enqueue_password_removed(&mut *context.connection, state, &link).await?;
        }
        Ok(())
    }

    fn after_commit(&self, state: &CoreState) {
        state.mail.wake_delivery();
    }
}
