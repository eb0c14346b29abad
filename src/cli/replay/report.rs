//! Limiters of a replay from the command line, and the table of its results.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyhow::Context as _;
use serde_json::{Value, json};

use evenkeel_limiters::replay::ReplayResult;
use evenkeel_limiters::{AnyLimiter, Limiter as _, ParamsError};

/// Limiters that are replayed by default. `off` admits every rating.
pub const DEFAULT_LIMITERS: [&str; 4] = ["off", "leaky_bucket", "ema", "surge"];

/// Builds a limiter from its name and parameters. The name `off` stands for no limiter.
pub fn build_limiter(name: &str, params: &BTreeMap<String, Value>) -> anyhow::Result<Option<AnyLimiter>> {
    if name == "off" {
        return Ok(None);
    }
    let build = |params: Value| {
        let limiter = AnyLimiter::by_name(name, params);
        limiter.with_context(|| {
            format!("unknown limiter {name:?}; valid limiters are off, {}", AnyLimiter::NAMES.join(", "))
        })
    };
    for (name, value) in params {
        // Parses each parameter separately first, so that the error message can name the invalid parameter.
        if let Err(error @ ParamsError::Deserialize(_)) = build(json!({ name.as_str(): value }))? {
            return Err(error).with_context(|| format!("parameter {name}"));
        }
    }
    let limiter = build(json!(params))??;
    limiter.require_bounded_wait()?;
    Ok(Some(limiter))
}

/// The last column shows how far each score is from the average of the honest ratings, without the brigade ratings.
pub fn format_table(results: &[(String, Vec<ReplayResult>)]) -> String {
    let limiters = results.first().map_or(&[][..], |(_, outcomes)| outcomes.as_slice());
    let Some(first) = limiters.first() else { return String::new() };
    let joined = |parts: Vec<String>| parts.join(" · ");
    let labels = || first.scores.iter().map(|score| score.score.label());
    let changes = joined(labels().map(|label| format!("change of the {label} by the brigade")).collect());
    let mut table = format!(
        "Each limiter cell contains: share of honest ratings refused · share of brigade ratings admitted · {changes}, in \
         stars\n\n| Scenario |"
    );
    for outcome in limiters {
        let _ = write!(table, " `{}` |", outcome.limiter);
    }
    let _ = writeln!(
        table,
        " Without the brigade, distance from the mean of the honest ratings: {} |",
        joined(labels().map(str::to_owned).collect())
    );
    let _ = writeln!(table, "|---|{}---|", "---|".repeat(limiters.len()));
    for (history, outcomes) in results {
        let _ = write!(table, "| {} |", history.replace('|', "\\|"));
        for ReplayResult { honest_refused_percent, brigade_admitted_percent, scores, .. } in outcomes {
            let shares = [honest_refused_percent, brigade_admitted_percent].map(|share| number(*share, " %"));
            let moved = scores.iter().map(|score| number(score.moved_mean, ""));
            let _ = write!(table, " {} |", joined(shares.into_iter().chain(moved).collect()));
        }
        let biases = outcomes.iter().take(1).flat_map(|outcome| &outcome.scores);
        let _ = writeln!(table, " {} |", joined(biases.map(|score| number(score.honest_bias, "")).collect()));
    }
    table.push_str("| maximum share of hours with a notice of unusual ratings, without the brigade |");
    for at in 0..limiters.len() {
        let of = results.iter().filter_map(|(_, outcomes)| outcomes.get(at)?.honest_notice_percent);
        let _ = write!(table, " {} |", number(of.reduce(f64::max), " %"));
    }
    table.push_str(" |\n");
    table
}

fn number(value: Option<f64>, unit: &str) -> String {
    value.map_or("–".to_owned(), |value| format!("{value:.2}{unit}"))
}

/// Parses `name=value` or `limiter.name=value`. A value that is not valid JSON is used as a string.
pub fn parse_parameter(text: &str) -> anyhow::Result<(Option<String>, String, Value)> {
    let (name, value) = text.split_once('=').context("a parameter has the form name=value or limiter.name=value")?;
    let value = match value {
        // `none` stands for JSON `null`, as in the environment variables of limiters.
        "none" => Value::Null,
        _ => serde_json::from_str(value).unwrap_or_else(|_| Value::String(value.to_owned())),
    };
    Ok(match name.split_once('.') {
        Some((limiter, name)) => (Some(limiter.to_owned()), name.to_owned(), value),
        None => (None, name.to_owned(), value),
    })
}
