//! Every vector of the steady score. `STEADY_VECTORS` names another file of the same format to run instead.

use std::collections::BTreeMap;

use evenkeel::limiters::{Account, SteadyDay, SteadyScore, SteadyScoreParams, SteadyScoreState};
use serde::Deserialize;

#[derive(Deserialize)]
struct VectorFile {
    vectors: Vec<Vector>,
}

#[derive(Deserialize)]
struct Vector {
    name: String,
    #[serde(default)]
    params: SteadyScoreParams,
    events: Vec<VectorEvent>,
    expected: Vec<Expected>,
}

#[derive(Deserialize)]
#[serde(tag = "op", rename_all = "snake_case")]
enum Act {
    Rate { star: u8, fresh: bool },
    TakeBack { star: u8, fresh: bool },
    Void { voided: bool },
}

#[derive(Deserialize)]
struct VectorEvent {
    day: i64,
    #[serde(flatten)]
    act: Act,
    #[serde(default = "one")]
    repeat: u32,
}

#[derive(Debug, Deserialize)]
struct Expected {
    score: Option<f64>,
    weight: f64,
    usual: f64,
}

fn one() -> u32 {
    1
}

#[test]
fn all_vectors_of_the_steady_score_pass() {
    let text = match std::env::var("STEADY_VECTORS") {
        Ok(path) => std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("STEADY_VECTORS={path}: {error}")),
        Err(_) => include_str!("steady-vectors.json").to_owned(),
    };
    let file: VectorFile = serde_json::from_str(&text).expect("a file of vectors of the steady score");
    assert!(!file.vectors.is_empty(), "the file holds no vector");
    for vector in &file.vectors {
        run(vector);
    }
    println!("steady score: {} vectors", file.vectors.len());
}

fn run(vector: &Vector) {
    let steady = SteadyScore::new(vector.params).unwrap_or_else(|error| panic!("{}: {error}", vector.name));
    let (mut state, mut over) = (SteadyScoreState::default(), BTreeMap::new());
    assert_eq!(vector.events.len(), vector.expected.len(), "{}", vector.name);
    for (index, (event, expected)) in vector.events.iter().zip(&vector.expected).enumerate() {
        for _ in 0..event.repeat {
            state = step(&steady, &state, event, &mut over);
        }
        let shown = steady.score(&state);
        let near = |given: f64, expected: f64| (given - expected).abs() <= 1e-9;
        let score_agrees = match (shown.score, expected.score) {
            (Some(given), Some(expected)) => near(given, expected),
            (given, expected) => given == expected,
        };
        let agrees = score_agrees && near(shown.weight, expected.weight) && near(state.usual, expected.usual);
        assert!(agrees, "{}[{index}]: {shown:?}, usual {}, expected {expected:?}", vector.name, state.usual);
    }
}

fn step(
    steady: &SteadyScore,
    state: &SteadyScoreState,
    event: &VectorEvent,
    over: &mut BTreeMap<i64, SteadyDay>,
) -> SteadyScoreState {
    let account = |fresh| if fresh { Account::Fresh } else { Account::Known };
    match event.act {
        Act::Rate { star, fresh } => {
            let (next, closed) = steady.rate(state, event.day, star, account(fresh));
            over.extend(closed.map(|day| (day.day, day)));
            next
        }
        Act::TakeBack { star, fresh } if state.day == Some(event.day) => steady.take_back(state, star, account(fresh)),
        Act::TakeBack { star, fresh } => {
            let (next, day) = steady.take_back_from(state, &over[&event.day], star, account(fresh));
            over.insert(event.day, day);
            next
        }
        Act::Void { voided } => {
            let (next, day) = steady.void(state, &over[&event.day], voided);
            over.insert(event.day, day);
            next
        }
    }
}
