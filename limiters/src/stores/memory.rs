//! A store that keeps states in the memory of one process.

use std::hash::{BuildHasher, Hash};

use hashbrown::{DefaultHashBuilder, HashTable};
use parking_lot::{Mutex, MutexGuard};

use crate::together::{self, Limit, Verdict};
use crate::{Decision, Event, InvalidCost, Limiter};

/// Parts of the store, each with a lock of its own: more than there are threads that could meet in one.
const SHARDS: usize = 256;

/// The states of a limited number of keys, shared by threads.
///
/// When there is no room for a new key, the keys that have not been asked for in longest are forgotten, half of all at
/// a time. A forgotten key starts fresh when it comes back. Choose the capacity so that an attacker with many keys
/// (addresses, say) cannot have others forgotten, and call [`forget`](Self::forget) now and then.
///
/// ```
/// use evenkeel_limiters::stores::Memory;
/// use evenkeel_limiters::{Event, LeakyBucket, LeakyBucketParams};
///
/// let bucket = LeakyBucket::new(LeakyBucketParams { capacity: 1, ..Default::default() })?;
/// let store = Memory::new(100_000);
/// assert!(store.check("ann", &bucket, Event::at(0))?.allowed);
/// assert!(!store.check("ann", &bucket, Event::at(0))?.allowed);
/// assert!(store.check("ben", &bucket, Event::at(0))?.allowed);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Memory<K, S> {
    shards: Box<[Shard<K, S>]>,
    hasher: DefaultHashBuilder,
    /// Keys in one generation of one shard.
    generation: usize,
}

/// A part of the keys under one lock, on cache lines of its own (processors fetch two of 64 bytes at a time): threads that
/// use different shards do not take lines from each other.
#[derive(Debug)]
#[repr(align(128))]
struct Shard<K, S>(Mutex<Generations<K, S>>);

/// Keys in two generations. A key that is asked for is young. When there are too many young keys, they become old, and
/// the keys that were old are forgotten.
#[derive(Debug)]
struct Generations<K, S> {
    young: HashTable<(K, S)>,
    old: HashTable<(K, S)>,
}

/// Why several limits could not be checked together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TogetherError {
    /// The event costs more than one of the limits can ever allow.
    #[error(transparent)]
    Cost(#[from] InvalidCost),
    /// Two limits of one event have the same key.
    #[error("a key is there twice")]
    DuplicateKey,
}

impl<K: Hash + Eq + Clone, S: Clone + Default> Memory<K, S> {
    /// At most `capacity` keys, rounded up to a multiple of 512.
    #[must_use]
    pub fn new(capacity: usize) -> Self {
        let shard = || Shard(Mutex::new(Generations { young: HashTable::new(), old: HashTable::new() }));
        Self {
            shards: std::iter::repeat_with(shard).take(SHARDS).collect(),
            hasher: DefaultHashBuilder::default(),
            generation: capacity.div_ceil(2 * SHARDS).max(1),
        }
    }

    /// Decides an event of `key` and remembers it.
    ///
    /// # Errors
    /// As [`Limiter::judge`].
    pub fn check<L: Limiter<State = S>>(&self, key: K, limiter: &L, event: Event) -> Result<Decision, InvalidCost> {
        self.with(key, |state| limiter.check(state, event))
    }

    /// What [`check`](Self::check) would answer.
    ///
    /// # Errors
    /// As [`Limiter::judge`].
    pub fn peek<L: Limiter<State = S>>(&self, key: &K, limiter: &L, event: Event) -> Result<Decision, InvalidCost> {
        limiter.peek(&self.get(key).unwrap_or_default(), event)
    }

    /// Gives back what an event cost that was allowed and then did not happen. `false` where that has no meaning,
    /// or nothing is known of the key.
    pub fn refund<L: Limiter<State = S>>(&self, key: &K, limiter: &L, event: Event) -> bool {
        let hash = self.hasher.hash_one(key);
        self.shard(hash).find(hash, key).is_some_and(|state| limiter.refund(state, event))
    }

