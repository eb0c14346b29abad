//! Account recovery by email.

pub(crate) mod mail_link;
pub(crate) mod password_reset;
