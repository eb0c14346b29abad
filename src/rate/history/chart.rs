//! Chart of a post's ratings: the score over time, above bars of counted and of blocked ratings.

use std::fmt::Write as _;

use chrono::{DateTime, DurationRound as _, NaiveTime, TimeDelta, Timelike as _, Utc};

use super::periods::{History, Period, PeriodKind, steady_score_series};
use super::published_periods::PublishedPeriod;
use crate::chart::{BarChart, Column, GridLine, Tick};
use crate::db::clock::saturating_add;
use crate::i18n::Locale;

/// Positions in the chart. Horizontal positions are percentages of the width, except in SVG paths.
#[derive(Debug)]
pub struct HistoryChart {
    /// SVG path data of the line of the steady score and of the average. The average includes refused ratings.
    pub steady: String,
    pub average: String,
    /// Latest value of each line, with the CSS class of the line.
    pub ends: Vec<(&'static str, GridLine)>,
    /// Time ranges in which most ratings do not count towards the score.
    pub without_weight: Vec<ShadedRange>,
    pub counted: Option<BarChart>,
    pub refused: Option<BarChart>,
    pub ticks: Vec<Tick>,
}

#[derive(Debug)]
pub struct ShadedRange {
    pub x: f64,
    pub width: f64,
}

/// `y` position of five stars, in pixels.
pub const SCORES_TOP: f64 = 10.0;
/// `y` position of one star, in pixels.
pub const SCORES_BOTTOM: f64 = 210.0;
/// Height of the chart of scores in pixels, including the labels of the time axis.
pub const SCORES_HEIGHT: f64 = 234.0;

pub const PATH_WIDTH: f64 = 1_000.0;

/// Maximum number of labels of days, of which narrow screens show every other label.
const MAX_DAY_TICKS: usize = 7;

/// Approximate maximum number of labels, which are one of `HOUR_STEPS` hours apart.
const MAX_HOUR_TICKS: i64 = 5;
const HOUR_STEPS: [u32; 7] = [1, 2, 3, 4, 6, 8, 12];

/// Minimum length of the axis of an hourly chart, in hours.
const MIN_HOURS: i32 = 24;

/// Minimum distance between the labels at the ends of the lines, in pixels.
const MIN_LABEL_DISTANCE: f64 = 16.0;

fn score_y(stars: f64) -> f64 {
    SCORES_BOTTOM - (SCORES_BOTTOM - SCORES_TOP) * (stars - 1.0) / 4.0
}

pub fn star_grid_lines() -> [(u8, f64); 5] {
    [1, 2, 3, 4, 5].map(|stars| (stars, score_y(f64::from(stars))))
}

impl HistoryChart {
    pub fn new(history: &History, locale: Locale) -> Option<Self> {
        let scale = TimeScale::new(history)?;
        let steady = score_history(history, &scale);
        let average = average_history(history, &scale);
        let bars = |counts: fn(&Period) -> Vec<(&'static str, i64)>| {
            let column = |period: &Period| Column {
                x: scale.x(period.from),
                width: scale.x(period.from + scale.step) - scale.x(period.from),
                counts: counts(period),
                text: period.description(history.period).translate_to_text(locale).into_owned(),
                is_open: period.from + scale.step > history.read_at,
            };
            BarChart::new(history.periods.iter().map(column).collect(), locale)
        };
        Some(Self {
            ends: end_labels(&steady, &average, locale),
            steady: scale.steps(&steady),
            average: scale.steps(&average),
            without_weight: history.days.iter().filter_map(|day| scale.shade(day)).collect(),
            counted: bars(|period| vec![("new", period.new_ratings()), ("changed", period.changed)]),
            refused: bars(|period| vec![("refused", period.refused)]),
            ticks: scale.ticks(history.period, locale),
        })
    }
}

fn end_labels(
    steady: &[(DateTime<Utc>, f64)],
    average: &[(DateTime<Utc>, f64)],
    locale: Locale,
) -> Vec<(&'static str, GridLine)> {
    let label = |class, values: &[(DateTime<Utc>, f64)]| {
        let (_, stars) = values.last()?;
        Some((class, GridLine { y: score_y(*stars), text: format!("{} ★", locale.format_decimal(*stars, 1)) }))
    };
    let mut labels: Vec<_> = [label("average", average), label("steady", steady)].into_iter().flatten().collect();
    if labels.len() == 2 && labels[0].1.text == labels[1].1.text {
        labels.remove(0);
    }
    if let [(_, one), (_, other)] = &mut labels[..] {
        let (upper, lower) = if one.y < other.y { (one, other) } else { (other, one) };
        let push = (MIN_LABEL_DISTANCE - (lower.y - upper.y)).max(0.0) / 2.0;
        (upper.y, lower.y) = (upper.y - push, lower.y + push);
    }
    labels
}

struct TimeScale {
    first: DateTime<Utc>,
    end: DateTime<Utc>,
    step: TimeDelta,
}

impl TimeScale {
    fn new(history: &History) -> Option<Self> {
        let step = history.period.duration();
        let (mut first, mut last) = (history.periods.first()?.from, history.periods.last()?.from);
        let start_of_period = |time: DateTime<Utc>| time.duration_trunc(step).unwrap_or(time);
        let now = start_of_period(history.read_at);
        if let Some((since, first_hour)) = history.since.zip(history.first_hour) {
            // Extends the axis to the ends of a selected time range, even if the ends have no ratings.
            (first, last) = (start_of_period(since.max(first_hour)), now);
        }
        if history.period == PeriodKind::Hour {
            // Extends the axis to a day, so that the few hours of a new post are not shown as a few wide bars.
            let day = step * (MIN_HOURS - 1);
            last = last.max(now.min(first + day));
            first = first.min(last - day);
        }
        Some(Self { first, end: saturating_add(last, step), step })
    }

