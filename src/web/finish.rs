//! What happens to every request before and after its view.

use std::panic::AssertUnwindSafe;
use std::rc::Rc;
use std::sync::Arc;

use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::error::InternalError;
use actix_web::http::header::{
    ALLOW, CACHE_CONTROL, CONTENT_TYPE, COOKIE, HOST, HeaderMap, HeaderName, HeaderValue, LOCATION, ORIGIN,
    REFERRER_POLICY, SET_COOKIE, VARY,
};
use actix_web::http::{Method, StatusCode, Uri};
use actix_web::middleware::Next;
use actix_web::{HttpMessage as _, HttpResponse, ResponseError as _, web};
use askama::Template;
use futures_util::FutureExt as _;
use tracing::Instrument as _;

use crate::database::Availability;
use crate::rate_classes::Seen;
use crate::site::starting::Progress;
use crate::site::urls::{self, Place};
use crate::users::CurrentUser;
use crate::web::address::{Address, Found};
use crate::web::client::Client;
use crate::web::connection::Link;
use crate::web::deadline::Deadline;
use crate::web::error::AppError;
use crate::web::messages;
use crate::web::state::AppState;
use crate::web::view::{Format, Layout, Rejected, add_retry_after, encode_query};

const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Scripts, styles and images come from this site alone, and nobody may frame it.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
    connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// The outermost middleware: gives the request an id and a line in the log, turns every error, whoever
