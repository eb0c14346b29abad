//! Bulk action that deletes pending emails without sending them.

use async_trait::async_trait;

use super::action::{ActionContext, ActionProperties, ActionTarget, RowAction, parse_ids, row_ids};
use super::mails::find_mails;
use crate::access::Role;
use crate::admin::urls;
use crate::audit_log::AuditAction;
use crate::web::error::AppError;

pub(super) struct DeleteMails;

#[async_trait(?Send)]
impl RowAction for DeleteMails {
    fn properties(&self) -> ActionProperties {
        ActionProperties {
            lists: vec![urls::MAILS],
            role: Role::Admin,
            requires_reauthentication: true,
            ..ActionProperties::new("drop_mails", AuditAction::DropMail)
        }
    }

    async fn find_rows(&self, context: &mut ActionContext<'_>, keys: &[String]) -> Result<Vec<ActionTarget>, AppError> {
        Ok(find_mails(&mut *context.connection, &parse_ids(keys)).await?)
    }

    async fn apply(&self, context: &mut ActionContext<'_>, rows: &mut [ActionTarget]) -> Result<(), AppError> {
        sqlx::query!("delete from outbox where id = any($1)", &row_ids(rows)).execute(&mut *context.connection).await?;
        Ok(())
    }
}
