//! Counts the hours in which a post's page displays the notice of unusual ratings.

use std::collections::{HashSet, VecDeque};

use super::history::PastRating;
use super::scores::to_f64;
use crate::{HourTally, SteadyScore, SteadyScoreState, UnusualActivityDetector, UsualActivity};

const HOUR_MS: i64 = 3_600_000;

/// Number of most recent hours with ratings that are checked for unusual activity, as on the page of a post.
const LOOKED_AT: usize = 48;

/// Simulates when the page of one post displays the notice of unusual ratings, hour by hour, based on the ratings and
/// the decisions of the limiter.
#[derive(Debug, Default)]
pub struct UnusualActivitySimulation {
    rule: UnusualActivityDetector,
    latest: VecDeque<HourTally>,
    score: SteadyScoreState,
    rated: HashSet<u32>,
    refused: HashSet<u32>,
    hours: u64,
    hours_with_notice: u64,
}

impl UnusualActivitySimulation {
    pub fn add_rating(&mut self, entry: &PastRating, admitted: bool) {
        let hour = entry.time_ms.div_euclid(HOUR_MS);
        if self.latest.back().is_none_or(|last| last.hour < hour) {
            self.evaluate_until(hour);
            self.refused.clear();
            self.latest.push_back(HourTally { hour, ..HourTally::default() });
            if self.latest.len() > LOOKED_AT {
                self.latest.pop_front();
            }
        }
        if admitted {
            self.score = SteadyScore::default().add_rating(&self.score, entry.days_since_epoch(), entry.rating).0;
        }
        // Each user is counted once: changed ratings and repeated attempts are skipped.
        let is_new = entry.user.is_none_or(|user| !self.rated.contains(&user));
        let is_person = match (entry.user, admitted) {
            (Some(user), true) => self.rated.insert(user),
            (Some(user), false) => is_new && self.refused.insert(user),
            (None, _) => true,
        };
        let Some(tally) = self.latest.back_mut().filter(|_| is_person) else { return };
        if admitted {
            tally.admitted += 1;
        } else {
            (tally.refused, tally.refused_stars) = (tally.refused + 1, tally.refused_stars + i64::from(entry.rating));
        }
    }

    /// Counts the hours in which the notice is displayed, from the latest hour with ratings to the hour before `hour`.
    fn evaluate_until(&mut self, hour: i64) {
        let Some(last) = self.latest.back().map(|last| last.hour) else { return };
        let usual = UsualActivity { per_day: self.score.usual, score: SteadyScore::default().score(&self.score).score };
        let hours = self.latest.make_contiguous();
        let hours_with_notice = (last..hour).take_while(|at| self.rule.detect(hours, usual, *at).is_some()).count();
        self.hours_with_notice += hours_with_notice as u64;
        self.hours += u64::try_from(hour - last).unwrap_or(0);
    }

    /// Returns the number of hours in which the notice was displayed, and the total number of hours up to the last
    /// rating.
    pub fn finish(mut self) -> (u64, u64) {
        if let Some(last) = self.latest.back().map(|last| last.hour) {
            self.evaluate_until(last + 1);
        }
        (self.hours_with_notice, self.hours)
    }
}

/// Percentage of hours with the notice of unusual ratings; `None` if `hours` is 0.
pub fn notice_percent(hours_with_notice: u64, hours: u64) -> Option<f64> {
    (hours > 0).then(|| 100.0 * to_f64(hours_with_notice) / to_f64(hours))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(seconds: i64, user: u32) -> PastRating {
        PastRating { time_ms: seconds * 1_000, rating: 1, brigade: false, user: Some(user) }
    }

    #[test]
    fn hours_with_the_notice_are_counted_and_one_person_alone_raises_none() {
        let mut notices = UnusualActivitySimulation::default();
        for user in 0..20 {
            notices.add_rating(&entry(i64::from(user), user), false);
        }
        // The notice is displayed in the unusual hour and in the two hours after it, out of eleven hours in total.
        notices.add_rating(&entry(10 * 3_600, 1), true);
        assert_eq!(notices.finish(), (3, 11));
        let mut alone = UnusualActivitySimulation::default();
        (0..500).for_each(|second| alone.add_rating(&entry(second, 7), false));
        assert_eq!(alone.finish(), (0, 1));
    }
}
