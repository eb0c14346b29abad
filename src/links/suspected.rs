//! Addresses that a server has named, and the page that stands before each.

use std::collections::{BTreeSet, HashMap};

use chrono::{DateTime, TimeDelta, Utc};
use serde::Serialize;
use sha2::{Digest as _, Sha256};
use sqlx::{PgConnection, PgPool};

use super::safe_browsing::{TRUSTED_FOR, hex};
use super::urls;

/// An address that was not named for so long is suspected since the next time, not since the first.
const GAP: TimeDelta = TimeDelta::days(1);

/// How long an address is remembered after it was named last: copies of a text elsewhere may lead to its page.
const REMEMBERED_FOR: TimeDelta = TimeDelta::days(30);

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

/// Keeps what the server has named: addresses, each with its type of threat and when that was said.
///
/// # Errors
/// Those of the database.
pub(super) async fn note(
    connection: &mut PgConnection,
    named: &[(String, String, DateTime<Utc>)],
    source: &str,
    now: DateTime<Utc>,
) -> sqlx::Result<()> {
    // In one order, so that two checks do not wait for each other.
    let mut named = named.to_vec();
    named.sort_by_key(|(address, ..)| hash(address));
    named.dedup_by(|one, other| one.0 == other.0);
    let hashes: Vec<Vec<u8>> = named.iter().map(|(address, ..)| hash(address).to_vec()).collect();
    let (addresses, rest): (Vec<String>, Vec<_>) =
        named.into_iter().map(|(address, threat_type, at)| (address, (threat_type, at))).unzip();
    let (threat_types, times): (Vec<String>, Vec<DateTime<Utc>>) = rest.into_iter().unzip();
    let noted = sqlx::query!(
        "insert into suspected_links as known (hash, address, threat_type, source, since, confirmed_at)
        select hash, address, threat_type, $5, confirmed_at, confirmed_at
        from unnest($1::bytea[], $2::text[], $3::text[], $4::timestamptz[]) as named (hash, address, threat_type, confirmed_at)
        on conflict (hash) do update set
            threat_type = excluded.threat_type, source = excluded.source, confirmed_at = excluded.confirmed_at,
            since = case when known.confirmed_at < $6 then excluded.since else known.since end
        where known.confirmed_at < excluded.confirmed_at",
        &hashes,
        &addresses,
        &threat_types,
        &times,
        source,
        now - GAP,
    );
    noted.execute(connection).await.map(drop)
}

/// Those among these that were named after this time, each with when that was.
///
/// # Errors
/// Those of the database.
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
///
/// # Errors
/// Those of the database.
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
///
/// # Errors
/// Those of the database.
pub async fn delete_expired(pool: &PgPool, clock_now: Option<DateTime<Utc>>) -> sqlx::Result<u64> {
    let deleted = sqlx::query!(
        "delete from suspected_links where confirmed_at < coalesce($1, clock_timestamp()) - make_interval(days => $2)",
        clock_now,
        i32::try_from(REMEMBERED_FOR.num_days()).unwrap_or(i32::MAX),
    );
    Ok(deleted.execute(pool).await?.rows_affected())
}
