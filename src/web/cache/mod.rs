//! Page cache for anonymous users.

pub mod middleware;
pub mod page_cache;
