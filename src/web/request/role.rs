//! What somebody may do beyond what everybody may, and what they may not.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::i18n::Phrase;

/// What somebody of the staff may do. Each may do what those before may.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Decides about posts, ratings and readers.
    Moderator,
    /// Decides how the site runs: its limiter, invitations, accounts.
    Admin,
    /// Decides who is staff.
    Owner,
}

impl Role {
    pub const ALL: [Self; 3] = [Self::Moderator, Self::Admin, Self::Owner];

    /// As rows and JSON have it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Moderator => "moderator",
            Self::Admin => "admin",
            Self::Owner => "owner",
        }
    }

    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.name() == name)
    }

    /// In words.
    #[must_use]
    pub fn words(self) -> Phrase {
        Phrase::new(format!("role-{}", self.name()))
    }
}

/// That somebody may only read, and go: write nothing, rate nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Block {
    /// For them to read.
    pub reason: String,
    /// None: it has no end.
    pub until: Option<DateTime<Utc>>,
}
