//! Form for reports of published posts, and storage of the reports.

use actix_web::http::header::LOCATION;
use actix_web::{Either, HttpResponse, web};
use askama::Template;
use schemars::JsonSchema;
use serde::Serialize;
use sqlx::PgConnection;

use super::cases::{CaseId, CaseParty};
use super::error::ReportError;
use super::input::{Explanation, ReportCategory};
use super::show::CaseDetail;
use super::{queries, report_link, urls};
use crate::blog_posts::PostId;
use crate::blog_posts::published_event::build_event_post;
use crate::i18n::filters;
use crate::state::AppState;
use crate::web::error::AppError;
use crate::web::request::body::Payload;
use crate::web::request::client::Client;
use crate::web::request::current_user::{CurrentUser, UserId};
use crate::web::request::form_field::{Fields, FormInput};
use crate::web::response::form::Form;
use crate::web::response::layout::Layout;
use crate::web::response::view::{ActionResult, FormResponse, PageResponse, handle_form};
use crate::web::state::CoreState;
use crate::webhooks::payload::FiledReport;
use crate::webhooks::{WebhookEvent, queue};
use crate::{page, phrase};

/// Limit of anonymous reports, because further reports would add nothing to the decision.
const MAX_ANONYMOUS_REPORTS_PER_CASE: i64 = 100;

/// Weight of a report by an anonymous visitor, who may send several reports.
const GUEST_WEIGHT: f64 = 0.1;

#[derive(Clone, Debug)]
pub struct NewReport {
    pub category: ReportCategory,
    pub explanation: Explanation,
}

impl FormInput for NewReport {
    const MAX_BYTES: usize = 64 * 1024;

    fn read(fields: &mut Fields) -> Option<Self> {
        let (category, explanation) = (fields.take("category"), fields.take("explanation"));
        Some(Self { category: category?, explanation: explanation? })
    }
}

/// Published post that can be reported.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct ReportablePost {
    pub id: PostId,
    pub title: String,
    #[serde(skip)]
    pub author: UserId,
}

impl ReportablePost {
    pub fn path(&self) -> String {
        crate::blog_posts::urls::POST_BY_ID.path_for(self.id)
    }
}

#[derive(Template)]
#[template(path = "reports/report.html")]
pub struct ReportPage {
    layout: Layout,
    form: Form,
    data: ReportablePost,
}

page!(ReportPage, data: ReportablePost);

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
    let data = find_reportable_post(&mut *state.pool.acquire().await?, post).await?;
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
        let filed = async move |connection: &mut PgConnection, state: &CoreState| {
            let (case, report) = file_report(connection, state, reporter, post, &report).await?;
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
        let data = CaseDetail::new(case, CaseParty::Reporter, report, now);
        Ok(ActionResult::new(data, path).with_message(phrase!("done-reported")))
    };
    let page = async |form: Form, _: &AppError| {
        let data = find_reportable_post(&mut *state.pool.acquire().await.ok()?, post).await.ok()?;
        Some(ReportPage { layout, form, data })
    };
    handle_form(payload, file, page).await
}

async fn find_reportable_post(connection: &mut PgConnection, PostId(id): PostId) -> Result<ReportablePost, AppError> {
    let post = sqlx::query_as!(
        ReportablePost,
        r#"select id as "id: PostId", title, author_id as "author: UserId" from blog_posts
        where id = $1 and status = 'published'"#,
        id,
    );
    post.fetch_optional(connection).await?.ok_or(AppError::NotFound)
}

/// Prevents changes to the post until the transaction ends.
async fn lock_reportable_post(connection: &mut PgConnection, post: PostId) -> Result<ReportablePost, AppError> {
    sqlx::query!("select from blog_posts where id = $1 for share", post.0).fetch_optional(&mut *connection).await?;
    find_reportable_post(connection, post).await
}

