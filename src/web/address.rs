//! Addresses: what each one is, and the table of them all.
//!
//! An address declares, in the `urls.rs` of its app, what has to be known before its view runs. The table is asked once
//! for each request; the router, the rate classes, the headers, the cross-site rules and the streams all go by
//! its answer, and none of them looks at the text of the path.

use std::fmt::Display;
use std::sync::{Arc, OnceLock};

use actix_web::dev::ResourceDef;
use actix_web::http::Method;
use actix_web::{HttpMessage as _, HttpRequest};

use super::spelling::canonical;

/// The front page: where people are led who are led nowhere else.
pub const FRONT: &str = "/";

/// What requests do: those of one class are counted together.
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
pub struct Address {
    /// Such as `/blogs/{id}/`.
    pub pattern: &'static str,
    /// The methods that do something here, HEAD beside GET.
    pub methods: Vec<Method>,
    /// The class of unsafe methods. Reading is browsing everywhere.
    pub acts: Class,
    /// Whether who asks has a session. Files and health checks are outside of those.
    pub has_session: bool,
    /// Whether requests are counted in their class. Who only asks where they stand is not.
    pub is_counted: bool,
    /// A query parameter that makes a request count as several: with it, the answer costs more.
    pub costly_with: Option<(&'static str, u32)>,
    /// Whether programs alone ask here.
    pub is_always_json: bool,
    /// Whether every Host is let in: balancers ask by address, not by name.
    pub allows_any_host: bool,
    /// Whether the query is a secret that is all the right it takes to act.
    pub has_secret_query: bool,
    /// Whether an act here ends the session that it came with.
    pub ends_session: bool,
    /// Whether it leads on to `next`, as signing in does.
    pub leads_on: bool,
    /// Whether this is where one signs in.
    pub signs_in: bool,
}

impl Address {
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
            is_always_json: false,
            allows_any_host: false,
            has_secret_query: false,
            ends_session: false,
            leads_on: false,
            signs_in: false,
        }
    }

    /// The class of its unsafe methods.
    #[must_use]
    pub const fn class(mut self, class: Class) -> Self {
        self.acts = class;
        self
    }

    /// Files and health checks: outside of sessions, and not counted.
    #[must_use]
    pub const fn without_session(mut self) -> Self {
        self.has_session = false;
        self
    }

    /// Requests are not counted, and are served while a class is limited: a client has to be able to ask.
    #[must_use]
    pub const fn uncounted(mut self) -> Self {
        self.is_counted = false;
        self
    }

    /// A request with this query parameter counts as so many.
    #[must_use]
    pub const fn costly_with(mut self, parameter: &'static str, cost: u32) -> Self {
        self.costly_with = Some((parameter, cost));
        self
    }

    /// Whatever is accepted, the answer is JSON.
    #[must_use]
    pub const fn always_json(mut self) -> Self {
        self.is_always_json = true;
        self
    }

    /// Balancers ask by address, not by name.
    #[must_use]
    pub const fn any_host(mut self) -> Self {
        self.allows_any_host = true;
        self
    }

    /// Who has the address with its query may act: it is not to get anywhere else.
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

    /// `next` says where it leads.
    #[must_use]
    pub const fn leads_on(mut self) -> Self {
        self.leads_on = true;
        self
    }

    /// This is where one signs in.
    #[must_use]
    pub const fn signs_in(mut self) -> Self {
        self.signs_in = true;
        self
    }

    /// The path of one of those whose pattern has an `{id}`.
    #[must_use]
    pub fn of_id(&self, id: impl Display) -> String {
        self.pattern.replace("{id}", &id.to_string())
    }

    /// The one that was found for this request; none where nothing is at its address.
    #[must_use]
    pub fn of(request: &HttpRequest) -> Option<Arc<Self>> {
        request.extensions().get::<Found>().map(|found| found.0.clone())
    }

    /// The class of a request with this method.
    #[must_use]
    pub fn class_of(&self, method: &Method) -> Class {
        if matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS) { Class::Browse } else { self.acts }
    }

    /// Whether there is something to read.
    #[must_use]
    pub fn has_page(&self) -> bool {
        self.methods.contains(&Method::GET)
    }

    /// Its part of what belongs to a class, as `POST /rate/`.
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

/// Left on a request whose address is in the table.
#[derive(Clone, Debug)]
pub struct Found(pub Arc<Address>);

