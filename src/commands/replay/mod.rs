//! Runs histories of ratings through limiters offline, to compare what the limiters do and to choose one.

pub mod command;
mod history;
mod plot;
mod scenarios;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyhow::Context as _;
use indicatif::ProgressBar;
use serde::Serialize;
use serde_json::{Value, json};

pub use self::history::{Entry, History, InvalidRow};
pub use self::scenarios::{SCENARIOS, Scenario};
use crate::limiters::{AnyLimiter, AnyState, Event, InvalidParams, Limiter as _};

/// The limiters that are replayed by default. `off` is no limiter at all.
pub const CONTENDERS: [&str; 4] = ["off", "leaky_bucket", "ema", "surge"];

/// A limiter by its name, with those parameters that differ from their defaults. `None` for `off`.
///
/// # Errors
/// If there is no such limiter or parameter, or a value is not allowed.
pub fn contender(name: &str, params: &BTreeMap<String, Value>) -> anyhow::Result<Option<AnyLimiter>> {
    if name == "off" {
        return Ok(None);
    }
    let made = |params: Value| {
        let made = AnyLimiter::named(name, params);
        made.with_context(|| format!("there is no limiter {name:?}; there are off, {}", AnyLimiter::NAMES.join(", ")))
    };
    for (name, value) in params {
        // Each parameter is tried alone, so that the error can name it. What only fails in combination fails below.
        if let Err(error @ InvalidParams::Unreadable(_)) = made(json!({ name.as_str(): value }))? {
            return Err(error).with_context(|| format!("parameter {name}"));
        }
    }
    Ok(Some(made(json!(params))??))
}

/// What one limiter made of one post's history.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PostOutcome {
    pub post: String,
    pub honest: u64,
    pub honest_refused: u64,
    pub brigade: u64,
    pub brigade_admitted: u64,
    /// The average of all honest ratings.
    pub honest_average: Option<f64>,
    /// The average of what was admitted.
    pub admitted_average: Option<f64>,
}

impl PostOutcome {
    /// How far the average is from where all honest ratings would have put it.
    #[must_use]
    pub fn moved(&self) -> Option<f64> {
        Some((self.admitted_average? - self.honest_average?).abs())
    }
}

/// What one limiter did with a whole history. Shares are in percent, and `None` if there were no such
/// ratings.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Outcome {
    pub limiter: String,
    pub honest_refused_percent: Option<f64>,
    pub brigade_admitted_percent: Option<f64>,
    /// How far the averages of the posts were moved, in stars: the mean over all posts.
    pub average_moved: Option<f64>,
    pub posts: Vec<PostOutcome>,
}

/// Runs a history through one limiter; `None` admits everything. `told` is called for every rating, with its post and
/// whether it was admitted.
///
/// # Errors
/// Never in practice: limiters only fail for a cost that is too high, and every rating costs 1.
pub fn run(
    name: &str,
    limiter: Option<&AnyLimiter>,
    history: &History,
    progress: &ProgressBar,
    mut told: impl FnMut(&str, &Entry, bool),
) -> anyhow::Result<Outcome> {
    let mut posts = Vec::new();
    for (post, entries) in history.posts() {
        let mut state = AnyState::default();
        let mut tally = Tally::default();
        for entry in entries {
            let event = Event::at(entry.time_ms).with_value(entry.rating);
            let admitted = match limiter {
                None => true,
                Some(limiter) => limiter.check(&mut state, event)?.allowed,
            };
            tally.count(entry, admitted);
            told(post, entry, admitted);
        }
        progress.inc(entries.len() as u64);
        posts.push(tally.of(post));
    }
    let sum = |part: fn(&PostOutcome) -> u64| posts.iter().map(part).sum::<u64>();
    let moved: Vec<f64> = posts.iter().filter_map(PostOutcome::moved).collect();
    Ok(Outcome {
        limiter: name.to_owned(),
        honest_refused_percent: percent(sum(|post| post.honest_refused), sum(|post| post.honest)),
        brigade_admitted_percent: percent(sum(|post| post.brigade_admitted), sum(|post| post.brigade)),
        average_moved: mean(moved.iter().sum(), moved.len() as u64),
        posts,
    })
}

#[derive(Default)]
struct Tally {
    honest: [u64; 2],
    brigade: [u64; 2],
    honest_stars: u64,
    admitted_stars: u64,
}

impl Tally {
    fn count(&mut self, entry: &Entry, admitted: bool) {
        let counts = if entry.brigade { &mut self.brigade } else { &mut self.honest };
        counts[usize::from(admitted)] += 1;
        self.honest_stars += if entry.brigade { 0 } else { u64::from(entry.rating) };
        self.admitted_stars += if admitted { u64::from(entry.rating) } else { 0 };
    }

    fn of(self, post: &str) -> PostOutcome {
        let [honest_refused, honest_admitted] = self.honest;
        let [brigade_refused, brigade_admitted] = self.brigade;
        let honest = honest_refused + honest_admitted;
        PostOutcome {
            post: post.to_owned(),
            honest,
            honest_refused,
            brigade: brigade_refused + brigade_admitted,
            brigade_admitted,
            honest_average: mean(to_f64(self.honest_stars), honest),
            admitted_average: mean(to_f64(self.admitted_stars), honest_admitted + brigade_admitted),
        }
    }
}

fn percent(part: u64, whole: u64) -> Option<f64> {
    mean(100.0 * to_f64(part), whole)
}

