//! Test support: a site for each test, and its users.

mod actor;
mod database;
mod program;
mod site;

pub use actor::{Actor, Answer, EventStream};
pub use database::{Lease, sums, sums_in, tables};
pub use program::{Program, Running, folder, gone, postmaster};
pub use site::{PASSWORD, SECRET, TestSite, another_instance, minute};
