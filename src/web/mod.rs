//! Web layer: requests, responses and routing, independent of feature modules such as `users` and `rate`.

pub mod error;
pub mod request;
pub mod response;
pub mod routing;
pub mod settings;
pub mod state;
pub mod time_limits;
