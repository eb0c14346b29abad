//! Stores of limiter states. [`MemoryStore`] is for a single process: its decisions are exact under concurrency and take
//! some tens of nanoseconds.

mod memory;

pub use self::memory::{CheckAllError, MemoryStore};
