//! Route table, endpoints and static files.

pub mod endpoint;
pub(crate) mod path;
pub mod route;
pub mod static_files;
pub mod urls;
