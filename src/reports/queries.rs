//! Database queries for reports and the cases that group them.

use std::collections::HashMap;

use chrono::{DateTime, TimeDelta, Utc};
use sqlx::types::Json;
use sqlx::{PgConnection, PgPool};

use super::cases::{Appeal, Case, CaseId, CaseParty, CaseStage, Decision, DecisionGround, FirstDecision, Report};
use crate::blog_posts::PostId;
use crate::db::clock::Clock;
use crate::web::error::AppError;
use crate::web::request::current_user::{CurrentUser, UserId};
use crate::web::response::pagination::{Direction, Pager, ResultPage, SortKey};

/// Retention period of decided cases. Cases that keep a post taken down are not deleted.
const RETENTION: TimeDelta = TimeDelta::days(365);
const MAX_AT_ONCE: i64 = 500;
pub const PAGE_SIZE: usize = 20;

fn read_decision(
    ruling: Option<String>,
    ground: Option<&str>,
    reason: Option<String>,
    at: Option<DateTime<Utc>>,
) -> Option<Decision> {
    let ground = ground.and_then(DecisionGround::from_name);
    Some(Decision { ruling: ruling?.parse().ok()?, ground, reason, at: at? })
}

/// Returns cases in the order of `ids`, and skips ids without a case.
pub async fn find_cases_by_ids(connection: &mut PgConnection, ids: &[i64]) -> sqlx::Result<Vec<Case>> {
    let cases = sqlx::query!(
        r#"select c.id as "id!", c.blog_id as "blog_id!", c.title as "title!", u.username as "author?", c.author_id, c.opened_at as "opened_at!", c.before as "before: Json<FirstDecision>", c.ruling, c.ground, c.reason,
            c.decided_at, c.deciders as "deciders!", c.appeal, c.appeal_by, c.appeal_report, c.appealed_at, c.final_ruling, c.final_ground, c.final_reason,
            c.final_at, (p.id is not null and p.deleted_at is null) as "is_there!", coalesce(p.status = 'published', false) as "is_published!",
            coalesce(p.withheld_by is not null, false) as "is_withheld!"
        from report_cases c left join blog_posts p on p.id = c.blog_id left join users u on u.id = c.author_id and u.erased_at is null where c.id = any($1)"#,
        ids,
    );
    let cases = cases.map(|row| {
        let decision = read_decision(row.ruling, row.ground.as_deref(), row.reason, row.decided_at);
        let final_decision =
            read_decision(row.final_ruling, row.final_ground.as_deref(), row.final_reason, row.final_at);
        let by = row.appeal_by.and_then(|by| by.parse().ok()).unwrap_or(CaseParty::Reporter);
        let appeal = row.appealed_at.map(|at| Appeal { by, report: row.appeal_report, text: row.appeal, at });
        Case {
            id: CaseId(row.id),
            post: PostId(row.blog_id),
            title: row.title,
            is_there: row.is_there,
            is_published: row.is_published,
            is_withheld: row.is_withheld,
            author: row.author,
            author_id: row.author_id.map(UserId),
            stage: CaseStage::from_decisions(decision.as_ref(), appeal.as_ref(), final_decision.as_ref()),
            opened_at: row.opened_at,
            before: row.before.map(|Json(before)| before),
            decision,
            deciders: row.deciders.into_iter().map(UserId).collect(),
            appeal,
            final_decision,
        }
    });
    let mut cases: HashMap<i64, Case> =
        cases.fetch_all(connection).await?.into_iter().map(|case| (case.id.0, case)).collect();
    Ok(ids.iter().filter_map(|id| cases.remove(id)).collect())
}

pub async fn find_case(connection: &mut PgConnection, CaseId(id): CaseId) -> sqlx::Result<Option<Case>> {
    Ok(find_cases_by_ids(connection, &[id]).await?.pop())
}

pub async fn lock_case(connection: &mut PgConnection, case: CaseId) -> Result<Case, AppError> {
    sqlx::query!("select from report_cases where id = $1 for no key update", case.0)
        .fetch_optional(&mut *connection)
        .await?;
    find_case(connection, case).await?.ok_or(AppError::NotFound)
}

pub async fn find_report_by_user(
    pool: &PgPool,
    CaseId(case): CaseId,
    UserId(user): UserId,
) -> sqlx::Result<Option<Report>> {
    let report = sqlx::query_as!(
        Report,
        r#"select id, null::text as reporter, category, explanation, reported_at from reports where case_id = $1 and user_id = $2"#,
        case,
        user,
    );
    report.fetch_optional(pool).await
}

pub async fn find_report_by_id(pool: &PgPool, CaseId(case): CaseId, id: i64) -> sqlx::Result<Option<Report>> {
    let report = sqlx::query_as!(
        Report,
        r#"select id, null::text as reporter, category, explanation, reported_at from reports where case_id = $1 and id = $2"#,
        case,
        id,
    );
    report.fetch_optional(pool).await
}

pub async fn has_registered_reporter(connection: &mut PgConnection, CaseId(case): CaseId) -> sqlx::Result<bool> {
    let has_reporter = sqlx::query_scalar!(
        r#"select exists (select from reports where case_id = $1 and user_id is not null) as "found!""#,
        case,
    );
    has_reporter.fetch_one(connection).await
}

pub async fn find_open_case_reported_by(
    pool: &PgPool,
    PostId(post): PostId,
    UserId(user): UserId,
) -> sqlx::Result<Option<CaseId>> {
    let case = sqlx::query_scalar!(
        r#"select c.id as "id: CaseId" from report_cases c join reports r on r.case_id = c.id
        where c.blog_id = $1 and c.decided_at is null and r.user_id = $2"#,
        post,
        user,
    );
    case.fetch_optional(pool).await
}

/// Reads the cases of a user, newest first: cases with a report by the user, and decided cases about the user's posts.
pub async fn list_user_cases(pool: &PgPool, user: &CurrentUser, pager: &Pager<'_>) -> sqlx::Result<ResultPage<Case>> {
    let position = pager.position(SortKey::max_time());
    let mut connection = pool.acquire().await?;
    let ids = sqlx::query_scalar!(
        "select id from (
            select case_id as id from reports where user_id = $1
            union select id from report_cases where author_id = $1 and ruling in ('kept', 'taken_down')
        ) as mine (id) where case when $3 then id > $2 else id < $2 end
        order by case when $3 then id end, id desc limit $4",
        user.id.0,
        position.id,
        position.side == Direction::Before,
        pager.limit(),
    );
    let ids: Vec<i64> = ids.fetch_all(&mut *connection).await?.into_iter().flatten().collect();
    let cases = find_cases_by_ids(&mut connection, &ids).await?;
    Ok(pager.page_from_rows(cases, |case| (SortKey::Time(case.opened_at), case.id.0)))
}

pub async fn delete_expired(pool: &PgPool, clock: &Clock) -> sqlx::Result<()> {
    loop {
        let deleted = sqlx::query!(
            "with old as materialized (select coalesce($1, clock_timestamp()) - make_interval(secs => $2) as at)
            delete from report_cases where id = any(array(
                select id from report_cases c
                where decided_at < (select at from old) and coalesce(final_at < (select at from old), appealed_at is null)
                    and not exists (select from blog_posts where withheld_by = c.id)
                order by decided_at limit $3
            ))",
            clock.now(),
            RETENTION.as_seconds_f64(),
            MAX_AT_ONCE,
        );
        if deleted.execute(pool).await?.rows_affected() < MAX_AT_ONCE.unsigned_abs() {
            return Ok(());
        }
    }
}
