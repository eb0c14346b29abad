//! In-memory store of limiter states.

use std::borrow::Borrow;
use std::hash::{BuildHasher, Hash};

use hashbrown::{DefaultHashBuilder, HashTable};

use super::lock::{Mutex, MutexGuard};
use crate::combined_limits::{self, CombinedDecision, NamedLimit};
use crate::{Decision, Event, InvalidCost, Limiter, Timestamp};

/// Number of shards for a store of at most `capacity` keys. Each shard has its own lock. There are far more shards than
/// threads, so that two threads rarely need the same lock, and few threads wait for a thread that was interrupted while
/// it held a lock.
fn shard_count(capacity: usize) -> usize {
    (capacity / 512).clamp(64, 2_048)
}

/// A bounded in-memory store of limiter states, shared by the threads of a process.
///
/// When there is no room for a new key, the least recently updated keys are evicted, half of a shard at a time. An
/// evicted key starts with a fresh state. The capacity should be so large that an attacker with many keys (such as IP
/// addresses) cannot evict the keys of others. [`remove_expired`](Self::remove_expired) should be called periodically;
/// it deletes states that are no longer needed.
///
/// ```
/// use evenkeel_limiters::stores::MemoryStore;
/// use evenkeel_limiters::{Event, LeakyBucket, LeakyBucketParams};
///
/// let bucket = LeakyBucket::new(LeakyBucketParams { capacity: 1, ..Default::default() })?;
/// let store = MemoryStore::new(100_000);
/// assert!(store.check("ann", &bucket, Event::at_unix_millis(0))?.allowed);
/// assert!(!store.check("ann", &bucket, Event::at_unix_millis(0))?.allowed);
/// assert!(store.check("ben", &bucket, Event::at_unix_millis(0))?.allowed);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct MemoryStore<K, S> {
    shards: Box<[Shard<K, S>]>,
    hasher: DefaultHashBuilder,
}

/// A shard fills one cache line of most processors, so that two shards never share a cache line.
#[derive(Debug)]
#[repr(align(64))]
struct Shard<K, S>(Mutex<Generations<K, S>>);

/// Keys of a shard in two generations. An update moves its key to the young generation. When the young generation is
/// full, it becomes the old generation, and the previous old generation is evicted.
#[derive(Debug)]
struct Generations<K, S> {
    young: HashTable<(K, S)>,
    /// Previous generation of keys, if there is one. Boxed, so that a shard fits into one cache line.
    old: Option<Box<HashTable<(K, S)>>>,
    /// Maximum number of keys in one generation.
    capacity: usize,
}

/// Error of [`MemoryStore::check_all`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CheckAllError {
    /// One of the limits can never allow the cost.
    #[error(transparent)]
    Cost(#[from] InvalidCost),
    /// Two limits of the event have the same key.
    #[error("two limits have the same key")]
    DuplicateKey,
}

impl<K: Hash + Eq, S: Clone + Default> MemoryStore<K, S> {
    /// Creates a store of at most `capacity` keys. The capacity is rounded up by at most 4,096, because each of the 64 to
    /// 2,048 shards has an even capacity.
    #[must_use]
    pub fn new(capacity: usize) -> Self {
        let shards = shard_count(capacity);
        let shard = |index| {
            let capacity = generation_capacity(capacity, index, shards);
            Shard(Mutex::new(Generations { young: HashTable::new(), old: None, capacity }))
        };
        Self { shards: (0..shards).map(shard).collect(), hasher: DefaultHashBuilder::default() }
    }

    /// Decides an event of `key` and updates its state.
    ///
    /// # Errors
    /// Same as [`Limiter::evaluate`].
    #[inline(always)]
    pub fn check<Q, L>(&self, key: &Q, limiter: &L, event: Event) -> Result<Decision, InvalidCost>
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ToOwned<Owned = K> + ?Sized,
        L: Limiter<State = S>,
    {
        let hash = self.hasher.hash_one(key);
        let mut shard = self.shard(hash);
        limiter.check(shard.get_or_insert(hash, key, &self.hasher), event)
    }

    /// Returns the decision that [`check`](Self::check) would make, without changing the state.
    ///
    /// # Errors
    /// Same as [`Limiter::evaluate`].
    pub fn peek<Q, L>(&self, key: &Q, limiter: &L, event: Event) -> Result<Decision, InvalidCost>
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
        L: Limiter<State = S>,
    {
        limiter.peek(&self.get(key).unwrap_or_default(), event)
    }

