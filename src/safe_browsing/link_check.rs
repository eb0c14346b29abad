//! Checks links in posts against the threat lists, both when a text is saved and when the lists change.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};

use super::flagged_urls::{self, NewFlaggedUrl};
use super::threat_lists::SafeBrowsing;
use super::verdicts::{VERDICT_LIFETIME, Verdict};
use crate::db::clock::saturating_add;

/// Maximum delay that the check adds to saving a text.
const SAVE_TIMEOUT: Duration = Duration::from_millis(200);

/// Delay before a URL with an unknown verdict is checked again.
const RECHECK_AFTER: TimeDelta = TimeDelta::minutes(1);

/// Link checker; does nothing if Safe Browsing is disabled.
#[derive(Clone, Debug, Default)]
pub struct LinkChecker(Option<Arc<SafeBrowsing>>);

#[derive(Clone, Debug)]
pub struct UrlCheckResult {
    /// Version of the threat lists, which is the number of changes so far. -1 if the URLs were not checked.
    pub list_version: i64,
    unsafe_urls: BTreeMap<String, UnsafeUrl>,
}

/// Flagged URL, or URL that could not be checked.
#[derive(Clone, Debug)]
struct UnsafeUrl {
    is_suspected: bool,
    /// Time when the URL must be checked again, even if the lists do not change.
    again_at: DateTime<Utc>,
    /// New verdict, to be stored. `None` if an earlier verdict was used or the URL could not be checked.
    named: Option<NewFlaggedUrl>,
}

impl UrlCheckResult {
    fn unchecked() -> Self {
        Self { list_version: -1, unsafe_urls: BTreeMap::new() }
    }

    fn among<'a>(&'a self, addresses: &'a [String]) -> impl Iterator<Item = (&'a String, &'a UnsafeUrl)> {
        addresses.iter().filter_map(|address| Some((address, self.unsafe_urls.get(address)?)))
    }

    pub fn flagged_urls(&self, addresses: &[String]) -> Vec<String> {
        self.among(addresses).filter(|(_, open)| open.is_suspected).map(|(address, _)| address.clone()).collect()
    }

    /// Time of the next check; `None` if the text needs another check only after a change of the threat lists.
    pub fn recheck_at(&self, addresses: &[String]) -> Option<DateTime<Utc>> {
        self.among(addresses).map(|(_, open)| open.again_at).min()
    }

    pub fn new_verdicts(&self, addresses: &[String]) -> Vec<NewFlaggedUrl> {
        self.among(addresses).filter_map(|(_, open)| open.named.clone()).collect()
    }
}

impl LinkChecker {
    pub fn new(service: Option<Arc<SafeBrowsing>>) -> Self {
        Self(service)
    }

    /// Version of the threat lists; `None` if Safe Browsing is disabled.
    pub fn list_version(&self) -> Option<i64> {
        self.0.as_ref().map(|service| service.list_version())
    }

    /// Checks URLs and never fails: the background task later checks URLs that could not be checked in time.
    pub async fn check_with_timeout(&self, addresses: &[String]) -> UrlCheckResult {
        let Some(service) = self.0.clone().filter(|_| !addresses.is_empty()) else {
            return UrlCheckResult::unchecked();
        };
        let addresses = addresses.to_vec();
        // A separate task completes the request to the server after the timeout, so that its response is cached.
        let check = tokio::spawn(async move { service.check_links(&addresses).await });
        match tokio::time::timeout(SAVE_TIMEOUT, check).await {
            Ok(Ok(Ok(result))) => result,
            Ok(Ok(Err(error))) => {
                tracing::warn!(%error, "links of a saved post not checked; will be checked in the background");
                UrlCheckResult::unchecked()
            }
            // The check timed out, or it panicked and the panic is already logged.
            Err(_) | Ok(Err(_)) => UrlCheckResult::unchecked(),
        }
    }

    /// Checks URLs. If Safe Browsing is disabled, no URL is flagged.
    pub async fn check(&self, addresses: &[String]) -> sqlx::Result<UrlCheckResult> {
        match &self.0 {
            Some(service) => service.check_links(addresses).await,
            None => Ok(UrlCheckResult::unchecked()),
        }
    }
}

impl SafeBrowsing {
    async fn check_links(&self, addresses: &[String]) -> sqlx::Result<UrlCheckResult> {
        let lists = self.list_version();
        let verdicts = self.check(addresses).await?;
        let (mut unknown, mut open) = (BTreeSet::new(), BTreeMap::new());
        for (address, verdict) in addresses.iter().zip(verdicts) {
            match verdict {
                Verdict::Safe => {}
                Verdict::Unknown => drop(unknown.insert(address.clone())),
                Verdict::Flagged { threat_type, confirmed_at, until } => {
                    let (source, said_of) = (self.server_host(), address.clone());
                    let named = Some(NewFlaggedUrl { address: said_of, threat_type, source, confirmed_at });
                    open.insert(address.clone(), UnsafeUrl { is_suspected: true, again_at: until, named });
                }
            }
        }
        if !unknown.is_empty() {
            open.extend(self.previously_flagged(unknown).await?);
        }
        Ok(UrlCheckResult { list_version: lists, unsafe_urls: open })
    }

    /// A URL that was flagged earlier stays flagged for [`VERDICT_LIFETIME`] after its last confirmation.
    async fn previously_flagged(
        &self,
        unknown: BTreeSet<String>,
    ) -> sqlx::Result<impl Iterator<Item = (String, UnsafeUrl)>> {
        let mut connection = self.pool.acquire().await?;
        let now = self.clock.read(&mut connection).await?;
        let trusted: HashMap<String, DateTime<Utc>> =
            flagged_urls::find_confirmed_since(&mut connection, &unknown, now - VERDICT_LIFETIME).await?;
        Ok(unknown.into_iter().map(move |address| {
            let until = trusted.get(&address).map(|confirmed_at| saturating_add(*confirmed_at, VERDICT_LIFETIME));
            let again_at = until.map_or(now + RECHECK_AFTER, |until| until.min(now + RECHECK_AFTER));
            (address, UnsafeUrl { is_suspected: until.is_some(), again_at, named: None })
        }))
    }
}
