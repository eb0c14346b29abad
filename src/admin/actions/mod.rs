//! Bulk actions on rows of admin lists. Each action has a confirmation page and writes one audit log entry per row.
//! Bulk actions on user accounts are in `admin::users`.

mod action;
mod page;
mod targets;

pub use self::action::BulkAction;
pub use self::page::{apply_bulk_action, bulk_action_form};
