//! Bulk action that ends rating pauses, so that the users can rate the posts again.

use async_trait::async_trait;
use chrono::{DateTime, Utc};

use super::action::{ActionContext, ActionProperties, ActionTarget, RowAction};
use super::pauses::{find_pauses, rating_keys};
use crate::admin::urls;
use crate::audit_log::AuditAction;
use crate::rate::zombie_pauses::models::unpause_pairs;
use crate::web::error::AppError;

pub(super) struct LiftPauses;

#[async_trait(?Send)]
impl RowAction for LiftPauses {
    fn properties(&self) -> ActionProperties {
        ActionProperties {
            lists: vec![urls::ZOMBIE_PAUSES],
            ..ActionProperties::new("lift_pauses", AuditAction::LiftPause)
        }
    }

    async fn find_rows(&self, context: &mut ActionContext<'_>, keys: &[String]) -> Result<Vec<ActionTarget>, AppError> {
        Ok(find_pauses(&mut *context.connection, keys, true, DateTime::<Utc>::MAX_UTC).await?)
    }

    async fn apply(&self, context: &mut ActionContext<'_>, rows: &mut [ActionTarget]) -> Result<(), AppError> {
        let now = context.state.clock.read(&mut *context.connection).await?;
        unpause_pairs(&mut *context.connection, &rating_keys(rows), now).await?;
        Ok(())
    }
}
