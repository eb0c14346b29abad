//! Admin area (`/admin/`): dashboard, lists, bulk actions and limiter overrides. Users without a staff role receive
//! 404.

mod actions;
mod audit_log;
pub mod dashboard;
pub mod endpoints;
pub mod error;
pub mod limiter;
mod list;
mod lists;
mod reports;
mod urls;
mod users;
