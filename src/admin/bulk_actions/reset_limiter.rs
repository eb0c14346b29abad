//! Bulk action that deletes the rating limiter states of posts.

use async_trait::async_trait;
use serde_json::json;

use super::action::{ActionContext, ActionProperties, ActionTarget, RowAction, parse_ids, row_ids};
use crate::access::Role;
use crate::admin::urls;
use crate::audit_log::AuditAction;
use crate::web::error::AppError;
use evenkeel_limiters::AnyLimiter;

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
            r#"select p.id, p.title, s.states as "states!"
            from rating_totals t join blog_posts p on p.id = t.blog_id cross join lateral (
                select jsonb_object_agg(key, state) as states from limiter_states
                where limiter = any($2) and key between 'post:' || p.id || ':' and 'post:' || p.id || ';'
            ) s
            where t.blog_id = any($1) and s.states is not null order by t.blog_id for no key update of t"#,
            &parse_ids(keys),
            &limiter_names(),
        );
        let rows = rows.fetch_all(&mut *context.connection).await?.into_iter().map(|row| ActionTarget {
            post: Some(row.id),
            ..ActionTarget::new(row.id.to_string(), row.title).with_details(json!({ "before": row.states }))
        });
        Ok(rows.collect())
    }

    async fn apply(&self, context: &mut ActionContext<'_>, rows: &mut [ActionTarget]) -> Result<(), AppError> {
        sqlx::query!(
            r#"delete from limiter_states s using unnest($1::bigint[]) post (id)
            where limiter = any($2) and key between 'post:' || post.id || ':' and 'post:' || post.id || ';'"#,
            &row_ids(rows),
            &limiter_names(),
        )
        .execute(&mut *context.connection)
        .await?;
        Ok(())
    }
}

fn limiter_names() -> Vec<String> {
    AnyLimiter::NAMES.iter().copied().map(str::to_owned).collect()
}
