#![doc = include_str!("../README.md")]
//!
//! Shutdown of the server: every process that uses the server has the write end of a FIFO open, and a shell process
//! that was started with the server reads from the FIFO. When the last of the processes exits, panics or is killed, the
//! kernel closes the FIFO, and the shell reads end-of-file and stops the server. In this way, the kernel counts the
//! users of the server across processes.

mod binaries;
mod cluster;
mod cluster_dir;
mod cluster_files;
mod error;
mod initialize;
mod server;
mod server_user;

pub use self::cluster::{Cluster, ClusterOptions};
pub use self::cluster_dir::ClusterDir;
pub use self::error::ClusterError;
