//! Bar charts of hourly statistics as SVG. Each chart has a wide and a narrow version, because the text would be too
//! small to read if the wide version were scaled down.

use chrono::Timelike as _;

use super::hourly_stats::HourStats;
use crate::i18n::Locale;

/// SVG chart. Positions are in view box units, which are CSS pixels when the chart is not scaled.
#[derive(Debug)]
pub struct Chart {
    /// Layout of the chart: `wide` or `narrow`.
    pub name: &'static str,
    pub width: f64,
    pub left: f64,
    pub right: f64,
    pub bars: Vec<Bar>,
    /// Labels of the vertical axis with their `y` positions: the maximum and half of the maximum.
    pub levels: Vec<(f64, String)>,
    /// Labels of the time axis with their `x` positions.
    pub ticks: Vec<(f64, String)>,
}

/// Stacked bar of one hour. Its parts are listed from bottom to top, each with a color name, the `y` position of its
/// top, and its height.
#[derive(Debug)]
pub struct Bar {
    pub x: f64,
    pub width: f64,
    pub parts: Vec<(&'static str, f64, f64)>,
    /// Time and counts of the hour.
    pub title: String,
    /// `true` if the bar is cut at the top of the chart.
    pub is_cut: bool,
    /// Total of the hour, if the bar is the highest of those that are cut.
    pub cut_total: Option<String>,
}

/// `y` position of the top of the highest bar, in view box units.
pub const PLOT_TOP: f64 = 14.0;
/// `y` position of the bottom of the bars, in view box units.
pub const PLOT_BOTTOM: f64 = 114.0;
/// Total height of a chart, in view box units.
pub const CHART_HEIGHT: f64 = 140.0;

/// Function that returns the counts to stack in the bar of an hour, each with its color name.
pub type BarParts = fn(&HourStats) -> Vec<(&'static str, i64)>;

/// Returns the wide and the narrow chart, or no chart if all counts are 0.
#[must_use]
pub fn responsive_charts(hours: &[HourStats], parts: BarParts, locale: Locale) -> Vec<Chart> {
    let first = hours.iter().filter_map(|hour| parts(hour).first().map(|(_, count)| *count)).max().unwrap_or(0);
    let most = hours.iter().map(|hour| total(hour, parts)).max().unwrap_or(0);
    if most == 0 {
        return Vec::new();
    }
    // Bars far above the highest first part are cut, so that the first parts stay visible during an attack.
    let most = round_up(if first > 0 { most.min(MAX_RATIO * first) } else { most });
    [("wide", 700.0, 4), ("narrow", 290.0, 8)]
        .map(|(name, width, every)| draw(hours, parts, most, name, width, every, locale))
        .into()
}

/// Maximum height of the chart, as a multiple of the highest first part.
const MAX_RATIO: i64 = 5;

fn total(hour: &HourStats, parts: BarParts) -> i64 {
    parts(hour).iter().map(|(_, count)| count).sum()
}

/// Rounds up to 1, 2, 4, 6, 8 or 10 times a power of ten. The minimum is 2, so that half of the result is also an
/// integer.
fn round_up(most: i64) -> i64 {
    let magnitude = 10_i64.pow(most.max(1).ilog10());
    [1, 2, 4, 6, 8, 10].map(|step| step * magnitude).into_iter().find(|top| *top >= most).unwrap_or(most).max(2)
}

#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
fn draw(
    hours: &[HourStats],
    parts: BarParts,
    most: i64,
    name: &'static str,
    width: f64,
    every: usize,
    locale: Locale,
) -> Chart {
    let (left, right) = (52.0, width - 24.0);
    let step = (right - left) / hours.len() as f64;
    let height = |count: i64| (PLOT_BOTTOM - PLOT_TOP) * count as f64 / most as f64;
    let highest = hours.iter().map(|hour| total(hour, parts)).max().unwrap_or(0);
    let time = |hour: &HourStats| {
        let local = locale.zone.to_local(hour.from);
        locale.format_time(local.hour(), local.minute())
    };
    let title = |hour: &HourStats| {
        let counts: Vec<String> = parts(hour).iter().map(|(_, count)| locale.format_number(*count)).collect();
        format!("{}: {}", time(hour), counts.join(" + "))
    };
    let bar = |(index, hour): (usize, &HourStats)| {
        let mut top = PLOT_BOTTOM;
        let stacked = parts(hour).into_iter().filter(|(_, count)| *count > 0).map(|(name, count)| {
            let below = top;
            top = f64::max(top - height(count), PLOT_TOP);
            (name, top, below - top)
        });
        let (stacked, total) = (stacked.collect(), total(hour, parts));
        let is_cut = total > most;
        // Only the highest bar has a label: labels of adjacent bars would overlap.
        let cut_total = (is_cut && total == highest).then(|| locale.format_number(highest));
        let (x, width) = (left + step * index as f64 + 1.0, step - 2.0);
        Bar { x, width, parts: stacked, title: title(hour), is_cut, cut_total }
    };
    let tick = |(index, hour): (usize, &HourStats)| (left + step * (index as f64 + 0.5), time(hour));
    Chart {
        name,
        width,
        left,
        right,
        bars: hours.iter().enumerate().map(bar).collect(),
        levels: [most, most / 2].map(|count| (PLOT_BOTTOM - height(count), locale.format_number(count))).into(),
        ticks: hours.iter().enumerate().rev().step_by(every).map(tick).collect(),
    }
}

#[cfg(test)]
mod tests {
    use chrono::{DateTime, TimeDelta};

    use super::*;

    fn hour(number: i64, ratings: i64, refused: i64) -> HourStats {
        let from = DateTime::UNIX_EPOCH + TimeDelta::hours(number);
        HourStats { from, visitors: 0, pages: 0, ratings, refused, limited: 0, failures: 0 }
    }

    #[test]
    fn bars_are_stacked_within_chart_bounds() {
        let hours: Vec<HourStats> = (0..24).map(|number| hour(number, number * 3, number)).collect();
        let parts: BarParts = |hour| vec![("new", hour.ratings), ("refused", hour.refused)];
        let charts = responsive_charts(&hours, parts, Locale::default());
        for chart in &charts {
            assert_eq!((chart.bars.len(), chart.bars[0].parts.len(), chart.bars[23].parts.len()), (24, 0, 2));
            let [(_, top, height), (_, above, rest)] = chart.bars[23].parts[..] else { panic!("two parts") };
            assert!(
                (top + height - PLOT_BOTTOM).abs() < 1e-9 && (above + rest - top).abs() < 1e-9 && above >= PLOT_TOP
            );
            assert!(chart.bars[23].x + chart.bars[23].width <= chart.right && chart.bars[0].x >= chart.left);
            assert_eq!(chart.levels[0].1, "100");
        }
        assert!(responsive_charts(&hours[..1], parts, Locale::default()).is_empty());
    }

    #[test]
    fn bars_far_above_the_ratings_are_cut_and_the_highest_has_a_label() {
        let mut hours: Vec<HourStats> = (0..24).map(|number| hour(number, 10, 0)).collect();
        (hours[5].refused, hours[6].refused) = (400, 2_000);
        let parts: BarParts = |hour| vec![("new", hour.ratings), ("refused", hour.refused)];
        for chart in &responsive_charts(&hours, parts, Locale::default()) {
            assert_eq!(chart.levels[0].1, "60");
            let labels: Vec<_> = chart.bars.iter().map(|bar| bar.cut_total.as_deref()).collect();
            assert_eq!((labels[5], labels[6], labels[7]), (None, Some("2,010"), None));
            let [_, (_, top, _)] = chart.bars[6].parts[..] else { panic!("two parts") };
            assert!((top - PLOT_TOP).abs() < 1e-9 && chart.bars[7].parts[0].2 > 10.0);
        }
    }

    #[test]
    fn the_top_is_a_round_number() {
        for (most, top) in [(1, 2), (2, 2), (3, 4), (10, 10), (11, 20), (61, 80), (999, 1_000)] {
            assert_eq!(round_up(most), top, "{most}");
        }
    }
}
