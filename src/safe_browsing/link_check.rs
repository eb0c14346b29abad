//! Whether texts link to suspected places: asked when a text is saved, and again as the lists change.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use sqlx::PgPool;

use super::flagged_urls;
use super::flagged_urls::Named;
use super::threat_lists::{SafeBrowsing, TRUSTED_FOR, Verdict};
use crate::db::clock::{Clock, saturating_add};
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
#[derive(Clone, Debug)]
pub struct Known {
    /// How often the lists had changed; -1 where nobody has looked.
    pub lists: i64,
    /// All that are not safe.
    open: BTreeMap<String, Open>,
}

/// An address that is suspected, or of which nothing could be learned.
#[derive(Clone, Debug)]
struct Open {
    is_suspected: bool,
    /// When it has to be asked for again, even if the lists do not change.
    again_at: DateTime<Utc>,
    /// What the server has said of it just now.
    named: Option<Named>,
}

impl Known {
    fn nothing() -> Self {
        Self { lists: -1, open: BTreeMap::new() }
    }

    fn among<'a>(&'a self, addresses: &'a [String]) -> impl Iterator<Item = (&'a String, &'a Open)> {
        addresses.iter().filter_map(|address| Some((address, self.open.get(address)?)))
    }

    /// Those among these that are suspected.
    #[must_use]
    pub fn suspected(&self, addresses: &[String]) -> Vec<String> {
        self.among(addresses).filter(|(_, open)| open.is_suspected).map(|(address, _)| address.clone()).collect()
    }

    /// When a text with these has to be checked again at the latest; none where the lists alone decide.
    #[must_use]
    pub fn again_at(&self, addresses: &[String]) -> Option<DateTime<Utc>> {
        self.among(addresses).map(|(_, open)| open.again_at).min()
    }

    /// What the server has said of these just now.
    #[must_use]
    pub fn named(&self, addresses: &[String]) -> Vec<Named> {
        self.among(addresses).filter_map(|(_, open)| open.named.clone()).collect()
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
                tracing::warn!(%error, "links not checked on save; background check pending");
                Known::nothing()
            }
            // It took too long, or panicked, which is logged.
            Err(_) | Ok(Err(_)) => Known::nothing(),
        }
    }

    /// What is known of these addresses. Where links are not checked, nothing is suspected.
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
        let (mut unknown, mut open) = (BTreeSet::new(), BTreeMap::new());
        for (address, verdict) in addresses.iter().zip(verdicts) {
            match verdict {
                Verdict::Safe => {}
                Verdict::Unknown => drop(unknown.insert(address.clone())),
                Verdict::Suspected { threat_type, confirmed_at, until } => {
                    let (source, said_of) = (self.service.source(), address.clone());
                    let named = Some(Named { address: said_of, threat_type, source, confirmed_at });
                    open.insert(address.clone(), Open { is_suspected: true, again_at: until, named });
                }
            }
        }
        if !unknown.is_empty() {
            open.extend(self.of_before(unknown).await?);
        }
        Ok(Known { lists, open })
    }

    /// What was suspected a moment ago stays so while the server may not be asked, as long as it may be trusted.
    async fn of_before(&self, unknown: BTreeSet<String>) -> sqlx::Result<impl Iterator<Item = (String, Open)>> {
        let mut connection = self.pool.acquire().await?;
        let now = self.clock.read(&mut connection).await?;
        let trusted: HashMap<String, DateTime<Utc>> =
            flagged_urls::confirmed(&mut connection, &unknown, now - TRUSTED_FOR).await?;
        Ok(unknown.into_iter().map(move |address| {
            let until = trusted.get(&address).map(|confirmed_at| saturating_add(*confirmed_at, TRUSTED_FOR));
            let again_at = until.map_or(now + AGAIN_AFTER, |until| until.min(now + AGAIN_AFTER));
            (address, Open { is_suspected: until.is_some(), again_at, named: None })
        }))
    }
}
