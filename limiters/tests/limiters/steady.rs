//! Vectors of the steady score, which `steady_score.py` generates. `STEADY_VECTORS` names another file of the same format.

use evenkeel_limiters::{ScorePeriod, SteadyScore, SteadyScoreParams, SteadyScoreState};
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
enum Operation {
    Rate { star: u8 },
    TakeBack { star: u8 },
    Void { voided: bool },
}

#[derive(Deserialize)]
struct VectorEvent {
    day: i64,
    #[serde(flatten)]
    operation: Operation,
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
    let text = super::vectors("STEADY_VECTORS", include_str!("steady-vectors.json"));
    let file: VectorFile = serde_json::from_str(&text).expect("a file of vectors of the steady score");
    assert!(!file.vectors.is_empty(), "the file holds no vector");
    for vector in &file.vectors {
        run(vector);
    }
    println!("steady score: {} vectors", file.vectors.len());
}

fn run(vector: &Vector) {
    let steady = SteadyScore::new(vector.params).unwrap_or_else(|error| panic!("{}: {error}", vector.name));
    let (mut state, mut ended) = (SteadyScoreState::default(), Vec::new());
    assert_eq!(vector.events.len(), vector.expected.len(), "{}", vector.name);
    for (index, (event, expected)) in vector.events.iter().zip(&vector.expected).enumerate() {
        for _ in 0..event.repeat {
            state = step(&steady, &state, event, &mut ended);
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
    ended: &mut Vec<ScorePeriod>,
) -> SteadyScoreState {
    if let Operation::Rate { star } = event.operation {
        let (next, period) = steady.rate(state, event.day, star);
        ended.extend(period);
        return next;
    }
    let period = ended.iter_mut().find(|period| (period.first_day..=period.last_day).contains(&event.day));
    match (&event.operation, period) {
        (Operation::TakeBack { star }, Some(period)) => {
            let (next, changed) = steady.take_back_from(state, period, *star);
            *period = changed;
            next
        }
        (Operation::TakeBack { star }, None) => steady.take_back(state, *star),
        (Operation::Void { voided }, Some(period)) => {
            let (next, changed) = steady.exclude(state, period, *voided);
            *period = changed;
            next
        }
        _ => panic!("day {} is in no period that has ended", event.day),
    }
}
