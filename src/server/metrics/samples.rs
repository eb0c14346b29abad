//! Counters of limiter decisions since the instance started, as metric samples.

use crate::access::RequestClass;
use crate::limiter_decisions::ProtectedResource;
use crate::rate::RatingLimiter;
use crate::state::AppState;
use evenkeel_limiters::RateClassStatus;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DecisionSample {
    pub class: &'static str,
    pub limiter: &'static str,
    pub outcome: &'static str,
    pub total: u64,
}

pub fn collect_limiter_decision_samples(state: &AppState) -> Vec<DecisionSample> {
    let active_limiters = state.active_limiters.cached_limiters();
    let rating_limiter = active_limiters.site_limiter();
    let outcomes = [("refused", false), ("admitted", true)];
    let guarded = ProtectedResource::ALL.into_iter().flat_map(|guarded| {
        outcomes.map(|(outcome, allowed)| DecisionSample {
            class: guarded.name(),
            limiter: limiter(guarded, rating_limiter),
            outcome,
            total: state.decisions.total_decisions(guarded, allowed),
        })
    });
    let statuses = [
        ("clear", RateClassStatus::Clear),
        ("alert", RateClassStatus::Alert),
        ("limited", RateClassStatus::Limited),
        ("disconnect", RateClassStatus::Disconnect),
    ];
    let classes = state.rate_classes.iter().flat_map(|classes| {
        RequestClass::ALL.into_iter().flat_map(move |class| {
            statuses.map(|(outcome, status)| DecisionSample {
                class: class.name(),
                limiter: "rate_class",
                outcome,
                total: classes.decision_count(class, status),
            })
        })
    });
    guarded.chain(classes).collect()
}

fn limiter(guarded: ProtectedResource, rating_limiter: &RatingLimiter) -> &'static str {
    match guarded {
        ProtectedResource::Post => rating_limiter.name(),
        ProtectedResource::Edit | ProtectedResource::SignIn => "leaky_bucket",
        ProtectedResource::Pause => "zombie_pause",
    }
}
