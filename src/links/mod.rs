//! Links that others wrote: whether a list of suspected places names where they lead.

pub mod check;
pub mod client;
pub mod endpoints;
pub mod expressions;
pub mod pace;
pub mod prefixes;
pub mod protocol;
pub mod rice;
pub mod safe_browsing;
pub mod settings;
pub mod suspected;
pub mod urls;
mod views;
