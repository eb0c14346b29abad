//! What limiters decided, counted since the start of the instance, for whoever watches the site.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::limiters::{Limiter, RateStatus};
use crate::rate_classes::{Class, RateClasses};
use crate::site::settings::Settings;

/// What is guarded by a limiter other than a rate class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guarded {
    /// A post, by its gate.
    Post,
    /// A rating, against changing it too often.
    Edit,
    /// Accounts, against guessing and registering too often.
    SignIn,
    /// The database, against hopeless clients.
    Pause,
}

impl Guarded {
    const ALL: [Self; 4] = [Self::Post, Self::Edit, Self::SignIn, Self::Pause];

    fn class(self) -> &'static str {
        match self {
            Self::Post => "post",
            Self::Edit => "edit",
            Self::SignIn => "sign_in",
            Self::Pause => "pause",
        }
    }

    fn limiter(self, settings: &Settings) -> &'static str {
        match self {
            Self::Post => settings.rating_limiter.as_ref().map_or("off", Limiter::name),
            Self::Edit | Self::SignIn => "leaky_bucket",
            Self::Pause => "zombie_pause",
        }
    }
}

/// Decisions of these limiters. Those of rate classes are counted by [`RateClasses`].
#[derive(Debug, Default)]
pub struct Decisions([[AtomicU64; 2]; Guarded::ALL.len()]);

impl Decisions {
    pub fn count(&self, guarded: Guarded, allowed: bool) {
        self.0[guarded as usize][usize::from(allowed)].fetch_add(1, Ordering::Relaxed);
    }

    #[must_use]
    pub fn total(&self, guarded: Guarded, allowed: bool) -> u64 {
        self.0[guarded as usize][usize::from(allowed)].load(Ordering::Relaxed)
    }
}

/// One sample of `limiter_decisions_total`, as Prometheus names such counters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    pub class: &'static str,
    pub limiter: &'static str,
    pub outcome: &'static str,
    pub total: u64,
}

/// All samples of an instance.
#[must_use]
pub fn samples(decisions: &Decisions, classes: Option<&RateClasses>, settings: &Settings) -> Vec<Sample> {
    let outcomes = [("refused", false), ("admitted", true)];
    let guarded = Guarded::ALL.into_iter().flat_map(|guarded| {
        outcomes.map(|(outcome, allowed)| Sample {
            class: guarded.class(),
            limiter: guarded.limiter(settings),
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
