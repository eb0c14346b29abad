//! Routes of the site with their properties. Each module declares its routes in its `urls.rs`.

use std::fmt::Display;
use std::sync::{Arc, OnceLock};

use actix_web::dev::ServiceRequest;
use actix_web::http::Method;

use super::operation::Operation;
use crate::access::{ApiScope, RequestClass, Role};

pub const FRONT_PAGE: &str = "/";

#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each says one thing")]
pub struct Route {
    /// Path pattern, for example `/blogs/{id}/`.
    pub pattern: &'static str,
    /// HEAD is included if GET is supported. OPTIONS is never listed.
    pub methods: Vec<Method>,
    /// Operations of the API by method. HEAD is part of GET.
    pub operations: Vec<(Method, Operation)>,
    /// Request class of unsafe methods. Safe methods (GET, HEAD, OPTIONS) are always in the class `Browse`.
    pub unsafe_class: RequestClass,
    /// `true` if the session is loaded. Static files and health checks have no session and are not rate limited.
    pub has_session: bool,
    /// `false` for routes that do not count towards rate limits, because they only report the remaining quota.
    pub is_counted: bool,
    /// Query parameter of expensive requests, and number of ordinary requests that an expensive request counts as.
    pub cost_by_parameter: Option<(&'static str, u32)>,
    pub is_cached: bool,
    pub is_always_json: bool,
    /// `true` if any Host header is accepted: load balancers use the IP address.
    pub is_health_check: bool,
    /// `true` if the query contains a secret that authorizes the request, with or without a session.
    pub has_secret_query: bool,
    /// `true` if responses to unsafe requests contain a secret, which must not be stored.
    pub returns_secret: bool,
    pub changes_nothing: bool,
    pub ends_session: bool,
    /// `true` if unsafe requests change credentials, for which API tokens are rejected.
    pub changes_credentials: bool,
    /// `true` if the view redirects to the path in the query parameter `next`, for example after signing in.
    pub follows_next: bool,
    pub is_sign_in_page: bool,
    pub role: Option<Role>,
    /// Scope of API tokens for unsafe methods; `None` if the request class determines the scope.
    pub token_scope: Option<ApiScope>,
}

macro_rules! flags {
    ($($(#[$doc:meta])* $name:ident: $field:ident = $value:literal;)*) => {
        $($(#[$doc])* pub const fn $name(mut self) -> Self {
            self.$field = $value;
            self
        })*
    };
}

impl Route {
    pub const fn new(pattern: &'static str) -> Self {
        Self {
            pattern,
            methods: Vec::new(),
            operations: Vec::new(),
            unsafe_class: RequestClass::Browse,
            has_session: true,
            is_counted: true,
            cost_by_parameter: None,
            is_cached: false,
            is_always_json: false,
            is_health_check: false,
            has_secret_query: false,
            returns_secret: false,
            changes_nothing: false,
            ends_session: false,
            changes_credentials: false,
            follows_next: false,
            is_sign_in_page: false,
            role: None,
            token_scope: None,
        }
    }

    pub const fn rate_class(mut self, class: RequestClass) -> Self {
        self.unsafe_class = class;
        self
    }

    pub const fn requires_role(mut self, role: Role) -> Self {
        self.role = Some(role);
        self
    }

    pub const fn token_scope(mut self, scope: ApiScope) -> Self {
        self.token_scope = Some(scope);
        self
    }

    pub const fn cost_by_parameter(mut self, parameter: &'static str, cost: u32) -> Self {
        self.cost_by_parameter = Some((parameter, cost));
        self
    }

    flags! {
        /// Used for static files and health checks.
        without_session: has_session = false;
        /// Used for the pages on which rate limited clients query how long to wait.
        without_rate_limit: is_counted = false;
        /// Enables the page cache for anonymous users, who may see changes up to one second late.
        cached: is_cached = true;
        always_json: is_always_json = true;
        health_check: is_health_check = true;
        /// The query must not leak, for example in a `Referer` header.
        secret_query: has_secret_query = true;
        changes_nothing: changes_nothing = true;
        returns_secret: returns_secret = true;
        ends_session: ends_session = true;
        changes_credentials: changes_credentials = true;
        follows_next: follows_next = true;
        sign_in_page: is_sign_in_page = true;
    }

    pub fn path_for(&self, id: impl Display) -> String {
        self.pattern.replace("{id}", &id.to_string())
    }

    /// Returns the route whose pattern actix-web will match.
    pub fn matching(request: &ServiceRequest) -> Option<Arc<Self>> {
        let pattern = request.resource_map().match_pattern(request.match_info().as_str())?;
        RouteTable::global().find(&pattern).cloned()
    }

    pub fn scope_of(&self, method: &Method) -> ApiScope {
        match (self.unsafe_class, self.token_scope) {
            _ if self.role.is_some() => ApiScope::Admin,
            (_, Some(_)) if method.is_safe() => ApiScope::Read,
            (_, Some(scope)) => scope,
            (RequestClass::Account, None) => ApiScope::Account,
            _ if method.is_safe() => ApiScope::Read,
            (RequestClass::Rate, None) => ApiScope::Rate,
            (RequestClass::Browse | RequestClass::Write, None) => ApiScope::Write,
        }
    }

    pub fn needs_session(&self) -> bool {
        self.ends_session || self.changes_credentials || self.is_sign_in_page
    }

    /// Responses to changes of credentials may contain secrets, which must not be stored.
    pub fn accepts_idempotency_key(&self, method: &Method) -> bool {
        *method == Method::POST
            && self.rate_class_of(method) != RequestClass::Browse
            && !self.needs_session()
            && !self.has_secret_query
            && !self.returns_secret
            && !self.changes_nothing
    }

    pub fn rate_class_of(&self, method: &Method) -> RequestClass {
        if matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS) {
            RequestClass::Browse
        } else {
            self.unsafe_class
        }
    }

    pub fn operation(&self, method: &Method) -> Option<&Operation> {
        let method = if *method == Method::HEAD { &Method::GET } else { method };
        self.operations.iter().find(|(own, _)| own == method).map(|(_, operation)| operation)
    }

    pub fn supports_get(&self) -> bool {
        self.methods.contains(&Method::GET)
    }

    pub fn allow_header(&self) -> String {
        let options = std::iter::once(&Method::OPTIONS);
        self.methods.iter().chain(options).map(Method::as_str).collect::<Vec<_>>().join(", ")
    }
}

#[derive(Debug, Default)]
pub struct RouteTable {
    routes: Vec<Arc<Route>>,
    /// Patterns that end in a fixed word, split before that word: `/blogs/{id}/edit/` into `/blogs/{id}/` and `edit`.
    reserved_words: Vec<(&'static str, &'static str)>,
}

/// Route table of this process, global because usernames and slugs are also validated outside of requests.
static TABLE: OnceLock<RouteTable> = OnceLock::new();

impl RouteTable {
    pub fn new(all: impl IntoIterator<Item = Route>) -> Self {
        let all: Vec<_> = all.into_iter().map(Arc::new).collect();
        Self { reserved_words: all.iter().filter_map(|route| last_word(route.pattern)).collect(), routes: all }
    }

    pub fn init(table: impl FnOnce() -> Self) -> &'static Self {
        TABLE.get_or_init(table)
    }

    pub fn global() -> &'static Self {
        static NONE: OnceLock<RouteTable> = OnceLock::new();
        TABLE.get().unwrap_or_else(|| NONE.get_or_init(Self::default))
    }

