//! Benchmarks of the time for one decision: of each limiter alone, and of the leaky bucket with its in-memory store
//! compared with the `governor` crate. Only results of the same run are comparable.

#![allow(clippy::unwrap_used, clippy::wildcard_imports, missing_docs, reason = "a benchmark")]

use std::cell::Cell;
use std::hash::Hash;
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU64, Ordering};

use divan::{AllocProfiler, Bencher, black_box};
use evenkeel_limiters::{
    Clock, Ema, EmaParams, Event, LeakyBucket, LeakyBucketParams, Limiter, Pacer, PacerParams, RateClass,
    RateClassParams, RateLimiter, SteadyScore, SteadyScoreParams, SteadyScoreState, Surge, SurgeParams, SurgeState,
    Timestamp, ZombiePause, ZombiePauseParams, ZombiePauseState,
};
use governor::clock::{Clock as _, QuantaClock, QuantaInstant, Reference as _};
use governor::{Quota, RateLimiter as Governor};

const THREADS: [usize; 3] = [1, 2, 4];
/// Number of decisions per thread and sample. With a much smaller number, the benchmark would mainly measure the time
/// for starting threads.
const SAMPLE: u32 = 10_000;
const KEYS: [u64; 4] = [1, 1_000, 100_000, 1_000_000];

#[global_allocator]
static ALLOCATOR: AllocProfiler = AllocProfiler::system();

fn main() {
    divan::main();
}

/// Returns a generator of events with uneven gaps. Most of the events are admitted.
fn events() -> impl FnMut() -> Event {
    let mut now_ms = 1_700_000_000_000;
    let mut next = random();
    move || {
        now_ms += i64::try_from(next() % 20_000).unwrap();
        Event::at_unix_millis(now_ms).with_value(4)
    }
}

/// Fast xorshift pseudorandom generator. Successive keys are scattered, so that the benchmark does not benefit from
/// cache locality.
fn random() -> impl FnMut() -> u64 {
    let mut x = 0x9e37_79b9_7f4a_7c15_u64;
    move || {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        x
    }
}

fn decisions<L: Limiter>(bencher: Bencher, limiter: &L) {
    let (mut state, mut next) = (L::State::default(), events());
    bencher.bench_local(|| limiter.check(&mut state, black_box(next())).unwrap());
}

mod one_decision {
    use super::*;

    #[divan::bench]
    fn nothing_but_the_event(bencher: Bencher) {
        let mut next = events();
        bencher.bench_local(|| black_box(next()));
    }

    #[divan::bench]
    fn leaky_bucket(bencher: Bencher) {
        decisions(bencher, &LeakyBucket::new(LeakyBucketParams::default()).unwrap());
    }

    #[divan::bench]
    fn ema(bencher: Bencher) {
        decisions(bencher, &Ema::new(EmaParams::default()).unwrap());
    }

    #[divan::bench]
    fn rate_class(bencher: Bencher) {
        decisions(bencher, &RateClass::new(RateClassParams { disconnect: 0, ..Default::default() }).unwrap());
    }

    #[divan::bench]
    fn surge(bencher: Bencher) {
        decisions(bencher, &Surge::new(SurgeParams { calm_factor: 1e9, ..Default::default() }).unwrap());
    }

    #[divan::bench]
    fn surge_when_it_refuses(bencher: Bencher) {
        let limiter = Surge::new(SurgeParams { launch: 0.0, ..Default::default() }).unwrap();
        let (mut state, mut now_ms) = (SurgeState::default(), 0);
        bencher.bench_local(|| {
            now_ms += 10;
            limiter.check(&mut state, black_box(Event::at_unix_millis(now_ms))).unwrap()
        });
    }

    /// Adds a rating and computes the score, with four ratings per day.
    #[divan::bench]
    fn steady_score(bencher: Bencher) {
        let steady = SteadyScore::new(SteadyScoreParams::default()).unwrap();
        let (mut state, mut next) = (SteadyScoreState::default(), random());
        let mut rated = 0_i64;
        bencher.bench_local(|| {
            rated += 1;
            let stars = u8::try_from(next() % 5).unwrap() + 1;
            let (new, ended) = steady.add_rating(&state, black_box(rated / 4), stars);
            state = new;
            (steady.score(&state), ended)
        });
    }

