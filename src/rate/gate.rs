//! The limiter in front of each post.

use crate::limiters::AnyLimiter;
use crate::limiters::stores::postgres::KeyedLimit;
use crate::limiters::together::Limit;

/// The key of a post's state.
pub fn key(blog: i64) -> String {
    format!("post:{blog}")
}

/// A post's gate.
pub fn limit(limiter: &AnyLimiter, blog: i64) -> KeyedLimit<'_, AnyLimiter> {
    KeyedLimit { key: key(blog), limit: Limit { name: "post", limiter } }
}
