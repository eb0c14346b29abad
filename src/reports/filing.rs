//! Reports and appeals: validation and storage.

use schemars::JsonSchema;
use serde::Serialize;
use sqlx::PgConnection;

use super::cases::{Case, CaseId, CaseParty, CaseStage};
use super::error::ReportError;
use super::input::{NewAppeal, NewReport, ReportCategory};
use super::{queries, urls};
use crate::blog_posts::PostId;
use crate::blog_posts::published_event::event_post;
use crate::phrase;
use crate::web::error::AppError;
use crate::web::request::current_user::UserId;
use crate::web::state::CoreState;
use crate::webhooks::payload::FiledReport;
use crate::webhooks::{WebhookEvent, queue};

/// Further reports would add nothing to the decision.
const MAX_ANONYMOUS_REPORTS_PER_CASE: i64 = 100;

/// Weight of a report by an anonymous visitor, who may send several.
const GUEST_WEIGHT: f64 = 0.1;

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

pub async fn find_reportable_post(
    connection: &mut PgConnection,
    PostId(id): PostId,
) -> Result<ReportablePost, AppError> {
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
pub async fn file_report(
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

/// The explanation is left out, because it may contain personal data.
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
        post: event_post(state, post.id.0, post.title.clone()),
    };
    queue::enqueue(connection, &state.clock, WebhookEvent::ReportFiled, &data).await
}

/// `by` is the id of the report by the reporter who appeals; `None` for the author of the post.
pub async fn file_appeal(
    connection: &mut PgConnection,
    state: &CoreState,
    case: CaseId,
    by: Option<i64>,
    NewAppeal(text): &NewAppeal,
) -> Result<Case, AppError> {
    let now = state.clock.read(connection).await?;
    let locked_case = lock_case(connection, case).await?;
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

pub async fn lock_case(connection: &mut PgConnection, case: CaseId) -> Result<Case, AppError> {
    sqlx::query!("select from report_cases where id = $1 for no key update", case.0)
        .fetch_optional(&mut *connection)
        .await?;
    queries::find_case(connection, case).await?.ok_or(AppError::NotFound)
}
