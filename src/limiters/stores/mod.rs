//! Where states are kept. Both stores decide exactly, however many ask at once.
//!
//! [`Memory`] serves one process: a decision costs some tens of nanoseconds. The rows of `postgres` serve any number of
//! processes, and may be decided in a transaction with whatever they guard.

mod memory;

pub use self::memory::{Memory, TogetherError};
