//! Flagged URLs reported by a Safe Browsing server, and paths of their warning pages.

use std::collections::{BTreeSet, HashMap};

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;
use sha2::{Digest as _, Sha256};
use sqlx::{PgConnection, PgPool};
use url::Url;

use super::threat_lists::to_hex;
use super::urls;
use super::verdicts::VERDICT_LIFETIME;
use crate::db::clock::Clock;

/// Maximum gap between confirmations by the server. After a longer gap, the URL counts as newly flagged.
const GAP_DAYS: i32 = 1;

/// Retention of warning pages, to which copies of a post, for example in feed readers, may still link.
const RETENTION_DAYS: i32 = 30;

/// URL that is or was flagged by a Safe Browsing server.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema, Serialize)]
pub struct FlaggedUrl {
    /// URL that is or was flagged.
    pub address: String,
    /// `true` if the last confirmation is recent enough to be trusted.
    pub is_suspected: bool,
    /// Threat type as the server names it, such as `MALWARE`.
    pub threat_type: String,
    /// Host name of the server that flagged the URL.
    pub source: String,
    /// Time at which the URL was flagged first.
    pub since: DateTime<Utc>,
    /// Time of the last confirmation by the server.
    pub confirmed_at: DateTime<Utc>,
}

impl FlaggedUrl {
    /// URL as browsers normalize it, with a Punycode host and percent-encoded bidirectional control characters.
    pub fn normalized_url(&self) -> String {
        Url::parse(&self.address).map_or_else(|_| self.address.clone(), String::from)
    }

    pub fn host(&self) -> Option<String> {
        Url::parse(&self.address).ok()?.host_str().map(str::to_owned)
    }
}

/// First half of the SHA-256 hash, which identifies a URL in the path of its warning page.
fn url_hash(address: &str) -> [u8; 16] {
    let mut half = [0; 16];
    half.copy_from_slice(&Sha256::digest(address)[..16]);
    half
}

pub fn warning_path(address: &str) -> String {
    urls::WARNING_PAGE.pattern.replace("{hash}", &to_hex(&url_hash(address)))
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewFlaggedUrl {
    pub address: String,
    pub threat_type: String,
    pub source: String,
    pub confirmed_at: DateTime<Utc>,
}

/// Stores flagged URLs. Must be called in the transaction that stores the text with the links.
pub async fn store(connection: &mut PgConnection, mut named: Vec<NewFlaggedUrl>) -> sqlx::Result<()> {
    if named.is_empty() {
        return Ok(());
    }
    // Sorts the rows, so that concurrent transactions lock them in the same order and cannot deadlock.
    named.sort_by_key(|named| url_hash(&named.address));
    named.dedup_by(|one, other| one.address == other.address);
    let hashes: Vec<Vec<u8>> = named.iter().map(|named| url_hash(&named.address).to_vec()).collect();
    let addresses: Vec<String> = named.iter().map(|named| named.address.clone()).collect();
    let threat_types: Vec<String> = named.iter().map(|named| named.threat_type.clone()).collect();
    let sources: Vec<String> = named.iter().map(|named| named.source.clone()).collect();
    let times: Vec<DateTime<Utc>> = named.iter().map(|named| named.confirmed_at).collect();
    let noted = sqlx::query!(
        "insert into suspected_links as known (hash, address, threat_type, source, since, confirmed_at)
        select hash, address, threat_type, source, confirmed_at, confirmed_at
        from unnest($1::bytea[], $2::text[], $3::text[], $4::text[], $5::timestamptz[])
            as named (hash, address, threat_type, source, confirmed_at)
        on conflict (hash) do update set
            threat_type = excluded.threat_type, source = excluded.source, confirmed_at = excluded.confirmed_at,
            since = case
                when known.confirmed_at < excluded.confirmed_at - make_interval(days => $6) then excluded.since
                else known.since
            end
        where known.confirmed_at < excluded.confirmed_at",
        &hashes,
        &addresses,
        &threat_types,
        &sources,
        &times,
        GAP_DAYS,
    );
    noted.execute(connection).await.map(drop)
}

pub(super) async fn find_confirmed_since(
    connection: &mut PgConnection,
    addresses: &BTreeSet<String>,
    after: DateTime<Utc>,
) -> sqlx::Result<HashMap<String, DateTime<Utc>>> {
    let hashes: Vec<Vec<u8>> = addresses.iter().map(|address| url_hash(address).to_vec()).collect();
    let rows = sqlx::query!(
        "select address, confirmed_at from suspected_links where hash = any($1) and confirmed_at > $2",
        &hashes,
        after,
    );
    Ok(rows.fetch_all(connection).await?.into_iter().map(|row| (row.address, row.confirmed_at)).collect())
}

pub async fn find(pool: &PgPool, hash: &str, now: DateTime<Utc>) -> sqlx::Result<Option<FlaggedUrl>> {
    let is_hash = hash.len() == 32 && hash.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    if !is_hash {
        return Ok(None);
    }
    let flagged_url = sqlx::query_as!(
        FlaggedUrl,
        r#"select address, threat_type, source, since, confirmed_at, confirmed_at > $2 as "is_suspected!"
        from suspected_links where hash = decode($1, 'hex')"#,
        hash,
        now - VERDICT_LIFETIME,
    );
    flagged_url.fetch_optional(pool).await
}

pub async fn delete_expired(pool: &PgPool, clock: &Clock) -> sqlx::Result<()> {
    let deleted = sqlx::query!(
        "delete from suspected_links where confirmed_at < coalesce($1, clock_timestamp()) - make_interval(days => $2)",
        clock.now(),
        RETENTION_DAYS,
    );
    deleted.execute(pool).await.map(drop)
}
