//! SVG plot of one post's replay: attempted ratings, admitted ratings, and scores over time.

use askama::Template;

use super::report::DEFAULT_LIMITERS;
use evenkeel_limiters::AnyLimiter;
use evenkeel_limiters::replay::{PastRating, Replay, ReplayHistory, ScoreKind};

/// Number of columns in the upper panel. All columns represent the same length of time.
const COLUMNS: usize = 120;
const WIDTH: f64 = 900.0;
const LEFT: f64 = 60.0;
/// Y coordinates of the edges of the panels: the upper panel shows numbers of ratings, the lower panel shows scores.
const COUNTS: (f64, f64) = (80.0, 250.0);
const AVERAGES: (f64, f64) = (310.0, 500.0);
/// Line color of each of [`DEFAULT_LIMITERS`], from the Okabe-Ito palette, which is safe for color blindness.
const COLOURS: [&str; DEFAULT_LIMITERS.len()] = ["#000000", "#009e73", "#0072b2", "#d55e00"];

#[derive(Template)]
#[template(path = "replay.svg", escape = "html")]
struct Plot<'a> {
    title: &'a str,
    lines: Vec<Line>,
    arrivals: Vec<Column>,
    most: u64,
    ticks: Vec<(f64, String)>,
    stars: Vec<(f64, u8)>,
    scores: &'a str,
}

struct Line {
    limiter: String,
    color: &'static str,
    legend_x: f64,
    admitted: String,
    scores: Vec<Curve>,
}

impl Line {
    fn new(
        index: usize,
        name: &str,
        limiter: Option<&AnyLimiter>,
        entries: &[PastRating],
        scale: &Scale,
        scores: &[ScoreKind],
    ) -> anyhow::Result<Self> {
        let mut admitted = Vec::new();
        let mut curves: Vec<Points> = scores.iter().map(|_| Points::default()).collect();
        Replay::new(name, limiter.copied(), scores, false).replay_post(
            name,
            entries,
            &[],
            |entry, passed, shown| {
                admitted.extend(passed.then_some(*entry));
                for (curve, shown) in curves.iter_mut().zip(shown) {
                    curve.add(scale.x(entry.time_ms), shown.map(average_y));
                }
            },
        )?;
        let curves = scores.iter().zip(curves).map(|(score, curve)| Curve {
            points: curve.finish(),
            dashed: *score == ScoreKind::Average && scores.len() > 1,
        });
        let top = |(index, count): (usize, u64)| {
            let (width, left) = column(index);
            format!("{:.1},{:.1}", left + width / 2.0, COUNTS.1 - scale.height(count))
        };
        Ok(Self {
            limiter: name.to_owned(),
            color: color(name),
            legend_x: LEFT + 150.0 * count_f64(index as u64),
            admitted: scale.count(&admitted).into_iter().enumerate().map(top).collect::<Vec<_>>().join(" "),
            scores: curves.collect(),
        })
    }
}

struct Curve {
    points: String,
    /// Draws the curve of the average as a dashed line if the plot also contains the steady score.
    dashed: bool,
}

struct Column {
    x: f64,
    y: f64,
    width: f64,
    height: f64,
}

struct Scale {
    from_ms: i64,
    until_ms: i64,
    most: u64,
}

impl Scale {
    fn new(entries: &[PastRating]) -> Option<Self> {
        let (from_ms, last_ms) = (entries.first()?.time_ms, entries.last()?.time_ms);
        let scale = Self { from_ms, until_ms: last_ms.max(from_ms + 1), most: 1 };
        let most = scale.count(entries).into_iter().max().unwrap_or(1);
        Some(Self { most, ..scale })
    }

    fn span(&self) -> f64 {
        to_f64(self.until_ms - self.from_ms)
    }

    fn x(&self, time_ms: i64) -> f64 {
        LEFT + (WIDTH - LEFT - 20.0) * to_f64(time_ms - self.from_ms) / self.span()
    }

    fn count(&self, entries: &[PastRating]) -> [u64; COLUMNS] {
        let mut counts = [0; COLUMNS];
        for entry in entries {
            let span = i128::from(self.until_ms - self.from_ms);
            let index = i128::from(entry.time_ms - self.from_ms) * COLUMNS as i128 / span;
            counts[usize::try_from(index).unwrap_or(0).min(COLUMNS - 1)] += 1;
        }
        counts
    }

