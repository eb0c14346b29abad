//! Whether texts link to suspected places: asked when a text is saved, and again as the lists change.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use sqlx::PgPool;

use super::safe_browsing::{SafeBrowsing, TRUSTED_FOR, Verdict};
use super::suspected;
use crate::database::clock::Clock;
use crate::web::state::AppState;

/// How long whoever saves a text waits for this.
const PATIENCE: Duration = Duration::from_millis(200);

/// When an address is asked for again of which nothing could be learned.
const AGAIN_AFTER: TimeDelta = TimeDelta::minutes(1);

/// Checks links, if the site does that.
#[derive(Clone, Debug, Default)]
pub struct LinkCheck(Option<Arc<Checking>>);

#[derive(Debug)]
struct Checking {
    service: Arc<SafeBrowsing>,
    pool: PgPool,
    clock: Clock,
}

/// What is known of some addresses.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// How often the lists had changed; -1 where nobody has looked.
    pub lists: i64,
    /// Those that are suspected, and those of which nothing could be learned; each with the time when it has to be asked
    /// for again, even if the lists do not change.
    open: BTreeMap<String, (bool, DateTime<Utc>)>,
}

impl Known {
    fn nothing() -> Self {
        Self { lists: -1, ..Self::default() }
    }

    /// Those among these that are suspected.
    #[must_use]
    pub fn suspected(&self, addresses: &[String]) -> Vec<String> {
        let is_suspected = |address: &&String| self.open.get(*address).is_some_and(|(is_suspected, _)| *is_suspected);
        addresses.iter().filter(is_suspected).cloned().collect()
    }

    /// When a text with these has to be checked again at the latest; none where the lists alone decide.
    #[must_use]
    pub fn again_at(&self, addresses: &[String]) -> Option<DateTime<Utc>> {
        addresses.iter().filter_map(|address| self.open.get(address).map(|(_, at)| *at)).min()
    }
}

impl LinkCheck {
    #[must_use]
    pub fn new(service: Option<Arc<SafeBrowsing>>, state: &AppState) -> Self {
        let (pool, clock) = (state.pool.clone(), state.clock.clone());
        Self(service.map(|service| Arc::new(Checking { service, pool, clock })))
    }

    /// How often the lists have changed. None where links are not checked.
    #[must_use]
    pub fn lists(&self) -> Option<i64> {
        self.0.as_ref().map(|checking| checking.service.changes())
    }

    /// What can be learned of these addresses in a moment. Nothing fails and nothing waits for it: what cannot be learned
    /// now is left to the check in the background.
    pub async fn in_a_moment(&self, addresses: &[String]) -> Known {
        let Some(checking) = self.0.clone().filter(|_| !addresses.is_empty()) else { return Known::nothing() };
        let addresses = addresses.to_vec();
        // Whoever waits may give up; the request to the server goes on, so that its answer is kept.
        let check = tokio::spawn(async move { checking.check(&addresses).await });
        match tokio::time::timeout(PATIENCE, check).await {
            Ok(Ok(Ok(known))) => known,
            Ok(Ok(Err(error))) => {
                tracing::warn!(%error, "links of a text were not checked as it was saved");
                Known::nothing()
            }
            // It took too long, or panicked, which is logged.
            Err(_) | Ok(Err(_)) => Known::nothing(),
        }
    }

    /// What is known of these addresses. Where links are not checked, nothing is suspected.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn check(&self, addresses: &[String]) -> sqlx::Result<Known> {
        match &self.0 {
            Some(checking) => checking.check(addresses).await,
            None => Ok(Known::nothing()),
        }
    }
}

impl Checking {
    async fn check(&self, addresses: &[String]) -> sqlx::Result<Known> {
        let lists = self.service.changes();
        let verdicts = self.service.check(addresses).await?;
        let mut connection = self.pool.acquire().await?;
        let now = self.clock.read(&mut connection).await?;
        let (mut named, mut unknown, mut open) = (Vec::new(), BTreeSet::new(), BTreeMap::new());
        for (address, verdict) in addresses.iter().zip(verdicts) {
            match verdict {
                Verdict::Safe => {}
                Verdict::Unknown => drop(unknown.insert(address.clone())),
                Verdict::Suspected { threat_type, confirmed_at, until } => {
                    open.insert(address.clone(), (true, until));
                    named.push((address.clone(), threat_type, confirmed_at));
                }
            }
        }
        if !named.is_empty() {
            suspected::note(&mut connection, &named, &self.service.source(), now).await?;
        }
        // What was suspected a moment ago stays so while the server may not be asked, as long as it may be trusted.
        let mut trusted = HashMap::new();
        if !unknown.is_empty() {
            trusted = suspected::confirmed(&mut connection, &unknown, now - TRUSTED_FOR).await?;
        }
        for address in unknown {
            let until = trusted.get(&address).map(|confirmed_at| *confirmed_at + TRUSTED_FOR);
            let again_at = until.map_or(now + AGAIN_AFTER, |until| until.min(now + AGAIN_AFTER));
            open.insert(address, (until.is_some(), again_at));
        }
        Ok(Known { lists, open })
    }
}
