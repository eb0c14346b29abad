//! Rating limiters: overrides by staff, and refused ratings.

pub mod overrides;
pub(crate) mod rating_limiter;
pub mod refusals;
