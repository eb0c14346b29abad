//! Rating limiters of posts, limiter overrides by staff, and records of refused ratings.

pub mod overrides;
pub mod parameters;
pub mod refusals;
