//! A limiter with a clock and an in-memory store. See [`RateLimiter`].

use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::Hash;
use std::time::Duration;

use crate::stores::MemoryStore;
use crate::{Clock, Decision, Event, InvalidCost, Limiter, SystemClock};

/// A limiter with a clock and the states of many keys, such as users or IP addresses, in memory.
///
/// Decisions are exact if several threads use the same limiter. `K` is the type of stored keys; the methods accept
/// borrowed keys, so that checking a known `String` with a `&str` does not allocate memory.
///
/// ```
/// use evenkeel_limiters::{LeakyBucket, RateLimiter};
///
/// let limiter = RateLimiter::new(LeakyBucket::per_second(10).burst(20).build()?, 100_000)
///     .with_override("search engine".to_owned(), LeakyBucket::per_second(100).build()?);
/// let decision = limiter.check("ann");
/// assert!(decision.allowed);
/// assert_eq!(decision.remaining, Some(19));
/// assert_eq!(limiter.peek("search engine").remaining, Some(100));
/// # Ok::<(), evenkeel_limiters::InvalidParameter>(())
/// ```
#[derive(Debug)]
pub struct RateLimiter<K, L: Limiter, C = SystemClock> {
    limiter: L,
    overrides: HashMap<K, L>,
    states: MemoryStore<K, L::State>,
    clock: C,
}

impl<K: Hash + Eq, L: Limiter> RateLimiter<K, L> {
    /// Creates a limiter of at most `capacity` keys, with the clock of the system; see [`MemoryStore::new`].
    #[must_use]
    pub fn new(limiter: L, capacity: usize) -> Self {
        Self { limiter, overrides: HashMap::new(), states: MemoryStore::new(capacity), clock: SystemClock }
    }
}

impl<K: Hash + Eq, L: Limiter, C: Clock> RateLimiter<K, L, C> {
    /// Replaces the system clock, for example by a [`FakeClock`](crate::FakeClock) in tests.
    #[must_use]
    pub fn with_clock<D>(self, clock: D) -> RateLimiter<K, L, D> {
        let Self { limiter, overrides, states, .. } = self;
        RateLimiter { limiter, overrides, states, clock }
    }

    /// Sets a different limiter for one key.
    #[must_use]
    pub fn with_override(mut self, key: K, limiter: L) -> Self {
        self.overrides.insert(key, limiter);
        self
    }

    /// Checks whether an event of a key is allowed now, and charges one unit if it is.
    #[inline(always)]
    pub fn check<Q>(&self, key: &Q) -> Decision
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ToOwned<Owned = K> + ?Sized,
    {
        self.check_event(key, self.event()).unwrap_or(NEVER)
    }

    /// Checks whether an event of a key is allowed now, and charges its cost of `units` if it is.
    ///
    /// # Errors
    /// Returns an error if the limiter can never allow this cost, for example because it exceeds the capacity of the
    /// bucket.
    pub fn check_n<Q>(&self, key: &Q, units: u32) -> Result<Decision, InvalidCost>
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ToOwned<Owned = K> + ?Sized,
    {
        self.check_event(key, self.event().with_cost(units))
    }

    /// Decides an event of a key that was created by [`event`](Self::event).
    ///
    /// # Errors
    /// Returns an error if the limiter can never allow the cost of the event.
    #[inline(always)]
    pub fn check_event<Q>(&self, key: &Q, event: Event) -> Result<Decision, InvalidCost>
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ToOwned<Owned = K> + ?Sized,
    {
        self.states.check(key, self.limiter_of(key), event)
    }

    /// Event at the current time, with a cost of one unit and no value.
    #[must_use]
    pub fn event(&self) -> Event {
        Event::at(self.clock.now())
    }

    /// Returns the decision that [`check`](Self::check) would make, without changing the state.
    pub fn peek<Q>(&self, key: &Q) -> Decision
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        self.states.peek(key, self.limiter_of(key), self.event()).unwrap_or(NEVER)
    }

    /// Gives back units that were charged for an event that did not happen. Returns `false` if the limiter does not
    /// support refunds or the key has no state.
    pub fn refund<Q>(&self, key: &Q, units: u32) -> bool
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        self.states.refund(key, self.limiter_of(key), self.event().with_cost(units))
    }

    /// Deletes the state of a key, so that its next event is decided with a fresh state.
    pub fn reset<Q>(&self, key: &Q)
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        self.states.remove(key);
    }

    /// Deletes expired states. Call this function periodically to free memory.
    pub fn remove_expired(&self) {
        self.states.remove_expired(|key| self.limiter_of(key), self.clock.now());
    }

    /// Number of keys with a state.
    #[must_use]
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// Returns true if no key has a state.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    /// Limiter that applies to a key, including a limiter that [`with_override`](Self::with_override) has set.
    #[must_use]
    pub fn limiter_of<Q>(&self, key: &Q) -> &L
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        if self.overrides.is_empty() {
            return &self.limiter;
        }
        self.overrides.get(key).unwrap_or(&self.limiter)
    }
}

#[cfg(feature = "tokio")]
impl<K: Hash + Eq, L: Limiter, C: Clock> RateLimiter<K, L, C> {
    /// Waits until an event with a cost of one unit is allowed, and charges the unit. If the limiter refuses a key
    /// forever, the wait never ends.
    ///
    /// Dropping the future charges nothing. If many tasks wait for the same key, a `jitter` distributes them: after each
    /// refusal, a task waits for up to this duration longer than necessary before it tries again. The tasks are admitted
    /// in no particular order.
    pub async fn until_ready<Q>(&self, key: &Q, jitter: Duration)
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ToOwned<Owned = K> + ?Sized,
    {
        self.wait(|| self.check(key), jitter).await;
    }

    /// Same as [`until_ready`](Self::until_ready), with a cost of `units`.
    ///
    /// # Errors
    /// Returns an error if the limiter can never allow a cost of `units`.
    pub async fn until_n_ready<Q>(&self, key: &Q, units: u32, jitter: Duration) -> Result<(), InvalidCost>
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ToOwned<Owned = K> + ?Sized,
    {
        let _ = self.limiter_of(key).peek(&L::State::default(), self.event().with_cost(units))?;
        self.wait(|| self.check_n(key, units).unwrap_or(NEVER), jitter).await;
        Ok(())
    }

    async fn wait(&self, check: impl Fn() -> Decision, jitter: Duration) {
        loop {
            let decision = check();
            if decision.allowed {
                return;
            }
            // An adaptive limiter may return a wait of 0 ms. At least 1 ms lets other tasks run.
            let wait = decision.retry_after.max(Duration::from_millis(1));
            tokio::time::sleep(wait.saturating_add(jitter.mul_f64(random()))).await;
        }
    }
}

/// Random number of at least 0 and below 1, from the random keys of the hashers of the standard library.
#[cfg(feature = "tokio")]
fn random() -> f64 {
    use std::hash::{BuildHasher as _, RandomState};
    let bits = u32::try_from(RandomState::new().hash_one(0_u8) >> 32).unwrap_or_default();
    f64::from(bits) / 4_294_967_296.0
}

/// Decision about an event that can never be allowed.
const NEVER: Decision = Decision { allowed: false, retry_after: Duration::MAX, remaining: None, reset_after: None };
