//! Admin list of rating pauses, and of users whose ratings of a post keep failing.

use actix_web::{Either, HttpRequest, HttpResponse, web};
use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;
use sqlx::PgConnection;

use crate::admin::admin_list::{
    self, AdminList, AdminListPage, DisplayPart, FilterValues, ListColumn, ListFilter, ListResult, RowDisplay,
    begin_with_custom_query_plans,
};
use crate::admin::urls;
use crate::phrase;
use crate::state::AppState;
use crate::web::error::AppError;
use crate::web::request::current_user::CurrentUser;
use crate::web::request::query::Query;
use crate::web::response::layout::Layout;
use crate::web::response::pagination::{Direction, Pager, SortKey};
use crate::web::response::view::PageResponse;
use crate::web::routing::route::Route;
use crate::web::state::CoreState;
use evenkeel_limiters::{ZombiePause, ZombiePauseState};

#[derive(Debug, JsonSchema, Serialize)]
pub struct ZombiePauseRow {
    post: i64,
    title: Option<String>,
    #[serde(skip)]
    user_id: i64,
    user: String,
    /// Start of the pause; `None` if the user is not paused.
    paused_at: Option<DateTime<Utc>>,
    /// Number of failed attempts that still count towards a pause.
    failures: i64,
    #[serde(skip)]
    state: ZombiePauseState,
}

pub struct ZombiePauseList {
    rules: ZombiePause,
}

const FAILING: &str = "failing";

pub async fn show(
    user: CurrentUser,
    layout: Layout,
    request: HttpRequest,
    query: Query,
    state: web::Data<AppState>,
) -> Result<Either<PageResponse<AdminListPage>, HttpResponse>, AppError> {
    let list = ZombiePauseList { rules: *state.pauses.default_limiter() };
    admin_list::respond(list, user, layout, request, query, &state).await
}

impl AdminList for ZombiePauseList {
    type Row = ZombiePauseRow;

    const ROUTE: Route = urls::ZOMBIE_PAUSES;
    const NAME: &'static str = "pauses";
    const HEADER: &'static str = "post title user paused_at failures";
    const COLUMNS: &'static [ListColumn] = &[
        ListColumn::new("label-user"),
        ListColumn::new("column-post"),
        ListColumn::new("column-paused"),
        ListColumn::number("column-failures"),
    ];

    fn filters() -> Vec<ListFilter> {
        let statuses = vec![("", phrase!("pauses-active")), (FAILING, phrase!("pauses-failing"))];
        vec![
            ListFilter::choice_filter("status", phrase!("label-status"), statuses),
            ListFilter::text_filter("user", phrase!("label-user")),
            ListFilter::text_filter("post", phrase!("label-post")),
        ]
    }

    async fn page(&self, state: &CoreState, typed: &FilterValues, pager: &Pager<'_>) -> ListResult<ZombiePauseRow> {
        let (user, post) = (typed.find_user(state, "user").await?.map(|user| user.0), typed.id("post")?);
        let mut transaction = begin_with_custom_query_plans(&state.pool).await?;
        let now_ms = state.clock.read(&mut transaction).await?.timestamp_millis();
        let is_failing = typed.get("status") == Some(FAILING);
        let rows = if is_failing {
            failing(&mut transaction, user, post, now_ms, pager).await?
        } else {
            paused(&mut transaction, user, post, pager).await?
        };
        let rows = rows.into_iter().map(|row| self.row(row, now_ms)).collect();
        #[expect(clippy::cast_precision_loss, reason = "the query rounds in the same way")]
        let rank = |row: &ZombiePauseRow| match (is_failing, row.state) {
            (true, state) => SortKey::Number(state.tat_ns.unwrap_or_default() as f64),
            (false, _) => SortKey::Time(row.paused_at.unwrap_or_default()),
        };
        Ok(pager.page_from_rows(rows, |row| (rank(row), row.user_id)))
    }

    fn entry(&self, row: &ZombiePauseRow, now: DateTime<Utc>) -> RowDisplay {
        RowDisplay {
            id: format!("pause-{}-{}", row.user_id, row.post),
            key: Some(format!("{}:{}", row.user_id, row.post)),
            cells: vec![
                vec![DisplayPart::user_link(&row.user)],
                vec![DisplayPart::post_link(row.post, row.title.as_ref())],
                row.paused_at.map(|time| DisplayPart::Time(time, now)).into_iter().collect(),
                vec![DisplayPart::Number(row.failures)],
            ],
        }
    }
}

