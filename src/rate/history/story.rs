//! What happened to the ratings of a post, in sentences.

use super::periods::{History, Period, PeriodKind};
use crate::i18n::{Phrase, Value};
use crate::limiters::DayStanding;
use crate::phrase;
use crate::rate::days::ScoreDay;
use crate::score::MANY_ENOUGH;

/// What is told of a post beside its history.
pub(super) struct RatedPost {
    pub title: String,
    pub own_slug: Option<String>,
    /// The score that people are shown.
    pub shown: Option<f64>,
    pub count: i64,
    pub average: f64,
}

/// The figures on top: what is shown, the average of all, and the day on which most came.
pub(super) fn figures(history: &History, post: &RatedPost) -> Vec<Phrase> {
    let mut figures = Vec::new();
    match post.shown.filter(|_| post.count >= MANY_ENOUGH) {
        Some(shown) => figures.push(phrase!("figure-shown", score = Value::score(shown))),
        None => figures.push(phrase!("figure-not-enough")),
    }
    if post.count > 0 {
        figures.push(phrase!("figure-average", score = Value::score(post.average)));
    }
    let refused: i64 = history.periods.iter().map(refused_people).sum();
    if let Some(average) = history.periods.last().and_then(|last| last.average_without_gate).filter(|_| refused > 0) {
        figures.push(phrase!("figure-with-refused", count = refused, score = Value::score(average)));
    }
    figures.push(phrase!("ratings", count = post.count));
    figures
}

fn refused_people(period: &Period) -> i64 {
    period.refused_1 + period.refused_2 + period.refused_3 + period.refused_4 + period.refused_5
}

/// The most days that are told one by one.
const TOLD: usize = 3;

/// With fewer left out for being fresh a day is not told.
const MANY_LEFT_OUT: i64 = 10;

/// What was unusual, the latest first; or that nothing was.
pub(super) fn of(history: &History) -> Vec<Phrase> {
    let Some(most) = history.periods.iter().map(Period::new_ratings).max() else { return Vec::new() };
    let (first, last) = (history.periods.first(), history.periods.last());
    let mut told: Vec<Phrase> = history.days.iter().rev().filter_map(of_day).take(TOLD).collect();
    let more = history.days.iter().filter(|day| of_day(day).is_some()).count().saturating_sub(TOLD);
    if more > 0 {
        told.push(phrase!("story-more-days", count = more));
    }
    let refused = history.periods.iter().filter(|period| period.refused > 0);
    if let Some(most) = refused.clone().max_by_key(|period| period.refused) {
        let all = refused.map(|period| period.refused).sum::<i64>();
        let is_all = most.refused == all;
        told.push(match history.period {
            PeriodKind::Day => phrase!("story-refused-on-day", count = all, all = is_all, day = most.from.date_naive()),
            PeriodKind::Hour => {
                phrase!("story-refused-in-hour", count = all, all = is_all, hour = history.period.label(&most.from))
            }
        });
    }
    if told.is_empty() {
        let all = history.periods.iter().map(Period::new_ratings).sum::<i64>();
        let full = history.days.iter().filter(|day| day.reason.is_some()).count();
        let span = first.zip(last).map(|(first, last)| (last.from - first.from).num_days() + 1);
        told.push(match span.filter(|_| history.period == PeriodKind::Day) {
            Some(days) => phrase!("story-quiet-days", count = all, days = days, most = most),
            None => phrase!("story-quiet-hours", count = all, most = most),
        });
        told.push(match full {
            0 => phrase!("story-nothing-unusual"),
            full => phrase!("story-full-days", count = full),
        });
    }
    told
}

/// A day that does not count as all others do.
fn of_day(day: &ScoreDay) -> Option<Phrase> {
    let of = |phrase: Phrase| phrase.with("day", day.day).with("ratings", day.ratings);
    let average = Value::score(day.average);
    match day.reason? {
        DayStanding::Odd => Some(of(phrase!("story-odd", average = average))),
        DayStanding::Voided => Some(match &day.because {
            Some(because) => of(phrase!("story-voided-because", average = average, because = because.as_str())),
            None => of(phrase!("story-voided", average = average)),
        }),
        DayStanding::BusyKnown if day.left_out >= MANY_LEFT_OUT => Some(of(phrase!("story-busy"))),
        // Many of the usual mind are no news: the table has them.
        DayStanding::BusyKnown | DayStanding::Busy | DayStanding::Whole => None,
    }
}

#[cfg(test)]
mod tests {
    use chrono::NaiveDate;

    use super::super::periods::tests::{history_of, hour};
    use super::*;

    fn day(reason: Option<DayStanding>) -> ScoreDay {
        ScoreDay {
            day: NaiveDate::from_ymd_opt(2026, 11, 21).unwrap(),
            ratings: 2_003,
            average: 1.02,
            weight: 0.0,
            weighted_sum: 0.0,
            left_out: 2_003,
            reason,
            because: Some("bought".to_owned()),
        }
    }

    fn told(history: &History) -> Vec<String> {
        of(history).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn what_happened_is_told_in_sentences() {
        let mut history = history_of(vec![hour(0, 2, 0, 20, 80), hour(60, 3, 1_200, 23, 90)]);
        assert_eq!(
            told(&history),
            ["The gate refused 1,200 tries to rate on 3 January 2026. The score knows nothing of them."]
        );
        history.days = vec![day(None), day(Some(DayStanding::Odd)), day(Some(DayStanding::Voided))];
        let all = told(&history);
        assert_eq!(all[0], "A moderator has left out 21 November 2026, with 2,003 ratings (1.0 ★): “bought”.");
        assert!(all[1].starts_with("On 21 November 2026, 2,003 ratings came at once, of another mind"), "{all:?}");
        let quiet = history_of(vec![hour(0, 2, 0, 2, 8), hour(60, 5, 0, 7, 28)]);
        assert_eq!(
            told(&quiet),
            ["7 ratings came in 3 days, and no more than 5 in one day.", "Nothing is unusual about them."]
        );
        assert!(told(&history_of(Vec::new())).is_empty());
    }

    #[test]
    fn figures_have_what_is_shown_beside_the_average() {
        let post = |shown, count| RatedPost { title: String::new(), own_slug: None, shown, count, average: 3.91 };
        let shown = |history: &History, post: &RatedPost| {
            figures(history, post).iter().map(ToString::to_string).collect::<Vec<_>>().join(" · ")
        };
        let history = history_of(vec![hour(0, 2, 0, 23, 90), hour(1, 0, 69, 23, 90)]);
        let told = "Shown 4.1 ★ · Average of all 3.9 ★ · With 69 who were refused 1.7 ★ · 23 ratings";
        assert_eq!(shown(&history, &post(Some(4.1), 23)), told);
        let quiet = history_of(vec![hour(0, 2, 0, 2, 8)]);
        let told = "Not enough ratings yet for a score · Average of all 3.9 ★ · 2 ratings";
        assert_eq!(shown(&quiet, &post(Some(4.1), 2)), told);
    }
}