    fn value_before(&self, value: Option<f64>) -> impl Iterator<Item = (DateTime<Utc>, f64)> {
        value.map(|value| (self.first, value)).into_iter()
    }

    /// Position in percent of the width of the axis.
    #[expect(clippy::cast_precision_loss, reason = "seconds of some months are far below 2^53")]
    fn x(&self, time: DateTime<Utc>) -> f64 {
        let seconds = |delta: TimeDelta| delta.num_seconds() as f64;
        100.0 * seconds(time - self.first) / seconds(self.end - self.first)
    }

    /// SVG path of a step function, whose last value lasts until the end of the axis.
    fn steps(&self, values: &[(DateTime<Utc>, f64)]) -> String {
        let Some((from, value)) = values.first() else { return String::new() };
        let x = |time| self.x(time).max(0.0) * PATH_WIDTH / 100.0;
        let mut path = format!("M{:.1} {:.1}", x(*from), score_y(*value));
        for (from, value) in &values[1..] {
            let _ = write!(path, "H{:.1}V{:.1}", x(*from), score_y(*value));
        }
        let _ = write!(path, "H{PATH_WIDTH:.1}");
        path
    }

    /// Labels at full hours such as 0, 6, 12 and 18 o'clock, or at days, the last day first.
    fn ticks(&self, kind: PeriodKind, locale: Locale) -> Vec<Tick> {
        let periods = (self.end - self.first).num_seconds() / self.step.num_seconds().max(1);
        let time = |number: i64| self.first + self.step * i32::try_from(number).unwrap_or(0);
        let tick = |number: i64, is_minor| {
            let time = time(number);
            Tick { x: self.x(time + self.step / 2), text: kind.axis_label(time, locale), is_minor }
        };
        if kind == PeriodKind::Hour {
            let apart = HOUR_STEPS.into_iter().find(|step| periods <= i64::from(*step) * MAX_HOUR_TICKS).unwrap_or(24);
            let hours = (0..periods).filter(|number| time(*number).hour() % apart == 0);
            return hours.map(|number| tick(number, false)).collect();
        }
        let apart = usize::try_from(periods).unwrap_or(1).div_ceil(MAX_DAY_TICKS).max(1);
        let days = (0..periods).rev().step_by(apart).zip([false, true].into_iter().cycle());
        days.map(|(number, is_minor)| tick(number, is_minor)).collect()
    }

