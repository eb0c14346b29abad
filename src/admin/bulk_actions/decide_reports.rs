//! Bulk actions on open report cases, except appeals and changed posts: keep the posts, or take them down.

use async_trait::async_trait;
use sqlx::PgConnection;

use super::action::{ActionContext, ActionProperties, ActionTarget, RowAction, SkipReason, parse_ids};
use crate::admin::urls;
use crate::audit_log::AuditAction;
use crate::reports::cases::{Case, CaseId, CaseStage, DecisionGround};
use crate::reports::decisions::{NewDecision, apply_decision, check_conflict_of_interest};
use crate::reports::queries::find_cases_by_ids;
use crate::web::error::AppError;
use crate::web::state::CoreState;

pub(super) struct DecideReports {
    pub takes_down: bool,
}

#[async_trait(?Send)]
impl RowAction for DecideReports {
    fn properties(&self) -> ActionProperties {
        let name = if self.takes_down { "take_down_posts" } else { "keep_posts" };
        ActionProperties {
            lists: vec![urls::REPORT_CASES],
            reason_hint: Some("action-decide-reason-hint"),
            ..ActionProperties::new(name, AuditAction::DecideReport)
        }
    }

    async fn find_rows(&self, context: &mut ActionContext<'_>, keys: &[String]) -> Result<Vec<ActionTarget>, AppError> {
        let ids = parse_ids(keys);
        let changed = lock_cases(&mut *context.connection, &ids).await?;
        let mut rows = Vec::new();
        for case in find_cases_by_ids(&mut *context.connection, &ids).await? {
            if case.stage == CaseStage::Open && case.is_there {
                let decides = check_conflict_of_interest(&mut *context.connection, context.by, &case).await?;
                let skipped = decides.err().map(|_| SkipReason::Involved);
                let skipped = skipped.or_else(|| changed.contains(&case.id.0).then_some(SkipReason::Changed));
                rows.push(ActionTarget { skipped, ..target(case) });
            }
        }
        Ok(rows)
    }

    async fn apply(&self, context: &mut ActionContext<'_>, rows: &mut [ActionTarget]) -> Result<(), AppError> {
        for row in rows {
            let (Ok(case), Some(post)) = (row.key.parse(), row.post) else { continue };
            let version = sqlx::query_scalar!("select version from blog_posts where id = $1", post);
            let decision = NewDecision {
                ground: self.takes_down.then_some(DecisionGround::Rules),
                reason: context.reason().to_owned(),
                seen: CaseStage::Open,
                version: version.fetch_one(&mut *context.connection).await?,
            };
            let (connection, state) = (&mut *context.connection, &**context.state);
            (_, row.details) = apply_decision(connection, state, context.by, CaseId(case), &decision).await?;
        }
        Ok(())
    }

    fn after_commit(&self, state: &CoreState) {
        state.page_cache.invalidate();
        state.mail.wake_delivery();
    }
}

/// Returns the cases whose posts were changed after the first report. Locks posts first, as in [`apply_decision`].
async fn lock_cases(connection: &mut PgConnection, ids: &[i64]) -> sqlx::Result<Vec<i64>> {
    sqlx::query!(
        "select from blog_posts where id in (select blog_id from report_cases where id = any($1)) order by id for no key update",
        ids,
    )
    .execute(&mut *connection)
    .await?;
    sqlx::query!("select from report_cases where id = any($1) order by id for no key update", ids)
        .execute(&mut *connection)
        .await?;
    let changed = sqlx::query_scalar!(
        "select c.id from report_cases c join blog_posts p on p.id = c.blog_id
        where c.id = any($1) and (c.title, c.content) <> (p.title, p.content)",
        ids,
    );
    changed.fetch_all(connection).await
}

fn target(case: Case) -> ActionTarget {
    ActionTarget {
        user: case.author_id,
        post: Some(case.post.0),
        path: Some(urls::REPORT_CASE.path_for(case.id)),
        ..ActionTarget::new(case.id.to_string(), case.title)
    }
}
