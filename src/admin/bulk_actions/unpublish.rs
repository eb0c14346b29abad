//! Bulk action that turns posts into drafts, which their authors can publish again.

use async_trait::async_trait;

use super::action::{ActionContext, ActionProperties, ActionTarget, RowAction, parse_ids, row_ids};
use super::posts::{PostSelection, find_posts};
use crate::admin::urls;
use crate::audit_log::AuditAction;
use crate::blog_posts::urls::POST_BY_ID;
use crate::phrase;
use crate::users::emails;
use crate::web::error::AppError;
use crate::web::state::CoreState;

pub(super) struct Unpublish;

#[async_trait(?Send)]
impl RowAction for Unpublish {
    fn properties(&self) -> ActionProperties {
        ActionProperties {
            lists: vec![urls::POSTS, urls::FLAGGED_LINKS],
            inverse: Some("publish"),
            reason_hint: Some("action-unpublish-reason-hint"),
            ..ActionProperties::new("unpublish", AuditAction::UnpublishPost)
        }
    }

    async fn find_rows(&self, context: &mut ActionContext<'_>, keys: &[String]) -> Result<Vec<ActionTarget>, AppError> {
        Ok(find_posts(&mut *context.connection, &parse_ids(keys), PostSelection::Published).await?)
    }

    async fn apply(&self, context: &mut ActionContext<'_>, rows: &mut [ActionTarget]) -> Result<(), AppError> {
        let ActionContext { state, by, .. } = *context;
        let now = state.clock.read(&mut *context.connection).await?;
        sqlx::query!(
            "update blog_posts set status = 'draft', updated_at = $2, version = version + 1, publish_at = null,
                first_published_at = coalesce(first_published_at, published_at), published_at = null,
                unpublished_version = version + 1 where id = any($1)",
            &row_ids(rows),
            now,
        )
        .execute(&mut *context.connection)
        .await?;
        for row in rows {
            let Some((author, post)) = row.user.zip(row.post).filter(|(author, _)| *author != by.id) else { continue };
            let phrase = phrase!("mail-post-unpublished", title = row.label.as_str(), reason = context.reason());
            let path = POST_BY_ID.path_for(post);
            emails::enqueue(&mut *context.connection, state, author, "post_unpublished", phrase, Some(&path)).await?;
        }
        Ok(())
    }

    fn after_commit(&self, state: &CoreState) {
        state.page_cache.invalidate();
        state.mail.wake_delivery();
    }
}