    #[divan::bench]
    fn zombie_pause(bencher: Bencher) {
        let limiter = ZombiePause::new(ZombiePauseParams::default()).unwrap();
        let (mut state, mut next) = (ZombiePauseState::default(), events());
        bencher.bench_local(|| {
            let (new, decision) = limiter.record_failure(&state, black_box(next()).time.unix_millis());
            state = new;
            decision
        });
    }

    #[divan::bench]
    fn pacer(bencher: Bencher) {
        let pacer = Pacer::new(PacerParams::default()).unwrap();
        let (mut state, mut next) = (pacer.initial_state(0, 0.5).unwrap(), events());
        bencher.bench_local(|| pacer.check(&mut state, black_box(next()).time.unix_millis()));
    }
}

/// Events per second that the limiters allow. The number is so high that neither implementation ever refuses an event.
const PER_SECOND: u32 = 1_000_000_000;

/// A limiter of up to four million keys, with the same clock as in `governor`.
fn ours<K: Hash + Eq>() -> RateLimiter<K, LeakyBucket, Quanta> {
    let bucket = LeakyBucket::per_second(PER_SECOND).build().unwrap();
    RateLimiter::new(bucket, 4_000_000)
        .with_clock(Quanta { start: QuantaClock::default().now(), clock: QuantaClock::default() })
}

struct Quanta {
    clock: QuantaClock,
    start: QuantaInstant,
}

impl Clock for Quanta {
    fn now(&self) -> Timestamp {
        let nanos = self.clock.now().duration_since(self.start).as_u64();
        Timestamp::from_unix_millis(i64::try_from(nanos / 1_000_000).unwrap())
    }
}

fn quota() -> Quota {
    Quota::per_second(NonZeroU32::new(PER_SECOND).unwrap())
}

/// Returns the next random key of this thread. Each thread has its own sequence: with the same sequence in all threads,
/// the threads would contend for every key.
fn key(keys: u64) -> u64 {
    static SEED: AtomicU64 = AtomicU64::new(0);
    thread_local!(static X: Cell<u64> = {
        Cell::new(SEED.fetch_add(0x9e37_79b9_7f4a_7c15, Ordering::Relaxed).wrapping_add(0x9e37_79b9_7f4a_7c15))
    });
    X.with(|x| {
        let mut next = x.get();
        next ^= next << 13;
        next ^= next >> 7;
        next ^= next << 17;
        x.set(next);
        next % keys
    })
}

mod one_key {
    use super::*;

    #[divan::bench(threads = THREADS, sample_size = SAMPLE)]
    fn ours(bencher: Bencher) {
        let limiter = super::ours::<()>();
        bencher.bench(|| limiter.check(&()).allowed);
    }

    #[divan::bench(threads = THREADS, sample_size = SAMPLE)]
    fn governor_direct(bencher: Bencher) {
        let limiter = Governor::direct(quota());
        bencher.bench(|| limiter.check().is_ok());
    }
}

/// Benchmark of the memory use of a store with a million keys. The memory per key is the reported maximum divided by a
/// million.
mod memory_at_a_million_keys {
    use super::*;

    const MANY: u64 = 1_000_000;

    #[divan::bench(sample_count = 3, sample_size = 1)]
    fn ours(bencher: Bencher) {
        bencher.bench_local(|| {
            let limiter = super::ours();
            (0..MANY).for_each(|key| assert!(limiter.check(&key).allowed));
            limiter
        });
    }

    #[divan::bench(sample_count = 3, sample_size = 1)]
    fn governor_keyed(bencher: Bencher) {
        bencher.bench_local(|| {
            let limiter = Governor::keyed(quota());
            for key in 0..MANY {
                let _ = limiter.check_key(&key);
            }
            limiter
        });
    }
}

mod many_keys {
    use super::*;

    #[divan::bench(args = KEYS, threads = THREADS, sample_size = SAMPLE)]
    fn ours(bencher: Bencher, keys: u64) {
        let limiter = super::ours();
        (0..keys).for_each(|key| assert!(limiter.check(&key).allowed));
        bencher.bench(|| limiter.check(&key(keys)).allowed);
    }

    #[divan::bench(args = KEYS, threads = THREADS, sample_size = SAMPLE)]
    fn governor_keyed(bencher: Bencher, keys: u64) {
        let limiter = Governor::keyed(quota());
        for key in 0..keys {
            let _ = limiter.check_key(&key);
        }
        bencher.bench(|| limiter.check_key(&key(keys)).is_ok());
    }
}