    fn shade(&self, period: &PublishedPeriod) -> Option<ShadedRange> {
        let [from, until] = [period.day, period.until].map(|day| day.and_time(NaiveTime::MIN).and_utc());
        let (from, to) = (from.max(self.first), saturating_add(until, TimeDelta::days(1)).min(self.end));
        (period.is_mostly_without_weight() && from < to)
            .then(|| ShadedRange { x: self.x(from), width: self.x(to) - self.x(from) })
    }
}

/// Line of the steady score: with the current weights in a daily chart, as displayed at the time in an hourly chart.
fn score_history(history: &History, scale: &TimeScale) -> Vec<(DateTime<Utc>, f64)> {
    if history.period == PeriodKind::Hour {
        let periods = history.periods.iter().filter_map(|period| Some((period.from, period.steady_rating?)));
        return scale.value_before(history.steady_before).chain(periods).collect();
    }
    let scores = steady_score_series(&history.days);
    // The last score before the start of the chart is the initial value of the line.
    let before = scores.partition_point(|(day, _)| *day <= scale.first);
    scores[before.saturating_sub(1)..].to_vec()
}

/// Line of the average with refused ratings, from the first refused rating on. Before, both averages are equal.
fn average_history(history: &History, scale: &TimeScale) -> Vec<(DateTime<Utc>, f64)> {
    let values = history.periods.iter().filter_map(|period| Some((period.from, period.average_without_limiter?)));
    let values: Vec<_> = scale.value_before(history.average_before).chain(values).collect();
    let is_usual = |period: &&Period| {
        period.average_without_limiter.is_none_or(|value| (value - period.average_rating).abs() < 1e-9)
    };
    let usual = history.periods.iter().take_while(is_usual).last();
    let Some(last_usual) = usual.filter(|_| history.has_refused) else { return values };
    let first = values.partition_point(|(from, _)| *from <= last_usual.from);
    match (values[..first].last(), values.get(first)) {
        (Some((_, before)), Some((from, _))) => {
            [(*from, *before)].into_iter().chain(values[first..].iter().copied()).collect()
        }
        _ => values,
    }
}

#[cfg(test)]
mod tests {
    use chrono::{Days, NaiveDate};

    use super::super::periods::tests::{sample_history, sample_hour};
    use super::*;
    use crate::blog_posts::PostId;
    use evenkeel_limiters::PeriodStatus;

    #[test]
    fn everything_stays_within_the_chart() {
        let history = sample_history(vec![
            sample_hour(0, 1, 0, 1, 5),
            sample_hour(1, 0, 10_000, 1, 5),
            sample_hour(47, 3, 1, 4, 4),
        ]);
        let chart = HistoryChart::new(&history, Locale::default()).unwrap();
        let bars = chart.counted.iter().chain(&chart.refused).flat_map(|chart| &chart.bars);
        assert!(bars.clone().count() == 6 && bars.clone().all(|bar| bar.x() >= 0.0 && bar.x() + bar.width() <= 100.0));
        assert!(chart.ticks.iter().all(|tick| (0.0..=100.0).contains(&tick.x)));
        assert_eq!(chart.ticks.first().map(|tick| tick.text.as_str()), Some("1 Jan"));
        assert!(HistoryChart::new(&sample_history(Vec::new()), Locale::default()).is_none());
    }

