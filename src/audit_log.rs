//! Audit log: actions of staff and commands, and changes that users make to their accounts.

use std::str::FromStr;
use std::time::Duration;

use chrono::{DateTime, Utc};
use schemars::{JsonSchema, Schema, json_schema};
use serde::Serialize;
use serde_json::Value;
use sqlx::{PgConnection, PgPool};

use crate::config::{Env, InvalidSetting};
use crate::db::clock::Clock;
use crate::i18n::Phrase;
use crate::phrase;
use crate::text::to_single_line;
use crate::web::request::current_user::{CurrentUser, RequestSource, UserId};
use crate::web::request::form_field::{Field, limit_chars};
use crate::web::response::pagination::{Cursor, Direction, Pager, ResultPage, SortKey};

const DELETE_BATCH: i64 = 1_000;

/// Retention period of audit log entries; `None` for unlimited.
#[derive(Clone, Copy, Debug)]
pub struct Retention(Option<Duration>);

impl Retention {
    /// Reads `AUDIT_LOG_DAYS`, whose value 0 means unlimited retention.
    pub fn from_env(env: &Env) -> Result<Self, InvalidSetting> {
        let days = env.get_integer("AUDIT_LOG_DAYS", 365, 0..=36_500, "days")?;
        Ok(Self((days > 0).then(|| Duration::from_hours(24 * u64::from(days)))))
    }
}

macro_rules! acts {
    ($($(#[$doc:meta])* $name:ident = $text:literal,)*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum AuditAction {
            $($(#[$doc])* $name,)*
        }

        impl AuditAction {
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// Name of the action in the database, in JSON and in URLs.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)*
                }
            }
        }
    };
}

acts! {
    ExcludeDays = "days.exclude",
    RestoreDays = "days.restore",
    /// Staff edited another user's post.
    ChangePost = "post.change",
    DeletePost = "post.delete",
    DeleteRevision = "revision.delete",
    /// Deletion of the drafts of a blocked user.
    DeleteDrafts = "user.delete_drafts",
    UnpublishPost = "post.unpublish",
    PublishPost = "post.publish",
    /// Staff returned a submitted post to its author.
    ReturnPost = "post.return",
    PauseRatings = "pause.set",
    LiftPause = "pause.lift",
    /// Staff scheduled a pending email for immediate delivery.
    SendMail = "mail.send",
    DropMail = "mail.drop",
    /// Staff deleted the state of a limiter for a user, client or post, so that the full limit applies again.
    ForgetState = "limiter.forget",
    ApproveAuthor = "author.approve",
    DisapproveAuthor = "author.disapprove",
    MakeInvitation = "invitation.make",
    EndInvitation = "invitation.end",
    ChooseLimiter = "limiter.choose",
    UndoLimiter = "limiter.undo",
    SetCustomLimit = "limit.set",
    EndCustomLimit = "limit.end",
    DecideReport = "report.decide",
    DecideAppeal = "appeal.decide",
    MakeStaff = "staff.make",
    BlockUser = "user.block",
    UnblockUser = "user.unblock",
    ResetWarning = "user.warning",
    ChangeRole = "user.role",
    /// Staff invalidated the password of a user.
    TakePassword = "password.take",
    ChangePassword = "password.change",
    ResetPassword = "password.reset",
    ChangeEmail = "email.change",
    TurnOnSecondFactor = "second_factor.on",
    TurnOffSecondFactor = "second_factor.off",
    RenewRecoveryCodes = "second_factor.codes",
    EndSessions = "sessions.end",
    CreateToken = "token.create",
    RevokeToken = "token.revoke",
    /// An owner changed a setting of the site.
    ChangeSetting = "setting.change",
    CreateWebhook = "webhook.create",
    ChangeWebhook = "webhook.change",
    DeleteWebhook = "webhook.delete",
    /// Staff scheduled a webhook event for immediate delivery.
    SendWebhook = "webhook.send",
    AskForDeletion = "deletion.ask",
    CancelDeletion = "deletion.cancel",
    /// An account was erased automatically at the end of its deletion grace period.
    Erase = "account.erase",
}

impl AuditAction {
    pub fn label(self) -> Phrase {
        Phrase::new(format!("act-{}", self.name().replace(['.', '_'], "-")))
    }
}

impl FromStr for AuditAction {
    type Err = ();

    fn from_str(name: &str) -> Result<Self, ()> {
        Self::ALL.iter().copied().find(|act| act.name() == name).ok_or(())
    }
}

/// The `id` is `None` for automatic actions and management commands.
#[derive(Clone, Copy, Debug, Default)]
pub struct Actor {
    pub id: Option<UserId>,
    pub from: RequestSource,
}

impl From<&CurrentUser> for Actor {
    fn from(user: &CurrentUser) -> Self {
        Self { id: Some(user.id), from: user.from }
    }
}

#[derive(Clone, Debug)]
pub struct NewEntry {
    act: AuditAction,
    user: Option<UserId>,
    post: Option<i64>,
    details: Value,
}

impl NewEntry {
    pub fn new(act: AuditAction) -> Self {
        Self { act, user: None, post: None, details: serde_json::json!({}) }
    }

    pub fn for_user(self, user: UserId) -> Self {
        Self { user: Some(user), ..self }
    }

    pub fn for_post(self, post: i64) -> Self {
        Self { post: Some(post), ..self }
    }

    /// Takes a JSON object with, for example, `before` and `reason`, but no passwords or texts of posts and emails.
    pub fn with_details(self, details: Value) -> Self {
        Self { details, ..self }
    }

    /// Must be called in the transaction of the action, so that the action and its log entry are committed together.
    pub async fn insert(
        self,
        actor: impl Into<Actor>,
        connection: &mut PgConnection,
        clock: &Clock,
    ) -> sqlx::Result<()> {
        let Actor { id, from } = actor.into();
        let noted = sqlx::query!(
            "insert into audit_log (at, act, actor_id, user_id, post_id, details, network, request_id)
            values (coalesce($8, clock_timestamp()), $1, $2, $3, $4, $5, $6, $7)",
            self.act.name(),
            id.map(|UserId(id)| id),
            self.user.map(|UserId(id)| id),
            self.post,
            self.details,
            from.network(),
            from.request_id(),
            clock.now(),
        );
        noted.execute(connection).await.map(drop)
    }
}

/// Stored audit log entry.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[schemars(rename = "AuditLogEntry")]
pub struct Entry {
    pub id: i64,
    pub at: DateTime<Utc>,
    pub act: String,
    /// Username of the actor; `None` for automatic actions, management commands and erased accounts.
    pub actor: Option<String>,
    /// Username of the affected user; `None` if the entry concerns no user or the account was erased.
    pub user: Option<String>,
    pub post: Option<i64>,
    /// Title of the post, if it is published.
    pub title: Option<String>,
    #[schemars(with = "serde_json::Map<String, Value>")]
    pub details: Value,
    pub network: Option<String>,
    pub request_id: Option<String>,
}

impl Entry {
    pub fn label(&self) -> Option<Phrase> {
        self.act.parse().ok().map(AuditAction::label)
    }

    pub fn named_details(&self) -> Vec<(&str, &Value)> {
        let pairs = self.details.as_object().into_iter().flatten();
        let pairs = pairs.filter(|(_, value)| !value.is_null() && value.as_str() != Some(""));
        let mut pairs: Vec<(&str, &Value)> = pairs.map(|(name, value)| (name.as_str(), value)).collect();
        // The previous and new values (`before`, `after`) are displayed before all other details.
        pairs.sort_by_key(|(name, _)| ["before", "after"].iter().position(|first| first == name).unwrap_or(2));
        pairs
    }
}

/// Formats a JSON value without quotation marks and braces.
pub fn format_value(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(number) if number.is_f64() => {
            let number = number.as_f64().unwrap_or_default();
            if number.fract() == 0.0 { format!("{number:.0}") } else { format!("{number:.2}") }
        }
        Value::Object(pairs) => {
            let pairs = pairs.iter().map(|(name, value)| format!("{name} {}", format_value(value)));
            pairs.collect::<Vec<_>>().join(", ")
        }
        Value::Null => "none".to_owned(),
        other => other.to_string(),
    }
}

