//! Admin list of the events that were queued for webhooks.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;

use crate::admin::admin_list::{
    AdminList, AdminTable, BadgeKind, DisplayPart, FilterValues, ListColumn, ListFilter, ListResult, RowDisplay,
    begin_with_custom_query_plans,
};
use crate::admin::urls;
use crate::i18n::Phrase;
use crate::phrase;
use crate::web::response::pagination::{Direction, Pager, SortKey};
use crate::web::routing::route::Route;
use crate::web::state::CoreState;

/// Event that was queued for a webhook.
#[derive(Debug, JsonSchema, Serialize)]
pub struct DeliveryRow {
    id: i64,
    webhook: i64,
    url: String,
    /// Header `webhook-id` of the requests.
    message_id: String,
    event: String,
    created_at: DateTime<Utc>,
    attempts: i32,
    /// Time of the next attempt; `null` if there is none.
    next_at: Option<DateTime<Utc>>,
    delivered_at: Option<DateTime<Utc>>,
    /// Time at which the site abandoned the delivery.
    failed_at: Option<DateTime<Utc>>,
    /// HTTP status of the latest response; `null` if there was no response.
    response_status: Option<i16>,
    /// Cause of the latest failure.
    error: Option<String>,
}

impl DeliveryRow {
    /// Host and path of the webhook, shortened, because a long URL would make the table wider than the screen.
    fn short_url(&self) -> String {
        let url = self.url.split_once("://").map_or(self.url.as_str(), |(_, rest)| rest);
        let short: String = url.split('?').next().unwrap_or_default().chars().take(MAX_URL_CHARS).collect();
        if short.len() < url.len() { format!("{short}…") } else { short }
    }

    fn status(&self) -> (BadgeKind, Phrase) {
        match () {
            () if self.delivered_at.is_some() => (BadgeKind::Success, phrase!("deliveries-delivered")),
            () if self.failed_at.is_some() => (BadgeKind::Danger, phrase!("deliveries-failed")),
            () if self.error.is_some() => (BadgeKind::Warning, phrase!("deliveries-will-retry")),
            () => (BadgeKind::Neutral, phrase!("deliveries-waiting")),
        }
    }
}

const MAX_URL_CHARS: usize = 40;
const WEBHOOK_COLUMN: usize = 1;

#[derive(Default)]
pub struct DeliveryList;

impl AdminList for DeliveryList {
    type Row = DeliveryRow;

    const ROUTE: Route = urls::WEBHOOK_DELIVERIES;
    const NAME: &'static str = "deliveries";
    const HEADER: &'static str = "id webhook url message_id event created_at attempts next_at delivered_at failed_at \
        response_status error";
    const COLUMNS: &'static [ListColumn] = &[
        ListColumn::new("label-event"),
        ListColumn::new("label-webhook"),
        ListColumn::new("label-status"),
        ListColumn::number("label-attempts"),
        ListColumn::new("column-queued").sorted_by("-queued"),
        ListColumn::new("column-next-attempt"),
    ];
    const DEFAULT_ORDER: &'static str = "-queued";

    fn filters() -> Vec<ListFilter> {
        let choices = vec![
            ("", phrase!("mails-all")),
            ("waiting", phrase!("deliveries-waiting")),
            ("delivered", phrase!("deliveries-delivered")),
            ("failed", phrase!("deliveries-failed")),
        ];
        vec![
            ListFilter::choice_filter("status", phrase!("label-status"), choices),
            ListFilter::hidden_filter("webhook"),
        ]
    }

    async fn page(&self, state: &CoreState, typed: &FilterValues, pager: &Pager<'_>) -> ListResult<DeliveryRow> {
        let position = pager.position(SortKey::max_time());
        let webhook = typed.id("webhook")?;
        let rows = sqlx::query_as!(
            DeliveryRow,
            r#"select d.id, d.webhook_id as webhook, w.url, d.message_id::text as "message_id!", d.event, d.created_at,
                d.attempts,
                case when d.delivered_at is null and d.failed_at is null and (w.disabled_at is null or d.event = 'test')
                    then d.next_at end
                    as next_at,
                d.delivered_at, d.failed_at, d.response_status, d.error
            from webhook_deliveries d join webhooks w on w.id = d.webhook_id
            where ($1::bigint is null or d.webhook_id = $1) and case when $4 then d.id > $3 else d.id < $3 end
                and case $2 when 'waiting' then d.delivered_at is null and d.failed_at is null
                    when 'delivered' then d.delivered_at is not null when 'failed' then d.failed_at is not null
                    else true end
            order by case when $4 then d.id end, d.id desc limit $5"#,
            webhook,
            typed.get("status").unwrap_or_default(),
            position.id,
            position.side == Direction::Before,
            pager.limit(),
        );
        let rows = rows.fetch_all(&mut *begin_with_custom_query_plans(&state.pool).await?).await?;
        Ok(pager.page_from_rows(rows, |row| (SortKey::Time(row.created_at), row.id)))
    }

    fn entry(&self, row: &DeliveryRow, now: DateTime<Utc>) -> RowDisplay {
        let (kind, status) = row.status();
        let outcome = row.error.as_ref().map(|error| DisplayPart::Pair(phrase!("label-error"), error.clone()));
        RowDisplay {
            id: format!("delivery-{}", row.id),
            key: Some(row.id.to_string()),
            cells: vec![
                vec![DisplayPart::Plain(row.event.clone())],
                vec![DisplayPart::Link(urls::WEBHOOK.path_for(row.webhook), row.short_url())],
                std::iter::once(DisplayPart::Badge(kind, status)).chain(outcome).collect(),
                vec![DisplayPart::Number(row.attempts.into())],
                vec![DisplayPart::Time(row.created_at, now)],
                row.next_at.map(|time| next_attempt(time, now)).into_iter().collect(),
            ],
        }
    }
}

fn next_attempt(time: DateTime<Utc>, now: DateTime<Utc>) -> DisplayPart {
    if time > now { DisplayPart::Time(time, now) } else { DisplayPart::Said(phrase!("deliveries-now")) }
}

pub fn table(rows: &[DeliveryRow], now: DateTime<Utc>) -> AdminTable {
    let rows = rows.iter().map(|row| {
        let mut entry = RowDisplay { key: None, ..DeliveryList.entry(row, now) };
        entry.cells.remove(WEBHOOK_COLUMN);
        entry
    });
    let mut columns = DeliveryList::COLUMNS.to_vec();
    columns.remove(WEBHOOK_COLUMN);
    AdminTable::unsorted(&columns, rows.collect())
}
