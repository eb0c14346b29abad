//! Creates the plots and the table of the guide (`src/guide`). Run it after a change of a limiter:
//! `cargo run -p evenkeel-limiters --example guide_plots`.
//!
//! Each plot shows four weeks of events of one key: the events per hour in grey, and the admitted ones in blue.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "an example")]
#![allow(clippy::cast_precision_loss, reason = "coordinates of a plot")]

use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use evenkeel_limiters::{
    AnyLimiter, AnyState, Ema, EmaParams, Event, LeakyBucket, Limiter as _, RateClass, RateClassParams, Surge,
    SurgeParams,
};

const HOUR_MS: i64 = 3_600_000;
const HOURS: usize = 28 * 24;

/// Usual number of events per hour.
const USUAL: f64 = 4.0;

/// Traffic of a plot: name, title, and events per hour as a function of the hours since the start of the plot.
struct Shape {
    name: &'static str,
    title: &'static str,
    rate: fn(hour: f64) -> f64,
}

const SHAPES: [Shape; 5] = [
    Shape { name: "steady", title: "Steady: 4 events per hour", rate: |_| USUAL },
    Shape { name: "daily", title: "Day and night: from 0 to 12 events per hour", rate: daily },
    Shape { name: "popular", title: "Popular for a day: 25 times as many events, decreasing", rate: popular },
    Shape { name: "flood", title: "Flood: 2,000 one-star ratings per hour for 12 hours", rate: flood },
    Shape { name: "ramp", title: "Slow ramp: doubling every two days from day 14 on", rate: ramp },
];

fn daily(hour: f64) -> f64 {
    let noon = (hour % 24.0 - 12.0).abs() / 12.0;
    3.0 * USUAL * (1.0 - noon).powi(2)
}

fn popular(hour: f64) -> f64 {
    let since = hour - 20.0 * 24.0;
    if since < 0.0 { USUAL } else { USUAL * (1.0 + 24.0 * (-since / 12.0).exp()) }
}

/// Hours of the flood since the start of the plot.
const FLOOD: std::ops::Range<i64> = 480..492;

fn flood(hour: f64) -> f64 {
    if FLOOD.contains(&whole(hour)) { 2_000.0 } else { USUAL }
}

fn ramp(hour: f64) -> f64 {
    USUAL * ((hour - 336.0).max(0.0) / 48.0).exp2()
}

/// Times of random events in milliseconds, with the rate of a shape (thinning of a Poisson process).
fn events(shape: &Shape) -> Vec<i64> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let mut times = Vec::new();
    for hour in 0..HOURS {
        // Events are generated minute by minute, because the rate changes little within a minute.
        for minute in 0..60 {
            let expected = (shape.rate)(hour as f64 + f64::from(minute) / 60.0) / 60.0;
            let start = i64::try_from(hour).unwrap() * HOUR_MS + i64::from(minute) * 60_000;
            let mut within: Vec<i64> =
                (0..poisson(expected, &mut random)).map(|_| whole(random() * 60_000.0)).collect();
            within.sort_unstable();
            times.extend(within.into_iter().map(|after| start + after));
        }
    }
    times
}

/// Poisson-distributed random number, by counting exponential gaps.
fn poisson(mean: f64, random: &mut impl FnMut() -> f64) -> u32 {
    let (limit, mut product, mut count) = ((-mean).exp(), random(), 0);
    while product > limit {
        product *= random();
        count += 1;
    }
    count
}

#[expect(clippy::cast_possible_truncation, reason = "rounding")]
fn whole(number: f64) -> i64 {
    number as i64
}

