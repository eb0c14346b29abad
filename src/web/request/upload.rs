//! File uploads with multipart forms (RFC 7578). Uploads are held in memory, and permits limit their number.

use std::future::ready;
use std::sync::Arc;
use std::time::Duration;

use actix_multipart::Multipart;
use actix_web::error::PayloadError;
use actix_web::http::header::HeaderMap;
use actix_web::mime;
use actix_web::web::Bytes;
use futures_util::StreamExt as _;
use futures_util::stream;

use super::query::MAX_FIELDS;
use crate::permits::{Permit, Permits};
use crate::web::error::AppError;

pub const MAX_FILE_BYTES: usize = 10 << 20;
/// Maximum number of uploads that an instance receives or holds in memory at once.
const MAX_UPLOADS: usize = 8;
const PERMIT_TIMEOUT: Duration = Duration::from_secs(10);

pub fn upload_permits() -> Permits {
    Permits::new(MAX_UPLOADS, PERMIT_TIMEOUT)
}

#[derive(Clone, Debug)]
pub struct UploadedFile {
    pub bytes: Bytes,
    /// Keeps the upload permit while the file is in memory.
    _permit: Arc<Permit>,
}

#[derive(Debug)]
pub enum FormPart {
    Text(String),
    File(UploadedFile),
}

const UNREADABLE: AppError = AppError::Malformed("malformed-multipart");

/// Rejects forms with files if `permit` is `None`.
pub async fn parse_multipart(
    headers: &HeaderMap,
    body: Bytes,
    permit: Option<Permit>,
) -> Result<Vec<(String, FormPart)>, AppError> {
    let permit = permit.map(Arc::new);
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
            let permit = permit.clone().ok_or(AppError::UnsupportedType)?;
            FormPart::File(UploadedFile { bytes: bytes.into(), _permit: permit })
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
