//! SVG chart of a post's ratings: scores in the upper panel, numbers of ratings in the lower panel. The chart is drawn
//! once for wide and once for narrow screens, because the text of a scaled-down chart would be too small to read.

use std::fmt::Write as _;

use chrono::{DateTime, NaiveTime, TimeDelta, Utc};

use super::periods::{History, Period, PeriodKind, steady_score_series};
use super::published_periods::PublishedPeriod;
use crate::db::clock::saturating_add;
use crate::i18n::Locale;

/// SVG chart. Coordinates are in units of its `viewBox`, with `y` growing downwards.
#[derive(Debug)]
pub struct Chart {
    pub name: &'static str,
    pub width: f64,
    /// X coordinates of the left and right edges of both panels.
    pub left: f64,
    pub right: f64,
    /// SVG path data of the steady score and of the average that includes refused ratings.
    pub steady: String,
    pub average: String,
    pub bars: Vec<Bar>,
    /// Gridlines of the lower panel, at the maximum of its scale and at half of the maximum.
    pub levels: [GridLine; 2],
    pub ticks: Vec<Tick>,
    /// Time ranges that the chart shades, because most of their ratings do not count towards the score.
    pub left_out: Vec<ShadedRange>,
}

/// Stacked bar of the ratings of one hour or day. A bar that exceeds the scale fills the panel; its parts keep their
/// proportions.
#[derive(Debug, Default, PartialEq)]
pub struct Bar {
    pub x: f64,
    pub width: f64,
    pub parts: Vec<StarsSegment>,
    /// Label of a bar that exceeds the scale.
    pub longer: Option<OverflowLabel>,
}

#[derive(Debug, PartialEq)]
pub struct StarsSegment {
    pub name: &'static str,
    pub y: f64,
    pub height: f64,
}

#[derive(Debug, PartialEq)]
pub struct OverflowLabel {
    /// X coordinate of the middle of the bar.
    pub x: f64,
    pub count: Option<String>,
}

#[derive(Debug, Default)]
pub struct GridLine {
    pub y: f64,
    pub count: String,
}

#[derive(Debug)]
pub struct Tick {
    pub x: f64,
    pub text: String,
    /// SVG `text-anchor` of the label: `start` or `middle`.
    pub anchor: &'static str,
}

#[derive(Debug)]
pub struct ShadedRange {
    pub x: f64,
    pub width: f64,
}

/// Y coordinates of the top and bottom of each panel. The score panel ranges from one star at the bottom to five stars
/// at the top.
pub const SCORE_PANEL: (f64, f64) = (34.0, 174.0);
pub const RATINGS_PANEL: (f64, f64) = (238.0, 338.0);
pub const CHART_HEIGHT: f64 = 366.0;

/// Height of a panel title, which may wrap to two lines in some languages.
pub const PANEL_TITLE_HEIGHT: f64 = 34.0;

/// Bars longer than this multiple of the 90th percentile of all bars are cut off.
const OUTLIER_FACTOR: i64 = 4;

fn score_y(stars: f64) -> f64 {
    SCORE_PANEL.1 - (SCORE_PANEL.1 - SCORE_PANEL.0) * (stars - 1.0) / 4.0
}

pub fn star_grid_lines() -> [(u8, f64); 5] {
    [1, 2, 3, 4, 5].map(|stars| (stars, score_y(f64::from(stars))))
}

impl Chart {
    /// Draws the chart for wide and for narrow screens. Returns no charts if the post has no ratings.
    #[must_use]
    pub fn for_all_widths(history: &History, locale: Locale) -> Vec<Self> {
        [("wide", 700.0, 6), ("narrow", 290.0, 3)]
            .into_iter()
            .filter_map(|(name, width, ticks)| Self::draw(history, name, width, ticks, locale))
            .collect()
    }

    fn draw(history: &History, name: &'static str, width: f64, ticks: usize, locale: Locale) -> Option<Self> {
        let scale = Scale::of(history, 52.0, width - 10.0)?;
        let steady = scale.steps(&score_history(history));
        let average = history.periods.iter().filter_map(|period| Some((period.from, period.average_without_gate?)));
        let average: Vec<_> = average.collect();
        let top = scale_top(&history.periods);
        let level = |count: i64, y: f64| GridLine { y, count: locale.format_number(count) };
        Some(Self {
            name,
            width,
            left: scale.left,
            right: scale.right,
            steady,
            average: scale.steps(&average),
            bars: bars(history, &scale, top, locale),
            levels: [level(top, RATINGS_PANEL.0), level(top / 2, f64::midpoint(RATINGS_PANEL.0, RATINGS_PANEL.1))],
            ticks: scale.ticks(history.period, ticks, locale),
            left_out: history.days.iter().filter_map(|day| scale.shade(day)).collect(),
        })
    }
}

