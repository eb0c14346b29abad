//! State of the steady score: sums, the open period, and ended periods.

use serde::{Deserialize, Serialize};

use super::contribution::{CountedShares, PeriodStatus, ScoreContribution};
use super::{ROUNDING, sum_of_stars, to_f64};

/// Total weight of some ratings, and the sum of their stars times their weights.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WeightedStars {
    /// Total weight. A rating that counts in full has a weight of 1.
    pub weight: f64,
    /// Sum of stars times weight.
    pub stars: f64,
}

impl WeightedStars {
    /// Adds `weights[i]` for ratings with `i + 1` stars.
    pub(super) fn plus(self, weights: [f64; 5]) -> Self {
        Self { weight: self.weight + weights.iter().sum::<f64>(), stars: self.stars + sum_of_stars(weights) }
    }

    /// Weighted average of the stars; `None` if the weight is 0.
    #[must_use]
    pub fn average(self) -> Option<f64> {
        (self.weight > ROUNDING).then(|| self.stars / self.weight)
    }
}

/// Current ratings of a post that were first given on one day, without withdrawn ratings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DayRatings {
    /// Day, in days since 1970-01-01 (UTC).
    pub day: i64,
    /// Numbers of ratings with one to five stars.
    pub stars: [i64; 5],
    /// True if staff excluded the ratings of the day from the score.
    pub excluded: bool,
}

impl DayRatings {
    /// Number of ratings of the day.
    #[must_use]
    pub fn count(&self) -> i64 {
        total(&self.stars)
    }

    /// Number of ratings with `stars` stars; `None` if `stars` is not from 1 to 5.
    pub fn count_mut(&mut self, stars: u8) -> Option<&mut i64> {
        star_mut(&mut self.stars, stars)
    }
}

/// Ratings of the current period, which has not ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpenPeriod {
    /// Day of the first rating of the period, in days since 1970-01-01 (UTC).
    pub first_day: i64,
    /// Day of the latest rating of the period, in days since 1970-01-01 (UTC).
    pub last_day: i64,
    /// Number of ratings in the period for each number of stars, from one to five.
    pub stars: [i64; 5],
    /// Number of ratings on the last day for each number of stars, from one to five.
    pub last_day_stars: [i64; 5],
}

/// Successive ratings of one post within at most one calendar week, and their weights. Element `i` of each array is for
/// ratings with `i + 1` stars. Ratings of a period with the same stars have the same weight.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct ScorePeriod {
    /// Day of the first rating of the period, in days since 1970-01-01 (UTC).
    pub first_day: i64,
    /// Day of the latest rating of the period, in days since 1970-01-01 (UTC).
    pub last_day: i64,
    /// Numbers of ratings with one to five stars.
    pub stars: [i64; 5],
    /// Weights that always count.
    pub regular: [f64; 5],
    /// Weights that exceed the limit of the period but count provisionally, because the post is new. Less of them
    /// counts if ratings that always count contradict them; see [`crate::SteadyScoreParams::first`].
    pub provisional: [f64; 5],
    /// Weights of ratings that are held back, because they are far from the reference score.
    pub held: [f64; 5],
    /// Weights of ratings that do not count, because they are far from the reference score and the period has more
    /// ratings than usual. Ratings beyond `regular`, `provisional`, `held` and `dropped` do not count, because they exceed
    /// the weight limit.
    pub dropped: [f64; 5],
    /// True if staff excluded the ratings of the period from the score.
    pub excluded: bool,
}

