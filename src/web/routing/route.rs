//! The site's addresses: what is known of each one before its view runs, and the table of them all.
//!
//! Each app declares its addresses in its `urls.rs`. The table is asked once for each request. The router, the rate
//! classes, the headers, the cross-site rules and the streams all use its answer; none of them looks at the text of the
//! path.

use std::fmt::Display;
use std::sync::{Arc, OnceLock};

use actix_web::dev::ResourceDef;
use actix_web::http::Method;
use actix_web::{HttpMessage as _, HttpRequest};

use super::path::canonical;
use crate::web::request::role::Role;

/// The front page. People are sent there when there is no better page to send them to.
pub const FRONT: &str = "/";

/// A kind of requests. Rate limits count all requests of one class together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// Looking at anything.
    Browse,
    /// Writing, changing and deleting posts.
    Write,
    /// Rating.
    Rate,
    /// Registering, signing in and out, and changing the password.
    Account,
}

impl Class {
    pub const ALL: [Self; 4] = [Self::Browse, Self::Write, Self::Rate, Self::Account];

    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Browse => "browse",
            Self::Write => "write",
            Self::Rate => "rate",
            Self::Account => "account",
        }
    }
}

/// What is known of an address without its view.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each says one thing")]
pub struct Route {
    /// Such as `/blogs/{id}/`.
    pub pattern: &'static str,
    /// The methods that the address answers. HEAD is listed wherever GET is, OPTIONS nowhere.
    pub methods: Vec<Method>,
    /// The class of unsafe methods. Safe methods (GET, HEAD, OPTIONS) are of the class `Browse` everywhere.
    pub acts: Class,
    /// Whether the client's session is looked up. Static files and health checks do without, and are not counted
    /// either.
    pub has_session: bool,
    /// Whether requests are counted in their class. A client that only asks how much it has left is not charged for
    /// that.
    pub is_counted: bool,
    /// A query parameter, and as how many requests a request with it counts, as its answer costs more.
    pub costly_with: Option<(&'static str, u32)>,
    /// Whether responses to anonymous users are cached; see [`cached`](crate::web::cache::middleware).
    pub is_kept: bool,
    /// Whether only programs use this address: the answer is JSON, whatever the request accepts.
    pub is_always_json: bool,
    /// Whether any Host header is accepted: load balancers address the site by IP address, not by name.
    pub allows_any_host: bool,
    /// Whether the query holds a secret, and whoever knows the secret may act, signed in or not.
    pub has_secret_query: bool,
    /// Whether an act here ends the session that it came with.
    pub ends_session: bool,
    /// Whether the page afterwards is the one that the query parameter `next` names, as after signing in.
    pub follows_next: bool,
    /// Whether this is where one signs in.
    pub is_sign_in_page: bool,
    /// Whom it is for: staff of this role, and above. None: everybody.
    pub role: Option<Role>,
}

impl Route {
    /// An address with a session, whose requests are counted, and with nothing special about it.
    #[must_use]
    pub const fn at(pattern: &'static str) -> Self {
        Self {
            pattern,
            methods: Vec::new(),
            acts: Class::Browse,
            has_session: true,
            is_counted: true,
            costly_with: None,
            is_kept: false,
            is_always_json: false,
            allows_any_host: false,
            has_secret_query: false,
            ends_session: false,
            follows_next: false,
            is_sign_in_page: false,
            role: None,
        }
    }

    /// The class of its unsafe methods.
    #[must_use]
    pub const fn class(mut self, class: Class) -> Self {
        self.acts = class;
        self
    }

    /// Only staff of this role and above may come here. To those who are no staff there is nothing.
    #[must_use]
    pub const fn staff(mut self, role: Role) -> Self {
        self.role = Some(role);
        self
    }

    /// Requests have no session and are not counted: for static files and health checks.
    #[must_use]
    pub const fn without_session(mut self) -> Self {
        self.has_session = false;
        self
    }

    /// Requests are not counted, and are served even while their class is limited: a limited client has to be able to
    /// ask for how long.
    #[must_use]
    pub const fn uncounted(mut self) -> Self {
        self.is_counted = false;
        self
    }

    /// A request with this query parameter counts as `cost` requests.
    #[must_use]
    pub const fn costly_with(mut self, parameter: &'static str, cost: u32) -> Self {
        self.costly_with = Some((parameter, cost));
        self
    }

