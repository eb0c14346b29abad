//! What readers report: the cases, and where staff decide them.

mod case;
mod list;

pub use self::case::{decide, show};
pub use self::list::Cases;
