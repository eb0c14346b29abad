//! Web layer that the feature modules such as `users` and `rate` use, and that does not depend on them.
//!
//! In the order of request processing:
//! - [`middleware`]: request id, access log, error pages, host and origin check
//! - [`routing`]: route table, endpoints, static files
//! - [`cache`]: page cache for anonymous users
//! - [`request`]: client, user, language, body, fields, query
//! - [`response`]: pages, forms, pagination, one-time messages
//! - [`error`]: errors with their status, code and text

pub mod cache;
pub mod error;
pub mod http_server;
pub mod metrics;
pub mod middleware;
pub mod permits;
pub mod request;
pub mod response;
pub mod routing;
pub mod settings;
pub mod state;
pub mod time_limits;
