//! Notification emails about decisions on reports.

use sqlx::PgConnection;

use super::cases::{Case, CaseParty, CaseStage, DecisionGround, Ruling};
use super::urls;
use crate::i18n::{Phrase, PhraseValue};
use crate::phrase;
use crate::users::emails;
use crate::web::error::AppError;
use crate::web::request::current_user::UserId;
use crate::web::state::CoreState;

/// `was_down` is true if the post was taken down before the decision.
pub async fn notify(
    connection: &mut PgConnection,
    state: &CoreState,
    user: UserId,
    side: CaseParty,
    case: &Case,
    was_down: bool,
) -> Result<(), AppError> {
    let Some(phrase) = message(case, side, was_down) else { return Ok(()) };
    let path = urls::CASE.path_for(case.id);
    let kind = match side {
        CaseParty::Author => "post_decided",
        CaseParty::Reporter => "report_decided",
    };
    emails::enqueue(connection, state, user, kind, phrase, Some(&path)).await
}

fn message(case: &Case, side: CaseParty, was_down: bool) -> Option<Phrase> {
    let decision = case.latest_decision()?;
    let message = match (side, decision.ruling) {
        (_, Ruling::Gone) => return None,
        (CaseParty::Author, Ruling::TakenDown) => phrase!("mail-post-taken-down"),
        // No email says that a post stays published if the post is a draft or was taken down by another case.
        (_, Ruling::Kept) if !case.is_published => return None,
        (CaseParty::Author, Ruling::Kept) if was_down => phrase!("mail-post-republished"),
        (CaseParty::Reporter, Ruling::Kept) if was_down => phrase!("mail-report-post-republished"),
        (CaseParty::Author, Ruling::Kept) => phrase!("mail-post-stays-published"),
        (CaseParty::Reporter, Ruling::TakenDown) => phrase!("mail-report-post-taken-down"),
        (CaseParty::Reporter, Ruling::Kept) => phrase!("mail-report-post-stays-published"),
    };
    let is_final = case.stage == CaseStage::Closed && case.eligible_appellant().is_none();
    let message = message
        .with_argument("title", case.title.as_str())
        .with_argument("reason", decision.reason.clone().unwrap_or_default())
        .with_argument("law", decision.ground == Some(DecisionGround::Law))
        .with_argument("final", is_final);
    Some(message.with_argument("until", PhraseValue::Day(case.appeal_deadline()?)))
}
