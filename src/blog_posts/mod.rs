//! Posts: listing, searching, reading, writing, changing, deleting; and feeds of them.

mod also;
pub mod article;
mod difference;
mod editor;
pub mod endpoints;
mod feeds;
pub mod input;
mod introduction;
mod linked;
mod listing;
pub mod models;
pub mod purpose;
pub mod reading;
pub mod recheck;
pub mod rendering;
pub mod schedule;
pub mod search;
pub mod search_terms;
mod slug;
mod unusual;
pub mod urls;
pub mod views;

pub use self::input::Tags;
pub use self::models::PostId;
pub use self::slug::{of as slug, page};
