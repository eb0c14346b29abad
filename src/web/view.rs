//! One address, two representations: a page for people, JSON for programs.
//!
//! A view returns [`View`] of a page struct, or [`Done`] after an act. `askama` renders all of the page; only
//! its `data` is serialised, so nothing of the page leaks into the contract.

use std::fmt::Display;

use actix_web::body::BoxBody;
use actix_web::http::header::{
    ACCEPT, CACHE_CONTROL, CONTENT_TYPE, ETAG, EntityTag, Header as _, HeaderValue, IfNoneMatch, LINK, LOCATION,
    SET_COOKIE, VARY,
};
use actix_web::http::{Method, StatusCode};
use actix_web::{FromRequest, HttpRequest, HttpResponse, HttpResponseBuilder, Responder, ResponseError as _, dev};
use askama::Template;
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use chrono::{DateTime, SecondsFormat, Utc};
use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};
use serde::Serialize;
use sha2::{Digest as _, Sha256};

use crate::rate_classes::Warning;
use crate::users::CurrentUser;
use crate::web::address::Address;
use crate::web::error::AppError;
use crate::web::messages;
use crate::web::payload::{BodyKind, Query};
use crate::web::state::AppState;

/// How a request wants to be answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Html,
    Json,
}

impl Format {
    /// The highest `q` in `Accept`; on a tie a type that is named beats a wildcard, then the body's own
    /// type decides, then HTML. Never an error: an answer in the wrong format beats none.
    #[must_use]
    pub fn of(request: &HttpRequest) -> Self {
        if Address::of(request).is_some_and(|address| address.is_always_json) {
            return Self::Json;
        }
        let accept = request.headers().get_all(ACCEPT).filter_map(|value| value.to_str().ok());
        let accept = accept.collect::<Vec<_>>().join(",");
        let wanted = |names: &[&str], wildcard: &str| preference(&accept, names, wildcard);
        let json = wanted(&["application/json", "application/problem+json"], "application/*");
        let html = wanted(&["text/html"], "text/*");
        match json.partial_cmp(&html) {
            Some(std::cmp::Ordering::Greater) => Self::Json,
            Some(std::cmp::Ordering::Less) => Self::Html,
            _ if matches!(BodyKind::of(request.headers()), Ok(BodyKind::Json)) => Self::Json,
            _ => Self::Html,
        }
    }
}

impl FromRequest for Format {
    type Error = std::convert::Infallible;
    type Future = std::future::Ready<Result<Self, Self::Error>>;

    fn from_request(request: &HttpRequest, _: &mut dev::Payload) -> Self::Future {
        std::future::ready(Ok(Self::of(request)))
    }
}

/// `(q, how specific)` of the best range that covers one of `names`. No `Accept` accepts everything.
fn preference(accept: &str, names: &[&str], wildcard: &str) -> (f32, u8) {
    let mut best: Option<(u8, f32)> = None;
    for range in accept.split(',') {
        let mut parts = range.split(';').map(str::trim);
        let name = parts.next().unwrap_or("").to_ascii_lowercase();
        let specific = match name.as_str() {
            name if names.contains(&name) => 2,
            name if name == wildcard => 1,
            "*/*" => 0,
            _ => continue,
        };
        let q = parts.find_map(|part| part.strip_prefix("q=").or_else(|| part.strip_prefix("Q=")));
        let q = q.and_then(|q| q.trim().parse::<f32>().ok()).filter(|q| (0.0..=1.0).contains(q)).unwrap_or(1.0);
        // The most specific range decides; of two equally specific ones, the kinder.
        best = Some(best.map_or((specific, q), |best| if (specific, q) > best { (specific, q) } else { best }));
    }
    match best {
        Some((specific, q)) => (q, u8::from(specific == 2 && q > 0.0)),
        None if accept.is_empty() => (1.0, 0),
        None => (0.0, 0),
    }
}

/// What every page shows around its own content.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    pub user: Option<CurrentUser>,
    pub message: Option<String>,
    /// That the client is about to be limited, or is.
    pub warning: Option<Warning>,
    /// Where "Sign in" and "Register" lead back to, percent-encoded for a query.
    pub next: String,
}