/// The compared limiters, with their names in the plots.
fn limiters() -> [(&'static str, AnyLimiter); 4] {
    let bucket = LeakyBucket::per(20, Duration::from_hours(1)).burst(40).build().unwrap();
    let class = RateClass::new(RateClassParams {
        clear: 180_000,
        alert: 160_000,
        limit: 120_000,
        disconnect: 0,
        max: 600_000,
        ..Default::default()
    });
    [
        ("LeakyBucket", AnyLimiter::LeakyBucket(bucket)),
        ("RateClass", AnyLimiter::RateClass(class.unwrap())),
        ("Ema", AnyLimiter::Ema(Ema::new(EmaParams::default()).unwrap())),
        ("Surge", AnyLimiter::Surge(Surge::new(SurgeParams::default()).unwrap())),
    ]
}

type Hourly = Vec<u32>;

fn admitted(limiter: &AnyLimiter, shape: &Shape, events: &[i64]) -> Hourly {
    let (mut state, mut hours) = (AnyState::default(), vec![0; HOURS]);
    for time in events {
        // The events are ratings of four stars. A flood consists of ratings of one star.
        let value = if shape.name == "flood" && FLOOD.contains(&(time / HOUR_MS)) { 1 } else { 4 };
        let decision = limiter.check(&mut state, Event::at_unix_millis(*time).with_value(value)).unwrap();
        hours[usize::try_from(time / HOUR_MS).unwrap()] += u32::from(decision.allowed);
    }
    hours
}

const WIDTH: f64 = 330.0;
const HEIGHT: f64 = 90.0;

/// A plot of one limiter. The vertical axis is logarithmic.
fn plot(name: &str, offered: &Hourly, admitted: &Hourly) -> String {
    let y = |count: u32| HEIGHT - HEIGHT * (1.0 + f64::from(count)).ln() / 2_500_f64.ln();
    let x = |hour: usize| WIDTH * hour as f64 / HOURS as f64;
    let path = |hours: &Hourly| {
        // Each point of the line is the maximum of four hours.
        let points = hours.chunks(4).enumerate().map(|(index, hours)| {
            let most = hours.iter().max().copied().unwrap_or_default();
            format!("{:.1} {:.1}", x(4 * index), y(most))
        });
        points.collect::<Vec<_>>().join("L")
    };
    let mut svg = format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="-40 -18 {:.0} {:.0}" width="390" role="img" aria-label="{name}"><title>{name}</title>"#,
        WIDTH + 56.0,
        HEIGHT + 44.0,
    );
    let text = r#"font-size="11" font-family="sans-serif" fill="currentColor""#;
    let _ = write!(svg, r#"<text x="0" y="-6" {text}>{name}</text>"#);
    for count in [0, 10, 100, 1_000] {
        let at = y(count);
        let _ = write!(
            svg,
            r#"<path d="M0 {at:.1}H{WIDTH}" stroke="currentColor" stroke-opacity=".2"/><text x="-4" y="{:.1}" text-anchor="end" {text}>{count}</text>"#,
            at + 4.0
        );
    }
    for day in [0, 7, 14, 21, 28] {
        let _ = write!(
            svg,
            r#"<text x="{:.0}" y="{:.0}" text-anchor="middle" {text}>{day}</text>"#,
            x(day * 24),
            HEIGHT + 14.0
        );
    }
    let _ = write!(
        svg,
        r##"<path d="M0 {HEIGHT}L{}L{WIDTH} {HEIGHT}Z" fill="#8888" stroke="none"/><path d="M{}" fill="none" stroke="#2979ff"/></svg>"##,
        path(offered),
        path(admitted)
    );
    svg
}

fn main() -> std::io::Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/guide");
    let limiters = limiters();
    let mut table =
        String::from("| share of admitted events | LeakyBucket | RateClass | Ema | Surge |\n|---|---|---|---|---|\n");
    for shape in &SHAPES {
        let events = events(shape);
        let mut offered = vec![0; HOURS];
        for time in &events {
            offered[usize::try_from(time / HOUR_MS).unwrap()] += 1;
        }
        // The HTML has no line breaks, because Markdown would end the HTML block there.
        let mut plots = String::from("<div>");
        let _ = write!(table, "| {} |", shape.title);
        for (name, limiter) in &limiters {
            let admitted = admitted(limiter, shape, &events);
            let count: u32 = admitted.iter().sum();
            let share = 100.0 * f64::from(count) / events.len() as f64;
            let _ = write!(table, " {share:.1} % |");
            plots.push_str(&plot(name, &offered, &admitted));
        }
        table.push('\n');
        plots.push_str("</div>\n");
        std::fs::write(folder.join(format!("{}.html", shape.name)), plots)?;
        println!("{}: {} events", shape.name, events.len());
    }
    std::fs::write(folder.join("admitted.md"), &table)?;
    println!("\n{table}");
    Ok(())
}
