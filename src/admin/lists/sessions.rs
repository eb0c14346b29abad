//! Admin list of sessions, with their devices and networks.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;

use crate::admin::admin_list::{
    AdminList, DisplayPart, FilterValues, ListColumn, ListFilter, ListResult, RowDisplay, begin_with_custom_query_plans,
};
use crate::admin::urls;
use crate::phrase;
use crate::web::response::pagination::{Direction, Pager, SortKey};
use crate::web::routing::route::Route;
use crate::web::state::CoreState;

#[derive(Debug, JsonSchema, Serialize)]
pub struct SessionRow {
    /// First half of the hash of the session token, which does not reveal the session cookie.
    id: String,
    /// First 8 bytes of the token hash, used as a tie-breaker when sorting sessions with the same creation time.
    #[serde(skip)]
    order: i64,
    /// Username of the signed-in user.
    user: String,
    device: Option<String>,
    network: Option<String>,
    created_at: DateTime<Utc>,
    /// Time of the latest request.
    seen_at: DateTime<Utc>,
}

#[derive(Default)]
pub struct SessionList;

impl AdminList for SessionList {
    type Row = SessionRow;

    const ROUTE: Route = urls::SESSIONS;
    const NAME: &'static str = "signed-in";
    const HEADER: &'static str = "id user device network created_at seen_at";
    const COLUMNS: &'static [ListColumn] = &[
        ListColumn::new("label-user"),
        ListColumn::new("column-device"),
        ListColumn::new("label-network"),
        ListColumn::new("column-signed-in").sorted_by("-created"),
        ListColumn::new("column-last-active"),
    ];
    const DEFAULT_ORDER: &'static str = "-created";

    fn filters() -> Vec<ListFilter> {
        vec![ListFilter::text_filter("user", phrase!("label-user"))]
    }

    async fn page(&self, state: &CoreState, typed: &FilterValues, pager: &Pager<'_>) -> ListResult<SessionRow> {
        let user = typed.find_user(state, "user").await?.map(|user| user.0);
        let position = pager.position(SortKey::max_time());
        let rows = sqlx::query_as!(
            SessionRow,
            r#"select encode(substring(s.token_hash for 16), 'hex') as "id!", s.order as "order!", u.username as user, s.device,
                s.network, s.created_at, s.seen_at
            from (
                select *, ('x' || encode(substring(token_hash for 8), 'hex'))::bit(64)::bigint as order from sessions
            ) s join users u on u.id = s.user_id
            where ($1::bigint is null or s.user_id = $1) and s.expires_at > coalesce($6, clock_timestamp())
                and case when $4 then s.created_at >= $2 else s.created_at <= $2 end
                and case when $4 then (s.created_at, s.order) > ($2, $3) else (s.created_at, s.order) < ($2, $3) end
            order by case when $4 then s.created_at end, case when $4 then s.order end, s.created_at desc, s.order desc
            limit $5"#,
            user,
            position.sort_time(),
            position.id,
            position.side == Direction::Before,
            pager.limit(),
            state.clock.now(),
        );
        let rows = rows.fetch_all(&mut *begin_with_custom_query_plans(&state.pool).await?).await?;
        Ok(pager.page_from_rows(rows, |row| (SortKey::Time(row.created_at), row.order)))
    }

    fn entry(&self, row: &SessionRow, now: DateTime<Utc>) -> RowDisplay {
        RowDisplay {
            id: format!("session-{}", row.id),
            key: Some(row.id.clone()),
            cells: vec![
                vec![DisplayPart::user_link(&row.user)],
                row.device.clone().map(DisplayPart::Plain).into_iter().collect(),
                row.network.clone().map(DisplayPart::Plain).into_iter().collect(),
                vec![DisplayPart::Time(row.created_at, now)],
                vec![DisplayPart::Time(row.seen_at, now)],
            ],
        }
    }
}
