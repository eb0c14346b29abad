//! Uploaded images: re-encoded, stored in a folder or an S3 bucket, and served to pages.

pub mod encoding;
pub mod endpoints;
pub mod error;
pub mod image_library;
mod limits;
pub mod models;
pub mod settings;
pub mod store;
pub mod urls;
pub mod views;

pub use self::encoding::error::ImageProblem;
pub use self::settings::ImageSettings;
