//! Heuristic that marks ratings that a brigade probably submitted: ratings in hours with unusual activity, and ratings
//! on days that moderators excluded. The true origin of a rating is unknown.

use std::collections::HashSet;

use super::history::PastRating;
use crate::{HourTally, SteadyScore, SteadyScoreState, UnusualActivityDetector, UsualActivity};

const HOUR_MS: i64 = 3_600_000;

/// Minimum difference, in stars, between a brigade rating and the score of the post.
const MIN_DISTANCE: f64 = 1.0;

/// Marks the probable brigade ratings of one post: ratings on excluded days, and in each unusual hour the ratings that
/// differ from the score in the same direction as the refused ratings. `entries` must be sorted by time, `refused` has
/// one element for each rating, and `excluded_days` are days since 1970-01-01.
pub fn mark_brigades(entries: &mut [PastRating], refused: &[bool], excluded_days: &[i64]) {
    let rules = SteadyScore::default();
    let (mut score, mut from) = (SteadyScoreState::default(), 0);
    while let Some(first) = entries.get(from) {
        let hour = first.time_ms.div_euclid(HOUR_MS);
        let until = entries[from..]
            .iter()
            .position(|entry| entry.time_ms.div_euclid(HOUR_MS) > hour)
            .map_or(entries.len(), |n| from + n);
        let usual = UsualActivity { per_day: score.usual, score: rules.score(&score).score };
        let (entries, refused) = (&mut entries[from..until], &refused[from..until]);
        if let Some(side) = brigade_direction(entries, refused, hour, usual) {
            for entry in entries.iter_mut() {
                entry.brigade = side * (f64::from(entry.rating) - usual.score.unwrap_or(DEFAULT_SCORE)) >= MIN_DISTANCE;
            }
        }
        for (entry, _) in entries.iter().zip(refused).filter(|(_, refused)| !**refused) {
            score = rules.add_rating(&score, entry.days_since_epoch(), entry.rating).0;
        }
        from = until;
    }
    for entry in entries.iter_mut().filter(|entry| excluded_days.contains(&entry.days_since_epoch())) {
        entry.brigade = true;
    }
}

/// Score, in stars, that is assumed for a post without a score.
const DEFAULT_SCORE: f64 = 3.0;

/// Direction in which the refused ratings of an unusual hour differ from the score: 1.0 if they are higher, -1.0 if
/// they are lower. `None` if the hour is not unusual.
fn brigade_direction(entries: &[PastRating], refused: &[bool], hour: i64, usual: UsualActivity) -> Option<f64> {
    let mut tally = HourTally { hour, ..HourTally::default() };
    let mut people = HashSet::new();
    for (entry, refused) in entries.iter().zip(refused) {
        if entry.user.is_some_and(|user| !people.insert(user)) {
            continue;
        }
        if *refused {
            (tally.refused, tally.refused_stars) = (tally.refused + 1, tally.refused_stars + i64::from(entry.rating));
        } else {
            tally.admitted += 1;
        }
    }
    #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
    let mean = tally.refused_stars as f64 / tally.refused as f64;
    UnusualActivityDetector::default()
        .is_unusual(tally, usual)
        .then(|| if mean < usual.score.unwrap_or(DEFAULT_SCORE) { -1.0 } else { 1.0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crowd_is_on_one_side_in_an_unusual_hour_or_on_a_day_left_out() {
        let entry = |hour: i64, user: u32, rating| PastRating {
            time_ms: hour * HOUR_MS + i64::from(user),
            rating,
            brigade: false,
            user: Some(user),
        };
        // Twenty honest ratings over two days, then thirty one-star ratings, of which twenty are refused, and another
        // honest rating.
        let mut entries: Vec<PastRating> = (0..20).map(|n| entry(i64::from(n) * 2, n, 4)).collect();
        entries.extend((100..130).map(|n| entry(50, n, 1)));
        entries.push(entry(50, 200, 4));
        entries.push(entry(80, 201, 5));
        let refused: Vec<bool> = (0..entries.len()).map(|at| (30..50).contains(&at)).collect();
        mark_brigades(&mut entries, &refused, &[3]);
        let marked: Vec<u32> = entries.iter().filter(|entry| entry.brigade).filter_map(|entry| entry.user).collect();
        assert_eq!(marked, (100..130).chain([201]).collect::<Vec<u32>>());
    }
}
