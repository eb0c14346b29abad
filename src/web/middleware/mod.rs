//! Middleware of every request.

pub mod cookies;
pub mod finish;
pub mod origin_check;
pub(crate) mod security_headers;
pub mod trace;
