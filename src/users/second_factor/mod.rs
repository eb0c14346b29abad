//! A second factor: codes of an authenticator app (TOTP, RFC 6238), and recovery codes for who has lost it.

mod app;
pub mod models;
mod recovery;
pub mod views;
