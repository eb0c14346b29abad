//! Outermost middleware apart from compression: time limits, error pages, security headers and access log.

use std::panic::AssertUnwindSafe;

use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::error::InternalError;
use actix_web::http::header::{
    ALLOW, CACHE_CONTROL, CONTENT_LANGUAGE, CONTENT_SECURITY_POLICY, CONTENT_TYPE, CROSS_ORIGIN_EMBEDDER_POLICY,
    CROSS_ORIGIN_OPENER_POLICY, CROSS_ORIGIN_RESOURCE_POLICY, HeaderMap, HeaderName, HeaderValue, LOCATION,
    REFERRER_POLICY, SET_COOKIE, STRICT_TRANSPORT_SECURITY, VARY, WWW_AUTHENTICATE, X_CONTENT_TYPE_OPTIONS,
    X_FRAME_OPTIONS,
};
use actix_web::http::uri::PathAndQuery;
use actix_web::http::{Method, StatusCode, Uri};
use actix_web::middleware::Next;
use actix_web::{HttpMessage as _, HttpResponse, ResponseError as _, web};
use askama::Template;
use futures_util::FutureExt as _;
use tokio::time::timeout;
use tracing::Instrument as _;

use super::cookies;
use crate::blog_posts::urls::is_reader_page;
use crate::i18n::{Locale, filters};
use crate::state::AppState;
use crate::text::encode_query_value;
use crate::web::error::{AppError, ErrorText};
use crate::web::request::client::Client;
use crate::web::request::context::RequestContext;
use crate::web::request::cookies::CookieName;
use crate::web::request::current_user::{CurrentUser, RequestId};
use crate::web::request::format::ResponseFormat;
use crate::web::request::locale;
use crate::web::response::layout::Layout;
use crate::web::response::messages;
use crate::web::response::rate_limit::RateLimitHeaders;
use crate::web::response::view::{ErrorCode, VARY_HEADERS, add_retry_after, render};
use crate::web::routing::route::{FRONT_PAGE, Route, RouteTable};
use crate::web::settings::Settings;
use crate::web::state::CoreState;
use crate::web::time_limits::TimeLimits;

const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
    font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

static HEADERS: [(HeaderName, &str); 7] = [
    (CONTENT_SECURITY_POLICY, POLICY),
    (CROSS_ORIGIN_EMBEDDER_POLICY, "require-corp"),
    (CROSS_ORIGIN_OPENER_POLICY, "same-origin"),
    (CROSS_ORIGIN_RESOURCE_POLICY, "same-origin"),
    (REFERRER_POLICY, "same-origin"),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (X_FRAME_OPTIONS, "DENY"),
];

pub fn security_headers(hsts: Option<&'static str>) -> impl Iterator<Item = (&'static HeaderName, &'static str)> {
    HEADERS.iter().map(|(name, value)| (name, *value)).chain(hsts.map(|hsts| (&STRICT_TRANSPORT_SECURITY, hsts)))
}

