//! Hourly rating counts of a post: rows of `rating_history`.

use chrono::{DateTime, Utc};
use serde::Deserialize;

use evenkeel_limiters::HourTally;

/// Ratings of a post in one hour: a row of `rating_history`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct HourlyRatings {
    pub hour: DateTime<Utc>,
    /// Number of new and changed ratings that the rating limiter admitted. `refused` is the number of ratings that the
    /// limiter refused.
    pub admitted: i64,
    pub refused: i64,
    /// Number of `admitted` ratings that changed an existing rating. `refused_changes` is the corresponding part of
    /// `refused`.
    pub changed: i64,
    pub refused_changes: i64,
    /// Number of users whose new rating of 1 star was refused; the following fields count 2 to 5 stars. Each user
    /// counts at most once an hour.
    pub refused_1: i64,
    pub refused_2: i64,
    pub refused_3: i64,
    pub refused_4: i64,
    pub refused_5: i64,
    /// Number of the post's ratings at the end of the hour. `rating_sum` is the sum of their stars, and `steady_rating`
    /// is the steady score at that time.
    pub rating_count: i64,
    pub rating_sum: i64,
    pub steady_rating: Option<f64>,
}

impl HourlyRatings {
    fn refused_stars(&self) -> [i64; 5] {
        [self.refused_1, self.refused_2, self.refused_3, self.refused_4, self.refused_5]
    }

    /// Test data: an hour with `admitted` new ratings and `refused_1` users whose one-star rating was refused.
    #[cfg(test)]
    pub(crate) fn sample(hour: DateTime<Utc>, admitted: i64, refused_1: i64, count: i64, sum: i64) -> Self {
        Self {
            hour,
            admitted,
            refused: refused_1,
            changed: 0,
            refused_changes: 0,
            refused_1,
            refused_2: 0,
            refused_3: 0,
            refused_4: 0,
            refused_5: 0,
            rating_count: count,
            rating_sum: sum,
            steady_rating: None,
        }
    }

    /// Returns the average of the post's ratings at the end of the hour; `None` if the post has no ratings.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
    pub fn average(&self) -> Option<f64> {
        (self.rating_count > 0).then(|| self.rating_sum as f64 / self.rating_count as f64)
    }

    /// Returns the numbers of new ratings, without changed ratings, as input of
    /// [`evenkeel_limiters::UnusualActivityDetector`].
    #[must_use]
    pub fn tally(&self) -> HourTally {
        let refused = self.refused_stars();
        HourTally {
            hour: hours_since_epoch(self.hour),
            admitted: self.admitted - self.changed,
            refused: refused.iter().sum(),
            refused_stars: (1..).zip(refused).map(|(stars, count)| stars * count).sum(),
        }
    }
}

/// Returns the number of whole hours since 1970-01-01 00:00 UTC.
#[must_use]
pub fn hours_since_epoch(time: DateTime<Utc>) -> i64 {
    time.timestamp().div_euclid(3_600)
}
