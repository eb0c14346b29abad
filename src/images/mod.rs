//! Images of authors: made anew from what was sent, kept in a folder or an S3 store, and shown by the pages.

pub mod apart;
mod decode;
pub mod encode;
pub mod endpoints;
mod kind;
pub mod library;
mod limits;
pub mod models;
mod moving;
mod pixels;
mod problem;
pub mod settings;
pub mod store;
pub mod urls;
pub mod views;

pub use self::problem::Problem;
pub use self::settings::Settings;
