//! Bulk action that makes accounts read-only for a time or permanently.

use async_trait::async_trait;
use serde_json::json;

use super::accounts::{find_accounts, rows_with_users};
use crate::admin::bulk_actions::action::{ActionContext, ActionProperties, ActionTarget, ExtraField, RowAction};
use crate::admin::urls;
use crate::audit_log::AuditAction;
use crate::i18n::PhraseValue;
use crate::phrase;
use crate::users::emails;
use crate::users::error::AccountError;
use crate::users::models::is_last_owner;
use crate::users::urls::ACCOUNT;
use crate::web::error::AppError;
use crate::web::state::CoreState;

pub struct Block;

#[async_trait(?Send)]
impl RowAction for Block {
    fn properties(&self) -> ActionProperties {
        ActionProperties {
            lists: vec![urls::USERS],
            inverse: Some("unblock"),
            reason_hint: Some("users-block-reason-hint"),
            extra_field: Some(ExtraField::Days),
            locks_staff: true,
            ..ActionProperties::new("block", AuditAction::BlockUser)
        }
    }

    /// Skips no blocked account, because a block can be replaced with a block of another length or reason.
    async fn find_rows(&self, context: &mut ActionContext<'_>, keys: &[String]) -> Result<Vec<ActionTarget>, AppError> {
        Ok(find_accounts(context, keys, |_| None).await?)
    }

    async fn apply(&self, context: &mut ActionContext<'_>, rows: &mut [ActionTarget]) -> Result<(), AppError> {
        let (state, reason) = (context.state, context.reason());
        let length = context.input.and_then(|input| input.block_length);
        for (user, row) in rows_with_users(rows) {
            if is_last_owner(&mut *context.connection, &state.clock, user).await? {
                return Err(AccountError::LastOwner.into());
            }
            let until = sqlx::query_scalar!(
                "update users set blocked_at = clock.now, blocked_reason = $2,
                    blocked_until = clock.now + make_interval(secs => $3)
                from (select coalesce($4, clock_timestamp()) as now) clock where id = $1 returning blocked_until",
                user.0,
                reason,
                length.map(|length| length.as_secs_f64()),
                state.clock.now(),
            );
            let until = until.fetch_one(&mut *context.connection).await?;
            let phrase = match until {
                Some(until) => phrase!("mail-blocked-until", reason = reason, time = PhraseValue::Minute(until)),
                None => phrase!("mail-blocked", reason = reason),
            };
            let path = Some(ACCOUNT.pattern);
            emails::enqueue(&mut *context.connection, state, user, "blocked", phrase, path).await?;
            row.details = json!({ "until": until });
        }
        Ok(())
    }

    fn after_commit(&self, state: &CoreState) {
        state.mail.wake_delivery();
    }
}
