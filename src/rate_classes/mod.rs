//! Rate classes: what one client may do, as in OSCAR (the protocol of AIM and ICQ). A client is warned before it is
//! limited, and one that goes on regardless is shown the door.
//!
//! Every address but files and health checks belongs to a class. Each user, and each network of those who are
//! not signed in, has a moving average of the gaps between its requests in each class
//! ([`RateClass`](crate::limiters::RateClass)). It is decided in memory; [`sync`] writes it behind to `PostgreSQL`, where
//! restarts and other instances find it.

mod classes;
pub mod endpoints;
mod events;
mod limit;
mod report;
pub mod settings;
mod subscribers;
pub mod sync;
pub mod urls;
mod views;
mod who;

pub use self::classes::RateClasses;
pub use self::limit::{charge_failures, limit};
pub use self::settings::Settings;
pub use self::who::Who;
