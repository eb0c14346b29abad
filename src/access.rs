//! Staff roles, user blocks, scopes of API tokens, and request classes.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::i18n::Phrase;

/// Staff role. Each role includes the permissions of the roles before it.
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
    /// Manages rating limiters, invitations and accounts.
    Admin,
    /// Assigns staff roles and changes the site settings.
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

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, strum::EnumString, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum ApiScope {
    /// Reading everything that the user may read, except the account. All tokens have this scope.
    Read,
    Rate,
    /// Writing posts, uploading images, and reporting posts.
    Write,
    /// Reading and changing the account, except passwords, two-factor authentication and tokens, which need a session.
    Account,
    /// Using the admin area, and the permissions of the user's role elsewhere, such as editing posts of other users.
    Admin,
}

impl ApiScope {
    pub const ALL: [Self; 5] = [Self::Read, Self::Rate, Self::Write, Self::Account, Self::Admin];

    pub fn name(self) -> &'static str {
        self.into()
    }

    pub fn from_name(name: &str) -> Option<Self> {
        name.parse().ok()
    }

    pub fn description(self) -> Phrase {
        Phrase::new(format!("scope-{}", self.name()))
    }

    pub fn checkbox(self) -> String {
        format!("scope_{}", self.name())
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ScopeSet(u8);

impl ScopeSet {
    fn contains(self, scope: ApiScope) -> bool {
        self.0 & bit(scope) != 0
    }

    /// Returns true for `ApiScope::Read` if the set contains any scope, because all scopes include it.
    pub fn allows(self, scope: ApiScope) -> bool {
        self.contains(scope) || (scope == ApiScope::Read && !self.is_empty())
    }

    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub fn names(self) -> Vec<String> {
        ApiScope::ALL.into_iter().filter(|scope| self.contains(*scope)).map(|scope| scope.name().to_owned()).collect()
    }
}

impl FromIterator<ApiScope> for ScopeSet {
    fn from_iter<I: IntoIterator<Item = ApiScope>>(scopes: I) -> Self {
        Self(scopes.into_iter().fold(0, |set, scope| set | bit(scope)))
    }
}

fn bit(scope: ApiScope) -> u8 {
    1 << scope as u8
}

/// Kind of request. All requests of a client in one class count towards one limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum RequestClass {
    Browse,
    Write,
    Rate,
    Account,
}

impl RequestClass {
    pub const ALL: [Self; 4] = [Self::Browse, Self::Write, Self::Rate, Self::Account];

    pub fn name(self) -> &'static str {
        self.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_has_its_scopes_in_order() {
        let set: ScopeSet = [ApiScope::Admin, ApiScope::Read, ApiScope::Read].into_iter().collect();
        assert_eq!(set.names(), ["read", "admin"]);
        assert!(set.allows(ApiScope::Admin) && !set.allows(ApiScope::Write) && !set.is_empty());
        let writing: ScopeSet = [ApiScope::Write].into_iter().collect();
        assert!(writing.allows(ApiScope::Read) && !ScopeSet::default().allows(ApiScope::Read));
    }
}
