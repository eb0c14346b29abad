//! Admin list of limiter states.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value as Json;

use crate::admin::admin_list::{
    AdminList, DisplayPart, FilterValues, ListColumn, ListFilter, ListResult, RowDisplay, begin_with_custom_query_plans,
};
use crate::admin::urls;
use crate::phrase;
use crate::rate::RatingLimiter;
use crate::text::query_string;
use crate::web::response::pagination::{Pager, ResultPage};
use crate::web::routing::route::Route;
use crate::web::state::CoreState;
use evenkeel_limiters::AnyLimiter;

/// Limiter whose rows cannot be selected for deletion: it also keeps its states in the memory of every instance.
const RATE_CLASS: &str = "rate_class";

/// Default limiter of ratings, which also limits sign-in attempts, reports, exports and other actions.
const LEAKY_BUCKET: &str = "leaky_bucket";

#[derive(Debug, JsonSchema, Serialize)]
pub struct LimiterStateRow {
    limiter: String,
    /// Key of the limiter, such as `login:192.0.2.1`. Accounts are represented by a fingerprint or an ID.
    key: String,
    #[schemars(with = "serde_json::Map<String, Json>")]
    state: Json,
    updated_at: DateTime<Utc>,
    /// Time from which the stored state has no effect, because it is equivalent to the initial state.
    expires_at: DateTime<Utc>,
}

#[derive(Default)]
pub struct LimiterStateList;

impl AdminList for LimiterStateList {
    type Row = LimiterStateRow;

    const ROUTE: Route = urls::LIMITER_STATES;
    const NAME: &'static str = "states";
    const HEADER: &'static str = "limiter key state updated_at expires_at";
    const COLUMNS: &'static [ListColumn] = &[
        ListColumn::new("column-key"),
        ListColumn::new("column-state"),
        ListColumn::new("column-last-used"),
        ListColumn::new("column-expires"),
    ];

    fn filters() -> Vec<ListFilter> {
        let others = AnyLimiter::NAMES.iter().copied().filter(|name| *name != LEAKY_BUCKET);
        let others = others.map(|name| (name, RatingLimiter::title_of(name)));
        let all = std::iter::once(("", RatingLimiter::title_of(LEAKY_BUCKET))).chain(others);
        vec![
            ListFilter::choice_filter("limiter", phrase!("label-limiter"), all.collect()),
            ListFilter::text_filter("key", phrase!("label-key")),
            ListFilter::hidden_filter("after"),
        ]
    }

    /// Because keys are text, the next page is addressed by the last key of the current page instead of an ID.
    async fn page(&self, state: &CoreState, typed: &FilterValues, pager: &Pager<'_>) -> ListResult<LimiterStateRow> {
        let (kind, key) = (typed.get("limiter"), typed.get("key"));
        let rows = sqlx::query_as!(
            LimiterStateRow,
            r#"select limiter, key, state, updated_at, expires_at from limiter_states
            where limiter = $1 and ($2::text is null or starts_with(key, $2)) and key > $3
            order by key limit $4"#,
            kind.unwrap_or(LEAKY_BUCKET),
            key,
            typed.get("after").unwrap_or_default(),
            pager.limit(),
        );
        let mut results = rows.fetch_all(&mut *begin_with_custom_query_plans(&state.pool).await?).await?;
        let has_more = results.len() > pager.page_size();
        results.truncate(pager.page_size());
        let next = results.last().filter(|_| has_more).map(|last| {
            let parameters = [("limiter", kind), ("key", key), ("after", Some(last.key.as_str()))];
            format!("{}{}", urls::LIMITER_STATES.pattern, query_string(&parameters))
        });
        Ok(ResultPage { results, next, previous: None, partial: false })
    }

    fn entry(&self, row: &LimiterStateRow, now: DateTime<Utc>) -> RowDisplay {
        RowDisplay {
            id: format!("state-{}", row.key),
            key: (row.limiter != RATE_CLASS).then(|| format!("{}/{}", row.limiter, row.key)),
            cells: vec![
                vec![DisplayPart::Plain(row.key.clone())],
                vec![DisplayPart::Plain(row.state.to_string())],
                vec![DisplayPart::Time(row.updated_at, now)],
                vec![DisplayPart::Time(row.expires_at, now)],
            ],
        }
    }
}
