//! What readers report: the cases, and where staff decide them.

mod case;
mod queue;

pub use self::case::{decide, show};
pub use self::queue::Cases;
