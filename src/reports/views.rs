//! Views of reports for reporters and authors: report form, case page, list of cases, appeals.

use actix_web::http::header::LOCATION;
use actix_web::{Either, HttpResponse, web};
use askama::Template;
use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;

use super::cases::{self, Case, CaseId, CaseParty, CaseStage, Report, Ruling};
use super::error::ReportError;
use super::filing::{self, ReportablePost};
use super::input::{NewAppeal, NewReport, ReportCategory};
use super::{queries, report_link, urls};
use crate::blog_posts::PostId;
use crate::i18n::{Phrase, filters};
use crate::state::AppState;
use crate::users::error::AccountError;
use crate::web::error::{AppError, LinkProblem};
use crate::web::request::body::Payload;
use crate::web::request::client::Client;
use crate::web::request::current_user::CurrentUser;
use crate::web::request::query::Query;
use crate::web::response::form::Form;
use crate::web::response::layout::Layout;
use crate::web::response::pagination::{Pager, ResultPage};
use crate::web::response::view::{ActionResult, FormResponse, PageResponse, handle_form};
use crate::web::state::CoreState;
use crate::{page, phrase};

#[derive(Template)]
#[template(path = "reports/report.html")]
pub struct ReportPage {
    layout: Layout,
    form: Form,
    data: ReportablePost,
}

page!(ReportPage, data: ReportablePost);

/// Report case as displayed to a reporter or to the author of the post.
#[derive(Debug, JsonSchema, Serialize)]
pub struct CaseDetail {
    #[serde(flatten)]
    case: Case,
    side: CaseParty,
    /// Report that the current user filed in this case.
    #[serde(skip_serializing_if = "Option::is_none")]
    report: Option<Report>,
    /// `true` if the user can appeal now.
    may_appeal: bool,
    /// End of the period for appeals; `None` without a decision.
    appeal_until: Option<DateTime<Utc>>,
}

