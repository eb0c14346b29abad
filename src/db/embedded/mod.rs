//! Private `PostgreSQL` server, which lets `cargo run` work without any set-up.
//!
//! A cluster lives in one directory. It accepts connections through a Unix socket only, and only from the user who
//! started it. The server runs as long as any process uses it: every such process holds the write end of a FIFO, and a
//! small shell beside the server reads from the FIFO. When the last holder exits, panics or is killed, the kernel
//! closes the FIFO, the shell reads end-of-file and stops the server. Thus the kernel counts the users of the server
//! across processes.

mod binaries;
mod cluster;
mod cluster_dir;
mod error;
mod files;
mod initialise;
mod server;
mod server_user;

pub use self::cluster::{Cluster, ClusterOptions};
pub use self::cluster_dir::ClusterDir;
pub use self::error::ClusterError;
