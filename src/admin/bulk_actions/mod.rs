//! Bulk actions on rows of admin lists. Each action has a confirmation page and writes one audit log entry per row.
//! Bulk actions on user accounts are in `admin::users`.

mod bulk_action;
mod confirmation_page;
mod targets;

pub use self::bulk_action::BulkAction;
pub use self::confirmation_page::{apply_bulk_action, bulk_action_form};
