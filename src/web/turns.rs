//! Turns for work that costs much: a few at once, and whoever waits too long for one is told to come back.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use super::error::AppError;

/// Clones share the turns.
#[derive(Clone, Debug)]
pub struct Turns {
    permits: Arc<Semaphore>,
    /// How long a request waits for its turn.
    patience: Duration,
}

impl Turns {
    #[must_use]
    pub fn new(at_once: usize, patience: Duration) -> Self {
        Self { permits: Arc::new(Semaphore::new(at_once)), patience }
    }

    /// As many as there are processor cores but one, which is left to everybody else; at least 1 and at most `most`.
    #[must_use]
    pub fn by_cores(most: usize, patience: Duration) -> Self {
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        Self::new(cores.saturating_sub(1).clamp(1, most), patience)
    }

    /// Waits for a turn. It is over when the value is dropped.
    ///
    /// # Errors
    /// `busy` when that takes too long.
    pub async fn take(&self) -> Result<OwnedSemaphorePermit, AppError> {
        timeout(self.patience, self.take_in_time()).await.map_err(|_| AppError::Busy)?
    }

    /// As [`take`](Self::take), for whoever has all the time.
    ///
    /// # Errors
    /// None while there are turns.
    pub async fn take_in_time(&self) -> Result<OwnedSemaphorePermit, AppError> {
        Arc::clone(&self.permits).acquire_owned().await.map_err(|_| AppError::Busy)
    }
}
