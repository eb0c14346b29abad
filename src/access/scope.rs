//! Scopes of API tokens.

use crate::i18n::Phrase;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, strum::EnumString, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum ApiScope {
    /// Reading everything that the user may read, apart from the account. Every token allows this.
    Read,
    Rate,
    /// Writing posts, uploading images, and reporting posts.
    Write,
    /// Reading and changing the account. A password, a second factor and tokens can only be changed in a session.
    Account,
    /// The admin area, and the user's role elsewhere, such as editing posts of others.
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

    /// Every other scope includes `Read`.
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