/// State of the score of one post. The caller also stores the ratings of each day before the latest one, from which
/// [`crate::SteadyScore::compute_state`] computes the state when an earlier rating changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SteadyScoreState {
    /// Total weight and stars, in all ended periods, of the ratings that always count; see [`ScorePeriod::regular`].
    pub regular: WeightedStars,
    /// Total weight and stars, in all ended periods, of the ratings that count provisionally; see
    /// [`ScorePeriod::provisional`].
    pub provisional: WeightedStars,
    /// Total weight and stars, in all ended periods, of the ratings that are held back; see [`ScorePeriod::held`].
    pub held: WeightedStars,
    /// Total weight, in all ended periods, that was dropped; see [`ScorePeriod::dropped`].
    pub dropped: f64,
    /// Number of ratings on days that staff excluded.
    pub excluded: i64,
    /// Usual weight of a day, in ratings.
    pub usual: f64,
    /// Fractions of ratings with one to five stars in a long-term average of all periods, on which no single period has
    /// much influence. The average of these stars is the reference score.
    pub typical: [f64; 5],
    /// Total weight of the ratings from which `typical` was computed.
    pub known: f64,
    /// Day of the first rating, in days since 1970-01-01 (UTC); `None` before the first rating.
    pub since: Option<i64>,
    /// Day of the latest rating of the ended periods, in days since 1970-01-01 (UTC); `None` before the first period
    /// has ended.
    pub ended_on: Option<i64>,
    /// Current period, which has not ended; `None` before its first rating.
    pub open: Option<OpenPeriod>,
}

pub fn star_mut(counts: &mut [i64; 5], stars: u8) -> Option<&mut i64> {
    counts.get_mut(usize::from(stars).checked_sub(1)?)
}

fn total(counts: &[i64; 5]) -> i64 {
    counts.iter().fold(0, |sum, count| sum.saturating_add(*count))
}

impl OpenPeriod {
    /// Number of ratings of the period so far.
    #[must_use]
    pub fn count(&self) -> i64 {
        total(&self.stars)
    }

    /// Number of days from the first rating to the latest one, both included.
    #[must_use]
    pub fn length_days(&self) -> i64 {
        self.last_day.saturating_sub(self.first_day).saturating_add(1)
    }
}

impl ScorePeriod {
    /// Number of ratings of the period, including ratings that do not count.
    #[must_use]
    pub fn count(&self) -> i64 {
        total(&self.stars)
    }

    /// Contribution of the ratings of the period to the score.
    #[must_use]
    pub fn contribution(&self, counted: CountedShares) -> ScoreContribution {
        let all = (0..5).map(|index| self.contribution_of_index(index, counted));
        all.fold(ScoreContribution::default(), ScoreContribution::plus)
    }

    /// Contribution of one rating with `stars` stars to the score.
    #[must_use]
    pub fn contribution_per_rating(&self, stars: u8, counted: CountedShares) -> ScoreContribution {
        let index = usize::from(stars.clamp(1, 5)) - 1;
        let count = to_f64(self.stars[index]);
        let all = self.contribution_of_index(index, counted);
        if count > 0.0 { all.times(1.0 / count) } else { ScoreContribution::default() }
    }

    fn contribution_of_index(&self, index: usize, counted: CountedShares) -> ScoreContribution {
        let count = to_f64(self.stars[index]);
        if self.excluded {
            return ScoreContribution { excluded: count, ..ScoreContribution::default() };
        }
        let held = self.held[index];
        let weight = self.regular[index] + self.provisional[index] * counted.provisional + held * counted.held;
        let (held_back, surge) = (held * (1.0 - counted.held), self.dropped[index]);
        ScoreContribution {
            weight,
            held_back,
            limited: (count - weight - held_back - surge).max(0.0),
            surge,
            excluded: 0.0,
        }
    }

    /// Sum of the stars of the ratings times their weights in the score.
    #[must_use]
    pub fn weighted_sum(&self, counted: CountedShares) -> f64 {
        (1..=5u8)
            .map(|stars| f64::from(stars) * self.contribution_of_index(usize::from(stars) - 1, counted).weight)
            .sum()
    }

    /// Average stars of the ratings; `None` for an empty period.
    #[must_use]
    pub fn average(&self) -> Option<f64> {
        super::average(self.stars.map(to_f64))
    }

    /// Main reason why the ratings of the period do not fully count.
    #[must_use]
    pub fn status(&self, counted: CountedShares) -> PeriodStatus {
        self.contribution(counted).status()
    }
}

impl SteadyScoreState {
    /// Ratings of the latest day; `None` before the first rating. An excluded day is never the latest one.
    #[must_use]
    pub fn latest_day(&self) -> Option<DayRatings> {
        self.open.map(|open| DayRatings { day: open.last_day, stars: open.last_day_stars, excluded: false })
    }
}
