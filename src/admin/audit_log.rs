//! Admin list of the audit log.

use chrono::{DateTime, Utc};
use serde_json::Value;

use super::admin_list::{
    AdminList, DisplayPart, FilterValues, ListColumn, ListFilter, ListResult, RowDisplay, begin_with_custom_query_plans,
};
use super::urls;
use crate::audit_log::{self, AuditAction};
use crate::i18n::{Phrase, PhraseValue};
use crate::phrase;
use crate::text::query_string;
use crate::web::response::form::label;
use crate::web::response::pagination::Pager;
use crate::web::routing::route::Route;
use crate::web::state::CoreState;

#[derive(Default)]
pub struct AuditLogList;

impl AdminList for AuditLogList {
    type Row = audit_log::Entry;

    const ROUTE: Route = urls::AUDIT_LOG;
    const NAME: &'static str = "log";
    const HEADER: &'static str = "id at act actor user post details network request_id";
    const COLUMNS: &'static [ListColumn] = &[
        ListColumn::new("label-act"),
        ListColumn::new("label-actor"),
        ListColumn::new("column-affected"),
        ListColumn::new("column-details"),
        ListColumn::new("column-time").sorted_by("-at"),
        ListColumn::new("column-source"),
    ];
    const DEFAULT_ORDER: &'static str = "-at";

    fn filters() -> Vec<ListFilter> {
        let acts = AuditAction::ALL.iter().map(|act| (act.name(), act.label()));
        let acts = std::iter::once(("", phrase!("log-all-actions"))).chain(acts).collect();
        vec![
            ListFilter::choice_filter("act", phrase!("label-act"), acts),
            ListFilter::text_filter("actor", phrase!("label-actor")),
            ListFilter::text_filter("user", phrase!("label-user")),
            ListFilter::text_filter("post", phrase!("label-post")),
            ListFilter::text_filter("words", phrase!("label-words")),
        ]
    }

    async fn page(&self, state: &CoreState, typed: &FilterValues, pager: &Pager<'_>) -> ListResult<audit_log::Entry> {
        let words = typed.get("words").map(str::trim).filter(|words| !words.is_empty());
        let filter = audit_log::EntryFilter {
            act: typed.get("act").and_then(|act| act.parse().ok()),
            actor: typed.find_user(state, "actor").await?,
            user: typed.find_user(state, "user").await?,
            post: typed.id("post")?,
            words: words.map(str::to_owned),
        };
        Ok(audit_log::list_entries(&mut *begin_with_custom_query_plans(&state.pool).await?, &filter, pager).await?)
    }

    fn entry(&self, row: &audit_log::Entry, now: DateTime<Utc>) -> RowDisplay {
        let by = |name: &String| {
            let path = format!("{}{}", urls::AUDIT_LOG.pattern, query_string(&[("actor", Some(name))]));
            DisplayPart::Link(path, name.clone())
        };
        let actor = row.actor.as_ref().map_or_else(|| DisplayPart::Said(phrase!("log-unknown-actor")), by);
        let words = row.label().map_or_else(|| DisplayPart::Plain(row.act.clone()), DisplayPart::Said);
        let user = row.user.as_deref().map(DisplayPart::user_link);
        let post = row.post.map(|id| DisplayPart::post_link(id, row.title.as_ref()));
        let details = row.named_details().into_iter().map(|(name, value)| match detail_text(name, value) {
            Some(words) => DisplayPart::Told(label(name), words),
            None => DisplayPart::Pair(label(name), audit_log::format_value(value)),
        });
        let from = [&row.network, &row.request_id].into_iter().flatten().map(|text| DisplayPart::Plain(text.clone()));
        RowDisplay {
            id: format!("entry-{}", row.id),
            key: None,
            cells: vec![
                vec![words],
                vec![actor],
                user.into_iter().chain(post).collect(),
                details.collect(),
                vec![DisplayPart::Time(row.at, now)],
                from.collect(),
            ],
        }
    }
}

/// Localized text of a number, a time, or a decision on a report or its grounds; `None` for other values.
fn detail_text(name: &str, value: &Value) -> Option<Phrase> {
    if let Some(number) = value.as_f64() {
        let decimals = if number.fract() == 0.0 { 0 } else { 2 };
        return Some(phrase!("verbatim", text = PhraseValue::Number(number, decimals)));
    }
    let text = value.as_str()?;
    if let Ok(time) = DateTime::parse_from_rfc3339(text) {
        return Some(phrase!("verbatim", text = PhraseValue::Minute(time.to_utc())));
    }
    match (name, text) {
        ("before" | "after", "kept") => Some(phrase!("log-kept")),
        ("before" | "after", "taken_down") => Some(phrase!("log-taken-down")),
        ("before" | "after", "gone") => Some(phrase!("log-gone")),
        ("ground", "law") => Some(phrase!("log-law")),
        ("ground", "rules") => Some(phrase!("log-rules")),
        _ => None,
    }
}
