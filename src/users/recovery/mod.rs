//! Account recovery by email.

pub(crate) mod mail_link;
pub(crate) mod models;
pub(crate) mod password_reset;
