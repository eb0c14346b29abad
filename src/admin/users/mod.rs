//! Accounts in the admin area: list, page of one user, and bulk actions.

mod actions;
mod list;
mod user_page;

pub use self::actions::{UserActionKind, apply_user_action, user_action_form};
pub use self::list::{Users, list};
pub use self::user_page::show;
