//! Stores that keep states. [`Memory`] is for one process: it decides exactly, however many threads ask at once, in
//! some tens of nanoseconds. The site also keeps states in `PostgreSQL`, for several processes.

mod memory;

pub use self::memory::{Memory, TogetherError};
