//! Route table, endpoints and static files.

pub mod endpoint;
pub mod operation;
pub mod route;
pub mod static_files;
pub mod urls;
