//! Counts what limiters have decided since the instance started. Rate classes are not included: they count their own.

use std::sync::atomic::{AtomicU64, Ordering};

/// What is guarded by a limiter other than a rate class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guarded {
    /// A post, against too many ratings: its gate.
    Post,
    /// A rating, against changing it too often.
    Edit,
    /// Accounts, against guessing and registering too often.
    SignIn,
    /// The database, against clients whose attempts to rate cannot succeed.
    Pause,
}

impl Guarded {
    pub const ALL: [Self; 4] = [Self::Post, Self::Edit, Self::SignIn, Self::Pause];

    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Post => "post",
            Self::Edit => "edit",
            Self::SignIn => "sign_in",
            Self::Pause => "pause",
        }
    }
}

/// How often each limiter has refused and has admitted something.
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
