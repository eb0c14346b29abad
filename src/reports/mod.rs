//! Reports of posts, grouped in cases that staff decide. The number of reports never takes a post down automatically.

mod appeal;
pub mod cases;
pub mod decisions;
mod emails;
pub mod endpoints;
pub mod error;
pub mod input;
mod list;
pub mod queries;
mod report;
mod report_link;
mod show;
pub mod urls;