/// `reporter` is `None` for an anonymous visitor. Returns the ids of the case and of the report.
async fn file_report(
    connection: &mut PgConnection,
    state: &CoreState,
    reporter: Option<UserId>,
    post: PostId,
    report: &NewReport,
) -> Result<(CaseId, i64), AppError> {
    let category = report.category;
    let subject = lock_reportable_post(connection, post).await?;
    if reporter == Some(subject.author) {
        return Err(AppError::invalid_field("category", phrase!("invalid-own-report")));
    }
    let now = state.clock.read(connection).await?;
    // Stores the reported text, because the author may change the post. On conflict, the update locks the case, so that
    // concurrent reports of one post are serialized.
    let case = sqlx::query_scalar!(
        "insert into report_cases as c (blog_id, title, content, author_id, opened_at)
        select $1, $2, content, $3, $4 from blog_posts where id = $1
        on conflict (blog_id) where decided_at is null do update set title = c.title returning id",
        post.0,
        subject.title,
        subject.author.0,
        now,
    );
    let case = case.fetch_one(&mut *connection).await?;
    check_reports(connection, case, reporter).await?;
    let report = sqlx::query_scalar!(
        "insert into reports (case_id, user_id, category, explanation, reported_at) values ($1, $2, $3, $4, $5) returning id",
        case,
        reporter.map(|UserId(id)| id),
        report.category.name(),
        report.explanation.0,
        now,
    );
    let report = report.fetch_one(&mut *connection).await?;
    let weight = report_weight(connection, reporter).await?;
    sqlx::query!("update report_cases set weight = weight + $2 where id = $1", case, weight)
        .execute(&mut *connection)
        .await?;
    enqueue_event(connection, state, case, &subject, category).await?;
    Ok((CaseId(case), report))
}

async fn check_reports(connection: &mut PgConnection, case: i64, reporter: Option<UserId>) -> Result<(), AppError> {
    let reports = sqlx::query!(
        r#"select count(*) filter (where user_id is null) as "anonymous!",
            coalesce(bool_or(user_id = $2), false) as "is_mine!" from reports where case_id = $1"#,
        case,
        reporter.map(|UserId(id)| id),
    );
    let reports = reports.fetch_one(connection).await?;
    match reports.anonymous {
        _ if reports.is_mine => Err(ReportError::AlreadyReported.into()),
        MAX_ANONYMOUS_REPORTS_PER_CASE.. if reporter.is_none() => Err(ReportError::EnoughReports.into()),
        _ => Ok(()),
    }
}

/// Weight of a report in the order of cases: the share of takedowns among the last 100 decided reports of the reporter.
/// One takedown and one dismissal are added, so that a new reporter has a weight of 0.5.
async fn report_weight(connection: &mut PgConnection, reporter: Option<UserId>) -> sqlx::Result<f64> {
    let Some(UserId(reporter)) = reporter else { return Ok(GUEST_WEIGHT) };
    let weight = sqlx::query_scalar!(
        r#"select (1 + count(*) filter (where ruling = 'taken_down')) / (2.0 + count(*))::float8 as "weight!"
        from (
            select coalesce(c.final_ruling, c.ruling) as ruling from reports r join report_cases c on c.id = r.case_id
            where r.user_id = $1 and coalesce(c.final_ruling, c.ruling) in ('kept', 'taken_down') order by r.id desc limit 100
        ) decided"#,
        reporter,
    );
    weight.fetch_one(connection).await
}

/// Queues a webhook event without the explanation, which may contain personal data.
async fn enqueue_event(
    connection: &mut PgConnection,
    state: &CoreState,
    case: i64,
    post: &ReportablePost,
    category: ReportCategory,
) -> sqlx::Result<()> {
    let data = FiledReport {
        case,
        category: category.name(),
        url: state.settings.absolute_url(&urls::CASE_FOR_STAFF.path_for(case)),
        post: build_event_post(state, post.id.0, post.title.clone()),
    };
    queue::enqueue(connection, &state.clock, WebhookEvent::ReportFiled, &data).await
}
