//! Site overview for staff: pending work, rating surges, versions and disk space.

use std::path::Path;

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;
use sqlx::PgConnection;

use super::hourly_stats::{self, HourStats};
use crate::disk_space;
use crate::web::error::AppError;
use crate::web::state::CoreState;
use evenkeel_limiters::UnusualActivityParams;

/// Pending items are counted up to this number, to bound the cost of the query.
pub const MAX_DISPLAYED_COUNT: i64 = 1_000;

/// Maximum number of refused ratings that are read, newest first.
const MAX_REFUSED_READ: i64 = 20_000;
const MAX_LIMITED_POSTS: i64 = 5;

/// Post whose rating limiter refused ratings of many users within the last 24 hours.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct RateLimitedPost {
    pub post: i64,
    pub title: String,
    /// Number of refused attempts.
    pub refused: i64,
    /// Time of the latest refused rating.
    pub latest_at: DateTime<Utc>,
}

impl RateLimitedPost {
    pub fn rating_history_path(&self) -> String {
        format!("{}?days=1", crate::rate::urls::RATING_HISTORY.path_for(self.post))
    }

    /// Path of the form that excludes the day of the latest refused rating; `None` until that day is over.
    pub fn exclusion_path(&self, now: &DateTime<Utc>) -> Option<String> {
        let day = self.latest_at.date_naive();
        let path = || format!("{}?from={day}", crate::rate::urls::EXCLUDE_RATINGS.path_for(self.post));
        (day < now.date_naive()).then(path)
    }
}

/// Numbers of pending items, counted up to a maximum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, JsonSchema, Serialize)]
pub struct PendingCounts {
    /// Number of report cases that wait for a decision.
    pub reports: i64,
    /// Number of posts that authors submitted for a review.
    pub posts: i64,
    /// Number of emails with at least one failed delivery attempt.
    pub mails: i64,
    /// Number of posts with flagged URLs.
    pub links: i64,
    /// Number of rating pauses that have not ended.
    pub pauses: i64,
    /// Number of webhooks whose deliveries fail, or that were disabled because of failures.
    pub webhooks: i64,
}

#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct Overview {
    /// Numbers of pending items.
    pub waiting: PendingCounts,
    /// Posts whose rating limiter refused ratings of at least ten users within the last 24 hours, at most five.
    pub most_refused: Vec<RateLimitedPost>,
    /// Statistics of the last 24 hours.
    pub hours: Vec<HourStats>,
    /// Totals of the 24 hours before `hours`.
    pub previous_day: HourStats,
    /// Version of the program.
    pub version: &'static str,
    /// Version of `PostgreSQL`.
    pub database_version: String,
    /// Database size in bytes.
    pub database_size: i64,
    /// Free disk space of the data directory in bytes; `None` if unknown.
    pub disk_free: Option<i64>,
    /// Time of the overview, read from the clock of the database.
    pub now: DateTime<Utc>,
}

impl Overview {
    pub async fn load(state: &CoreState, data: &Path) -> Result<Self, AppError> {
        let mut connection = state.pool.acquire().await?;
        let now = state.clock.read(&mut connection).await?;
        let database = sqlx::query!(
            r#"select current_setting('server_version') as "version!", pg_database_size(current_database()) as "size!""#
        );
        let database = database.fetch_one(&mut *connection).await?;
        let hours = hourly_stats::list_recent_hours(&mut connection, &state.clock).await?;
        let since = hours.first().map_or(now, |hour| hour.from);
        Ok(Self {
            waiting: count_pending_items(&mut connection).await?,
            most_refused: limited_posts(&mut connection, since).await?,
            hours,
            previous_day: hourly_stats::total_of_previous_hours(&mut connection, &state.clock).await?,
            version: env!("CARGO_PKG_VERSION"),
            database_version: database.version,
            database_size: database.size,
            disk_free: disk_space::free_bytes(data),
            now,
        })
    }
}

pub async fn count_pending_items(connection: &mut PgConnection) -> sqlx::Result<PendingCounts> {
    let waiting = sqlx::query_as!(
        PendingCounts,
        r#"select
            (select count(*) from (
                select from report_cases where decided_at is null or (appealed_at is not null and final_at is null) limit $1
            ) x) as "reports!",
            (select count(*) from (
                select from blog_posts where submitted_at is not null and status = 'draft' limit $1
            ) x) as "posts!",
            (select count(*) from (select from outbox where pace is not null limit $1) x) as "mails!",
            (select count(*) from (select from post_links where suspected <> '{}' limit $1) x) as "links!",
            (select count(*) from (
                select from zombie_pauses where paused_at is not null and unpaused_at is null limit $1
            ) x) as "pauses!",
            (
                select count(*) from webhooks w where disabled_reason is not null or exists (
                    select from webhook_deliveries
                    where webhook_id = w.id and delivered_at is null and failed_at is null and error is not null
                )
            ) as "webhooks!""#,
        MAX_DISPLAYED_COUNT,
    );
    waiting.fetch_one(connection).await
}

/// Returns the posts with the most refused ratings, except posts whose latest day staff have excluded. Refused ratings of
/// fewer users than an unusual hour needs are no brigade.
///
/// `since` is the start of the first hour of the statistics, so that both have the same numbers.
async fn limited_posts(connection: &mut PgConnection, since: DateTime<Utc>) -> sqlx::Result<Vec<RateLimitedPost>> {
    let most_refused = sqlx::query_as!(
        RateLimitedPost,
        r#"select p.id as post, p.title, h.refused as "refused!", r.latest_at as "latest_at!" from (
            select blog_id, max(at) as latest_at from (
                select blog_id, user_id, at from refused_ratings where at >= $1 order by at desc limit $2
            ) latest group by blog_id having count(distinct user_id) >= $4
        ) r join blog_posts p on p.id = r.blog_id
            cross join lateral (
                select coalesce(sum(refused), 0)::bigint as refused from rating_hours
                where blog_id = r.blog_id and hour >= $1
            ) h
        where p.status = 'published' and not exists (
            select from score_days
            where blog_id = p.id and day = (r.latest_at at time zone 'UTC')::date and moderation_id is not null
        ) order by h.refused desc, p.id limit $3"#,
        since,
        MAX_REFUSED_READ,
        MAX_LIMITED_POSTS,
        UnusualActivityParams::default().least,
    );
    most_refused.fetch_all(connection).await
}
