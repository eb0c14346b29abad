//! What became of the ratings of a post, hour by hour, as its rows keep it.

use chrono::{DateTime, Utc};
use serde::Deserialize;

use evenkeel_limiters::HourTally;

/// An hour of a post in which ratings came: a row of `rating_history`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct RatingHour {
    /// Its beginning.
    pub hour: DateTime<Utc>,
    /// New and changed ratings that were counted, and those that the post's gate refused.
    pub admitted: i64,
    pub refused: i64,
    /// Those of them that were changes.
    pub changed: i64,
    pub refused_changes: i64,
    /// People whose new rating was refused, by its stars.
    pub refused_1: i64,
    pub refused_2: i64,
    pub refused_3: i64,
    pub refused_4: i64,
    pub refused_5: i64,
    /// The post's totals and steady score at its end.
    pub rating_count: i64,
    pub rating_sum: i64,
    pub steady_rating: Option<f64>,
}

impl RatingHour {
    fn refused_stars(&self) -> [i64; 5] {
        [self.refused_1, self.refused_2, self.refused_3, self.refused_4, self.refused_5]
    }

    /// The average of all ratings at its end; none before the first.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
    pub fn average(&self) -> Option<f64> {
        (self.rating_count > 0).then(|| self.rating_sum as f64 / self.rating_count as f64)
    }

    /// The people who came to rate.
    #[must_use]
    pub fn tally(&self) -> HourTally {
        let refused = self.refused_stars();
        HourTally {
            hour: hours(self.hour),
            admitted: self.admitted - self.changed,
            refused: refused.iter().sum(),
            refused_stars: (1..).zip(refused).map(|(stars, count)| stars * count).sum(),
        }
    }
}

/// The number of whole hours since 1970-01-01.
#[must_use]
pub fn hours(time: DateTime<Utc>) -> i64 {
    time.timestamp().div_euclid(3_600)
}
