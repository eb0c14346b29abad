//! Rating limiters of posts, limiter overrides by staff, and records of refused ratings.

pub mod overrides;
pub mod parameters;
pub(crate) mod rating_limiter;
pub mod refusals;
