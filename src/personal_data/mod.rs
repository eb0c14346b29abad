//! Export and erasure of all personal data of an account.

pub mod endpoints;
pub mod erase;
mod export;
