//! One limiter for all keys, except for some that have their own.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::Hash;

/// A limiter for all keys, and other limiters for some of them. States are kept elsewhere, so the limiters may change
/// at any time.
///
/// ```
/// use evenkeel_limiters::{LeakyBucket, LeakyBucketParams, Overrides};
///
/// let bucket = |capacity| LeakyBucket::new(LeakyBucketParams { capacity, ..Default::default() });
/// let mut limits = Overrides::new(bucket(20)?);
/// limits.set("the newspaper's address".to_owned(), bucket(500)?);
/// assert_eq!(limits.of("the newspaper's address").params().capacity, 500);
/// assert_eq!(limits.of("anybody else").params().capacity, 20);
/// # Ok::<(), evenkeel_limiters::InvalidParameter>(())
/// ```
#[derive(Clone, Debug)]
pub struct Overrides<K, L> {
    default: L,
    by_key: HashMap<K, L>,
}

impl<K: Hash + Eq, L> Overrides<K, L> {
    /// All keys have `default`.
    #[must_use]
    pub fn new(default: L) -> Self {
        Self { default, by_key: HashMap::new() }
    }

    /// Changes the limiter of all keys that have none of their own.
    pub fn set_default(&mut self, limiter: L) {
        self.default = limiter;
    }

    /// Gives a key a limiter of its own.
    pub fn set(&mut self, key: K, limiter: L) {
        self.by_key.insert(key, limiter);
    }

    /// Takes a key's own limiter away: the default is used for it again.
    pub fn remove<Q: Hash + Eq + ?Sized>(&mut self, key: &Q)
    where
        K: Borrow<Q>,
    {
        self.by_key.remove(key);
    }

    /// The limiter of a key.
    #[must_use]
    pub fn of<Q: Hash + Eq + ?Sized>(&self, key: &Q) -> &L
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
        let mut limits = Overrides::new(1);
        limits.set("ann".to_owned(), 2);
        limits.set_default(3);
        assert_eq!((*limits.of("ann"), *limits.of("ben")), (2, 3));
        limits.remove("ann");
        assert_eq!(*limits.of("ann"), 3);
    }
}
