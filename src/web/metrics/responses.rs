//! What an instance has answered since it started, and how long that took: for monitoring.

use actix_web::http::{Method, StatusCode};
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::histogram::Histogram;

use crate::web::routing::route::Route;

/// Upper bounds of durations in seconds: from what is kept in memory to the longest deadline of a request.
const SECONDS: [f64; 13] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0];

/// Where a request led: a pattern of the site's addresses, never what a client wrote, so that there are few.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct ResponseLabels {
    method: &'static str,
    route: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct Answer {
    method: &'static str,
    route: &'static str,
    status: u16,
}

/// Clones share the counts.
#[derive(Clone, Debug)]
pub struct Answered {
    pub requests: Family<Answer, Counter>,
    /// From the end of a request's head to its answer; of what is streamed, to its beginning.
    pub seconds: Family<ResponseLabels, Histogram, fn() -> Histogram>,
}

impl Default for Answered {
    fn default() -> Self {
        Self { requests: Family::default(), seconds: Family::new_with_constructor(|| Histogram::new(SECONDS)) }
    }
}

impl Answered {
    /// Counts an answer. `address` is none where there is none.
    pub fn count(&self, method: &Method, address: Option<&Route>, status: StatusCode, seconds: f64) {
        let (method, route) = (name(method), address.map_or("none", |address| address.pattern));
        self.requests.get_or_create(&Answer { method, route, status: status.as_u16() }).inc();
        self.seconds.get_or_create(&ResponseLabels { method, route }).observe(seconds);
    }
}

/// Clients may send any method at all.
fn name(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::OPTIONS => "OPTIONS",
        _ => "other",
    }
}
