//! Counts of responses.

pub mod responses;
pub mod traffic;