/// Produces a response to every request, even if its view fails, panics or times out.
pub async fn finalize_response(
    mut request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, actix_web::Error> {
    normalize_cookies(&mut request);
    let finalizer = ResponseFinalizer::new(&request);
    let span = tracing::info_span!("request", id = %finalizer.context.id);
    async move {
        // actix-web can only route a request to which no other reference exists, so it must not be cloned here.
        let has_body = !matches!(request.parts().1, actix_web::dev::Payload::None);
        request.extensions_mut().insert(finalizer.context.clone());
        let time_limit = TimeLimits::for_request(request.request()).total(has_body);
        let response = match timeout(time_limit, AssertUnwindSafe(next.call(request)).catch_unwind()).await {
            Ok(Ok(Ok(response))) => response.map_into_boxed_body(),
            Ok(Ok(Err(error))) => return Err(finalizer.error_without_request(&error)),
            Ok(Err(panic)) => {
                return Err(finalizer.error_without_request(&AppError::Internal(panic_text(&*panic)).into()));
            }
            Err(_) => {
                let slow = AppError::Unavailable(Some(anyhow::anyhow!("the request exceeded its time limit")));
                return Err(finalizer.error_without_request(&slow.into()));
            }
        };
        Ok(finalizer.complete(response))
    }
    .instrument(span)
    .await
}

fn normalize_cookies(request: &mut ServiceRequest) {
    cookies::drop_non_utf8(request.headers_mut());
    // The request has no `CoreState` during start-up.
    let state = request.app_data::<web::Data<CoreState>>().filter(|state| state.keys.has_fallbacks());
    if let Some(state) = state.cloned() {
        let name = CookieName::Session.name(state.settings.production);
        cookies::renew_signatures(request.headers_mut(), &state.keys, name);
    }
}

struct ResponseFinalizer {
    /// Request context without the data that inner middleware adds.
    context: RequestContext,
    method: Method,
    uri: Uri,
    hsts: Option<&'static str>,
    started_at: std::time::Instant,
    /// State of the instance; `None` during start-up.
    state: Option<web::Data<AppState>>,
    locale: Locale,
}

impl ResponseFinalizer {
    fn new(request: &ServiceRequest) -> Self {
        let settings = Settings::for_request(request.request());
        let language = locale::requested_language(request.request());
        let route = Route::matching(request);
        let context = RequestContext {
            id: RequestId(rand::random()),
            format: ResponseFormat::negotiate(route.as_deref(), request.method(), request.headers()),
            route,
            client: settings.and_then(|settings| Client::resolve(request, &settings.trusted_proxies)),
            language,
            user: None,
            rate_limited: None,
            rate_limit_warning: None,
            rate_limit_headers: None,
            link_counts: Vec::new(),
        };
        Self {
            context,
            method: request.method().clone(),
            uri: request.uri().clone(),
            hsts: settings.and_then(Settings::hsts),
            started_at: std::time::Instant::now(),
            locale: locale::locale_without_user(request.request(), language),
            state: request.app_data::<web::Data<AppState>>().cloned(),
        }
    }

    fn error_without_request(&self, error: &actix_web::Error) -> actix_web::Error {
        let layout = Layout { locale: self.locale, ..Layout::default() };
        let mut answer = self.render_any(error, layout);
        self.log_access(answer.status(), None, error.as_error::<AppError>().map(|error| error.error_text().code));
        self.add_headers(answer.headers_mut());
        InternalError::from_response(error.to_string(), answer).into()
    }

    fn complete(&self, mut response: ServiceResponse<BoxBody>) -> ServiceResponse<BoxBody> {
        let mut code = response.response().extensions().get::<ErrorCode>().map(|code| code.0);
        if let Some(error) = response.response().error() {
            code = error.as_error::<AppError>().map(|error| error.error_text().code);
            let layout = Layout::for_request(response.request());
            let shown = layout.message.is_some() && self.context.format == ResponseFormat::Html;
            let mut answer = self.render_any(error, layout);
            if let Some(state) = response.request().app_data::<web::Data<CoreState>>().filter(|_| shown) {
                let _ = answer.add_cookie(&messages::removal_cookie(state));
            }
            for cookie in response.headers().get_all(SET_COOKIE) {
                answer.headers_mut().append(SET_COOKIE, cookie.clone());
            }
            response = response.into_response(answer);
        }
        let user = CurrentUser::for_request(response.request());
        self.log_access(response.status(), user.as_ref(), code);
        self.add_headers(response.headers_mut());
        let fields =
            RequestContext::from_request(response.request()).and_then(|context| context.rate_limit_headers.clone());
        for (name, value) in fields.into_iter().flat_map(|RateLimitHeaders(fields)| fields) {
            response.headers_mut().insert(name, value);
        }
        response
    }

    fn render_any(&self, error: &actix_web::Error, layout: Layout) -> HttpResponse {
        match error.as_error::<AppError>() {
            Some(error) => self.render(error, layout),
            None => self.render(&AppError::from_actix(error), layout),
        }
    }

    fn render(&self, error: &AppError, layout: Layout) -> HttpResponse {
        error.log();
        if let Some(state) = &self.state {
            state.report_error(error);
        }
        let mut response = HttpResponse::build(error.status_code());
        response.insert_header((VARY, VARY_HEADERS)).insert_header((CACHE_CONTROL, "no-store"));
        response.insert_header((CONTENT_LANGUAGE, layout.locale.language.tag()));
        add_retry_after(&mut response, error);
        let reading = matches!(self.method, Method::GET | Method::HEAD);
        let limited = matches!(error, AppError::RateLimited { close, .. } if *close || !reading);
        if limited || matches!(error, AppError::Timeout) {
            // The client may never send the rest of the body, or has already sent too much.
            response.force_close();
        }
        if let AppError::MethodNotAllowed { allow, .. } = error {
            response.insert_header((ALLOW, allow.as_str()));
        }
        if let Some(challenge) = error.challenge() {
            response.insert_header((WWW_AUTHENTICATE, challenge));
        }
        if self.context.format == ResponseFormat::Json {
            let body = serde_json::to_string(&error.problem_details(layout.locale)).unwrap_or_default();
            return response.insert_header((CONTENT_TYPE, "application/problem+json")).body(body);
        }
        if let AppError::NotSignedIn { next } = error {
            let location = format!(
                "{}?next={}",
                RouteTable::global().sign_in_path(),
                encode_query_value(&self.next_after_sign_in(next.as_deref()))
            );
            return response.status(StatusCode::SEE_OTHER).insert_header((LOCATION, location)).finish();
        }
        let locale = layout.locale;
        let page = ErrorPage { layout, error, words: error.error_text(), reading, id: self.context.id.to_string() };
        match render(&page, locale) {
            Ok(body) => response.content_type("text/html; charset=utf-8").body(body),
            Err(_) => response
                .content_type("text/plain; charset=utf-8")
                .body(error.error_text().title.translate_to_text(locale)),
        }
    }

    /// Current page, or the front page if the URL only accepts unsafe methods: a redirect must not repeat an action.
    fn next_after_sign_in(&self, next: Option<&str>) -> String {
        if self.has_secret_query() {
            return FRONT_PAGE.to_owned();
        }
        let has_page = self.context.route.as_ref().is_some_and(|route| route.supports_get());
        let reading = has_page || matches!(self.method, Method::GET | Method::HEAD);
        let current = self.uri.path_and_query().filter(|_| reading).map_or(FRONT_PAGE, PathAndQuery::as_str);
        next.unwrap_or(current).to_owned()
    }

    fn has_secret_query(&self) -> bool {
        self.context.route.as_ref().is_some_and(|route| route.has_secret_query)
    }

    /// The query is omitted because it may contain a secret. The log formatter escapes the client's input.
    fn log_access(&self, status: StatusCode, user: Option<&CurrentUser>, code: Option<&str>) {
        // A 503 without an error code comes from the session store, which only fails if the database is unavailable.
        let unavailable = status == StatusCode::SERVICE_UNAVAILABLE && code.is_none();
        if let Some(state) = self.state.as_ref().filter(|_| unavailable) {
            state.availability.report_failure(None);
        }
        self.record_metrics(status, user);
        // Load balancers request health checks every few seconds, so only failures are logged at the level `info`.
        if self.context.route.as_ref().is_some_and(|route| route.is_health_check) && status.is_success() {
            tracing::debug!(path = self.uri.path(), "health check");
            return;
        }
        tracing::info!(
            method = %self.method,
            path = self.uri.path(),
            status = status.as_u16(),
            code,
            ms = u64::try_from(self.started_at.elapsed().as_millis()).unwrap_or(u64::MAX),
            client = self.context.client.map(|client| tracing::field::display(client.ip)),
            user_id = user.map(|user| user.id.0),
            "request completed"
        );
    }

    fn record_metrics(&self, status: StatusCode, user: Option<&CurrentUser>) {
        let Some(state) = &self.state else { return };
        let AppState { hourly_stats, response_metrics, .. } = &***state;
        let traffic = &hourly_stats.traffic;
        traffic.count_response(status);
        response_metrics.record(
            &self.method,
            self.context.route.as_deref(),
            status,
            self.started_at.elapsed().as_secs_f64(),
        );
        let is_read = self.method == Method::GET && matches!(status, StatusCode::OK | StatusCode::NOT_MODIFIED);
        let is_page = self.context.route.as_ref().is_some_and(|route| is_reader_page(route.pattern));
        let is_reader = user.is_none_or(|user| !user.is_staff());
        if is_read && is_page && is_reader && self.context.format == ResponseFormat::Html {
            let network = self.context.client.map(|client| client.network()).filter(|_| user.is_none());
            traffic.count_page_view((user.map(|user| user.id), network));
        }
    }

    fn add_headers(&self, headers: &mut HeaderMap) {
        for (name, value) in security_headers(self.hsts) {
            // Views can override security headers; for example, images may be embedded by other sites.
            if !headers.contains_key(name) {
                headers.insert(name.clone(), HeaderValue::from_static(value));
            }
        }
        if self.has_secret_query() {
            // The query is a secret that must not leak through the Referer header or a cache.
            headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
            headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        }
        if let Ok(id) = HeaderValue::from_str(&self.context.id.to_string()) {
            headers.insert(X_REQUEST_ID, id);
        }
    }
}

#[derive(Template)]
#[template(path = "error.html")]
struct ErrorPage<'a> {
    layout: Layout,
    error: &'a AppError,
    words: ErrorText,
    /// `true` for GET and HEAD: only these requests can be repeated by following a link.
    reading: bool,
    id: String,
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    format!("the request handler panicked: {}", text.unwrap_or("?"))
}