    /// Gives back the cost of an event that was allowed but did not happen. Returns `false` if the limiter does not
    /// support refunds or the key has no state.
    pub fn refund<Q, L>(&self, key: &Q, limiter: &L, event: Event) -> bool
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
        L: Limiter<State = S>,
    {
        let hash = self.hasher.hash_one(key);
        self.shard(hash).find(hash, key).is_some_and(|state| limiter.refund(state, event))
    }

    /// Applies several limits to one event, each to its own key. The event is allowed, and charged to all limits, only if
    /// all of them allow it (see [`combined_limits::check`]).
    ///
    /// # Errors
    /// Returns an error if the cost can never be allowed by one of the limits, or if two keys are equal. In this case
    /// no state is changed.
    pub fn check_all<'a, L: Limiter<State = S>>(
        &self,
        limits: &[(K, NamedLimit<'a, L>)],
        event: Event,
    ) -> Result<CombinedDecision<'a>, CheckAllError>
    where
        K: Clone,
    {
        let (keys, limits): (Vec<&K>, Vec<NamedLimit<'a, L>>) = limits.iter().map(|(key, limit)| (key, *limit)).unzip();
        let hashes: Vec<u64> = keys.iter().map(|key| self.hasher.hash_one(key)).collect();
        if keys.iter().enumerate().any(|(index, key)| keys[..index].contains(key)) {
            return Err(CheckAllError::DuplicateKey);
        }
        // Shards are locked in ascending order, so that concurrent calls cannot deadlock.
        let shard_of = |hash: &u64| shard_index(*hash, self.shards.len());
        let mut order: Vec<usize> = hashes.iter().map(shard_of).collect();
        order.sort_unstable();
        order.dedup();
        let mut locked: Vec<_> = order.iter().map(|index| self.lock(*index)).collect();
        let lock_of = |hash: &u64| order.binary_search(&shard_of(hash)).unwrap_or_default();
        let mut states: Vec<S> = Vec::with_capacity(keys.len());
        for (key, hash) in keys.iter().zip(&hashes) {
            states.push(locked[lock_of(hash)].find(*hash, *key).cloned().unwrap_or_default());
        }
        let verdict = combined_limits::check(&limits, &mut states, event)?;
        for ((key, hash), state) in keys.iter().zip(&hashes).zip(states) {
            *locked[lock_of(hash)].get_or_insert(*hash, *key, &self.hasher) = state;
        }
        Ok(verdict)
    }

    /// Returns the state of a key; `None` if the key has no state.
    #[must_use]
    pub fn get<Q>(&self, key: &Q) -> Option<S>
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        let hash = self.hasher.hash_one(key);
        self.shard(hash).find(hash, key).cloned()
    }

    /// Runs `update` on the state of a key, with exclusive access. `update` should be short, because other keys share the
    /// lock, and must not use the store, which could deadlock.
    #[inline(always)]
    pub fn with_state<Q, R>(&self, key: &Q, update: impl FnOnce(&mut S) -> R) -> R
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ToOwned<Owned = K> + ?Sized,
    {
        let hash = self.hasher.hash_one(key);
        update(self.shard(hash).get_or_insert(hash, key, &self.hasher))
    }

    /// Deletes the state of a key. The next event of the key starts with a fresh state.
    pub fn remove<Q>(&self, key: &Q)
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        let hash = self.hasher.hash_one(key);
        self.shard(hash).remove(hash, key);
    }

    /// Deletes states that have expired at `now` (see [`Limiter::expires_at`]). Locks only one shard at a time.
    pub fn remove_expired<'a, L: Limiter<State = S> + 'a>(&self, limiter_of: impl Fn(&K) -> &'a L, now: Timestamp) {
        for index in 0..self.shards.len() {
            for generation in self.lock(index).generations() {
                generation.retain(|(key, state)| limiter_of(key).expires_at(state).is_none_or(|expiry| now < expiry));
            }
        }
    }

    /// Number of keys with a state.
    #[must_use]
    pub fn len(&self) -> usize {
        let len = |index| self.lock(index).generations().map(|generation| generation.len()).sum::<usize>();
        (0..self.shards.len()).map(len).sum()
    }

    /// Returns true if no key has a state.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn shard(&self, hash: u64) -> MutexGuard<'_, Generations<K, S>> {
        self.lock(shard_index(hash, self.shards.len()))
    }

    fn lock(&self, index: usize) -> MutexGuard<'_, Generations<K, S>> {
        self.shards[index].0.lock()
    }
}

