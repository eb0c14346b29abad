//! Bulk action that deletes limiter states, so that the limiters treat their keys as new.

use async_trait::async_trait;
use serde_json::json;

use super::action::{ActionContext, ActionProperties, ActionTarget, RowAction, row_keys};
use crate::access::Role;
use crate::admin::urls;
use crate::audit_log::AuditAction;
use crate::web::error::AppError;

pub(super) struct DeleteLimiterStates;

#[async_trait(?Send)]
impl RowAction for DeleteLimiterStates {
    fn properties(&self) -> ActionProperties {
        ActionProperties {
            lists: vec![urls::LIMITER_STATES],
            role: Role::Admin,
            requires_reauthentication: true,
            ..ActionProperties::new("forget_states", AuditAction::ForgetState)
        }
    }

    async fn find_rows(&self, context: &mut ActionContext<'_>, keys: &[String]) -> Result<Vec<ActionTarget>, AppError> {
        let (limiters, limiter_keys) = parse_keys(keys);
        let rows = sqlx::query!(
            "select limiter, key, state from limiter_states
            where (limiter, key) in (select * from unnest($1::text[], $2::text[])) and limiter <> 'rate_class'
            order by limiter, key for update",
            &limiters,
            &limiter_keys,
        );
        let rows = rows.fetch_all(&mut *context.connection).await?.into_iter().map(|row| {
            let details = json!({ "limiter": row.limiter, "key": row.key, "before": row.state });
            ActionTarget::new(format!("{}/{}", row.limiter, row.key), row.key).with_details(details)
        });
        Ok(rows.collect())
    }

    async fn apply(&self, context: &mut ActionContext<'_>, rows: &mut [ActionTarget]) -> Result<(), AppError> {
        let (limiters, limiter_keys) = parse_keys(&row_keys(rows));
        let deleted = sqlx::query!(
            "delete from limiter_states where (limiter, key) in (select * from unnest($1::text[], $2::text[]))",
            &limiters,
            &limiter_keys,
        );
        deleted.execute(&mut *context.connection).await?;
        Ok(())
    }
}

/// Parses the row keys, which have the format `limiter/key`.
fn parse_keys(keys: &[String]) -> (Vec<String>, Vec<String>) {
    let pairs = keys.iter().filter_map(|key| key.split_once('/'));
    pairs.map(|(limiter, key)| (limiter.to_owned(), key.to_owned())).unzip()
}
