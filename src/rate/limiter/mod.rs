//! Rating limiters: which one applies to a post, and the ratings that it refused.

pub mod overrides;
pub(crate) mod rating_limiter;
pub mod refusals;
