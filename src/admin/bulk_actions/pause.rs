//! Bulk action that pauses ratings of posts by users whose attempts keep failing.

use async_trait::async_trait;
use chrono::TimeDelta;

use super::action::{ActionContext, ActionProperties, ActionTarget, RowAction};
use super::pauses::{find_pauses, rating_keys};
use crate::admin::urls;
use crate::audit_log::AuditAction;
use crate::phrase;
use crate::rate::zombie_pauses::models::pause_pairs;
use crate::web::error::AppError;

pub(super) struct Pause;

#[async_trait(?Send)]
impl RowAction for Pause {
    fn properties(&self) -> ActionProperties {
        ActionProperties {
            lists: vec![urls::ZOMBIE_PAUSES],
            inverse: Some("lift_pauses"),
            ..ActionProperties::new("pause", AuditAction::PauseRatings)
        }
    }

    async fn find_rows(&self, context: &mut ActionContext<'_>, keys: &[String]) -> Result<Vec<ActionTarget>, AppError> {
        let now = context.state.clock.read(&mut *context.connection).await?;
        let grace = grace(context);
        Ok(find_pauses(&mut *context.connection, keys, false, now - grace).await?)
    }

    async fn apply(&self, context: &mut ActionContext<'_>, rows: &mut [ActionTarget]) -> Result<(), AppError> {
        if !context.state.pauses.is_enabled() {
            return Err(AppError::invalid_field("act", phrase!("invalid-pauses-off")));
        }
        let now = context.state.clock.read(&mut *context.connection).await?;
        let grace = grace(context);
        pause_pairs(&mut *context.connection, &rating_keys(rows), now, grace).await?;
        Ok(())
    }
}

/// Time after the end of a pause during which the user is not paused again.
fn grace(context: &ActionContext<'_>) -> TimeDelta {
    TimeDelta::milliseconds(context.state.pauses.default_limiter().params().grace_ms)
}