impl Layout {
    #[must_use]
    pub fn of(request: &HttpRequest) -> Self {
        let state = request.app_data::<actix_web::web::Data<AppState>>();
        let message = state.and_then(|state| messages::read(request, state));
        let warning = Warning::of(request);
        Self { user: CurrentUser::of(request), message, warning, next: encode_query(&came_from(request)) }
    }
}

impl FromRequest for Layout {
    type Error = std::convert::Infallible;
    type Future = std::future::Ready<Result<Self, Self::Error>>;

    fn from_request(request: &HttpRequest, _: &mut dev::Payload) -> Self::Future {
        std::future::ready(Ok(Self::of(request)))
    }
}

/// The page that a reader would like to be on after signing in. On the pages where that is done, it is the
/// one that they came for.
fn came_from(request: &HttpRequest) -> String {
    let reading = matches!(*request.method(), Method::GET | Method::HEAD);
    match Address::of(request) {
        Some(address) if address.leads_on => next_path(&Query::of(request)),
        Some(address) if address.has_secret_query => "/".to_owned(),
        _ if reading => request.uri().path_and_query().map_or("/", |path| path.as_str()).to_owned(),
        _ => "/".to_owned(),
    }
}

/// A page: `Template` for people, `data` for programs.
pub trait Page: Template {
    type Data: Serialize;

    fn data(&self) -> &Self::Data;

    /// The value of a `Link` header, for lists.
    fn link(&self) -> Option<String> {
        None
    }
}

/// A page as the answer to a request. `P` knows its own [`Layout`].
#[derive(Debug)]
pub struct View<P> {
    page: P,
    error: Option<AppError>,
}

impl<P: Page> View<P> {
    pub fn new(page: P) -> Self {
        Self { page, error: None }
    }

    /// The page of a form that was not accepted, with the error's status; for programs, the error alone.
    pub fn rejected(page: P, error: AppError) -> Self {
        Self { page, error: Some(error) }
    }
}

