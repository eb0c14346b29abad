//! No limiter of a post refuses for ever: after 24 hours without attempts a rating is admitted, whatever came before.

use evenkeel::limiters::{AnyLimiter, Event, LONGEST_WAIT_MS, Limiter as _};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// A number of any magnitude, often an extreme one.
fn number() -> impl Strategy<Value = Value> {
    let whole = prop_oneof![0_i64..=100, 1_i64..=1_000_000_000_000, Just(i64::MAX), Just(86_400_000)];
    let real = prop_oneof![0.0_f64..=1.0, 0.0_f64..=1e6, -300.0_f64..=300.0, Just(1e300), Just(1e-300)];
    prop_oneof![
        whole.prop_map(|number| json!(number)),
        real.prop_map(|number| json!(number)),
        any::<bool>().prop_map(|value| json!(value)),
        Just(Value::Null),
        prop_oneof![Just("interval"), Just("log_interval"), Just("full"), Just("wall_clock")].prop_map(|name| json!(name)),
    ]
}

/// A limiter with up to four parameters of any value; `None` where settings do not accept them.
fn limiter() -> impl Strategy<Value = Option<AnyLimiter>> {
    (0..AnyLimiter::NAMES.len(), proptest::collection::vec((any::<prop::sample::Index>(), number()), 0..=4)).prop_map(
        |(kind, changes)| {
            let name = AnyLimiter::NAMES[kind];
            let default = AnyLimiter::named(name, json!({})).unwrap().unwrap();
            let Ok(Value::Object(params)) = serde_json::to_value(default.params()) else { panic!("no parameters") };
            let names: Vec<&String> = params.keys().filter(|name| !name.starts_with("max_backward")).collect();
            let changed: Map<String, Value> =
                changes.into_iter().map(|(index, value)| (names[index.index(names.len())].clone(), value)).collect();
            let made = AnyLimiter::named(name, Value::Object(changed)).unwrap().ok()?;
            made.require_bounded_wait().is_ok().then_some(made)
        },
    )
}

/// Gaps between attempts in milliseconds, from bursts to weeks, each with the stars of a rating.
fn attempts() -> impl Strategy<Value = Vec<(i64, u8)>> {
    let gap = prop_oneof![Just(0_i64), 0_i64..=1_000, 0_i64..=3_600_000, 0_i64..=30 * 86_400_000, -120_000_i64..=0];
    proptest::collection::vec((gap, 1_u8..=5), 1..200)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, max_global_rejects: 100_000, ..ProptestConfig::default() })]

    #[test]
    fn admits_after_a_day_without_attempts(limiter in limiter(), attempts in attempts()) {
        prop_assume!(limiter.is_some());
        let limiter = limiter.unwrap();
        let (mut state, mut now) = (Default::default(), 1_790_000_000_000_i64);
        for (gap, stars) in attempts {
            now += gap;
            limiter.check(&mut state, Event::at(now).with_value(stars)).unwrap();
            // As it is stored: a number that JSON does not have would lock the post.
            let stored = serde_json::to_value(state).unwrap();
            state = limiter.restore(stored).unwrap();
        }
        let rested = Event::at(now + LONGEST_WAIT_MS).with_value(1);
        prop_assert!(limiter.peek(&state, rested).unwrap().allowed, "{:?} {:?}", limiter, state);
    }
}
