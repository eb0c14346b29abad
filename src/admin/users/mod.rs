//! Admin list of user accounts, and bulk actions on user accounts.

mod actions;
mod list;

pub use self::actions::{apply_user_action, user_action_form};
pub use self::list::list;