/// All addresses of the site, in the order in which they are tried.
#[derive(Debug, Default)]
pub struct Addresses {
    all: Vec<(ResourceDef, Arc<Address>)>,
    /// What belongs to each class, as `POST /rate/`.
    members: [Vec<String>; Class::ALL.len()],
    /// Patterns that end in a word, as what is before it, and the word: `/blogs/{id}/` and `edit`.
    words: Vec<(&'static str, &'static str)>,
}

/// The table of this process. Names that people choose are compared with it, too, where there is no request.
static TABLE: OnceLock<Addresses> = OnceLock::new();

impl Addresses {
    #[must_use]
    pub fn new(all: impl IntoIterator<Item = Address>) -> Self {
        let entry = |address: Address| (ResourceDef::new(address.pattern), Arc::new(address));
        let all: Vec<_> = all.into_iter().map(entry).collect();
        let members = Class::ALL.map(|class| all.iter().flat_map(|(_, address)| address.members(class)).collect());
        let words = all.iter().filter_map(|(_, address)| last_word(address.pattern)).collect();
        Self { all, members, words }
    }

    /// Declares the site's table, unless that has been done.
    pub fn declare(table: impl FnOnce() -> Self) -> &'static Self {
        TABLE.get_or_init(table)
    }

    /// The site's table; empty where no site is.
    #[must_use]
    pub fn table() -> &'static Self {
        static NONE: OnceLock<Addresses> = OnceLock::new();
        TABLE.get().unwrap_or_else(|| NONE.get_or_init(Self::default))
    }

    /// Where a request with this method and path leads. Readers are led to the one spelling of an address, and to the one
    /// with its last slash, as in Django; acts are not done at any other.
    #[must_use]
    pub fn find(&self, method: &Method, path: &str) -> Place {
        let Some(spelled) = canonical(path) else { return Place::Misspelled };
        let reading = matches!(*method, Method::GET | Method::HEAD);
        let with_slash = || Some(format!("{spelled}/")).filter(|_| !spelled.ends_with('/'));
        match (self.at(&spelled), with_slash()) {
            (Some(address), _) if spelled == path => Place::Here(address),
            (Some(address), _) if reading => Place::Elsewhere(address, spelled.into_owned()),
            (None, Some(path)) if reading => match self.at(&path) {
                Some(address) => Place::Elsewhere(address, path),
                None => Place::Unknown,
            },
            _ if spelled == path => Place::Unknown,
            _ => Place::Misspelled,
        }
    }

    /// The address that a path in its canonical spelling leads to.
    #[must_use]
    pub fn at(&self, path: &str) -> Option<Arc<Address>> {
        self.all.iter().find(|(pattern, _)| pattern.is_match(path)).map(|(_, address)| address.clone())
    }

    /// What belongs to a class, as `POST /rate/`.
    #[must_use]
    pub fn members(&self, class: Class) -> &[String] {
        &self.members[class as usize]
    }

    /// Whether `word`, below this pattern, is a page of its own, and so no name for anything.
    #[must_use]
    pub fn is_taken(&self, below: &str, word: &str) -> bool {
        self.words.contains(&(below, word))
    }

    /// Where one signs in.
    #[must_use]
    pub fn sign_in(&self) -> &'static str {
        self.iter().find(|address| address.signs_in).map_or(FRONT, |address| address.pattern)
    }

    pub fn iter(&self) -> impl Iterator<Item = &Address> {
        self.all.iter().map(|(_, address)| &**address)
    }
}

/// `/blogs/{id}/` and `edit` of `/blogs/{id}/edit/`.
fn last_word(pattern: &'static str) -> Option<(&'static str, &'static str)> {
    let path = pattern.strip_suffix('/')?;
    let (before, word) = pattern.split_at(path.rfind('/')? + 1);
    let word = word.strip_suffix('/')?;
    (!word.is_empty() && !word.contains('{')).then_some((before, word))
}

/// Where a request leads.
#[derive(Debug)]
pub enum Place {
    Here(Arc<Address>),
    /// To what is here, as soon as it is asked for by its one spelling: this path.
    Elsewhere(Arc<Address>, String),
    /// Nothing is there, and it is spelled as it would be.
    Unknown,
    /// No address of ours is spelled like this.
    Misspelled,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Addresses {
        Addresses::new(["/blogs/create/", "/blogs/{id}/", "/blogs/{id}/edit/", "/blogs/{id}/{slug}/"].map(Address::at))
    }

    #[test]
    fn the_first_address_that_matches_counts() {
        let table = table();
        let found = |path| table.at(path).map(|address| address.pattern);
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
        assert!(!table.is_taken("/blogs/{id}/", "") && !Addresses::default().is_taken("/blogs/", "create"));
    }
}
