//! Prometheus metrics of HTTP responses: counts and durations since start-up.

use actix_web::http::{Method, StatusCode};
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::histogram::Histogram;

use crate::web::routing::route::Route;

/// Upper bounds of the histogram buckets in seconds, from cached responses to the longest request deadline.
const DURATION_BUCKETS: [f64; 13] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0];

/// Labels of the duration histogram. `route` is a route pattern, not the requested path, to keep the cardinality low.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct DurationLabels {
    method: &'static str,
    route: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct CountLabels {
    method: &'static str,
    route: &'static str,
    status: u16,
}

/// All clones of `ResponseMetrics` share their counters.
#[derive(Clone, Debug)]
pub struct ResponseMetrics {
    pub requests: Family<CountLabels, Counter>,
    /// Seconds from the end of the request head to the response, or to the start of a streamed response.
    pub seconds: Family<DurationLabels, Histogram, fn() -> Histogram>,
}

impl Default for ResponseMetrics {
    fn default() -> Self {
        Self { requests: Family::default(), seconds: Family::new_with_constructor(|| Histogram::new(DURATION_BUCKETS)) }
    }
}

impl ResponseMetrics {
    pub fn record(&self, method: &Method, route: Option<&Route>, status: StatusCode, seconds: f64) {
        let (method, route) = (method_label(method), route.map_or("none", |route| route.pattern));
        self.requests.get_or_create(&CountLabels { method, route, status: status.as_u16() }).inc();
        self.seconds.get_or_create(&DurationLabels { method, route }).observe(seconds);
    }
}

/// Unknown methods share one label, because clients can send arbitrary methods.
fn method_label(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::OPTIONS => "OPTIONS",
        _ => "other",
    }
}
