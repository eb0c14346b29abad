//! Reports of posts. Staff decide each case and give a reason to author and reporters; the losing side may appeal once.
//! All reports of a post form one case. A post is never taken down automatically because of the number of its reports.

pub mod cases;
pub mod decisions;
pub mod endpoints;
pub mod error;
pub mod filing;
pub mod input;
mod link;
mod mails;
pub mod queries;
pub mod urls;
mod views;
