//! Property tests of the limits on refusals: every limiter admits a rating 24 hours after the latest attempt, and a few
//! attackers cannot cause the refusal of many honest users.

use evenkeel_limiters::{AnyLimiter, AnyState, Event, Limiter as _, MAX_WAIT_MS};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// Limiters that admit most honest ratings despite a few attackers or many retries: all but `ema_original`, which
/// reproduces BitPin-Blog.
fn fair_limiters() -> Vec<&'static str> {
    AnyLimiter::NAMES.iter().copied().filter(|name| *name != "ema_original").collect()
}

/// Generates a JSON value for a parameter, often an extreme value.
fn number() -> impl Strategy<Value = Value> {
    let whole = prop_oneof![0_i64..=100, 1_i64..=1_000_000_000_000, Just(i64::MAX), Just(86_400_000)];
    let real = prop_oneof![0.0_f64..=1.0, 0.0_f64..=1e6, -300.0_f64..=300.0, Just(1e300), Just(1e-300)];
    prop_oneof![
        whole.prop_map(|number| json!(number)),
        real.prop_map(|number| json!(number)),
        any::<bool>().prop_map(|value| json!(value)),
        Just(Value::Null),
        prop_oneof![Just("interval"), Just("log_interval"), Just("full"), Just("wall_clock")]
            .prop_map(|name| json!(name)),
    ]
}

/// Generates a limiter with up to four changed parameters; `None` if settings would reject the parameters.
fn limiter() -> impl Strategy<Value = Option<AnyLimiter>> {
    (0..AnyLimiter::NAMES.len(), proptest::collection::vec((any::<prop::sample::Index>(), number()), 0..=4)).prop_map(
        |(kind, changes)| {
            let name = AnyLimiter::NAMES[kind];
            let default = AnyLimiter::by_name(name, json!({})).unwrap().unwrap();
            let Ok(Value::Object(params)) = serde_json::to_value(default.params()) else { panic!("no parameters") };
            let names: Vec<&String> = params.keys().filter(|name| !name.starts_with("max_backward")).collect();
            let changed: Map<String, Value> =
                changes.into_iter().map(|(index, value)| (names[index.index(names.len())].clone(), value)).collect();
            let made = AnyLimiter::by_name(name, Value::Object(changed)).unwrap().ok()?;
            made.require_bounded_wait().is_ok().then_some(made)
        },
    )
}

/// Generates rating attempts: the gap before each attempt in milliseconds, from bursts to weeks, and the stars.
/// Negative gaps are backward steps of the clock.
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
        let (mut state, mut now) = (AnyState::default(), 1_790_000_000_000_i64);
        let mut latest = now;
        for (gap, stars) in attempts {
            now += gap;
            // The clock may step back. The 24 hours start at the latest time that the clock has shown.
            latest = latest.max(now);
            let _ = limiter.check(&mut state, Event::at_unix_millis(now).with_value(stars)).unwrap();
            // Serializes the state to JSON and back, as the application does when it stores the state in the database.
            // A number that JSON cannot represent (NaN) would block all ratings of the post.
            let stored = limiter.save(&state, serde_json::value::Serializer).unwrap();
            state = limiter.restore(stored).unwrap();
        }
        let rested = Event::at_unix_millis(latest + MAX_WAIT_MS).with_value(1);
        prop_assert!(limiter.peek(&state, rested).unwrap().allowed, "{:?} {:?}", limiter, state);
    }
}

/// Returns the number of refused honest users if each honest user and each attacker makes one attempt. `honest` and
/// `attackers` are the times of the attempts.
fn honest_refused(limiter: &AnyLimiter, honest: &[i64], attackers: &[i64]) -> usize {
    let mut events: Vec<(i64, bool)> =
        honest.iter().map(|time| (*time, true)).chain(attackers.iter().map(|time| (*time, false))).collect();
    events.sort_unstable();
    let mut state = AnyState::default();
    let mut refused = 0;
    for (time, is_honest) in events {
        let event = Event::at_unix_millis(time).with_value(if is_honest { 4 } else { 1 });
        refused += usize::from(!limiter.check(&mut state, event).unwrap().allowed && is_honest);
    }
    refused
}

/// Maximum number of additional honest users who are refused because of `accounts` attackers with one attempt each
/// within an hour, with default parameters and 150 honest users whose mean gap is from ten seconds to an hour.
///
/// For the leaky bucket the bound is proven: each admitted attempt takes the place of at most one other attempt. For
/// the other limiters the bound was found by search and has a margin.
fn max_additional_refusals(limiter: &str, accounts: usize) -> usize {
    match (limiter, accounts) {
        ("leaky_bucket" | "surge", _) => accounts,
        // Seven attempts at once limit a post, and fourteen attempts block the post for ten minutes (`disconnect`).
        ("rate_class", 0..=3) => 0,
        ("ema", _) => 5 * accounts,
        ("rate_class", _) => 100,
        _ => panic!("no bound is stated for {limiter}"),
    }
}

