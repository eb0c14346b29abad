//! Safe Browsing verdicts on URLs: safe, flagged or unknown.
//!
//! URLs are looked up in memory first. If a list contains a prefix of one of a URL's hashes, the client asks the server
//! for the full hashes with that prefix, and caches the response as long as the protocol allows.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};
use sqlx::types::Json;
use url::Url;

use super::pacing::{PaceDecision, RequestOutcome};
use super::threat_lists::{SafeBrowsing, client_info, is_stale, to_hex, to_time_delta};
use crate::db::clock::saturating_add;
use evenkeel_safe_browsing::hash_prefixes::PrefixList;
use evenkeel_safe_browsing::protocol::{
    FindFullHashesRequest, FindFullHashesResponse, ThreatEntry, ThreatInfo, ThreatListId,
};
use evenkeel_safe_browsing::url_expressions::{CanonicalUrl, FullHash};

/// Maximum number of prefixes in a request, as the protocol specifies.
const MAX_PREFIXES: usize = 500;

/// Maximum time that a link check waits for the pending request of another link check.
const LOOKUP_LOCK_TIMEOUT: Duration = Duration::from_millis(200);

/// Cache duration of a response if the server specifies none.
const DEFAULT_CACHE: TimeDelta = TimeDelta::minutes(5);

/// Maximum time for which the absence of a hash in a response is cached, whatever the server specifies.
const MAX_NEGATIVE_CACHE: TimeDelta = TimeDelta::hours(24);

/// Maximum time that a URL stays flagged after the server's last confirmation. Google's terms require warnings to be
/// based on data received "in the last thirty minutes" (<https://developers.google.com/safe-browsing/terms>).
pub const VERDICT_LIFETIME: TimeDelta = TimeDelta::minutes(30);

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// No list contains the URL, or the server knows of no threat.
    Safe,
    /// The URL must be checked again after `until`.
    Flagged { threat_type: String, confirmed_at: DateTime<Utc>, until: DateTime<Utc> },
    /// A list may contain the URL, but no request can be sent to the server now because of pacing or an error.
    Unknown,
}

/// Full hash that the server confirmed as a threat.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Match {
    /// Full hash in hexadecimal.
    hash: String,
    threat_type: String,
    at: DateTime<Utc>,
    until: DateTime<Utc>,
}

struct CachedResponse {
    negative_until: DateTime<Utc>,
    matches: Vec<Match>,
}

impl SafeBrowsing {
    /// If pacing permits, one request to the server determines the verdicts on all URLs that a list may contain. A
    /// failed request yields [`Verdict::Unknown`].
    pub async fn check(&self, addresses: &[String]) -> sqlx::Result<Vec<Verdict>> {
        let now = self.clock.read(&mut *self.pool.acquire().await?).await?;
        let hits = self.hits_by_url(addresses, now).await?;
        let prefixes: BTreeSet<Vec<u8>> = hits.iter().flatten().map(|(_, prefix)| prefix.clone()).collect();
        if prefixes.is_empty() {
            return Ok(vec![Verdict::Safe; addresses.len()]);
        }
        let mut responses = self.cached_responses(&prefixes, now).await?;
        // Sends one request at a time, because the response to another check may already contain the verdicts.
        if !missing_prefixes(&hits, &responses, now).is_empty()
            && let Ok(_lookup_guard) = tokio::time::timeout(LOOKUP_LOCK_TIMEOUT, self.lookup_lock.lock()).await
        {
            responses = self.cached_responses(&prefixes, now).await?;
            let missing = missing_prefixes(&hits, &responses, now);
            if !missing.is_empty() && self.request_full_hashes(missing.into_iter().take(MAX_PREFIXES).collect()).await?
            {
                responses = self.cached_responses(&prefixes, now).await?;
            }
        }
        Ok(hits.iter().map(|hits| combine_verdicts(hits.iter().map(|hit| verdict_of(hit, &responses, now)))).collect())
    }