#[derive(Clone, Debug, Default)]
pub struct EntryFilter {
    pub act: Option<AuditAction>,
    pub actor: Option<UserId>,
    /// User affected by the action.
    pub user: Option<UserId>,
    pub post: Option<i64>,
    /// Words or word prefixes that must all occur in the details, network or request id.
    pub words: Option<String>,
}

/// Number of entries, starting at the page cursor, that are scanned for the search terms before the full-text index is
/// used. The scan finds frequent words quickly; the index finds rare words quickly.
const SEARCH_WINDOW: i64 = 5_000;

/// The caller must force custom plans (`plan_cache_mode`), because the best index depends on the filters.
pub async fn list_entries(
    connection: &mut PgConnection,
    filter: &EntryFilter,
    pager: &Pager<'_>,
) -> sqlx::Result<ResultPage<Entry>> {
    let (position, limit) = (pager.position(SortKey::max_time()), pager.limit());
    let ids = match &filter.words {
        None => search_window(connection, filter, &position, None, limit, limit).await?.ids,
        Some(words) => {
            let words = prefix_query(connection, words).await?;
            let look_at = limit.max(SEARCH_WINDOW);
            let near = search_window(connection, filter, &position, Some(&words), limit, look_at).await?;
            if near.looked_at < look_at || i64::try_from(near.ids.len()) == Ok(limit) {
                near.ids
            } else {
                search_index(connection, filter, &position, &words, limit).await?
            }
        }
    };
    let rows = by_ids(connection, &ids).await?;
    Ok(pager.page_from_rows(rows, |entry| (SortKey::Time(entry.at), entry.id)))
}

/// Builds a `tsquery` that requires each of the words, as a whole word or as the beginning of a word.
async fn prefix_query(connection: &mut PgConnection, words: &str) -> sqlx::Result<String> {
    let query = sqlx::query_scalar!(
        r#"select coalesce(string_agg(
            '''' || replace(replace(lexeme, '\', '\\'), '''', '''''') || ''':*', ' & '
        ), '') as "query!" from unnest(to_tsvector('simple', $1))"#,
        words,
    );
    query.fetch_one(connection).await
}

