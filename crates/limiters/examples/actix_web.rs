//! A server with actix-web that limits the requests of each API key. Requests without a valid key are limited by IP
//! address: a client that invents keys must not get a new limit with each of them.
//! With a URL as argument, the states are kept on a Valkey or Redis server, and several instances of the server share
//! them.
//!
//! ```text
//! cargo run -p evenkeel-limiters --example actix_web redis://127.0.0.1/
//! for i in 1 2 3 4 5 6; do curl -si -H 'X-API-Key: ann' http://127.0.0.1:3000/ | head -1; done
//! ```

#![allow(clippy::print_stderr, reason = "an example")]

use std::error::Error;
use std::sync::Arc;

use actix_web::dev::ServiceRequest;
use actix_web::{App, HttpServer, web};
use evenkeel_limiters::actix::RateLimit;
use evenkeel_limiters::http::{OnStoreError, ip_key};
use evenkeel_limiters::stores::{MemoryStore, Store, ValkeyStore};
use evenkeel_limiters::{LeakyBucket, LeakyBucketState};

/// API keys of this example. A real server looks them up in a database.
const KEYS: [&str; 2] = ["ann", "ben"];

fn client(request: &ServiceRequest) -> Option<String> {
    let key = request.headers().get("x-api-key").and_then(|key| key.to_str().ok());
    match key.filter(|key| KEYS.contains(key)) {
        Some(key) => Some(format!("key:{key}")),
        None => Some(format!("ip:{}", ip_key(request.peer_addr()?.ip()))),
    }
}

async fn serve<S>(store: S) -> Result<(), Box<dyn Error>>
where
    S: Store<str, LeakyBucket, Error: std::fmt::Display + 'static> + Send + Sync + 'static,
{
    let limit =
        RateLimit::new(LeakyBucket::per_second(1).burst(5).build()?, Arc::new(store), client).on_store_error(|error| {
            eprintln!("requests are not limited: {error}");
            OnStoreError::Allow
        });
    let app = move || App::new().wrap(limit.clone()).route("/", web::get().to(|| async { "Hello\n" }));
    Ok(HttpServer::new(app).bind("127.0.0.1:3000")?.run().await?)
}

#[actix_web::main]
async fn main() -> Result<(), Box<dyn Error>> {
    match std::env::args().nth(1) {
        Some(url) => serve(ValkeyStore::new(&url, "example:")?).await,
        None => serve(MemoryStore::<String, LeakyBucketState>::new(100_000)).await,
    }
}
