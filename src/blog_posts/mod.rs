//! Blog posts: lists, search, pages, editor and feeds.

pub mod deleted_posts;
pub mod editor;
pub mod endpoints;
mod feeds;
mod list_drafts;
mod list_posts;
pub mod list_tags;
mod listing;
pub mod models;
pub mod post_cache;
pub mod post_detail;
pub mod published_event;
pub mod quota;
pub mod rendering;
pub mod revisions;
pub mod schedule;
pub mod search;
mod show_author;
pub mod show_post;
pub mod sidebar;
mod sitemap;
pub mod urls;

pub use self::editor::input::Tags;
pub use self::models::PostId;
pub use self::urls::{post_path, slugify as slug};
