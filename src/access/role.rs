//! Staff roles and blocks of users.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::i18n::Phrase;

/// Staff role. Each role includes the permissions of the previous ones.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    JsonSchema,
    Serialize,
    Deserialize,
    strum::EnumString,
    strum::IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Role {
    /// Moderates posts, ratings and users.
    Moderator,
    /// Configures the site: rating limiter, invitations, accounts.
    Admin,
    /// Manages the staff.
    Owner,
}

impl Role {
    pub const ALL: [Self; 3] = [Self::Moderator, Self::Admin, Self::Owner];

    pub fn name(self) -> &'static str {
        self.into()
    }

    pub fn from_name(name: &str) -> Option<Self> {
        name.parse().ok()
    }

    pub fn label(self) -> Phrase {
        Phrase::new(format!("role-{}", self.name()))
    }
}

/// Block of a user, who then has read-only access.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
pub struct UserBlock {
    /// Explanation shown to the blocked user.
    pub reason: String,
    /// End of the block; `None` if it is permanent.
    pub until: Option<DateTime<Utc>>,
}
