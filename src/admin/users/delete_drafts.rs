//! Bulk action that deletes the drafts of blocked users, except posts that staff took down.

use async_trait::async_trait;
use serde_json::json;

use super::accounts::{Account, find_accounts, rows_with_users};
use crate::admin::bulk_actions::action::{ActionContext, ActionProperties, ActionTarget, RowAction, SkipReason};
use crate::admin::urls;
use crate::audit_log::AuditAction;
use crate::web::error::AppError;

pub struct DeleteDrafts;

#[async_trait(?Send)]
impl RowAction for DeleteDrafts {
    fn properties(&self) -> ActionProperties {
        ActionProperties {
            lists: vec![urls::USERS],
            requires_reauthentication: true,
            ..ActionProperties::new("delete_drafts", AuditAction::DeleteDrafts)
        }
    }

    async fn find_rows(&self, context: &mut ActionContext<'_>, keys: &[String]) -> Result<Vec<ActionTarget>, AppError> {
        let skip = |account: &Account| (!account.is_blocked).then_some(SkipReason::NotBlocked);
        Ok(find_accounts(context, keys, skip).await?)
    }

    async fn apply(&self, context: &mut ActionContext<'_>, rows: &mut [ActionTarget]) -> Result<(), AppError> {
        for (user, row) in rows_with_users(rows) {
            let deleted = sqlx::query!(
                // Drafts that were published before have ratings, whose totals are locked first to avoid deadlocks.
                "with locked as materialized (
                    select t.blog_id from rating_totals t join blog_posts p on p.id = t.blog_id
                    where p.author_id = $1 and p.status = 'draft' and p.withheld_by is null order by t.blog_id for update of t
                )
                delete from blog_posts where author_id = $1 and status = 'draft' and withheld_by is null
                    and (select count(*) from locked) >= 0",
                user.0,
            );
            let deleted = deleted.execute(&mut *context.connection).await?.rows_affected();
            row.details = json!({ "drafts": deleted });
        }
        Ok(())
    }
}
