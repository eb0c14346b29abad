//! Bulk actions on rows of admin lists. Each action has a confirmation page, and an audit log entry for each row.

pub mod action;
mod confirmation_page;
mod decide_reports;
mod delete_limiter_states;
mod delete_mails;
mod end_invitations;
mod end_sessions;
mod input;
mod lift_pauses;
mod mails;
mod pause;
mod pauses;
mod posts;
mod publish;
pub mod registry;
mod reset_limiter;
mod return_posts;
mod send_mails;
mod send_webhooks;
mod unpublish;

pub use self::confirmation_page::{apply_bulk_action, bulk_action_form};
