//! Semaphore for expensive work, which bounds the share of each requester.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

/// Account or network that asks for expensive work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Requester {
    /// Id of the account.
    User(i64),
    Network(IpAddr),
    /// Command, or a request whose peer is unknown.
    Other,
}

/// No permit was available in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("too many requests are waiting")]
pub struct Busy;

/// Semaphore that gives each requester at most half of the permits, so that frequent requesters delay only themselves.
#[derive(Clone, Debug)]
pub struct Permits {
    semaphore: Arc<Semaphore>,
    /// Permits of each requester that holds a permit or waits for one.
    shares: Arc<Mutex<HashMap<Requester, Arc<Semaphore>>>>,
    total: usize,
    max_wait: Duration,
}

#[derive(Debug)]
pub struct Permit {
    _permit: OwnedSemaphorePermit,
    _share: Option<Share>,
}

#[derive(Debug)]
struct Share {
    requester: Requester,
    permit: Option<OwnedSemaphorePermit>,
    shares: Arc<Mutex<HashMap<Requester, Arc<Semaphore>>>>,
}

impl Drop for Share {
    fn drop(&mut self) {
        let mut shares = self.shares.lock().unwrap_or_else(PoisonError::into_inner);
        drop(self.permit.take());
        // Nobody else holds or waits for a permit of this requester if only the map refers to the semaphore.
        if shares.get(&self.requester).is_some_and(|share| Arc::strong_count(share) == 1) {
            shares.remove(&self.requester);
        }
    }
}

impl Permits {
    pub fn new(at_once: usize, patience: Duration) -> Self {
        let semaphore = Arc::new(Semaphore::new(at_once));
        Self { semaphore, shares: Arc::default(), total: at_once, max_wait: patience }
    }

    /// One permit per CPU core, except for one core that stays free for other requests; at least 1 and at most `most`.
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

    pub async fn acquire(&self, requester: Requester) -> Result<Permit, Busy> {
        let acquire = async {
            let share = self.acquire_share(requester).await?;
            Ok(Permit { _share: Some(share), ..self.acquire_without_timeout().await? })
        };
        timeout(self.max_wait, acquire).await.map_err(|_| Busy)?
    }

    async fn acquire_share(&self, requester: Requester) -> Result<Share, Busy> {
        // Creates the share before waiting, so that the share removes its entry of the map if the request is cancelled.
        let mut share = Share { requester, permit: None, shares: self.shares.clone() };
        let semaphore = {
            let mut shares = self.shares.lock().unwrap_or_else(PoisonError::into_inner);
            let new = || Arc::new(Semaphore::new(self.total.div_ceil(2)));
            shares.entry(requester).or_insert_with(new).clone()
        };
        share.permit = Some(semaphore.acquire_owned().await.map_err(|_| Busy)?);
        Ok(share)
    }

    pub async fn acquire_without_timeout(&self) -> Result<Permit, Busy> {
        let permit = Arc::clone(&self.semaphore).acquire_owned().await.map_err(|_| Busy)?;
        Ok(Permit { _permit: permit, _share: None })
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    #[tokio::test]
    async fn a_requester_waits_behind_its_own_requests_only() {
        let permits = Permits::new(1, Duration::from_hours(1));
        let (often, once) = (Requester::User(1), Requester::User(2));
        let first = permits.acquire(often).await.unwrap();
        let mut waiting: Vec<_> = (0..3).map(|_| Box::pin(permits.acquire(often))).collect();
        assert!(waiting.iter_mut().all(|request| request.now_or_never().is_none()));
        let mut other = Box::pin(permits.acquire(once));
        assert!((&mut other).now_or_never().is_none());
        drop(first);
        // One request of the first requester was in line before the other; its further requests are behind it.
        let other = (&mut other).now_or_never().expect("the other requester is next").unwrap();
        assert!(waiting.iter_mut().all(|request| request.now_or_never().is_none()));
        drop(other);
        assert!(waiting.remove(0).now_or_never().is_some_and(|permit| permit.is_ok()));
        drop(waiting);
        assert!(permits.shares.lock().unwrap().is_empty() && permits.available() == 1);
    }
}