impl ZombiePauseList {
    fn row(&self, row: StoredPause, now_ms: i64) -> ZombiePauseRow {
        let [paused_at_ms, unpaused_at_ms] =
            [row.paused_at, row.unpaused_at].map(|time| time.map(|time| time.timestamp_millis()));
        let state = ZombiePauseState { tat_ns: row.tat_ns, paused_at_ms, unpaused_at_ms };
        ZombiePauseRow {
            post: row.post,
            title: row.title,
            user_id: row.user_id,
            user: row.user,
            paused_at: row.paused_at.filter(|_| state.is_paused()),
            failures: self.rules.failures(&state, now_ms),
            state,
        }
    }
}

struct StoredPause {
    post: i64,
    title: Option<String>,
    user_id: i64,
    user: String,
    tat_ns: Option<i64>,
    paused_at: Option<DateTime<Utc>>,
    unpaused_at: Option<DateTime<Utc>>,
}

async fn paused(
    connection: &mut PgConnection,
    user: Option<i64>,
    post: Option<i64>,
    pager: &Pager<'_>,
) -> sqlx::Result<Vec<StoredPause>> {
    let position = pager.position(SortKey::max_time());
    let rows = sqlx::query_as!(
        StoredPause,
        r#"select z.blog_id as post, case when p.status = 'published' then p.title end as title, z.user_id,
            u.username as user, z.tat_ns, z.paused_at, z.unpaused_at
        from zombie_pauses z join blog_posts p on p.id = z.blog_id join users u on u.id = z.user_id
        where z.paused_at is not null and z.unpaused_at is null
            and ($1::bigint is null or z.user_id = $1) and ($2::bigint is null or z.blog_id = $2)
            and case when $5 then (z.paused_at, z.user_id) > ($3, $4) else (z.paused_at, z.user_id) < ($3, $4) end
        order by case when $5 then z.paused_at end, case when $5 then z.user_id end, z.paused_at desc, z.user_id desc
        limit $6"#,
        user,
        post,
        position.sort_time(),
        position.id,
        position.side == Direction::Before,
        pager.limit(),
    );
    rows.fetch_all(connection).await
}

async fn failing(
    connection: &mut PgConnection,
    user: Option<i64>,
    post: Option<i64>,
    now_ms: i64,
    pager: &Pager<'_>,
) -> sqlx::Result<Vec<StoredPause>> {
    let position = pager.position(SortKey::max_number());
    let rows = sqlx::query_as!(
        StoredPause,
        r#"select z.blog_id as post, case when p.status = 'published' then p.title end as title, z.user_id,
            u.username as user, z.tat_ns, z.paused_at, z.unpaused_at
        from zombie_pauses z join blog_posts p on p.id = z.blog_id join users u on u.id = z.user_id
        where (z.paused_at is null or z.unpaused_at is not null) and z.tat_ns > $7::bigint * 1000000
            and ($1::bigint is null or z.user_id = $1) and ($2::bigint is null or z.blog_id = $2)
            and case when $5 then (z.tat_ns::float8, z.user_id) > ($3, $4) else (z.tat_ns::float8, z.user_id) < ($3, $4) end
        order by case when $5 then z.tat_ns::float8 end, case when $5 then z.user_id end, z.tat_ns::float8 desc, z.user_id desc
        limit $6"#,
        user,
        post,
        position.sort_number(),
        position.id,
        position.side == Direction::Before,
        pager.limit(),
        now_ms,
    );
    rows.fetch_all(connection).await
}
