//! Addresses: what each one is, and how it is spelled.
//!
//! An address declares where it stands in the table what has to be known before its view runs. The table is asked once
//! for each request; the router, the rate classes, the headers, the cross-site rules and the streams all go by
//! its answer, and none of them looks at the text of the path.

use std::borrow::Cow;
use std::sync::Arc;

use actix_web::dev::ResourceDef;
use actix_web::http::Method;
use actix_web::{HttpMessage as _, HttpRequest};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

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
}

impl Address {
    #[must_use]
    pub fn new(pattern: &'static str) -> Self {
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
        }
    }

    /// The one that was found for this request; none where nothing is at its address.
    #[must_use]
    pub fn of(request: &HttpRequest) -> Option<Arc<Self>> {
        request.extensions().get::<Found>().map(|found| found.0.clone())
    }

    /// The class of a request with this method.
    #[must_use]
    pub fn class(&self, method: &Method) -> Class {
        if matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS) { Class::Browse } else { self.acts }
    }

    /// Whether there is something to read.
    #[must_use]
    pub fn has_page(&self) -> bool {
        self.methods.contains(&Method::GET)
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
#[derive(Debug)]
pub struct Addresses {
    all: Vec<(ResourceDef, Arc<Address>)>,
}

impl Addresses {
    #[must_use]
    pub fn new(all: impl IntoIterator<Item = Address>) -> Self {
        let entry = |address: Address| (ResourceDef::new(address.pattern), Arc::new(address));
        Self { all: all.into_iter().map(entry).collect() }
    }

    /// The address that a path in its canonical spelling leads to.
    #[must_use]
    pub fn find(&self, path: &str) -> Option<Arc<Address>> {
        self.all.iter().find(|(pattern, _)| pattern.is_match(path)).map(|(_, address)| address.clone())
    }

    pub fn iter(&self) -> impl Iterator<Item = &Address> {
        self.all.iter().map(|(_, address)| &**address)
    }
}

/// What a path may hold as it is: letters, digits and the marks that mean nothing. A semicolon is not among them:
/// some proxies cut a path there, and others do not.
const PLAIN: &[u8] = b"-._~!$&'()*+,=:@";

/// Everything else is percent-encoded.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b'!')
    .remove(b'$')
    .remove(b'&')
    .remove(b'\'')
    .remove(b'(')
    .remove(b')')
    .remove(b'*')
    .remove(b'+')
    .remove(b',')
    .remove(b'=')
    .remove(b':')
    .remove(b'@');

/// The one spelling of a path (RFC 3986, 6.2.2): nothing percent-encoded that need not be, hexadecimal digits in upper
/// case, no empty and no dot segments. `None` for what no address of ours can be: broken encodings, encoded slashes,
/// control characters, and all that is special in paths elsewhere.
#[must_use]
pub fn canonical(path: &str) -> Option<Cow<'_, str>> {
    let rest = path.strip_prefix('/')?;
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || PLAIN.contains(&byte);
    // Nearly all paths are spelled like this.
    if rest.bytes().all(|byte| is_plain(byte) || byte == b'/') && !path.contains("//") && !path.contains("/.") {
        return Some(path.into());
    }
    let mut segments: Vec<Cow<'_, str>> = Vec::new();
    let mut is_folder = false;
    for segment in rest.split('/') {
        if !is_encoded_well(segment) {
            return None;
        }
        let decoded = percent_decode_str(segment).decode_utf8().ok()?;
        if decoded.chars().any(|c| c.is_control() || (c.is_ascii() && !is_plain(c as u8))) {
            return None;
        }
        is_folder = matches!(&*decoded, "" | "." | "..");
        match &*decoded {
            "" | "." => (),
            ".." => drop(segments.pop()),
            _ => segments.push(utf8_percent_encode(&decoded, ENCODED).to_string().into()),
        }
    }
    let end = if is_folder && !segments.is_empty() { "/" } else { "" };
    let spelled = format!("/{}{end}", segments.join("/"));
    Some(if spelled == path { path.into() } else { spelled.into() })
}

/// Every percent sign begins two hexadecimal digits.
fn is_encoded_well(segment: &str) -> bool {
    let mut parts = segment.split('%').skip(1);
    parts.all(|part| part.as_bytes().get(..2).is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_path_has_one_spelling() {
        for path in ["/", "/blogs/", "/blogs/1/a-post/", "/blogs/1/%D8%B3%D9%84/", "/users/a.b_c-d~e/", "/a", "/@a/"] {
            assert_eq!(canonical(path).as_deref(), Some(path));
        }
        for (path, one) in [
            ("/blogs/%63reate/", "/blogs/create/"),
            ("/%72%61te/", "/rate/"),
            ("/%72ate/?".trim_end_matches('?'), "/rate/"),
            ("/blogs/1/%d8%b3/", "/blogs/1/%D8%B3/"),
            ("/blogs/1/س/", "/blogs/1/%D8%B3/"),
            ("//blogs///create/", "/blogs/create/"),
            ("/blogs/./create/", "/blogs/create/"),
            ("/rate/../blogs/create/", "/blogs/create/"),
            ("/rate/%2e%2E/blogs/%2e/create/", "/blogs/create/"),
            ("/../../..", "/"),
            ("/blogs/..", "/"),
            ("/blogs/1/..", "/blogs/"),
            ("//evil.example/", "/evil.example/"),
            ("/a%2Bb%40c/", "/a+b@c/"),
        ] {
            assert_eq!(canonical(path).as_deref(), Some(one), "{path}");
            assert_eq!(canonical(one).as_deref(), Some(one));
        }
        for path in [
            "",
            "*",
            "blogs/",
            "/a%2Fb/",
            "/a%2fb/",
            "/a%5Cb/",
            "/a\\b/",
            "/%00/",
            "/a%0d%0ab/",
            "/%FF/",
            "/%/",
            "/%4/",
            "/%4g/",
            "/a;b/",
            "/a%3Bb/",
            "/a%20b/",
            "/%25/",
            "/%2563reate/",
            "/a%C2%85b/",
            "/<a>/",
            "/a%22/",
            "/{id}/",
        ] {
            assert_eq!(canonical(path), None, "{path}");
        }
    }

    #[test]
    fn the_first_address_that_matches_counts() {
        let table = Addresses::new(["/blogs/create/", "/blogs/{id}/", "/blogs/{id}/{slug}/"].map(Address::new));
        let found = |path| table.find(path).map(|address| address.pattern);
        assert_eq!(found("/blogs/create/"), Some("/blogs/create/"));
        assert_eq!(found("/blogs/7/"), Some("/blogs/{id}/"));
        assert_eq!(found("/blogs/7/%D8%B3/"), Some("/blogs/{id}/{slug}/"));
        assert_eq!(found("/blogs/7"), None);
    }
}
