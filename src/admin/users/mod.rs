//! Admin list of user accounts, and bulk actions on them.

mod actions;
mod list;

pub use self::actions::{act, form};
pub use self::list::list;
