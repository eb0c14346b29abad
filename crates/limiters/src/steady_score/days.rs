//! Ratings of a post by day.

use alloc::collections::BTreeMap;

use super::state::{DayRatings, SteadyScoreState};

/// All ratings of a post by the day on which they were first given. When a rating of an earlier day changes, the state
/// of the score is [computed](crate::SteadyScore::compute_state) from all days.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RatingDays {
    days: BTreeMap<i64, DayRatings>,
}

impl FromIterator<DayRatings> for RatingDays {
    fn from_iter<Days: IntoIterator<Item = DayRatings>>(days: Days) -> Self {
        Self { days: days.into_iter().map(|ratings| (ratings.day, ratings)).collect() }
    }
}

impl RatingDays {
    /// Combines the stored days with the latest day, which the state contains.
    #[must_use]
    pub fn new(stored: impl IntoIterator<Item = DayRatings>, state: &SteadyScoreState) -> Self {
        stored.into_iter().chain(state.latest_day()).collect()
    }

    /// Days in chronological order.
    pub fn iter(&self) -> impl Iterator<Item = &DayRatings> {
        self.days.values()
    }

    /// Returns the ratings of `day`; `None` if the post has none on this day.
    #[must_use]
    pub fn get(&self, day: i64) -> Option<DayRatings> {
        self.days.get(&day).copied()
    }

    /// Adds a rating. Returns the day on which the rating counts: `day`, or the latest day if it is later than `day`.
    pub fn add_rating(&mut self, day: i64, stars: u8) -> i64 {
        let counted = self.days.values().rev().find(|ratings| !ratings.excluded && ratings.count() > 0);
        let day = counted.map_or(day, |latest| day.max(latest.day));
        let ratings = self.days.entry(day).or_insert(DayRatings { day, ..DayRatings::default() });
        if let Some(count) = ratings.count_mut(stars) {
            *count = count.saturating_add(1);
        }
        day
    }

    /// Changes the stars of a rating of `day`, or withdraws the rating if `new` is `None`. Does nothing if `day` has no
    /// rating of `old` stars.
    pub fn change_rating(&mut self, day: i64, old: u8, new: Option<u8>) {
        let Some(ratings) = self.days.get_mut(&day) else { return };
        let Some(count) = ratings.count_mut(old).filter(|count| **count > 0) else { return };
        *count -= 1;
        if let Some(count) = new.and_then(|new| ratings.count_mut(new)) {
            *count = count.saturating_add(1);
        }
    }

    /// Excludes the ratings of a day from the score, or includes them again. Does nothing on a day without ratings.
    pub fn set_excluded(&mut self, day: i64, excluded: bool) {
        if let Some(ratings) = self.days.get_mut(&day) {
            ratings.excluded = excluded;
        }
    }
}
