//! Number of processor instructions per check, beside the crate `governor`. Unlike times, the numbers hardly depend on
//! the machine and its load. Requires valgrind: `cargo bench -p evenkeel-limiters --bench instructions`.

#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::expect_used, missing_docs, reason = "a benchmark")]

use std::hint::black_box;
use std::num::NonZeroU32;
use std::process::Command;

use evenkeel_limiters::{Clock, LeakyBucket, RateLimiter, Timestamp};
use governor::Quota;
use governor::clock::FakeRelativeClock;

/// Number of keys that are checked in turn.
const KEYS: u64 = 1_000;

/// Clock that always shows the epoch, so that the instructions of a real clock are not counted.
struct Zero;

impl Clock for Zero {
    fn now(&self) -> Timestamp {
        Timestamp::from_unix_millis(0)
    }
}

type Scenario = (&'static str, fn(u64) -> u64);

const SCENARIOS: [Scenario; 4] = [
    ("ours, allowed", |checks| ours(u32::MAX, checks)),
    ("governor, allowed", |checks| other(u32::MAX, checks)),
    ("ours, refused", |checks| ours(1, checks)),
    ("governor, refused", |checks| other(1, checks)),
];

fn ours(per_hour: u32, checks: u64) -> u64 {
    let limiter = RateLimiter::new(LeakyBucket::per_hour(per_hour).build().unwrap(), 100_000).with_clock(Zero);
    (0..checks).map(|check| u64::from(black_box(limiter.check(&black_box(check % KEYS)).allowed))).sum()
}

fn other(per_hour: u32, checks: u64) -> u64 {
    let quota = Quota::per_hour(NonZeroU32::new(per_hour).unwrap());
    let limiter = governor::RateLimiter::<u64, _, _, _>::dashmap_with_clock(quota, FakeRelativeClock::default());
    (0..checks).map(|check| u64::from(black_box(limiter.check_key(&black_box(check % KEYS)).is_ok()))).sum()
}

/// Number of instructions of this program when it runs `checks` checks of a scenario.
fn instructions(scenario: usize, checks: u64) -> u64 {
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]);
    valgrind.arg(std::env::current_exe().unwrap()).args(["run", &scenario.to_string(), &checks.to_string()]);
    let output = valgrind.output().expect("valgrind must be installed");
    let text = String::from_utf8_lossy(&output.stderr);
    let count = text.lines().find_map(|line| line.split_once("I refs:").or_else(|| line.split_once("I   refs:")));
    count.unwrap_or_else(|| panic!("{text}")).1.trim().replace(',', "").parse().unwrap()
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if let [_, run, scenario, checks] = arguments.as_slice()
        && run == "run"
    {
        let scenario: usize = scenario.parse().unwrap();
        println!("{}", SCENARIOS[scenario].1(checks.parse().unwrap()));
        return;
    }
    for (index, (name, _)) in SCENARIOS.iter().enumerate() {
        let (few, many) = (instructions(index, 20_000), instructions(index, 120_000));
        println!("{name:<20} {:>4} instructions per check", (many - few) / 100_000);
    }
}
