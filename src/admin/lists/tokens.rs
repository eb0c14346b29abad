//! Admin list of API tokens.

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
pub struct TokenRow {
    id: i64,
    user: String,
    name: String,
    scopes: Vec<String>,
    created_at: DateTime<Utc>,
    /// Expiry time; `None` if the token does not expire.
    expires_at: Option<DateTime<Utc>>,
    /// Time of the last request with the token.
    used_at: Option<DateTime<Utc>>,
    network: Option<String>,
}

#[derive(Default)]
pub struct TokenList;

impl AdminList for TokenList {
    type Row = TokenRow;

    const ROUTE: Route = urls::TOKENS;
    const NAME: &'static str = "api-tokens";
    const HEADER: &'static str = "id user name scopes created_at expires_at used_at network";
    const COLUMNS: &'static [ListColumn] = &[
        ListColumn::new("label-user"),
        ListColumn::new("label-name"),
        ListColumn::new("label-scopes"),
        ListColumn::new("column-created").sorted_by("-created"),
        ListColumn::new("column-expires"),
        ListColumn::new("column-last-active"),
        ListColumn::new("label-network"),
    ];
    const DEFAULT_ORDER: &'static str = "-created";

    fn filters() -> Vec<ListFilter> {
        vec![ListFilter::text_filter("user", phrase!("label-user"))]
    }

    async fn page(&self, state: &CoreState, typed: &FilterValues, pager: &Pager<'_>) -> ListResult<TokenRow> {
        let user = typed.find_user(state, "user").await?.map(|user| user.0);
        let position = pager.position(SortKey::max_time());
        let rows = sqlx::query_as!(
            TokenRow,
            r#"select t.id, u.username as user, t.name, t.scopes, t.created_at, t.expires_at, t.used_at,
                t.used_network as network
            from api_tokens t join users u on u.id = t.user_id
            where ($1::bigint is null or t.user_id = $1)
                and (t.expires_at is null or t.expires_at > coalesce($5, clock_timestamp()))
                and case when $3 then t.id > $2 else t.id < $2 end
            order by case when $3 then t.id end, t.id desc limit $4"#,
            user,
            position.id,
            position.side == Direction::Before,
            pager.limit(),
            state.clock.now(),
        );
        let rows = rows.fetch_all(&mut *begin_with_custom_query_plans(&state.pool).await?).await?;
        Ok(pager.page_from_rows(rows, |row| (SortKey::Time(row.created_at), row.id)))
    }

    fn entry(&self, row: &TokenRow, now: DateTime<Utc>) -> RowDisplay {
        let time = |time: Option<DateTime<Utc>>| time.map(|time| DisplayPart::Time(time, now)).into_iter().collect();
        RowDisplay {
            id: format!("token-{}", row.id),
            key: None,
            cells: vec![
                vec![DisplayPart::user_link(&row.user)],
                vec![DisplayPart::Plain(row.name.clone())],
                vec![DisplayPart::Plain(row.scopes.join(", "))],
                vec![DisplayPart::Time(row.created_at, now)],
                time(row.expires_at),
                time(row.used_at),
                row.network.clone().map(DisplayPart::Plain).into_iter().collect(),
            ],
        }
    }
}
