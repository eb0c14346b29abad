//! Admin area (`/admin/`). Users without a staff role get 404, and visitors without a session are asked to sign in.

mod admin_list;
mod audit_log;
pub mod bulk_actions;
mod custom_limits;
pub mod dashboard;
pub mod endpoints;
pub mod limiter;
mod lists;
pub mod navigation;
mod reports;
mod site_settings;
mod urls;
mod users;
mod webhooks;
