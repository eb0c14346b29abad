//! Rate classes: rate limits per client, modelled on the OSCAR protocol of AIM and ICQ. A client is warned before it is
//! limited, and disconnected if it continues regardless.
//!
//! Every route except static files and health checks belongs to a class. Each user, and each network of anonymous
//! visitors, has a moving average of the gaps between its requests in each class
//! ([`RateClass`](evenkeel_limiters::RateClass)). Requests are decided in memory. [`sync`] writes the averages to
//! `PostgreSQL` shortly afterwards, for other instances and for this one after a restart.

mod classes;
mod client_key;
pub mod endpoints;
pub mod error;
mod events;
mod middleware;
pub mod settings;
mod status;
mod subscribers;
pub mod sync;
pub mod urls;
mod views;

pub use self::classes::RateClasses;
pub use self::client_key::ClientId;
pub use self::middleware::{count_failed_session_lookups, limit_requests};
pub use self::settings::Settings;
