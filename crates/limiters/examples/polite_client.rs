//! A client that requests a URL as often as its server permits: it waits as long as `Retry-After` says, and longer after
//! each failure. Without an argument, it requests a server that this program starts, which is overloaded at first.
//!
//! ```text
//! cargo run -p evenkeel-limiters --example polite_client
//! cargo run -p evenkeel-limiters --example polite_client http://127.0.0.1:3000/
//! ```

#![allow(clippy::print_stdout, reason = "an example")]

use std::error::Error;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::atomic::{AtomicU32, Ordering};

use axum::Router;
use axum::http::StatusCode;
use axum::routing::get;
use evenkeel_limiters::{Clock as _, Pacer, PacerParams, SystemClock};

/// Number of requests after which this program ends.
const REQUESTS: u32 = 8;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let url = match std::env::args().nth(1) {
        Some(url) => url,
        None => start_server().await?,
    };
    let pacer = Pacer::new(PacerParams { base_ms: 100, max_ms: 3_600_000, initial_max_ms: 100 })?;
    let client = reqwest::Client::new();
    let now = || SystemClock.now().unix_millis();
    let mut state = pacer.initial_state(now(), random())?;
    for _ in 0..REQUESTS {
        let wait = pacer.check(&mut state, now()).retry_after;
        tokio::time::sleep(wait).await;
        let response = client.get(&url).send().await;
        state = match &response {
            Ok(response) if response.status().is_success() => pacer.record_success(now(), None),
            // The response 429 is not a failure, because it states the required wait.
            Ok(response) if response.status() == 429 => pacer.record_success(now(), Some(retry_after_ms(response))),
            _ => pacer.record_failure(&state, now(), random())?,
        };
        let result = response.map_or_else(|error| error.to_string(), |response| response.status().to_string());
        println!("waited {wait:?}: {result}");
    }
    Ok(())
}

fn retry_after_ms(response: &reqwest::Response) -> i64 {
    let seconds = response.headers().get("retry-after").and_then(|value| value.to_str().ok()?.parse::<i64>().ok());
    seconds.unwrap_or(60).saturating_mul(1_000)
}

/// Random number of at least 0 and below 1. A larger program would use the crate `rand`.
fn random() -> f64 {
    let bits = u32::try_from(RandomState::new().hash_one(()) >> 32).unwrap_or_default();
    f64::from(bits) / 4_294_967_296.0
}

/// Starts a server that is overloaded for three requests and then asks once for a wait of one second.
async fn start_server() -> Result<String, Box<dyn Error>> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let page = || async {
        match COUNT.fetch_add(1, Ordering::Relaxed) {
            0..3 => (StatusCode::SERVICE_UNAVAILABLE, [("retry-after", "")]),
            3 => (StatusCode::TOO_MANY_REQUESTS, [("retry-after", "1")]),
            _ => (StatusCode::OK, [("retry-after", "")]),
        }
    };
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}/", listener.local_addr()?);
    let app = Router::new().route("/", get(page));
    tokio::spawn(std::future::IntoFuture::into_future(axum::serve(listener, app)));
    Ok(url)
}
