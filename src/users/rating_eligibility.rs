//! Check that an account may rate (`RATING_ELIGIBILITY`).

use chrono::{DateTime, TimeDelta, Utc};

use crate::i18n::{Phrase, PhraseValue};
use crate::phrase;
use crate::web::request::current_user::UserId;
use crate::web::state::CoreState;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MissingRequirements {
    /// Time from which the account is old enough; `None` if the account is old enough now.
    pub old_enough_at: Option<DateTime<Utc>>,
    pub needs_confirmed_email: bool,
}

impl MissingRequirements {
    /// Error message, whose Fluent attribute `detail` contains advice for the user.
    pub fn message(self) -> Phrase {
        match self {
            Self { old_enough_at: None, .. } => phrase!("error-email-needed-to-rate"),
            Self { old_enough_at: Some(time), needs_confirmed_email } => phrase!(
                "error-too-new-to-rate",
                time = PhraseValue::Minute(time),
                email = PhraseValue::Choice(if needs_confirmed_email { "needed" } else { "confirmed" }.into())
            ),
        }
    }
}

pub async fn find_missing_requirements(
    state: &CoreState,
    UserId(user): UserId,
) -> sqlx::Result<Option<MissingRequirements>> {
    if state.site().policy.rating_eligibility.is_everybody() {
        return Ok(None);
    }
    // The query is boxed, so that the future of every rating request stays small.
    Box::pin(check_requirements(state, UserId(user))).await
}

async fn check_requirements(state: &CoreState, UserId(user): UserId) -> sqlx::Result<Option<MissingRequirements>> {
    let policy = state.site().policy.rating_eligibility;
    let row = sqlx::query!(
        r#"select created_at, email_confirmed_at is not null as "is_confirmed!",
            coalesce($2, clock_timestamp()) as "now!"
        from users where id = $1"#,
        user,
        state.clock.now(),
    );
    let Some(row) = row.fetch_optional(&state.pool).await? else { return Ok(None) };
    let old_enough_at = row.created_at + TimeDelta::hours(policy.min_account_age_hours.into());
    let missing = MissingRequirements {
        old_enough_at: Some(old_enough_at).filter(|time| *time > row.now),
        needs_confirmed_email: policy.confirmed_email && !row.is_confirmed,
    };
    let is_eligible = missing.old_enough_at.is_none() && !missing.needs_confirmed_email;
    Ok(Some(missing).filter(|_| !is_eligible))
}
