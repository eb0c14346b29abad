//! Bar charts over time as SVG. Horizontal positions are percentages of the plot width; vertical positions are pixels.

use crate::i18n::Locale;

/// Height of a chart in pixels, with the labels of the time axis.
pub const CHART_HEIGHT: f64 = 150.0;
/// `y` position of the maximum of the scale. The label of the highest bar is above this position.
pub const PLOT_TOP: f64 = 18.0;
pub const PLOT_BOTTOM: f64 = 126.0;
/// Width of a bar relative to the width of its hour or day, 0.0 to 1.0.
const BAR_SHARE: f64 = 0.84;
/// Minimum height in pixels of a bar segment whose count is not 0.
const MIN_HEIGHT: f64 = 1.5;

#[derive(Debug)]
pub struct BarChart {
    pub bars: Vec<Bar>,
    /// Grid lines at the maximum of the scale, at half the maximum, and at 0.
    pub levels: [GridLine; 3],
    /// Label of the highest bar, and the `y` position of its top.
    pub peak: Tick,
    pub peak_y: f64,
}

#[derive(Debug)]
pub struct Column {
    pub x: f64,
    pub width: f64,
    /// Counts to stack from bottom to top, each with the CSS class of its color.
    pub counts: Vec<(&'static str, i64)>,
    /// Description of the bar: its time and its counts.
    pub text: String,
    /// True if the hour or day is not over yet.
    pub is_open: bool,
}

#[derive(Debug)]
pub struct Bar {
    pub column: Column,
    pub parts: Vec<BarPart>,
}

#[derive(Debug)]
pub struct BarPart {
    pub class: &'static str,
    pub y: f64,
    pub height: f64,
}

#[derive(Debug)]
pub struct GridLine {
    pub y: f64,
    pub text: String,
}

#[derive(Debug)]
pub struct Tick {
    pub x: f64,
    pub text: String,
    /// True if the label is hidden on narrow screens.
    pub is_minor: bool,
}

impl Bar {
    pub fn x(&self) -> f64 {
        self.column.x + self.column.width * (1.0 - BAR_SHARE) / 2.0
    }

    pub fn width(&self) -> f64 {
        self.column.width * BAR_SHARE
    }

    pub fn total(&self) -> i64 {
        total(&self.column)
    }
}

impl BarChart {
    pub fn new(columns: Vec<Column>, locale: Locale) -> Option<Self> {
        let highest = columns.iter().max_by_key(|column| total(column)).filter(|column| total(column) > 0)?;
        let peak =
            Tick { x: highest.x + highest.width / 2.0, text: locale.format_number(total(highest)), is_minor: false };
        let top = round_up(total(highest));
        let peak_y = PLOT_BOTTOM - height(total(highest), top);
        let level = |count: i64| GridLine { y: PLOT_BOTTOM - height(count, top), text: locale.format_number(count) };
        let bar = |column: Column| {
            let mut y = PLOT_BOTTOM;
            let counts = column.counts.iter().filter(|(_, count)| *count > 0);
            let parts = counts.map(|(class, count)| {
                let height = height(*count, top).max(MIN_HEIGHT);
                y -= height;
                BarPart { class, y, height }
            });
            Bar { parts: parts.collect(), column }
        };
        Some(Self { levels: [top, top / 2, 0].map(level), peak, peak_y, bars: columns.into_iter().map(bar).collect() })
    }
}

fn total(column: &Column) -> i64 {
    column.counts.iter().map(|(_, count)| count).sum()
}

#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
fn height(count: i64, top: i64) -> f64 {
    (PLOT_BOTTOM - PLOT_TOP) * count as f64 / top as f64
}

/// Rounds up to an even number with at most two significant digits, so that half of the number is also round.
fn round_up(most: i64) -> i64 {
    if most <= 10 {
        return (most + most % 2).max(2);
    }
    let tenth = 10_i64.pow(most.ilog10() - 1);
    [10, 12, 16, 20, 24, 30, 40, 50, 60, 80, 100]
        .map(|step| step * tenth)
        .into_iter()
        .find(|top| *top >= most)
        .unwrap_or(most)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(counts: &[(i64, i64)]) -> Option<BarChart> {
        let column = |(index, (new, changed)): (u32, &(i64, i64))| Column {
            x: 10.0 * f64::from(index),
            width: 10.0,
            counts: vec![("new", *new), ("changed", *changed)],
            text: String::new(),
            is_open: false,
        };
        BarChart::new((0..).zip(counts).map(column).collect(), Locale::default())
    }

    #[test]
    fn bars_are_stacked_to_scale_and_the_highest_has_a_label() {
        let chart = chart(&[(0, 0), (50, 25), (1_000, 900), (1, 0)]).unwrap();
        let levels: Vec<&str> = chart.levels.iter().map(|level| level.text.as_str()).collect();
        assert_eq!(levels, ["2,000", "1,000", "0"]);
        assert_eq!((chart.peak.text.as_str(), chart.peak.x), ("1,900", 25.0));
        let heights = |bar: &Bar| bar.parts.iter().map(|part| part.height).collect::<Vec<_>>();
        let all: Vec<_> = chart.bars.iter().map(heights).collect();
        assert_eq!(all, [vec![], vec![2.7, MIN_HEIGHT], vec![54.0, 48.6], vec![MIN_HEIGHT]]);
        let [below, above] = &chart.bars[2].parts[..] else { panic!("two parts") };
        assert!((below.y + below.height - PLOT_BOTTOM).abs() < 1e-9 && (above.y + above.height - below.y).abs() < 1e-9);
        assert!(chart.bars.iter().all(|bar| bar.x() >= bar.column.x && bar.x() + bar.width() <= 40.0));
    }

    #[test]
    fn there_is_no_chart_of_zeros() {
        assert!(chart(&[]).is_none() && chart(&[(0, 0)]).is_none());
    }

    #[test]
    fn the_top_is_a_round_number() {
        for (most, top) in
            [(1, 2), (2, 2), (3, 4), (10, 10), (11, 12), (21, 24), (61, 80), (999, 1_000), (3_861, 4_000)]
        {
            assert_eq!(round_up(most), top, "{most}");
        }
    }
}