    /// Height of a column. The square root scale keeps ordinary days visible next to a day with a brigade.
    fn height(&self, count: u64) -> f64 {
        (COUNTS.1 - COUNTS.0) * (count_f64(count) / count_f64(self.most)).sqrt()
    }
}

/// Width and x coordinate of a column.
fn column(index: usize) -> (f64, f64) {
    let width = (WIDTH - LEFT - 20.0) / count_f64(COLUMNS as u64);
    (width, LEFT + width * count_f64(index as u64))
}

pub fn plot(
    title: &str,
    history: &ReplayHistory,
    post: &str,
    limiters: &[(String, Option<AnyLimiter>)],
    scores: &[ScoreKind],
) -> anyhow::Result<String> {
    let entries = history.post_ratings(post).unwrap_or_default();
    let scale = Scale::new(entries).ok_or_else(|| anyhow::anyhow!("the history has no post {post:?}"))?;
    let arrivals = scale.count(entries).into_iter().enumerate().map(|(index, count)| {
        let ((width, x), height) = (column(index), scale.height(count));
        Column { x, y: COUNTS.1 - height, width: width - 1.0, height }
    });
    let ticks = ticks(scale.span()).into_iter().map(|(ms, label)| (scale.x(scale.from_ms + ms), label));
    let plot = Plot {
        title,
        lines: limiters
            .iter()
            .enumerate()
            .map(|(index, (name, limiter))| Line::new(index, name, limiter.as_ref(), entries, &scale, scores))
            .collect::<anyhow::Result<_>>()?,
        arrivals: arrivals.collect(),
        most: scale.most,
        ticks: ticks.collect(),
        stars: (1..=5).map(|stars| (average_y(f64::from(stars)), stars)).collect(),
        scores: match scores {
            [ScoreKind::Average] => "Average of the admitted ratings",
            [ScoreKind::Steady] => "Steady score of the admitted ratings",
            _ => "Steady score (solid) and average (dashed) of the admitted ratings",
        },
    };
    Ok(plot.render()?)
}

fn color(limiter: &str) -> &'static str {
    DEFAULT_LIMITERS.iter().zip(COLOURS).find(|(name, _)| **name == limiter).map_or("#000000", |(_, color)| color)
}

/// Points of an SVG polyline, reduced to at most two points per pixel. The last point is always kept.
#[derive(Default)]
struct Points {
    drawn: Vec<String>,
    last_x: Option<f64>,
    skipped: Option<String>,
}

impl Points {
    fn add(&mut self, x: f64, y: Option<f64>) {
        let Some(y) = y else { return };
        let point = format!("{x:.1},{y:.1}");
        if self.last_x.is_none_or(|last| x - last >= 0.5) {
            self.drawn.push(point);
            (self.last_x, self.skipped) = (Some(x), None);
        } else {
            self.skipped = Some(point);
        }
    }

    fn finish(mut self) -> String {
        self.drawn.extend(self.skipped);
        self.drawn.join(" ")
    }
}

fn average_y(stars: f64) -> f64 {
    AVERAGES.1 - (AVERAGES.1 - AVERAGES.0) * (stars - 1.0) / 4.0
}

/// Offsets from the start of the time axis in milliseconds, and labels.
fn ticks(span_ms: f64) -> Vec<(i64, String)> {
    const STEPS: [(i64, i64, &str); 9] = [
        (1, 1, "s"),
        (10, 10, "s"),
        (60, 1, "min"),
        (600, 10, "min"),
        (3_600, 1, "h"),
        (21_600, 6, "h"),
        (86_400, 1, "d"),
        (864_000, 10, "d"),
        (8_640_000, 100, "d"),
    ];
    let fits = |(seconds, ..): &&(i64, i64, &str)| span_ms / to_f64(seconds * 1_000) <= 12.0;
    let (seconds, amount, unit) = STEPS.iter().find(fits).unwrap_or(&STEPS[8]);
    let until = |step: &i64| to_f64(step * seconds * 1_000) <= span_ms;
    (0..100).take_while(until).map(|step| (step * seconds * 1_000, format!("{} {unit}", step * amount))).collect()
}

#[expect(clippy::cast_precision_loss, reason = "a pixel is far larger than what is lost")]
fn to_f64(value: i64) -> f64 {
    value as f64
}

#[expect(clippy::cast_precision_loss, reason = "a pixel is far larger than what is lost")]
fn count_f64(value: u64) -> f64 {
    value as f64
}
