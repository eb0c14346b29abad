//! Scopes of API tokens.

use actix_web::http::Method;

use crate::i18n::Phrase;
use crate::web::routing::route::{RequestClass, Route};

/// Kind of requests that an API token allows. No scope allows more than the user may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ApiScope {
    /// Reading everything that the user may read, apart from the account.
    Read,
    /// Rating posts.
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

    /// Identifier of the scope in the database and in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Rate => "rate",
            Self::Write => "write",
            Self::Account => "account",
            Self::Admin => "admin",
        }
    }

    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scope| scope.name() == name)
    }

    /// Localized explanation of the scope.
    #[must_use]
    pub fn description(self) -> Phrase {
        Phrase::new(format!("scope-{}", self.name()))
    }

    /// Name of the checkbox of the scope in forms.
    #[must_use]
    pub fn checkbox(self) -> String {
        format!("scope_{}", self.name())
    }

    /// Scope that a request needs.
    #[must_use]
    pub fn for_route(route: &Route, method: &Method) -> Self {
        match route.rate_class_of(method) {
            _ if route.role.is_some() => Self::Admin,
            _ if route.unsafe_class == RequestClass::Account => Self::Account,
            RequestClass::Rate => Self::Rate,
            RequestClass::Browse if method.is_safe() => Self::Read,
            _ => Self::Write,
        }
    }
}

/// Set of scopes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ScopeSet(u8);

impl ScopeSet {
    #[must_use]
    pub fn contains(self, scope: ApiScope) -> bool {
        self.0 & bit(scope) != 0
    }

    #[must_use]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Names of the scopes, in the order of [`ApiScope::ALL`].
    #[must_use]
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
    fn requests_need_the_scope_of_their_class() {
        let needed = |route: &Route, method: Method| ApiScope::for_route(route, &method).name();
        let rate = Route::new("/rate/").rate_class(RequestClass::Rate);
        assert_eq!((needed(&rate, Method::GET), needed(&rate, Method::POST)), ("read", "rate"));
        let account = Route::new("/users/account/").rate_class(RequestClass::Account);
        assert_eq!((needed(&account, Method::GET), needed(&account, Method::POST)), ("account", "account"));
        let other = Route::new("/x/");
        assert_eq!((needed(&other, Method::HEAD), needed(&other, Method::POST)), ("read", "write"));
        let staff = Route::new("/admin/").requires_role(crate::web::request::role::Role::Moderator);
        assert_eq!(needed(&staff, Method::GET), "admin");
    }

    #[test]
    fn a_set_has_its_scopes_in_order() {
        let set: ScopeSet = [ApiScope::Admin, ApiScope::Read, ApiScope::Read].into_iter().collect();
        assert_eq!(set.names(), ["read", "admin"]);
        assert!(set.contains(ApiScope::Admin) && !set.contains(ApiScope::Write) && !set.is_empty());
    }
}