struct WindowMatches {
    ids: Vec<i64>,
    /// Number of searched entries. A number below the limit means that no entries remain.
    looked_at: i64,
}

/// Searches at most `look_at` entries, starting at the page cursor.
async fn search_window(
    connection: &mut PgConnection,
    filter: &EntryFilter,
    position: &Cursor,
    words: Option<&str>,
    limit: i64,
    look_at: i64,
) -> sqlx::Result<WindowMatches> {
    let near = sqlx::query_as!(
        WindowMatches,
        r#"with near as (
            select id, details, network, request_id from audit_log
            where ($1::text is null or act = $1) and ($2::bigint is null or actor_id = $2)
                and ($3::bigint is null or user_id = $3) and ($4::bigint is null or post_id = $4)
                and case when $6 then id > $5 else id < $5 end
            order by case when $6 then id end, id desc limit $9
        )
        select array(
            select id from near
            where $8::text is null or words_of_entry(details, network, request_id) @@ $8::text::tsquery
            order by case when $6 then id end, id desc limit $7
        ) as "ids!", (select count(*) from near) as "looked_at!""#,
        filter.act.map(AuditAction::name),
        filter.actor.map(|UserId(id)| id),
        filter.user.map(|UserId(id)| id),
        filter.post,
        position.id,
        position.side == Direction::Before,
        limit,
        words,
        look_at,
    );
    near.fetch_one(connection).await
}

/// Finds entries with the full-text index, and then applies the other filters.
async fn search_index(
    connection: &mut PgConnection,
    filter: &EntryFilter,
    position: &Cursor,
    words: &str,
    limit: i64,
) -> sqlx::Result<Vec<i64>> {
    let ids = sqlx::query_scalar!(
        "with found as materialized (
            select id, act, actor_id, user_id, post_id from audit_log
            where words_of_entry(details, network, request_id) @@ $8::text::tsquery
        )
        select id from found
        where ($1::text is null or act = $1) and ($2::bigint is null or actor_id = $2)
            and ($3::bigint is null or user_id = $3) and ($4::bigint is null or post_id = $4)
            and case when $6 then id > $5 else id < $5 end
        order by case when $6 then id end, id desc limit $7",
        filter.act.map(AuditAction::name),
        filter.actor.map(|UserId(id)| id),
        filter.user.map(|UserId(id)| id),
        filter.post,
        position.id,
        position.side == Direction::Before,
        limit,
        words,
    );
    ids.fetch_all(connection).await
}

/// Reads audit log entries in the order of `ids`.
async fn by_ids(connection: &mut PgConnection, ids: &[i64]) -> sqlx::Result<Vec<Entry>> {
    let entries = sqlx::query_as!(
        Entry,
        r#"select l.id, l.at, l.act, a.username as "actor?", u.username as "user?", l.post_id as post,
            case when p.status = 'published' then p.title end as title,
            l.details, l.network, l.request_id
        from unnest($1::bigint[]) with ordinality as wanted (id, place) join audit_log l on l.id = wanted.id
            left join users a on a.id = l.actor_id
            left join users u on u.id = l.user_id
            left join blog_posts p on p.id = l.post_id
        order by wanted.place"#,
        ids,
    );
    entries.fetch_all(connection).await
}

/// `order by at` makes `PostgreSQL` use the index on `at`: otherwise each batch would scan past all rows that previous
/// batches deleted.
pub async fn delete_expired(pool: &PgPool, clock: &Clock, Retention(retention): Retention) -> sqlx::Result<()> {
    let Some(retention) = retention else { return Ok(()) };
    loop {
        let deleted = sqlx::query!(
            "delete from audit_log where id = any(array(
                select id from audit_log where at < (select coalesce($1, clock_timestamp()) - make_interval(secs => $2))
                order by at limit $3
            ))",
            clock.now(),
            retention.as_secs_f64(),
            DELETE_BATCH,
        );
        if deleted.execute(pool).await?.rows_affected() < DELETE_BATCH.unsigned_abs() {
            return Ok(());
        }
    }
}

/// Reason for a moderation decision, shown to other users: one line of at most 300 characters.
#[derive(Clone, Debug)]
pub struct ReasonField(String);

impl ReasonField {
    const MAX_CHARS: usize = 300;

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Field for ReasonField {
    fn from_text(text: &str) -> Result<Self, Phrase> {
        match to_single_line(text) {
            empty if empty.is_empty() => Err(phrase!("invalid-no-reason")),
            line => limit_chars(line, Self::MAX_CHARS).map(Self),
        }
    }

    fn schema() -> Schema {
        json_schema!({ "type": "string", "minLength": 1, "maxLength": Self::MAX_CHARS, "description": "One line, which users see" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reason_is_a_non_empty_line() {
        assert_eq!(ReasonField::from_text("  bought\r\nratings\u{202e} ").unwrap().as_str(), "bought  ratings");
        assert!(ReasonField::from_text(" \n").is_err() && ReasonField::from_text(&"x".repeat(301)).is_err());
    }
}
