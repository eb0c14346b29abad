//! Middleware that every request passes through.

mod cookies;
pub mod cors;
pub mod finalize_response;
pub mod idempotency;
pub mod origin_check;
pub mod page_cache;