    /// Finds URLs in the lists, on a blocking thread, because a text may have thousands of URLs.
    async fn hits_by_url(&self, addresses: &[String], now: DateTime<Utc>) -> sqlx::Result<Vec<Vec<Hit>>> {
        let (loaded, addresses) = (self.loaded_lists(), addresses.to_vec());
        let hits = tokio::task::spawn_blocking(move || {
            let fresh = loaded.values().filter(|list| !is_stale(list.updated_at, now));
            let lists: Vec<&PrefixList> = fresh.map(|list| &*list.list).collect();
            addresses.iter().map(|address| hits(address, &lists)).collect()
        });
        hits.await.map_err(|panic| sqlx::Error::Io(std::io::Error::other(panic)))
    }

    /// Limits the validity of stored responses to the maximum for a response received at `now`.
    async fn cached_responses(
        &self,
        prefixes: &BTreeSet<Vec<u8>>,
        now: DateTime<Utc>,
    ) -> sqlx::Result<BTreeMap<Vec<u8>, CachedResponse>> {
        let prefixes: Vec<Vec<u8>> = prefixes.iter().cloned().collect();
        let rows = sqlx::query!(
            r#"select prefix, greatest(least(negative_until, $2), 'epoch') as "negative_until!",
                matches as "matches: Json<Vec<Match>>"
            from threat_answers where prefix = any($1)"#,
            &prefixes,
            saturating_add(now, MAX_NEGATIVE_CACHE),
        );
        let limited = |cached: Match| Match {
            at: cached.at.min(now),
            until: cached.until.min(saturating_add(now, VERDICT_LIFETIME)),
            ..cached
        };
        let rows = rows.fetch_all(&self.pool).await?.into_iter();
        let responses = rows.map(|row| {
            let matches = row.matches.0.into_iter().map(limited).collect();
            (row.prefix, CachedResponse { negative_until: row.negative_until, matches })
        });
        Ok(responses.collect())
    }

    /// Requests full hashes and caches the response. Returns `true` if the server responded.
    async fn request_full_hashes(&self, prefixes: Vec<Vec<u8>>) -> sqlx::Result<bool> {
        let PaceDecision::Granted(permit) = self.finding.acquire(&self.pool).await? else { return Ok(false) };
        let answer = self.client.find_full_hashes(&self.find_request(&prefixes)).await;
        let (outcome, stored) = match &answer {
            Ok(answer) => {
                let wait = to_time_delta(answer.minimum_wait_duration);
                (RequestOutcome::Answered { wait }, self.cache_response(&prefixes, answer).await)
            }
            Err(_) => (RequestOutcome::Failed, Ok(())),
        };
        self.finding.report_outcome(&self.pool, &permit, outcome).await?;
        stored?;
        if let Err(error) = &answer {
            tracing::warn!(%error, "Safe Browsing lookup failed; will be retried");
        }
        Ok(answer.is_ok())
    }

    fn find_request(&self, prefixes: &[Vec<u8>]) -> FindFullHashesRequest {
        let types = |of: fn(&ThreatListId) -> &String| {
            let types: BTreeSet<&String> = self.settings.lists.iter().map(of).collect();
            types.into_iter().cloned().collect()
        };
        FindFullHashesRequest {
            client: client_info(),
            client_states: self.loaded_lists().values().map(|loaded| loaded.client_state.clone()).collect(),
            threat_info: ThreatInfo {
                threat_types: types(|list| &list.threat_type),
                platform_types: types(|list| &list.platform_type),
                threat_entry_types: types(|list| &list.threat_entry_type),
                threat_entries: prefixes.iter().map(|prefix| ThreatEntry { hash: prefix.clone() }).collect(),
            },
        }
    }

