//! Shows which requests of a log a limiter would have refused. The log is a CSV file with the columns `time`
//! (milliseconds since the Unix epoch) and `key`, in the order of the times. Without a file, a short log is used.
//!
//! ```text
//! cargo run -p evenkeel-limiters --example replay_csv
//! cargo run -p evenkeel-limiters --example replay_csv log.csv
//! ```

#![allow(clippy::print_stdout, reason = "an example")]

use std::collections::BTreeMap;
use std::error::Error;

use evenkeel_limiters::{Event, LeakyBucket, Limiter as _};

const LOG: &str = "time,key\n0,ann\n100,ann\n200,ben\n300,ann\n400,ann\n1200,ann\n60000,ben\n";

fn main() -> Result<(), Box<dyn Error>> {
    let log = match std::env::args().nth(1) {
        Some(path) => std::fs::read_to_string(path)?,
        None => LOG.to_owned(),
    };
    let limiter = LeakyBucket::per_second(1).burst(3).build()?;
    let mut states = BTreeMap::<&str, _>::new();
    let mut refused = BTreeMap::<&str, u32>::new();
    for (number, line) in log.lines().enumerate().skip(1) {
        let line_error = || format!("line {}: two columns are required: time (milliseconds) and key", number + 1);
        let (time, key) = line.split_once(',').ok_or_else(line_error)?;
        let event = Event::at_unix_millis(time.parse().map_err(|_| line_error())?);
        let decision = limiter.check(states.entry(key).or_default(), event)?;
        if !decision.allowed {
            println!("{time} ms: {key} is refused and may try again in {:?}", decision.retry_after);
            *refused.entry(key).or_default() += 1;
        }
    }
    println!("{} keys, refused requests per key: {refused:?}", states.len());
    Ok(())
}
