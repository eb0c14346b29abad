//! A default limiter with overrides for individual keys.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::Hash;

/// A default limiter, and limiters that override the default for individual keys.
///
/// The states of the keys are stored elsewhere, so limiters can be replaced at any time.
///
/// ```
/// use evenkeel_limiters::{LeakyBucket, LeakyBucketParams, LimiterOverrides};
///
/// let bucket = |capacity| LeakyBucket::new(LeakyBucketParams { capacity, ..Default::default() });
/// let mut limits = LimiterOverrides::new(bucket(20)?);
/// limits.set("203.0.113.7".to_owned(), bucket(500)?);
/// assert_eq!(limits.get("203.0.113.7").params().capacity, 500);
/// assert_eq!(limits.get("198.51.100.1").params().capacity, 20);
/// # Ok::<(), evenkeel_limiters::InvalidParameter>(())
/// ```
#[derive(Clone, Debug)]
pub struct LimiterOverrides<K, L> {
    default: L,
    by_key: HashMap<K, L>,
}

impl<K: Hash + Eq, L> LimiterOverrides<K, L> {
    /// Creates a set without overrides: `default` applies to all keys.
    #[must_use]
    pub fn new(default: L) -> Self {
        Self { default, by_key: HashMap::new() }
    }

    /// Replaces the limiter of all keys without an override.
    pub fn set_default(&mut self, limiter: L) {
        self.default = limiter;
    }

    /// Sets the limiter of one key.
    pub fn set(&mut self, key: K, limiter: L) {
        self.by_key.insert(key, limiter);
    }

    /// Removes the override of a key, so that the default applies again.
    pub fn remove<Q: Hash + Eq + ?Sized>(&mut self, key: &Q)
    where
        K: Borrow<Q>,
    {
        self.by_key.remove(key);
    }

    /// Returns the override of a key, or the default limiter.
    #[must_use]
    pub fn get<Q: Hash + Eq + ?Sized>(&self, key: &Q) -> &L
    where
        K: Borrow<Q>,
    {
        self.by_key.get(key).unwrap_or(&self.default)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_have_their_own_limiter_until_it_is_taken_away() {
        let mut limits = LimiterOverrides::new(1);
        limits.set("ann".to_owned(), 2);
        limits.set_default(3);
        assert_eq!((*limits.get("ann"), *limits.get("ben")), (2, 3));
        limits.remove("ann");
        assert_eq!(*limits.get("ann"), 3);
    }
}
