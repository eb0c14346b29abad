//! File uploads with multipart forms (`multipart/form-data`, RFC 7578).
//!
//! Uploads are held in memory. Their number is limited by permits, and slow uploads are evicted in favor of new ones.

use std::collections::BTreeMap;
use std::future::ready;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use actix_multipart::Multipart;
use actix_web::error::PayloadError;
use actix_web::http::header::HeaderMap;
use actix_web::mime;
use actix_web::web::Bytes;
use futures_util::StreamExt as _;
use futures_util::stream;
use tokio::sync::Notify;
use tokio::time::{Instant, timeout_at};

use super::query::MAX_FIELDS;
use crate::web::connection::deadline::TimeLimits;
use crate::web::error::AppError;

/// Maximum size of a file in bytes.
pub const MAX_FILE_BYTES: usize = 10 << 20;

/// Time limits of forms with a file. One minute suffices for 10 MiB at 1.4 Mbit/s. Processing may have to wait for an
/// image worker.
pub const TIME_LIMITS: TimeLimits = TimeLimits { body: Duration::from_mins(1), work: Duration::from_secs(40) };

/// Maximum size in bytes of a multipart form without an upload permit. Forms up to this size have the time limit of
/// ordinary forms.
pub const MAX_BYTES_WITHOUT_PERMIT: usize = 64 << 10;

/// Maximum number of uploads that an instance receives or holds in memory at once.
const MAX_UPLOADS: usize = 8;

/// Maximum number of simultaneous uploads per network (an IPv4 address or IPv6 /64).
const MAX_PER_NETWORK: usize = 2;

/// Minimum speed of an upload in bytes per second, enforced after `GRACE`.
const MIN_RATE: u64 = 16 << 10;
const GRACE: Duration = Duration::from_secs(5);

/// Minimum age of an upload before it can be evicted, so that its speed is known.
const MIN_AGE_FOR_EVICTION: Duration = Duration::from_secs(2);

/// Minimum speed in bytes per second at which an upload is never evicted. The largest allowed file arrives within 60
/// seconds at this speed.
const SAFE_RATE: u128 = MAX_FILE_BYTES as u128 / 60;

#[derive(Clone, Copy, Debug)]
pub struct Uploader {
    pub user: i64,
    /// `None` if the peer address is unknown.
    pub network: Option<IpAddr>,
}

/// Upload permits of an instance, shared by all clones.
#[derive(Clone, Debug, Default)]
pub struct UploadPermits(Arc<Mutex<ActiveUploads>>);

#[derive(Debug, Default)]
struct ActiveUploads {
    next: u64,
    forms: BTreeMap<u64, ActiveUpload>,
}

#[derive(Debug)]
struct ActiveUpload {
    from: Uploader,
    since: Instant,
    /// Bytes received since `since`.
    bytes: u64,
    /// `true` once the form was received completely. Complete uploads are not evicted.
    is_complete: bool,
    evicted: Arc<Notify>,
}

impl ActiveUpload {
    fn bytes_per_second(&self, now: Instant) -> u128 {
        u128::from(self.bytes) * 1_000 / now.saturating_duration_since(self.since).as_millis().max(1)
    }

    /// Time by which the next bytes have to arrive.
    fn deadline(&self) -> Instant {
        self.since + GRACE + Duration::from_millis(self.bytes * 1_000 / MIN_RATE)
    }
}

impl ActiveUploads {
    /// Returns the key of the slowest upload that can be evicted, if any.
    fn slowest(&self, now: Instant) -> Option<u64> {
        let judged = self.forms.iter().filter(|(_, form)| {
            !form.is_complete
                && now.saturating_duration_since(form.since) >= MIN_AGE_FOR_EVICTION
                && form.bytes_per_second(now) < SAFE_RATE
        });
        judged.min_by_key(|(_, form)| form.bytes_per_second(now)).map(|(number, _)| *number)
    }
}

/// Permit for one upload, released when the uploaded file is dropped.
#[derive(Debug)]
pub struct UploadPermit {
    number: u64,
    evicted: Arc<Notify>,
    permits: UploadPermits,
}

impl UploadPermits {
    fn active(&self) -> MutexGuard<'_, ActiveUploads> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[must_use]
    pub fn available(&self) -> usize {
        MAX_UPLOADS.saturating_sub(self.active().forms.len())
    }

    /// Acquires a permit. If none is free, the slowest upload is evicted.
    ///
    /// # Errors
    /// `one_at_a_time` if the user already has an upload in progress; `busy` if the network has reached its limit, or
    /// no upload is slow enough to be evicted.
    pub fn acquire(&self, from: Uploader, now: Instant) -> Result<UploadPermit, AppError> {
        let mut taken = self.active();
        if taken.forms.values().any(|form| form.from.user == from.user) {
            return Err(AppError::UploadInProgress);
        }
        let of_network = taken.forms.values().filter(|form| form.from.network == from.network).count();
        if from.network.is_some() && of_network >= MAX_PER_NETWORK {
            return Err(AppError::Busy);
        }
        if taken.forms.len() >= MAX_UPLOADS {
            let slowest = taken.slowest(now).ok_or(AppError::Busy)?;
            if let Some(form) = taken.forms.remove(&slowest) {
                form.evicted.notify_one();
            }
        }
        let (number, evicted) = (taken.next, Arc::new(Notify::new()));
        taken.next += 1;
        let form = ActiveUpload { from, since: now, bytes: 0, is_complete: false, evicted: evicted.clone() };
        taken.forms.insert(number, form);
        Ok(UploadPermit { number, evicted, permits: self.clone() })
    }
}

