//! Counters of limiter decisions since the instance started, as metric samples.

use crate::decisions::{Decisions, Guarded};
use crate::rate::RatingLimiter;
use crate::rate_classes::RateClasses;
use crate::web::routing::route::Class;
use evenkeel_limiters::RateStatus;

/// Sample of the counter `limiter_decisions_total`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    pub class: &'static str,
    pub limiter: &'static str,
    pub outcome: &'static str,
    pub total: u64,
}

#[must_use]
pub fn samples(decisions: &Decisions, classes: Option<&RateClasses>, gate: &RatingLimiter) -> Vec<Sample> {
    let outcomes = [("refused", false), ("admitted", true)];
    let guarded = Guarded::ALL.into_iter().flat_map(|guarded| {
        outcomes.map(|(outcome, allowed)| Sample {
            class: guarded.name(),
            limiter: limiter(guarded, gate),
            outcome,
            total: decisions.total(guarded, allowed),
        })
    });
    let statuses = [
        ("clear", RateStatus::Clear),
        ("alert", RateStatus::Alert),
        ("limited", RateStatus::Limited),
        ("disconnect", RateStatus::Disconnect),
    ];
    let classes = classes.into_iter().flat_map(|classes| {
        Class::ALL.into_iter().flat_map(move |class| {
            statuses.map(|(outcome, status)| Sample {
                class: class.name(),
                limiter: "rate_class",
                outcome,
                total: classes.total(class, status),
            })
        })
    });
    guarded.chain(classes).collect()
}

fn limiter(guarded: Guarded, gate: &RatingLimiter) -> &'static str {
    match guarded {
        Guarded::Post => gate.name(),
        Guarded::Edit | Guarded::SignIn => "leaky_bucket",
        Guarded::Pause => "zombie_pause",
    }
}
