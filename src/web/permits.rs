//! Semaphore for expensive work. A request that waits too long for a permit gets 503.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::web::error::AppError;

/// Semaphore whose clones share the same permits.
#[derive(Clone, Debug)]
pub struct Permits {
    semaphore: Arc<Semaphore>,
    total: usize,
    /// Maximum time that a request waits for a permit.
    max_wait: Duration,
}

impl Permits {
    pub fn new(at_once: usize, patience: Duration) -> Self {
        Self { semaphore: Arc::new(Semaphore::new(at_once)), total: at_once, max_wait: patience }
    }

    /// Creates permits for CPU-intensive work: one per CPU core, except for one core that stays free for other
    /// requests. The number of permits is at least 1 and at most `most`.
    pub fn for_cpu_count(most: usize, patience: Duration) -> Self {
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        Self::new(cores.saturating_sub(1).clamp(1, most), patience)
    }

    pub fn total(&self) -> usize {
        self.total
    }

    pub fn available(&self) -> usize {
        self.semaphore.available_permits()
    }

    /// Waits for a permit, which is released on drop.
    pub async fn acquire(&self) -> Result<OwnedSemaphorePermit, AppError> {
        timeout(self.max_wait, self.acquire_without_timeout()).await.map_err(|_| AppError::Busy)?
    }

    /// Waits for a permit like [`acquire`](Self::acquire), but without a time limit.
    pub async fn acquire_without_timeout(&self) -> Result<OwnedSemaphorePermit, AppError> {
        Arc::clone(&self.semaphore).acquire_owned().await.map_err(|_| AppError::Busy)
    }
}
