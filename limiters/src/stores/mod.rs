//! Stores of limiter states. [`MemoryStore`] keeps the states of one process in memory. Its decisions are exact even if
//! many threads use the store at the same time, and each decision takes tens of nanoseconds.

mod memory;

pub use self::memory::{CheckAllError, MemoryStore};
