//! Tests of the limiters against the test vectors of their specification, and property tests for arbitrary parameters.
//!
//! The environment variable `LIMITER_VECTORS` can name a different file of test vectors in the same format.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on has failed")]

mod bounded_refusals;
mod ema_original;
mod memory_store;
mod middleware;
mod models;
mod other_limiters;
mod pacer_simulation;
mod rate_limiter;
mod restored_states;
mod steady_score;
mod store_suite;

use std::collections::BTreeMap;

use evenkeel_limiters::{
    Decision, Ema, EmaDecision, EmaParams, EmaState, Event, LeakyBucket, LeakyBucketParams, LeakyBucketState, Limiter,
    Pacer, PacerParams, PacerState, PauseDecision, RateClass, RateClassDecision, RateClassParams, RateClassState,
    Surge, SurgeParams, SurgeState, UnpauseSummary, ZombiePause, ZombiePauseParams, ZombiePauseState,
};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, json};

#[derive(Deserialize)]
struct VectorFile {
    limiters: BTreeMap<String, Vec<Vector>>,
}

#[derive(Deserialize)]
struct Vector {
    name: String,
    params: Value,
    events: Vec<VectorEvent>,
    expected: Vec<Value>,
}

#[derive(Deserialize)]
struct VectorEvent {
    t_ms: i64,
    #[serde(default = "spend")]
    op: String,
    #[serde(default = "one")]
    cost: u32,
    #[serde(default = "one")]
    repeat: u32,
    #[serde(default)]
    every_ms: i64,
    star: Option<u8>,
    #[serde(default)]
    rand: f64,
    min_wait_ms: Option<i64>,
    #[serde(default = "ident")]
    ident: String,
    #[serde(default)]
    params: serde_json::Map<String, Value>,
}

fn ident() -> String {
    "a.example".to_owned()
}

fn spend() -> String {
    "spend".to_owned()
}

fn one() -> u32 {
    1
}

/// Returns the content of the file that an environment variable names, or else `default`. Relative paths start at the
/// root of the workspace.
fn vectors(variable: &str, default: &str) -> String {
    let Ok(path) = std::env::var(variable) else { return default.to_owned() };
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(&path);
    std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{variable}={path}: {error}"))
}

#[test]
fn all_vectors_pass() {
    println!("{:?}", run_vectors(&vectors("LIMITER_VECTORS", include_str!("limiter-vectors.json"))));
}

/// Test vectors from `surge_model.py`, an independent implementation of the surge limiter.
#[test]
fn all_vectors_of_the_surge_limiter_pass() {
    println!("{:?}", run_vectors(include_str!("surge-vectors.json")));
}

/// Runs all test vectors of a file, and returns the number of test vectors by kind of limiter. Panics if one fails.
fn run_vectors(text: &str) -> BTreeMap<String, usize> {
    let file: VectorFile = serde_json::from_str(text).expect("a file of limiter vectors");
    let mut run = 0;
    for (kind, vectors) in &file.limiters {
        for vector in vectors {
            let answers = match kind.as_str() {
                "leaky_bucket" => leaky_bucket(vector),
                "ema_zscore" => ema(vector),
                "oscar_rate_class" => rate_class(vector),
                "zombie_pause" => zombie_pause(vector),
                "safe_browsing_backoff" => pacer(vector),
                "surge" => surge(vector),
                unknown => panic!("no limiter of the kind {unknown:?}"),
            };
            assert_eq!(answers.len(), vector.expected.len(), "{kind}/{}", vector.name);
            for (index, (answer, expected)) in answers.iter().zip(&vector.expected).enumerate() {
                assert_subset(answer, expected, &format!("{kind}/{}[{index}]", vector.name));
            }
            run += 1;
        }
    }
    assert!(run > 0, "the file holds no vector");
    file.limiters.into_iter().map(|(kind, vectors)| (kind, vectors.len())).collect()
}

