//! Test support: a site for each test, with users.

use std::time::{Duration, Instant};

mod actor;
pub mod contract;
mod database;
mod postgres;
mod program;
mod site;

pub use actor::{Actor, EventStream, TestResponse};
pub use database::{DatabaseLease, private_table_checksums, tables};
#[allow(unused_imports, reason = "the tests in `tests/with_programs` use the rest")]
pub use postgres::{PostgresServer, as_database_user, database_tempdir, give_to_database_user};
pub use program::{Program, RunningProgram, postmaster_pid, reachable_tempdir, wait_for_exit};
pub use site::{PASSWORD, SECRET, TestSite, another_instance, minutes};

/// Polls `look` until it returns a value. If no value is returned in time, the test fails with the description `what`.
pub async fn until<T>(what: &str, mut look: impl AsyncFnMut() -> Option<T>) -> T {
    let patience = Instant::now() + Duration::from_mins(5);
    loop {
        if let Some(found) = look().await {
            return found;
        }
        assert!(Instant::now() < patience, "{what} does not come");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