    #[test]
    fn chart_of_a_new_post_has_the_last_24_hours() {
        let hours = vec![sample_hour(0, 1, 0, 1, 5)];
        let read_at = hours[0].hour + TimeDelta::minutes(130);
        let history = History::by_period(PostId(1), hours, (0, 0), None, read_at).unwrap();
        let chart = HistoryChart::new(&history, Locale::default()).unwrap();
        let [bar] = &chart.counted.as_ref().unwrap().bars[..] else { panic!("one bar") };
        // 21 hours before and 2 hours after the hour of the rating.
        assert!((bar.column.x - 87.5).abs() < 0.01 && (bar.column.width - 100.0 / 24.0).abs() < 0.01, "{bar:?}");
        assert_eq!(chart.ticks.len(), 4);
    }

    #[test]
    fn labels_of_close_lines_do_not_overlap() {
        let at = DateTime::UNIX_EPOCH;
        let labels = |steady: f64, average: f64| {
            let labels = end_labels(&[(at, steady)], &[(at, average)], Locale::default());
            labels.into_iter().map(|(class, line)| (class, line.y, line.text)).collect::<Vec<_>>()
        };
        assert_eq!(labels(4.0, 4.0), [("steady", 60.0, "4.0 ★".into())]);
        assert_eq!(labels(4.2, 4.0), [("average", 63.0, "4.0 ★".into()), ("steady", 47.0, "4.2 ★".into())]);
        assert_eq!(labels(4.0, 1.0), [("average", 210.0, "1.0 ★".into()), ("steady", 60.0, "4.0 ★".into())]);
        assert!(end_labels(&[], &[], Locale::default()).is_empty());
    }

    #[test]
    fn the_line_with_refused_ratings_begins_at_the_first_of_them() {
        let average = |hours| HistoryChart::new(&sample_history(hours), Locale::default()).unwrap().average;
        let refused = vec![sample_hour(0, 1, 0, 1, 5), sample_hour(10, 0, 4, 1, 5)];
        assert_eq!(average(refused), "M958.3 10.0H958.3V170.0H1000.0");
        assert_eq!(average(vec![sample_hour(0, 1, 4, 1, 5)]), "M958.3 170.0H1000.0");
        // The only rating of the first hour was withdrawn.
        assert_eq!(average(vec![sample_hour(0, 1, 0, 0, 0), sample_hour(3, 0, 4, 0, 0)]), "M958.3 210.0H1000.0");
        assert_eq!(
            average(vec![sample_hour(0, 1, 0, 1, 5), sample_hour(9, 1, 0, 2, 6)]),
            "M583.3 10.0H958.3V110.0H1000.0"
        );
    }

    #[test]
    fn lines_are_steps_over_silent_days_and_days_left_out_are_shaded() {
        let day = |number: u64, weight: f64, weighted_sum: f64, reason| PublishedPeriod {
            day: NaiveDate::from_ymd_opt(2026, 1, 1).unwrap() + Days::new(number),
            until: NaiveDate::from_ymd_opt(2026, 1, 1).unwrap() + Days::new(number),
            ratings: 1,
            average: 3.0,
            weight,
            weighted_sum,
            held_back: 0.0,
            limited: 0.0,
            surge: if weight > 0.0 { 0.0 } else { 1.0 },
            excluded: 0.0,
            reason,
            because: None,
        };
        let days = vec![day(0, 2.0, 10.0, None), day(2, 2.0, 2.0, None), day(3, 0.0, 0.0, Some(PeriodStatus::Surge))];
        let history =
            sample_history(vec![sample_hour(0, 1, 0, 1, 5), sample_hour(49, 1, 0, 2, 8), sample_hour(95, 3, 1, 5, 11)]);
        let chart = HistoryChart::new(&History { days, ..history }, Locale::default()).unwrap();
        assert_eq!(chart.steady, "M0.0 10.0H500.0V110.0H750.0V110.0H1000.0");
        let [ShadedRange { x, width }] = chart.without_weight[..] else { panic!("one day") };
        assert!((x - 75.0).abs() < 0.01 && (width - 25.0).abs() < 0.01);
    }
}
