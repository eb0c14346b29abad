//! Bulk action that expires invitations immediately.

use async_trait::async_trait;
use serde_json::json;

use super::action::{ActionContext, ActionProperties, ActionTarget, RowAction, parse_ids, row_ids};
use crate::admin::urls;
use crate::audit_log::AuditAction;
use crate::web::error::AppError;
use crate::web::request::current_user::UserId;

pub(super) struct EndInvitations;

#[async_trait(?Send)]
impl RowAction for EndInvitations {
    fn properties(&self) -> ActionProperties {
        ActionProperties {
            lists: vec![urls::INVITATIONS],
            ..ActionProperties::new("end_invitations", AuditAction::EndInvitation)
        }
    }

    async fn find_rows(&self, context: &mut ActionContext<'_>, keys: &[String]) -> Result<Vec<ActionTarget>, AppError> {
        let rows = sqlx::query!(
            r#"select i.id, i.made_by, concat(u.username, ' · ', i.uses, '/', i.max_uses) as "label!"
            from invitations i join users u on u.id = i.made_by
            where i.id = any($1) and i.uses < i.max_uses and i.expires_at > coalesce($2, clock_timestamp())
            order by i.id for no key update of i"#,
            &parse_ids(keys),
            context.state.clock.now(),
        );
        let rows = rows.fetch_all(&mut *context.connection).await?.into_iter().map(|row| ActionTarget {
            user: Some(UserId(row.made_by)),
            ..ActionTarget::new(row.id.to_string(), row.label).with_details(json!({ "invitation": row.id }))
        });
        Ok(rows.collect())
    }

    async fn apply(&self, context: &mut ActionContext<'_>, rows: &mut [ActionTarget]) -> Result<(), AppError> {
        let now = context.state.clock.read(&mut *context.connection).await?;
        sqlx::query!("update invitations set expires_at = $2 where id = any($1)", &row_ids(rows), now)
            .execute(&mut *context.connection)
            .await?;
        Ok(())
    }
}
