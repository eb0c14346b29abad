//! Property tests against models that are slow or use floating point, but follow the description of each limiter as
//! directly as possible. `LeakyBucket` has such a test in its own module, `Surge` and `SteadyScore` have models in
//! Python (`surge_model.py`, `steady_score.py`).

use evenkeel_limiters::{
    Ema, EmaParams, EmaState, Pacer, PacerParams, PauseAction, RateClass, RateClassParams, RateClassState,
    RateClassStatus, ZombiePause, ZombiePauseParams, ZombiePauseState,
};
use proptest::prelude::*;

proptest! {
    /// Model of a rate class: the average in exact fractions, rounded down in each step, and the statuses in the order
    /// of the documentation.
    #[test]
    fn rate_class_follows_its_definition(
        window in 1_i64..30,
        steps in (1_i64..1_000, 0_i64..1_000, 0_i64..1_000, 1_i64..3_000),
        disconnects: bool,
        hysteresis: bool,
        gaps in prop::collection::vec(prop_oneof![0_i64..100, 0_i64..6_000], 1..200),
    ) {
        let (limit, alert) = (steps.0, steps.0 + steps.1);
        let (clear, max) = (alert + steps.2, alert + steps.2 + steps.3);
        let disconnect = if disconnects { limit / 2 } else { 0 };
        let class = RateClass::new(RateClassParams {
            window, clear, alert, limit, disconnect, max,
            reconnect_penalty: Some(0),
            alert_hysteresis: hysteresis,
            ..Default::default()
        }).unwrap();
        let (mut state, mut now, mut level, mut status) = (RateClassState::default(), 0, max, RateClassStatus::Clear);
        let mut waited = 0;
        for (index, gap) in gaps.into_iter().enumerate() {
            now += gap;
            let gap = if index == 0 { 0 } else { gap };
            let decision;
            (state, decision) = class.decide(&state, now);
            // A disconnected client has to wait until its level would be clear; its attempts are not counted.
            waited += gap;
            if status == RateClassStatus::Disconnect && (window - 1) * level + waited < window * clear {
                prop_assert!(!decision.allowed);
                continue;
            }
            let gap = if status == RateClassStatus::Disconnect { waited } else { gap };
            waited = 0;
            level = ((window - 1) * level + gap).div_euclid(window).min(max);
            let is_limited = status >= RateClassStatus::Limited;
            status = match level {
                _ if level < disconnect => RateClassStatus::Disconnect,
                _ if is_limited && level < clear => RateClassStatus::Limited,
                _ if is_limited => RateClassStatus::Clear,
                _ if level < limit => RateClassStatus::Limited,
                _ if level < alert => RateClassStatus::Alert,
                _ if hysteresis && status == RateClassStatus::Alert && level < clear => RateClassStatus::Alert,
                _ => RateClassStatus::Clear,
            };
            prop_assert_eq!((decision.level, decision.status), (level, status));
            prop_assert_eq!(decision.allowed, status < RateClassStatus::Limited);
        }
    }

    /// Model of a zombie pause: a bucket of failures, which leaks `count` failures per period.
    #[test]
    fn zombie_pause_is_a_bucket_of_failures(
        count in 1_i64..5,
        period_ms in 1_i64..1_000,
        burst in 1_i64..20,
        gaps in prop::collection::vec(0_i64..200, 1..100),
    ) {
        // Only periods with whole nanoseconds per failure are tested, because the limiter rounds others.
        let period_ms = period_ms * count;
        let limiter = ZombiePause::new(ZombiePauseParams { count, period_ms, burst, ..Default::default() }).unwrap();
        let (mut state, mut now) = (ZombiePauseState::default(), 0);
        // Bucket level in failures, multiplied by the period, so that it is an integer.
        let mut level = 0;
        for gap in gaps {
            now += gap;
            level = (level - count * gap).max(0);
            let fits = level + period_ms <= burst * period_ms;
            level += if fits { period_ms } else { 0 };
            let (next, decision) = limiter.record_failure(&state, now);
            prop_assert_eq!(decision.allowed, fits);
            prop_assert_eq!(decision.action == PauseAction::Paused, !fits);
            // The pair is paused, so the model ends.
            if !fits { break; }
            prop_assert_eq!(decision.remaining, (burst * period_ms - level) / period_ms);
            state = next;
        }
    }

    /// For the first `1 / alpha` gaps, mean and variance are those of all gaps, computed from the whole list.
    #[test]
    fn ema_starts_with_plain_averages(gaps in prop::collection::vec(0_i64..100_000, 1..50)) {
        let limiter = Ema::new(EmaParams { warmup: 1_000, gap_cap: None, ..Default::default() }).unwrap();
        let (mut state, mut now) = (limiter.decide(&EmaState::default(), 0).0, 0);
        let mut seen = Vec::new();
        for gap in gaps {
            now += gap;
            #[allow(clippy::cast_precision_loss, reason = "small numbers")]
            seen.push((gap as f64).ln_1p());
            state = limiter.decide(&state, now).0;
            #[allow(clippy::cast_precision_loss, reason = "small numbers")]
            let count = seen.len() as f64;
            let mean = seen.iter().sum::<f64>() / count;
            let variance = seen.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count;
            prop_assert!((state.mean - mean).abs() < 1e-9, "{} {mean}", state.mean);
            prop_assert!((state.var - variance).abs() < 1e-9, "{} {variance}", state.var);
        }
    }

    /// Compares the waiting time of the pacer with the formula of Safe Browsing, computed in floating point.
    #[test]
    fn pacer_backs_off_by_its_formula(
        base_ms in 1_i64..100_000,
        factor in 1_i64..1_000,
        randoms in prop::collection::vec(0.0_f64..1.0, 1..30),
    ) {
        let max_ms = base_ms * factor;
        let pacer = Pacer::new(PacerParams { base_ms, max_ms, initial_max_ms: 0 }).unwrap();
        let mut state = pacer.record_success(0, None);
        for (failures, random) in randoms.into_iter().enumerate() {
            state = pacer.record_failure(&state, 0, random).unwrap();
            #[allow(clippy::cast_precision_loss, reason = "small numbers")]
            let (base, max) = (base_ms as f64, max_ms as f64);
            let wait = (base * f64::powi(2.0, i32::try_from(failures).unwrap()) * (1.0 + random)).min(max);
            let actual = f64::from(u32::try_from(state.delay_ms).unwrap());
            prop_assert!((actual - wait).abs() <= 1.0, "{actual} {wait}");
        }
    }
}
