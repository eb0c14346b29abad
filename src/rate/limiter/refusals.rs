//! Ratings that a post's limiter refused: one row for each user and post in each clock hour (UTC).

use std::sync::{Mutex, PoisonError};

use chrono::{DateTime, TimeDelta, Utc};
use sqlx::PgPool;

use crate::db::clock::Clock;
use crate::score::hourly_ratings::hours_since_epoch;

/// Limit of one instance.
const MAX_PER_HOUR: usize = 50_000;

/// Limits the recorded ratings, so that a flood of requests cannot fill the table.
#[derive(Debug, Default)]
pub struct HourlyRefusalCounter(Mutex<(i64, usize)>);

impl HourlyRefusalCounter {
    pub fn can_record(&self, now: DateTime<Utc>) -> bool {
        let (hour, recorded) = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        hour != hours_since_epoch(now) || recorded < MAX_PER_HOUR
    }

    pub fn add(&self, count: usize, now: DateTime<Utc>) {
        let (hour, recorded) = &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if *hour != hours_since_epoch(now) {
            (*hour, *recorded) = (hours_since_epoch(now), 0);
        }
        *recorded += count;
    }
}

const RETENTION: TimeDelta = TimeDelta::days(90);
const MAX_ROWS: i64 = 1_000_000;
const DELETE_BATCH_SIZE: i64 = 1_000;

pub async fn delete_expired(pool: &PgPool, clock: &Clock) -> sqlx::Result<()> {
    // Ids increase with time, so a single id separates the rows to delete from the rest.
    let last = sqlx::query_scalar!(
        "select greatest(
            (select id from refused_ratings
                where at < (select coalesce($1, clock_timestamp()) - make_interval(secs => $2)) order by at desc, id desc limit 1),
            (select id from refused_ratings order by id desc offset $3 limit 1)
        )",
        clock.now(),
        RETENTION.as_seconds_f64(),
        MAX_ROWS,
    );
    let Some(last) = last.fetch_one(pool).await? else { return Ok(()) };
    loop {
        let deleted = sqlx::query!(
            "delete from refused_ratings where id = any(array(
                select id from refused_ratings where id <= $1 order by id limit $2
            ))",
            last,
            DELETE_BATCH_SIZE,
        );
        if deleted.execute(pool).await?.rows_affected() < DELETE_BATCH_SIZE.unsigned_abs() {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_up_to_the_maximum_in_each_hour() {
        let at = |seconds| DateTime::from_timestamp(seconds, 0).unwrap();
        let refusals = HourlyRefusalCounter::default();
        refusals.add(MAX_PER_HOUR - 1, at(0));
        assert!(refusals.can_record(at(3_599)));
        refusals.add(1, at(3_599));
        assert!(!refusals.can_record(at(3_599)) && refusals.can_record(at(3_600)));
        refusals.add(1, at(3_600));
        assert!(refusals.can_record(at(3_600)));
    }
}
