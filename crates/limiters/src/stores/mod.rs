//! Stores of limiter states.
//!
//! [`MemoryStore`] keeps the states of one process in memory. Its decisions are exact even if many threads use the store
//! at the same time, and each decision takes tens of nanoseconds. `ValkeyStore` (feature `valkey`) shares states
//! between programs. [`Store`] is their common interface.

use std::borrow::Borrow;
use std::convert::Infallible;
use std::hash::Hash;

use crate::{Clock, Decision, Event, InvalidCost, Limiter, SystemClock};

mod lock;
mod memory;
#[cfg(feature = "valkey")]
mod valkey;

pub use self::memory::{CheckAllError, MemoryStore};
#[cfg(feature = "valkey")]
pub use self::valkey::{ValkeyError, ValkeyStore};

/// Error of a check in a [`Store`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError<E> {
    /// The limiter can never allow the cost.
    #[error(transparent)]
    Cost(InvalidCost),
    /// The store is unavailable or returned an error. It is unknown whether the event was charged.
    #[error(transparent)]
    Store(E),
}

/// A store of the states of a limiter, for keys of type `K`.
///
/// Implementations are exact: concurrent operations have the same results as if they ran one after the other.
pub trait Store<K: ?Sized, L: Limiter> {
    /// Error of the store itself, for example that its server is unavailable.
    type Error;

    /// Decides an event of a key and updates its state. A store that is shared by machines may replace the time of the
    /// event by the time of its own clock.
    ///
    /// # Errors
    /// Returns an error if the limiter can never allow the cost, or if the store failed.
    fn check_event(
        &self,
        key: &K,
        limiter: &L,
        event: Event,
    ) -> impl Future<Output = Result<Decision, StoreError<Self::Error>>> + Send;

    /// Returns the decision that [`check_event`](Self::check_event) would make, without changing the state.
    ///
    /// # Errors
    /// Same as [`check_event`](Self::check_event).
    fn peek_event(
        &self,
        key: &K,
        limiter: &L,
        event: Event,
    ) -> impl Future<Output = Result<Decision, StoreError<Self::Error>>> + Send;

    /// Gives back the cost of an event that did not happen. Returns `false` if the limiter does not support refunds or
    /// the key has no state.
    ///
    /// # Errors
    /// Returns the error of the store.
    fn refund_event(
        &self,
        key: &K,
        limiter: &L,
        event: Event,
    ) -> impl Future<Output = Result<bool, Self::Error>> + Send;

    /// Deletes the state of a key.
    ///
    /// # Errors
    /// Returns the error of the store.
    fn reset(&self, key: &K) -> impl Future<Output = Result<(), Self::Error>> + Send;

    /// Decides an event with a cost of `units` at the current time.
    ///
    /// # Errors
    /// Same as [`check_event`](Self::check_event).
    fn check_now(
        &self,
        key: &K,
        limiter: &L,
        units: u32,
    ) -> impl Future<Output = Result<Decision, StoreError<Self::Error>>> + Send {
        self.check_event(key, limiter, Event::at(SystemClock.now()).with_cost(units))
    }
}

impl<E> From<InvalidCost> for StoreError<E> {
    fn from(error: InvalidCost) -> Self {
        Self::Cost(error)
    }
}

#[cfg(feature = "valkey")]
impl From<ValkeyError> for StoreError<ValkeyError> {
    fn from(error: ValkeyError) -> Self {
        Self::Store(error)
    }
}

impl<K, Q, L> Store<Q, L> for MemoryStore<K, L::State>
where
    K: Borrow<Q> + Hash + Eq + Send,
    Q: Hash + Eq + ToOwned<Owned = K> + Sync + ?Sized,
    L: Limiter<State: Send> + Sync,
{
    type Error = Infallible;

    async fn check_event(&self, key: &Q, limiter: &L, event: Event) -> Result<Decision, StoreError<Infallible>> {
        Ok(MemoryStore::check(self, key, limiter, event)?)
    }

    async fn peek_event(&self, key: &Q, limiter: &L, event: Event) -> Result<Decision, StoreError<Infallible>> {
        Ok(self.peek(key, limiter, event)?)
    }

    async fn refund_event(&self, key: &Q, limiter: &L, event: Event) -> Result<bool, Infallible> {
        Ok(self.refund(key, limiter, event))
    }

    async fn reset(&self, key: &Q) -> Result<(), Infallible> {
        self.remove(key);
        Ok(())
    }
}
