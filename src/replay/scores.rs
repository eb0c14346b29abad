//! The scores that are followed through a history.

use std::collections::HashMap;

use clap::ValueEnum;
use serde::Serialize;

use super::history::Entry;
use crate::limiters::{Account, SteadyDay, SteadyScore, SteadyScoreState};

/// What a site may show of a post.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum ScoreKind {
    /// The mean of all ratings
    Average,
    /// A mean in which a day only weighs so much
    Steady,
}

impl ScoreKind {
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Average => "average",
            Self::Steady => "steady",
        }
    }
}

/// The score of one post, rating by rating.
#[derive(Debug)]
pub struct Score {
    counting: Counting,
    /// Where the ratings of known readers are counted.
    counted: HashMap<u32, Counted>,
}

#[derive(Debug)]
enum Counting {
    Average { count: u64, sum: u64 },
    Steady { rules: SteadyScore, state: SteadyScoreState, over: HashMap<i64, SteadyDay> },
}

#[derive(Clone, Copy, Debug)]
struct Counted {
    day: i64,
    stars: u8,
    account: Account,
}

impl Score {
    #[must_use]
    pub fn new(kind: ScoreKind) -> Self {
        let counting = match kind {
            ScoreKind::Average => Counting::Average { count: 0, sum: 0 },
            ScoreKind::Steady => Counting::Steady {
                rules: SteadyScore::default(),
                state: SteadyScoreState::default(),
                over: HashMap::new(),
            },
        };
        Self { counting, counted: HashMap::new() }
    }

    /// Counts a rating, in place of the one that its reader gave before.
    pub fn rate(&mut self, entry: &Entry) {
        let replaced = entry.user.and_then(|user| self.counted.get(&user).copied());
        let day = self.counting.rate(entry, replaced);
        if let Some(user) = entry.user {
            self.counted.insert(user, Counted { day, stars: entry.rating, account: entry.account });
        }
    }

    /// Leaves a day out, as a moderator does.
    pub fn void(&mut self, day: i64) {
        if let Counting::Steady { rules, state, over } = &mut self.counting {
            // Whoever decides it does so when the day is over.
            let (begun, ended) = rules.begin_day(state, day.saturating_add(1));
            over.extend(ended.map(|ended| (ended.day, ended)));
            *state = begun;
            if let Some(voided) = over.get_mut(&day) {
                (*state, *voided) = rules.void(state, voided, true);
            }
        }
    }

    /// What is shown now; none before the first rating.
    #[must_use]
    pub fn shown(&self) -> Option<f64> {
        match &self.counting {
            Counting::Average { count, sum } => mean(to_f64(*sum), *count),
            Counting::Steady { rules, state, .. } => rules.score(state).score,
        }
    }
}

impl Counting {
    /// Returns the day on which it is counted.
    fn rate(&mut self, entry: &Entry, replaced: Option<Counted>) -> i64 {
        let day = entry.day();
        match self {
            Self::Average { count, sum } => {
                match replaced {
                    Some(Counted { stars, .. }) => *sum -= u64::from(stars),
                    None => *count += 1,
                }
                *sum += u64::from(entry.rating);
                day
            }
            Self::Steady { rules, state, over } => {
                if let Some(Counted { day, stars, account }) = replaced {
                    if state.day == Some(day) {
                        *state = rules.take_back(state, stars, account);
                    } else if let Some(old) = over.get_mut(&day) {
                        (*state, *old) = rules.take_back_from(state, old, stars, account);
                    }
                }
                let (next, ended) = rules.rate(state, day, entry.rating, entry.account);
                *state = next;
                over.extend(ended.map(|ended| (ended.day, ended)));
                state.day.unwrap_or(day)
            }
        }
    }
}

/// None of nothing.
pub(super) fn mean(sum: f64, count: u64) -> Option<f64> {
    (count > 0).then(|| sum / to_f64(count))
}

#[expect(clippy::cast_precision_loss, reason = "no history has 2^53 ratings")]
pub(super) fn to_f64(count: u64) -> f64 {
    count as f64
}
