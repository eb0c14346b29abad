//! Tracing spans of requests, with W3C Trace Context propagation.

use actix_web::dev::ServiceRequest;
use actix_web::http::StatusCode;
use actix_web::http::header::{HeaderMap, HeaderName};
use opentelemetry::propagation::{Extractor, TextMapPropagator as _};
use opentelemetry::trace::{Status, TraceContextExt as _};
use opentelemetry_sdk::propagation::TraceContextPropagator;
use tracing::Span;
use tracing::field::Empty;
use tracing_opentelemetry::OpenTelemetrySpanExt as _;

use crate::log::is_tracing_enabled;
use crate::web::request::client::TrustedProxies;
use crate::web::request::current_user::RequestId;
use crate::web::routing::route::Route;

struct Headers<'a>(&'a HeaderMap);

impl Extractor for Headers<'_> {
    fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key)?.to_str().ok()
    }

    fn keys(&self) -> Vec<&str> {
        self.0.keys().map(HeaderName::as_str).collect()
    }
}

/// Creates the span of a request. The `traceparent` header is only used if a trusted proxy sent it: otherwise any
/// client could force the sampling of its requests.
pub fn request_span(
    request: &ServiceRequest,
    id: RequestId,
    address: Option<&Route>,
    proxies: Option<&TrustedProxies>,
) -> Span {
    let span = if is_tracing_enabled() {
        let route = address.map_or("none", |address| address.pattern);
        let name = format!("{} {route}", request.method());
        let span = tracing::info_span!("request", %id, trace_id = Empty, otel.name = name, otel.kind = "server");
        span.set_attribute("http.request.method", request.method().to_string());
        span.set_attribute("http.route", route);
        span
    } else {
        tracing::info_span!("request", %id, trace_id = Empty)
    };
    let peer = request.peer_addr().map(|peer| peer.ip());
    let is_believed = peer.zip(proxies).is_some_and(|(peer, proxies)| proxies.contains(peer));
    let context = is_believed.then(|| TraceContextPropagator::new().extract(&Headers(request.headers())));
    let remote_context = context.filter(|context| context.span().span_context().is_valid());
    let of_span = remote_context.clone().or_else(|| is_tracing_enabled().then(|| span.context()));
    if let Some(remote_context) = remote_context {
        let _ = span.set_parent(remote_context);
    }
    if let Some(context) = of_span {
        span.record("trace_id", context.span().span_context().trace_id().to_string());
    }
    span
}

/// Records the response status on the current request's span.
pub fn record_status(status: StatusCode) {
    if is_tracing_enabled() {
        let span = Span::current();
        span.set_attribute("http.response.status_code", i64::from(status.as_u16()));
        if status.is_server_error() {
            span.set_status(Status::error(status.to_string()));
        }
    }
}
