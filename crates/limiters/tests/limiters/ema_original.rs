//! Test vectors of the original EMA limiter: decisions of the EMA function of BitPin-Blog, written by `ema_original.py`.

use evenkeel_limiters::{EmaOriginal, EmaOriginalParams, EmaOriginalState, Event, Limiter as _};
use serde::Deserialize;

#[derive(Deserialize)]
struct Vector {
    name: String,
    /// Gap before each event, in milliseconds. The first gap begins when the post is created.
    gaps_ms: Vec<i64>,
    /// Indices of the refused events.
    refused: Vec<usize>,
    /// State after the last event.
    mean: f64,
    variation_sum: f64,
}

#[test]
fn decides_like_the_function_of_bitpin_blog() {
    let vectors: Vec<Vector> = serde_json::from_str(include_str!("ema-original-vectors.json")).unwrap();
    assert!(vectors.len() >= 5 && vectors.iter().any(|vector| !vector.refused.is_empty()));
    let limiter = EmaOriginal::new(EmaOriginalParams::default()).unwrap();
    for vector in vectors {
        let (mut now, mut state) = (1_000_000, EmaOriginalState::created_at(1_000_000));
        let mut refused = Vec::new();
        for (index, gap) in vector.gaps_ms.iter().enumerate() {
            now += gap;
            if !limiter.check(&mut state, Event::at_unix_millis(now)).unwrap().allowed {
                refused.push(index);
            }
        }
        assert_eq!(refused, vector.refused, "{}", vector.name);
        let close = |ours: f64, theirs: f64| (ours - theirs).abs() <= 1e-9 * theirs.abs().max(1.0);
        assert!(close(state.mean, vector.mean), "{}: mean {}, not {}", vector.name, state.mean, vector.mean);
        let sums = (state.variation_sum, vector.variation_sum);
        assert!(close(sums.0, sums.1), "{}: sum {}, not {}", vector.name, sums.0, sums.1);
    }
}
