//! HTTP server and its connections, with limits on their number and duration.

pub mod deadline;
pub mod lifecycle;
pub mod limits;
pub mod permits;
pub mod server;
