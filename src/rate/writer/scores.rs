//! Updates of the steady scores of the posts in a batch.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::blog_posts::PostId;
use crate::rate::models::Stars;
use evenkeel_limiters::{ScorePeriod, SteadyScore, SteadyScoreState};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExistingRating {
    pub stars: Stars,
    /// Day on which the score counts the rating, in days since 1970-01-01. `None` if the rating is not included in the
    /// score.
    pub counted_on: Option<i64>,
}

/// Locked scores of the posts in a batch, and the ended periods of the ratings that the batch may change.
#[derive(Debug, Default)]
pub struct BatchScores {
    rules: SteadyScore,
    today: i64,
    states: HashMap<PostId, SteadyScoreState>,
    /// Ended periods. The key consists of the post and the first day of the period.
    periods: BTreeMap<(PostId, i64), ScorePeriod>,
    changed: BTreeSet<(PostId, i64)>,
}

impl BatchScores {
    /// `today` is a number of days since 1970-01-01.
    pub fn new(
        today: i64,
        states: HashMap<PostId, SteadyScoreState>,
        periods: impl IntoIterator<Item = (PostId, ScorePeriod)>,
    ) -> Self {
        let periods = periods.into_iter().map(|(post, period)| ((post, period.first_day), period)).collect();
        Self { today, states, periods, ..Self::default() }
    }

    /// Counts a rating today. Returns the day on which the rating is counted.
    pub fn add_rating(&mut self, post: PostId, stars: Stars) -> i64 {
        let state = self.score_state(post);
        let (state, ended) = self.rules.add_rating(&state, self.today, stars.value());
        if let Some(ended) = ended {
            self.store(post, ended);
        }
        self.states.insert(post, state);
        state.latest_rating_day().unwrap_or(self.today)
    }

    /// Withdraws a rating from the period in which it is counted.
    pub fn withdraw_rating(&mut self, post: PostId, rating: ExistingRating) {
        let (ExistingRating { stars, counted_on: Some(day) }, state) = (rating, self.score_state(post)) else { return };
        if state.open.is_some_and(|open| day >= open.first_day) {
            self.states.insert(post, self.rules.withdraw_rating(&state, stars.value()));
            return;
        }
        let period = self.periods.range((post, i64::MIN)..=(post, day)).next_back().map(|(_, period)| *period);
        if let Some(ended) = period.filter(|period| (period.first_day..=period.last_day).contains(&day)) {
            let (state, changed) = self.rules.withdraw_rating_from_ended_period(&state, &ended, stars.value());
            self.store(post, changed);
            self.states.insert(post, state);
        }
    }

    fn store(&mut self, post: PostId, period: ScorePeriod) {
        self.periods.insert((post, period.first_day), period);
        self.changed.insert((post, period.first_day));
    }

    pub fn score_state(&self, post: PostId) -> SteadyScoreState {
        self.states.get(&post).copied().unwrap_or_default()
    }

    /// Score periods to write: periods that ended in this batch, and periods from which a rating was removed.
    pub fn changed_periods(&self) -> Vec<(i64, ScorePeriod)> {
        self.changed.iter().filter_map(|key| Some((key.0.0, *self.periods.get(key)?))).collect()
    }
}