    pub fn find(&self, pattern: &str) -> Option<&Arc<Route>> {
        self.routes.iter().find(|route| route.pattern == pattern)
    }

    /// Returns true for a fixed path segment of a route, which cannot be a username or slug.
    pub fn is_reserved(&self, below: &str, word: &str) -> bool {
        self.reserved_words.contains(&(below, word))
    }

    pub fn sign_in_path(&self) -> &'static str {
        self.iter().find(|route| route.is_sign_in_page).map_or(FRONT_PAGE, |route| route.pattern)
    }

    pub fn iter(&self) -> impl Iterator<Item = &Route> {
        self.routes.iter().map(|route| &**route)
    }
}

/// Splits `/blogs/{id}/edit/` into `/blogs/{id}/` and `edit`.
fn last_word(pattern: &'static str) -> Option<(&'static str, &'static str)> {
    let path = pattern.strip_suffix('/')?;
    let (before, word) = pattern.split_at(path.rfind('/')? + 1);
    let word = word.strip_suffix('/')?;
    (!word.is_empty() && !word.contains('{')).then_some((before, word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_need_the_scope_of_their_class() {
        let needed = |route: &Route, method: Method| route.scope_of(&method).name();
        let rate = Route::new("/rate/").rate_class(RequestClass::Rate);
        assert_eq!((needed(&rate, Method::GET), needed(&rate, Method::POST)), ("read", "rate"));
        let account = Route::new("/users/account/").rate_class(RequestClass::Account);
        assert_eq!((needed(&account, Method::GET), needed(&account, Method::POST)), ("account", "account"));
        let other = Route::new("/x/");
        assert_eq!((needed(&other, Method::HEAD), needed(&other, Method::POST)), ("read", "write"));
        let staff = Route::new("/admin/").requires_role(Role::Moderator);
        assert_eq!(needed(&staff, Method::GET), "admin");
        let report = Route::new("/report/").rate_class(RequestClass::Account).token_scope(ApiScope::Write);
        assert_eq!((needed(&report, Method::GET), needed(&report, Method::POST)), ("read", "write"));
    }

    fn table() -> RouteTable {
        RouteTable::new(["/blogs/create/", "/blogs/{id}/", "/blogs/{id}/edit/", "/blogs/{id}/{slug}/"].map(Route::new))
    }

    #[test]
    fn reserves_fixed_words_of_patterns() {
        let table = table();
        assert!(table.is_reserved("/blogs/", "create") && table.is_reserved("/blogs/{id}/", "edit"));
        assert!(!table.is_reserved("/blogs/", "edit") && !table.is_reserved("/blogs/{id}/", "{slug}"));
        assert!(!table.is_reserved("/blogs/{id}/", "") && !RouteTable::default().is_reserved("/blogs/", "create"));
    }
}
