//! The limiter of ratings, live: which one is in force, and why; looking at what others would have done, choosing one of them,
//! and taking that back.

mod active;
mod candidate;
mod change;
mod context;
mod parameters;
mod replay;

pub use self::active::{show, undo};
pub use self::change::{choose, form};
pub use self::replay::{ReplayPermit, replay};