fn mean(sum: f64, count: u64) -> Option<f64> {
    (count > 0).then(|| sum / to_f64(count))
}

#[expect(clippy::cast_precision_loss, reason = "no history has 2^53 ratings")]
fn to_f64(count: u64) -> f64 {
    count as f64
}

/// One line for each history and one column for each limiter, as a table in Markdown.
#[must_use]
pub fn table(results: &[(String, Vec<Outcome>)]) -> String {
    let limiters = results.first().map_or(&[][..], |(_, outcomes)| outcomes.as_slice());
    let mut table = "| honest refused · crowd admitted · average moved |".to_owned();
    for outcome in limiters {
        let _ = write!(table, " `{}` |", outcome.limiter);
    }
    table.push_str("\n|---|");
    table += &"---|".repeat(limiters.len());
    table.push('\n');
    let number = |value: Option<f64>, unit: &str| value.map_or("–".to_owned(), |value| format!("{value:.2}{unit}"));
    for (history, outcomes) in results {
        let _ = write!(table, "| {} |", history.replace('|', "\\|"));
        for outcome in outcomes {
            let refused = number(outcome.honest_refused_percent, " %");
            let admitted = number(outcome.brigade_admitted_percent, " %");
            let _ = write!(table, " {refused} · {admitted} · {} |", number(outcome.average_moved, ""));
        }
        table.push('\n');
    }
    table
}

/// Reads `name=value` or `limiter.name=value`. The value is JSON; what is not JSON is taken as a string.
///
/// # Errors
/// If there is no `=`.
pub fn parameter(text: &str) -> anyhow::Result<(Option<String>, String, Value)> {
    let (name, value) = text.split_once('=').context("a parameter is written name=value or limiter.name=value")?;
    let value = serde_json::from_str(value).unwrap_or_else(|_| Value::String(value.to_owned()));
    Ok(match name.split_once('.') {
        Some((limiter, name)) => (Some(limiter.to_owned()), name.to_owned(), value),
        None => (None, name.to_owned(), value),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replay(csv: &str, name: &str, params: &[&str]) -> Outcome {
        let params = params.iter().map(|text| parameter(text).map(|(_, name, value)| (name, value)).unwrap()).collect();
        let limiter = contender(name, &params).unwrap();
        let history = History::read(csv.as_bytes()).unwrap();
        run(name, limiter.as_ref(), &history, &ProgressBar::hidden(), |_, _, _| ()).unwrap()
    }

    #[test]
    fn what_is_refused_admitted_and_moved_is_counted() {
        let csv = "post,time,rating,kind\n\
            a,0,4,honest\na,0.1,1,brigade\na,0.1,1,brigade\nb,1970-01-01T00:00:00Z,5,\nb,1970-01-01T00:00:00.1Z,2,honest\n";
        let off = replay(csv, "off", &[]);
        assert_eq!((off.honest_refused_percent, off.brigade_admitted_percent), (Some(0.0), Some(100.0)));
        // Post a goes from 4 to 2, post b stays where it is.
        assert_eq!(off.average_moved, Some(1.0));
        let bucket = replay(csv, "leaky_bucket", &["capacity=1", "leak_amount=5"]);
        assert_eq!(bucket.honest_refused_percent, Some(100.0 / 3.0));
        assert_eq!((bucket.brigade_admitted_percent, bucket.average_moved), (Some(0.0), Some(0.75)));
        assert_eq!(bucket.posts[0].post, "a");
    }

    #[test]
    fn rows_come_in_any_order_across_and_within_posts() {
        let sorted = "post,time,rating\na,0,5\na,1,4\nb,0,3\nb,2,3\n";
        let mixed = "post,time,rating\nb,2,3\na,1,4\nb,0,3\na,0,5\n";
        assert_eq!(replay(sorted, "surge", &[]).average_moved, replay(mixed, "surge", &[]).average_moved);
        assert_eq!(replay(mixed, "ema", &[]).brigade_admitted_percent, None);
    }

    #[test]
    fn what_cannot_be_is_said() {
        let error = |name: &str, text: &str| {
            let (_, key, value) = parameter(text).unwrap();
            format!("{:#}", contender(name, &BTreeMap::from([(key, value)])).unwrap_err())
        };
        assert!(error("leaky_bucket", "size=1").contains("unknown field `size`"));
        assert!(error("leaky_bucket", "capacity=1.5").starts_with("parameter capacity: "));
        assert_eq!(error("leaky_bucket", "capacity=0"), "capacity must be at least 1");
        assert!(error("sieve", "a=1").starts_with("there is no limiter \"sieve\"; there are off, leaky_bucket"));
        assert!(parameter("capacity").is_err());
        assert_eq!(parameter("ema.signal=interval").unwrap().2, Value::String("interval".to_owned()));
    }

    #[test]
    fn scenarios_are_the_same_each_time_and_differ_by_seed() {
        for Scenario { name, .. } in &SCENARIOS {
            let rows = |seed| Scenario::named(name).unwrap().history(seed).len();
            let first = |seed| {
                let history = Scenario::named(name).unwrap().history(seed);
                history.posts().next().unwrap().1.iter().map(|entry| entry.time_ms).sum::<i64>()
            };
            assert!(rows(1) > 100 && first(1) == first(1) && first(1) != first(2), "{name}");
        }
    }
}
