//! Bulk action that ends sessions.

use async_trait::async_trait;
use serde_json::json;

use super::action::{ActionContext, ActionProperties, ActionTarget, RowAction, row_keys};
use crate::access::Role;
use crate::admin::urls;
use crate::audit_log::AuditAction;
use crate::web::error::AppError;
use crate::web::request::current_user::UserId;

pub(super) struct EndSessions;

#[async_trait(?Send)]
impl RowAction for EndSessions {
    fn properties(&self) -> ActionProperties {
        ActionProperties {
            lists: vec![urls::SESSIONS],
            role: Role::Admin,
            ..ActionProperties::new("end_sessions", AuditAction::EndSessions)
        }
    }

    async fn find_rows(&self, context: &mut ActionContext<'_>, keys: &[String]) -> Result<Vec<ActionTarget>, AppError> {
        let rows = sqlx::query!(
            r#"select encode(substring(s.token_hash for 16), 'hex') as "key!",
                concat_ws(' · ', u.username, s.device, s.network) as "label!", s.user_id
            -- A key is the first half of a token hash: with it a range of hashes is found.
            from (select distinct key from unnest($1::text[]) key where key ~ '^[0-9a-f]{32}$') selected
                join sessions s on s.token_hash between decode(key, 'hex') and decode(key || repeat('ff', 16), 'hex')
                join users u on u.id = s.user_id
            order by s.token_hash for update of s"#,
            keys,
        );
        let rows = rows.fetch_all(&mut *context.connection).await?.into_iter().map(|row| ActionTarget {
            user: Some(UserId(row.user_id)),
            ..ActionTarget::new(row.key, row.label).with_details(json!({ "sessions": 1 }))
        });
        Ok(rows.collect())
    }

    async fn apply(&self, context: &mut ActionContext<'_>, rows: &mut [ActionTarget]) -> Result<(), AppError> {
        let ended = sqlx::query!(
            "delete from sessions s using unnest($1::text[]) key
            where s.token_hash between decode(key, 'hex') and decode(key || repeat('ff', 16), 'hex')",
            &row_keys(rows),
        );
        ended.execute(&mut *context.connection).await?;
        Ok(())
    }
}
