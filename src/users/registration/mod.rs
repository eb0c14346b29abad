//! Registration of accounts, invitations, and approval of authors.

mod account_creation;
pub(crate) mod approve_author;
pub(crate) mod create_invitation;
pub mod create_owner;
pub(crate) mod end_invitation;
mod models;
pub(crate) mod register;
pub mod unclaimed_accounts;
