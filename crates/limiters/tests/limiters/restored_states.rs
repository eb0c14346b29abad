//! Property tests of saved states: whatever a database returns, a limiter rejects it or continues without a panic.

use evenkeel_limiters::{AnyLimiter, AnyState, Event, Limiter as _};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

fn any_value() -> impl Strategy<Value = Value> {
    let number = prop_oneof![
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        (-5_i64..5).prop_map(Value::from),
        Just(json!(1e308)),
        Just(json!(-0.0)),
    ];
    prop_oneof![
        8 => number,
        1 => Just(Value::Null),
        1 => any::<bool>().prop_map(Value::from),
        1 => "[a-z]{0,8}".prop_map(Value::from),
        1 => Just(json!([1, {}])),
    ]
}

/// Replaces some fields of a valid state by arbitrary values. The other fields stay valid, so that many of the states
/// can be restored.
fn damage_state(state: Map<String, Value>, fields: &[(prop::sample::Index, Value)]) -> Value {
    let mut state = state;
    let names: Vec<String> = state.keys().cloned().collect();
    for (index, value) in fields {
        state.insert(index.get(&names).clone(), value.clone());
    }
    Value::Object(state)
}

proptest! {
    #[test]
    fn no_saved_state_causes_a_panic(
        fields in prop::collection::vec((any::<prop::sample::Index>(), any_value()), 0..4),
        garbage in any_value(),
        times in prop::collection::vec(prop_oneof![any::<i64>(), 0..2_000_000_000_000_i64], 1..6),
    ) {
        let is_astronomical = fields.iter().any(|(_, value)| value.as_f64().is_some_and(|number| number.abs() > 1e100));
        for name in AnyLimiter::NAMES {
            let limiter = AnyLimiter::by_name(name, json!({})).unwrap().unwrap();
            prop_assert!(limiter.restore(garbage.clone()).is_err() || garbage.is_object() || garbage.is_array());
            let mut used = AnyState::default();
            let _ = limiter.check(&mut used, Event::at_unix_millis(1_000_000_000_000).with_value(3)).unwrap();
            let Value::Object(valid) = limiter.save(&used, serde_json::value::Serializer).unwrap() else { panic!() };
            let Ok(mut state) = limiter.restore(damage_state(valid, &fields)) else { continue };
            for time in &times {
                let event = Event::at_unix_millis(*time).with_value(3);
                let peeked = limiter.peek(&state, event).unwrap();
                let expiry = limiter.expires_at(&state);
                let decision = limiter.check(&mut state, event).unwrap();
                prop_assert_eq!(peeked.allowed, decision.allowed, "{} {:?} {:?}", name, state, expiry);
                limiter.refund(&mut state, event);
                // A saved state can be restored, unless extreme numbers became infinite, which JSON cannot represent.
                let saved = limiter.save(&state, serde_json::value::Serializer).unwrap();
                let restored = limiter.restore(saved.clone()).is_ok();
                prop_assert!(restored || is_astronomical, "{} {}", name, saved);
            }
        }
    }
}
