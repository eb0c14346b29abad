//! API tokens: secrets with which programs act for a user, within the limits of their scopes.

pub mod authentication;
pub mod models;
pub mod name;
pub mod secret;
pub(crate) mod views;

pub use self::authentication::TokenStore;
