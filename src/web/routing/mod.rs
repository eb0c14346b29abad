//! Routes: the URL table, endpoints, and the static files.

pub mod endpoint;
pub(crate) mod path;
pub mod route;
pub mod static_files;
pub mod urls;
