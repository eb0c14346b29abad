//! Deletes the rating limiter states of posts.

use async_trait::async_trait;
use serde_json::json;

use super::action::{ActionContext, ActionProperties, ActionTarget, RowAction, parse_ids, row_ids};
use crate::admin::urls;
use crate::audit_log::AuditAction;
use crate::web::error::AppError;
use crate::web::request::role::Role;

pub(super) struct ResetLimiter;

#[async_trait(?Send)]
impl RowAction for ResetLimiter {
    fn properties(&self) -> ActionProperties {
        ActionProperties {
            lists: vec![urls::POSTS],
            role: Role::Admin,
            requires_reauthentication: true,
            ..ActionProperties::new("reset_limiter", AuditAction::ForgetState)
        }
    }

    async fn find_rows(&self, context: &mut ActionContext<'_>, keys: &[String]) -> Result<Vec<ActionTarget>, AppError> {
        let rows = sqlx::query!(
            "select p.id, p.title, t.limiter_state from rating_totals t join blog_posts p on p.id = t.blog_id
            where t.blog_id = any($1) and t.limiter_state <> '{}' order by t.blog_id for no key update of t",
            &parse_ids(keys),
        );
        let rows = rows.fetch_all(&mut *context.connection).await?.into_iter().map(|row| ActionTarget {
            post: Some(row.id),
            ..ActionTarget::new(row.id.to_string(), row.title).with_details(json!({ "before": row.limiter_state }))
        });
        Ok(rows.collect())
    }

    async fn apply(&self, context: &mut ActionContext<'_>, rows: &mut [ActionTarget]) -> Result<(), AppError> {
        sqlx::query!("update rating_totals set limiter_state = '{}' where blog_id = any($1)", &row_ids(rows))
            .execute(&mut *context.connection)
            .await?;
        Ok(())
    }
}
