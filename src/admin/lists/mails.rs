//! Admin list of emails in the outbox.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;

use crate::admin::admin_list::{
    AdminList, BadgeKind, DisplayPart, FilterValues, ListColumn, ListFilter, ListResult, RowDisplay,
    begin_with_custom_query_plans,
};
use crate::admin::urls;
use crate::phrase;
use crate::web::response::pagination::{Direction, Pager, SortKey};
use crate::web::routing::route::Route;
use crate::web::state::CoreState;

/// Email without its text, which staff must not read.
#[derive(Debug, JsonSchema, Serialize)]
pub struct MailRow {
    id: i64,
    kind: String,
    recipient: String,
    created_at: DateTime<Utc>,
    next_at: DateTime<Utc>,
    expires_at: DateTime<Utc>,
    /// `true` after a failed delivery attempt.
    has_failed: bool,
    /// `true` if the mail server has accepted the email, or may have accepted it.
    is_handed_over: bool,
}

#[derive(Default)]
pub struct PendingMailList;

impl AdminList for PendingMailList {
    type Row = MailRow;

    const ROUTE: Route = urls::MAILS;
    const NAME: &'static str = "mails";
    const HEADER: &'static str = "id kind recipient created_at next_at expires_at has_failed is_handed_over";
    const COLUMNS: &'static [ListColumn] = &[
        ListColumn::new("column-recipient"),
        ListColumn::new("label-mail"),
        ListColumn::new("label-status"),
        ListColumn::new("column-queued").sorted_by("-queued"),
        ListColumn::new("column-next-attempt"),
        ListColumn::new("column-expires"),
    ];
    const DEFAULT_ORDER: &'static str = "-queued";

    fn filters() -> Vec<ListFilter> {
        vec![ListFilter::choice_filter(
            "status",
            phrase!("label-status"),
            vec![("", phrase!("mails-all")), ("failed", phrase!("mails-failed"))],
        )]
    }

    async fn page(&self, state: &CoreState, typed: &FilterValues, pager: &Pager<'_>) -> ListResult<MailRow> {
        let position = pager.position(SortKey::max_time());
        let rows = sqlx::query_as!(
            MailRow,
            r#"select id, kind, recipient, created_at, next_at, expires_at, pace is not null as "has_failed!",
                handed_over as is_handed_over
            from outbox where (not $1 or pace is not null) and case when $3 then id > $2 else id < $2 end
            order by case when $3 then id end, id desc limit $4"#,
            typed.get("status").is_some(),
            position.id,
            position.side == Direction::Before,
            pager.limit(),
        );
        let rows = rows.fetch_all(&mut *begin_with_custom_query_plans(&state.pool).await?).await?;
        Ok(pager.page_from_rows(rows, |row| (SortKey::Time(row.created_at), row.id)))
    }

    fn entry(&self, row: &MailRow, now: DateTime<Utc>) -> RowDisplay {
        let (kind, status) = match () {
            () if row.is_handed_over => (BadgeKind::Info, phrase!("mails-handed-over")),
            () if row.has_failed => (BadgeKind::Danger, phrase!("mails-will-retry")),
            () => (BadgeKind::Neutral, phrase!("mails-waiting")),
        };
        RowDisplay {
            id: format!("mail-{}", row.id),
            key: (!row.is_handed_over).then(|| row.id.to_string()),
            cells: vec![
                vec![DisplayPart::Plain(row.recipient.clone())],
                vec![DisplayPart::Plain(row.kind.clone())],
                vec![DisplayPart::Badge(kind, status)],
                vec![DisplayPart::Time(row.created_at, now)],
                vec![DisplayPart::Time(row.next_at, now)],
                vec![DisplayPart::Time(row.expires_at, now)],
            ],
        }
    }
}