    /// All guests see the same here, and see it up to a second late.
    #[must_use]
    pub const fn kept(mut self) -> Self {
        self.is_kept = true;
        self
    }

    /// Whatever is accepted, the answer is JSON.
    #[must_use]
    pub const fn always_json(mut self) -> Self {
        self.is_always_json = true;
        self
    }

    /// Any Host header is accepted: load balancers address the site by IP address, not by name.
    #[must_use]
    pub const fn any_host(mut self) -> Self {
        self.allows_any_host = true;
        self
    }

    /// The query holds a secret that gives the right to act. It must not leak, for example in a `Referer`.
    #[must_use]
    pub const fn secret_query(mut self) -> Self {
        self.has_secret_query = true;
        self
    }

    #[must_use]
    pub const fn ends_session(mut self) -> Self {
        self.ends_session = true;
        self
    }

    /// The page afterwards is the one that the query parameter `next` names.
    #[must_use]
    pub const fn follows_next(mut self) -> Self {
        self.follows_next = true;
        self
    }

    /// This is where one signs in.
    #[must_use]
    pub const fn sign_in_page(mut self) -> Self {
        self.is_sign_in_page = true;
        self
    }

    /// The path with `{id}` replaced by an id.
    #[must_use]
    pub fn path_for(&self, id: impl Display) -> String {
        self.pattern.replace("{id}", &id.to_string())
    }

    /// The address of this request. `None` if the table has no address for its path.
    #[must_use]
    pub fn of(request: &HttpRequest) -> Option<Arc<Self>> {
        request.extensions().get::<MatchedRoute>().map(|found| found.0.clone())
    }

    /// The class of a request with this method.
    #[must_use]
    pub fn class_of(&self, method: &Method) -> Class {
        if matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS) { Class::Browse } else { self.acts }
    }

    /// Whether GET is answered here.
    #[must_use]
    pub fn has_page(&self) -> bool {
        self.methods.contains(&Method::GET)
    }

    /// The methods of this address that are counted in `class`, each with the pattern: `POST /rate/`.
    fn members(&self, class: Class) -> impl Iterator<Item = String> {
        let counted =
            self.methods.iter().filter(|method| self.has_session && self.is_counted && **method != Method::HEAD);
        let mine = counted.filter(move |method| self.class_of(method) == class);
        mine.map(|method| format!("{method} {}", self.pattern))
    }

    /// The value of `Allow`.
    #[must_use]
    pub fn allow(&self) -> String {
        let options = std::iter::once(&Method::OPTIONS);
        self.methods.iter().chain(options).map(Method::as_str).collect::<Vec<_>>().join(", ")
    }
}

/// A request's address, put into its extensions if the table has one.
#[derive(Clone, Debug)]
pub struct MatchedRoute(pub Arc<Route>);

/// All addresses of the site, in the order in which they are tried.
#[derive(Debug, Default)]
pub struct RouteTable {
    all: Vec<(ResourceDef, Arc<Route>)>,
    /// For each class, the methods and patterns that are counted in it, such as `POST /rate/`.
    members: [Vec<String>; Class::ALL.len()],
    /// Patterns that end in a fixed word, split before it: `/blogs/{id}/edit/` as `/blogs/{id}/` and `edit`.
    words: Vec<(&'static str, &'static str)>,
}

/// The table of this process. It is global because usernames and slugs are compared with it where there is no request.
static TABLE: OnceLock<RouteTable> = OnceLock::new();

impl RouteTable {
    #[must_use]
    pub fn new(all: impl IntoIterator<Item = Route>) -> Self {
        let entry = |address: Route| (ResourceDef::new(address.pattern), Arc::new(address));
        let all: Vec<_> = all.into_iter().map(entry).collect();
        let members = Class::ALL.map(|class| all.iter().flat_map(|(_, address)| address.members(class)).collect());
        let words = all.iter().filter_map(|(_, address)| last_word(address.pattern)).collect();
        Self { all, members, words }
    }

