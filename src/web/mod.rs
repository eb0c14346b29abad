//! Web layer that the feature modules such as `users` and `rate` use, and that does not depend on them.

pub mod error;
pub mod request;
pub mod response;
pub mod routing;
pub mod settings;
pub mod state;
pub mod time_limits;
