//! Two-factor authentication with TOTP codes of an authenticator app (RFC 6238) and recovery codes.

pub mod models;
mod recovery_codes;
pub mod totp;
