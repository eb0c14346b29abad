//! Posts: listing, reading, writing, changing, deleting.

mod cursor;
pub mod models;
pub mod urls;
pub mod views;
