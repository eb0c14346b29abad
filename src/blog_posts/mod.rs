//! Blog posts: lists, search, pages, editor and feeds.

pub mod changes;
pub mod editor;
pub mod endpoints;
pub mod error;
mod feeds;
mod listing;
pub mod models;
pub mod post_detail;
pub mod published_event;
pub mod queries;
pub mod quota;
pub mod rendering;
pub mod schedule;
pub mod search;
pub mod sign_in_reason;
mod slug;
pub mod stored_post;
pub mod urls;
pub mod views;

pub use self::editor::input::Tags;
pub use self::models::PostId;
pub use self::slug::{post_path, slugify as slug};
