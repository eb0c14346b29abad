//! Account recovery by email.

pub(crate) mod models;
pub(crate) mod password_reset;
