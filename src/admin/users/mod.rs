//! Accounts in the admin area: list, page of one user, and actions.

mod accounts;
pub mod block;
pub mod change_role;
pub mod delete_drafts;
mod list;
pub mod reset_password;
pub mod reset_warning;
pub mod sign_out;
pub mod unblock;
mod user_page;

pub use self::list::{Users, list};
pub use self::user_page::show;
