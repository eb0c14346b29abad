//! Scores that a replay computes rating by rating.

use std::collections::HashMap;

use serde::Serialize;

use super::history::PastRating;
use crate::{RatingDays, SteadyScore, SteadyScoreState};

/// Score that a replay computes: the average or the steady score.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ScoreKind {
    /// Average of all ratings.
    Average,
    /// Weighted average that resists brigading.
    Steady,
}

impl ScoreKind {
    /// All kinds of scores.
    pub const ALL: [Self; 2] = [Self::Average, Self::Steady];

    /// Returns the kind with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Name of the score in arguments and JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Average => "average",
            Self::Steady => "steady",
        }
    }

    /// Name of the score in reports for human readers.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Average => "average",
            Self::Steady => "steady score",
        }
    }
}

/// Incrementally updated score of one post.
#[derive(Debug)]
pub struct RunningScore {
    counting: Counting,
    /// Latest counted rating of each user. A later rating by the same user replaces it.
    counted: HashMap<u32, Counted>,
}

#[derive(Debug)]
enum Counting {
    Average { count: u64, sum: u64 },
    Steady(Box<SteadyCounting>),
}

#[derive(Debug, Default)]
struct SteadyCounting {
    rules: SteadyScore,
    state: SteadyScoreState,
    days: RatingDays,
}

#[derive(Clone, Copy, Debug)]
struct Counted {
    day: i64,
    stars: u8,
}

impl RunningScore {
    pub fn new(kind: ScoreKind) -> Self {
        let counting = match kind {
            ScoreKind::Average => Counting::Average { count: 0, sum: 0 },
            ScoreKind::Steady => Counting::Steady(Box::default()),
        };
        Self { counting, counted: HashMap::new() }
    }

    /// Counts a rating, which replaces an earlier rating of the same user.
    pub fn add_rating(&mut self, entry: &PastRating) {
        let replaced = entry.user.and_then(|user| self.counted.get(&user).copied());
        let day = self.counting.rate(entry, replaced);
        if let Some(user) = entry.user {
            self.counted.insert(user, Counted { day, stars: entry.rating });
        }
    }

    /// Excludes the ratings of a past day from the score, as moderators can do.
    pub fn exclude_day(&mut self, day: i64) {
        if let Counting::Steady(steady) = &mut self.counting {
            steady.days.set_excluded(day, true);
            steady.state = steady.rules.compute_state(steady.days.iter());
        }
    }

    /// Current score; `None` before the first rating.
    pub fn current(&self) -> Option<f64> {
        match &self.counting {
            Counting::Average { count, sum } => mean(to_f64(*sum), *count),
            Counting::Steady(steady) => steady.rules.score(&steady.state).score,
        }
    }
}

impl Counting {
    /// Counts a rating. Returns the day to which the score assigns the rating.
    fn rate(&mut self, entry: &PastRating, replaced: Option<Counted>) -> i64 {
        let day = entry.days_since_epoch();
        match self {
            Self::Average { count, sum } => {
                match replaced {
                    Some(Counted { stars, .. }) => *sum -= u64::from(stars),
                    None => *count += 1,
                }
                *sum += u64::from(entry.rating);
                day
            }
            Self::Steady(steady) => steady.rate(day, entry.rating, replaced),
        }
    }
}

impl SteadyCounting {
    /// Counts a rating. A changed rating counts on the day of the rating that it replaces.
    fn rate(&mut self, day: i64, stars: u8, replaced: Option<Counted>) -> i64 {
        if let Some(old) = replaced {
            self.days.change_rating(old.day, old.stars, Some(stars));
            let changed = self.rules.change_latest_day(&self.state, old.day, old.stars, stars);
            self.state = changed.unwrap_or_else(|| self.rules.compute_state(self.days.iter()));
            return old.day;
        }
        self.state = self.rules.add_rating(&self.state, day, stars).0;
        self.days.add_rating(day, stars)
    }
}

pub(super) fn mean(sum: f64, count: u64) -> Option<f64> {
    (count > 0).then(|| sum / to_f64(count))
}

#[expect(clippy::cast_precision_loss, reason = "no history has 2^53 ratings")]
pub(super) fn to_f64(count: u64) -> f64 {
    count as f64
}
