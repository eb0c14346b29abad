//! The days of a post's steady score, so that anybody can see what it is made of, and add it up again.

use std::fmt::Write as _;

use chrono::NaiveDate;
use serde::Serialize;
use sqlx::PgPool;

use crate::blog_posts::PostId;
use crate::database::post_days::{date_of, number_of, steady_state};
use crate::limiters::{DayStanding, DayTally, SteadyDay, SteadyScore, Tally};

/// Days that are shown: the latest ones, of more than ten years.
const DAYS: i64 = 4_000;

/// A day with ratings. The sum of all `weighted_sum`, divided by the sum of all `weight`, is the score.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ScoreDay {
    pub day: NaiveDate,
    /// Ratings that came on this day and have not been changed since on a later one.
    pub ratings: i64,
    /// Their mean.
    pub average: f64,
    /// What the day weighs in the score.
    pub weight: f64,
    /// The sum of its stars, each times what it weighs.
    pub weighted_sum: f64,
    /// Ratings of the day that weigh nothing.
    pub left_out: i64,
    /// Why not each of them weighs 1; none where each does.
    pub reason: Option<DayStanding>,
}

impl ScoreDay {
    fn of(day: &SteadyDay) -> Option<Self> {
        let (ratings, (weight, weighted_sum)) = (day.ratings, day.weighed());
        let standing = day.standing();
        let left_out = match standing {
            DayStanding::Whole | DayStanding::Busy => 0,
            DayStanding::BusyKnown => ratings.fresh.count,
            DayStanding::Odd | DayStanding::Voided => ratings.count(),
        };
        (ratings.count() > 0).then(|| Self {
            day: date_of(day.day),
            ratings: ratings.count(),
            average: mean(ratings),
            weight,
            weighted_sum,
            left_out,
            reason: Some(standing).filter(|standing| *standing != DayStanding::Whole),
        })
    }

    /// The reason in words.
    #[must_use]
    pub fn words(&self) -> &'static str {
        match self.reason {
            None => "",
            Some(DayStanding::Odd) => "many, and of another mind",
            Some(DayStanding::BusyKnown) => "many: only those who had rated before speak",
            Some(DayStanding::Voided) => "left out by a moderator",
            Some(DayStanding::Busy | DayStanding::Whole) => "many: each weighs less",
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
fn mean(ratings: DayTally) -> f64 {
    ratings.sum() as f64 / ratings.count() as f64
}

/// The latest days of a post, the earliest of them first, and the one that is not over last.
pub async fn of(pool: &PgPool, PostId(post): PostId) -> sqlx::Result<Vec<ScoreDay>> {
    let over = sqlx::query!(
        "select day, known_count, known_sum, fresh_count, fresh_sum, known_weight, fresh_weight, voided
        from post_days where blog_id = $1 order by day desc limit $2",
        post,
        DAYS,
    );
    // One statement after the other: a day that ends in between is left to the first.
    let state = sqlx::query!(
        "select steady_closed_weight, steady_closed_sum, steady_usual, steady_day, steady_known_count, steady_known_sum,
            steady_fresh_count, steady_fresh_sum from rating_totals where blog_id = $1",
        post,
    );
    let state = state.fetch_optional(pool).await?.map(|row| steady_state!(row)).unwrap_or_default();
    let open = SteadyScore::default().open_day(&state);
    let mut days: Vec<SteadyDay> = over
        .fetch_all(pool)
        .await?
        .into_iter()
        .map(|row| SteadyDay {
            day: number_of(row.day),
            ratings: DayTally {
                known: Tally { count: row.known_count, sum: row.known_sum },
                fresh: Tally { count: row.fresh_count, sum: row.fresh_sum },
            },
            known_weight: row.known_weight,
            fresh_weight: row.fresh_weight,
            voided: row.voided,
        })
        .filter(|over| over.day < open.day)
        .collect();
    days.reverse();
    days.push(open);
    Ok(days.iter().filter_map(ScoreDay::of).collect())
}

/// The days as CSV, with the names of the JSON as its header.
#[must_use]
pub fn csv(days: &[ScoreDay]) -> String {
    let mut text = "day,ratings,average,weight,weighted_sum,left_out,reason\n".to_owned();
    for ScoreDay { day, ratings, average, weight, weighted_sum, left_out, reason } in days {
        let reason = serde_json::to_value(reason).ok();
        let reason = reason.as_ref().and_then(serde_json::Value::as_str).unwrap_or_default();
        let _ = writeln!(text, "{day},{ratings},{average},{weight},{weighted_sum},{left_out},{reason}");
    }
    text
}