    /// Decides one event by several limits, each with its own key. The event happens only if all of them allow it.
    ///
    /// # Errors
    /// When the cost is more than one of them can ever allow, or a key is given twice. Nothing is changed then.
    pub fn check_together<'a, L: Limiter<State = S>>(
        &self,
        keys: &[K],
        limits: &[Limit<'a, L>],
        event: Event,
    ) -> Result<Verdict<'a>, TogetherError> {
        let hashes: Vec<u64> = keys.iter().map(|key| self.hasher.hash_one(key)).collect();
        if keys.iter().enumerate().any(|(index, key)| keys[..index].contains(key)) {
            return Err(TogetherError::DuplicateKey);
        }
        // Locked in the order of the shards, so that two callers never wait for each other.
        let mut order: Vec<usize> = hashes.iter().map(|hash| Self::place(*hash)).collect();
        order.sort_unstable();
        order.dedup();
        let mut locked: Vec<_> = order.iter().map(|place| self.lock(*place)).collect();
        let shard_of = |hash: u64| order.binary_search(&Self::place(hash)).unwrap_or_default();
        let mut states: Vec<S> = Vec::with_capacity(keys.len());
        for (key, hash) in keys.iter().zip(&hashes) {
            states.push(locked[shard_of(*hash)].find(*hash, key).cloned().unwrap_or_default());
        }
        let verdict = together::check(limits, &mut states, event)?;
        for ((key, hash), state) in keys.iter().zip(&hashes).zip(states) {
            *locked[shard_of(*hash)].state(*hash, key.clone(), self.generation, &self.hasher) = state;
        }
        Ok(verdict)
    }

    /// The state of a key, if one is known.
    #[must_use]
    pub fn get(&self, key: &K) -> Option<S> {
        let hash = self.hasher.hash_one(key);
        self.shard(hash).find(hash, key).cloned()
    }

    /// Runs `act` on the state of a key, while nobody else can use it. Keep it short: other keys share the lock.
    pub fn with<R>(&self, key: K, act: impl FnOnce(&mut S) -> R) -> R {
        let hash = self.hasher.hash_one(&key);
        act(self.shard(hash).state(hash, key, self.generation, &self.hasher))
    }

    /// Makes a key fresh again.
    pub fn reset(&self, key: &K) {
        let hash = self.hasher.hash_one(key);
        self.shard(hash).remove(hash, key);
    }

    /// Forgets the keys whose states may be forgotten: see [`Limiter::forgettable_at_ms`]. One shard is locked at a
    /// time.
    pub fn forget<'a, L: Limiter<State = S> + 'a>(&self, limiter_of: impl Fn(&K) -> &'a L, now_ms: i64) {
        for place in 0..SHARDS {
            let Generations { young, old } = &mut *self.lock(place);
            for generation in [young, old] {
                generation.retain(|(key, state)| {
                    limiter_of(key).forgettable_at_ms(state).is_none_or(|forgettable| now_ms < forgettable)
                });
            }
        }
    }

    /// How many keys are known.
    #[must_use]
    pub fn len(&self) -> usize {
        let len = |shard: MutexGuard<'_, Generations<K, S>>| shard.young.len() + shard.old.len();
        (0..SHARDS).map(|place| len(self.lock(place))).sum()
    }

    /// Whether no key is remembered.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The shard of a key, chosen by bits in the middle of its hash: the table itself uses the lowest and the highest.
    fn place(hash: u64) -> usize {
        usize::try_from(hash >> 40).unwrap_or_default() % SHARDS
    }

    fn shard(&self, hash: u64) -> MutexGuard<'_, Generations<K, S>> {
        self.lock(Self::place(hash))
    }

    fn lock(&self, place: usize) -> MutexGuard<'_, Generations<K, S>> {
        self.shards[place].0.lock()
    }
}

impl<K: Hash + Eq, S: Default> Generations<K, S> {
    fn find(&mut self, hash: u64, key: &K) -> Option<&mut S> {
        let Self { young, old } = self;
        let found = young.find_mut(hash, |(known, _)| known == key);
        found.or_else(|| old.find_mut(hash, |(known, _)| known == key)).map(|(_, state)| state)
    }

    fn remove(&mut self, hash: u64, key: &K) -> Option<S> {
        let mut found = None;
        for generation in [&mut self.young, &mut self.old] {
            if let Ok(entry) = generation.find_entry(hash, |(known, _)| known == key) {
                found = Some(entry.remove().0.1);
            }
        }
        found
    }

    /// Finds or adds the state of a key. The key is young from now on.
    fn state(&mut self, hash: u64, key: K, generation: usize, hasher: &DefaultHashBuilder) -> &mut S {
        let Self { young, old } = self;
        let young = match young.find_entry(hash, |(known, _)| *known == key) {
            Ok(entry) => return &mut entry.into_mut().1,
            Err(absent) => absent.into_table(),
        };
        let entry = old.find_entry(hash, |(known, _)| *known == key);
        let state = entry.map_or_else(|_| S::default(), |entry| entry.remove().0.1);
        if young.len() >= generation {
            *old = std::mem::take(young);
        }
        &mut young.insert_unique(hash, (key, state), |(known, _)| hasher.hash_one(known)).into_mut().1
    }
}