/// Generates the times of attempts of 150 honest users, with even gaps or as a Poisson process.
fn honest() -> impl Strategy<Value = Vec<i64>> {
    let mean_ms = prop_oneof![Just(10_000.0), Just(60_000.0), Just(600_000.0), Just(3_600_000.0)];
    (mean_ms, any::<bool>(), proptest::collection::vec(0.0_f64..0.999_999, 150)).prop_map(
        |(mean_ms, is_even, random)| {
            let mut time = 0.0;
            let after = |uniform: f64| {
                time += if is_even { mean_ms } else { -mean_ms * (1.0 - uniform).ln() };
                milliseconds(time)
            };
            random.into_iter().map(after).collect()
        },
    )
}

#[expect(clippy::cast_possible_truncation, reason = "a few days in milliseconds")]
fn milliseconds(time: f64) -> i64 {
    time as i64
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, ..ProptestConfig::default() })]

    #[test]
    fn few_accounts_get_few_honest_users_refused(
        name in prop::sample::select(fair_limiters()),
        honest in honest(),
        start in 10_usize..140,
        spread_ms in prop::sample::select(&[1_i64, 1_000, 60_000, 3_600_000][..]),
        offsets in proptest::collection::vec(0.0_f64..1.0, 0..=20),
    ) {
        let limiter = AnyLimiter::by_name(name, json!({})).unwrap().unwrap();
        #[expect(clippy::cast_precision_loss, reason = "an hour in milliseconds")]
        let offset = |offset: &f64| honest[start] + milliseconds(offset * spread_ms as f64);
        let attackers: Vec<i64> = offsets.iter().map(offset).collect();
        let (with, without) = (honest_refused(&limiter, &honest, &attackers), honest_refused(&limiter, &honest, &[]));
        let most = max_additional_refusals(name, attackers.len());
        prop_assert!(with <= without + most, "{name}: {} accounts, {with} refused in place of {without}", attackers.len());
    }
}

#[test]
fn refused_clients_are_not_all_admitted_on_retry() {
    for name in fair_limiters() {
        let limiter = AnyLimiter::by_name(name, json!({})).unwrap().unwrap();
        let (mut state, mut now) = (AnyState::default(), 1_790_000_000_000_i64);
        // A post with one rating per minute, followed by a brigade.
        for _ in 0..100 {
            now += 60_000;
            let _ = limiter.check(&mut state, Event::at_unix_millis(now).with_value(4)).unwrap();
        }
        let mut refused = 0;
        while refused < 100 {
            now += 1;
            refused +=
                usize::from(!limiter.check(&mut state, Event::at_unix_millis(now).with_value(1)).unwrap().allowed);
        }
        loop {
            let decision = limiter.peek(&state, Event::at_unix_millis(now).with_value(1)).unwrap();
            if decision.allowed {
                break;
            }
            now += i64::try_from(decision.retry_after.as_millis()).unwrap().max(1);
        }
        let event = Event::at_unix_millis(now).with_value(1);
        let (mut of_others, mut retrying) = (state, state);
        let (mut others, mut again) = (0, 0);
        for _ in 0..refused {
            others += usize::from(limiter.check(&mut of_others, event).unwrap().allowed);
            let evaluated = limiter.evaluate_retry(&retrying, event).unwrap();
            again += usize::from(evaluated.decision.allowed);
            retrying = if evaluated.decision.allowed { evaluated.admitted } else { evaluated.refused };
        }
        assert!(again > 0 && again < refused / 2 && again <= others + 7, "{name}: {again} of {refused}, {others}");
    }
}

/// Returns the number of refused honest users while attackers repeat their attempts. As on the site, an attacker stops
/// after an admitted attempt.
fn honest_refused_beside_repeated_attempts(limiter: &AnyLimiter, honest: &[i64], attempts: &[(i64, usize)]) -> usize {
    let mut events: Vec<(i64, Option<usize>)> =
        honest.iter().map(|time| (*time, None)).chain(attempts.iter().map(|(time, who)| (*time, Some(*who)))).collect();
    events.sort_unstable();
    let (mut state, mut admitted, mut refused) = (AnyState::default(), [false; 4], 0);
    for (time, who) in events {
        let event = Event::at_unix_millis(time).with_value(if who.is_none() { 4 } else { 1 });
        match who {
            Some(who) if admitted[who] => {}
            Some(who) => admitted[who] = limiter.check(&mut state, event).unwrap().allowed,
            None => refused += usize::from(!limiter.check(&mut state, event).unwrap().allowed),
        }
    }
    refused
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn repeated_attempts_of_few_accounts_get_few_honest_users_refused(
        honest in honest(),
        accounts in 1_usize..=4,
        after_ms in prop::sample::select(&[0_i64, 1, 500, 5_000, 60_000][..]),
        start in 10_usize..140,
        every in 1_usize..=4,
    ) {
        let limiter = AnyLimiter::by_name("ema", json!({})).unwrap().unwrap();
        // Attempts come shortly after honest ratings, when the limiter refuses them, so that they can be repeated.
        let attempts: Vec<(i64, usize)> = honest
            .iter()
            .skip(start)
            .step_by(every)
            .flat_map(|time| (0..accounts).map(move |who| (time + after_ms * i64::try_from(who + 1).unwrap(), who)))
            .collect();
        let with = honest_refused_beside_repeated_attempts(&limiter, &honest, &attempts);
        let without = honest_refused(&limiter, &honest, &[]);
        prop_assert!(with <= without + 5 * accounts, "{accounts} accounts, {with} refused in place of {without}");
    }
}
