//! Actions that unpublish posts, and republish posts that staff unpublished.

use async_trait::async_trait;
use sqlx::PgConnection;

use super::action::{ActionContext, ActionProperties, ActionTarget, RowAction, parse_ids, row_ids};
use crate::admin::urls;
use crate::audit_log::AuditAction;
use crate::blog_posts::published_event;
use crate::blog_posts::urls::POST_BY_ID;
use crate::phrase;
use crate::users::emails;
use crate::web::error::AppError;
use crate::web::request::current_user::UserId;
use crate::web::state::CoreState;

/// Staff can publish only drafts that staff unpublished and that have not changed since.
async fn find_posts(
    connection: &mut PgConnection,
    ids: &[i64],
    are_published: bool,
) -> sqlx::Result<Vec<ActionTarget>> {
    let rows = sqlx::query!(
        "select id, title, author_id from blog_posts
        where id = any($1) and case when $2 then status = 'published'
            else status = 'draft' and withheld_by is null and unpublished_version = version end
        order by id for no key update",
        ids,
        are_published,
    );
    let rows = rows.fetch_all(connection).await?.into_iter().map(|row| ActionTarget {
        user: Some(UserId(row.author_id)),
        post: Some(row.id),
        ..ActionTarget::new(row.id.to_string(), row.title)
    });
    Ok(rows.collect())
}

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
        Ok(find_posts(&mut *context.connection, &parse_ids(keys), false).await?)
    }

    async fn apply(&self, context: &mut ActionContext<'_>, rows: &mut [ActionTarget]) -> Result<(), AppError> {
        let (state, ids) = (context.state, row_ids(rows));
        let now = state.clock.read(&mut *context.connection).await?;
        sqlx::query!(
            "update blog_posts set status = 'published', updated_at = $2, version = version + 1, publish_at = null,
                published_at = coalesce(first_published_at, $2), unpublished_version = null where id = any($1)",
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
        Ok(find_posts(&mut *context.connection, &parse_ids(keys), true).await?)
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
            emails::enqueue(&mut *context.connection, state, author, |state, to| {
                emails::notification_email(state, to, "post_unpublished", phrase, &path)
            })
            .await?;
        }
        Ok(())
    }

    fn after_commit(&self, state: &CoreState) {
        state.page_cache.invalidate();
        state.mail.wake_delivery();
    }
}