impl UploadPermit {
    /// Sets the number of bytes received since the permit was acquired.
    pub fn set_received_bytes(&self, bytes: usize) {
        if let Some(form) = self.permits.active().forms.get_mut(&self.number) {
            form.bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        }
    }

    pub fn mark_complete(&self) {
        if let Some(form) = self.permits.active().forms.get_mut(&self.number) {
            form.is_complete = true;
        }
    }

    /// Waits for the next part of the upload.
    ///
    /// # Errors
    /// `timeout` if the upload is too slow; `busy` if it was evicted.
    pub async fn wait_for_next_chunk<T>(&self, more: impl Future<Output = T>) -> Result<T, AppError> {
        let deadline = self.permits.active().forms.get(&self.number).map_or_else(Instant::now, ActiveUpload::deadline);
        tokio::select! {
            biased;
            () = self.evicted.notified() => Err(AppError::Busy),
            arrived = timeout_at(deadline, more) => arrived.map_err(|_| AppError::Timeout),
        }
    }
}

impl Drop for UploadPermit {
    fn drop(&mut self) {
        self.permits.active().forms.remove(&self.number);
    }
}

#[derive(Clone, Debug)]
pub struct UploadedFile {
    pub bytes: Bytes,
    /// Keeps the upload permit while the file is in memory. `None` for a form that is small enough to need no permit.
    _permit: Option<Arc<UploadPermit>>,
}

#[derive(Debug)]
pub enum FormPart {
    Text(String),
    File(UploadedFile),
}

const UNREADABLE: AppError = AppError::Malformed("malformed-multipart");

/// Parses the named parts of a multipart form.
pub async fn parse_multipart(
    headers: &HeaderMap,
    body: Vec<u8>,
    place: Option<UploadPermit>,
) -> Result<Vec<(String, FormPart)>, AppError> {
    let (body, place) = (Bytes::from(body), place.map(Arc::new));
    let begins = (0..body.len()).step_by(1 << 14);
    let chunks: Vec<_> =
        begins.map(|begin| Ok::<_, PayloadError>(body.slice(begin..body.len().min(begin + (1 << 14))))).collect();
    let mut multipart = Multipart::new(headers, stream::iter(chunks).chain(stream::once(ready(Ok(Bytes::new())))));
    let mut parts = Vec::new();
    while let Some(part) = multipart.next().await {
        let mut part = part.map_err(|_| UNREADABLE)?;
        let disposition = part.content_disposition().ok_or(UNREADABLE)?;
        let name = disposition.get_name().ok_or(UNREADABLE)?.to_owned();
        let has_name = disposition.get_filename().is_some() || disposition.get_filename_ext().is_some();
        let is_file = has_name || part.content_type().is_some_and(|kind| kind.type_() != mime::TEXT);
        let mut bytes = Vec::new();
        while let Some(chunk) = part.next().await {
            bytes.extend_from_slice(&chunk.map_err(|_| UNREADABLE)?);
        }
        let value = if is_file {
            FormPart::File(UploadedFile { bytes: bytes.into(), _permit: place.clone() })
        } else {
            FormPart::Text(String::from_utf8(bytes).map_err(|_| AppError::Malformed("malformed-not-utf8"))?)
        };
        parts.push((name, value));
        if parts.len() > MAX_FIELDS {
            return Err(AppError::Malformed("malformed-too-many"));
        }
    }
    Ok(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn from(user: u8, network: u8) -> Uploader {
        Uploader { user: user.into(), network: Some(IpAddr::from([192, 0, 2, network])) }
    }

    #[test]
    fn evicts_the_slowest_upload_and_never_a_fast_one() {
        let (places, begin) = (UploadPermits::default(), Instant::now());
        let held: Vec<UploadPermit> = (0..8).map(|n| places.acquire(from(n, n / 2), begin).unwrap()).collect();
        held.iter().zip(1..).for_each(|(place, kilobytes)| place.set_received_bytes(kilobytes << 10));
        assert!(matches!(places.acquire(from(9, 9), begin), Err(AppError::Busy)), "nobody is judged at once");
        let later = begin + MIN_AGE_FOR_EVICTION;
        let _new = places.acquire(from(9, 9), later).unwrap();
        let has = |place: &UploadPermit| places.active().forms.contains_key(&place.number);
        assert!(!has(&held[0]) && held[1..].iter().all(has));
        held[1..].iter().for_each(|place| place.set_received_bytes(MAX_FILE_BYTES));
        assert!(matches!(places.acquire(from(10, 10), later), Err(AppError::Busy)));
        held[1].set_received_bytes(0);
        held[1].mark_complete();
        assert!(matches!(places.acquire(from(10, 10), later), Err(AppError::Busy)), "it was received");
    }

    #[test]
    fn limits_uploads_per_user_and_network() {
        let (places, now) = (UploadPermits::default(), Instant::now());
        let (first, _second) = (places.acquire(from(1, 1), now).unwrap(), places.acquire(from(2, 1), now).unwrap());
        assert!(matches!(places.acquire(from(1, 2), now), Err(AppError::UploadInProgress)));
        assert!(matches!(places.acquire(from(3, 1), now), Err(AppError::Busy)));
        drop(first);
        places.acquire(from(3, 1), now).unwrap();
    }
}
