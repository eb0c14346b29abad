//! Where states are kept: [`Memory`], for one process. It decides exactly, however many ask at once, in some tens of
//! nanoseconds. The site keeps states in `PostgreSQL`, too, for several processes.

mod memory;

pub use self::memory::{Memory, TogetherError};
