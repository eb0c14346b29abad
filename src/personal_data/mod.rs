//! All that an account has, wherever it is kept: taking it along, and erasing it.

pub mod endpoints;
pub mod erase;
mod export;
