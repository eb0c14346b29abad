//! Commands of the `evenkeel` program, except the server.

pub mod accounts;
mod atomic_file;
pub mod backup;
pub mod check;
pub mod check_ratings;
pub mod custom_limits;
mod error_messages;
pub mod import;
pub mod limiter;
pub mod migrations;
pub mod pauses;
mod progress;
pub mod replay;
pub mod seed_demo;
pub mod threat_lists;
pub mod tokens;
