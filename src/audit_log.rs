//! Who did what, for those who have to answer for a site: staff's decisions, what owners of accounts do to these, and what
//! the program does by itself. An entry is written in the transaction of the act, so that there is none without the other.
//! No passwords, no texts, no mails are in it.

use std::str::FromStr;
use std::time::Duration;

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::Value;
use sqlx::{PgConnection, PgPool};

use crate::config::{Env, InvalidSetting};
use crate::db::clock::Clock;
use crate::i18n::Phrase;
use crate::web::request::visitor::{CurrentUser, Origin, UserId};
use crate::web::response::paging::{Pager, Position, Rank, Side, Slice};

/// Old entries that one statement deletes at the most.
const MAX_AT_ONCE: i64 = 1_000;

/// How long entries are kept. None: for ever.
#[derive(Clone, Copy, Debug)]
pub struct Retention(Option<Duration>);

impl Retention {
    /// # Errors
    /// For what is no number of days.
    pub fn from_env(env: &Env) -> Result<Self, InvalidSetting> {
        let days = env.whole("AUDIT_LOG_DAYS", 365, 0..=36_500, "days")?;
        Ok(Self((days > 0).then(|| Duration::from_hours(24 * u64::from(days)))))
    }
}

macro_rules! acts {
    ($($(#[$doc:meta])* $name:ident = $text:literal,)*) => {
        /// What can be done.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum AuditAction {
            $($(#[$doc])* $name,)*
        }

        impl AuditAction {
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// As rows, JSON and addresses have it.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)*
                }
            }
        }
    };
}

acts! {
    /// Staff left days out of a post's score.
    VoidDays = "days.void",
    RestoreDays = "days.restore",
    /// Staff changed somebody else's post.
    ChangePost = "post.change",
    DeletePost = "post.delete",
    UnpublishPost = "post.unpublish",
    PublishPost = "post.publish",
    /// Staff let a reader rate a post again.
    LiftPause = "pause.lift",
    /// Staff had a mail sent at once, or not at all.
    SendMail = "mail.send",
    DropMail = "mail.drop",
    /// Staff had a limiter begin anew.
    ForgetState = "limiter.forget",
    /// Staff let somebody publish.
    ApproveAuthor = "author.approve",
    DisapproveAuthor = "author.disapprove",
    MakeInvitation = "invitation.make",
    EndInvitation = "invitation.end",
    /// Another limiter for ratings, or other parameters: for the site, or for a post.
    ChooseGate = "gate.choose",
    UndoGate = "gate.undo",
    /// Staff decided what readers had reported, and what somebody appealed against.
    DecideReport = "report.decide",
    DecideAppeal = "appeal.decide",
    /// From the command line, a member of staff was made.
    MakeStaff = "staff.make",
    /// Somebody may only read, for a time; and may do everything again.
    BlockUser = "user.block",
    UnblockUser = "user.unblock",
    /// An owner made somebody staff, or not, or gave them another role.
    ChangeRole = "user.role",
    /// Staff took a password away.
    TakePassword = "password.take",
    ChangePassword = "password.change",
    /// By the link of a mail.
    ResetPassword = "password.reset",
    ChangeEmail = "email.change",
    TurnOnSecondFactor = "second_factor.on",
    TurnOffSecondFactor = "second_factor.off",
    RenewRecoveryCodes = "second_factor.codes",
    EndSessions = "sessions.end",
    AskForDeletion = "deletion.ask",
    CancelDeletion = "deletion.cancel",
    /// The program, when the week was over.
    Erase = "account.erase",
}

impl AuditAction {
    /// What was done, in words.
    #[must_use]
    pub fn words(self) -> Phrase {
        Phrase::new(format!("act-{}", self.name().replace(['.', '_'], "-")))
    }
}

impl FromStr for AuditAction {
    type Err = ();

    fn from_str(name: &str) -> Result<Self, ()> {
        Self::ALL.iter().copied().find(|act| act.name() == name).ok_or(())
    }
}

/// Who does something, and from where. Nobody: the program itself.
#[derive(Clone, Copy, Debug, Default)]
pub struct Actor {
    pub id: Option<UserId>,
    pub from: Origin,
}

impl From<&CurrentUser> for Actor {
    fn from(user: &CurrentUser) -> Self {
        Self { id: Some(user.id), from: user.from }
    }
}

/// What was done, to whom or to what.
#[derive(Clone, Debug)]
pub struct Record {
    act: AuditAction,
    user: Option<UserId>,
    post: Option<i64>,
    details: Value,
}

impl Record {
    #[must_use]
    pub fn of(act: AuditAction) -> Self {
        Self { act, user: None, post: None, details: serde_json::json!({}) }
    }

    #[must_use]
    pub fn to_user(self, user: UserId) -> Self {
        Self { user: Some(user), ..self }
    }

    #[must_use]
    pub fn to_post(self, post: i64) -> Self {
        Self { post: Some(post), ..self }
    }

    /// What was before, what is after, and why: an object.
    #[must_use]
    pub fn with(self, details: Value) -> Self {
        Self { details, ..self }
    }

    /// Writes the entry. To be called in the transaction of the act.
    pub async fn by(self, actor: impl Into<Actor>, connection: &mut PgConnection, clock: &Clock) -> sqlx::Result<()> {
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

/// An entry, for those who read the log.
#[derive(Clone, Debug, Serialize)]
pub struct Entry {
    pub id: i64,
    pub at: DateTime<Utc>,
    pub act: String,
    /// The name of who did it; None for the program, and for those whose account is gone.
    pub actor: Option<String>,
    /// The name of the account that it was done to, if it is still there.
    pub user: Option<String>,
    pub post: Option<i64>,
    /// Its title, if everybody may see it.
    pub title: Option<String>,
    pub details: Value,
    pub network: Option<String>,
    pub request_id: Option<String>,
}

impl Entry {
    /// What was done, in words.
    #[must_use]
    pub fn words(&self) -> Option<Phrase> {
        self.act.parse().ok().map(AuditAction::words)
    }

    /// The details as names and values.
    #[must_use]
    pub fn pairs(&self) -> Vec<(&str, String)> {
        let pairs = self.details.as_object().into_iter().flatten();
        let pairs = pairs.filter(|(_, value)| !value.is_null()).map(|(name, value)| (name.as_str(), text(value)));
        let mut pairs: Vec<(&str, String)> = pairs.collect();
        // What was before comes before what is after.
        pairs.sort_by_key(|(name, _)| ["before", "after"].iter().position(|first| first == name).unwrap_or(2));
        pairs
    }
}

/// A value for people: no quotation marks and brackets.
fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(number) if number.is_f64() => {
            let number = number.as_f64().unwrap_or_default();
            if number.fract() == 0.0 { format!("{number:.0}") } else { format!("{number:.2}") }
        }
        Value::Object(pairs) => {
            let pairs = pairs.iter().map(|(name, value)| format!("{name} {}", text(value)));
            pairs.collect::<Vec<_>>().join(", ")
        }
        Value::Null => "none".to_owned(),
        other => other.to_string(),
    }
}

/// Which entries are wanted.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    pub act: Option<AuditAction>,
    pub actor: Option<UserId>,
    /// Done to this account.
    pub user: Option<UserId>,
    pub post: Option<i64>,
    /// With all of these in the details, or what begins with them; so the network and the request.
    pub words: Option<String>,
}

