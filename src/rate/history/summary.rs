//! Summary of a post's rating history in sentences.

use super::periods::{History, Period, PeriodKind};
use super::published_periods::PublishedPeriod;
use crate::i18n::{Phrase, PhraseValue};
use crate::phrase;
use crate::score::contributions::{explain_uncounted, round_parts};
use evenkeel_limiters::PeriodStatus;

pub(super) struct PostRatingSummary {
    pub title: String,
    pub own_slug: Option<String>,
    /// Score that is displayed to readers; see `SCORE_SHOWN`.
    pub shown: Option<f64>,
    pub count: i64,
    pub average: f64,
}

/// Pairs of label and value. If ratings were refused, the average includes them.
pub(super) fn headline_figures(history: &History, post: &PostRatingSummary) -> Vec<(Phrase, Phrase)> {
    let stars = |stars: f64| phrase!("score-stars", score = PhraseValue::score(stars));
    let shown = post.shown.filter(|_| post.count > 0);
    let mut figures = vec![(phrase!("figure-score"), shown.map_or_else(|| phrase!("verbatim", text = "–"), stars))];
    let with_refused = history.periods.last().and_then(|last| last.average_without_limiter);
    match with_refused.filter(|_| history.has_refused) {
        Some(average) => figures.push((phrase!("figure-average-with-refused"), stars(average))),
        None if post.count > 0 => figures.push((phrase!("figure-average"), stars(post.average))),
        None => (),
    }
    figures.push((phrase!("ratings-heading"), phrase!("verbatim", text = post.count)));
    let refused: i64 = history.periods.iter().map(|period| period.refused).sum();
    if refused > 0 {
        figures.push((phrase!("figure-refused"), phrase!("verbatim", text = refused)));
    }
    figures
}

const MAX_PERIOD_SENTENCES: usize = 3;

/// Describes uncounted ratings, unusual periods and refused ratings, or else the usual number of ratings.
pub(super) fn summarize(history: &History) -> Vec<Phrase> {
    let Some(most) = history.periods.iter().map(Period::new_ratings).max() else { return Vec::new() };
    let (first, last) = (history.periods.first(), history.periods.last());
    let mut sentences = explain_uncounted(&history.contribution());
    sentences.extend(history.days.iter().rev().filter_map(summarize_period).take(MAX_PERIOD_SENTENCES));
    let refused = history.periods.iter().filter(|period| period.refused > 0);
    if let Some(most) = refused.clone().max_by_key(|period| period.refused) {
        let all = refused.map(|period| period.refused).sum::<i64>();
        let is_all = most.refused == all;
        sentences.push(match history.period {
            PeriodKind::Day => {
                phrase!("history-refused-on-day", count = all, all = is_all, day = most.from.date_naive())
            }
            PeriodKind::Hour => {
                phrase!("history-refused-in-hour", count = all, all = is_all, hour = history.period.label(&most.from))
            }
        });
    }
    if sentences.is_empty() {
        let all = history.periods.iter().map(Period::new_ratings).sum::<i64>();
        let span = first.zip(last).map(|(first, last)| (last.from - first.from).num_days() + 1);
        sentences.push(match span.filter(|_| history.period == PeriodKind::Day) {
            Some(days) => phrase!("history-usual-days", count = all, days = days, most = most),
            None => phrase!("history-usual-hours", count = all, most = most),
        });
        sentences.push(phrase!("history-nothing-unusual"));
    }
    sentences
}

fn summarize_period(period: &PublishedPeriod) -> Option<Phrase> {
    let [_, uncounted] = round_parts([period.weight, period.held_back + period.not_counted()]);
    let of = |phrase: Phrase| {
        phrase
            .with_argument("days", period.days())
            .with_argument("count", uncounted)
            .with_argument("ratings", period.ratings)
    };
    let average = PhraseValue::score(period.average);
    match period.reason.filter(|_| period.is_mostly_excluded())? {
        PeriodStatus::Surge => Some(of(phrase!("history-surge", average = average))),
        PeriodStatus::HeldBack => Some(of(phrase!("history-held-back", average = average))),
        PeriodStatus::Excluded => Some(match &period.because {
            Some(because) => of(phrase!("history-excluded-reason", average = average, because = because.as_str())),
            None => of(phrase!("history-excluded", average = average)),
        }),
        // Periods with limited weight are common. Only the table of periods lists them.
        PeriodStatus::Limited | PeriodStatus::Whole => None,
    }
}

#[cfg(test)]
mod tests {
    use chrono::NaiveDate;

    use super::*;
    use crate::rate::history::periods::tests::{sample_history, sample_hour};

    fn day(reason: Option<PeriodStatus>) -> PublishedPeriod {
        let day = NaiveDate::from_ymd_opt(2026, 11, 21).unwrap();
        PublishedPeriod {
            day,
            until: day,
            ratings: 2_003,
            average: 1.02,
            weight: 0.0,
            weighted_sum: 0.0,
            held_back: 0.0,
            limited: 0.0,
            surge: 2_003.0,
            excluded: 0.0,
            reason,
            because: Some("bought".to_owned()),
        }
    }

    fn sentences(history: &History) -> Vec<String> {
        summarize(history).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn summarizes_unusual_periods() {
        let mut history = sample_history(vec![sample_hour(0, 2, 0, 20, 80), sample_hour(60, 3, 1_200, 23, 90)]);
        assert_eq!(
            sentences(&history),
            [
                "The rating limiter blocked 1,200 rating attempts on 3 January 2026. Blocked attempts don’t affect the score."
            ]
        );
        history.days = vec![day(None), day(Some(PeriodStatus::Surge)), day(Some(PeriodStatus::Excluded))];
        let all = sentences(&history);
        let total = "6,009 ratings don’t count because unusually many arrived that differ from the earlier ones.";
        assert_eq!(all[0], total);
        let all = &all[1..];
        assert_eq!(all[0], "Staff excluded the 2,003 ratings from 21 November 2026 (average 1.0 ★). Reason: “bought”.");
        assert!(all[1].starts_with("2,003 of 2,003 ratings from 21 November 2026 don’t count"), "{all:?}");
        let quiet = sample_history(vec![sample_hour(0, 2, 0, 2, 8), sample_hour(60, 5, 0, 7, 28)]);
        assert_eq!(
            sentences(&quiet),
            ["7 ratings arrived over 3 days, with at most 5 in one day.", "No unusual activity."]
        );
        assert!(sentences(&sample_history(Vec::new())).is_empty());
    }

    #[test]
    fn figures_have_what_is_shown_beside_the_average() {
        let post =
            |shown, count| PostRatingSummary { title: String::new(), own_slug: None, shown, count, average: 3.91 };
        let shown = |history: &History, post: &PostRatingSummary| {
            let figures = headline_figures(history, post);
            figures.iter().map(|(label, value)| format!("{label}: {value}")).collect::<Vec<_>>().join(" · ")
        };
        let history = sample_history(vec![sample_hour(0, 2, 0, 23, 90), sample_hour(1, 0, 69, 23, 90)]);
        let sentences = "Score: 4.1 ★ · Average with blocked ratings: 1.7 ★ · Ratings: 23 · Blocked attempts: 69";
        assert_eq!(shown(&history, &post(Some(4.1), 23)), sentences);
        let quiet = sample_history(vec![sample_hour(0, 2, 0, 2, 8)]);
        let sentences = "Score: 4.1 ★ · Average: 3.9 ★ · Ratings: 2";
        assert_eq!(shown(&quiet, &post(Some(4.1), 2)), sentences);
    }
}
