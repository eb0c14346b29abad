//! Counters of limiter decisions since the start of the instance. The limits on requests (rate classes) have separate
//! counters.

use std::sync::atomic::{AtomicU64, Ordering};

/// Resource that a limiter protects. Does not include the limits on requests (rate classes).
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum ProtectedResource {
    /// Score of a post, protected from rating surges by the rating limiter.
    Post,
    /// Rating, protected from frequent changes by a limit on edits.
    Edit,
    /// Accounts, protected from password guessing and mass registration.
    SignIn,
    /// Database, protected from users whose attempts to rate a post keep failing. Their ratings of the post are paused.
    Pause,
}

impl ProtectedResource {
    pub const ALL: [Self; 4] = [Self::Post, Self::Edit, Self::SignIn, Self::Pause];

    pub fn name(self) -> &'static str {
        self.into()
    }
}

#[derive(Debug, Default)]
pub struct DecisionCounters([[AtomicU64; 2]; ProtectedResource::ALL.len()]);

impl DecisionCounters {
    pub fn count_decision(&self, guarded: ProtectedResource, allowed: bool) {
        self.0[guarded as usize][usize::from(allowed)].fetch_add(1, Ordering::Relaxed);
    }

    pub fn total_decisions(&self, guarded: ProtectedResource, allowed: bool) -> u64 {
        self.0[guarded as usize][usize::from(allowed)].load(Ordering::Relaxed)
    }
}
