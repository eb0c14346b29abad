//! Bulk action that sends webhook events again.

use async_trait::async_trait;
use serde_json::json;

use super::action::{ActionContext, ActionProperties, ActionTarget, RowAction, parse_ids, row_ids};
use crate::access::Role;
use crate::admin::urls;
use crate::audit_log::AuditAction;
use crate::web::error::AppError;
use crate::webhooks::queue;

pub(super) struct SendWebhooks;

#[async_trait(?Send)]
impl RowAction for SendWebhooks {
    fn properties(&self) -> ActionProperties {
        ActionProperties {
            lists: vec![urls::WEBHOOK_DELIVERIES],
            role: Role::Admin,
            ..ActionProperties::new("send_webhooks", AuditAction::SendWebhook)
        }
    }

    async fn find_rows(&self, context: &mut ActionContext<'_>, keys: &[String]) -> Result<Vec<ActionTarget>, AppError> {
        let rows = sqlx::query!(
            "select d.id, d.event, w.url from webhook_deliveries d join webhooks w on w.id = d.webhook_id
            where d.id = any($1) and coalesce(d.leased_until <= coalesce($2, clock_timestamp()), true)
                and w.disabled_at is null order by d.id for update of d",
            &parse_ids(keys),
            context.state.clock.now(),
        );
        let rows = rows.fetch_all(&mut *context.connection).await?.into_iter().map(|row| {
            let label = format!("{} · {}", row.event, row.url);
            ActionTarget::new(row.id.to_string(), label).with_details(json!({ "webhook": row.url, "event": row.event }))
        });
        Ok(rows.collect())
    }

    async fn apply(&self, context: &mut ActionContext<'_>, rows: &mut [ActionTarget]) -> Result<(), AppError> {
        let now = context.state.clock.read(&mut *context.connection).await?;
        Ok(queue::send_again(&mut *context.connection, &row_ids(rows), now).await?)
    }
}
