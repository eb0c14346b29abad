//! Every normative vector of the limiters' specification, run against this crate.
//!
//! `LIMITER_VECTORS` names another file of the same format to run instead.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on has failed")]

use std::collections::BTreeMap;

use evenkeel::limiters::{
    Decision, Ema, EmaDecision, EmaParams, EmaState, LeakyBucket, LeakyBucketParams, LeakyBucketState,
};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, json};

/// Kinds that the file holds and the crate does not have yet.
const STILL_TO_COME: [&str; 4] = ["oscar_rate_class", "zombie_pause", "safe_browsing_backoff", "surge"];

#[derive(Deserialize)]
struct VectorFile {
    limiters: BTreeMap<String, Vec<Vector>>,
}

#[derive(Deserialize)]
struct Vector {
    name: String,
    normative: bool,
    params: Value,
    events: Vec<Event>,
    expected: Vec<Value>,
}

#[derive(Deserialize)]
struct Event {
    t_ms: i64,
    #[serde(default = "spend")]
    op: String,
    #[serde(default = "one")]
    cost: u32,
    #[serde(default = "one")]
    repeat: u32,
    #[serde(default)]
    every_ms: i64,
}

fn spend() -> String {
    "spend".to_owned()
}

fn one() -> u32 {
    1
}

#[test]
fn all_normative_vectors_pass() {
    let file = read_vectors();
    let mut run = 0;
    for (kind, vectors) in &file.limiters {
        if STILL_TO_COME.contains(&kind.as_str()) {
            println!("{kind}: still to come, {} vectors not run", vectors.len());
            continue;
        }
        for vector in vectors.iter().filter(|vector| vector.normative) {
            let answers = match kind.as_str() {
                "leaky_bucket" => leaky_bucket(vector),
                "ema_zscore" => ema(vector),
                unknown => panic!("no limiter of the kind {unknown:?}"),
            };
            assert_eq!(answers.len(), vector.expected.len(), "{kind}/{}", vector.name);
            for (index, (answer, expected)) in answers.iter().zip(&vector.expected).enumerate() {
                assert_subset(answer, expected, &format!("{kind}/{}[{index}]", vector.name));
            }
            run += 1;
        }
        println!("{kind}: {} vectors", vectors.len());
    }
    assert!(run > 0, "the file holds no normative vector of a kind known here");
}

fn read_vectors() -> VectorFile {
    let text = match std::env::var("LIMITER_VECTORS") {
        Ok(path) => std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("LIMITER_VECTORS={path}: {error}")),
        Err(_) => include_str!("limiter-vectors.json").to_owned(),
    };
    serde_json::from_str(&text).expect("a file of limiter vectors")
}

fn params<T: DeserializeOwned>(vector: &Vector) -> T {
    serde_json::from_value(vector.params.clone()).unwrap_or_else(|error| panic!("{}: {error}", vector.name))
}

fn leaky_bucket(vector: &Vector) -> Vec<Value> {
    let limiter = LeakyBucket::new(params::<LeakyBucketParams>(vector)).unwrap();
    let mut state = LeakyBucketState::default();
    answers(vector, |event, now| {
        let answer = |decision: Decision, level_q: i64| {
            json!({
                "allowed": decision.allowed, "remaining": decision.remaining, "level_q": level_q,
                "retry_after_ms": decision.retry_after_ms, "reset_after_ms": decision.reset_after_ms,
            })
        };
        match event.op.as_str() {
            "spend" => match limiter.spend(&state, now, event.cost) {
                Ok((next, decision)) => {
                    state = next;
                    answer(decision, state.level_q)
                }
                Err(_) => json!({ "error": "cost_over_capacity" }),
            },
            "peek" => {
                let uncharged = limiter.spend(&state, now, 0).unwrap().0;
                answer(limiter.peek(&state, now, event.cost).unwrap(), uncharged.level_q)
            }
            "refund" => {
                state = limiter.refund(&state, now, event.cost);
                json!({ "level_q": state.level_q })
            }
            "reset" => {
                state = LeakyBucketState::default();
                json!({ "level_q": state.level_q })
            }
            unknown => panic!("no operation {unknown:?}"),
        }
    })
}

fn ema(vector: &Vector) -> Vec<Value> {
    let limiter = Ema::new(params::<EmaParams>(vector)).unwrap();
    let mut state = EmaState::default();
    answers(vector, |_, now| {
        let (next, EmaDecision { allowed, reason, z, retry_after_ms }) = limiter.observe(&state, now);
        state = next;
        json!({
            "allowed": allowed, "reason": reason, "z": z, "retry_after_ms": retry_after_ms,
            "n": state.n, "mean": state.mean, "sd": state.var.sqrt(), "fast": state.fast,
        })
    })
}

/// One answer for each event; a repeated event's answers are summed up in one.
fn answers(vector: &Vector, mut step: impl FnMut(&Event, i64) -> Value) -> Vec<Value> {
    vector
        .events
        .iter()
        .map(|event| {
            let all: Vec<Value> =
                (0..event.repeat).map(|i| step(event, event.t_ms + i64::from(i) * event.every_ms)).collect();
            if event.repeat == 1 {
                return all[0].clone();
            }
            let allowed = all.iter().filter(|answer| answer["allowed"] == true).count();
            let first_denied = all.iter().position(|answer| answer["allowed"] == false).map(|index| index + 1);
            json!({
                "repeat": event.repeat, "allowed_count": allowed, "denied_count": all.len() - allowed,
                "first_denied": first_denied, "last": all.last(),
            })
        })
        .collect()
}

/// Everything that `expected` names is in `answer`: integers exactly, retry times of floats within 1 ms, floats within 1e-9.
fn assert_subset(answer: &Value, expected: &Value, place: &str) {
    match expected {
        Value::Object(fields) => {
            for (name, value) in fields {
                let given = answer.get(name).unwrap_or_else(|| panic!("{place}: no {name} in {answer}"));
                if name == "retry_after_ms" && place.starts_with("ema") {
                    let (given, value) = (given.as_i64().unwrap(), value.as_i64().unwrap());
                    assert!((given - value).abs() <= 1, "{place}.{name}: {given}, expected {value}");
                } else {
                    assert_subset(given, value, &format!("{place}.{name}"));
                }
            }
        }
        Value::Number(number) if number.is_f64() => {
            let (given, value) = (answer.as_f64().unwrap(), number.as_f64().unwrap());
            assert!((given - value).abs() <= 1e-9 * value.abs().max(1.0), "{place}: {given}, expected {value}");
        }
        _ => assert_eq!(answer, expected, "{place}"),
    }
}
