//! The steady scores of the posts of a batch: counts ratings on their days, and keeps what has changed.

use std::collections::{BTreeSet, HashMap};

use super::models::Stars;
use crate::blog_posts::PostId;
use crate::limiters::{Account, Steady, SteadyDay, SteadyScore, SteadyScoreState};

/// Where the score of a post counts a rating.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counted {
    /// Days since 1970-01-01.
    pub day: i64,
    /// Usually the stars of the rating.
    pub stars: Stars,
    pub account: Account,
}

/// A rating that exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rated {
    pub stars: Stars,
    /// None where the score does not count it: a program that knew nothing of scores has written it.
    pub counted: Option<Counted>,
}

/// What the scores of the posts of a batch rest on, all of it locked.
#[derive(Debug, Default)]
pub struct Scores {
    rules: SteadyScore,
    today: i64,
    states: HashMap<PostId, SteadyScoreState>,
    days: HashMap<(PostId, i64), SteadyDay>,
    changed_days: BTreeSet<(PostId, i64)>,
}

impl Scores {
    /// `today` is a number of days since 1970-01-01; `days` are those that are over, on which ratings of the batch's pairs
    /// were counted.
    pub fn new(
        today: i64,
        states: HashMap<PostId, SteadyScoreState>,
        days: impl IntoIterator<Item = (PostId, SteadyDay)>,
    ) -> Self {
        let days = days.into_iter().map(|(post, day)| ((post, day.day), day)).collect();
        Self { today, states, days, ..Self::default() }
    }

    /// Counts a rating today, and takes back the one that it replaces.
    pub fn count(&mut self, post: PostId, stars: Stars, account: Account, replaced: Option<Counted>) -> Counted {
        let mut state = self.states.get(&post).copied().unwrap_or_default();
        if let Some(counted) = replaced {
            state = self.take_back(post, &state, counted);
        }
        let (state, over) = self.rules.rate(&state, self.today, stars.value(), account);
        if let Some(over) = over {
            self.keep(post, over);
        }
        self.states.insert(post, state);
        Counted { day: state.day.unwrap_or(self.today), stars, account }
    }

    fn take_back(
        &mut self,
        post: PostId,
        state: &SteadyScoreState,
        Counted { day, stars, account }: Counted,
    ) -> SteadyScoreState {
        if state.day == Some(day) {
            return self.rules.take_back(state, stars.value(), account);
        }
        let Some(over) = self.days.get(&(post, day)) else { return *state };
        let (state, over) = self.rules.take_back_from(state, over, stars.value(), account);
        self.keep(post, over);
        state
    }

    fn keep(&mut self, post: PostId, over: SteadyDay) {
        self.days.insert((post, over.day), over);
        self.changed_days.insert((post, over.day));
    }

    /// The score of a post now.
    pub fn score_of(&self, post: PostId) -> Score {
        let state = self.states.get(&post).copied().unwrap_or_default();
        Score { state, shown: self.rules.score(&state) }
    }

    /// The days that are over now, and those that a rating has left.
    pub fn changed_days(&self) -> Vec<(i64, SteadyDay)> {
        self.changed_days.iter().filter_map(|key| Some((key.0.0, *self.days.get(key)?))).collect()
    }
}

/// A post's score, as its row keeps it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Score {
    pub state: SteadyScoreState,
    pub shown: Steady,
}
