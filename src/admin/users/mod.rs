//! Accounts, for staff: the list of them, and what is done to one or to several, which is shown before it is done.

mod actions;
mod list;

pub use self::actions::{act, form};
pub use self::list::list;
