//! Admin list of the audit log.

use chrono::{DateTime, Utc};

use super::list::{Entry, Filter, List, Piece, Typed, planned_anew};
use super::urls;
use crate::audit_log::{self, AuditAction};
use crate::i18n::Phrase;
use crate::phrase;
use crate::web::error::AppError;
use crate::web::response::form::label;
use crate::web::response::paging::{Pager, Slice};
use crate::web::response::text::query_of;
use crate::web::routing::route::Route;
use crate::web::state::AppState;

#[derive(Default)]
pub struct Log;

impl List for Log {
    type Row = audit_log::Entry;

    const ADDRESS: Route = urls::LOG;
    const NAME: &'static str = "log";
    const HEADER: &'static [&'static str] =
        &["id", "at", "act", "actor", "user", "post", "details", "network", "request_id"];

    fn filters(&self) -> Vec<Filter> {
        let acts = AuditAction::ALL.iter().map(|act| (act.name(), act.words()));
        let acts = std::iter::once(("", phrase!("log-any-act"))).chain(acts).collect();
        vec![
            Filter::of("act", phrase!("label-act"), acts),
            Filter::typed("actor", phrase!("label-actor")),
            Filter::typed("user", phrase!("label-user")),
            Filter::typed("post", phrase!("label-post")),
            Filter::typed("words", phrase!("label-words")),
        ]
    }

    async fn page(
        &self,
        state: &AppState,
        typed: &Typed,
        pager: &Pager<'_>,
    ) -> Result<Slice<audit_log::Entry>, AppError> {
        let words = typed.get("words").map(str::trim).filter(|words| !words.is_empty());
        let filter = audit_log::Filter {
            act: typed.get("act").and_then(|act| act.parse().ok()),
            actor: typed.user(state, "actor").await?,
            user: typed.user(state, "user").await?,
            post: typed.post()?,
            words: words.map(str::to_owned),
        };
        Ok(audit_log::page(&mut *planned_anew(&state.pool).await?, &filter, pager).await?)
    }

    fn entry(&self, row: &audit_log::Entry, _: DateTime<Utc>) -> Entry {
        let by = |name: &String| {
            Piece::Link(format!("{}{}", urls::LOG.pattern, query_of(&[("actor", Some(name))])), name.clone())
        };
        let actor = row.actor.as_ref().map_or_else(|| Piece::Said(phrase!("log-nobody")), by);
        let words = row.words().map_or_else(|| Piece::Plain(row.act.clone()), Piece::Said);
        let user = row.user.as_deref().map(Piece::user);
        let post = row.post.map(|id| Piece::post(id, row.title.as_ref()));
        let details = row.pairs().into_iter().map(|(name, value)| match told(name, &value) {
            Some(words) => Piece::Told(label(name), words),
            None => Piece::Pair(label(name), value),
        });
        let from = [&row.network, &row.request_id].into_iter().flatten().map(|text| Piece::Plain(text.clone()));
        Entry {
            id: format!("entry-{}", row.id),
            head: [actor, words].into_iter().chain(user).chain(post).collect(),
            details: details.collect(),
            facts: std::iter::once(Piece::Minute(row.at)).chain(from).collect(),
            ..Entry::default()
        }
    }
}

/// Translations of the decisions and grounds in audit log entries about reports.
fn told(name: &str, value: &str) -> Option<Phrase> {
    match (name, value) {
        ("before" | "after", "kept") => Some(phrase!("log-kept")),
        ("before" | "after", "taken_down") => Some(phrase!("log-taken-down")),
        ("before" | "after", "gone") => Some(phrase!("log-gone")),
        ("ground", "law") => Some(phrase!("log-law")),
        ("ground", "rules") => Some(phrase!("log-rules")),
        _ => None,
    }
}
