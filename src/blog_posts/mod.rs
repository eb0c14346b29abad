//! Posts: listing, searching, reading, writing, changing, deleting; and feeds of them.

pub(crate) mod cursor;
mod feeds;
mod listing;
pub mod models;
pub mod rendering;
pub mod search;
mod slug;
pub mod urls;
pub mod views;

pub use self::slug::path;
