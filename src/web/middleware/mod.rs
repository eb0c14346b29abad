//! Middleware that every request passes through.

pub mod cookies;
pub mod cors;
pub mod finalize_response;
pub mod idempotency;
pub mod origin_check;
pub(crate) mod security_headers;
