//! The files of images, in a folder or in a store that speaks S3.

use std::path::Path as Folder;
use std::sync::Arc;
use std::time::Duration;

use actix_web::web::Bytes;
use anyhow::Context as _;
use chrono::{DateTime, Utc};
use futures_util::StreamExt as _;
use futures_util::stream::BoxStream;
use object_store::aws::AmazonS3Builder;
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::prefix::PrefixStore;
use object_store::{BackoffConfig, ClientOptions, ObjectStore, ObjectStoreExt as _, RetryConfig};

use super::settings::{Bucket, StorageLocation};
use crate::image_name::{File, ImageName, Kind};
use crate::web::error::AppError;

/// The longest that one request to S3 may take, and to connect to it.
const REQUEST_LIMIT: Duration = Duration::from_secs(5);
const CONNECT_LIMIT: Duration = Duration::from_secs(2);

/// A faulty answer is asked for once more, within this time.
const RETRY_LIMIT: Duration = Duration::from_secs(5);

/// Clones share it.
#[derive(Clone, Debug)]
pub struct Store(Arc<dyn ObjectStore>);

/// A file that is being read.
pub struct Reading {
    pub bytes: u64,
    pub content: BoxStream<'static, std::io::Result<Bytes>>,
}

impl Store {
    /// Makes the folder where there is none. S3 is not asked for anything yet.
    ///
    /// # Errors
    /// If the folder cannot be made.
    pub fn open(place: &StorageLocation) -> anyhow::Result<Self> {
        let store: Arc<dyn ObjectStore> = match place {
            StorageLocation::Folder(folder) => Arc::new(in_folder(folder)?),
            StorageLocation::S3(bucket) => Arc::new(PrefixStore::new(in_bucket(bucket)?, bucket.folder.as_str())),
        };
        Ok(Self(store))
    }

    /// Writes a file, whole or not at all.
    ///
    /// # Errors
    /// `unavailable`, such as when the disk is full.
    pub async fn put(&self, file: &File, bytes: Vec<u8>) -> Result<(), AppError> {
        let put = self.0.put(&path(file), bytes.into()).await;
        put.map(drop).map_err(unavailable)
    }

    /// Reads a file piece by piece. None where there is none.
    pub async fn get(&self, file: &File) -> Result<Option<Reading>, AppError> {
        match self.0.get(&path(file)).await {
            Ok(found) => {
                let bytes = found.meta.size;
                let content = found.into_stream().map(|piece| piece.map_err(std::io::Error::other)).boxed();
                Ok(Some(Reading { bytes, content }))
            }
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(unavailable(error)),
        }
    }

    /// Deletes a file, if it is there.
    pub async fn delete(&self, file: &File) -> Result<(), AppError> {
        match self.0.delete(&path(file)).await {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(unavailable(error)),
        }
    }

    /// Writes a file, reads it and deletes it.
    ///
    /// # Errors
    /// `unavailable`, with why.
    pub async fn try_out(&self) -> Result<(), AppError> {
        let file = File { name: ImageName::new([0; 16], 1, 1, Kind::Png), width: None };
        self.put(&file, b"a file that is tried out".to_vec()).await?;
        let read = self.get(&file).await?;
        self.delete(&file).await?;
        let not_there = || AppError::Unavailable(Some(anyhow::anyhow!("what was written is not there")));
        read.map(drop).ok_or_else(not_there)
    }

    /// Whether there is such a file.
    pub async fn has(&self, file: &File) -> Result<bool, AppError> {
        match self.0.head(&path(file)).await {
            Ok(_) => Ok(true),
            Err(object_store::Error::NotFound { .. }) => Ok(false),
            Err(error) => Err(unavailable(error)),
        }
    }

    /// All files, each with when it was written. What has no name of ours is left out.
    #[must_use]
    pub fn list(&self) -> BoxStream<'static, Result<(File, DateTime<Utc>), AppError>> {
        let named = async |listed: object_store::Result<object_store::ObjectMeta>| match listed {
            Ok(found) => Some(Ok((File::parse(found.location.filename()?)?, found.last_modified))),
            Err(error) => Some(Err(unavailable(error))),
        };
        self.0.list(None).filter_map(named).boxed()
    }
}

/// In folders of their own by the beginning of their hash: no folder has too many files.
fn path(file: &File) -> Path {
    let name = file.to_string();
    Path::from_iter([&name[..2], &name])
}

fn unavailable(error: object_store::Error) -> AppError {
    AppError::Unavailable(Some(anyhow::Error::new(error).context("images")))
}

fn in_folder(folder: &Folder) -> anyhow::Result<LocalFileSystem> {
    let cannot = || format!("cannot keep images in {} (IMAGE_STORE)", folder.display());
    std::fs::create_dir_all(folder).with_context(cannot)?;
    Ok(LocalFileSystem::new_with_prefix(folder).with_context(cannot)?.with_fsync(true))
}

fn in_bucket(bucket: &Bucket) -> anyhow::Result<object_store::aws::AmazonS3> {
    // The provider of the whole process; if somebody has set one already, it is that.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let plain = bucket.endpoint.as_ref().is_some_and(|url| url.scheme() == "http");
    let client = Kind::ALL.into_iter().fold(ClientOptions::new(), |client, kind| {
        client.with_content_type_for_suffix(kind.extension(), kind.media_type())
    });
    let client = client.with_allow_http(plain).with_timeout(REQUEST_LIMIT).with_connect_timeout(CONNECT_LIMIT);
    let retry = RetryConfig { backoff: BackoffConfig::default(), max_retries: 1, retry_timeout: RETRY_LIMIT };
    let mut builder = AmazonS3Builder::new()
        .with_bucket_name(&bucket.name)
        .with_region(&bucket.region)
        .with_access_key_id(&bucket.access_key_id)
        .with_secret_access_key(&bucket.secret_access_key)
        .with_client_options(client)
        .with_retry(retry);
    if let Some(endpoint) = &bucket.endpoint {
        builder = builder.with_endpoint(endpoint.as_str().trim_end_matches('/'));
    }
    builder.build().context("IMAGE_STORE")
}