impl CaseDetail {
    fn of(case: Case, side: CaseParty, report: Option<Report>, now: DateTime<Utc>) -> Self {
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

#[derive(Template)]
#[template(path = "reports/mine.html")]
pub struct CaseListPage {
    layout: Layout,
    data: ResultPage<CaseListItem>,
}

page!(CaseListPage, data: ResultPage<CaseListItem>, list data);

#[derive(Debug, JsonSchema, Serialize)]
pub struct CaseListItem {
    #[serde(flatten)]
    case: Case,
    side: CaseParty,
}

impl CaseListItem {
    fn path(&self) -> String {
        urls::CASE.path_for(self.case.id)
    }

    fn is_author(&self) -> bool {
        self.side == CaseParty::Author
    }
}

fn side(case: &Case, user: &CurrentUser) -> CaseParty {
    if case.author_id == Some(user.id) { CaseParty::Author } else { CaseParty::Reporter }
}

pub async fn report_form(
    post: PostId,
    reader: Option<CurrentUser>,
    layout: Layout,
    state: web::Data<AppState>,
) -> Result<Either<PageResponse<ReportPage>, HttpResponse>, AppError> {
    if let Some(reader) = &reader
        && let Some(case) = queries::find_open_case_reported_by(&state.pool, post, reader.id).await?
    {
        let response = HttpResponse::SeeOther().insert_header((LOCATION, urls::CASE.path_for(case))).finish();
        return Ok(Either::Right(response));
    }
    let data = filing::find_reportable_post(&mut *state.pool.acquire().await?, post).await?;
    Ok(Either::Left(PageResponse::new(ReportPage { layout, form: Form::default(), data })))
}

pub async fn report(
    payload: Payload<NewReport>,
    post: PostId,
    client: Client,
    reader: Option<CurrentUser>,
    layout: Layout,
    state: web::Data<AppState>,
) -> Result<FormResponse<CaseDetail, ReportPage, 201>, AppError> {
    let file = async |report: NewReport| {
        let reporter = reader.as_ref().map(|reader| reader.id);
        state.accounts.throttle.count_report(client, reporter).await?;
        let filed = async move |connection: &mut sqlx::PgConnection, state: &CoreState| {
            let (case, report) = filing::file_report(connection, state, reporter, post, &report).await?;
            let case = queries::find_case(connection, case).await?.ok_or(AppError::NotFound)?;
            Ok((case, report))
        };
        let (case, report) = state.transaction(filed).await?;
        tracing::info!(post_id = post.0, case_id = case.id.0, "post reported");
        let path = match reporter {
            Some(_) => urls::CASE.path_for(case.id),
            None => report_link::signed_path(&state.keys, case.id, report),
        };
        let (report, now) = (queries::find_report_by_id(&state.pool, case.id, report).await?, state.now().await?);
        let data = CaseDetail::of(case, CaseParty::Reporter, report, now);
        Ok(ActionResult::new(data, path).with_message(phrase!("done-reported")))
    };
    let page = async |form: Form, _: &AppError| {
        let data = filing::find_reportable_post(&mut *state.pool.acquire().await.ok()?, post).await.ok()?;
        Some(ReportPage { layout, form, data })
    };
    handle_form(payload, file, page).await
}

pub async fn list(
    user: CurrentUser,
    layout: Layout,
    query: Query,
    state: web::Data<AppState>,
) -> Result<PageResponse<CaseListPage>, AppError> {
    let pager = Pager::new(urls::CASE_LIST.pattern, &query, &state.keys, queries::PAGE_SIZE)?;
    let ResultPage { results, next, previous, partial } = queries::list_user_cases(&state.pool, &user, &pager).await?;
    let mine = |case: Case| {
        let side = side(&case, &user);
        CaseListItem { case: CaseDetail::of(case, side, None, DateTime::default()).case, side }
    };
    let results = results.into_iter().map(mine).collect();
    Ok(PageResponse::new(CaseListPage { layout, data: ResultPage { results, next, previous, partial } }))
}

/// Returns the case if the user has reported the post, or if the user is its author and the case is decided.
async fn load_case(state: &CoreState, user: &CurrentUser, id: CaseId) -> Result<CaseDetail, AppError> {
    let case = queries::find_case(&mut *state.pool.acquire().await?, id).await?.ok_or(AppError::NotFound)?;
    let report = queries::find_report_by_user(&state.pool, id, user.id).await?;
    let side = side(&case, user);
    let concerns = match side {
        CaseParty::Author => case.stage != CaseStage::Open,
        CaseParty::Reporter => report.is_some(),
    };
    if !concerns {
        return Err(AppError::NotFound);
    }
    Ok(CaseDetail::of(case, side, report, state.now().await?))
}

pub async fn show(
    id: CaseId,
    user: CurrentUser,
    layout: Layout,
    state: web::Data<AppState>,
) -> Result<PageResponse<CasePage>, AppError> {
    let data = load_case(&state, &user, id).await?;
    Ok(PageResponse::new(page(layout, Form::default(), data)))
}

fn page(layout: Layout, form: Form, data: CaseDetail) -> CasePage {
    let appeal_path = urls::APPEAL_CASE.path_for(data.case.id);
    CasePage { layout, form, data, appeal_path, is_by_link: false }
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
    let form = async |form: Form, _: &AppError| Some(page(layout, form, load_case(&state, &user, id).await.ok()?));
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
    let act = async move |connection: &mut sqlx::PgConnection, state: &CoreState| {
        let case = filing::file_appeal(connection, state, id, by, &new_appeal).await?;
        Ok((case, state.clock.read(connection).await?))
    };
    let (case, now) = state.transaction(act).await?;
    tracing::info!(case_id = id.0, side = side.name(), "report decision appealed");
    Ok(CaseDetail::of(case, side, report, now))
}

async fn load_case_by_link(state: &CoreState, query: &Query) -> Result<(CaseDetail, String), AppError> {
    let token = query.get("token")?.unwrap_or_default();
    let (case, report) =
        report_link::verify_token(&state.keys, &token).ok_or(AccountError::MailLink(LinkProblem::Invalid))?;
    let path = report_link::signed_path(&state.keys, case, report);
    let report = queries::find_report_by_id(&state.pool, case, report).await?.ok_or(AppError::NotFound)?;
    let mut connection = state.pool.acquire().await?;
    let is_shared = queries::has_registered_reporter(&mut connection, case).await?;
    let case = queries::find_case(&mut connection, case).await?.ok_or(AppError::NotFound)?;
    let detail = CaseDetail::of(case, CaseParty::Reporter, Some(report), state.now().await?);
    // Otherwise, anybody could use up the only appeal of the registered reporters.
    Ok((if is_shared { CaseDetail { may_appeal: false, appeal_until: None, ..detail } } else { detail }, path))
}

pub async fn show_by_link(
    layout: Layout,
    query: Query,
    state: web::Data<AppState>,
) -> Result<PageResponse<CasePage>, AppError> {
    let (data, appeal_path) = load_case_by_link(&state, &query).await?;
    Ok(PageResponse::new(CasePage { layout, form: Form::default(), data, appeal_path, is_by_link: true }))
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
        let (data, appeal_path) = load_case_by_link(&state, &query).await.ok()?;
        Some(CasePage { layout, form, data, appeal_path, is_by_link: true })
    };
    handle_form(payload, act, form).await
}
