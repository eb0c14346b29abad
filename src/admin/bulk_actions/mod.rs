//! Actions on rows of admin lists. Each action has a confirmation page, and an audit log entry for each row.

pub mod action;
mod confirmation_page;
mod decide_reports;
mod delete_limiter_states;
mod end_invitations;
mod end_sessions;
mod input;
mod mails;
mod pauses;
mod posts;
pub mod registry;
mod reset_limiter;
mod send_webhooks;

pub use self::confirmation_page::{apply_bulk_action, bulk_action_form};
