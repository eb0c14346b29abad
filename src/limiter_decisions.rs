//! Counters of limiter decisions since the start of the instance. The rate classes have separate counters.

use std::sync::atomic::{AtomicU64, Ordering};

#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum ProtectedResource {
    /// Protects the score of a post from rating surges.
    Post,
    /// Protects ratings from frequent changes.
    Edit,
    /// Protects accounts from password guessing and mass registration.
    SignIn,
    /// Protects the database from users whose attempts to rate a post keep failing.
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
