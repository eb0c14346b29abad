//! Storage of image files in a folder or an S3 bucket.

use std::path::Path as Folder;
use std::sync::Arc;
use std::time::Duration;

use actix_web::web::Bytes;
use anyhow::Context as _;
use chrono::{DateTime, Utc};
use evenkeel_markdown::image_name::{ImageFile, ImageName, ImageType};
use futures_util::StreamExt as _;
use futures_util::stream::BoxStream;
use object_store::aws::AmazonS3Builder;
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::prefix::PrefixStore;
use object_store::{BackoffConfig, ClientOptions, ObjectStore, ObjectStoreExt as _, RetryConfig};
use tokio::time::timeout;

use super::settings::{S3Bucket, StorageLocation};
use crate::web::error::AppError;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);

/// Timeout until the response of the image store begins.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(5);

const UPLOAD_TIMEOUT: Duration = Duration::from_secs(12);

/// Timeout between two reads of a file, long enough for clients that read slowly.
const READ_TIMEOUT: Duration = Duration::from_mins(1);

/// Time after the first attempt of a request within which a failed request is retried once.
const RETRY_TIMEOUT: Duration = Duration::from_secs(5);

#[derive(Clone, Debug)]
pub struct ImageStore {
    files: Arc<dyn ObjectStore>,
    /// True for S3, whose requests have time limits.
    is_remote: bool,
}

pub struct OpenFile {
    pub bytes: u64,
    pub content: BoxStream<'static, std::io::Result<Bytes>>,
}

impl ImageStore {
    /// Opens the store: creates a missing folder, but does not contact an S3 bucket.
    pub fn open(location: &StorageLocation) -> anyhow::Result<Self> {
        let files: Arc<dyn ObjectStore> = match location {
            StorageLocation::Folder(folder) => Arc::new(in_folder(folder)?),
            StorageLocation::S3(bucket) => Arc::new(PrefixStore::new(in_bucket(bucket)?, bucket.folder.as_str())),
        };
        Ok(Self { files, is_remote: matches!(location, StorageLocation::S3(_)) })
    }

    async fn within<T>(
        &self,
        limit: Duration,
        request: impl Future<Output = object_store::Result<T>>,
    ) -> object_store::Result<T> {
        if !self.is_remote {
            return request.await;
        }
        let late = |elapsed| object_store::Error::Generic { store: "S3", source: Box::new(elapsed) };
        timeout(limit, request).await.unwrap_or_else(|elapsed| Err(late(elapsed)))
    }

    pub async fn write_file(&self, file: &ImageFile, bytes: Vec<u8>) -> Result<(), AppError> {
        let put = self.within(UPLOAD_TIMEOUT, self.files.put(&path(file), bytes.into())).await;
        put.map(drop).map_err(unavailable)
    }

    pub async fn read_file(&self, file: &ImageFile) -> Result<Option<OpenFile>, AppError> {
        match self.within(RESPONSE_TIMEOUT, self.files.get(&path(file))).await {
            Ok(object) => {
                let bytes = object.meta.size;
                let content = object.into_stream().map(|piece| piece.map_err(std::io::Error::other)).boxed();
                Ok(Some(OpenFile { bytes, content }))
            }
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(unavailable(error)),
        }
    }

    /// Returns `Ok` if the file does not exist.
    pub async fn delete_file(&self, file: &ImageFile) -> Result<(), AppError> {
        match self.within(RESPONSE_TIMEOUT, self.files.delete(&path(file))).await {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(unavailable(error)),
        }
    }

    pub async fn test_write_access(&self) -> Result<(), AppError> {
        let file = ImageFile { name: ImageName::new([0; 16], 1, 1, ImageType::Png), width: None };
        self.write_file(&file, b"test of the image store".to_vec()).await?;
        let read = self.read_file(&file).await?;
        self.delete_file(&file).await?;
        let not_there =
            || AppError::Unavailable(Some(anyhow::anyhow!("the test file is missing after it was written")));
        read.map(drop).ok_or_else(not_there)
    }

    pub async fn file_exists(&self, file: &ImageFile) -> Result<bool, AppError> {
        match self.within(RESPONSE_TIMEOUT, self.files.head(&path(file))).await {
            Ok(_) => Ok(true),
            Err(object_store::Error::NotFound { .. }) => Ok(false),
            Err(error) => Err(unavailable(error)),
        }
    }

    /// Lists the image files, and skips files with other names.
    pub fn list_files(&self) -> BoxStream<'static, Result<(ImageFile, DateTime<Utc>), AppError>> {
        let named = async |listed: object_store::Result<object_store::ObjectMeta>| match listed {
            Ok(object) => Some(Ok((ImageFile::parse(object.location.filename()?)?, object.last_modified))),
            Err(error) => Some(Err(unavailable(error))),
        };
        self.files.list(None).filter_map(named).boxed()
    }
}

/// The first two digits of the hash are a subfolder, so that no folder contains too many files.
fn path(file: &ImageFile) -> Path {
    let name = file.to_string();
    Path::from_iter([&name[..2], &name])
}

fn unavailable(error: object_store::Error) -> AppError {
    AppError::Unavailable(Some(anyhow::Error::new(error).context("the image store failed")))
}

fn in_folder(folder: &Folder) -> anyhow::Result<LocalFileSystem> {
    let cannot = || format!("cannot store images in {} (IMAGE_STORE)", folder.display());
    std::fs::create_dir_all(folder).with_context(cannot)?;
    Ok(LocalFileSystem::new_with_prefix(folder).with_context(cannot)?.with_fsync(true))
}

fn in_bucket(bucket: &S3Bucket) -> anyhow::Result<object_store::aws::AmazonS3> {
    // If the process already has a default crypto provider, `install_default` fails and the existing provider is used.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let plain = bucket.endpoint.as_ref().is_some_and(|url| url.scheme() == "http");
    let client = ImageType::ALL.into_iter().fold(ClientOptions::new(), |client, kind| {
        client.with_content_type_for_suffix(kind.extension(), kind.media_type())
    });
    let client = client.with_allow_http(plain).with_connect_timeout(CONNECT_TIMEOUT);
    let client = client.with_timeout_disabled().with_read_timeout(READ_TIMEOUT);
    let retry = RetryConfig { backoff: BackoffConfig::default(), max_retries: 1, retry_timeout: RETRY_TIMEOUT };
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
    builder.build().context("invalid S3 settings (IMAGE_STORE)")
}
