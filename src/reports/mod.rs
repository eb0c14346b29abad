//! Reports: readers say what is wrong with a post, staff decide, both sides are told why, and either may appeal once. However
//! many report a post, it is one case: nothing is taken down by their number.

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
