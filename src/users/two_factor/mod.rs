//! A second factor: codes of an authenticator app (TOTP, RFC 6238), and recovery codes for who has lost it.

pub mod models;
mod recovery_codes;
mod totp;
pub mod views;
