//! What happened to the ratings of a post, in sentences.

use super::periods::{History, Period, PeriodKind};
use crate::limiters::DayStanding;
use crate::rate::days::ScoreDay;
use crate::rate::moderation::count;
use crate::score::MANY_ENOUGH;
use crate::web::text::thousands;

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
pub(super) fn figures(history: &History, post: &RatedPost) -> String {
    let mut figures = Vec::new();
    match post.shown.filter(|_| post.count >= MANY_ENOUGH) {
        Some(shown) => figures.push(format!("Shown {shown:.1} ★")),
        None => figures.push("Not enough ratings yet for a score".to_owned()),
    }
    if post.count > 0 {
        figures.push(format!("average of all {:.1} ★", post.average));
    }
    let refused: i64 = history.periods.iter().map(refused_people).sum();
    if let Some(average) = history.periods.last().and_then(|last| last.average_without_gate).filter(|_| refused > 0) {
        figures.push(format!("with {} who were refused {average:.1} ★", thousands(refused)));
    }
    figures.push(count(post.count));
    figures.join(" · ")
}

fn refused_people(period: &Period) -> i64 {
    period.refused_1 + period.refused_2 + period.refused_3 + period.refused_4 + period.refused_5
}

/// The most days that are told one by one.
const TOLD: usize = 3;

/// With fewer left out for being fresh a day is not told.
const MANY_LEFT_OUT: i64 = 10;

/// What was unusual, the latest first; or that nothing was.
pub(super) fn of(history: &History) -> Vec<String> {
    let Some(most) = history.periods.iter().map(Period::new_ratings).max() else { return Vec::new() };
    let (first, last) = (history.periods.first(), history.periods.last());
    let mut told: Vec<String> = history.days.iter().rev().filter_map(of_day).take(TOLD).collect();
    let more = history.days.iter().filter(|day| of_day(day).is_some()).count().saturating_sub(TOLD);
    if more > 0 {
        told.push(format!("So it was on {more} more {}: see the days below.", if more == 1 { "day" } else { "days" }));
    }
    let refused = history.periods.iter().filter(|period| period.refused > 0);
    if let Some(most) = refused.clone().max_by_key(|period| period.refused) {
        let all = refused.map(|period| period.refused).sum();
        let at = match history.period {
            PeriodKind::Day => format!("on {}", PeriodKind::Day.label(&most.from)),
            PeriodKind::Hour => format!("in the hour from {}", PeriodKind::Hour.label(&most.from)),
        };
        let at = if most.refused == all { format!(" {at}") } else { format!(", most of them {at}") };
        told.push(format!("The gate refused {}{at}. The score knows nothing of them.", tries(all)));
    }
    if told.is_empty() {
        let all = history.periods.iter().map(Period::new_ratings).sum();
        let full = history.days.iter().filter(|day| day.reason.is_some()).count();
        let span = first.zip(last).map(|(first, last)| (last.from - first.from).num_days() + 1);
        let span = span.filter(|_| history.period == PeriodKind::Day).map(|days| format!(" in {days} days"));
        told.push(format!(
            "{} came{}, and no more than {most} in one {}.{}",
            count(all),
            span.unwrap_or_default(),
            history.period.name(),
            match full {
                0 => " Nothing is unusual about them.".to_owned(),
                1 => " On one day so many came that each of them weighs less.".to_owned(),
                full => format!(" On {full} days so many came that each of them weighs less."),
            }
        ));
    }
    told
}

fn tries(number: i64) -> String {
    if number == 1 { "one try to rate".to_owned() } else { format!("{} tries to rate", thousands(number)) }
}

/// A day that does not count as all others do.
fn of_day(day: &ScoreDay) -> Option<String> {
    let (date, came) = (day.day.format("%-d %B %Y"), count(day.ratings));
    let average = day.average;
    match day.reason? {
        DayStanding::Odd => Some(format!(
            "On {date}, {came} came at once, of another mind than those before ({average:.1} ★): they are left out of the \
             score."
        )),
        DayStanding::Voided => Some(format!(
            "A moderator has left out {date}, with {came} ({average:.1} ★){}.",
            day.because.as_ref().map(|because| format!(": “{because}”")).unwrap_or_default()
        )),
        DayStanding::BusyKnown if day.left_out >= MANY_LEFT_OUT => Some(format!(
            "On {date}, {came} came, many more than usual: in the score only those count who had rated other posts before."
        )),
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

    #[test]
    fn what_happened_is_told_in_sentences() {
        let mut history = history_of(vec![hour(0, 2, 0, 20, 80), hour(60, 3, 1_200, 23, 90)]);
        assert_eq!(
            of(&history),
            ["The gate refused 1,200 tries to rate on 3 January 2026. The score knows nothing of them."]
        );
        history.days = vec![day(None), day(Some(DayStanding::Odd)), day(Some(DayStanding::Voided))];
        let told = of(&history);
        assert_eq!(told[0], "A moderator has left out 21 November 2026, with 2,003 ratings (1.0 ★): “bought”.");
        assert!(told[1].starts_with("On 21 November 2026, 2,003 ratings came at once, of another mind"), "{told:?}");
        let quiet = history_of(vec![hour(0, 2, 0, 2, 8), hour(60, 5, 0, 7, 28)]);
        assert_eq!(
            of(&quiet),
            ["7 ratings came in 3 days, and no more than 5 in one day. Nothing is unusual about them."]
        );
        assert!(of(&history_of(Vec::new())).is_empty());
    }

    #[test]
    fn figures_have_what_is_shown_beside_the_average() {
        let post = |shown, count| RatedPost { title: String::new(), own_slug: None, shown, count, average: 3.91 };
        let history = history_of(vec![hour(0, 2, 0, 23, 90), hour(1, 0, 69, 23, 90)]);
        let told = "Shown 4.1 ★ · average of all 3.9 ★ · with 69 who were refused 1.7 ★ · 23 ratings";
        assert_eq!(figures(&history, &post(Some(4.1), 23)), told);
        let quiet = history_of(vec![hour(0, 2, 0, 2, 8)]);
        let told = "Not enough ratings yet for a score · average of all 3.9 ★ · 2 ratings";
        assert_eq!(figures(&quiet, &post(Some(4.1), 2)), told);
    }
}
