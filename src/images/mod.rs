//! Uploaded images: re-encoded, stored in a folder or an S3 bucket, and served to pages.

pub mod endpoints;
pub mod error;
pub mod image_change;
pub mod image_library;
pub mod models;
mod problem_message;
pub mod settings;
pub mod store;
pub mod urls;
pub mod views;

pub use self::settings::ImageSettings;
