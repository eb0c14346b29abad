//! Bulk action that schedules an immediate delivery attempt of pending emails.

use async_trait::async_trait;

use super::action::{ActionContext, ActionProperties, ActionTarget, RowAction, parse_ids, row_ids};
use super::mails::find_mails;
use crate::access::Role;
use crate::admin::urls;
use crate::audit_log::AuditAction;
use crate::web::error::AppError;
use crate::web::state::CoreState;

pub(super) struct SendMails;

#[async_trait(?Send)]
impl RowAction for SendMails {
    fn properties(&self) -> ActionProperties {
        ActionProperties {
            lists: vec![urls::MAILS],
            role: Role::Admin,
            ..ActionProperties::new("send_mails", AuditAction::SendMail)
        }
    }

    async fn find_rows(&self, context: &mut ActionContext<'_>, keys: &[String]) -> Result<Vec<ActionTarget>, AppError> {
        Ok(find_mails(&mut *context.connection, &parse_ids(keys)).await?)
    }

    async fn apply(&self, context: &mut ActionContext<'_>, rows: &mut [ActionTarget]) -> Result<(), AppError> {
        let now = context.state.clock.read(&mut *context.connection).await?;
        sqlx::query!("update outbox set next_at = $2 where id = any($1)", &row_ids(rows), now)
            .execute(&mut *context.connection)
            .await?;
        Ok(())
    }

    fn after_commit(&self, state: &CoreState) {
        state.mail.wake_delivery();
    }
}
