//! Admin list of report cases.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;
use sqlx::PgConnection;

use crate::admin::admin_list::{
    AdminList, BadgeKind, DisplayPart, FilterValues, ListColumn, ListFilter, ListOrder, ListResult, RowDisplay,
    begin_with_custom_query_plans,
};
use crate::admin::urls;
use crate::db::commit;
use crate::phrase;
use crate::reports::cases::{Case, CaseId, CaseStage};
use crate::reports::input::ReportCategory;
use crate::reports::queries;
use crate::web::response::pagination::{Direction, Pager, ResultPage, SortKey};
use crate::web::routing::route::Route;
use crate::web::state::CoreState;

#[derive(Debug, JsonSchema, Serialize)]
pub struct CaseRow {
    id: CaseId,
    post: i64,
    title: String,
    author: Option<String>,
    stage: CaseStage,
    opened_at: DateTime<Utc>,
    reports: i64,
    /// Sum of the weights of the reports. A report by a user weighs 0 to 1, more if earlier reports by the user led to
    /// takedowns, and 0.5 without decided reports; a report by an anonymous visitor weighs 0.1.
    weight: f64,
    /// Number of reports by anonymous visitors. One visitor may have sent several reports.
    guests: i64,
    /// Most frequent category of the reports.
    category: Option<String>,
    ruling: Option<&'static str>,
    decided_at: Option<DateTime<Utc>>,
    appealed_at: Option<DateTime<Utc>>,
}

#[derive(Default)]
pub struct CaseList;

impl CaseList {
    async fn rows(
        &self,
        state: &CoreState,
        which: &str,
        post: Option<i64>,
        order: Option<ListOrder>,
        pager: &Pager<'_>,
    ) -> sqlx::Result<ResultPage<CaseRow>> {
        let is_by_weight = order.is_some_and(|order| order.key == "weight");
        let position = pager.position(if is_by_weight { SortKey::max_number() } else { SortKey::max_time() });
        // Pending cases are listed oldest first by default. The pager expects descending IDs, so pending IDs are
        // negated.
        let sign = if which == "waiting" && order.is_none() { -1 } else { 1 };
        let is_upwards = (position.side == Direction::Before) == (sign > 0);
        let mut transaction = begin_with_custom_query_plans(&state.pool).await?;
        let ids = sqlx::query_scalar!(
            "select id from report_cases c
            where ($1::bigint is null or blog_id = $1)
                and case $2 when 'waiting' then decided_at is null or (appealed_at is not null and final_at is null)
                    when 'decided' then decided_at is not null and (appealed_at is null or final_at is not null) else true end
                and case when $6 and $4 then (weight, id) > ($7, $3) when $6 then (weight, id) < ($7, $3)
                    when $4 then id > $3 else id < $3 end
            order by case when $6 and $4 then weight end, case when $6 then weight end desc, case when $4 then id end, id desc
            limit $5",
            post,
            which,
            sign * position.id,
            is_upwards,
            pager.limit(),
            is_by_weight,
            position.sort_number(),
        );
        let ids = ids.fetch_all(&mut *transaction).await?;
        let rows = rows_by_ids(&mut transaction, &ids).await?;
        commit(transaction).await?;
        let rank = |row: &CaseRow| {
            if is_by_weight { SortKey::Number(row.weight) } else { SortKey::Time(row.opened_at) }
        };
        Ok(pager.page_from_rows(rows, |row: &CaseRow| (rank(row), sign * row.id.0)))
    }
}

async fn rows_by_ids(connection: &mut PgConnection, ids: &[i64]) -> sqlx::Result<Vec<CaseRow>> {
    let cases = queries::find_cases_by_ids(&mut *connection, ids).await?;
    let counts = sqlx::query!(
        r#"select case_id, c.weight, count(*) as "count!", count(*) filter (where user_id is null) as "guests!", mode() within group (order by category) as category
        from reports join report_cases c on c.id = case_id where case_id = any($1) group by case_id, c.weight"#,
        ids,
    );
    let counts = counts.fetch_all(connection).await?;
    let row = |case: Case| {
        let count = counts.iter().find(|count| count.case_id == case.id.0);
        CaseRow {
            id: case.id,
            post: case.post.0,
            stage: case.stage,
            opened_at: case.opened_at,
            reports: count.map_or(0, |count| count.count),
            weight: count.map_or(0.0, |count| count.weight),
            guests: count.map_or(0, |count| count.guests),
            category: count.and_then(|count| count.category.clone()),
            ruling: case.latest_decision().map(|decision| decision.ruling.name()),
            decided_at: case.latest_decision().map(|decision| decision.at),
            appealed_at: case.appeal.map(|appeal| appeal.at),
            title: case.title,
            author: case.author,
        }
    };
    Ok(cases.into_iter().map(row).collect())
}

impl AdminList for CaseList {
    type Row = CaseRow;

    const ROUTE: Route = urls::REPORT_CASES;
    const NAME: &'static str = "cases";
    const HEADER: &'static str = "id post title author stage opened_at reports weight guests category ruling \
        decided_at appealed_at";
    const COLUMNS: &'static [ListColumn] = &[
        ListColumn::new("column-post"),
        ListColumn::new("label-status"),
        ListColumn::new("column-reason"),
        ListColumn::new("label-author"),
        ListColumn::number("cases-title").sorted_by("-weight"),
        ListColumn::new("column-opened").sorted_by("-opened"),
    ];

    fn filters() -> Vec<ListFilter> {
        let choices =
            vec![("", phrase!("cases-pending")), ("decided", phrase!("cases-resolved")), ("all", phrase!("cases-all"))];
        vec![
            ListFilter::choice_filter("status", phrase!("label-status"), choices),
            ListFilter::text_filter("post", phrase!("label-post")),
        ]
    }

    async fn page(&self, state: &CoreState, typed: &FilterValues, pager: &Pager<'_>) -> ListResult<CaseRow> {
        let which = typed.get("status").unwrap_or("waiting");
        Ok(self.rows(state, which, typed.id("post")?, typed.order, pager).await?)
    }

    fn entry(&self, row: &CaseRow, now: DateTime<Utc>) -> RowDisplay {
        let (kind, status) = match row.stage {
            CaseStage::Open => (BadgeKind::Warning, phrase!("cases-open")),
            CaseStage::Appealed => (BadgeKind::Warning, phrase!("cases-appealed")),
            CaseStage::Decided | CaseStage::Closed => match row.ruling {
                Some("kept") => (BadgeKind::Success, phrase!("ruling-kept")),
                Some("gone") => (BadgeKind::Neutral, phrase!("ruling-post-deleted")),
                _ => (BadgeKind::Danger, phrase!("ruling-taken-down")),
            },
        };
        let category = row.category.as_deref().and_then(ReportCategory::from_name);
        let guests = (row.guests > 0).then(|| DisplayPart::Said(phrase!("cases-guests", count = row.guests)));
        RowDisplay {
            id: format!("case-{}", row.id),
            key: (row.stage == CaseStage::Open).then(|| row.id.to_string()),
            cells: vec![
                vec![DisplayPart::Link(urls::REPORT_CASE.path_for(row.id), row.title.clone())],
                vec![DisplayPart::Badge(kind, status)],
                category.map(|category| DisplayPart::Said(category.label())).into_iter().collect(),
                row.author.as_deref().map(DisplayPart::user_link).into_iter().collect(),
                std::iter::once(DisplayPart::Number(row.reports)).chain(guests).collect(),
                vec![DisplayPart::Time(row.opened_at, now)],
            ],
        }
    }
}
