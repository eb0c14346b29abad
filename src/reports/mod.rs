//! Reports of posts. All reports of a post form one case, which staff decide, and which the losing party may appeal.
//! The number of reports never takes a post down automatically.

pub mod cases;
pub mod decisions;
mod emails;
pub mod endpoints;
pub mod error;
pub mod filing;
pub mod input;
pub mod queries;
mod report_link;
pub mod urls;
mod views;