fn params<T: DeserializeOwned>(vector: &Vector) -> T {
    serde_json::from_value(vector.params.clone()).unwrap_or_else(|error| panic!("{}: {error}", vector.name))
}

fn leaky_bucket(vector: &Vector) -> Vec<Value> {
    let limiter = LeakyBucket::new(params::<LeakyBucketParams>(vector)).unwrap();
    let mut state = LeakyBucketState::default();
    run_events(vector, |VectorEvent { op, cost, .. }, now| {
        let answer = |decision: Decision, level_q: i64| {
            json!({
                "allowed": decision.allowed, "remaining": decision.remaining, "level_q": level_q,
                "retry_after_ms": decision.retry_after.as_millis(),
                "reset_after_ms": decision.reset_after.map(|reset| reset.as_millis()),
            })
        };
        let event = Event::at_unix_millis(now).with_cost(*cost);
        match op.as_str() {
            "spend" => match limiter.check(&mut state, event) {
                Ok(decision) => answer(decision, state.level_q),
                Err(_) => json!({ "error": "cost_over_capacity" }),
            },
            "peek" => {
                let uncharged = limiter.evaluate(&state, event.with_cost(0)).unwrap().admitted.level_q;
                answer(limiter.peek(&state, event).unwrap(), uncharged)
            }
            "refund" => {
                assert!(limiter.refund(&mut state, event));
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
    run_events(vector, |_, now| {
        let (next, EmaDecision { allowed, reason, z, retry_after_ms }) = limiter.decide(&state, now);
        state = next;
        json!({
            "allowed": allowed, "reason": reason, "z": z, "retry_after_ms": retry_after_ms,
            "n": state.n, "mean": state.mean, "sd": state.var.sqrt(), "fast": state.fast,
        })
    })
}

fn rate_class(vector: &Vector) -> Vec<Value> {
    let mut given = vector.params.as_object().unwrap().clone();
    let start_ms = given.remove("start_ms").and_then(|start| start.as_i64());
    given.remove("class_id");
    // In OSCAR, a client that was disconnected is refused forever, unless the vector specifies a penalty.
    given.entry("reconnect_penalty_ms").or_insert(Value::Null);
    // Parameter names in the vectors end in `_ms`. The crate uses names without a unit, because the caller chooses the
    // unit.
    let class = |given: &serde_json::Map<String, Value>| {
        let params = given.iter().map(|(name, value)| (name.trim_end_matches("_ms").to_owned(), value.clone()));
        let params = Value::Object(params.collect());
        RateClass::new(serde_json::from_value::<RateClassParams>(params).unwrap()).unwrap()
    };
    let mut limiter = class(&given);
    let mut state = RateClassState { last: start_ms, ..Default::default() };
    run_events(vector, |event, now| match event.op.as_str() {
        "spend" => {
            let (next, decision) = limiter.decide(&state, now);
            state = next;
            let RateClassDecision { allowed, status, level, notice, close, .. } = decision;
            json!({ "allowed": allowed, "status": status, "level_ms": level, "notify": notice, "close": close })
        }
        "peek" => {
            let RateClassDecision { status, level, retry_after, .. } = limiter.preview(&state, now);
            json!({ "status": status, "level_ms": level, "wait_ms": retry_after })
        }
        "set_params" => {
            given.extend(event.params.clone());
            limiter = class(&given);
            json!({ "status": state.status, "level_ms": state.level, "notify": "change" })
        }
        unknown => panic!("no operation {unknown:?}"),
    })
}

fn zombie_pause(vector: &Vector) -> Vec<Value> {
    let limiter = ZombiePause::new(params::<ZombiePauseParams>(vector)).unwrap();
    let mut pairs: BTreeMap<String, ZombiePauseState> = BTreeMap::new();
    run_events(vector, |event, now| match event.op.as_str() {
        "fail" => {
            let state = pairs.entry(event.ident.clone()).or_default();
            let (next, PauseDecision { allowed, remaining, retry_after_ns, action }) =
                limiter.record_failure(state, now);
            *state = next;
            json!({
                "allowed": allowed, "remaining": remaining, "retry_after_ns": retry_after_ns, "action": action,
                "tat_ns": state.tat_ns,
            })
        }
        "success" => {
            let state = pairs.entry(event.ident.clone()).or_default();
            let (next, action) = limiter.record_success(state);
            *state = next;
            json!({ "action": action })
        }
        "check" => {
            let paused = pairs.iter().filter(|(_, state)| state.is_paused()).map(|(ident, _)| ident);
            let paused: Vec<_> = paused.take(limiter.params().page_size).collect();
            json!({ "blocked": !paused.is_empty(), "paused": paused })
        }
        "unpause" => {
            let UnpauseSummary { count, more } = limiter.unpause_all(pairs.values_mut(), now);
            json!({ "count": count, "more": more })
        }
        unknown => panic!("no operation {unknown:?}"),
    })
}

fn pacer(vector: &Vector) -> Vec<Value> {
    let pacer = Pacer::new(params::<PacerParams>(vector)).unwrap();
    let mut state: Option<PacerState> = None;
    run_events(vector, |event, now| {
        let before = state;
        let next = match event.op.as_str() {
            "start" => pacer.initial_state(now, event.rand),
            "wake" => pacer.resume(&before.unwrap(), now, event.rand),
            "success" => Ok(pacer.record_success(now, event.min_wait_ms)),
            "failure" => pacer.record_failure(&before.unwrap(), now, event.rand),
            "check" => {
                let Some(state) = &mut state else { return json!({ "allowed": false, "error": "not_started" }) };
                let decision = pacer.check(state, now);
                return json!({
                    "allowed": decision.allowed, "retry_after_ms": decision.retry_after.as_millis(),
                    "n": state.n, "mode": state.mode,
                });
            }
            unknown => panic!("no operation {unknown:?}"),
        };
        let next = next.unwrap();
        state = Some(next);
        json!({ "next_ms": next.next_request_ms(), "delay_ms": next.delay_ms, "n": next.n, "mode": next.mode })
    })
}

fn surge(vector: &Vector) -> Vec<Value> {
    let limiter = Surge::new(params::<SurgeParams>(vector)).unwrap();
    let mut state = SurgeState::default();
    run_events(vector, |event, now| {
        let (evaluation, decision) = limiter.decide(&state, now, event.star);
        state = if decision.allowed { evaluation.admitted } else { evaluation.refused };
        json!({
            "allowed": decision.allowed, "reason": decision.reason, "retry_after_ms": decision.retry_after_ms,
            "limit": decision.limit, "day_limit": decision.day_limit,
            "A": state.admitted, "D": state.admitted_day, "R": state.requested, "RD": state.requested_day,
            "N": state.taught, "NS": state.taught_values, "M": state.mean, "V": state.var,
            "T": state.age_s, "E": state.excess_s, "C": state.lowest,
        })
    })
}

/// Applies `step` to all events of a vector, and returns one result per event. If an event is repeated, its results are
/// summarized in one result.
fn run_events(vector: &Vector, mut step: impl FnMut(&VectorEvent, i64) -> Value) -> Vec<Value> {
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
            let mut actions: BTreeMap<&str, usize> = BTreeMap::new();
            for action in all.iter().filter_map(|answer| answer["action"].as_str()) {
                *actions.entry(action).or_default() += 1;
            }
            json!({
                "actions": actions, "repeat": event.repeat, "allowed_count": allowed, "denied_count": all.len() - allowed,
                "first_denied": first_denied, "last": all.last(),
            })
        })
        .collect()
}

/// Asserts that `answer` contains everything in `expected`. Integers must be equal; retry times of the EMA limiter may
/// differ by 1 ms, and floats by 1e-9.
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
