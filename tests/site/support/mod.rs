//! A site of its own for each test, and the people who use it.

mod actor;
mod database;
mod site;

pub use actor::{Actor, Answer};
pub use database::Lease;
pub use site::{PASSWORD, TestSite, another_instance, minute};
