//! Links that others wrote: whether a list of suspected places names where they lead.

pub mod client;
pub mod endpoints;
pub mod flagged_urls;
pub mod hash_prefixes;
pub mod link_check;
pub mod pacing;
pub mod protocol;
pub mod rice;
pub mod settings;
pub mod threat_lists;
pub mod url_expressions;
pub mod urls;
mod views;