/// Entries that are looked through for words before the index is asked. Words that are in many entries are in some of these;
/// those that are in few are found by the index at once.
const NEAR: i64 = 5_000;

/// A page of the log of at most so many entries, the latest first. Which index serves depends on the filters: the statements
/// are to be planned for their own values.
pub async fn page(connection: &mut PgConnection, filter: &Filter, pager: &Pager<'_>) -> sqlx::Result<Slice<Entry>> {
    let (position, wanted) = (pager.position(Rank::latest()), pager.limit());
    let ids = match &filter.words {
        None => near(connection, filter, &position, None, wanted, wanted).await?.ids,
        Some(words) => {
            let words = beginnings(connection, words).await?;
            let look_at = wanted.max(NEAR);
            let near = near(connection, filter, &position, Some(&words), wanted, look_at).await?;
            if near.looked_at < look_at || i64::try_from(near.ids.len()) == Ok(wanted) {
                near.ids
            } else {
                by_words(connection, filter, &position, &words, wanted).await?
            }
        }
    };
    let rows = by_ids(connection, &ids).await?;
    Ok(pager.page(rows, |entry| (Rank::Time(entry.at), entry.id)))
}

/// What is asked of the index for what somebody has typed: each of the words, or what begins with it.
async fn beginnings(connection: &mut PgConnection, words: &str) -> sqlx::Result<String> {
    let query = sqlx::query_scalar!(
        r#"select coalesce(string_agg(
            '''' || replace(replace(lexeme, '\', '\\'), '''', '''''') || ''':*', ' & '
        ), '') as "query!" from unnest(to_tsvector('simple', $1))"#,
        words,
    );
    query.fetch_one(connection).await
}

/// What is found in entries that are near to a position.
struct Near {
    ids: Vec<i64>,
    /// How many entries these are. Where they are fewer than were wanted, there are no more.
    looked_at: i64,
}

/// Looks at so many entries from a position on that the filter lets through, and takes those with the words.
async fn near(
    connection: &mut PgConnection,
    filter: &Filter,
    position: &Position,
    words: Option<&str>,
    wanted: i64,
    look_at: i64,
) -> sqlx::Result<Near> {
    let near = sqlx::query_as!(
        Near,
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
        position.side == Side::Before,
        wanted,
        words,
        look_at,
    );
    near.fetch_one(connection).await
}

/// The same, of all entries with the words, found by their index.
async fn by_words(
    connection: &mut PgConnection,
    filter: &Filter,
    position: &Position,
    words: &str,
    wanted: i64,
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
        position.side == Side::Before,
        wanted,
        words,
    );
    ids.fetch_all(connection).await
}

/// The entries with these ids, in their order.
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

/// Deletes what is older than it is kept, by the index of times: with other plans each step reads the table from its
/// beginning, past all that the steps before have deleted.
pub async fn delete_old(pool: &PgPool, clock: &Clock, Retention(kept): Retention) -> sqlx::Result<()> {
    let Some(kept) = kept else { return Ok(()) };
    loop {
        let deleted = sqlx::query!(
            "delete from audit_log where id = any(array(
                select id from audit_log where at < (select coalesce($1, clock_timestamp()) - make_interval(secs => $2))
                order by at limit $3
            ))",
            clock.now(),
            kept.as_secs_f64(),
            MAX_AT_ONCE,
        );
        if deleted.execute(pool).await?.rows_affected() < MAX_AT_ONCE.unsigned_abs() {
            return Ok(());
        }
    }
}
