//! Files that are sent with a form (multipart/form-data, RFC 7578).

use std::collections::BTreeSet;
use std::future::ready;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use actix_multipart::Multipart;
use actix_web::error::PayloadError;
use actix_web::http::header::HeaderMap;
use actix_web::mime;
use actix_web::web::Bytes;
use futures_util::StreamExt as _;
use futures_util::stream;

use super::deadline::Times;
use super::error::AppError;
use super::query::MAX_FIELDS;

/// The most bytes of a file.
pub const MAX_FILE: usize = 10 << 20;

/// A form with a file may be on its way for a minute: 10 MiB at 1.4 Mbit/s. Then the file may have to wait for its turn to be
/// read.
pub const TIMES: Times = Times { body: Duration::from_mins(1), work: Duration::from_secs(40) };

/// How many forms with files an instance receives at once. Each is in memory.
const AT_ONCE: usize = 8;

/// Who is sending a form with a file to this instance: each user one at a time. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Places(Arc<Mutex<BTreeSet<i64>>>);

/// A place for a form with a file. It is given back when the file is dropped.
#[derive(Debug)]
pub struct Place {
    user: i64,
    places: Places,
}

impl Places {
    fn taken(&self) -> MutexGuard<'_, BTreeSet<i64>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A place for the user with this id.
    ///
    /// # Errors
    /// `one_at_a_time` if they have one; `busy` if all are taken.
    pub fn take(&self, user: i64) -> Result<Place, AppError> {
        let mut taken = self.taken();
        if taken.contains(&user) {
            return Err(AppError::OneAtATime);
        }
        if taken.len() == AT_ONCE {
            return Err(AppError::Busy);
        }
        taken.insert(user);
        Ok(Place { user, places: self.clone() })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.places.taken().remove(&self.user);
    }
}

/// A file that was sent: 1 byte to 10 MiB.
#[derive(Clone, Debug)]
pub struct Upload {
    pub bytes: Bytes,
    /// Held as long as the file is.
    _place: Arc<Place>,
}

/// A part of a form.
#[derive(Debug)]
pub enum Part {
    Text(String),
    File(Upload),
}

const UNREADABLE: AppError = AppError::Malformed("malformed-parts");

/// The parts of a form, each with its name.
///
/// # Errors
/// `malformed`
pub async fn parts(headers: &HeaderMap, body: Vec<u8>, place: Place) -> Result<Vec<(String, Part)>, AppError> {
    let (body, place) = (Bytes::from(body), Arc::new(place));
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
            Part::File(Upload { bytes: bytes.into(), _place: place.clone() })
        } else {
            Part::Text(String::from_utf8(bytes).map_err(|_| AppError::Malformed("malformed-not-utf8"))?)
        };
        parts.push((name, value));
        if parts.len() > MAX_FIELDS {
            return Err(AppError::Malformed("malformed-too-many"));
        }
    }
    Ok(parts)
}
