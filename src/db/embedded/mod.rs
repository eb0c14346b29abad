//! The private `PostgreSQL` server, which lets `cargo run` work without any set-up.
//!
//! A cluster lives in one folder. It can be reached through a unix socket only, and only by the user who started it. It
//! runs as long as any process uses it: every such process holds the write end of a FIFO, and a small shell beside the
//! server reads from it. When the last holder is gone (it returned, panicked or was killed), the kernel closes the
//! FIFO; the shell sees its end and stops the server. So the kernel counts the users for us, across processes.

mod error;
mod files;
mod folder;
mod initialise;
mod programs;
mod running;
mod server;
mod server_user;

pub use self::error::ClusterError;
pub use self::folder::Folder;
pub use self::running::{Cluster, ClusterOptions};
