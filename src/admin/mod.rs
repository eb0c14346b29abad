//! The admin area: where those who run the site see what goes on. Nobody else is told that it is there.

mod actions;
mod audit_log;
pub mod dashboard;
pub mod endpoints;
pub mod error;
pub mod limiter;
mod list;
mod lists;
mod reports;
mod urls;
mod users;
