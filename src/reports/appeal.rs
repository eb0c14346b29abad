//! Appeals against decisions on reported posts.

use actix_web::web;
use sqlx::PgConnection;

use super::cases::{Case, CaseId, CaseParty, CaseStage, Report};
use super::error::ReportError;
use super::input::Explanation;
use super::show::{CaseDetail, CasePage, load_case, load_case_by_link};
use super::{queries, urls};
use crate::phrase;
use crate::state::AppState;
use crate::web::error::AppError;
use crate::web::request::body::Payload;
use crate::web::request::current_user::CurrentUser;
use crate::web::request::form_field::{Fields, FormInput};
use crate::web::request::query::Query;
use crate::web::response::form::Form;
use crate::web::response::layout::Layout;
use crate::web::response::view::{ActionResult, FormResponse, handle_form};
use crate::web::state::CoreState;

#[derive(Clone, Debug)]
pub struct NewAppeal(pub Explanation);

impl FormInput for NewAppeal {
    const MAX_BYTES: usize = 64 * 1024;

    fn read(fields: &mut Fields) -> Option<Self> {
        fields.take("appeal").map(Self)
    }
}

pub async fn appeal(
    payload: Payload<NewAppeal>,
    id: CaseId,
    user: CurrentUser,
    layout: Layout,
    state: web::Data<AppState>,
) -> Result<FormResponse<CaseDetail, CasePage>, AppError> {
    let act = async |new_appeal: NewAppeal| {
        let CaseDetail { side, report, .. } = load_case(&state, &user, id).await?;
        let data = file_appeal(&state, id, side, new_appeal, report).await?;
        Ok(ActionResult::new(data, urls::CASE.path_for(id)).with_message(phrase!("done-appealed")))
    };
    let form =
        async |form: Form, _: &AppError| Some(CasePage::new(layout, form, load_case(&state, &user, id).await.ok()?));
    handle_form(payload, act, form).await
}

pub async fn appeal_by_link(
    payload: Payload<NewAppeal>,
    layout: Layout,
    query: Query,
    state: web::Data<AppState>,
) -> Result<FormResponse<CaseDetail, CasePage>, AppError> {
    let act = async |new_appeal: NewAppeal| {
        let (CaseDetail { case, side, report, may_appeal, .. }, path) = load_case_by_link(&state, &query).await?;
        if !may_appeal {
            return Err(ReportError::NoAppeal.into());
        }
        let data = file_appeal(&state, case.id, side, new_appeal, report).await?;
        Ok(ActionResult::new(data, path).with_message(phrase!("done-appealed")))
    };
    let form = async |form: Form, _: &AppError| {
        Some(CasePage::by_link(layout, form, load_case_by_link(&state, &query).await.ok()?))
    };
    handle_form(payload, act, form).await
}

async fn file_appeal(
    state: &CoreState,
    id: CaseId,
    side: CaseParty,
    new_appeal: NewAppeal,
    report: Option<Report>,
) -> Result<CaseDetail, AppError> {
    let by = report.as_ref().map(|report| report.id).filter(|_| side == CaseParty::Reporter);
    let act = async move |connection: &mut PgConnection, state: &CoreState| {
        let case = store_appeal(connection, state, id, by, &new_appeal).await?;
        Ok((case, state.clock.read(connection).await?))
    };
    let (case, now) = state.transaction(act).await?;
    tracing::info!(case_id = id.0, side = side.name(), "report decision appealed");
    Ok(CaseDetail::new(case, side, report, now))
}

/// `by` is the id of the report by the reporter who appeals; `None` for the author of the post.
async fn store_appeal(
    connection: &mut PgConnection,
    state: &CoreState,
    case: CaseId,
    by: Option<i64>,
    NewAppeal(text): &NewAppeal,
) -> Result<Case, AppError> {
    let now = state.clock.read(connection).await?;
    let locked_case = queries::lock_case(connection, case).await?;
    let side = if by.is_some() { CaseParty::Reporter } else { CaseParty::Author };
    if !locked_case.may_appeal(side, now) {
        return Err(ReportError::NoAppeal.into());
    }
    if locked_case.stage == CaseStage::Closed {
        reopen(connection, case).await?;
    }
    sqlx::query!(
        "update report_cases set appeal = $2, appeal_by = $3, appeal_report = $5, appealed_at = $4 where id = $1",
        case.0,
        text.0,
        side.name(),
        now,
        by,
    )
    .execute(&mut *connection)
    .await?;
    let case = queries::find_case(connection, case).await?.ok_or(AppError::NotFound)?;
    debug_assert_eq!(case.stage, CaseStage::Appealed, "the appeal was written");
    Ok(case)
}

/// Moves the final decision of a case to the columns of the first decision, so that the author can appeal against it.
/// The previous decision and its appeal move to the column `before`.
async fn reopen(connection: &mut PgConnection, CaseId(case): CaseId) -> sqlx::Result<()> {
    let begun = sqlx::query!(
        "update report_cases set ruling = final_ruling, ground = final_ground, reason = final_reason,
            decided_at = final_at, decided_by = final_by, final_ruling = null, final_ground = null, final_reason = null,
            final_at = null, final_by = null, before = jsonb_build_object(
                'decision', jsonb_build_object('ruling', ruling, 'ground', ground, 'reason', reason, 'at', decided_at),
                'appeal', jsonb_build_object('by', appeal_by, 'report', appeal_report, 'text', appeal, 'at', appealed_at)
            )
        where id = $1",
        case,
    );
    begun.execute(connection).await.map(drop)
}
