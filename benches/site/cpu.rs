//! CPU time per request of each process, read from `/proc`. Optimizing the site can save at most the CPU time of the
//! site.

use std::time::Duration;

use crate::load::{CpuTime, Measurement};

/// Length of a `/proc` clock tick in milliseconds. Every Linux platform that Rust supports has 100 ticks per second.
const TICK_MS: f64 = 10.0;

/// CPU time in clock ticks: `site` and `client` since the start of the process, `busy` and `idle` since the start of
/// the system.
struct Ticks {
    site: f64,
    client: f64,
    busy: f64,
    idle: f64,
}

impl Ticks {
    /// Returns `None` on systems without `/proc`.
    fn now(site: u32) -> Option<Self> {
        let all = std::fs::read_to_string("/proc/stat").ok()?;
        let all: Vec<f64> =
            all.lines().next()?.split_whitespace().skip(1).filter_map(|text| text.parse().ok()).collect();
        let idle = all.get(3)? + all.get(4)?;
        let busy = all.iter().take(8).sum::<f64>() - idle;
        Some(Self { site: of_process(&site.to_string())?, client: of_process("self")?, busy, idle })
    }
}

fn of_process(process: &str) -> Option<f64> {
    // Fields 14 and 15 are user time and system time.
    sum_of_fields(process, &[14, 15])
}

/// Sum of numeric fields of `/proc/PROCESS/stat`, whose first field has the number 1.
fn sum_of_fields(process: &str, numbers: &[usize]) -> Option<f64> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The second field, the name of the process, may contain spaces and ends with a parenthesis.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    numbers.iter().map(|number| fields.get(number - 3)?.parse::<f64>().ok()).sum()
}

/// Runs a measurement, and adds CPU times per response.
pub fn measure_cpu_time(site: u32, time: Duration, measure: impl FnOnce() -> Measurement) -> Measurement {
    let before = Ticks::now(site);
    let measured = measure();
    let spent = before.zip(Ticks::now(site)).map(|(before, after)| {
        let each =
            |before: f64, after: f64| (after - before) * TICK_MS * 1_000.0 / (measured.per_second * time.as_secs_f64());
        let (site, client) = (each(before.site, after.site), each(before.client, after.client));
        let rest = (each(before.busy, after.busy) - site - client).max(0.0);
        CpuTime { site, client, rest, idle: each(before.idle, after.idle) }
    });
    Measurement { spent, ..measured }
}
