//! A picture of one post: what arrived, what was admitted, and where the average went.

use askama::Template;
use indicatif::ProgressBar;

use super::history::{Entry, History};
use super::{CONTENDERS, run};
use crate::limiters::AnyLimiter;

/// Columns of the upper half.
const COLUMNS: usize = 120;

const WIDTH: f64 = 900.0;
const LEFT: f64 = 60.0;
/// The upper half, for counts, and the lower one, for averages: from where to where, downwards.
const COUNTS: (f64, f64) = (80.0, 250.0);
const AVERAGES: (f64, f64) = (310.0, 500.0);

/// One for each of [`CONTENDERS`], told apart in every kind of colour blindness (Okabe and Ito).
const COLOURS: [&str; CONTENDERS.len()] = ["#000000", "#009e73", "#0072b2", "#d55e00"];

#[derive(Template)]
#[template(path = "replay.svg", escape = "html")]
struct Plot<'a> {
    title: &'a str,
    lines: Vec<Line<'a>>,
    arrivals: Vec<Column>,
    most: u64,
    ticks: Vec<(f64, String)>,
    stars: Vec<(f64, u8)>,
}

struct Line<'a> {
    limiter: &'a str,
    colour: &'static str,
    legend_x: f64,
    admitted: String,
    average: String,
}

struct Column {
    x: f64,
    y: f64,
    width: f64,
    height: f64,
}

/// Draws one post of `history`, as SVG.
///
/// # Errors
/// When there is no such post.
pub fn plot(
    title: &str,
    history: &History,
    post: &str,
    limiters: &[(String, Option<AnyLimiter>)],
) -> anyhow::Result<String> {
    let entries = history.post(post).filter(|entries| !entries.is_empty());
    let entries = entries.ok_or_else(|| anyhow::anyhow!("there is no post {post:?}"))?;
    let (from, until) = (entries[0].time_ms, entries[entries.len() - 1].time_ms.max(entries[0].time_ms + 1));
    let span = to_f64(until - from);
    let x = |time_ms: i64| LEFT + (WIDTH - LEFT - 20.0) * to_f64(time_ms - from) / span;
    let column = |time_ms: i64| {
        let place = i128::from(time_ms - from) * COLUMNS as i128 / i128::from(until - from);
        usize::try_from(place).unwrap_or(0).min(COLUMNS - 1)
    };
    let count = |entries: &mut dyn Iterator<Item = &Entry>| {
        let mut counts = [0_u64; COLUMNS];
        entries.for_each(|entry| counts[column(entry.time_ms)] += 1);
        counts
    };
    let all = count(&mut entries.iter());
    let most = all.iter().copied().max().unwrap_or(1);
    // Square roots, or a crowd would leave nothing to be seen of anybody else.
    let height = |count: u64| (COUNTS.1 - COUNTS.0) * (count_f64(count) / count_f64(most)).sqrt();
    let width = (WIDTH - LEFT - 20.0) / count_f64(COLUMNS as u64);
    let left = |index: usize| LEFT + width * count_f64(index as u64);

    let mut one = History::default();
    one.insert(post.to_owned(), entries.to_vec());
    let mut lines = Vec::new();
    for (index, (name, limiter)) in limiters.iter().enumerate() {
        let mut admitted = Vec::new();
        let told = |_: &str, entry: &Entry, passed: bool| {
            if passed {
                admitted.push(*entry);
            }
        };
        run(name, limiter.as_ref(), &one, &ProgressBar::hidden(), told)?;
        let counts = count(&mut admitted.iter());
        let top = |(index, count): (usize, &u64)| {
            format!("{:.1},{:.1}", left(index) + width / 2.0, COUNTS.1 - height(*count))
        };
        lines.push(Line {
            limiter: name,
            colour: CONTENDERS
                .iter()
                .zip(COLOURS)
                .find(|(known, _)| *known == name)
                .map_or("#000000", |(_, colour)| colour),
            legend_x: LEFT + 150.0 * count_f64(index as u64),
            admitted: counts.iter().enumerate().map(top).collect::<Vec<_>>().join(" "),
            average: average_line(&admitted, x),
        });
    }
    let arrivals = all.iter().enumerate().map(|(index, count)| Column {
        x: left(index),
        y: COUNTS.1 - height(*count),
        width: width - 1.0,
        height: height(*count),
    });
    let plot = Plot {
        title,
        lines,
        arrivals: arrivals.collect(),
        most,
        ticks: ticks(span).into_iter().map(|(ms, label)| (x(from + ms), label)).collect(),
        stars: (1..=5).map(|stars| (average_y(f64::from(stars)), stars)).collect(),
    };
    Ok(plot.render()?)
}

fn average_line(admitted: &[Entry], x: impl Fn(i64) -> f64) -> String {
    let (mut sum, mut points, mut last_x) = (0_u64, Vec::new(), f64::NEG_INFINITY);
    for (entry, count) in admitted.iter().zip(1_u64..) {
        sum += u64::from(entry.rating);
        let here = x(entry.time_ms);
        // Two points a pixel are enough, and the last one.
        if here - last_x >= 0.5 || count == admitted.len() as u64 {
            points.push(format!("{here:.1},{:.1}", average_y(count_f64(sum) / count_f64(count))));
            last_x = here;
        }
    }
    points.join(" ")
}

fn average_y(stars: f64) -> f64 {
    AVERAGES.1 - (AVERAGES.1 - AVERAGES.0) * (stars - 1.0) / 4.0
}

/// Round times since the beginning, in milliseconds, with their words.
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
