//! Accounts in the admin area: list, page of one user, and bulk actions.

mod action_input;
mod actions;
mod list;
mod user_page;

pub use self::action_input::UserActionKind;
pub use self::actions::{apply_user_action, user_action_form};
pub use self::list::{Users, list};
pub use self::user_page::show;
