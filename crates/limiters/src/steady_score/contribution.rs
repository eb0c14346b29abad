//! Contribution of the ratings of a period to the score, and the reasons why ratings do not count.

use serde::{Deserialize, Serialize};

/// Fractions of the provisional weight and of the held-back weight of a post that count in its score at present.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct CountedShares {
    /// Fraction of the provisional weight that the score includes, from 0 to 1. Ratings are provisional while a post has
    /// few of them (see [`ScorePeriod::provisional`](crate::ScorePeriod::provisional)).
    pub provisional: f64,
    /// Fraction of the held-back weight that the score includes, from 0 to 1.
    pub held: f64,
}

/// Current contribution of ratings to the score, and the reasons why the rest of them does not count. A rating can count
/// in part. The five fields add up to the number of ratings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct ScoreContribution {
    /// Total weight of the ratings in the score. A rating that fully counts has the weight 1.
    pub weight: f64,
    /// Number of ratings that are held back and may count later; see [`PeriodStatus::HeldBack`].
    pub held_back: f64,
    /// Number of ratings above the weight limits of their periods; see [`PeriodStatus::Limited`].
    pub limited: f64,
    /// Number of ratings that were dropped, because unusually many ratings differed from the score; see
    /// [`PeriodStatus::Surge`].
    pub surge: f64,
    /// Number of ratings that staff excluded; see [`PeriodStatus::Excluded`].
    pub excluded: f64,
}

impl ScoreContribution {
    /// Number of ratings that do not count at present.
    #[must_use]
    pub fn uncounted(&self) -> f64 {
        self.held_back + self.limited + self.surge + self.excluded
    }

    /// Main reason why the ratings do not fully count.
    #[must_use]
    pub fn status(&self) -> PeriodStatus {
        match *self {
            Self { excluded, .. } if excluded > 0.0 => PeriodStatus::Excluded,
            _ if self.uncounted() < MIN_REPORTED_RATINGS => PeriodStatus::Whole,
            Self { held_back, limited, surge, .. } if held_back >= limited.max(surge) => PeriodStatus::HeldBack,
            Self { limited, surge, .. } if surge >= limited => PeriodStatus::Surge,
            _ => PeriodStatus::Limited,
        }
    }

    pub(super) fn plus(self, other: Self) -> Self {
        Self {
            weight: self.weight + other.weight,
            held_back: self.held_back + other.held_back,
            limited: self.limited + other.limited,
            surge: self.surge + other.surge,
            excluded: self.excluded + other.excluded,
        }
    }

    pub(super) fn times(self, count: f64) -> Self {
        let Self { weight, held_back, limited, surge, excluded } = self;
        Self {
            weight: count * weight,
            held_back: count * held_back,
            limited: count * limited,
            surge: count * surge,
            excluded: count * excluded,
        }
    }
}

/// Main reason why ratings do not fully count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum PeriodStatus {
    /// All ratings fully count.
    Whole,
    /// The period has more ratings than usual, and their total weight is limited.
    Limited,
    /// The ratings are far from the reference score, so they are held back until held-back ratings outweigh the other
    /// ratings.
    HeldBack,
    /// Ratings were dropped, because they differ from the score and more ratings than usual arrived.
    Surge,
    /// Staff excluded the period from the score.
    Excluded,
}

/// A period has the status [`PeriodStatus::Whole`] if the uncounted weight of its ratings is below this value. A rating
/// that fully counts has the weight 1.
const MIN_REPORTED_RATINGS: f64 = 0.005;
