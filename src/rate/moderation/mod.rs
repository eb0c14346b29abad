//! Moderation of scores: staff exclude days from a post's steady score or include them again, with a published reason.

pub(super) mod moderate;

use std::collections::HashMap;

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use sqlx::{PgConnection, PgPool};

use crate::audit_log::{AuditAction, NewEntry};
use crate::blog_posts::PostId;
use crate::db::clock::Clock;
use crate::i18n::{Phrase, PhraseValue};
use crate::phrase;
use crate::score::hourly_ratings::HourlyRatings;
use crate::score::rating_days::{
    date_from_epoch_days, days_since_epoch, read_days_of_post, read_state, write_days, write_state,
};
use crate::web::error::AppError;
use crate::web::request::current_user::CurrentUser;
use evenkeel_limiters::{DayRatings, SteadyScore, SteadyScoreState};

pub const PAGE_SIZE: i64 = 200;

/// Moderation action on a range of days of a post's score.
#[derive(Clone, Copy, Debug, PartialEq, Eq, JsonSchema, Serialize, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum ModerationAction {
    /// Excludes the days from the score.
    Exclude,
    /// Includes excluded days in the score again.
    Restore,
}

impl ModerationAction {
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// Range of days, including the last day.
#[derive(Clone, Copy, Debug)]
pub struct DateRange {
    pub from: NaiveDate,
    pub to: NaiveDate,
}

/// Published decision of a moderator.
#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize)]
pub struct Moderation {
    pub id: i64,
    /// `exclude`: days were excluded from the score; `restore`: days were included again.
    pub action: String,
    /// First day (UTC) that the decision affects.
    pub from: NaiveDate,
    /// Last day (UTC) that the decision affects.
    pub to: NaiveDate,
    pub reason: String,
    /// True if the moderator is the author of the post.
    pub by_author: bool,
    /// Number of days that the decision excluded or included again.
    pub days: i64,
    /// Number of ratings on the days that the decision changed.
    pub ratings: i64,
    /// Steady score before the decision.
    pub score_before: Option<f64>,
    /// Steady score after the decision.
    pub score_after: Option<f64>,
    pub created_at: DateTime<Utc>,
}

impl Moderation {
    /// Describes the decision without its reason.
    pub fn description(&self) -> Phrase {
        let message = match (self.action == ModerationAction::Exclude.as_str(), self.from == self.to) {
            (true, true) => "moderation-exclude-day",
            (true, false) => "moderation-exclude-days",
            (false, true) => "moderation-restore-day",
            (false, false) => "moderation-restore-days",
        };
        let phrase = phrase!(message, author = self.by_author, from = self.from, to = self.to, ratings = self.ratings);
        phrase
            .with_argument("before", format_score(self.score_before))
            .with_argument("after", format_score(self.score_after))
    }
}

pub fn format_score(score: Option<f64>) -> Phrase {
    score.map_or_else(|| phrase!("score-none"), |score| phrase!("score-stars", score = PhraseValue::Number(score, 2)))
}

/// Lists decisions with ids below `before`, the latest first.
pub async fn list_moderations(
    pool: &PgPool,
    PostId(post): PostId,
    before: Option<i64>,
) -> sqlx::Result<Vec<Moderation>> {
    sqlx::query_as!(
        Moderation,
        r#"select id, action, from_day as "from", until_day as "to", reason, by_author, days, ratings, score_before,
            score_after, created_at
        from moderations where blog_id = $1 and ($3::bigint is null or id < $3) order by id desc limit $2"#,
        post,
        PAGE_SIZE,
        before,
    )
    .fetch_all(pool)
    .await
}

pub async fn find_exclusion_reasons(pool: &PgPool, PostId(post): PostId) -> sqlx::Result<HashMap<NaiveDate, String>> {
    let rows = sqlx::query!(
        "select d.day, m.reason from score_days d join moderations m on m.id = d.moderation_id where d.blog_id = $1",
        post,
    );
    Ok(rows.fetch_all(pool).await?.into_iter().map(|row| (row.day, row.reason)).collect())
}

struct Moderated {
    /// State of the steady score after the decision.
    state: SteadyScoreState,
    /// Days that the decision excludes or restores.
    days: Vec<DayRatings>,
    score_before: Option<f64>,
    score_after: Option<f64>,
}

impl Moderated {
    /// Returns an error if the decision would change no day with ratings.
    async fn new(
        connection: &mut PgConnection,
        post: i64,
        action: ModerationAction,
        window: &DateRange,
    ) -> Result<Self, AppError> {
        let (rules, state) = (SteadyScore::default(), read_state(connection, post).await?);
        let mut days = read_days_of_post(connection, post, &state).await?;
        let score_before = rules.score(&state).score;
        let is_exclusion = action == ModerationAction::Exclude;
        let window = days_since_epoch(window.from)..=days_since_epoch(window.to);
        let is_changed =
            |day: &&DayRatings| window.contains(&day.day) && day.count() > 0 && day.excluded != is_exclusion;
        let changed: Vec<DayRatings> = days.iter().filter(is_changed).copied().collect();
        if changed.is_empty() {
            let message = match action {
                ModerationAction::Exclude => phrase!("invalid-nothing-to-exclude"),
                ModerationAction::Restore => phrase!("invalid-nothing-to-restore"),
            };
            return Err(AppError::invalid_field("from", message));
        }
        for day in &changed {
            days.set_excluded(day.day, is_exclusion);
        }
        let state = rules.compute_state(days.iter());
        let score_after = rules.score(&state).score;
        Ok(Self { state, days: changed, score_before, score_after })
    }

