//! Workers that send messages to customers: at most 50 messages per second in total, and one per second to each customer.
//! The workers wait instead of dropping messages.
//!
//! ```text
//! cargo run -p evenkeel-limiters --example worker
//! ```

#![allow(clippy::print_stdout, reason = "an example")]

use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, Instant};

use evenkeel_limiters::{LeakyBucket, RateLimiter};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let total = Arc::new(RateLimiter::<(), _>::new(LeakyBucket::per_second(50).burst(1).build()?, 1));
    let customers = Arc::new(RateLimiter::<String, _>::new(LeakyBucket::per_second(1).build()?, 10_000));
    let start = Instant::now();
    let messages = (0..60).map(|number| {
        let (total, customers) = (Arc::clone(&total), Arc::clone(&customers));
        tokio::spawn(async move {
            let customer = format!("customer {}", number % 20);
            // Waits for the limit of the customer first, so that a waiting message does not use the shared limit.
            customers.until_ready(customer.as_str(), Duration::from_millis(50)).await;
            total.until_ready(&(), Duration::from_millis(5)).await;
            println!("{:>5} ms: message {number} to {customer}", start.elapsed().as_millis());
        })
    });
    for message in messages.collect::<Vec<_>>() {
        message.await?;
    }
    Ok(())
}
