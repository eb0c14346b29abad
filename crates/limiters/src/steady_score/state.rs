//! State of the steady score: sums, the open period, and ended periods.

use serde::{Deserialize, Serialize};

use super::contribution::{CountedShares, MIN_REPORTED_RATINGS, PeriodStatus, ScoreContribution};
use super::{ROUNDING, to_f64};

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
    pub(super) fn plus(self, weight: f64, average: f64) -> Self {
        Self { weight: self.weight + weight, stars: self.stars + weight * average }
    }

    /// Weighted average of the stars; `None` if the weight is 0.
    #[must_use]
    pub fn average(self) -> Option<f64> {
        (self.weight > ROUNDING).then(|| self.stars / self.weight)
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
    /// Number of ratings in the period.
    pub count: i64,
    /// Sum of the stars of the ratings.
    pub stars: i64,
}

/// A group of successive ratings of one post, from one day to at most one calendar week. All ratings of a period weigh
/// the same. The fractions `regular`, `provisional`, `held` and `dropped` of each rating (from 0 to 1) are fixed when
/// the period ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScorePeriod {
    /// Day of the first rating of the period, in days since 1970-01-01 (UTC).
    pub first_day: i64,
    /// Day of the latest rating of the period, in days since 1970-01-01 (UTC).
    pub last_day: i64,
    /// Number of ratings, not counting ratings that were withdrawn or changed since.
    pub count: i64,
    /// Sum of the stars of the ratings.
    pub stars: i64,
    /// Fraction of each rating that always counts, unless staff exclude the period.
    pub regular: f64,
    /// Fraction of each rating that exceeds the weight limit but counts provisionally, because the post is new. Less of
    /// this fraction counts if ratings that always count contradict it; see [`crate::SteadyScoreParams::first`].
    pub provisional: f64,
    /// Fraction of each rating that is held back, because the average of the period is far from the reference score.
    pub held: f64,
    /// Fraction of each rating that never counts, because the average of the period is far from the reference score and
    /// the period has more ratings than usual. The rest of each rating, which belongs to none of the four fractions,
    /// does not count, because it exceeds the weight limit.
    pub dropped: f64,
    /// True if staff excluded the period from the score.
    pub excluded: bool,
}

/// State of the score of one post. The caller also stores each ended period, which
/// [`crate::SteadyScore::withdraw_rating_from_ended_period`] and [`crate::SteadyScore::set_period_excluded`] take as input.
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
    /// Usual weight of a day, in ratings.
    pub usual: f64,
    /// Day of the first rating, in days since 1970-01-01 (UTC); `None` before the first rating.
    pub since: Option<i64>,
    /// Day of the latest rating of the ended periods, in days since 1970-01-01 (UTC); `None` before the first period
    /// has ended.
    pub ended_on: Option<i64>,
    /// Reference score: a long-term average of all periods, on which no single period has much influence.
    pub reference: f64,
    /// Total weight of the ratings from which the reference score was computed.
    pub known: f64,
    /// Current period, which has not ended; `None` before its first rating.
    pub open: Option<OpenPeriod>,
}

/// Number of ratings and sum of the stars of a period after a rating was withdrawn. Both are at least 0, even if the
/// withdrawn rating was not counted in the period.
pub fn withdrawn(count: i64, sum: i64, stars: u8) -> (i64, i64) {
    let count = count.saturating_sub(1).max(0);
    (count, if count == 0 { 0 } else { sum.saturating_sub(stars.into()).max(0) })
}

impl OpenPeriod {
    /// Number of days from the first rating to the latest one, both included.
    #[must_use]
    pub fn length_days(&self) -> i64 {
        self.last_day.saturating_sub(self.first_day).saturating_add(1)
    }
}

impl ScorePeriod {
    /// Contribution of the ratings of the period to the score.
    #[must_use]
    pub fn contribution(&self, counted: CountedShares) -> ScoreContribution {
        self.contribution_per_rating(counted).times(to_f64(self.count))
    }

    /// Contribution of each rating of the period. The fields add up to 1.
    #[must_use]
    pub fn contribution_per_rating(&self, counted: CountedShares) -> ScoreContribution {
        if self.excluded {
            return ScoreContribution { excluded: 1.0, ..ScoreContribution::default() };
        }
        let weight = self.regular + self.provisional * counted.provisional + self.held * counted.held;
        let held_back = self.held * (1.0 - counted.held);
        let limited = (1.0 - weight - held_back - self.dropped).max(0.0);
        ScoreContribution { weight, held_back, limited, surge: self.dropped, excluded: 0.0 }
    }

    /// Average stars of the ratings; `None` for an empty period.
    #[must_use]
    pub fn average(&self) -> Option<f64> {
        (self.count > 0).then(|| to_f64(self.stars) / to_f64(self.count))
    }

    /// Main reason why the ratings of the period do not fully count.
    #[must_use]
    pub fn status(&self, counted: CountedShares) -> PeriodStatus {
        let contribution = self.contribution(counted);
        let ScoreContribution { held_back, limited, surge, .. } = contribution;
        match () {
            () if self.excluded => PeriodStatus::Excluded,
            () if contribution.uncounted() < MIN_REPORTED_RATINGS => PeriodStatus::Whole,
            () if held_back >= limited.max(surge) => PeriodStatus::HeldBack,
            () if surge >= limited => PeriodStatus::Surge,
            () => PeriodStatus::Limited,
        }
    }
}

impl SteadyScoreState {
    /// Returns the state with the weights and stars of an ended period replaced by those of its changed version.
    pub(super) fn with_period_replaced(&self, before: &ScorePeriod, after: &ScorePeriod) -> Self {
        let sums = |period: &ScorePeriod| {
            let all = if period.excluded { (0.0, 0.0) } else { (to_f64(period.count), to_f64(period.stars)) };
            move |share: f64| (share * all.0, share * all.1)
        };
        let replace = |sum: WeightedStars, share: fn(&ScorePeriod) -> f64| {
            let ((weight_before, stars_before), (weight, stars)) =
                (sums(before)(share(before)), sums(after)(share(after)));
            WeightedStars { weight: sum.weight + (weight - weight_before), stars: sum.stars + (stars - stars_before) }
        };
        Self {
            regular: replace(self.regular, |period| period.regular),
            provisional: replace(self.provisional, |period| period.provisional),
            held: replace(self.held, |period| period.held),
            ..*self
        }
    }

    /// Day on which the latest rating is counted; `None` if there is no open period.
    #[must_use]
    pub fn latest_rating_day(&self) -> Option<i64> {
        self.open.map(|open| open.last_day)
    }
}
