//! The desk: where those who run the site see what goes on. Nobody else is told that it is there.

pub mod endpoints;
mod limiter;
mod log;
mod urls;
mod users;
mod views;
