//! Who has been refused in this hour: people are counted, not their tries. An instance remembers its own.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use chrono::{DateTime, TimeDelta, Utc};
use sqlx::PgPool;

use super::models::Pair;
use crate::database::clock::Clock;

/// The most pairs that are remembered, some megabytes. Of those beyond, each try counts.
const MOST: usize = 50_000;

const HOUR_S: i64 = 3_600;

/// The pairs that were refused in an hour.
#[derive(Debug, Default)]
pub struct Refused(Mutex<(i64, HashSet<Pair>)>);

impl Refused {
    /// Those of `pairs` that were refused in the hour of `now`.
    pub fn among(&self, pairs: impl Iterator<Item = Pair>, now: DateTime<Utc>) -> HashSet<Pair> {
        let (hour, refused) = &*self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if *hour != hour_of(now) || refused.is_empty() {
            return HashSet::new();
        }
        pairs.filter(|pair| refused.contains(pair)).collect()
    }

    /// Whether another one would be remembered in the hour of `now`.
    pub fn has_room(&self, now: DateTime<Utc>) -> bool {
        let (hour, refused) = &*self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *hour != hour_of(now) || refused.len() < MOST
    }

    pub fn add(&self, pairs: impl ExactSizeIterator<Item = Pair>, now: DateTime<Utc>) {
        if pairs.len() == 0 {
            return;
        }
        let (hour, refused) = &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if *hour != hour_of(now) {
            (*hour, *refused) = (hour_of(now), HashSet::new());
        }
        let room = MOST.saturating_sub(refused.len());
        refused.extend(pairs.take(room));
    }
}

fn hour_of(now: DateTime<Utc>) -> i64 {
    now.timestamp().div_euclid(HOUR_S)
}

/// For how long refused ratings are kept as rows, and how many at the most.
const KEPT: TimeDelta = TimeDelta::days(90);
const MOST_ROWS: i64 = 1_000_000;

/// Rows that one statement deletes at the most.
const MAX_AT_ONCE: i64 = 1_000;

/// Deletes refused ratings that are older than they are kept, and the oldest of those that are too many.
///
/// # Errors
/// Those of the database.
pub async fn delete_old(pool: &PgPool, clock: &Clock) -> sqlx::Result<()> {
    // Ids grow with time.
    let last = sqlx::query_scalar!(
        "select greatest(
            (select id from refused_ratings
                where at < (select coalesce($1, clock_timestamp()) - make_interval(secs => $2)) order by at desc, id desc limit 1),
            (select id from refused_ratings order by id desc offset $3 limit 1)
        )",
        clock.now(),
        KEPT.as_seconds_f64(),
        MOST_ROWS,
    );
    let Some(last) = last.fetch_one(pool).await? else { return Ok(()) };
    loop {
        let deleted = sqlx::query!(
            "delete from refused_ratings where id = any(array(
                select id from refused_ratings where id <= $1 order by id limit $2
            ))",
            last,
            MAX_AT_ONCE,
        );
        if deleted.execute(pool).await?.rows_affected() < MAX_AT_ONCE.unsigned_abs() {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blog_posts::PostId;
    use crate::web::visitor::UserId;

    #[test]
    fn pairs_are_remembered_for_their_hour_and_no_more_than_there_is_room_for() {
        let pair = |user| Pair { user: UserId(user), post: PostId(1) };
        let at = |seconds| DateTime::from_timestamp(seconds, 0).unwrap();
        let refused = Refused::default();
        refused.add([pair(1)].into_iter(), at(0));
        assert_eq!(refused.among([pair(1), pair(2)].into_iter(), at(3_599)), HashSet::from([pair(1)]));
        assert!(refused.among([pair(1)].into_iter(), at(3_600)).is_empty());
        assert!(refused.has_room(at(3_600)));
        refused.add((0..60_000).map(pair).collect::<Vec<_>>().into_iter(), at(3_600));
        assert!(!refused.has_room(at(3_600)) && refused.has_room(at(7_200)));
        assert_eq!(refused.among((0..60_000).map(pair), at(3_600)).len(), MOST);
    }
}
