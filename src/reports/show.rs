//! Page of a case for a reporter or the author of the post.

use actix_web::web;
use askama::Template;
use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;

use super::cases::{self, Case, CaseId, CaseParty, CaseStage, Report, Ruling};
use super::{queries, report_link, urls};
use crate::i18n::{Phrase, filters};
use crate::state::AppState;
use crate::users::error::AccountError;
use crate::web::error::{AppError, LinkProblem};
use crate::web::request::current_user::CurrentUser;
use crate::web::request::query::Query;
use crate::web::response::form::Form;
use crate::web::response::layout::Layout;
use crate::web::response::view::PageResponse;
use crate::web::state::CoreState;
use crate::{page, phrase};

/// Report case as displayed to a reporter or to the author of the post.
#[derive(Debug, JsonSchema, Serialize)]
pub struct CaseDetail {
    #[serde(flatten)]
    pub(super) case: Case,
    pub(super) side: CaseParty,
    /// Report that the current user filed in this case.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) report: Option<Report>,
    /// `true` if the user can appeal now.
    pub(super) may_appeal: bool,
    /// End of the period for appeals; `None` without a decision.
    appeal_until: Option<DateTime<Utc>>,
}

impl CaseDetail {
    pub(super) fn new(case: Case, side: CaseParty, report: Option<Report>, now: DateTime<Utc>) -> Self {
        // Texts of appeals by other users are visible to staff only.
        let mine = report.as_ref().map(|report| report.id);
        let seen = |appeal: cases::Appeal| {
            let is_own = appeal.by == side && appeal.report == mine.filter(|_| side == CaseParty::Reporter);
            cases::Appeal { text: appeal.text.filter(|_| is_own), ..appeal }
        };
        let appeal = case.appeal.clone().map(seen);
        let before = case.before.clone().map(|before| cases::FirstDecision { appeal: seen(before.appeal), ..before });
        let may_appeal = case.may_appeal(side, now);
        let appeal_until = case.appeal_deadline().filter(|_| may_appeal);
        Self { case: Case { before, appeal, ..case }, side, report, may_appeal, appeal_until }
    }
}

#[derive(Template)]
#[template(path = "reports/case.html")]
pub struct CasePage {
    layout: Layout,
    form: Form,
    data: CaseDetail,
    appeal_path: String,
    /// `true` for anonymous reporters, who can access the page only with the signed URL.
    is_by_link: bool,
}

page!(CasePage, data: CaseDetail);

impl CasePage {
    pub(super) fn new(layout: Layout, form: Form, data: CaseDetail) -> Self {
        let appeal_path = urls::APPEAL_CASE.path_for(data.case.id);
        Self { layout, form, data, appeal_path, is_by_link: false }
    }

    pub(super) fn by_link(layout: Layout, form: Form, (data, appeal_path): (CaseDetail, String)) -> Self {
        Self { layout, form, data, appeal_path, is_by_link: true }
    }

    fn is_author(&self) -> bool {
        self.data.side == CaseParty::Author
    }

    fn is_taken_down(&self) -> bool {
        self.data.case.latest_decision().is_some_and(|decision| decision.ruling == Ruling::TakenDown)
    }

    fn who_appealed(&self, appeal: &cases::Appeal) -> Phrase {
        match (appeal.by, self.data.side) {
            _ if appeal.text.is_some() => phrase!("case-you-appealed"),
            (CaseParty::Author, _) => phrase!("case-author-appealed"),
            (CaseParty::Reporter, CaseParty::Author) => phrase!("case-reporter-appealed"),
            (CaseParty::Reporter, CaseParty::Reporter) => phrase!("case-other-appealed"),
        }
    }

    fn can_be_seen(&self) -> bool {
        self.data.case.is_published || (self.data.case.is_there && self.is_author())
    }

    fn is(&self, stage: CaseStage) -> bool {
        self.data.case.stage == stage
    }
}

pub(super) fn party_of_user(case: &Case, user: &CurrentUser) -> CaseParty {
    if case.author_id == Some(user.id) { CaseParty::Author } else { CaseParty::Reporter }
}

/// Returns the case if the user has reported the post, or if the user is its author and the case is decided.
pub(super) async fn load_case(state: &CoreState, user: &CurrentUser, id: CaseId) -> Result<CaseDetail, AppError> {
    let case = queries::find_case(&mut *state.pool.acquire().await?, id).await?.ok_or(AppError::NotFound)?;
    let report = queries::find_report_by_user(&state.pool, id, user.id).await?;
    let side = party_of_user(&case, user);
    let concerns = match side {
        CaseParty::Author => case.stage != CaseStage::Open,
        CaseParty::Reporter => report.is_some(),
    };
    if !concerns {
        return Err(AppError::NotFound);
    }
    Ok(CaseDetail::new(case, side, report, state.now().await?))
}

pub async fn show(
    id: CaseId,
    user: CurrentUser,
    layout: Layout,
    state: web::Data<AppState>,
) -> Result<PageResponse<CasePage>, AppError> {
    let data = load_case(&state, &user, id).await?;
    Ok(PageResponse::new(CasePage::new(layout, Form::default(), data)))
}

/// Loads the case of a signed link. Also returns the signed path of the page.
pub(super) async fn load_case_by_link(state: &CoreState, query: &Query) -> Result<(CaseDetail, String), AppError> {
    let token = query.get("token")?.unwrap_or_default();
    let (case, report) =
        report_link::verify_token(&state.keys, &token).ok_or(AccountError::MailLink(LinkProblem::Invalid))?;
    let path = report_link::signed_path(&state.keys, case, report);
    let report = queries::find_report_by_id(&state.pool, case, report).await?.ok_or(AppError::NotFound)?;
    let mut connection = state.pool.acquire().await?;
    let is_shared = queries::has_registered_reporter(&mut connection, case).await?;
    let case = queries::find_case(&mut connection, case).await?.ok_or(AppError::NotFound)?;
    let detail = CaseDetail::new(case, CaseParty::Reporter, Some(report), state.now().await?);
    // If a registered user also reported the post, an anonymous reporter must not use up the only appeal of the case.
    Ok((if is_shared { CaseDetail { may_appeal: false, appeal_until: None, ..detail } } else { detail }, path))
}

pub async fn show_by_link(
    layout: Layout,
    query: Query,
    state: web::Data<AppState>,
) -> Result<PageResponse<CasePage>, AppError> {
    let case = load_case_by_link(&state, &query).await?;
    Ok(PageResponse::new(CasePage::by_link(layout, Form::default(), case)))
}