    /// Declares the site's table, unless that has been done.
    pub fn declare(table: impl FnOnce() -> Self) -> &'static Self {
        TABLE.get_or_init(table)
    }

    /// The site's table; an empty one if none was declared.
    #[must_use]
    pub fn table() -> &'static Self {
        static NONE: OnceLock<RouteTable> = OnceLock::new();
        TABLE.get().unwrap_or_else(|| NONE.get_or_init(Self::default))
    }

    /// Where a request with this method and path leads. A GET or HEAD request with another spelling of an address, or
    /// without its last slash, is redirected to the canonical path, as in Django. Other methods are not redirected:
    /// they only work at the canonical path.
    #[must_use]
    pub fn route(&self, method: &Method, path: &str) -> Destination {
        let Some(spelled) = canonical(path) else { return Destination::Misspelled };
        let reading = matches!(*method, Method::GET | Method::HEAD);
        let with_slash = || Some(format!("{spelled}/")).filter(|_| !spelled.ends_with('/'));
        match (self.matching(&spelled), with_slash()) {
            (Some(address), _) if spelled == path => Destination::Here(address),
            (Some(address), _) if reading => Destination::Elsewhere(address, spelled.into_owned()),
            (None, Some(path)) if reading => match self.matching(&path) {
                Some(address) => Destination::Elsewhere(address, path),
                None => Destination::Unknown,
            },
            _ if spelled == path => Destination::Unknown,
            _ => Destination::Misspelled,
        }
    }

    /// The address that a path in its canonical spelling leads to.
    #[must_use]
    pub fn matching(&self, path: &str) -> Option<Arc<Route>> {
        self.all.iter().find(|(pattern, _)| pattern.is_match(path)).map(|(_, address)| address.clone())
    }

    /// The methods and patterns that are counted in a class, such as `POST /rate/`.
    #[must_use]
    pub fn members(&self, class: Class) -> &[String] {
        &self.members[class as usize]
    }

    /// Whether the pattern `below` followed by `word` is an address of its own, so that no user or slug may be called
    /// `word`.
    #[must_use]
    pub fn is_taken(&self, below: &str, word: &str) -> bool {
        self.words.contains(&(below, word))
    }

    /// Where one signs in.
    #[must_use]
    pub fn sign_in_path(&self) -> &'static str {
        self.iter().find(|address| address.is_sign_in_page).map_or(FRONT, |address| address.pattern)
    }

    pub fn iter(&self) -> impl Iterator<Item = &Route> {
        self.all.iter().map(|(_, address)| &**address)
    }
}

/// Splits `/blogs/{id}/edit/` into `/blogs/{id}/` and `edit`. `None` if the pattern does not end in a fixed word.
fn last_word(pattern: &'static str) -> Option<(&'static str, &'static str)> {
    let path = pattern.strip_suffix('/')?;
    let (before, word) = pattern.split_at(path.rfind('/')? + 1);
    let word = word.strip_suffix('/')?;
    (!word.is_empty() && !word.contains('{')).then_some((before, word))
}

/// Where a request leads.
#[derive(Debug)]
pub enum Destination {
    Here(Arc<Route>),
    /// Redirect to this address, at this path: its canonical spelling.
    Elsewhere(Arc<Route>, String),
    /// The path is spelled correctly, but the table has no address for it.
    Unknown,
    /// The path is spelled as none of our addresses is.
    Misspelled,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> RouteTable {
        RouteTable::new(["/blogs/create/", "/blogs/{id}/", "/blogs/{id}/edit/", "/blogs/{id}/{slug}/"].map(Route::at))
    }

    #[test]
    fn the_first_address_that_matches_counts() {
        let table = table();
        let found = |path| table.matching(path).map(|address| address.pattern);
        assert_eq!(found("/blogs/create/"), Some("/blogs/create/"));
        assert_eq!(found("/blogs/7/"), Some("/blogs/{id}/"));
        assert_eq!(found("/blogs/7/%D8%B3/"), Some("/blogs/{id}/{slug}/"));
        assert_eq!(found("/blogs/7"), None);
    }

    #[test]
    fn words_of_the_table_are_taken_where_they_stand() {
        let table = table();
        assert!(table.is_taken("/blogs/", "create") && table.is_taken("/blogs/{id}/", "edit"));
        assert!(!table.is_taken("/blogs/", "edit") && !table.is_taken("/blogs/{id}/", "{slug}"));
        assert!(!table.is_taken("/blogs/{id}/", "") && !RouteTable::default().is_taken("/blogs/", "create"));
    }
}
