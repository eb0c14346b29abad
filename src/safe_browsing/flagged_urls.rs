//! Addresses that a server has named, and the page that stands before each.

use std::collections::{BTreeSet, HashMap};

use chrono::{DateTime, Utc};
use serde::Serialize;
use sha2::{Digest as _, Sha256};
use sqlx::{PgConnection, PgPool};
use url::Url;

use super::threat_lists::{TRUSTED_FOR, hex};
use super::urls;

/// An address that was not named for so long is suspected since the next time, not since the first.
const GAP_DAYS: i32 = 1;

/// How long an address is remembered after it was named last: copies of a text elsewhere may lead to its page.
const REMEMBERED_DAYS: i32 = 30;

/// What is known of an address that is, or was, suspected.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Suspected {
    pub address: String,
    /// Whether it is suspected now.
    pub is_suspected: bool,
    /// As the server names it, such as `MALWARE`.
    pub threat_type: String,
    /// The host of the server that says so.
    pub source: String,
    pub since: DateTime<Utc>,
    /// When it was said last.
    pub confirmed_at: DateTime<Utc>,
}

impl Suspected {
    /// Where a browser would go: with the host as it is asked for, and nothing that turns the order of letters around.
    #[must_use]
    pub fn spelled(&self) -> String {
        Url::parse(&self.address).map_or_else(|_| self.address.clone(), String::from)
    }

    /// The host in that.
    #[must_use]
    pub fn host(&self) -> Option<String> {
        Url::parse(&self.address).ok()?.host_str().map(str::to_owned)
    }
}

/// What stands for an address in the address of its page: the first half of its SHA-256.
fn hash(address: &str) -> [u8; 16] {
    let mut half = [0; 16];
    half.copy_from_slice(&Sha256::digest(address)[..16]);
    half
}

/// The page that stands before an address.
#[must_use]
pub fn page(address: &str) -> String {
    urls::suspected(&hex(&hash(address)))
}

/// What a server has said of an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    pub address: String,
    pub threat_type: String,
    /// The host of the server.
    pub source: String,
    pub confirmed_at: DateTime<Utc>,
}

/// Keeps what a server has said, with the text that leads there.
pub async fn note(connection: &mut PgConnection, mut named: Vec<Named>) -> sqlx::Result<()> {
    if named.is_empty() {
        return Ok(());
    }
    // In one order, so that two texts do not wait for each other.
    named.sort_by_key(|named| hash(&named.address));
    named.dedup_by(|one, other| one.address == other.address);
    let hashes: Vec<Vec<u8>> = named.iter().map(|named| hash(&named.address).to_vec()).collect();
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

/// Those among these that were named after this time, each with when that was.
pub(super) async fn confirmed(
    connection: &mut PgConnection,
    addresses: &BTreeSet<String>,
    after: DateTime<Utc>,
) -> sqlx::Result<HashMap<String, DateTime<Utc>>> {
    let hashes: Vec<Vec<u8>> = addresses.iter().map(|address| hash(address).to_vec()).collect();
    let rows = sqlx::query!(
        "select address, confirmed_at from suspected_links where hash = any($1) and confirmed_at > $2",
        &hashes,
        after,
    );
    Ok(rows.fetch_all(connection).await?.into_iter().map(|row| (row.address, row.confirmed_at)).collect())
}

/// What is known of the address whose page has this in its path; none where it was never named, or long ago.
pub async fn find(pool: &PgPool, hash: &str, now: DateTime<Utc>) -> sqlx::Result<Option<Suspected>> {
    let is_hash = hash.len() == 32 && hash.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    if !is_hash {
        return Ok(None);
    }
    let found = sqlx::query_as!(
        Suspected,
        r#"select address, threat_type, source, since, confirmed_at, confirmed_at > $2 as "is_suspected!"
        from suspected_links where hash = decode($1, 'hex')"#,
        hash,
        now - TRUSTED_FOR,
    );
    found.fetch_optional(pool).await
}

/// Forgets what was not named for long.
pub async fn delete_expired(pool: &PgPool, clock_now: Option<DateTime<Utc>>) -> sqlx::Result<u64> {
    let deleted = sqlx::query!(
        "delete from suspected_links where confirmed_at < coalesce($1, clock_timestamp()) - make_interval(days => $2)",
        clock_now,
        REMEMBERED_DAYS,
    );
    Ok(deleted.execute(pool).await?.rows_affected())
}
