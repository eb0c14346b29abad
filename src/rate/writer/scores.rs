//! Updates of the steady scores of the posts in a batch.

use std::collections::{BTreeSet, HashMap};

use crate::blog_posts::PostId;
use crate::rate::models::Stars;
use evenkeel_limiters::{DayRatings, RatingDays, SteadyScore, SteadyScoreState};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExistingRating {
    pub stars: Stars,
    /// In days since 1970-01-01. `None` if the rating is not included in the score.
    pub counted_on: Option<i64>,
}

#[derive(Debug, Default)]
pub struct BatchScores {
    rules: SteadyScore,
    today: i64,
    states: HashMap<PostId, SteadyScoreState>,
    /// Posts whose score may have to be recomputed: a rating of an earlier day changes, or a rating is withdrawn.
    days: HashMap<PostId, RatingDays>,
    /// Days of `days` with changed ratings.
    changed: BTreeSet<(PostId, i64)>,
    /// Completed days of posts that are not in `days`.
    ended: Vec<(i64, DayRatings)>,
}

impl BatchScores {
    /// `today` is a number of days since 1970-01-01.
    pub fn new(today: i64, states: HashMap<PostId, SteadyScoreState>, days: HashMap<PostId, RatingDays>) -> Self {
        Self { today, states, days, ..Self::default() }
    }

    /// Returns the day on which the rating counts.
    pub fn add_rating(&mut self, post: PostId, stars: Stars) -> i64 {
        if let Some(days) = self.days.get_mut(&post) {
            let day = days.add_rating(self.today, stars.value());
            self.changed.insert((post, day));
            return day;
        }
        let (state, ended) = self.rules.add_rating(&self.score_state(post), self.today, stars.value());
        self.ended.extend(ended.map(|day| (post.0, day)));
        self.states.insert(post, state);
        state.latest_day().map_or(self.today, |latest| latest.day)
    }

    /// Withdraws the rating if `stars` is `None`.
    pub fn change_rating(&mut self, post: PostId, rating: ExistingRating, stars: Option<Stars>) {
        let Some(day) = rating.counted_on else { return };
        let (old, new) = (rating.stars.value(), stars.map(Stars::value));
        let state = self.score_state(post);
        if let Some(days) = self.days.get_mut(&post) {
            days.change_rating(day, old, new);
            self.changed.insert((post, day));
        } else if let Some(state) = new.and_then(|new| self.rules.change_latest_day(&state, day, old, new)) {
            self.states.insert(post, state);
        } else {
            tracing::error!(
                post_id = post.0,
                "cannot update score: the changed rating is missing from the stored score state"
            );
        }
    }

    /// Valid after [`finish`](Self::finish) if ratings of earlier days were changed.
    pub fn score_state(&self, post: PostId) -> SteadyScoreState {
        self.states.get(&post).copied().unwrap_or_default()
    }

    /// Returns the days to store: days that are over, and earlier days with changed ratings.
    pub fn finish(&mut self) -> Vec<(i64, DayRatings)> {
        let mut stored = core::mem::take(&mut self.ended);
        for (post, days) in &self.days {
            let changed = self.changed.range((*post, i64::MIN)..=(*post, i64::MAX)).map(|(_, day)| *day);
            let mut changed: BTreeSet<i64> = changed.collect();
            if changed.is_empty() {
                continue;
            }
            let state = self.rules.compute_state(days.iter());
            let before = self.states.insert(*post, state).and_then(|before| before.latest_day());
            changed.extend(before.map(|latest| latest.day));
            let latest = state.latest_day().map(|latest| latest.day);
            let earlier = changed.into_iter().filter(|day| Some(*day) != latest);
            stored.extend(earlier.filter_map(|day| Some((post.0, days.get(day)?))));
        }
        stored
    }
}
