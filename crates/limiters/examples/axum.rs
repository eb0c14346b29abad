//! A server with axum that limits the requests of each IP address.
//!
//! ```text
//! cargo run -p evenkeel-limiters --example axum
//! for i in 1 2 3 4 5 6; do curl -si http://127.0.0.1:3000/ | head -1; done
//! ```

use std::error::Error;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::ConnectInfo;
use axum::routing::{get, post};
use evenkeel_limiters::LeakyBucket;
use evenkeel_limiters::http::ip_key;
use evenkeel_limiters::stores::MemoryStore;
use evenkeel_limiters::tower::RateLimitLayer;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let client = |request: &http::request::Parts| {
        let ConnectInfo(connection) = request.extensions.get::<ConnectInfo<SocketAddr>>()?;
        Some(ip_key(connection.ip()))
    };
    // Limit for all pages: five requests at once, then one per second.
    let store = Arc::new(MemoryStore::new(100_000));
    let all_pages = RateLimitLayer::new(LeakyBucket::per_second(1).burst(5).build()?, store, client);
    // Limit for sign-in, in addition to the limit for all pages: ten attempts per hour.
    let store = Arc::new(MemoryStore::new(100_000));
    let sign_in = RateLimitLayer::new(LeakyBucket::per(10, Duration::from_hours(1)).build()?, store, client);

    let app = Router::new()
        .route("/", get(|| async { "Hello\n" }))
        .route("/sign-in", post(|| async { "Wrong password\n" }).layer(sign_in.with_name("sign-in")))
        .layer(all_pages);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:3000").await?;
    axum::serve(listener, app.into_make_service_with_connect_info::<SocketAddr>()).await?;
    Ok(())
}
