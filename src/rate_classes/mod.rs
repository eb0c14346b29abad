//! Rate classes: rate limits per client, modelled on the OSCAR protocol of AIM and ICQ. A client receives a warning
//! before it is limited. A limited client that continues to send requests is disconnected.
//!
//! For each class and client, a moving average of the time between requests is calculated
//! ([`RateClass`](evenkeel_limiters::RateClass)). Requests are decided in memory, and [`sync`] shares the averages
//! through `PostgreSQL`. With `LIMITER_STORE_URL`, requests are decided on a Valkey server, so that the limits are
//! exact for all instances together.

mod classes;
mod client_key;
pub mod endpoints;
pub mod error;
mod events;
mod middleware;
pub mod settings;
mod shared_store;
mod status;
mod subscribers;
pub mod sync;
pub mod urls;
mod views;

pub use self::classes::RateClasses;
pub use self::client_key::ClientId;
pub use self::middleware::{count_failed_session_lookups, limit_anonymous_requests, limit_authenticated_requests};
pub use self::settings::Settings;
