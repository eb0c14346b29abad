//! Bulk action that publishes submitted posts and posts that staff unpublished.

use async_trait::async_trait;

use super::action::{ActionContext, ActionProperties, ActionTarget, RowAction, parse_ids, row_ids};
use super::posts::{PostSelection, find_posts};
use crate::admin::urls;
use crate::audit_log::AuditAction;
use crate::blog_posts::published_event;
use crate::web::error::AppError;
use crate::web::state::CoreState;

pub(super) struct Publish;

#[async_trait(?Send)]
impl RowAction for Publish {
    fn properties(&self) -> ActionProperties {
        ActionProperties {
            lists: vec![urls::POSTS],
            inverse: Some("unpublish"),
            ..ActionProperties::new("publish", AuditAction::PublishPost)
        }
    }

    async fn find_rows(&self, context: &mut ActionContext<'_>, keys: &[String]) -> Result<Vec<ActionTarget>, AppError> {
        Ok(find_posts(&mut *context.connection, &parse_ids(keys), PostSelection::Publishable).await?)
    }

    async fn apply(&self, context: &mut ActionContext<'_>, rows: &mut [ActionTarget]) -> Result<(), AppError> {
        let (state, ids) = (context.state, row_ids(rows));
        let now = state.clock.read(&mut *context.connection).await?;
        sqlx::query!(
            "update blog_posts set status = 'published', updated_at = $2, version = version + 1, publish_at = null,
                published_at = coalesce(first_published_at, $2), unpublished_version = null,
                submitted_at = null, return_reason = null where id = any($1)",
            &ids,
            now,
        )
        .execute(&mut *context.connection)
        .await?;
        Ok(published_event::enqueue(&mut *context.connection, state, &ids).await?)
    }

    fn after_commit(&self, state: &CoreState) {
        state.page_cache.invalidate();
    }
}