/// Returns the index of the shard of a key.
///
/// Shards have unequal sizes: the last shard has twice as many keys as the first. A hash table doubles when it is full,
/// so unequal shards double one after the other while the store grows. If all shards doubled at once, half of the
/// memory would be unused afterwards.
#[inline]
fn shard_index(hash: u64, shards: usize) -> usize {
    // The hash of `hashbrown` is a product, whose bits are unevenly distributed for successive integers. In about 1 %
    // of the processes, more than a tenth of 1,000 successive keys would have the same shard.
    let mixed = (hash ^ (hash >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 48;
    // With u = mixed / 2^16, `position` is 2^16 * u * (4 - u) / 3. Its slope falls from 4 / 3 at u = 0 to 2 / 3 at u =
    // 1, so that the last shards get more keys than the first.
    let position = mixed * ((4 << 16) - mixed) / (3 << 16);
    (usize::try_from(position).unwrap_or_default() * shards) >> 16
}

/// Maximum number of keys in one generation of a shard: half of the keys of the shard, rounded up.
#[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "rounding")]
fn generation_capacity(capacity: usize, shard: usize, shards: usize) -> usize {
    // `begin` is the inverse of `position` in `shard_index`.
    let begin = |index: usize| 2.0 - (4.0 - 3.0 * index as f64 / shards as f64).sqrt();
    let part = capacity as f64 * (begin(shard + 1) - begin(shard));
    ((part / 2.0).ceil() as usize).max(1)
}

impl<K: Hash + Eq, S: Default> Generations<K, S> {
    fn generations(&mut self) -> impl Iterator<Item = &mut HashTable<(K, S)>> {
        std::iter::once(&mut self.young).chain(self.old.as_deref_mut())
    }

    fn find<Q: Eq + ?Sized>(&mut self, hash: u64, key: &Q) -> Option<&mut S>
    where
        K: Borrow<Q>,
    {
        let mut generations = self.generations();
        generations.find_map(|keys| keys.find_mut(hash, |(known, _)| known.borrow() == key)).map(|(_, state)| state)
    }

    fn remove<Q: Eq + ?Sized>(&mut self, hash: u64, key: &Q)
    where
        K: Borrow<Q>,
    {
        for generation in self.generations() {
            if let Ok(entry) = generation.find_entry(hash, |(known, _)| known.borrow() == key) {
                entry.remove();
            }
        }
    }

    /// Finds or inserts the state of a key, and moves the key to the young generation.
    #[inline]
    fn get_or_insert<Q>(&mut self, hash: u64, key: &Q, hasher: &DefaultHashBuilder) -> &mut S
    where
        K: Borrow<Q>,
        Q: Eq + ToOwned<Owned = K> + ?Sized,
    {
        let Self { young, old, capacity } = self;
        let young = match young.find_entry(hash, |(known, _)| known.borrow() == key) {
            Ok(entry) => return &mut entry.into_mut().1,
            Err(absent) => absent.into_table(),
        };
        let in_old = old.as_mut().map(|old| old.find_entry(hash, |(known, _)| known.borrow() == key));
        let entry = match in_old {
            Some(Ok(entry)) => entry.remove().0,
            _ => (key.to_owned(), S::default()),
        };
        if young.len() >= *capacity {
            **old.get_or_insert_default() = std::mem::take(young);
        }
        &mut young.insert_unique(hash, entry, |(known, _)| hasher.hash_one(known)).into_mut().1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_in_arithmetic_progression_are_spread_over_all_shards() {
        for shift in 0..54 {
            for step in [1, 3, 0x9e37_79b9_7f4a_7c15, 0x0101_0101_0101_0101_u64] {
                let mut keys = [0; 256];
                (0..1_000_u64).for_each(|key| keys[shard_index(key.wrapping_mul(step << shift), 256)] += 1);
                assert!(keys.iter().all(|count| *count <= 40), "{step} << {shift}: {keys:?}");
            }
        }
    }

    #[test]
    fn capacities_are_proportional_to_the_number_of_keys() {
        let hasher = DefaultHashBuilder::default();
        for shards in [64, 200, 1_024] {
            let mut keys = vec![0_usize; shards];
            (0..4_000_000_u64).for_each(|key| keys[shard_index(hasher.hash_one(key), shards)] += 1);
            for (shard, count) in keys.into_iter().enumerate() {
                let capacity = 2 * generation_capacity(4_000_000, shard, shards);
                assert!(count.abs_diff(capacity) * 5 < capacity, "shard {shard}: {count} keys, capacity {capacity}");
            }
        }
        for (capacity, most) in [(0, 128), (10_000, 10_128), (100_000, 100_390), (10_000_000, 10_004_096)] {
            let shards = shard_count(capacity);
            let sum: usize = (0..shards).map(|shard| 2 * generation_capacity(capacity, shard, shards)).sum();
            assert!((capacity..=most).contains(&sum), "{sum}");
        }
    }
}
