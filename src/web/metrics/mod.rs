//! Response metrics and traffic statistics.

pub mod responses;
pub mod traffic;
