//! Actions on pending emails.

use async_trait::async_trait;
use serde_json::json;
use sqlx::PgConnection;

use super::action::{ActionContext, ActionProperties, ActionTarget, RowAction, parse_ids, row_ids};
use crate::access::Role;
use crate::admin::urls;
use crate::audit_log::AuditAction;
use crate::web::error::AppError;
use crate::web::request::current_user::UserId;
use crate::web::state::CoreState;

async fn find_mails(connection: &mut PgConnection, ids: &[i64]) -> sqlx::Result<Vec<ActionTarget>> {
    let rows = sqlx::query!(
        "select id, recipient, kind,
            -- Several accounts may have the same address. The one with the highest role decides who may act.
            (select u.id from users u where u.email = recipient and u.is_staff
                order by array_position(array['owner', 'admin', 'moderator'], u.staff_role) limit 1) as staff_member
        from outbox where id = any($1) and not handed_over order by id for update",
        ids,
    );
    let rows = rows.fetch_all(connection).await?.into_iter().map(|row| {
        let label = format!("{} · {}", row.recipient, row.kind);
        ActionTarget {
            user: row.staff_member.map(UserId),
            ..ActionTarget::new(row.id.to_string(), label).with_details(json!({ "mail": row.kind }))
        }
    });
    Ok(rows.collect())
}

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
