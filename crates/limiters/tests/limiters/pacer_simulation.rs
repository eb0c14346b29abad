//! Simulation of 2,000 clients of one server over sixty days, with outages and restarts. Each client follows a
//! [`Pacer`], and the server checks that no request comes too early.
//!
//! `cargo test -p evenkeel-limiters pacer_simulation -- --nocapture` prints the distribution of the requests over time.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::print_stdout,
    reason = "counts and times are small, and it prints what it has seen"
)]

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use evenkeel_limiters::{Pacer, PacerState};

const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;
const DAYS: i64 = 60;
const CLIENTS: usize = 2_000;

/// Minimum wait that the server requests in each response.
const WAIT: i64 = 30 * MINUTE;

/// Intervals in which the server does not respond.
const OUTAGES: [(i64, i64); 3] = [(3 * DAY, 3 * DAY + 6 * HOUR), (10 * DAY, 12 * DAY), (20 * DAY, 41 * DAY)];

/// Time at which all clients are restarted at once.
const POWER_CUT: i64 = 50 * DAY + 12 * HOUR;

struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        f64::from(u32::try_from(self.0 >> 32).unwrap()) / 4_294_967_296.0
    }
}

/// Data that the server stores about a client, such as the earliest time of its next request and its number of
/// consecutive failures.
#[derive(Clone, Copy)]
struct ClientRecord {
    earliest: i64,
    failures: u32,
    first_answer_after_outage: [Option<i64>; 3],
}

struct Simulation {
    pacer: Pacer,
    random: Random,
    states: Vec<PacerState>,
    accounts: Vec<ClientRecord>,
    /// Queue of pending requests: time, client, and the number of restarts of the client when the request was
    /// scheduled. Requests scheduled before a restart are ignored.
    agenda: BinaryHeap<Reverse<(i64, usize, u32)>>,
    starts: Vec<u32>,
    requests: Vec<i64>,
}

fn is_down(now: i64) -> bool {
    OUTAGES.iter().any(|(from, to)| (*from..*to).contains(&now))
}

impl Simulation {
    /// Starts all clients at time 0.
    fn new() -> Self {
        let mut world = Self {
            pacer: Pacer::default(),
            random: Random(0x9e37_79b9_7f4a_7c15),
            states: Vec::new(),
            accounts: Vec::new(),
            agenda: BinaryHeap::new(),
            starts: vec![0; CLIENTS],
            requests: Vec::new(),
        };
        for client in 0..CLIENTS {
            let state = world.pacer.initial_state(0, world.random.next()).unwrap();
            world.states.push(state);
            world.accounts.push(ClientRecord { earliest: 0, failures: 0, first_answer_after_outage: [None; 3] });
            world.agenda.push(Reverse((state.next_request_ms(), client, 0)));
        }
        world
    }

    fn request(&mut self, client: usize, now: i64) {
        let decision = self.pacer.check(&mut self.states[client], now);
        assert!(decision.allowed, "a client comes when it says");
        let account = &mut self.accounts[client];
        assert!(now >= account.earliest, "client {client} comes {} ms too early", account.earliest - now);
        self.requests.push(now);
        if is_down(now) {
            self.states[client] = self.pacer.record_failure(&self.states[client], now, self.random.next()).unwrap();
            account.failures += 1;
            let least = (15 * MINUTE).saturating_mul(1 << (account.failures - 1).min(20)).min(DAY);
            account.earliest = now + least;
            assert!(self.states[client].delay_ms <= DAY);
        } else {
            self.states[client] = self.pacer.record_success(now, Some(WAIT));
            (account.earliest, account.failures) = (now + WAIT, 0);
            for ((_, end), first) in OUTAGES.iter().zip(&mut account.first_answer_after_outage) {
                if now >= *end {
                    first.get_or_insert(now);
                }
            }
        }
    }

    fn restart(&mut self, client: usize, now: i64) {
        self.states[client] = self.pacer.resume(&self.states[client], now, self.random.next()).unwrap();
        self.starts[client] += 1;
        self.agenda.push(Reverse((self.states[client].next_request_ms(), client, self.starts[client])));
    }

    fn run(&mut self) {
        let mut is_cut = false;
        while let Some(Reverse((now, client, start))) = self.agenda.pop() {
            if now >= DAYS * DAY {
                return;
            }
            if !is_cut && now >= POWER_CUT {
                is_cut = true;
                for client in 0..CLIENTS {
                    self.restart(client, POWER_CUT);
                }
            }
            if start != self.starts[client] {
                continue;
            }
            // Some clients are restarted instead of sending their request, often before their wait has ended.
            if self.random.next() < 0.002 {
                let earlier = (self.random.next() * 60_000.0) as i64;
                self.restart(client, (now - earlier).max(self.states[client].set_ms));
                continue;
            }
            self.request(client, now);
            self.agenda.push(Reverse((self.states[client].next_request_ms(), client, start)));
        }
    }

