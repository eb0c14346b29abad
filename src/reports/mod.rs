//! Reports of posts by users and visitors. All reports of a post form one case. Staff decide the case and explain the
//! decision to the author and the reporters. The party against which the case was decided may appeal once. A post is
//! never taken down automatically because of the number of its reports.

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
