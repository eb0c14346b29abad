//! Hourly site statistics: every instance adds its counts to `site_hours`, and the dashboard charts read them.

use std::sync::{Arc, Mutex, PoisonError};

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;
use sqlx::{PgConnection, PgPool};

use super::traffic::{Traffic, TrafficCounts};
use crate::db::clock::Clock;
use crate::limiter_decisions::{DecisionCounters, ProtectedResource};

pub const HOURS_SHOWN: i32 = 24;
const RETENTION_DAYS: i32 = 90;

pub struct HourlyStatsCollector {
    pub traffic: Traffic,
    decisions: Arc<DecisionCounters>,
    /// Totals of admitted and refused ratings that are already in the database.
    written: Mutex<[u64; 2]>,
}

fn count(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

impl HourlyStatsCollector {
    pub fn new(clock: Clock, decisions: Arc<DecisionCounters>) -> Self {
        Self { traffic: Traffic::new(clock), decisions, written: Mutex::default() }
    }

    /// Adds the counts since the previous call to the row of the current hour.
    pub async fn flush(&self, pool: &PgPool, clock: &Clock) -> sqlx::Result<()> {
        let counts = self.traffic.take_counts();
        let totals = [true, false].map(|admitted| self.decisions.total_decisions(ProtectedResource::Post, admitted));
        let before = *self.written.lock().unwrap_or_else(PoisonError::into_inner);
        let [ratings, refused] = [0, 1].map(|index| totals[index] - before[index]);
        if counts == TrafficCounts::default() && [ratings, refused] == [0, 0] {
            return Ok(());
        }
        let added = sqlx::query!(
            "insert into site_hours as h (hour, visitors, pages, ratings, refused, limited, failures)
            values (date_trunc('hour', coalesce($7, clock_timestamp())), $1, $2, $3, $4, $5, $6)
            on conflict (hour) do update set visitors = h.visitors + excluded.visitors, pages = h.pages + excluded.pages,
                ratings = h.ratings + excluded.ratings, refused = h.refused + excluded.refused,
                limited = h.limited + excluded.limited, failures = h.failures + excluded.failures",
            count(counts.visitors),
            count(counts.pages),
            count(ratings),
            count(refused),
            count(counts.limited),
            count(counts.failures),
            clock.now(),
        );
        match added.execute(pool).await {
            Ok(_) => *self.written.lock().unwrap_or_else(PoisonError::into_inner) = totals,
            Err(error) => {
                self.traffic.restore_counts(counts);
                return Err(error);
            }
        }
        Ok(())
    }
}

pub async fn delete_expired(pool: &PgPool, clock: &Clock) -> sqlx::Result<()> {
    let deleted = sqlx::query!(
        "delete from site_hours where hour < coalesce($1, clock_timestamp()) - make_interval(days => $2)",
        clock.now(),
        RETENTION_DAYS,
    );
    deleted.execute(pool).await.map(drop)
}

#[derive(Clone, Debug, PartialEq, Eq, JsonSchema, Serialize)]
pub struct HourStats {
    /// Start of the hour.
    pub from: DateTime<Utc>,
    /// Number of users and networks that viewed a post, list or author page, counted separately by each instance. Staff
    /// are not counted.
    pub visitors: i64,
    /// Number of views of posts, lists and author pages by users who are not staff.
    pub pages: i64,
    /// Number of ratings that were counted.
    pub ratings: i64,
    /// Number of ratings that a rating limiter refused.
    pub refused: i64,
    /// Number of requests that were rejected because of a rate limit.
    pub limited: i64,
    /// Number of requests that failed with a server error.
    pub failures: i64,
}

/// Returns the totals of the [`HOURS_SHOWN`] hours before the hours of [`list_recent_hours`].
pub async fn total_of_previous_hours(connection: &mut PgConnection, clock: &Clock) -> sqlx::Result<HourStats> {
    let total = sqlx::query_as!(
        HourStats,
        r#"select clock.now - make_interval(hours => 2 * $2 - 1) as "from!",
            coalesce(sum(visitors), 0)::bigint as "visitors!", coalesce(sum(pages), 0)::bigint as "pages!",
            coalesce(sum(ratings), 0)::bigint as "ratings!", coalesce(sum(refused), 0)::bigint as "refused!",
            coalesce(sum(limited), 0)::bigint as "limited!", coalesce(sum(failures), 0)::bigint as "failures!"
        from (select date_trunc('hour', coalesce($1, clock_timestamp())) as now) clock
            left join site_hours h on h.hour between clock.now - make_interval(hours => 2 * $2 - 1)
                and clock.now - make_interval(hours => $2)
        group by clock.now"#,
        clock.now(),
        HOURS_SHOWN,
    );
    total.fetch_one(connection).await
}

/// Returns the last [`HOURS_SHOWN`] hours in ascending order, including the current hour and hours without counts.
pub async fn list_recent_hours(connection: &mut PgConnection, clock: &Clock) -> sqlx::Result<Vec<HourStats>> {
    let hours = sqlx::query_as!(
        HourStats,
        r#"select hours.beginning as "from!", coalesce(h.visitors, 0) as "visitors!", coalesce(h.pages, 0) as "pages!",
            coalesce(h.ratings, 0) as "ratings!", coalesce(h.refused, 0) as "refused!", coalesce(h.limited, 0) as "limited!",
            coalesce(h.failures, 0) as "failures!"
        from (select date_trunc('hour', coalesce($1, clock_timestamp())) as now) clock,
            generate_series(clock.now - make_interval(hours => $2 - 1), clock.now, interval '1 hour') as hours (beginning)
            left join site_hours h on h.hour = hours.beginning
        order by hours.beginning"#,
        clock.now(),
        HOURS_SHOWN,
    );
    hours.fetch_all(connection).await
}
