//! Bulk action that returns submitted posts to their authors as drafts.

use async_trait::async_trait;

use super::action::{ActionContext, ActionProperties, ActionTarget, RowAction, parse_ids, row_ids};
use super::posts::{PostSelection, find_posts};
use crate::admin::urls;
use crate::audit_log::AuditAction;
use crate::blog_posts::urls::EDIT_POST;
use crate::phrase;
use crate::users::emails;
use crate::web::error::AppError;
use crate::web::state::CoreState;

pub(super) struct ReturnPosts;

#[async_trait(?Send)]
impl RowAction for ReturnPosts {
    fn properties(&self) -> ActionProperties {
        ActionProperties {
            lists: vec![urls::POSTS],
            reason_hint: Some("action-unpublish-reason-hint"),
            ..ActionProperties::new("return_posts", AuditAction::ReturnPost)
        }
    }

    async fn find_rows(&self, context: &mut ActionContext<'_>, keys: &[String]) -> Result<Vec<ActionTarget>, AppError> {
        Ok(find_posts(&mut *context.connection, &parse_ids(keys), PostSelection::Submitted).await?)
    }

    async fn apply(&self, context: &mut ActionContext<'_>, rows: &mut [ActionTarget]) -> Result<(), AppError> {
        let ids = row_ids(rows);
        sqlx::query!(
            "update blog_posts set submitted_at = null, return_reason = $2, version = version + 1 where id = any($1)",
            &ids,
            context.reason(),
        )
        .execute(&mut *context.connection)
        .await?;
        for row in rows {
            let Some((author, post)) = row.user.zip(row.post) else { continue };
            let phrase = phrase!("mail-post-returned", title = row.label.as_str(), reason = context.reason());
            let path = EDIT_POST.path_for(post);
            let state = context.state;
            emails::enqueue(&mut *context.connection, state, author, "post_returned", phrase, Some(&path)).await?;
        }
        Ok(())
    }

    fn after_commit(&self, state: &CoreState) {
        state.mail.wake_delivery();
    }
}