/// Time scale of the x axis.
struct Scale {
    left: f64,
    right: f64,
    first: DateTime<Utc>,
    end: DateTime<Utc>,
    step: TimeDelta,
}

impl Scale {
    fn of(history: &History, left: f64, right: f64) -> Option<Self> {
        let step = history.period.duration();
        let (first, end) = (history.periods.first()?.from, saturating_add(history.periods.last()?.from, step));
        Some(Self { left, right, first, end, step })
    }

    #[expect(clippy::cast_precision_loss, reason = "seconds of some months are far below 2^53")]
    fn x(&self, time: DateTime<Utc>) -> f64 {
        let seconds = |delta: TimeDelta| delta.num_seconds() as f64;
        self.left + (self.right - self.left) * seconds(time - self.first) / seconds(self.end - self.first)
    }

    /// SVG path of a step function. Each value lasts until the next value, and the last value until the end of the
    /// axis.
    fn steps(&self, values: &[(DateTime<Utc>, f64)]) -> String {
        let Some((from, value)) = values.first() else { return String::new() };
        let mut path = format!("M{:.1} {:.1}", self.x(*from).max(self.left), score_y(*value));
        for (from, value) in &values[1..] {
            let _ = write!(path, "H{:.1}V{:.1}", self.x(*from), score_y(*value));
        }
        let _ = write!(path, "H{:.1}", self.right);
        path
    }

    /// Returns at most `most` ticks at equal distances, each at the start of a period.
    fn ticks(&self, kind: PeriodKind, most: usize, locale: Locale) -> Vec<Tick> {
        let periods = (self.end - self.first).num_seconds() / self.step.num_seconds().max(1);
        let apart = usize::try_from(periods).unwrap_or(1).div_ceil(most.max(1)).max(1);
        let at = |number: i64| self.first + self.step * i32::try_from(number).unwrap_or(0);
        let tick = |number: i64| Tick {
            x: self.x(at(number)),
            text: kind.axis_label(at(number), locale),
            anchor: if number == 0 { "start" } else { "middle" },
        };
        (0..periods.max(1)).step_by(apart).map(tick).collect()
    }

    fn shade(&self, period: &PublishedPeriod) -> Option<ShadedRange> {
        let [from, until] = [period.day, period.until].map(|day| day.and_time(NaiveTime::MIN).and_utc());
        let (from, to) = (from.max(self.first), saturating_add(until, TimeDelta::days(1)).min(self.end));
        (period.is_mostly_excluded() && from < to)
            .then(|| ShadedRange { x: self.x(from), width: (self.x(to) - self.x(from)).max(2.0) })
    }
}

/// Steady score over time. In a daily chart, it is recomputed with the current weights; in an hourly chart, it is the
/// score that was displayed at that time.
fn score_history(history: &History) -> Vec<(DateTime<Utc>, f64)> {
    if history.period == PeriodKind::Hour {
        return history.periods.iter().filter_map(|period| Some((period.from, period.steady_rating?))).collect();
    }
    let scores = steady_score_series(&history.days);
    // The last score before the start of the chart is the initial value of the line.
    let first = history.periods.first().map(|period| period.from);
    let before = scores.partition_point(|(day, _)| Some(*day) <= first);
    scores[before.saturating_sub(1)..].to_vec()
}

/// Maximum of the scale of the lower panel: a round number that fits all bars except outliers (see [`OUTLIER_FACTOR`]).
fn scale_top(periods: &[Period]) -> i64 {
    let mut counts: Vec<i64> = periods.iter().map(Period::total_ratings).filter(|count| *count > 0).collect();
    counts.sort_unstable();
    let most = counts.last().copied().unwrap_or(1);
    let usual = counts.get((counts.len() * 9 / 10).saturating_sub(1)).copied().unwrap_or(most);
    let fit = counts.iter().rev().find(|count| **count <= usual.saturating_mul(OUTLIER_FACTOR));
    let top = round_up(fit.copied().unwrap_or(most));
    // If an outlier is at most twice as high as the scale, the scale is extended, so that the bar is not cut off.
    let near = counts.iter().rev().find(|count| **count <= top.saturating_mul(2));
    round_up(near.copied().unwrap_or(most))
}