/// made it, into its page or problem+json, and sets the security headers.
///
/// # Errors
/// Only in form: an error that comes with the response to send.
pub async fn finish(
    mut request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, actix_web::Error> {
    drop_unreadable_cookies(request.headers_mut());
    let place = urls::find(request.method(), request.path());
    if let Place::Here(address) = &place {
        request.extensions_mut().insert(Found(address.clone()));
    }
    let asked = Asked::of(&request, &place);
    let span = tracing::info_span!("request", id = %asked.id);
    async move {
        // No clone of the request may live on here: actix needs it to itself for routing.
        let _serving = request.conn_data::<Rc<Link>>().map(Link::serve);
        let deadline = Deadline::start();
        request.extensions_mut().insert(deadline.clone());
        if let Some(client) = asked.client {
            request.extensions_mut().insert(client);
        }
        let settled = match &place {
            Place::Elsewhere(_, path) => Some((moved(path, &asked.path_and_query), None)),
            Place::Misspelled => {
                let error = AppError::NotFound;
                Some((asked.render(&error, Layout::default()), Some(error.code())))
            }
            Place::Here(_) | Place::Unknown => None,
        };
        if let Some((mut answer, code)) = settled {
            asked.log(answer.status(), None, code);
            asked.add_headers(answer.headers_mut());
            return Ok(request.into_response(answer));
        }
        let mut response = match deadline.limit(AssertUnwindSafe(next.call(request)).catch_unwind()).await {
            None => {
                let slow = AppError::Unavailable(Some(anyhow::anyhow!("no answer in time")));
                return Err(asked.answer_without_request(&slow.into()));
            }
            Some(Ok(Ok(response))) => response.map_into_boxed_body(),
            Some(Ok(Err(error))) => return Err(asked.answer_without_request(&error)),
            Some(Err(panic)) => {
                return Err(asked.answer_without_request(&AppError::Internal(panic_text(&*panic)).into()));
            }
        };
        let mut code = response.response().extensions().get::<Rejected>().map(|rejected| rejected.0);
        if let Some(error) = response.response().error() {
            code = error.as_error::<AppError>().map(AppError::code);
            let layout = Layout::of(response.request());
            let shown = layout.message.is_some() && asked.format == Format::Html;
            let mut answer = asked.render_any(error, layout);
            if let Some(state) = response.request().app_data::<web::Data<AppState>>().filter(|_| shown) {
                let _ = answer.add_cookie(&messages::remove(state));
            }
            for cookie in response.headers().get_all(SET_COOKIE) {
                answer.headers_mut().append(SET_COOKIE, cookie.clone());
            }
            response = response.into_response(answer);
        }
        let user = CurrentUser::of(response.request()).map(|user| user.id);
        asked.log(response.status(), user, code);
        asked.add_headers(response.headers_mut());
        let seen = response.request().extensions().get::<Seen>().copied();
        for (name, value) in seen.filter(|_| asked.rate_limit_headers).iter().flat_map(Seen::fields) {
            response.headers_mut().insert(name, value);
        }
        Ok(response)
    }
    .instrument(span)
    .await
}

/// Somebody else's cookie that is no text would hide our own: they are read all or none.
fn drop_unreadable_cookies(headers: &mut HeaderMap) {
    let is_text = |value: &HeaderValue| std::str::from_utf8(value.as_bytes()).is_ok();
    if headers.get_all(COOKIE).all(is_text) {
        return;
    }
    let readable = |value: &HeaderValue| {
        let parts = value.as_bytes().split(|byte| *byte == b';').filter_map(|part| std::str::from_utf8(part).ok());
        HeaderValue::from_bytes(parts.collect::<Vec<_>>().join(";").as_bytes()).ok()
    };
    let kept: Vec<HeaderValue> = headers.get_all(COOKIE).filter_map(readable).collect();
    headers.remove(COOKIE);
    for value in kept {
        headers.append(COOKIE, value);
    }
}

/// What has to be known of a request after it has been given away.
struct Asked {
    id: String,
    format: Format,
    method: Method,
    path: String,
    path_and_query: String,
    /// Where it leads.
    address: Option<Arc<Address>>,
    client: Option<Client>,
    production: bool,
    rate_limit_headers: bool,
    since: std::time::Instant,
    availability: Option<Availability>,
}

impl Asked {
    fn of(request: &ServiceRequest, place: &Place) -> Self {
        let state = request.app_data::<web::Data<AppState>>();
        let settings = state.map(|state| &state.settings);
        Self {
            id: format!("{:016x}", rand::random::<u64>()),
            format: Format::of(request.request()),
            method: request.method().clone(),
            path: request.path().to_owned(),
            path_and_query: request.uri().path_and_query().map_or("/", |path| path.as_str()).to_owned(),
            address: match place {
                Place::Here(address) | Place::Elsewhere(address, _) => Some(address.clone()),
                Place::Unknown | Place::Misspelled => None,
            },
            client: settings.and_then(|settings| Client::of(request, settings)),
            production: settings.is_some_and(|settings| settings.production)
                || request.app_data::<web::Data<Progress>>().is_some_and(|progress| progress.is_production()),
            rate_limit_headers: settings.is_some_and(|settings| settings.rate_limit_headers),
            since: std::time::Instant::now(),
            availability: state.map(|state| state.availability.clone()),
        }
    }

    /// An error from outside the views has lost its request, and with it who is signed in.
    fn answer_without_request(&self, error: &actix_web::Error) -> actix_web::Error {
        let mut answer = self.render_any(error, Layout::default());
        self.log(answer.status(), None, error.as_error::<AppError>().map(AppError::code));
        self.add_headers(answer.headers_mut());
        InternalError::from_response(error.to_string(), answer).into()
    }

    fn render_any(&self, error: &actix_web::Error, layout: Layout) -> HttpResponse {
        match error.as_error::<AppError>() {
            Some(error) => self.render(error, layout),
            None => self.render(&AppError::from_foreign(error), layout),
        }
    }

    fn render(&self, error: &AppError, layout: Layout) -> HttpResponse {
        error.log();
        let mut response = HttpResponse::build(error.status_code());
        response.insert_header((VARY, "Accept, Cookie")).insert_header((CACHE_CONTROL, "no-store"));
        add_retry_after(&mut response, error);
        let reading = matches!(self.method, Method::GET | Method::HEAD);
        let limited = matches!(error, AppError::ClassLimited { close, .. } if *close || !reading);
        if limited || matches!(error, AppError::Timeout) {
            // The rest of the body may never come; or more than enough has.
            response.force_close();
        }
        if let AppError::MethodNotAllowed { allow } = error {
            response.insert_header((ALLOW, allow.as_str()));
        }
        if self.format == Format::Json {
            let body = serde_json::to_string(&error.problem()).unwrap_or_default();
            return response.insert_header((CONTENT_TYPE, "application/problem+json")).body(body);
        }
        if let AppError::NotSignedIn { next } = error {
            let location = format!("/users/login/?next={}", encode_query(&self.next_after_sign_in(next.as_deref())));
            return response.status(StatusCode::SEE_OTHER).insert_header((LOCATION, location)).finish();
        }
        let page = ErrorPage { layout, error, reading, id: &self.id };
        match page.render() {
            Ok(body) => response.content_type("text/html; charset=utf-8").body(body),
            Err(_) => response.content_type("text/plain; charset=utf-8").body(error.title()),
        }
    }

    /// Back to where the reader was, unless there is nothing to read: acts are not repeated by following a link.
    fn next_after_sign_in(&self, next: Option<&str>) -> String {
        // Where the query is a secret, it goes nowhere else.
        if self.has_secret_query() {
            return "/".to_owned();
        }
        let has_page = self.address.as_ref().is_some_and(|address| address.has_page());
        let reading = has_page || matches!(self.method, Method::GET | Method::HEAD);
        next.map_or_else(|| if reading { self.path_and_query.clone() } else { "/".to_owned() }, str::to_owned)
    }

    fn has_secret_query(&self) -> bool {
        self.address.as_ref().is_some_and(|address| address.has_secret_query)
    }

    /// One line; what clients wrote is escaped by the formatter. No query: it may hold what is secret.
    fn log(&self, status: StatusCode, user: Option<i64>, code: Option<&str>) {
        // What is no error of ours is the session store's, which has no other reason.
        let unavailable = status == StatusCode::SERVICE_UNAVAILABLE && matches!(code, None | Some("unavailable"));
        if let Some(availability) = self.availability.as_ref().filter(|_| unavailable) {
            availability.suspect();
        }
        tracing::info!(
            method = %self.method,
            path = ?self.path,
            status = status.as_u16(),
            code,
            ms = u64::try_from(self.since.elapsed().as_millis()).unwrap_or(u64::MAX),
            client = self.client.map(|client| tracing::field::display(client.address)),
            user_id = user,
            "answered"
        );
    }

    fn add_headers(&self, headers: &mut HeaderMap) {
        for (name, value) in [
            ("content-security-policy", CONTENT_SECURITY_POLICY),
            ("cross-origin-embedder-policy", "require-corp"),
            ("cross-origin-opener-policy", "same-origin"),
            ("cross-origin-resource-policy", "same-origin"),
            ("referrer-policy", "same-origin"),
            ("x-content-type-options", "nosniff"),
            ("x-frame-options", "DENY"),
        ] {
            headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        if self.has_secret_query() {
            // Who has the address may use it.
            headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
            headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        }
        if self.production {
            let year = HeaderValue::from_static("max-age=31536000; includeSubDomains");
            headers.insert(HeaderName::from_static("strict-transport-security"), year);
        }
        if let Ok(id) = HeaderValue::from_str(&self.id) {
            headers.insert(X_REQUEST_ID, id);
        }
    }
}

/// To the one spelling of an address; the query goes with it.
fn moved(path: &str, path_and_query: &str) -> HttpResponse {
    let query = path_and_query.split_once('?').map(|(_, query)| format!("?{query}")).unwrap_or_default();
    HttpResponse::PermanentRedirect().insert_header((LOCATION, format!("{path}{query}"))).finish()
}

#[derive(Template)]
#[template(path = "error.html")]
struct ErrorPage<'a> {
    layout: Layout,
    error: &'a AppError,
    /// Whether the same can be asked again by following a link.
    reading: bool,
    id: &'a str,
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    format!("a view panicked: {}", text.unwrap_or("?"))
}

/// Refuses requests for other hosts and from other sites.
///
/// # Errors
/// `bad_host`, `cross_site`.
pub async fn guard(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<impl MessageBody>, actix_web::Error> {
    let address = Address::of(request.request());
    if address.as_ref().is_some_and(|address| address.allows_any_host) {
        return next.call(request).await;
    }
    let state = request.app_data::<web::Data<AppState>>();
    let needs_database = address.as_ref().is_none_or(|address| address.has_session);
    let allowed = state.map_or(&[][..], |state| &state.settings.allowed_hosts);
    let host = host(request.headers(), request.uri()).ok_or(AppError::BadHost)?;
    if !allowed.iter().any(|allowed| allowed.allows(host.name())) {
        return Err(AppError::BadHost.into());
    }
    let safe = matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS);
    // Who has the secret may act from anywhere; and as its page sends no referrer, browsers call its origin `null`.
    let has_secret = address.is_some_and(|address| address.has_secret_query);
    let is_https = state.is_some_and(|state| state.settings.public_url.starts_with("https://"));
    if !safe && !has_secret && is_cross_site(request.headers(), &host, is_https) {
        return Err(AppError::CrossSite.into());
    }
    if needs_database && state.is_some_and(|state| state.availability.is_down()) {
        return Err(AppError::Unavailable(None).into());
    }
    next.call(request).await
}

/// A host in lower case, and its port if there was one.
#[derive(Debug, PartialEq, Eq)]
struct Host {
    text: String,
}

impl Host {
    /// `None` for what is no host: anything but a name or address and an optional port.
    fn parse(text: &str) -> Option<Self> {
        let host = Self { text: text.to_ascii_lowercase() };
        let (name, port) = (host.name(), host.port());
        let is_name = |name: &str| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._".contains(&byte));
        let is_ipv6 = |name: &str| name.bytes().all(|byte| byte.is_ascii_hexdigit() || b":.[]".contains(&byte));
        let valid_name = if name.starts_with('[') { name.ends_with(']') && is_ipv6(name) } else { is_name(name) };
        let is_port = |port: &str| port.bytes().all(|byte| byte.is_ascii_digit()) && port.parse::<u16>().is_ok();
        let valid_port = port.is_none_or(is_port);
        (!name.is_empty() && valid_name && valid_port).then_some(host)
    }

    fn split(&self) -> (&str, Option<&str>) {
        let after_address = self.text.rfind(']').map_or(0, |end| end + 1);
        match self.text[after_address..].find(':') {
            Some(colon) => {
                let (name, port) = self.text.split_at(after_address + colon);
                (name, Some(&port[1..]))
            }
            None => (&self.text, None),
        }
    }

    fn name(&self) -> &str {
        self.split().0
    }

    fn port(&self) -> Option<&str> {
        self.split().1
    }
}

/// The host that the client asks for: the request line's where it has one, else the one Host header.
fn host(headers: &HeaderMap, uri: &Uri) -> Option<Host> {
    let mut named = headers.get_all(HOST);
    let header = named.next().and_then(|value| value.to_str().ok());
    if named.next().is_some() {
        return None;
    }
    Host::parse(uri.authority().map(actix_web::http::uri::Authority::as_str).or(header)?)
}

/// The rule of Go's `CrossOriginProtection`: browsers say where a request comes from; what says nothing is no browser.
fn is_cross_site(headers: &HeaderMap, host: &Host, is_https: bool) -> bool {
    // Where there are two lines, both have to be good.
    if headers.contains_key("sec-fetch-site") {
        return headers.get_all("sec-fetch-site").any(|site| site != "same-origin" && site != "none");
    }
    let mut origins = headers.get_all(ORIGIN);
    let Some(origin) = origins.next() else { return false };
    if origins.next().is_some() {
        return true;
    }
    let origin = origin.to_str().ok().and_then(|origin| origin.split_once("://"));
    let Some((scheme, authority)) = origin else { return true };
    let Some(origin) = Host::parse(authority) else { return true };
    let default = match scheme {
        "https" => "443",
        // Whoever can change what comes by http is not to act on a site that is https.
        "http" if !is_https => "80",
        _ => return true,
    };
    // Without a port, Host means the default of a scheme that only the proxy knows: the origin's own.
    origin.name() != host.name() || origin.port().unwrap_or(default) != host.port().unwrap_or(default)
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    fn cross_site(host: &str, headers: &[(&'static str, &str)]) -> bool {
        cross_site_of(false, host, headers)
    }

    fn cross_site_of(is_https: bool, host: &str, headers: &[(&'static str, &str)]) -> bool {
        let mut request = TestRequest::default();
        for (name, value) in headers {
            request = request.append_header((*name, *value));
        }
        is_cross_site(request.to_http_request().headers(), &Host::parse(host).unwrap(), is_https)
    }

    #[test]
    fn only_pages_of_this_site_may_act() {
        assert!(!cross_site("a.example", &[]));
        assert!(!cross_site("a.example", &[("sec-fetch-site", "same-origin"), ("origin", "https://b.example")]));
        assert!(!cross_site("a.example", &[("sec-fetch-site", "none")]));
        assert!(cross_site("a.example", &[("sec-fetch-site", "same-site")]));
        assert!(cross_site("a.example", &[("sec-fetch-site", "cross-site"), ("origin", "https://a.example")]));
        assert!(!cross_site("a.example", &[("origin", "https://a.example")]));
        assert!(!cross_site("a.example:443", &[("origin", "https://a.example")]));
        assert!(!cross_site("127.0.0.1:8000", &[("origin", "http://127.0.0.1:8000")]));
        assert!(!cross_site("[::1]:8000", &[("origin", "http://[::1]:8000")]));
        assert!(cross_site("127.0.0.1:8000", &[("origin", "http://127.0.0.1:8001")]));
        assert!(cross_site("a.example", &[("origin", "https://a.example:444")]));
        assert!(cross_site("a.example", &[("origin", "https://a.example.evil.example")]));
        assert!(!cross_site("a.example", &[("origin", "http://a.example")]));
        assert!(cross_site_of(true, "a.example", &[("origin", "http://a.example")]));
        assert!(cross_site_of(true, "a.example:443", &[("origin", "http://a.example:443")]));
        assert!(!cross_site_of(true, "a.example", &[("origin", "https://a.example")]));
        assert!(cross_site("a.example", &[("sec-fetch-site", "same-origin"), ("sec-fetch-site", "cross-site")]));
        assert!(cross_site("a.example", &[("origin", "https://a.example"), ("origin", "https://b.example")]));
        assert!(cross_site("a.example", &[("origin", "null")]));
        assert!(cross_site("a.example", &[("origin", "chrome-extension://a.example")]));
    }

    #[test]
    fn a_cookie_that_is_no_text_does_not_hide_the_others() {
        let mut headers = HeaderMap::new();
        headers.append(COOKIE, HeaderValue::from_bytes(b"a=\xff; session=good").unwrap());
        headers.append(COOKIE, HeaderValue::from_bytes(b"b=\xfe").unwrap());
        headers.append(COOKIE, HeaderValue::from_bytes("c=ü".as_bytes()).unwrap());
        drop_unreadable_cookies(&mut headers);
        let left: Vec<&[u8]> = headers.get_all(COOKIE).map(HeaderValue::as_bytes).collect();
        assert_eq!(left, [b" session=good".as_slice(), b"", "c=ü".as_bytes()]);
    }

    #[test]
    fn a_host_is_a_name_and_perhaps_a_port() {
        let parts = |text: &str| Host::parse(text).map(|host| (host.name().to_owned(), host.port().map(str::to_owned)));
        assert_eq!(parts("A.Example:80"), Some(("a.example".to_owned(), Some("80".to_owned()))));
        assert_eq!(parts("[::1]:8000"), Some(("[::1]".to_owned(), Some("8000".to_owned()))));
        assert_eq!(parts("[::1]"), Some(("[::1]".to_owned(), None)));
        for text in ["", ":80", "a b", "a<c>", "a/b", "a@b", "a:port", "a:99999", "a:+80", "a:", "[::1", "a:1:2", "é"]
        {
            assert_eq!(parts(text), None, "{text}");
        }
    }
}
