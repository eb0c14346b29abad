//! Test support: a site for each test, and its users.

mod actor;
pub mod contract;
mod database;
mod postgres;
mod program;
mod site;

pub use actor::{Actor, EventStream, TestResponse};
pub use database::{DatabaseLease, private_table_checksums, table_checksums, tables};
#[allow(unused_imports, reason = "the tests in `tests/with_programs` use the rest")]
pub use postgres::{PostgresServer, as_database_user, database_tempdir};
pub use program::{Program, RunningProgram, postmaster_pid, reachable_tempdir, wait_for_exit};
pub use site::{PASSWORD, SECRET, TestSite, another_instance, minutes};