/// Rounds up to the next of 2, 4, 10, 20, 40, 100 and so on. All these numbers are even, so that the label at half of
/// the scale is a whole number.
fn round_up(count: i64) -> i64 {
    let mut unit: i64 = 1;
    loop {
        let fits = [2, 4, 10].into_iter().map(|times| unit.saturating_mul(times)).find(|top| *top >= count);
        match fits {
            Some(top) => return top,
            None => unit = unit.saturating_mul(10),
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
fn bars(history: &History, scale: &Scale, top: i64, locale: Locale) -> Vec<Bar> {
    /// Minimum distance between two labels, in units of the `viewBox`.
    const MIN_LABEL_DISTANCE: f64 = 46.0;
    let width = (scale.x(scale.first + scale.step) - scale.left - 1.0).max(1.0);
    let mut last_number = f64::NEG_INFINITY;
    let bar = |period: &Period| {
        let came = period.total_ratings();
        let of = came.max(top) as f64;
        let mut y = RATINGS_PANEL.1;
        let parts = [("new", period.new_ratings()), ("changed", period.changed), ("refused", period.refused)];
        let parts = parts.into_iter().filter(|(_, count)| *count > 0).map(|(name, count)| {
            let height = (RATINGS_PANEL.1 - RATINGS_PANEL.0) * count as f64 / of;
            y -= height;
            StarsSegment { name, y, height }
        });
        let parts = parts.collect();
        let x = scale.x(period.from);
        let middle = x + width / 2.0;
        let longer = (came > top).then(|| {
            let has_room = middle - last_number >= MIN_LABEL_DISTANCE;
            last_number = if has_room { middle } else { last_number };
            OverflowLabel { x: middle, count: has_room.then(|| locale.format_number(came)) }
        });
        Bar { x, width, parts, longer }
    };
    history.periods.iter().map(bar).collect()
}

#[cfg(test)]
mod tests {
    use chrono::{Days, NaiveDate};

    use super::super::periods::tests::{sample_history, sample_hour};
    use super::*;
    use evenkeel_limiters::PeriodStatus;

    #[test]
    fn everything_stays_inside_of_its_panel() {
        let history = sample_history(vec![
            sample_hour(0, 1, 0, 1, 5),
            sample_hour(1, 0, 10_000, 1, 5),
            sample_hour(47, 3, 1, 4, 4),
        ]);
        for chart in Chart::for_all_widths(&history, Locale::default()) {
            for bar in &chart.bars {
                assert!(bar.x >= chart.left && bar.x + bar.width <= chart.right + 0.01);
                for part in &bar.parts {
                    assert!(part.y >= RATINGS_PANEL.0 - 0.01 && part.y + part.height <= RATINGS_PANEL.1 + 0.01);
                }
            }
            assert!(chart.ticks.iter().all(|tick| tick.x >= chart.left && tick.x < chart.right));
        }
        assert!(Chart::for_all_widths(&sample_history(Vec::new()), Locale::default()).is_empty());
    }

    #[test]
    fn outlier_bar_is_cut_off_and_labelled() {
        let history = sample_history(vec![
            sample_hour(0, 2, 0, 2, 8),
            sample_hour(1, 3, 0, 5, 20),
            sample_hour(2, 500, 1_500, 505, 520),
        ]);
        let chart = &Chart::for_all_widths(&history, Locale::default())[0];
        assert_eq!((chart.levels[0].count.as_str(), chart.levels[1].count.as_str()), ("4", "2"));
        let cut = &chart.bars[2];
        assert_eq!(cut.longer.as_ref().and_then(|longer| longer.count.as_deref()), Some("2,000"));
        // 500 of the 2,000 ratings were admitted, so their part has a quarter of the height of the bar.
        let heights: Vec<f64> = cut.parts.iter().map(|part| part.height).collect();
        assert_eq!(heights, [25.0, 75.0]);
        assert_eq!((chart.bars[0].longer.is_none(), chart.bars[0].parts[0].height), (true, 50.0));
    }

    #[test]
    fn bars_without_outliers_are_not_cut_off() {
        assert_eq!([0, 1, 2, 3, 5, 11, 40, 41].map(round_up), [2, 2, 2, 4, 10, 20, 40, 100]);
        let history = sample_history(vec![sample_hour(0, 9, 0, 9, 36), sample_hour(1, 30, 0, 39, 100)]);
        assert!(Chart::for_all_widths(&history, Locale::default())[0].bars.iter().all(|bar| bar.longer.is_none()));
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
        let chart = &Chart::for_all_widths(&History { days, ..history }, Locale::default())[0];
        assert_eq!(chart.steady, "M52.0 34.0H371.0V104.0H530.5V104.0H690.0");
        assert_eq!(chart.left_out.len(), 1);
        assert!((chart.left_out[0].x - 530.5).abs() < 0.01 && (chart.left_out[0].width - 159.5).abs() < 0.01);
    }
}
