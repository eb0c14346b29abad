//! The days of a post's steady score, so that anybody can see what it is made of, and add it up again.

use std::collections::HashMap;

use chrono::NaiveDate;
use serde::Serialize;
use sqlx::PgPool;

use super::moderation::reasons;
use crate::blog_posts::PostId;
use crate::database::post_days;
use crate::i18n::Phrase;
use crate::limiters::{DayStanding, DayTally, SteadyDay, SteadyScore};
use crate::phrase;
use crate::web::csv;
use crate::web::error::AppError;

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
    /// Why a moderator has left it out.
    pub because: Option<String>,
}

impl ScoreDay {
    fn of(day: &SteadyDay, reasons: &HashMap<NaiveDate, String>) -> Option<Self> {
        let (ratings, (weight, weighted_sum)) = (day.ratings, day.weighed());
        let standing = day.standing();
        let left_out = match standing {
            DayStanding::Whole | DayStanding::Busy => 0,
            DayStanding::BusyKnown => ratings.fresh.count,
            DayStanding::Odd | DayStanding::Voided => ratings.count(),
        };
        let date = post_days::date_of(day.day);
        let because = reasons.get(&date).filter(|_| day.voided).cloned();
        (ratings.count() > 0).then(|| Self {
            day: date,
            ratings: ratings.count(),
            average: mean(ratings),
            weight,
            weighted_sum,
            left_out,
            reason: Some(standing).filter(|standing| *standing != DayStanding::Whole),
            because,
        })
    }

    /// The reason in words.
    #[must_use]
    pub fn words(&self) -> Option<Phrase> {
        Some(match self.reason? {
            DayStanding::Odd => phrase!("day-odd"),
            DayStanding::BusyKnown => phrase!("day-busy-known"),
            DayStanding::Voided => phrase!("day-voided"),
            DayStanding::Busy | DayStanding::Whole => phrase!("day-busy"),
        })
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
fn mean(ratings: DayTally) -> f64 {
    ratings.sum() as f64 / ratings.count() as f64
}

/// The latest days of a post, the earliest of them first, and the one that is not over last.
pub async fn of(pool: &PgPool, PostId(post): PostId) -> sqlx::Result<Vec<ScoreDay>> {
    let reasons = reasons(pool, PostId(post)).await?;
    let (state, mut days) = post_days::read(&mut *pool.acquire().await?, post, DAYS).await?;
    days.reverse();
    days.push(SteadyScore::default().open_day(&state));
    Ok(days.iter().filter_map(|day| ScoreDay::of(day, &reasons)).collect())
}

/// The names of a day's fields in CSV, which are those of the JSON.
const HEADER: [&str; 8] = ["day", "ratings", "average", "weight", "weighted_sum", "left_out", "reason", "because"];

/// The days as CSV.
///
/// # Errors
/// As [`csv::text`].
pub fn as_csv(days: &[ScoreDay]) -> Result<String, AppError> {
    let guarded = |day: &ScoreDay| ScoreDay { because: day.because.as_deref().map(csv::guarded), ..day.clone() };
    csv::text(&HEADER, days.iter().map(guarded))
}