/// Left on the response of a rejected form, for the log.
#[derive(Clone, Copy, Debug)]
pub struct Rejected(pub &'static str);

impl<P: Page> Responder for View<P> {
    type Body = BoxBody;

    fn respond_to(self, request: &HttpRequest) -> HttpResponse {
        match (Format::of(request), self.error) {
            (Format::Json, Some(error)) => HttpResponse::from_error(error),
            (Format::Json, None) => {
                let mut response = HttpResponse::Ok();
                if let Some(link) = self.page.link() {
                    response.insert_header((LINK, link));
                }
                json(request, &mut response, self.page.data())
            }
            (Format::Html, error) => {
                let mut response = HttpResponse::Ok();
                let Some(error) = error else { return html(request, &mut response, &self.page) };
                error.log();
                add_retry_after(&mut response, &error);
                let mut response = html(request, response.status(error.status_code()), &self.page);
                response.extensions_mut().insert(Rejected(error.code()));
                response
            }
        }
    }
}

/// What an act answers: it is done, or its form is shown again.
pub type Answer<D, P> = actix_web::Either<Done<D>, View<P>>;

/// Renders a page with the headers that all pages share, and takes the message away that it showed.
pub fn html(request: &HttpRequest, response: &mut HttpResponseBuilder, page: &impl Template) -> HttpResponse {
    let body = match page.render() {
        Ok(body) => body,
        Err(error) => return HttpResponse::from_error(AppError::Internal(error.to_string())),
    };
    let state = request.app_data::<actix_web::web::Data<AppState>>();
    if let Some(state) = state.filter(|state| messages::read(request, state).is_some()) {
        response.cookie(messages::remove(state));
    }
    public_or_private(request, response.content_type("text/html; charset=utf-8"), body)
}

/// What somebody signed in has seen is not for the next one at this computer.
fn public_or_private(request: &HttpRequest, response: &mut HttpResponseBuilder, body: String) -> HttpResponse {
    response.insert_header((VARY, "Accept, Cookie"));
    if CurrentUser::of(request).is_some() || request.cookies().is_ok_and(|cookies| !cookies.is_empty()) {
        return response.insert_header((CACHE_CONTROL, "no-store")).body(body);
    }
    conditional(request, response.insert_header((CACHE_CONTROL, "no-cache")), body)
}

fn json(request: &HttpRequest, response: &mut HttpResponseBuilder, data: &impl Serialize) -> HttpResponse {
    match serde_json::to_string(data) {
        Ok(body) => public_or_private(request, response.content_type("application/json"), body),
        Err(error) => HttpResponse::from_error(AppError::Internal(error.to_string())),
    }
}

/// The body, or 304 where the client has it already. The tag is weak, as the body may be compressed on its way.
pub fn conditional(request: &HttpRequest, response: &mut HttpResponseBuilder, body: String) -> HttpResponse {
    let tag = EntityTag::new_weak(BASE64_URL_SAFE_NO_PAD.encode(&Sha256::digest(&body)[..12]));
    let mut response = response.body(body);
    if response.status() != StatusCode::OK || !matches!(*request.method(), Method::GET | Method::HEAD) {
        return response;
    }
    if let Ok(value) = HeaderValue::from_str(&tag.to_string()) {
        response.headers_mut().insert(ETAG, value);
    }
    if is_known(request, &tag) {
        response.headers_mut().remove(CONTENT_TYPE);
        response.head_mut().status = StatusCode::NOT_MODIFIED;
        return response.set_body(BoxBody::new(()));
    }
    response
}

/// Whether the client says that it has what this tag stands for.
#[must_use]
pub fn is_known(request: &HttpRequest, tag: &EntityTag) -> bool {
    match IfNoneMatch::parse(request) {
        Ok(IfNoneMatch::Items(tags)) => tags.iter().any(|other| other.weak_eq(tag)),
        _ => false,
    }
}

/// Adds `Retry-After` where the error has one.
pub fn add_retry_after(response: &mut HttpResponseBuilder, error: &AppError) {
    if let Some(seconds) = error.retry_after() {
        response.insert_header(("Retry-After", seconds.to_string()));
    }
}

/// An act that succeeded: a status and data for programs, the next page and a message for people.
#[derive(Debug)]
pub struct Done<D> {
    status: StatusCode,
    data: Option<D>,
    /// Where people go on.
    location: String,
    /// Where programs find what was created.
    resource: Option<String>,
    message: Option<String>,
}

impl<D: Serialize> Done<D> {
    pub fn new(status: StatusCode, data: D, location: impl Into<String>) -> Self {
        Self { status, data: Some(data), location: location.into(), resource: None, message: None }
    }

    /// Names what was created, where that is not where people go on.
    #[must_use]
    pub fn resource(mut self, path: String) -> Self {
        self.resource = Some(path);
        self
    }

    /// Says on the next page what was done.
    #[must_use]
    pub fn message(mut self, message: impl Display) -> Self {
        self.message = Some(message.to_string());
        self
    }
}

impl Done<()> {
    /// An act with nothing to tell a program: 204.
    pub fn no_content(location: impl Into<String>) -> Self {
        Self { status: StatusCode::NO_CONTENT, data: None, location: location.into(), resource: None, message: None }
    }
}

impl<D: Serialize> Responder for Done<D> {
    type Body = BoxBody;

    fn respond_to(self, request: &HttpRequest) -> HttpResponse {
        if Format::of(request) == Format::Html {
            let mut response = HttpResponse::SeeOther();
            let state = request.app_data::<actix_web::web::Data<AppState>>();
            if let (Some(message), Some(state)) = (self.message, state) {
                response.append_header((SET_COOKIE, messages::write(&message, state)));
            }
            return response.insert_header((LOCATION, self.location)).finish();
        }
        let mut response = HttpResponse::build(self.status);
        if self.status == StatusCode::CREATED {
            response.insert_header((LOCATION, self.resource.unwrap_or(self.location)));
        }
        match self.data {
            Some(data) => json(request, &mut response, &data),
            None => response.finish(),
        }
    }
}

/// Where `?next=` leads, if it stays on this site; else to the front page.
#[must_use]
pub fn next_path(query: &Query) -> String {
    const LOCATION: &AsciiSet = &CONTROLS.add(b' ').add(b'"').add(b'<').add(b'>');
    let next = query.get("next").ok().flatten().filter(|next| is_path_of_this_site(next));
    utf8_percent_encode(next.as_deref().unwrap_or("/"), LOCATION).to_string()
}

/// A single `/` first, and nothing that a browser could take for a host: browsers read `\\` as `/`, skip
/// control characters, and proxies decode.
fn is_path_of_this_site(next: &str) -> bool {
    let Ok(decoded) = percent_decode_str(next).decode_utf8() else { return false };
    let harmless = |path: &str| {
        path.starts_with('/') && !path.starts_with("//") && !path.contains('\\') && !path.chars().any(char::is_control)
    };
    harmless(next) && harmless(&decoded)
}

/// All that is special in a query's value. `/` and `?` are not, and stay readable.
const QUERY: &AsciiSet =
    &CONTROLS.add(b' ').add(b'"').add(b'#').add(b'%').add(b'&').add(b'+').add(b'<').add(b'>').add(b'=').add(b'\'');

/// `text` as the value of a query parameter.
#[must_use]
pub fn encode_query(text: &str) -> String {
    utf8_percent_encode(text, QUERY).to_string()
}

/// A query of those parameters that are there, with its question mark; empty without any.
#[must_use]
pub fn query_of(parameters: &[(&str, Option<&str>)]) -> String {
    let given = parameters.iter().filter_map(|(name, value)| Some((name, value.filter(|value| !value.is_empty())?)));
    let pairs: Vec<String> = given.map(|(name, value)| format!("{name}={}", encode_query(value))).collect();
    if pairs.is_empty() { String::new() } else { format!("?{}", pairs.join("&")) }
}

/// `text` as one segment of a path.
#[must_use]
pub fn encode_segment(text: &str) -> String {
    const SEGMENT: &AsciiSet = &QUERY.add(b'/').add(b'?').add(b'`').add(b'{').add(b'}').add(b'\\');
    utf8_percent_encode(text, SEGMENT).to_string()
}

/// `20 November 2026`, in UTC.
#[must_use]
pub fn day(time: &DateTime<Utc>) -> String {
    time.format("%-d %B %Y").to_string()
}

/// For `<time datetime>`.
#[must_use]
pub fn machine(time: &DateTime<Utc>) -> String {
    time.to_rfc3339_opts(SecondsFormat::Secs, true)
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    fn format(accept: &str, body: &str) -> Format {
        let mut request = TestRequest::default();
        if !accept.is_empty() {
            request = request.insert_header((ACCEPT, accept));
        }
        Format::of(&request.insert_header(("Content-Type", body)).to_http_request())
    }

    #[test]
    fn the_representation_is_the_one_that_was_asked_for() {
        use Format::{Html, Json};
        let form = "application/x-www-form-urlencoded";
        for (accept, body, expected) in [
            ("", "", Html),
            ("", "application/json", Json),
            ("*/*", "application/json", Json),
            ("*/*", form, Html),
            ("application/json", form, Json),
            ("application/problem+json", "", Json),
            ("application/*", "", Json),
            ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "application/json", Html),
            ("application/json, text/html", "", Html),
            ("application/json, text/html", "application/json", Json),
            ("application/json, text/html;q=0.9", "", Json),
            ("application/json;q=0.5, */*;q=0.8", "", Html),
            ("application/json, */*", "", Json),
            ("text/html;q=0, */*", "", Json),
            ("application/json;q=0", "", Html),
            ("image/png", "", Html),
            ("image/png", "application/json", Json),
            ("nonsense;;q=x,,", "", Html),
        ] {
            assert_eq!(format(accept, body), expected, "Accept: {accept}, body: {body}");
        }
    }

    #[test]
    fn only_paths_of_this_site_are_followed() {
        for next in ["/", "/blogs/42/?stars=4", "/users/%D8%A7/", "/users/اردشیر/", "/blogs/?cursor=a_b-c"] {
            assert!(is_path_of_this_site(next), "{next}");
        }
        for next in [
            "",
            "//e",
            "/\\e",
            "\\\\e",
            "/%5ce",
            "/%5Ce",
            "/%09/e",
            "/\t/e",
            "https:e",
            "https://e",
            "javascript:alert(1)",
            "http:///e",
            "//a@e",
            "/%2fe",
            "/a\r\nSet-Cookie: b",
            "/%0d%0aX: y",
            "blogs/",
            "/%ff",
        ] {
            assert!(!is_path_of_this_site(next), "{next:?}");
        }
    }
}
