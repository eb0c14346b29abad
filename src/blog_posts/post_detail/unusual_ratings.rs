//! Warning about unusual activity in the ratings of a post, as detected by [`UnusualActivityDetector`].

use chrono::{DateTime, Utc};

use crate::i18n::{Phrase, PhraseValue};
use crate::phrase;
use crate::score::DisplayedScore;
use crate::score::hourly_ratings::{HourlyRatings, hours_since_epoch};
use evenkeel_limiters::{OngoingUnusualActivity, UnusualActivityDetector, UsualActivity};

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UnusualRatings {
    pub since: DateTime<Utc>,
    pub rejected: i64,
    average_before: Option<f64>,
    steady_before: Option<f64>,
}

impl UnusualRatings {
    /// `latest` contains the most recent hours in which the post received ratings, in ascending order.
    pub fn detect(now: DateTime<Utc>, latest: &[HourlyRatings], usual: UsualActivity) -> Option<Self> {
        let tallies: Vec<_> = latest.iter().map(HourlyRatings::tally).collect();
        let OngoingUnusualActivity { since, refused } =
            UnusualActivityDetector::default().detect(&tallies, usual, hours_since_epoch(now))?;
        let before = latest.iter().rev().find(|hour| hours_since_epoch(hour.hour) < since);
        Some(Self {
            since: DateTime::from_timestamp(since * 3_600, 0)?,
            rejected: refused,
            average_before: before.and_then(HourlyRatings::average),
            steady_before: before.and_then(|hour| hour.steady_rating),
        })
    }

    pub fn messages(&self, shown: DisplayedScore, score: Option<f64>) -> Vec<Phrase> {
        let before = match shown {
            DisplayedScore::Steady => self.steady_before,
            DisplayedScore::Average => self.average_before,
        };
        let moved = before.zip(score).map(|(before, now)| {
            if (before - now).abs() < 0.05 {
                phrase!("unusual-unchanged")
            } else {
                phrase!("unusual-changed", before = PhraseValue::score(before), now = PhraseValue::score(now))
            }
        });
        [phrase!("unusual-refused", count = self.rejected)].into_iter().chain(moved).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_rejected_ratings_start_and_score_change() {
        let hour = |number: i64, refused_1, rating_count, steady_rating| {
            let begin = DateTime::from_timestamp(number * 3_600, 0).unwrap();
            HourlyRatings {
                steady_rating,
                ..HourlyRatings::sample(begin, 1, refused_1, rating_count, 4 * rating_count)
            }
        };
        let latest = [hour(90, 0, 20, Some(4.1)), hour(100, 1_500, 30, Some(4.1)), hour(101, 600, 40, Some(3.9))];
        let at = |number: i64| {
            UnusualRatings::detect(
                DateTime::from_timestamp(number * 3_600 + 60, 0).unwrap(),
                &latest,
                UsualActivity { per_day: 1.0, score: Some(4.1) },
            )
        };
        let unusual = at(102).unwrap();
        assert_eq!((unusual.since.timestamp(), at(104)), (360_000, None));
        let words = |shown, score| {
            let text: Vec<String> = unusual.messages(shown, score).iter().map(ToString::to_string).collect();
            text.join(" ")
        };
        let text = "2,100 rating attempts have been blocked since then and don’t affect the score.";
        assert_eq!(words(DisplayedScore::Steady, Some(4.06)), format!("{text} The score hasn’t changed."));
        assert_eq!(words(DisplayedScore::Steady, Some(3.9)), format!("{text} The score changed from 4.1 to 3.9 ★."));
        assert_eq!(words(DisplayedScore::Average, Some(4.0)), format!("{text} The score hasn’t changed."));
        assert_eq!(words(DisplayedScore::Steady, None), text);
    }
}