    fn by_second(&self, from: i64) -> Vec<usize> {
        let mut seconds = vec![0; 60];
        for request in self.requests.iter().filter(|request| (from..from + MINUTE).contains(request)) {
            seconds[usize::try_from((request - from) / 1_000).unwrap()] += 1;
        }
        seconds
    }
}

/// Prints the number of requests in each second of a minute. The output is visible with `--nocapture`.
fn show(title: &str, seconds: &[usize]) {
    println!("{title}: requests in each of 60 seconds, {} at the most", seconds.iter().max().unwrap());
    println!("  {}", seconds.iter().map(usize::to_string).collect::<Vec<_>>().join(" "));
}

#[test]
fn clients_respect_waits_and_spread_over_sixty_days() {
    let mut world = Simulation::new();
    world.run();
    let mut at_once = vec![0; 60];
    at_once[0] = CLIENTS;
    show("without a random wait after the start", &at_once);
    for (title, from) in [("after the first start", 0), ("after a power cut", POWER_CUT)] {
        let seconds = world.by_second(from);
        show(title, &seconds);
        assert!(seconds.iter().all(|count| *count <= 3 * CLIENTS / 60), "{seconds:?}");
    }
    assert!(world.by_second(0).iter().sum::<usize>() == CLIENTS);
    for (number, (from, to)) in OUTAGES.into_iter().enumerate() {
        // The maximum backoff is one day, so each client gets a response within a day after the outage. A restart may
        // add a minute.
        let late = world.accounts.iter().map(|account| account.first_answer_after_outage[number].unwrap() - to);
        assert!(late.max().unwrap() <= DAY + MINUTE);
        // During an outage, each client sends at most one request for each step of the backoff until the wait is one
        // day, and one request per day after that.
        let asked = world.requests.iter().filter(|request| (from..to).contains(*request)).count();
        let most = CLIENTS * usize::try_from(9 + (to - from) / DAY).unwrap();
        println!("outage of {} h: {:.1} requests of each client", (to - from) / HOUR, asked as f64 / CLIENTS as f64);
        assert!(asked <= most, "{asked} of {most}");
    }
}

/// Wait of Google's Safe Browsing client in Go after `errors` failures, in nanoseconds. A float that exceeds an `i64`
/// is converted as on x86, where the result is negative.
fn go_client_backoff_ns(errors: u32, random: f64) -> i64 {
    let shifted = if errors < 64 { 1u64 << errors } else { 0 };
    let nanoseconds = 15.0 * 60e9 * shifted as f64 * (random + 1.0);
    let integer = if nanoseconds >= 9_223_372_036_854_775_808.0 { i64::MIN } else { nanoseconds as i64 };
    integer.min(DAY * 1_000_000)
}

#[test]
fn long_outage_keeps_backoff() {
    let count = |mut wait: Box<dyn FnMut() -> i64>| {
        let (mut now, mut requests, mut first_hurry) = (0, 0, None);
        while now < DAYS * DAY && requests < 10_000 {
            let next = wait();
            if next <= 0 {
                first_hurry.get_or_insert(now / DAY);
            }
            (now, requests) = (now + next.max(0), requests + 1);
        }
        (requests, first_hurry)
    };
    let (pacer, mut random) = (Pacer::default(), Random(7));
    let mut state = pacer.initial_state(0, 0.5).unwrap();
    let ours = count(Box::new(move || {
        state = pacer.record_failure(&state, 0, random.next()).unwrap();
        state.delay_ms
    }));
    let (mut errors, mut random) = (0, Random(7));
    let theirs = count(Box::new(move || {
        errors += 1;
        go_client_backoff_ns(errors - 1, random.next()) / 1_000_000
    }));
    println!(
        "a server that is down for {DAYS} days: {} requests of ours, {} or more of the Go client",
        ours.0, theirs.0
    );
    assert!((60..=70).contains(&ours.0) && ours.1.is_none(), "{ours:?}");
    // Known bug of the Go client: after about 18 days of failures, its wait overflows, and the client sends requests
    // without any wait.
    assert_eq!(theirs.0, 10_000);
    assert!((16..=20).contains(&theirs.1.unwrap()), "{theirs:?}");
}
