//! The desk: where those who run the site see what goes on. Nobody else is told that it is there.

mod deeds;
pub mod endpoints;
pub mod front;
pub mod limiter;
mod list;
mod lists;
mod log;
mod reports;
mod urls;
mod users;
