//! The desk: where those who run the site see what goes on. Nobody else is told that it is there.

pub mod endpoints;
mod limiter;
mod list;
mod log;
mod reports;
mod urls;
mod users;
mod views;
