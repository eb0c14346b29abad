//! Safe Browsing: checks links in posts against lists of malware and phishing URLs.

pub mod client;
pub mod endpoints;
pub mod flagged_urls;
pub mod link_check;
pub mod pacing;
pub mod settings;
pub mod threat_lists;
pub mod urls;
pub mod verdicts;
mod views;