    /// Caches a response, including the absence of other hashes with these prefixes.
    async fn cache_response(&self, prefixes: &[Vec<u8>], answer: &FindFullHashesResponse) -> sqlx::Result<()> {
        let now = self.clock.read(&mut *self.pool.acquire().await?).await?;
        let until =
            |duration| saturating_add(now, to_time_delta(duration).unwrap_or(DEFAULT_CACHE).min(MAX_NEGATIVE_CACHE));
        let negative_until = until(answer.negative_cache_duration);
        let matches_of = |prefix: &Vec<u8>| {
            let with = answer.matches.iter().filter(|full_hash| full_hash.threat.hash.starts_with(prefix));
            let matches = with.map(|full_hash| Match {
                hash: to_hex(&full_hash.threat.hash),
                threat_type: full_hash.list.threat_type.clone(),
                at: now,
                until: until(full_hash.cache_duration).min(saturating_add(now, VERDICT_LIFETIME)),
            });
            serde_json::to_value(matches.collect::<Vec<_>>()).unwrap_or_default()
        };
        let matches: Vec<serde_json::Value> = prefixes.iter().map(matches_of).collect();
        let statement = sqlx::query!(
            "insert into threat_answers (prefix, negative_until, matches)
            select prefix, $2, matches from unnest($1::bytea[], $3::jsonb[]) as responses (prefix, matches)
            on conflict (prefix) do update set negative_until = excluded.negative_until, matches = excluded.matches",
            prefixes,
            negative_until,
            &matches,
        );
        statement.execute(&self.pool).await.map(drop)
    }

    pub async fn delete_expired(&self) -> sqlx::Result<()> {
        let deleted = sqlx::query!(
            "delete from threat_answers where negative_until < coalesce($1, clock_timestamp()) - interval '1 day'",
            self.clock.now()
        );
        deleted.execute(&self.pool).await.map(drop)
    }
}

/// Full hash of a URL expression, and the prefix of this hash that is in a threat list.
type Hit = (FullHash, Vec<u8>);

fn hits(address: &str, lists: &[&PrefixList]) -> Vec<Hit> {
    // Normalizes the URL as browsers do, which also accept `http:\\host` and similar spellings. User name and password
    // are removed, because they can look like a host name, such as in `http://example.com@host/`.
    let leads_to = Url::parse(address).map(|mut url| {
        let _ = url.set_username("").and_then(|()| url.set_password(None));
        String::from(url)
    });
    let spelled = leads_to.unwrap_or_else(|_| address.to_owned());
    let Some(address) = CanonicalUrl::parse(spelled.as_bytes()) else { return Vec::new() };
    let mut hits = Vec::new();
    for hash in address.full_hashes() {
        for list in lists {
            hits.extend(list.matching_prefixes(&hash).map(|prefix| (hash, prefix.to_vec())));
        }
    }
    hits
}

fn verdict_of((hash, prefix): &Hit, responses: &BTreeMap<Vec<u8>, CachedResponse>, now: DateTime<Utc>) -> Verdict {
    let Some(responses) = responses.get(prefix) else { return Verdict::Unknown };
    let hash = to_hex(hash);
    match responses.matches.iter().find(|cached| cached.hash == hash) {
        Some(cached) if cached.until > now => {
            Verdict::Flagged { threat_type: cached.threat_type.clone(), confirmed_at: cached.at, until: cached.until }
        }
        None if responses.negative_until > now => Verdict::Safe,
        // The cached response has expired.
        _ => Verdict::Unknown,
    }
}

fn missing_prefixes(
    hits: &[Vec<Hit>],
    responses: &BTreeMap<Vec<u8>, CachedResponse>,
    now: DateTime<Utc>,
) -> BTreeSet<Vec<u8>> {
    let unknown = hits.iter().flatten().filter(|hit| verdict_of(hit, responses, now) == Verdict::Unknown);
    unknown.map(|(_, prefix)| prefix.clone()).collect()
}

/// Combines the verdicts on the hashes of a URL. The URL is flagged if one of its hashes is flagged.
fn combine_verdicts(verdicts: impl Iterator<Item = Verdict>) -> Verdict {
    verdicts.fold(Verdict::Safe, |worst, next| match (worst, next) {
        (flagged @ Verdict::Flagged { .. }, _) | (_, flagged @ Verdict::Flagged { .. }) => flagged,
        (Verdict::Unknown, _) | (_, Verdict::Unknown) => Verdict::Unknown,
        _ => Verdict::Safe,
    })
}