    fn day_count(&self) -> i64 {
        i64::try_from(self.days.len()).unwrap_or(i64::MAX)
    }

    fn rating_count(&self) -> i64 {
        self.days.iter().map(DayRatings::count).sum()
    }

    fn dates(&self) -> Vec<NaiveDate> {
        self.days.iter().map(|day| date_from_epoch_days(day.day)).collect()
    }

    async fn write(
        &self,
        connection: &mut PgConnection,
        post: i64,
        action: ModerationAction,
        moderation: i64,
    ) -> sqlx::Result<()> {
        // Inserts the row of the latest day if the row is missing, because the update below needs the row.
        let days: Vec<(i64, DayRatings)> = self.days.iter().map(|day| (post, *day)).collect();
        write_days(connection, &days).await?;
        sqlx::query!(
            "update score_days set moderation_id = $3 where blog_id = $1 and day = any($2)",
            post,
            &self.dates(),
            Some(moderation).filter(|_| action == ModerationAction::Exclude),
        )
        .execute(&mut *connection)
        .await?;
        write_state(connection, post, &self.state).await
    }
}

async fn moderate(
    connection: &mut PgConnection,
    clock: &Clock,
    post: i64,
    action: ModerationAction,
    window: &DateRange,
) -> Result<(Moderated, DateTime<Utc>), AppError> {
    let now = clock.read(&mut *connection).await?;
    let today = now.date_naive();
    if window.to >= today {
        let yesterday = today - TimeDelta::days(1);
        return Err(AppError::invalid_field("to", phrase!("invalid-day-not-over", day = yesterday)));
    }
    Ok((Moderated::new(connection, post, action, window).await?, now))
}

async fn add_audit_log_entry(
    connection: &mut PgConnection,
    clock: &Clock,
    moderator: &CurrentUser,
    post: i64,
    entry: &Moderation,
) -> sqlx::Result<()> {
    let act = if entry.action == ModerationAction::Exclude.as_str() {
        AuditAction::ExcludeDays
    } else {
        AuditAction::RestoreDays
    };
    let Moderation { from, to, reason, ratings, score_before, score_after, .. } = entry;
    let details = json!({ "from": from, "to": to, "reason": reason, "ratings": ratings, "score_before": score_before,
        "score_after": score_after });
    NewEntry::new(act).for_post(post).with_details(details).insert(moderator, connection, clock).await
}

/// Applies a decision. The caller commits the transaction.
pub async fn apply_decision(
    transaction: &mut PgConnection,
    clock: &Clock,
    PostId(post): PostId,
    moderator: &CurrentUser,
    action: ModerationAction,
    window: &DateRange,
    reason: &str,
) -> Result<Moderation, AppError> {
    // The row lock serializes moderation with new ratings of the post.
    let author = sqlx::query_scalar!(
        "select p.author_id from rating_totals t join blog_posts p on p.id = t.blog_id
        where t.blog_id = $1 and p.status = 'published' for no key update of t",
        post
    );
    let author = author.fetch_optional(&mut *transaction).await?.ok_or(AppError::NotFound)?;
    let (moderated, now) = moderate(transaction, clock, post, action, window).await?;
    let (days, ratings) = (moderated.day_count(), moderated.rating_count());
    let Moderated { score_before, score_after, .. } = moderated;
    let entry = sqlx::query_as!(
        Moderation,
        r#"insert into moderations (blog_id, moderator_id, by_author, action, from_day, until_day, reason, days, ratings,
            score_before, score_after, created_at)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
        returning id, action, from_day as "from", until_day as "to", reason, by_author, days, ratings, score_before,
            score_after, created_at"#,
        post,
        moderator.id.0,
        author == moderator.id.0,
        action.as_str(),
        window.from,
        window.to,
        reason,
        days,
        ratings,
        score_before,
        score_after,
        now,
    );
    let entry = entry.fetch_one(&mut *transaction).await?;
    // Closes ended hours first, because an hour is stored with the score at the time when it is closed.
    HourlyRatings::close_hours(transaction, &[post], now).await?;
    moderated.write(transaction, post, action, entry.id).await?;
    add_audit_log_entry(transaction, clock, moderator, post, &entry).await?;
    Ok(entry)
}
