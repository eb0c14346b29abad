//! Mutex of a shard. It is `parking_lot::Mutex`, or with the feature `__shuttle` the mutex of the test scheduler `shuttle`,
//! which controls when each thread runs.

#[cfg(not(feature = "__shuttle"))]
pub(super) use parking_lot::{Mutex, MutexGuard};
#[cfg(feature = "__shuttle")]
pub(super) use shuttle::sync::MutexGuard;

/// Lock with the interface of `parking_lot`.
#[cfg(feature = "__shuttle")]
#[derive(Debug)]
pub(super) struct Mutex<T>(shuttle::sync::Mutex<T>);

#[cfg(feature = "__shuttle")]
impl<T> Mutex<T> {
    pub(super) fn new(value: T) -> Self {
        Self(shuttle::sync::Mutex::new(value))
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, T> {
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}
