//! Page cache for anonymous users.

pub mod middleware;
pub mod pages;
